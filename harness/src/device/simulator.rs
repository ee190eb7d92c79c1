//! Plans on the simulator: every plan twice, as checked and as optimised PTX, and both in two environments.
//!
//! The optimised PTX is what a GPU runs: it must be clean by itself, and counters and outputs come from it.
//! The checked PTX keeps the source's structure and adds what the optimiser hides. What a kernel does must not
//! depend on what GPUs leave open: so both are run once more, with other addresses, clocks and last bits and in
//! another order of warps and blocks, and whatever is found or comes out there counts too. A plan that is there
//! for its size alone is run once, as optimised.
//!
//! Jobs run in parallel and are independent of each other, so that threads change no result; only after a job
//! that does not end, those behind it are left out, since they would take as long.

use std::{
    any::Any,
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;
use warpsim::{
    Counters, Environment, Finding, FindingKind, Module, Place, Profile, Schedules, Severity, Simulator,
    WorstRequest,
};

use super::{
    Clocked, Code, Execution, ExecutionStatus, Job, Output, Passes, Request, choice::profile_names, clock,
};
use crate::{
    fill,
    plan::{Argument, Buffer, BufferId, Bytes, Launch, Plan, Step},
    report::KernelOccupancy,
    tensor, texture,
};

/// In another order threads may wait for longer.
const ELSEWHERE_BUDGET_FACTOR: u64 = 4;

/// Unoptimised code takes more instructions for the same work; its budget is this many times the job's.
const CHECKED_BUDGET_FACTOR: u64 = 4;

pub(super) fn execute(
    request: &Request,
    profile: &str,
    threads: usize,
    schedules: Schedules,
    keeps_worst: bool,
    told: &(dyn Fn(usize, &Execution) + Sync),
) -> Vec<Execution> {
    let all = |status: ExecutionStatus| vec![Execution::ended(status); request.jobs.len()];
    let Some(profile) = Profile::by_name(profile) else {
        return all(ExecutionStatus::Error(format!(
            "expected a profile such as {}, found `{profile}`",
            profile_names()
        )));
    };
    let run = || {
        let (checked, optimised) = rayon::join(
            || Module::load(&request.code.checked_ptx),
            || Module::load(&request.code.optimised_ptx),
        );
        let (checked, optimised) = match (checked, optimised) {
            (Ok(checked), Ok(optimised)) => (Arc::new(checked), Arc::new(optimised)),
            (Err(error), _) | (_, Err(error)) => return all(ExecutionStatus::Unsupported(error.to_string())),
        };
        // One job may use every thread itself; several share them better whole.
        let threads = if request.jobs.len() > 1 { 1 } else { rayon::current_num_threads() };
        let unfinished = AtomicUsize::new(usize::MAX);
        // Begun in their order, the smallest first: what does not end there is not begun with the large ones meanwhile.
        let mut executions: Vec<(usize, Execution)> = (request.jobs.iter().enumerate().par_bridge())
            .map(|(index, job)| {
                if index > unfinished.load(Ordering::Relaxed) {
                    return (index, Execution::ended(ExecutionStatus::NotStarted));
                }
                // Every pass begins with the same.
                let contents: Vec<Contents<'_>> = job.plan.buffers.iter().map(fill::contents).collect();
                let pass = |build: Build, environment: Environment, schedules, factor, clock| {
                    let module = if build == Build::Checked { &checked } else { &optimised };
                    let mut simulator = Simulator::new_in(environment, module.clone(), profile)
                        .with_threads(threads)
                        .with_schedules(schedules);
                    if build == Build::Optimised {
                        simulator = simulator.with_optimised_code();
                    }
                    // Of where the counters come from.
                    if keeps_worst && build == Build::Optimised && environment == Environment::Usual {
                        simulator = simulator.with_worst_requests();
                    }
                    let pass = Pass::new(module.clone(), simulator, &request.code, (job, &contents), factor);
                    Pass { clock, ..pass }.run(&job.plan)
                };
                let both = |environment: Environment, schedules, factor, clock: Option<u64>| {
                    let optimised = pass(Build::Optimised, environment, schedules, factor, clock);
                    // What doesn't end is not given four times as long to not end again.
                    let ended = !matches!(optimised.status, ExecutionStatus::Unfinished(_));
                    let factor = if ended { CHECKED_BUDGET_FACTOR * factor } else { factor };
                    let checked = pass(Build::Checked, environment, schedules, factor, job.clock);
                    let rate = environment.clock_rate();
                    let mut clocked: Vec<Clocked> =
                        clock.map(|_| optimised.clocked(rate)).into_iter().collect();
                    clocked.extend(job.clock.map(|_| checked.clocked(rate)));
                    Execution { clocked, ..combine(checked, optimised) }
                };
                let all = || {
                    let alone = |build, factor, clock| {
                        pass(build, Environment::Usual, schedules, factor, clock).alone()
                    };
                    match job.passes {
                        Passes::Optimised => return alone(Build::Optimised, 1, None),
                        Passes::Checked => return alone(Build::Checked, CHECKED_BUDGET_FACTOR, job.clock),
                        Passes::All | Passes::Usual => {}
                    }
                    // What is shown was measured on the documented clock.
                    let mut usual = both(Environment::Usual, schedules, 1, None);
                    let right = usual.status == ExecutionStatus::Finished
                        && usual.findings.iter().all(|finding| !finding.is_error());
                    // What is known to be wrong needs no second look, and who asks for one schedule wants that.
                    if !right || job.passes == Passes::Usual || matches!(schedules, Schedules::Only(_)) {
                        return usual;
                    }
                    if job.clock.is_some() {
                        let environment = Environment::Usual;
                        let optimised = pass(Build::Optimised, environment, schedules, 1, job.clock);
                        usual = on_another_clock(usual, optimised);
                    }
                    let (environment, schedule) = elsewhere(request.secret, job);
                    let run = |schedules| both(environment, schedules, ELSEWHERE_BUDGET_FACTOR, job.clock);
                    let mut there = run(schedule);
                    // In another order threads may have to wait for longer than anybody likes to see: no fault of
                    // theirs. Of addresses and clocks that is no excuse.
                    if waited_too_long(&there) {
                        let usual_order = run(Schedules::Only(0));
                        there = after_all(there, usual_order);
                    }
                    compare(usual, there)
                };
                // A defect of the simulator costs the case that shows it and no other.
                let execution = match catch_unwind(AssertUnwindSafe(all)) {
                    Ok(execution) => execution,
                    Err(cause) => Execution::ended(ExecutionStatus::Error(format!(
                        "the simulator panicked: {}. This is a defect of the simulator; please report it",
                        panic_message(&*cause)
                    ))),
                };
                if matches!(execution.status, ExecutionStatus::Unfinished(_)) {
                    unfinished.fetch_min(index, Ordering::Relaxed);
                }
                told(index, &execution);
                (index, execution)
            })
            .collect();
        executions.sort_by_key(|&(index, _)| index);
        let mut executions: Vec<Execution> = executions.into_iter().map(|(_, execution)| execution).collect();
        // Which jobs came to be skipped depends on the threads; what is reported must not.
        let first = unfinished.into_inner();
        for execution in executions.iter_mut().skip(first.saturating_add(1)) {
            *execution = Execution::ended(ExecutionStatus::NotStarted);
        }
        executions
    };
    if threads == 0 {
        return run();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => all(ExecutionStatus::Error(format!("no threads for the simulator: {error}"))),
    }
}

/// What the compiler made of the source, in one of two ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    Checked,
    Optimised,
}

/// The environment that a case is run in besides the usual one, and the order of warps and blocks: one, because
/// what others find they have found, and not the usual one, because outputs of others are seen nowhere else. Of
/// two cases one has all bits of addresses the other way round, and of two one an order that keeps lanes apart; but
/// not where a kernel takes the time, for lanes that are apart take turns at what they read together.
fn elsewhere(seed: u64, job: &Job) -> (Environment, Schedules) {
    const ENVIRONMENT: u64 = 0x0065_6e76_6972;
    /// Twice as many are run unasked.
    const OTHER_SCHEDULES: u64 = 4;
    let drawn = fill::one_way(fill::one_way(seed, ENVIRONMENT), job.case);
    let environment = Environment::Other(drawn & !1 | job.case & 1);
    let schedule = 1 + 2 * ((drawn >> 32) % OTHER_SCHEDULES);
    // Those of an even number keep lanes apart.
    let keeps_apart = job.case >> 1 & 1 == 1 && job.clock.is_none();
    (environment, Schedules::WhereSeen(schedule + u64::from(keeps_apart)))
}

/// What optimised code shows on a clock that nobody can foretell.
fn on_another_clock(mut usual: Execution, optimised: Seen) -> Execution {
    usual.clocked.push(optimised.clocked(Environment::Usual.clock_rate()));
    usual.findings = unite(optimised.findings, usual.findings);
    if optimised.status != ExecutionStatus::Finished {
        usual.status = optimised.status;
    }
    usual
}

/// It ran out of its budget, and not because its threads wait for each other.
fn waited_too_long(execution: &Execution) -> bool {
    let is_deadlock = |finding: &Finding| finding.kind == FindingKind::Deadlock && finding.is_error();
    matches!(execution.status, ExecutionStatus::Unfinished(_)) && !execution.findings.iter().any(is_deadlock)
}

/// What an execution shows that ended, and what one found that did not.
fn after_all(mut endless: Execution, ended: Execution) -> Execution {
    endless.findings.retain(|finding| finding.kind != FindingKind::Unfinished);
    let known = said(&endless.findings);
    let findings = ended.findings.into_iter().filter(|finding| !is_said(&known, finding));
    endless.findings.extend(findings);
    Execution { findings: endless.findings, ..ended }
}

/// What two environments show. What a kernel does must not depend on them.
fn compare(mut usual: Execution, elsewhere: Execution) -> Execution {
    let known = said(&usual.findings);
    for mut finding in elsewhere.findings {
        if is_said(&known, &finding) {
            continue;
        }
        finding.message.push_str(
            " (Only where addresses, clocks, the order of warps and blocks or the last bits of approximate functions are \
             others: a GPU may have any. What the kernel does must not depend on them.)",
        );
        usual.findings.push(finding);
    }
    if elsewhere.status != ExecutionStatus::Finished {
        usual.status = elsewhere.status;
    }
    usual.clocked.extend(elsewhere.clocked);
    usual.outputs_elsewhere = vec![elsewhere.outputs, elsewhere.checked_outputs];
    // What is as it was elsewhere needs no second look.
    let same = [&usual.outputs, &usual.checked_outputs];
    let differs = |(elsewhere, usual): (&Vec<Output>, &&Vec<Output>)| elsewhere != *usual;
    if !usual.outputs_elsewhere.iter().zip(&same).any(differs) {
        usual.outputs_elsewhere.clear();
    }
    usual
}

fn panic_message(cause: &(dyn Any + Send)) -> &str {
    let text = cause.downcast_ref::<&str>().copied();
    text.or_else(|| cause.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// What one pass gave.
struct Seen {
    status: ExecutionStatus,
    outputs: Vec<Output>,
    findings: Vec<Finding>,
    counters: Counters,
    lines: Vec<(Place, Counters)>,
    worst_requests: Vec<WorstRequest>,
    occupancy: Vec<KernelOccupancy>,
    printf: String,
    changed_inputs: Vec<String>,
}

impl Seen {
    /// What this was, on a clock of that rate.
    fn clocked(&self, rate: u64) -> Clocked {
        Clocked { outputs: self.outputs.clone(), counters: self.counters, rate }
    }

    /// An execution of which this is all.
    fn alone(self) -> Execution {
        Execution {
            outputs: self.outputs,
            findings: self.findings,
            counters: Some(self.counters),
            lines: self.lines,
            worst_requests: self.worst_requests,
            occupancy: self.occupancy,
            printf: self.printf,
            changed_inputs: self.changed_inputs,
            ..Execution::ended(self.status)
        }
    }
}

fn combine(checked: Seen, mut optimised: Seen) -> Execution {
    let findings = unite(std::mem::take(&mut optimised.findings), checked.findings);
    let mut execution = optimised.alone();
    if execution.status == ExecutionStatus::Finished {
        execution.status = checked.status;
    }
    Execution { checked_outputs: checked.outputs, findings, ..execution }
}

/// What both passes found. Where both say the same, the checked pass says it better, because its code is the
/// source's own.
fn unite(optimised: Vec<Finding>, checked: Vec<Finding>) -> Vec<Finding> {
    let known = said(&checked);
    let mut findings = checked;
    for mut finding in optimised {
        if is_said(&known, &finding) {
            continue;
        }
        finding
            .message
            .push_str(" (The code does this as the compiler optimises it, which is what a GPU runs.)");
        findings.push(finding);
    }
    findings
}

/// What findings there are.
fn said(findings: &[Finding]) -> Vec<(FindingKind, Severity)> {
    findings.iter().map(|finding| (finding.kind, finding.severity)).collect()
}

/// True if another pass need not say this too: there is a finding of that kind and severity; or what this comes
/// of is known. Of a race or a wrong mask it comes that a thread reads what no thread has written yet. One loop
/// may end in another way in another pass, and the compiler puts a trap in the place of an access that it saw to
/// be out of bounds.
fn is_said(known: &[(FindingKind, Severity)], finding: &Finding) -> bool {
    let never_ends = |kind: FindingKind| matches!(kind, FindingKind::Deadlock | FindingKind::Unfinished);
    let compilers_trap = finding.kind == FindingKind::Trap && finding.place.is_none();
    let is_the_same_end = |&(kind, severity): &(FindingKind, Severity)| {
        severity == Severity::Error
            && (never_ends(kind) && never_ends(finding.kind)
                || compilers_trap && kind == FindingKind::OutOfBounds)
    };
    let follows = |&(kind, severity): &(FindingKind, Severity)| {
        finding.kind == FindingKind::UninitializedRead
            && severity == Severity::Error
            && matches!(kind, FindingKind::Race | FindingKind::InvalidMask)
    };
    let same =
        |&(kind, severity): &(FindingKind, Severity)| kind == finding.kind && severity <= finding.severity;
    finding.severity == Severity::Note
        || known.iter().any(|known| same(known) || follows(known) || is_the_same_end(known))
}

/// What a buffer holds at first; none where nothing was written to it.
type Contents<'a> = Option<Cow<'a, [u8]>>;

/// One plan on one simulator.
struct Pass<'a> {
    module: Arc<Module>,
    simulator: Simulator,
    code: &'a Code,
    addresses: Vec<u64>,
    budget: u64,
    /// What loads from shared memory cost is made from it; none for the documented costs.
    clock: Option<u64>,
    /// Launches so far.
    launches: u64,
    seen: Seen,
}

impl<'a> Pass<'a> {
    fn new(
        module: Arc<Module>,
        mut simulator: Simulator,
        code: &'a Code,
        (job, contents): (&Job, &[Contents<'_>]),
        budget_factor: u64,
    ) -> Self {
        let mut status = ExecutionStatus::Finished;
        let addresses = job
            .plan
            .buffers
            .iter()
            .zip(contents)
            .map(|(buffer, contents)| {
                let address = simulator.allocate(buffer.bytes() as u64, &buffer.name);
                if let Some(contents) = contents {
                    if contents.len() != buffer.bytes() {
                        let (expected, found) = (buffer.bytes(), contents.len());
                        status = ExecutionStatus::Error(format!(
                            "the plan's buffer `{}` has {expected} bytes, its contents {found}",
                            buffer.name
                        ));
                    } else if let Err(error) = simulator.write(address, contents) {
                        status = ExecutionStatus::Error(error.to_string());
                    }
                }
                address
            })
            .collect::<Vec<_>>();
        for (id, &address) in addresses.iter().enumerate() {
            if job.plan.is_input(BufferId(id)) {
                simulator.watch(address);
            }
        }
        let seen = Seen {
            status,
            outputs: Vec::new(),
            findings: Vec::new(),
            counters: Counters::default(),
            lines: Vec::new(),
            worst_requests: Vec::new(),
            occupancy: Vec::new(),
            printf: String::new(),
            changed_inputs: Vec::new(),
        };
        let budget = job.budget.saturating_mul(budget_factor);
        Pass { module, simulator, code, addresses, budget, clock: None, launches: 0, seen }
    }

    fn run(mut self, plan: &Plan) -> Seen {
        if self.seen.status == ExecutionStatus::Finished {
            match self.steps(plan, &plan.steps) {
                Ok(()) => self.seen.changed_inputs = self.changed_inputs(plan),
                Err(stopped) => self.seen.status = stopped,
            }
        }
        self.seen
    }

    /// The inputs that were not always what they were at first. Whoever checks a result against its inputs must not be given other
    /// ones; and who shares an input with the kernel must not find it changed for a while.
    fn changed_inputs(&self, plan: &Plan) -> Vec<String> {
        let changed = |(buffer, &address): (&Buffer, &u64)| {
            let element = self.simulator.first_change(address)? / buffer.element.bytes() as u64;
            let name = &buffer.name;
            Some(format!(
                "changed its input `{name}`, first at element {element}; putting it back does not help"
            ))
        };
        plan.buffers.iter().zip(&self.addresses).filter_map(changed).collect()
    }

    fn steps(&mut self, plan: &Plan, steps: &[Step]) -> Result<(), ExecutionStatus> {
        for step in steps {
            match step {
                Step::SetGlobal { name, bytes, .. } => {
                    let address = self.variable(name, bytes.0.len())?;
                    let written = self.simulator.write(address, &bytes.0);
                    written.map_err(|error| ExecutionStatus::Error(error.to_string()))?;
                }
                Step::ReadGlobal { name, into } => {
                    let address = self.variable(name, plan.buffers[into.0].bytes())?;
                    self.read_back(plan, *into, address)?;
                }
                Step::Launch(launch) => self.launch(plan, launch)?,
                Step::Repeat { times, steps } => {
                    for _ in 0..*times {
                        self.steps(plan, steps)?;
                    }
                }
                Step::ReadBack(id) => self.read_back(plan, *id, self.addresses[id.0])?,
            }
        }
        Ok(())
    }

    /// Takes what lies at an address for what a buffer holds.
    fn read_back(&mut self, plan: &Plan, buffer: BufferId, address: u64) -> Result<(), ExecutionStatus> {
        let contents = self
            .simulator
            .read(address, plan.buffers[buffer.0].bytes())
            .map_err(|error| ExecutionStatus::Error(error.to_string()))?;
        let output = Output {
            buffer,
            bytes: Bytes(contents.bytes.into()),
            unwritten: contents.uninitialised,
            undefined: contents.undefined,
        };
        self.seen.outputs.retain(|known| known.buffer != buffer);
        self.seen.outputs.push(output);
        Ok(())
    }

    /// Where a variable of so many bytes or more lies.
    fn variable(&self, name: &str, bytes: usize) -> Result<u64, ExecutionStatus> {
        let missing = || {
            ExecutionStatus::Faulted(format!("expected a device variable `{name}`, found none in the kernel"))
        };
        let lowered = self.code.lowered(name);
        let address = self.simulator.global_address(lowered).ok_or_else(missing)?;
        let size = self.module.global(lowered).ok_or_else(missing)?.bytes;
        if bytes as u64 > size {
            return Err(ExecutionStatus::Faulted(format!(
                "expected the device variable `{name}` to hold {bytes} bytes, found {size}"
            )));
        }
        Ok(address)
    }

    fn launch(&mut self, plan: &Plan, launch: &Launch) -> Result<(), ExecutionStatus> {
        let refused = |why: String| {
            ExecutionStatus::Refused(format!("the launch of `{}` failed: {why}", launch.kernel))
        };
        let handle = |handle: u64| warpsim::Argument::Bytes(handle.to_le_bytes().to_vec());
        let arguments = launch
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer { buffer, offset } => Ok(warpsim::Argument::Pointer {
                    base: self.addresses[buffer.0],
                    offset: (offset * plan.buffers[buffer.0].element.bytes()) as u64,
                }),
                Argument::Scalar(bytes) => Ok(warpsim::Argument::Bytes(bytes.clone())),
                Argument::Null => Ok(warpsim::Argument::Bytes(vec![0; 8])),
                Argument::TensorMap { buffer, tile } => {
                    let map = tensor::map(&plan.buffers[buffer.0], tile, self.addresses[buffer.0]);
                    map.and_then(|map| map.argument().map_err(|error| error.to_string())).map_err(refused)
                }
                Argument::Texture { buffer, layout, sampling } => {
                    let (of, address) = (&plan.buffers[buffer.0], self.addresses[buffer.0]);
                    texture::texture(of, *layout, *sampling, address)
                        .and_then(|texture| {
                            self.simulator.texture(&texture).map_err(|error| error.to_string())
                        })
                        .map(handle)
                        .map_err(refused)
                }
                Argument::Surface { buffer, layout } => {
                    let (of, address) = (&plan.buffers[buffer.0], self.addresses[buffer.0]);
                    texture::surface(of, *layout, address)
                        .and_then(|texels| self.simulator.surface(&texels).map_err(|error| error.to_string()))
                        .map(handle)
                        .map_err(refused)
                }
            })
            .collect::<Result<_, _>>()?;
        let name = &launch.kernel;
        let kernel = self.code.lowered(name).to_owned();
        let launch = warpsim::Launch::new(&kernel, launch.grid, launch.block, arguments)
            .with_dynamic_shared(launch.dynamic_shared)
            .with_registers(self.code.registers.get(&kernel).copied())
            .with_cluster(launch.cluster)
            .with_cooperative(launch.cooperative)
            .with_budget(self.budget);
        if let Some(secret) = self.clock {
            self.simulator.set_load_cycles(clock::load_cycles(secret, self.launches));
            self.simulator.set_clock_start(clock::start(secret, self.launches));
        }
        self.launches += 1;
        let report = self.simulator.launch(&launch).map_err(|error| {
            ExecutionStatus::Refused(format!("the launch of `{}` failed: {error}", launch.kernel))
        })?;
        self.budget = self.budget.saturating_sub(report.counters.ptx_instructions);
        let why = what_stopped(report.status, &report.findings);
        self.seen.findings.extend(report.findings);
        self.seen.counters += &report.counters;
        add_lines(&mut self.seen.lines, report.lines.into_iter().map(|line| (line.place, line.counters)));
        add_requests(&mut self.seen.worst_requests, report.worst_requests);
        let occupancy = KernelOccupancy {
            kernel: name.clone(),
            block: launch.block,
            resident_blocks: report.resident_blocks,
            occupancy: report.occupancy,
        };
        if !self.seen.occupancy.contains(&occupancy) {
            self.seen.occupancy.push(occupancy);
        }
        self.seen.printf.push_str(&report.printf);
        match report.status {
            warpsim::LaunchStatus::Finished => Ok(()),
            warpsim::LaunchStatus::Faulted => Err(ExecutionStatus::Faulted(why)),
            warpsim::LaunchStatus::Unfinished => Err(ExecutionStatus::Unfinished(why)),
            warpsim::LaunchStatus::Unsupported => Err(ExecutionStatus::Unsupported(why)),
        }
    }
}

/// The message of the finding that stopped a launch. Others, such as a race on the way there, stop nothing.
fn what_stopped(status: warpsim::LaunchStatus, findings: &[Finding]) -> String {
    let (stops, otherwise): (fn(FindingKind) -> bool, _) = match status {
        warpsim::LaunchStatus::Finished => return String::new(),
        warpsim::LaunchStatus::Faulted => (
            |kind| {
                !matches!(
                    kind,
                    FindingKind::Race
                        | FindingKind::BarrierDivergence
                        | FindingKind::InvalidMask
                        | FindingKind::UninitializedRead
                )
            },
            "the kernel faulted",
        ),
        warpsim::LaunchStatus::Unfinished => (
            |kind| matches!(kind, FindingKind::Deadlock | FindingKind::Unfinished),
            "the kernel did not finish",
        ),
        warpsim::LaunchStatus::Unsupported => {
            (|kind| kind == FindingKind::Unsupported, "the kernel uses what the simulator lacks")
        }
    };
    let errors = || findings.iter().filter(|finding| finding.is_error());
    let finding = errors().find(|finding| stops(finding.kind)).or_else(|| errors().next());
    finding.map_or_else(|| otherwise.to_owned(), |finding| finding.message.clone())
}

/// Of each line the worst; of equal ones that of the first launch.
fn add_requests(known: &mut Vec<WorstRequest>, more: Vec<WorstRequest>) {
    for request in more {
        match known.binary_search_by(|known| known.place.cmp(&request.place)) {
            Ok(at) if request.conflicts() > known[at].conflicts() => known[at] = request,
            Ok(_) => {}
            Err(at) => known.insert(at, request),
        }
    }
}

fn add_lines(lines: &mut Vec<(Place, Counters)>, more: impl Iterator<Item = (Place, Counters)>) {
    for (place, counters) in more {
        match lines.binary_search_by(|(known, _)| known.cmp(&place)) {
            Ok(at) => lines[at].1 += &counters,
            Err(at) => lines.insert(at, (place, counters)),
        }
    }
}
