//! Takes times on a GPU: fresh values, other addresses, a cold cache, everything checked.
//!
//! A run's inputs are made on the GPU from a secret of its own; everything else in its memory, outputs too, holds
//! unpredictable bits; the module's variables are put back to what they were when it was loaded, and what uses the device's
//! heap, which nobody can put back, is not timed. So nothing that a kernel kept anywhere can serve the next run. Then the L2
//! cache is flushed: writing twice its size drives everything out but leaves dirty lines, whose writing back would
//! slow down what is timed, so another, clean buffer is read after.
//!
//! What is right reaches the GPU after the kernel has ended, and so does the code that compares: both are loaded
//! anew for each run, because a kernel that writes where it pleases might have changed what lay there before.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use cudarc::driver::result::DriverError;

use super::{
    Bound, Parameters, allocate,
    arena::Layout,
    driver::{self, Event, Image, Memory, RawLaunch, Variable},
    driver_status, image_of, load, open, parameters_of,
    trusted::{Factors, Found, Slots, Trusted},
    wait_for,
};
use crate::{
    compare,
    device::{
        Code, Status,
        timed::{Ask, Ready, Sampled, Setup, TimedCase},
    },
    fill::{self, DeviceRecipe},
    measure::{Stopped, median},
    plan::{BufferId, Expectation, Expected, Fill, Plan},
    product::{self, Bounds, GROUP, Moments, ROUNDS},
};

/// Seconds that one timed run may take.
const RUN_SECONDS: f64 = 10.0;
/// L2 size assumed where the driver does not say.
const ASSUMED_L2: u64 = 64 << 20;
/// What bulk memory holds that is only copied.
const PLAIN_BYTE: u8 = 1;
/// Threads in a block of the probes.
const PROBE_BLOCK: u32 = 256;
/// Readings of the clock with nothing between.
const CLOCK_READINGS: usize = 15;
/// The least time that is believed after subtracting the clock's own, in microseconds.
const LEAST_MICROSECONDS: f64 = 0.01;

thread_local! {
    /// What this worker times; set by [`prepare`]. A worker works on one thread.
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Makes everything ready for samples.
pub(crate) fn prepare(setup: Setup) -> Result<Ready, Stopped> {
    let bench = Bench::new(setup)?;
    let ready = Ready { clock_microseconds: bench.clock_microseconds, l2_bytes: bench.l2_bytes };
    BENCH.with_borrow_mut(|slot| *slot = Some(bench));
    Ok(ready)
}

/// Takes a sample; the process is to be thrown away if that fails.
pub(crate) fn sample(ask: &Ask) -> Result<Sampled, Stopped> {
    BENCH.with_borrow_mut(|bench| {
        let bench = bench
            .as_mut()
            .ok_or_else(|| Stopped::Judge("expected a setup before the first sample".to_owned()))?;
        match ask {
            Ask::Copy { bytes } => bench.copy(*bytes),
            Ask::Run { case, values, memory, spots } => {
                bench.run(*case, *values, *memory, spots).map_err(|status| {
                    driver::abandon();
                    match status {
                        Status::Faulted(why) | Status::Unfinished(why) | Status::Refused(why) => {
                            Stopped::Kernel(why)
                        }
                        status => judge(status),
                    }
                })
            }
        }
    })
}

fn judge(status: Status) -> Stopped {
    match status {
        Status::Faulted(why)
        | Status::Refused(why)
        | Status::Unfinished(why)
        | Status::Unsupported(why)
        | Status::Error(why) => Stopped::Judge(why),
        Status::Finished | Status::NotStarted => {
            Stopped::Judge("it ended in no state that has a name".to_owned())
        }
    }
}

fn failed(error: DriverError) -> Stopped {
    judge(preparing(error))
}

fn preparing(error: DriverError) -> Status {
    driver_status(error, "preparing a timed run")
}

/// Code that is loaded again and again.
struct Reloaded {
    code: Code,
    parameters: Parameters,
}

impl Reloaded {
    fn new(code: Code) -> Result<Self, Stopped> {
        let parameters = parameters_of(&code).map_err(judge)?;
        Ok(Reloaded { code, parameters })
    }
    fn image(&self) -> Result<Image, Status> {
        image_of(&self.code, self.parameters.clone())
    }
}

/// Everything that a worker keeps between samples.
struct Bench {
    code: Code,
    image: Image,
    /// The module's variables that kernels can write, and what they held at first.
    variables: Vec<(Variable, Vec<u8>)>,
    cases: Vec<TimedCase>,
    reference: Option<Reloaded>,
    checks: Reloaded,
    /// The same kernels, to fill before a run.
    fills: Trusted,
    probes: Image,
    /// Where runs happen.
    arena: Memory,
    /// Where the reference kernel runs, and what is listed or copied is laid out.
    beside: Memory,
    /// Sums of a product's check.
    scratch: Memory,
    slots: Slots,
    /// Written to flush the cache.
    dirty: Memory,
    /// Read to flush the cache; never written after the start.
    clean: Memory,
    sink: Memory,
    /// Source and destination of the roof's copy, once it is asked for.
    copy: Option<(Memory, Memory)>,
    multiprocessors: u32,
    l2_bytes: u64,
    start: Event,
    end: Event,
    clock_microseconds: f64,
    runs: u64,
}

/// A check that was started, in the order of the slots.
enum Check {
    Outside { guard: usize },
    Input { buffer: usize },
    Output { buffer: usize, start: usize, expected: u64 },
    Product { buffer: usize, wanted: crate::plan::Product, bounds: Bounds },
}

impl Bench {
    fn new(setup: Setup) -> Result<Self, Stopped> {
        let Setup { uuid, code, cases, reference, probes, checks } = setup;
        let gpu = open(&uuid, &code).map_err(Stopped::Judge)?;
        if uses_heap(&code.optimised_ptx) {
            return Err(Stopped::Kernel(
                "it calls malloc or new: the device's heap outlives a launch, so a timed kernel must do without"
                    .to_owned(),
            ));
        }
        if cases.iter().any(|case| case.plan.timed.is_empty()) {
            return Err(Stopped::Judge(
                "expected a plan with timed steps, found one that times nothing".to_owned(),
            ));
        }
        let image = load(&code).map_err(judge)?;
        let module = warpsim::Module::load(&code.optimised_ptx).map_err(|e| Stopped::Judge(e.to_string()))?;
        let mut variables = Vec::new();
        for variable in module.globals().filter(|variable| variable.space == warpsim::Space::Global) {
            // What the assembler dropped no kernel uses.
            if let Ok(found) = image.variable(&variable.name) {
                let mut first = vec![0; found.bytes];
                found.read(&mut first).map_err(failed)?;
                variables.push((found, first));
            }
        }
        let largest = |bytes: &dyn Fn(&TimedCase) -> usize| cases.iter().map(bytes).max().unwrap_or(0);
        let arena = largest(&|case| Layout::most_bytes(&case.plan));
        let beside = largest(&|case| beside_bytes(case));
        let scratch = largest(&|case| scratch_bytes(&case.expectations));
        let has_reference = cases.iter().any(|case| case.reference.is_some());
        let l2_bytes = if gpu.l2_bytes == 0 { ASSUMED_L2 } else { gpu.l2_bytes };
        let flush = usize::try_from(2 * l2_bytes).unwrap_or(usize::MAX);
        let checks = Reloaded::new(checks)?;
        let allocate = |bytes| allocate(bytes).map_err(judge);
        let mut bench = Bench {
            fills: Trusted::new(checks.image().map_err(judge)?, gpu.multiprocessors),
            reference: if has_reference { Some(Reloaded::new(reference)?) } else { None },
            probes: load(&probes).map_err(judge)?,
            arena: allocate(arena)?,
            beside: allocate(beside)?,
            scratch: allocate(scratch)?,
            slots: Slots::new().map_err(failed)?,
            dirty: allocate(flush)?,
            clean: allocate(flush)?,
            sink: allocate(4)?,
            copy: None,
            multiprocessors: gpu.multiprocessors.max(1),
            l2_bytes,
            start: Event::new().map_err(failed)?,
            end: Event::new().map_err(failed)?,
            clock_microseconds: 0.0,
            runs: 0,
            code,
            image,
            variables,
            cases,
            checks,
        };
        bench.clean.fill(0).map_err(failed)?;
        let readings: Result<Vec<f64>, Status> = (0..CLOCK_READINGS)
            .map(|_| {
                bench.flush_cache()?;
                bench.timed(|| Ok(()))
            })
            .collect();
        bench.clock_microseconds = median(&readings.map_err(judge)?);
        Ok(bench)
    }

    fn probe(&self, kernel: &str, blocks: u32, arguments: &[Vec<u8>]) -> Result<(), Status> {
        let launch = RawLaunch {
            kernel,
            grid: [blocks, 1, 1],
            block: [PROBE_BLOCK, 1, 1],
            dynamic_shared: 0,
            cooperative: false,
            arguments,
        };
        self.probes.launch(&launch).map_err(|_| Status::Error(format!("the probe `{kernel}` does not start")))
    }

    fn flush_cache(&self) -> Result<(), Status> {
        self.dirty.fill((self.runs & 0xFF) as u8).map_err(preparing)?;
        let words = (self.clean.bytes() / 16) as u64;
        let arguments = [
            self.clean.address().to_le_bytes().to_vec(),
            words.to_le_bytes().to_vec(),
            self.sink.address().to_le_bytes().to_vec(),
        ];
        self.probe("read_words", 8 * self.multiprocessors, &arguments)
    }

    /// Microseconds between two marks around some work.
    fn timed(&self, work: impl FnOnce() -> Result<(), Status>) -> Result<f64, Status> {
        self.start.record().map_err(preparing)?;
        work()?;
        self.end.record().map_err(preparing)?;
        wait_for(&self.end, Instant::now() + Duration::from_secs_f64(RUN_SECONDS), RUN_SECONDS)?;
        let between = self.start.microseconds_to(&self.end).map_err(preparing)?;
        Ok(if self.clock_microseconds > 0.0 {
            (between - self.clock_microseconds).max(LEAST_MICROSECONDS)
        } else {
            between
        })
    }

    fn copy(&mut self, bytes: u64) -> Result<Sampled, Stopped> {
        self.runs += 1;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if self.copy.as_ref().is_none_or(|(from, _)| from.bytes() != bytes) {
            let (from, to) = (allocate(bytes).map_err(judge)?, allocate(bytes).map_err(judge)?);
            from.fill(PLAIN_BYTE).map_err(failed)?;
            to.fill(PLAIN_BYTE).map_err(failed)?;
            self.copy = Some((from, to));
        }
        let Some((from, to)) = &self.copy else {
            return Err(Stopped::Judge("there is nothing to copy".to_owned()));
        };
        let words = (from.bytes() / 16) as u64;
        let arguments = [
            to.address().to_le_bytes().to_vec(),
            from.address().to_le_bytes().to_vec(),
            words.to_le_bytes().to_vec(),
        ];
        let blocks = u32::try_from(words.div_ceil(PROBE_BLOCK.into())).unwrap_or(u32::MAX);
        self.flush_cache().map_err(judge)?;
        let microseconds = self.timed(|| self.probe("copy_words", blocks, &arguments)).map_err(judge)?;
        Ok(Sampled { microseconds, spots: Vec::new() })
    }

    /// Runs a case once and checks it. `Err` is the kernel's or the judge's, as its kind says.
    fn run(
        &mut self,
        case: usize,
        values: u64,
        secret: u64,
        spots: &[(BufferId, usize)],
    ) -> Result<Sampled, Status> {
        self.runs += 1;
        let Some(case) = self.cases.get(case) else {
            return Err(Status::Error(format!("there is no timed case {case}")));
        };
        let plan = case.with_values(&case.plan, values);
        let layout = Layout::shuffled(&plan, fill::one_way(secret, 0));
        let garbage = fill::one_way(secret, 1);
        self.fills.scramble(&self.arena, layout.bytes, garbage).map_err(Status::Error)?;
        write_contents(&self.fills, &plan, &layout, &self.arena)?;
        for (variable, first) in &self.variables {
            variable.write(first).map_err(preparing)?;
        }
        let bound = Bound {
            image: &self.image,
            code: &self.code,
            plan: &plan,
            layout: &layout,
            memory: &self.arena,
            deadline: Instant::now() + Duration::from_secs_f64(3.0 * RUN_SECONDS),
            seconds: RUN_SECONDS,
        };
        let mut ignore = |_: BufferId| Ok(());
        bound.steps(&plan.steps[..plan.timed.start], &mut ignore)?;
        bound.wait()?;
        self.flush_cache()?;
        let timed_steps = &plan.steps[plan.timed.clone()];
        let microseconds = self.timed(|| bound.steps(timed_steps, &mut ignore))?;
        bound.steps(&plan.steps[plan.timed.end..], &mut ignore)?;
        bound.wait()?;
        if !case.expectations.is_empty() {
            check(
                &Checked {
                    case,
                    plan: &plan,
                    layout: &layout,
                    arena: &self.arena,
                    beside: &self.beside,
                    scratch: &self.scratch,
                    garbage,
                    values,
                    residuals: fill::one_way(secret, 2),
                    multiprocessors: self.multiprocessors,
                },
                &self.checks,
                self.reference.as_ref(),
                &mut self.slots,
            )?;
        }
        let spots = spots
            .iter()
            .map(|&(buffer, index)| {
                let size = plan.buffers[buffer.0].element.bytes();
                let mut bytes = vec![0; size];
                let place = layout.buffers[buffer.0].start + index * size;
                self.arena.read(place, &mut bytes).map_err(preparing).map(|()| bytes)
            })
            .collect::<Result<_, Status>>()?;
        Ok(Sampled { microseconds, spots })
    }
}

/// Bytes beside the arena for what a case is compared with.
fn beside_bytes(case: &TimedCase) -> usize {
    let reference = case.reference.as_ref().map_or(0, Layout::most_bytes);
    let of_listed = |each: &Expectation| match &each.expected {
        Expected::Elements { values, .. } => values.0.len(),
        _ => 0,
    };
    let listed = case.expectations.iter().map(of_listed).max().unwrap_or(0);
    let of_data = |buffer: &crate::plan::Buffer| match &buffer.fill {
        Fill::Data(data) => data.0.len(),
        _ => 0,
    };
    let data = case.plan.buffers.iter().map(of_data).max().unwrap_or(0);
    reference.max(listed).max(data)
}

fn scratch_bytes(expectations: &[Expectation]) -> usize {
    let of_product = |each: &Expectation| match &each.expected {
        Expected::Product(product) => Factors::scratch_bytes(product.extents),
        _ => 0,
    };
    expectations.iter().map(of_product).max().unwrap_or(0)
}

/// Writes the first contents of every buffer that has some.
fn write_contents(trusted: &Trusted, plan: &Plan, layout: &Layout, memory: &Memory) -> Result<(), Status> {
    for (buffer, range) in plan.buffers.iter().zip(&layout.buffers) {
        if let Fill::Data(data) = &buffer.fill {
            memory.write(range.start, &data.0[..range.len()]).map_err(preparing)?;
        } else if let Some(recipe) = DeviceRecipe::of(buffer) {
            let address = memory.address() + range.start as u64;
            trusted.fill(address, buffer.len(), &recipe).map_err(Status::Error)?;
        }
    }
    Ok(())
}

/// A run that has ended.
struct Checked<'a> {
    case: &'a TimedCase,
    plan: &'a Plan,
    layout: &'a Layout,
    arena: &'a Memory,
    beside: &'a Memory,
    scratch: &'a Memory,
    /// What guard bands hold was made from this.
    garbage: u64,
    /// What the inputs were made from.
    values: u64,
    /// What the weights of residuals are made from.
    residuals: u64,
    multiprocessors: u32,
}

/// Checks everything that a run may and may not have written.
fn check(
    run: &Checked<'_>,
    checks: &Reloaded,
    reference: Option<&Reloaded>,
    slots: &mut Slots,
) -> Result<(), Status> {
    let Checked { plan, layout, arena, .. } = run;
    let trusted = Trusted::new(checks.image()?, run.multiprocessors);
    let address = |buffer: usize| arena.address() + layout.buffers[buffer].start as u64;
    let mut started = Vec::new();
    slots.clear().map_err(preparing)?;
    trusted.find_outside(arena, layout, run.garbage, slots).map_err(Status::Error)?;
    started.extend((0..layout.guards().count()).map(|guard| Check::Outside { guard }));
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let is_output = run.case.expectations.iter().any(|each| each.buffer.0 == index);
        if is_output || matches!(buffer.fill, Fill::Zeros | Fill::Uninitialized) {
            continue;
        }
        if let Fill::Data(data) = &buffer.fill {
            run.beside.write(0, &data.0).map_err(preparing)?;
            trusted
                .find_other_bytes(address(index), run.beside.address(), data.0.len(), slots)
                .map_err(Status::Error)?;
        } else if let Some(recipe) = DeviceRecipe::of(buffer) {
            trusted.find_changed(address(index), buffer.len(), &recipe, slots).map_err(Status::Error)?;
        }
        started.push(Check::Input { buffer: index });
    }
    for each in &run.case.expectations {
        let index = each.buffer.0;
        let buffer = &plan.buffers[index];
        match &each.expected {
            Expected::Elements { values, tolerance } => {
                let range = each.range.clone().unwrap_or(0..buffer.len());
                let from = address(index) + (range.start * buffer.element.bytes()) as u64;
                run.beside.write(0, &values.0).map_err(preparing)?;
                let expected = run.beside.address();
                trusted
                    .find_wrong([from, expected], range.len(), buffer.element, *tolerance, slots)
                    .map_err(Status::Error)?;
                started.push(Check::Output { buffer: index, start: range.start, expected });
                // The place is needed for the next one, and this one's elements if they are wrong.
                settle(run, &mut started, slots)?;
            }
            Expected::Product(wanted) => {
                let (a, b) = (&plan.buffers[wanted.a.0], &plan.buffers[wanted.b.0]);
                let (Some(a_moments), Some(b_moments)) = (Moments::of(a), Moments::of(b)) else {
                    return Err(Status::Error("a product's matrices have no contents".to_owned()));
                };
                let bounds = Bounds::of(wanted, a_moments, b_moments, buffer.element);
                for round in 0..ROUNDS {
                    let factors = Factors {
                        a: (address(wanted.a.0), a.element),
                        b: (address(wanted.b.0), b.element),
                        c: (address(index), buffer.element),
                        extents: wanted.extents,
                        largest: bounds.largest,
                    };
                    let seed = fill::one_way(run.residuals, round);
                    trusted
                        .find_residuals(&factors, seed, run.scratch.address(), slots)
                        .map_err(Status::Error)?;
                    started.push(Check::Product { buffer: index, wanted: *wanted, bounds });
                }
            }
            Expected::Reference { .. } => {}
        }
    }
    // Before the reference kernel runs: what was found so far is about the kernel under test alone.
    settle(run, &mut started, slots)?;
    if let (Some(reference), Some(reference_plan)) = (reference, &run.case.reference) {
        compare_with_reference(run, &trusted, reference, reference_plan, slots, &mut started)?;
        settle(run, &mut started, slots)?;
    }
    Ok(())
}

/// Runs the reference kernel on the same values and starts comparing what it gives.
fn compare_with_reference(
    run: &Checked<'_>,
    trusted: &Trusted,
    reference: &Reloaded,
    plan: &Plan,
    slots: &mut Slots,
    started: &mut Vec<Check>,
) -> Result<(), Status> {
    let its_own = |status: Status| match judge(status) {
        Stopped::Judge(why) | Stopped::Kernel(why) => Status::Error(format!("the reference kernel: {why}")),
    };
    let plan = run.case.with_values(plan, run.values);
    let layout = Layout::of(&plan);
    write_contents(trusted, &plan, &layout, run.beside)?;
    let image = reference.image()?;
    let bound = Bound {
        image: &image,
        code: &reference.code,
        plan: &plan,
        layout: &layout,
        memory: run.beside,
        deadline: Instant::now() + Duration::from_secs_f64(RUN_SECONDS),
        seconds: RUN_SECONDS,
    };
    bound.steps(&plan.steps, &mut |_| Ok(())).map_err(its_own)?;
    bound.wait().map_err(its_own)?;
    for each in &run.case.expectations {
        let Expected::Reference { tolerance } = each.expected else { continue };
        let index = each.buffer.0;
        let buffer = &run.plan.buffers[index];
        let same = plan.buffers.iter().position(|other| other.name == buffer.name);
        let Some(same) = same.filter(|&same| {
            plan.buffers[same].len() == buffer.len() && plan.buffers[same].element == buffer.element
        }) else {
            return Err(Status::Error(format!(
                "the reference kernel's plan has no `{}` like this one",
                buffer.name
            )));
        };
        let range = each.range.clone().unwrap_or(0..buffer.len());
        let offset = (range.start * buffer.element.bytes()) as u64;
        let found = run.arena.address() + run.layout.buffers[index].start as u64 + offset;
        let expected = run.beside.address() + layout.buffers[same].start as u64 + offset;
        trusted
            .find_wrong([found, expected], range.len(), buffer.element, tolerance, slots)
            .map_err(Status::Error)?;
        started.push(Check::Output { buffer: index, start: range.start, expected });
    }
    Ok(())
}

/// Reads what the checks found that were started, and says the first that is wrong.
fn settle(run: &Checked<'_>, started: &mut Vec<Check>, slots: &mut Slots) -> Result<(), Status> {
    let found = slots.read().map_err(preparing)?;
    for (check, (found, sum)) in started.iter().zip(&found) {
        if let Some(wrong) = describe(run, check, found, *sum)? {
            return Err(Status::Faulted(format!("in a timed run {wrong}")));
        }
    }
    started.clear();
    slots.clear().map_err(preparing)
}

/// What a check found, in words; nothing if all is right.
fn describe(run: &Checked<'_>, check: &Check, found: &Found, sum: f64) -> Result<Option<String>, Status> {
    let plan = run.plan;
    let name = |buffer: usize| plan.buffers[buffer].name.as_str();
    let at = |buffer: usize, index: usize| {
        let index = compare::position(index, &plan.buffers[buffer].shape);
        index.iter().map(|index| format!("[{index}]")).collect::<String>()
    };
    Ok(match check {
        _ if found.count == 0 && !matches!(check, Check::Product { .. }) => None,
        Check::Outside { guard } => {
            let (first, last) = (found.first as usize, found.last as usize);
            Some(format!("it {}", run.layout.describe(plan, *guard, found.count, first, last)))
        }
        Check::Input { buffer } => {
            let size = if matches!(plan.buffers[*buffer].fill, Fill::Data(_)) {
                plan.buffers[*buffer].element.bytes()
            } else {
                1
            };
            Some(format!(
                "it changed its input: `{}{}` and {} more",
                name(*buffer),
                at(*buffer, found.first as usize / size),
                found.count.saturating_sub(1)
            ))
        }
        Check::Output { buffer, start, expected } => {
            let element = plan.buffers[*buffer].element;
            let size = element.bytes();
            let first = found.first as usize;
            let (mut is, mut should) = (vec![0; size], vec![0; size]);
            let place = run.layout.buffers[*buffer].start + (start + first) * size;
            run.arena.read(place, &mut is).map_err(preparing)?;
            let place = (expected - run.beside.address()) as usize + first * size;
            run.beside.read(place, &mut should).map_err(preparing)?;
            Some(format!(
                "`{}{}` was {}, expected {} ({} elements are wrong)",
                name(*buffer),
                at(*buffer, start + first),
                compare::text(element, &is),
                compare::text(element, &should),
                found.count
            ))
        }
        Check::Product { buffer, wanted, bounds } => {
            let groups = (wanted.extents[0] * wanted.extents[1].div_ceil(GROUP)) as f64;
            let typical = (sum / groups).sqrt();
            if found.count > 0 {
                Some(wrong_product(run, *buffer, wanted, found)?)
            } else if typical > bounds.typical {
                Some(format!(
                    "`{}` is less exact than single precision: its errors are {:.0} times what they may be",
                    name(*buffer),
                    typical / bounds.typical
                ))
            } else {
                None
            }
        }
    })
}

/// Names the element of the first wrong group that is furthest from the product.
fn wrong_product(
    run: &Checked<'_>,
    index: usize,
    wanted: &crate::plan::Product,
    found: &Found,
) -> Result<String, Status> {
    let [_, n, k] = wanted.extents;
    let groups = n.div_ceil(GROUP);
    let (row, first) = (found.first as usize / groups, found.first as usize % groups * GROUP);
    let columns = first..(first + GROUP).min(n);
    let buffer = &run.plan.buffers[index];
    let size = buffer.element.bytes();
    let mut bytes = vec![0; columns.len() * size];
    let place = run.layout.buffers[index].start + (row * n + columns.start) * size;
    run.arena.read(place, &mut bytes).map_err(preparing)?;
    let (a, b) = (&run.plan.buffers[wanted.a.0], &run.plan.buffers[wanted.b.0]);
    let worst = columns
        .zip(bytes.chunks_exact(size))
        .map(|(column, bytes)| {
            let exact = product::element(a, b, [row, column], [n, k]);
            let error = (compare::float(buffer.element, bytes) - exact).abs();
            // Not a number is furthest.
            (if error.is_nan() { f64::INFINITY } else { error }, column, exact, bytes)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Ok(match worst {
        Some((_, column, exact, bytes)) => format!(
            "`{}[{row}][{column}]` was {}, expected about {exact:.6}; {}",
            buffer.name,
            compare::text(buffer.element, bytes),
            match found.count as usize {
                1 => "elsewhere it is right".to_owned(),
                // Nothing else is wrong so evenly.
                count if 100 * count > groups * wanted.extents[0] =>
                    "it is so all over, as if it were not computed in single precision".to_owned(),
                count => format!("at least {count} elements are wrong"),
            }
        ),
        None => format!("`{}` is not the product", buffer.name),
    })
}

/// Whether any function of the module allocates on the device's heap: the allocator is the driver's, so PTX declares it.
fn uses_heap(ptx: &str) -> bool {
    ptx.lines().any(|line| line.contains(".extern .func") && line.contains("malloc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaps_allocator_is_found_in_ptx() {
        assert!(uses_heap(
            ".extern .func  (.param .b64 func_retval0) malloc\n(\n\t.param .b64 malloc_param_0\n)\n;"
        ));
        assert!(!uses_heap(".func my_malloc()\n.extern .func  (.param .b32 func_retval0) vprintf\n"));
    }
}
