//! Takes times on a GPU: fresh values, a cold cache, every output checked.
//!
//! Before each timed run the whole arena and the module's own variables are put back to what they were, from copies
//! on the device, so that nothing a kernel kept there can serve the next run; a kernel that uses the device's heap, which
//! nobody can put back, is not timed. After each run of the learner's kernel a keyed sum shows whether it changed those
//! copies or other memory of the judge. Then the L2 cache is flushed: writing twice its size drives everything out but
//! leaves dirty lines, whose writing back would slow down what is timed, so another, clean buffer is read after. Which
//! of the prepared sets of values a run gets is secret.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use cudarc::driver::result::DriverError;

use super::{
    Bound, allocate,
    arena::Layout,
    driver::{self, Event, Image, Memory, RawLaunch, Variable},
    driver_status, load, open, read, wait_for,
};
use crate::{
    compare::{self, OutputView},
    device::{Code, GpuInfo, Status},
    fill,
    measure::{self, Measured, Request, Sampler, Side, Stopped},
    plan::{BufferId, Expectation, Plan},
};

/// Footprint of a roof's copy, and of a plan that may claim a share of it, in L2 sizes. Less would not leave the cache.
const ROOF_FOOTPRINT: u64 = 8;
/// Seconds that one timed run may take.
const RUN_SECONDS: f64 = 10.0;
/// L2 size assumed where the driver does not say.
const ASSUMED_L2: u64 = 64 << 20;
/// What bulk memory holds that only flushes caches or is copied.
const PLAIN_BYTE: u8 = 1;
/// Threads in a block of the probes.
const PROBE_BLOCK: u32 = 256;

/// Measures; the process is to be thrown away if the kernel stops it.
pub(crate) fn measure(request: &Request) -> Result<Measured, Stopped> {
    let gpu = open(&request.uuid, &request.kernel).map_err(Stopped::Judge)?;
    let mut timer = Timer::new(gpu, request)?;
    let minimum_bytes = request.variants.first().map_or(0, |variant| variant.kernel.minimum_bytes);
    measure::measure(&mut timer, minimum_bytes, &request.thresholds, &request.limits, request.secret)
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
    judge(driver_status(error, "preparing a timed run"))
}

/// The kernel or the baseline, ready to be run on any of the prepared values.
struct Contender<'a> {
    image: Image,
    code: &'a Code,
    variants: Vec<Prepared<'a>>,
    /// The module's variables that kernels can write, and a copy of what they held at first.
    variables: Vec<(usize, Variable)>,
    first_values: Memory,
}

/// One set of values.
struct Prepared<'a> {
    plan: &'a Plan,
    expectations: &'a [Expectation],
    layout: Layout,
    /// The arena as it is to be before each run.
    pristine: Memory,
    /// Outputs that were found right, by buffer: the same bytes are right again.
    verified: HashMap<usize, Vec<u8>>,
}

impl<'a> Contender<'a> {
    fn new(
        code: &'a Code,
        plans: impl Iterator<Item = (&'a Plan, &'a Vec<Expectation>)>,
        secret: u64,
    ) -> Result<Self, Stopped> {
        let image = load(code).map_err(judge)?;
        let mut variants = Vec::new();
        for (plan, expectations) in plans {
            let layout = Layout::of(plan);
            let pristine = allocate(layout.bytes).map_err(judge)?;
            layout.upload(plan, &pristine, secret).map_err(failed)?;
            variants.push(Prepared { plan, expectations, layout, pristine, verified: HashMap::new() });
        }
        let module = warpsim::Module::load(&code.optimised_ptx).map_err(|e| Stopped::Judge(e.to_string()))?;
        let writable = module.globals().filter(|variable| variable.space == warpsim::Space::Global);
        let mut variables = Vec::new();
        let mut bytes = 0;
        for variable in writable {
            // What the assembler dropped no kernel uses.
            if let Ok(found) = image.variable(&variable.name) {
                variables.push((bytes, found));
                bytes += found.bytes;
            }
        }
        // Whole words, so that all of it can be summed up.
        let first_values = allocate(bytes.next_multiple_of(size_of::<u64>())).map_err(judge)?;
        for &(offset, variable) in &variables {
            first_values.save_variable(offset, variable).map_err(failed)?;
        }
        Ok(Contender { image, code, variants, variables, first_values })
    }
}

/// Takes times.
struct Timer<'a> {
    kernel: Contender<'a>,
    baseline: Contender<'a>,
    probes: Image,
    /// Where runs happen.
    arena: Memory,
    /// Written to flush the cache.
    dirty: Memory,
    /// Read to flush the cache; never written after the start.
    clean: Memory,
    sink: Memory,
    /// Where the sum of everything untouchable is written, and what it was at the start.
    sum: Memory,
    untouched: u64,
    /// Source and destination of the roof's copy, where one is claimed.
    copy: Option<(Memory, Memory)>,
    multiprocessors: u32,
    start: Event,
    end: Event,
    begun: Instant,
    secret: u64,
    runs: u64,
}

impl<'a> Timer<'a> {
    fn new(gpu: &GpuInfo, request: &'a Request) -> Result<Self, Stopped> {
        if request.variants.is_empty() {
            return Err(Stopped::Judge("expected a prepared set of values, found none".to_owned()));
        }
        let plans = || request.variants.iter().flat_map(|variant| [&variant.kernel, &variant.baseline]);
        if plans().any(|plan| plan.timed.is_empty()) {
            return Err(Stopped::Judge(
                "expected a plan with timed steps, found one that times nothing".to_owned(),
            ));
        }
        // As many sets as fit twice over beside the rest; one always has to.
        let largest = plans().map(|plan| Layout::of(plan).bytes).max().unwrap_or(0);
        let free = driver::free_bytes().map_err(failed)?;
        let fitting = (free / 2 / largest.max(1)).saturating_sub(1) / 2;
        let variants = &request.variants[..request.variants.len().min(fitting.max(1))];

        let plans = variants.iter().map(|variant| (&variant.kernel, &variant.kernel.expectations));
        let kernel = Contender::new(&request.kernel, plans, request.secret)?;
        let plans = variants.iter().map(|variant| (&variant.baseline, variant.baseline_expectations()));
        let baseline = Contender::new(&request.baseline, plans, request.secret)?;
        if uses_heap(&request.kernel.optimised_ptx) {
            return Err(Stopped::Kernel(
                "it calls malloc or new: the device's heap outlives a launch, so a timed kernel must do without"
                    .to_owned(),
            ));
        }
        let l2 = if gpu.l2_bytes == 0 { ASSUMED_L2 } else { gpu.l2_bytes };
        let flush = usize::try_from(2 * l2).unwrap_or(usize::MAX);
        let clean = allocate(flush).map_err(judge)?;
        clean.fill(0).map_err(failed)?;
        let claimed = request.variants[0].kernel.minimum_bytes;
        let copy = if claimed >= ROOF_FOOTPRINT * l2 {
            let bytes = usize::try_from(ROOF_FOOTPRINT * l2).unwrap_or(usize::MAX);
            let from = allocate(bytes).map_err(judge)?;
            let to = allocate(bytes).map_err(judge)?;
            from.fill(PLAIN_BYTE).map_err(failed)?;
            to.fill(PLAIN_BYTE).map_err(failed)?;
            Some((from, to))
        } else {
            None
        };
        let mut timer = Timer {
            kernel,
            baseline,
            probes: load(&request.probes).map_err(judge)?,
            arena: allocate(largest).map_err(judge)?,
            dirty: allocate(flush).map_err(judge)?,
            clean,
            sink: allocate(4).map_err(judge)?,
            sum: allocate(size_of::<u64>()).map_err(judge)?,
            untouched: 0,
            copy,
            multiprocessors: gpu.multiprocessors.max(1),
            start: Event::new().map_err(failed)?,
            end: Event::new().map_err(failed)?,
            begun: Instant::now(),
            secret: request.secret,
            runs: 0,
        };
        timer.untouched = timer.sum_of_untouchable()?;
        Ok(timer)
    }

    fn probe(&self, kernel: &str, blocks: u32, arguments: &[Vec<u8>]) -> Result<(), Stopped> {
        let launch = RawLaunch {
            kernel,
            grid: [blocks, 1, 1],
            block: [PROBE_BLOCK, 1, 1],
            dynamic_shared: 0,
            cooperative: false,
            arguments,
        };
        self.probes
            .launch(&launch)
            .map_err(|_| Stopped::Judge(format!("the probe `{kernel}` does not start")))
    }

    fn flush_cache(&self) -> Result<(), Stopped> {
        self.dirty.fill((self.runs & 0xFF) as u8).map_err(failed)?;
        let words = (self.clean.bytes() / 16) as u64;
        let arguments = [
            self.clean.address().to_le_bytes().to_vec(),
            words.to_le_bytes().to_vec(),
            self.sink.address().to_le_bytes().to_vec(),
        ];
        self.probe("read_words", 8 * self.multiprocessors, &arguments)
    }

    /// A sum over all memory that stays the same from run to run and that no kernel under test may change. Keyed with
    /// the secret: no kernel can make a change that the sum misses.
    fn sum_of_untouchable(&self) -> Result<u64, Stopped> {
        let contenders = [&self.kernel, &self.baseline];
        let copies = contenders.into_iter().flat_map(|contender| {
            let pristine = contender.variants.iter().map(|variant| &variant.pristine);
            pristine.chain(std::iter::once(&contender.first_values))
        });
        let roof = self.copy.iter().flat_map(|(from, to)| [from, to]);
        self.sum.fill(0).map_err(failed)?;
        for (index, memory) in (0..).zip(copies.chain(roof).chain(std::iter::once(&self.clean))) {
            let arguments = [
                memory.address().to_le_bytes().to_vec(),
                ((memory.bytes() / size_of::<u64>()) as u64).to_le_bytes().to_vec(),
                fill::hash(self.secret ^ 0x50B5, index).to_le_bytes().to_vec(),
                self.sum.address().to_le_bytes().to_vec(),
            ];
            self.probe("sum_words", 8 * self.multiprocessors, &arguments)?;
        }
        let mut sum = [0; size_of::<u64>()];
        self.sum.read(0, &mut sum).map_err(failed)?;
        Ok(u64::from_le_bytes(sum))
    }

    fn deadline() -> Instant {
        Instant::now() + Duration::from_secs_f64(RUN_SECONDS)
    }

    fn copy_sample(&mut self) -> Result<f64, Stopped> {
        self.runs += 1;
        self.flush_cache()?;
        let Some((from, to)) = &self.copy else {
            return Err(Stopped::Judge("no roof is measured for this case".to_owned()));
        };
        let words = (from.bytes() / 16) as u64;
        let arguments = [
            to.address().to_le_bytes().to_vec(),
            from.address().to_le_bytes().to_vec(),
            words.to_le_bytes().to_vec(),
        ];
        let blocks = u32::try_from(words.div_ceil(PROBE_BLOCK.into())).unwrap_or(u32::MAX);
        self.start.record().map_err(failed)?;
        self.probe("copy_words", blocks, &arguments)?;
        self.end.record().map_err(failed)?;
        wait_for(&self.end, Self::deadline(), RUN_SECONDS).map_err(judge)?;
        self.start.microseconds_to(&self.end).map_err(failed)
    }

    /// Runs one contender on secretly chosen values. `Err` is the contender's, in words, or the device's.
    fn contender_sample(&mut self, side: Side) -> Result<f64, Status> {
        self.runs += 1;
        let runs = self.runs;
        let contender = if side == Side::Kernel { &self.kernel } else { &self.baseline };
        let which = (fill::hash(self.secret ^ 0x5EED, runs) % contender.variants.len() as u64) as usize;
        let Prepared { plan, expectations, layout, pristine, verified } = &contender.variants[which];
        let preparing = |error| driver_status(error, "preparing a timed run");
        for &(offset, variable) in &contender.variables {
            contender.first_values.restore_variable(offset, variable).map_err(preparing)?;
        }
        self.arena.copy_from(pristine, layout.bytes).map_err(preparing)?;
        let bound = Bound {
            image: &contender.image,
            code: contender.code,
            plan,
            layout,
            memory: &self.arena,
            deadline: Self::deadline(),
            seconds: RUN_SECONDS,
        };
        let mut outputs: HashMap<usize, Vec<u8>> = HashMap::new();
        // The baseline is trusted: right once is right.
        let looked_at = side == Side::Kernel || verified.is_empty();
        let mut read_back = |id: BufferId| {
            bound.wait()?;
            if !looked_at {
                return Ok(());
            }
            outputs.insert(id.0, read(&self.arena, layout, id).map_err(preparing)?);
            Ok(())
        };
        bound.steps(&plan.steps[..plan.timed.start], &mut read_back)?;
        bound.wait()?;
        let probing = |stopped| Status::Error(format!("{stopped:?}"));
        self.flush_cache().map_err(probing)?;
        self.start.record().map_err(preparing)?;
        bound.steps(&plan.steps[plan.timed.clone()], &mut read_back)?;
        self.end.record().map_err(preparing)?;
        wait_for(&self.end, bound.deadline, RUN_SECONDS)?;
        let time = self.start.microseconds_to(&self.end).map_err(preparing)?;
        bound.steps(&plan.steps[plan.timed.end..], &mut read_back)?;

        let violations = layout.violations(plan, &self.arena, self.secret).map_err(preparing)?;
        if let Some(violation) = violations.into_iter().next() {
            return Err(Status::Faulted(format!("in a timed run it {violation}")));
        }
        if side == Side::Kernel && self.sum_of_untouchable().map_err(probing)? != self.untouched {
            return Err(Status::Faulted(
                "in a timed run it wrote into memory of the judge, far outside its buffers".to_owned(),
            ));
        }
        if looked_at && !outputs.iter().all(|(buffer, bytes)| verified.get(buffer) == Some(bytes)) {
            let wrong = compare::mismatches(&plan.buffers, expectations, |buffer| {
                Some(OutputView { bytes: outputs.get(&buffer)?, unwritten: &[], undefined: &[] })
            });
            if let Some(wrong) = wrong.first() {
                return Err(Status::Faulted(format!(
                    "in a timed run `{}`{:?} was {}, expected {}",
                    wrong.buffer, wrong.index, wrong.found, wrong.expected
                )));
            }
            let contender = if side == Side::Kernel { &mut self.kernel } else { &mut self.baseline };
            contender.variants[which].verified = outputs;
        }
        Ok(time)
    }
}

/// Whether any function of the module allocates on the device's heap: the allocator is the driver's, so PTX declares it.
fn uses_heap(ptx: &str) -> bool {
    ptx.lines().any(|line| line.contains(".extern .func") && line.contains("malloc"))
}

impl Sampler for Timer<'_> {
    fn sample(&mut self, side: Side) -> Result<f64, Stopped> {
        if side == Side::Copy {
            return self.copy_sample();
        }
        self.contender_sample(side).map_err(|status| match (side, status) {
            (Side::Kernel, Status::Faulted(why) | Status::Unfinished(why)) => {
                driver::abandon();
                Stopped::Kernel(why)
            }
            (Side::Kernel, status) => judge(status),
            (_, status) => match judge(status) {
                Stopped::Judge(why) => Stopped::Judge(format!("the baseline: {why}")),
                stopped => stopped,
            },
        })
    }

    fn copy_bytes(&self) -> Option<u64> {
        // Every byte is read once and written once.
        self.copy.as_ref().map(|(from, _)| 2 * from.bytes() as u64)
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
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
