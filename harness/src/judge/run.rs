//! Runs the cases on each device and writes one [`CaseReport`] each.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
    time::Instant,
};

use warpsim::{FindingKind, LineCounters, Severity};

use super::{Check, CheckStop, Defence, Runs, goals::is_wrong, shares, speed::is_checked_there};
use crate::{
    compare::{self, OutputView},
    compiler::Compiled,
    device::{
        Clocked, Code, Devices, Execution, ExecutionStatus, GpuInfo, Job, Output, Passes, Request, Target,
        worker::{GpuSession, simulate, simulate_and_tell},
    },
    exercise::{Case, Constants, Counter, CounterBound, On, Outputs, SecretClock},
    fill,
    plan::{Expected, Plan, Tolerance},
    report::{CaseReport, CaseStatus, Mismatch, number_of},
    toolchain::Toolchain,
};

/// Seconds that one case's kernels may take on a GPU.
pub(crate) const GPU_CASE_SECONDS: f64 = 10.0;
/// Seconds that the kernels of all cases together may take on a GPU. Honest ones take less than one; one that
/// prints without end, say, takes all it gets in every case.
const GPU_SECONDS: f64 = 20.0;
/// Warp instructions that a large case may take.
const LARGE_BUDGET: u64 = 96_000_000;
/// Said of what is wrong there alone.
const ELSEWHERE: &str = "where addresses, clocks, the order of warps and blocks or the last bits of approximate functions \
                         are others, as they may be on a GPU";
/// What a case gets in any event: starting a worker counts as well, and on a busy machine that takes long.
const LEAST_SECONDS: f64 = 2.0;

/// What runs on which GPU, and what compiles more for it.
pub(super) struct OnGpu<'a> {
    pub toolchain: &'a Toolchain,
    pub gpu: &'a GpuInfo,
    pub compiled: &'a Compiled,
}

/// The simulator's name in reports.
fn simulator(devices: &Devices) -> String {
    format!("sim:{}", devices.profile.name)
}

impl Check<'_> {
    pub(super) fn simulate(
        &self,
        devices: &Devices,
        compiled: &Compiled,
        cases: &[Case],
        constants: &Constants,
        seed: u64,
        runs: &mut Runs,
    ) -> Result<(), CheckStop> {
        let device = simulator(devices);
        for on in [On::Everywhere, On::Large] {
            let here = (0..cases.len()).filter(|&index| cases[index].on == on).collect();
            let here = self.able(cases, here, &device, devices.profile.compute_capability, runs);
            let plans = here
                .iter()
                .map(|&index| self.kept_plan(&cases[index], seed, constants))
                .collect::<Result<Vec<Plan>, CheckStop>>()?;
            self.signatures(compiled, &plans)?;
            Self::blocks(&plans, constants)?;
            // What is wrong in a small case shows nothing new in a large one, and takes long to show it.
            let went_wrong = |report: &CaseReport| {
                is_wrong(report) || report.findings.iter().any(|finding| finding.is_error())
            };
            if on == On::Large && runs.reports.iter().any(went_wrong) {
                for &index in &here {
                    runs.leave_out(&cases[index], &device, "a smaller case went wrong already".to_owned());
                }
                continue;
            }
            (self.progress)(&format!("{} on {device}", number_of(here.len(), "case")));
            let target = self.target(devices);
            let jobs =
                here.iter().zip(&plans).map(|(&index, plan)| self.simulated(&cases[index], plan, seed));
            let request = Request { target, code: Code::from(compiled), jobs: jobs.collect(), secret: seed };
            let mut told = BTreeSet::new();
            let (executions, sandbox) = match self.onlooker {
                None => simulate(request),
                Some(onlooker) => simulate_and_tell(request, &mut |job, execution| {
                    let (case, plan) = (&cases[here[job]], &plans[job]);
                    let (report, _) = self.report(case, &device, seed, plan, execution, &mut Vec::new());
                    told.insert(case.index);
                    (onlooker.seen)(&report);
                }),
            };
            runs.sandbox = sandbox.or(runs.sandbox.take());
            for ((&index, plan), execution) in here.iter().zip(&plans).zip(executions) {
                let case = &cases[index];
                let (report, outputs) = self.report(case, &device, seed, plan, execution, &mut runs.notes);
                if let Some(onlooker) = self.onlooker
                    && !told.contains(&case.index)
                {
                    (onlooker.seen)(&report);
                }
                runs.outputs.extend(outputs.map(|outputs| (index, device.clone(), outputs)));
                runs.bounds.push(self.bounds(case, constants, plan, &report));
                runs.reports.push(report);
            }
        }
        Ok(())
    }

    /// One case, simulated once from checked PTX, without counters, which optimised code has others of; none where the kernel
    /// cannot be run so, of which the report will tell.
    pub(super) fn preview(
        &self,
        devices: &Devices,
        compiled: &Compiled,
        case: usize,
        seed: u64,
    ) -> Option<CaseReport> {
        let cases = self.cases().ok()?;
        let case = cases.iter().find(|known| known.index == case && known.on == On::Everywhere)?;
        if self.exercise.case_compute_capability(case) > devices.profile.compute_capability {
            return None;
        }
        let constants = self.interface(compiled).ok()?;
        let plan = self.kept_plan(case, seed, &constants).ok()?;
        self.signatures(compiled, slice::from_ref(&plan)).ok()?;
        Self::blocks(slice::from_ref(&plan), &constants).ok()?;
        (self.progress)(&format!("case {} on {}", case.name, simulator(devices)));
        let (executions, _) = simulate(Request {
            target: self.target(devices),
            code: Code::from(compiled),
            jobs: vec![Job { passes: Passes::Checked, ..self.simulated(case, &plan, seed) }],
            secret: seed,
        });
        let execution = executions.into_iter().next()?;
        let (report, _) = self.report(case, &simulator(devices), seed, &plan, execution, &mut Vec::new());
        let (lines, worst_requests, occupancy) = Default::default();
        Some(CaseReport { counters: None, lines, worst_requests, occupancy, ..report })
    }

    fn target(&self, devices: &Devices) -> Target {
        Target::Simulator {
            profile: devices.profile.name.to_owned(),
            threads: self.options.threads,
            schedules: self.options.schedules,
            worst_requests: self.options.worst_requests,
        }
    }

    /// A case's job for the simulator.
    fn simulated(&self, case: &Case, plan: &Plan, seed: u64) -> Job {
        let clock = self.exercise.about().permits.clocks.then(|| secret_of_clock(seed, case));
        Job { clock, ..self.job(case, plan) }
    }

    /// The exercise's own bounds, and that the blocks share the work where it says nothing of that.
    fn bounds(
        &self,
        case: &Case,
        constants: &Constants,
        plan: &Plan,
        report: &CaseReport,
    ) -> Vec<CounterBound> {
        if case.tiny.is_some() {
            return Vec::new();
        }
        let mut bounds = self.exercise.counter_bounds(case, constants);
        if !bounds.iter().any(|bound| bound.counter == Counter::BusiestBlockLoadSectors) {
            bounds.extend(shares::bound(plan, report.counters.as_ref()));
        }
        bounds
    }

    pub(super) fn run_on_gpu(
        &self,
        OnGpu { toolchain, gpu, compiled }: OnGpu<'_>,
        cases: &[Case],
        constants: &Constants,
        seed: u64,
        runs: &mut Runs,
    ) -> Result<(), CheckStop> {
        let device = format!("gpu:{}", gpu.index);
        let code = Code::from(compiled);
        let mut session = GpuSession::new();
        let mut left = GPU_SECONDS;
        let all = (0..cases.len()).collect();
        for index in self.able(cases, all, &device, gpu.compute_capability, runs) {
            let case = &cases[index];
            (self.progress)(&format!("case {} of {} on {device}", index + 1, cases.len()));
            let plan = self.kept_plan(case, seed, constants)?;
            if is_checked_there(case, &plan) {
                continue;
            }
            let ended_so = |is: fn(&CaseStatus) -> bool| {
                runs.reports.iter().any(|known| known.device == device && is(&known.status))
            };
            let unfinished = ended_so(|status| matches!(status, CaseStatus::Unfinished(_)));
            let faulted = ended_so(|status| matches!(status, CaseStatus::Faulted(_)));
            if unfinished {
                // It would be waited for in every case anew, and has failed already.
                runs.leave_out(case, &device, "a case before it did not end".to_owned());
                continue;
            }
            let begun = Instant::now();
            let mut execution = session.execute(Request {
                target: Target::Gpu { uuid: gpu.uuid.clone() },
                code: code.clone(),
                jobs: vec![Job { seconds: GPU_CASE_SECONDS.min(left.ceil()), ..self.job(case, &plan) }],
                secret: secret(),
            });
            left = (left - begun.elapsed().as_secs_f64()).max(LEAST_SECONDS);
            // A GPU that breaks or is taken away fails in the words of a kernel's fault. After one fault that
            // is the kernel's own it has failed, whatever becomes of the GPU.
            if !faulted
                && matches!(execution.status, ExecutionStatus::Faulted(_) | ExecutionStatus::Unfinished(_))
                && let Some(why) = self.broken(toolchain, gpu)
            {
                execution = Execution::ended(ExecutionStatus::Error(why));
            }
            let (report, outputs) = self.report(case, &device, seed, &plan, execution, &mut runs.notes);
            // Pictures are made of small outputs; the large ones would only fill memory.
            if case.on == On::Everywhere {
                runs.outputs.extend(outputs.map(|outputs| (index, device.clone(), outputs)));
            }
            if let Some(onlooker) = self.onlooker {
                (onlooker.seen)(&report);
            }
            runs.reports.push(report);
            runs.bounds.push(Vec::new());
        }
        if let Some(sandbox) = session.sandbox() {
            runs.sandbox = Some(super::weaker(runs.sandbox.take(), sandbox.clone()));
        }
        Ok(())
    }

    /// The exercise's plan, or what was kept of it.
    fn kept_plan(&self, case: &Case, seed: u64, constants: &Constants) -> Result<Plan, CheckStop> {
        let make = || self.plan(case, seed, constants);
        match &self.options.plans {
            Some(kept) => kept.plan(self.exercise.id(), case, seed, constants, make),
            None => make(),
        }
    }

    /// The exercise's plan; a panic in it is the judge's failure.
    pub(super) fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Result<Plan, CheckStop> {
        let plan = catch_unwind(AssertUnwindSafe(|| self.exercise.plan(case, seed, constants)));
        let mut plan = plan.map_err(|_| {
            CheckStop::Judge(format!("the exercise cannot plan case {}; this is its defect", case.name))
        })?;
        if !self.options.defences.has(Defence::Tolerance) {
            plan.expectations.iter_mut().for_each(|expectation| loosen(&mut expectation.expected));
        }
        Ok(plan)
    }

    fn job(&self, case: &Case, plan: &Plan) -> Job {
        let all = if self.options.defences.has(Defence::Environments) { Passes::All } else { Passes::Usual };
        let (passes, allowed) = match case.on {
            On::Large => (Passes::Optimised, LARGE_BUDGET),
            _ if self.options.glance => (Passes::Optimised, self.exercise.about().instruction_budget),
            On::Everywhere | On::Gpu | On::GpuTimed => (all, self.exercise.about().instruction_budget),
        };
        let budget = self.options.instruction_budget.map_or(allowed, |asked| asked.min(allowed));
        let budget =
            if self.options.defences.has(Defence::Budget) { budget } else { budget.saturating_mul(1000) };
        // Expectations stay with the judge: a device has no use for them, and a kernel must not find them.
        let plan = Plan { expectations: Vec::new(), ..plan.clone() };
        Job { plan, case: case.index as u64, passes, budget, seconds: GPU_CASE_SECONDS, clock: None }
    }

    fn report(
        &self,
        case: &Case,
        device: &str,
        seed: u64,
        plan: &Plan,
        execution: Execution,
        notes: &mut Vec<String>,
    ) -> (CaseReport, Option<Outputs>) {
        let mut findings = execution.findings;
        if self.exercise.about().blocks_in_any_order {
            for finding in findings.iter_mut().filter(|finding| finding.kind == FindingKind::Deadlock) {
                finding.severity = Severity::Error;
            }
        }
        let mut status = CaseStatus::from(execution.status);
        let mut mismatches = Vec::new();
        let mut complaints = execution.guard_violations;
        if self.options.defences.has(Defence::Inputs) {
            complaints.extend(execution.changed_inputs);
        }
        let exact = execution.counters.is_some() && self.options.defences.has(Defence::Findings);
        let mut outputs = None;
        let mut compared = &execution.outputs;
        if status == CaseStatus::Finished {
            mismatches = compare_outputs(plan, compared, exact);
            // Both passes must be right; what the checked pass alone gets wrong is as wrong.
            if mismatches.is_empty() && !execution.checked_outputs.is_empty() {
                compared = &execution.checked_outputs;
                mismatches = compare_outputs(plan, compared, exact);
            }
            for elsewhere in execution.outputs_elsewhere.iter().filter(|outputs| !outputs.is_empty()) {
                if mismatches.is_empty() {
                    compared = elsewhere;
                    mismatches = compare_outputs(plan, compared, exact);
                    if let Some(wrong) = mismatches.first() {
                        complaints.push(format!("gives another `{}` {ELSEWHERE}", wrong.buffer));
                    }
                }
            }
            if !mismatches.is_empty() {
                findings.extend(unwritten(plan, compared, &findings));
            }
            if let Some(usual_counters) = &execution.counters
                && mismatches.is_empty()
                && self.options.defences.has(Defence::SecretClock)
            {
                let secret = secret_of_clock(seed, case);
                let mut said = execution.clocked.iter().map(|clocked| {
                    let Clocked { outputs, counters, rate } = clocked;
                    let (outputs, rate) = (&named(plan, outputs), *rate);
                    let run = SecretClock { outputs, counters, usual_counters, rate, secret };
                    self.exercise.check_secret_clock(case, &run)
                });
                complaints.extend(said.find(|said| !said.is_empty()).unwrap_or_default());
            }
            let named = named(plan, &execution.outputs);
            let check = |outputs: &Outputs| self.exercise.check_outputs(case, seed, outputs);
            // What a clock says differs with the build and from place to place.
            let others = match self.exercise.about().permits.clocks {
                true => (&[][..], &[][..]),
                false => (&execution.checked_outputs[..], &execution.outputs_elsewhere[..]),
            };
            match own_check(check, plan, &named, others) {
                Ok(more) => complaints.extend(more),
                Err(why) => status = CaseStatus::JudgeError(why),
            }
            if let Some(folder) = &self.options.dump {
                notes.push(match super::dump::dump(folder, case, device, plan, &execution.outputs) {
                    Ok(place) => {
                        format!(
                            "what went in, came out and was expected is in {} as .npy files",
                            place.display()
                        )
                    }
                    Err(error) => {
                        format!("the outputs cannot be written to {}: {error}", folder.display())
                    }
                });
            }
            outputs = Some(named);
        }
        findings.sort_by_key(|finding| finding.severity);
        let shown = self.options.show.then(|| super::show::show(plan, compared, &mismatches));
        let report = CaseReport {
            number: case.index,
            name: case.name.clone(),
            device: device.to_owned(),
            status,
            mismatches,
            complaints,
            findings,
            counters: execution.counters,
            lines: execution
                .lines
                .into_iter()
                .map(|(place, counters)| LineCounters::new(place, counters))
                .collect(),
            worst_requests: execution.worst_requests,
            occupancy: execution.occupancy,
            printf: execution.printf,
            shown,
        };
        (report, outputs)
    }
}

/// What the exercise itself says of the outputs: the usual ones; if it finds nothing, those of the other build and
/// of elsewhere.
fn own_check(
    check: impl Fn(&Outputs) -> Vec<String>,
    plan: &Plan,
    usual: &Outputs,
    (checked, elsewhere): (&[Output], &[Vec<Output>]),
) -> Result<Vec<String>, String> {
    // Whatever a kernel writes, saying what is wrong with it is the exercise's work.
    let check = |outputs: &Outputs| {
        catch_unwind(AssertUnwindSafe(|| check(outputs)))
            .map_err(|_| "the exercise's own check of the outputs panicked; this is its defect".to_owned())
    };
    let there =
        |outputs: &[Output]| if outputs.is_empty() { Ok(Vec::new()) } else { check(&named(plan, outputs)) };
    let mut said = check(usual)?;
    if said.is_empty() {
        said = there(checked)?;
    }
    for outputs in elsewhere {
        if said.is_empty() {
            said = there(outputs)?.into_iter().map(|said| format!("{ELSEWHERE}: {said}")).collect();
        }
    }
    Ok(said)
}

/// As close as nobody should ask for: what a cheat needs that computes in half precision, or only a part.
fn loosen(expected: &mut Expected) {
    const LOOSE: f64 = 0.05;
    // In the exercises' own units, in which results are whole numbers up to about a million.
    const LOOSE_UNITS: f64 = 20_000.0;
    match expected {
        Expected::Elements { tolerance, .. } | Expected::Reference { tolerance } => {
            *tolerance = Tolerance::Close { absolute: LOOSE_UNITS, relative: LOOSE };
        }
        // As far off as all its products together are large.
        Expected::Product(product) => product.unit = 0.5 / (product.extents[2] as f64 + 1.0),
    }
}

/// Bytes that nobody outside can guess.
pub(crate) fn secret() -> u64 {
    // The standard library keys its hash maps from the operating system's randomness.
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// What a case's costs of loads are made from: no more to be foreseen than its values, and
/// the same on every machine.
fn secret_of_clock(seed: u64, case: &Case) -> u64 {
    const CLOCK: u64 = 0x0063_6c6f_636b;
    fill::one_way(fill::one_way(seed, CLOCK), case.index as u64)
}

/// On a GPU (`exact` false) a right value may by chance equal the prefill; there it only
/// names what is wrong anyway.
fn compare_outputs(plan: &Plan, outputs: &[Output], exact: bool) -> Vec<Mismatch> {
    let compare = |with_unwritten: bool| {
        compare::mismatches(&plan.buffers, &plan.expectations, |buffer| view(outputs, buffer, with_unwritten))
    };
    if !exact && compare(false).is_empty() {
        return Vec::new();
    }
    compare(true)
}

fn named(plan: &Plan, outputs: &[Output]) -> Outputs {
    let name = |output: &Output| plan.buffers[output.buffer.0].name.clone();
    Outputs(outputs.iter().map(|output| (name(output), output.bytes.0.to_vec())).collect::<BTreeMap<_, _>>())
}

/// Findings for outputs that hold no value of the kernel's. Where no thread wrote them it is a remark:
/// `correct` fails for it already. Where a thread wrote what was never defined it is an error, as it decides
/// an output, unless the simulator has seen one already.
fn unwritten(plan: &Plan, outputs: &[Output], known: &[warpsim::Finding]) -> Vec<warpsim::Finding> {
    let explained = known
        .iter()
        .any(|finding| finding.kind == FindingKind::UninitializedRead && finding.severity == Severity::Error);
    let found = compare::unwritten(&plan.buffers, &plan.expectations, |buffer| view(outputs, buffer, true));
    found
        .into_iter()
        .filter(|each| each.undefined.is_none() || !explained)
        .map(|each| {
            let index: String = each.index.iter().map(|index| format!("[{index}]")).collect();
            let (count, of) = (each.count, each.of);
            let rest = match count {
                1 if of == 1 => "It is all that is read as an output.".to_owned(),
                1 => format!("It is the only one of the {of} elements that are read as outputs."),
                _ => format!("So it is with {count} of the {of} elements that are read as outputs."),
            };
            let what = match each.undefined {
                None => "was never written: no thread stores to it. Which thread should?",
                Some(_) => {
                    "was written from data that nothing wrote: some of its bits were never given a value. Initialise all that it \
                     is made from."
                }
            };
            let severity = if each.undefined.is_some() { Severity::Error } else { Severity::Warning };
            let message = format!("`{}{index}` {what} {rest}", each.buffer);
            let mut finding = warpsim::Finding::new(FindingKind::UninitializedRead, severity, message);
            finding.space = Some(warpsim::Space::Global);
            finding.place = each.undefined.flatten();
            finding.count = count;
            finding
        })
        .collect()
}

/// A buffer that was read back; with the bytes that hold no value of the kernel's, or without.
pub(super) fn view(outputs: &[Output], buffer: usize, with_unwritten: bool) -> Option<OutputView<'_>> {
    let output = outputs.iter().find(|output| output.buffer.0 == buffer)?;
    let bytes = &output.bytes.0;
    Some(if with_unwritten {
        OutputView { bytes, unwritten: &output.unwritten, undefined: &output.undefined }
    } else {
        OutputView { bytes, unwritten: &[], undefined: &[] }
    })
}

impl From<&Compiled> for Code {
    fn from(compiled: &Compiled) -> Self {
        Code {
            checked_ptx: compiled.checked_ptx.clone(),
            optimised_ptx: compiled.optimised_ptx.clone(),
            cubin: crate::plan::Bytes(compiled.cubin.as_slice().into()),
            architecture: compiled.architecture,
            lowered_names: compiled.lowered_names.clone(),
            registers: compiled
                .kernels
                .iter()
                .map(|kernel| (kernel.kernel.clone(), kernel.registers))
                .collect(),
        }
    }
}
