//! Takes times on a GPU: fresh values, other addresses, a cold cache, everything checked.
//!
//! A run's inputs are made on the GPU from a secret of its own; everything else in its memory, outputs too,
//! holds unpredictable bits up to the memory's very end; the module's variables are put back to what they
//! were when it was loaded, and what uses the device's heap, which nobody can put back, is not timed. So
//! nothing that a kernel kept anywhere can serve the next run. Then the L2 cache is flushed: writing twice
//! its size drives everything out but leaves dirty lines, whose writing back would slow down what is timed,
//! so another, clean buffer is read after.
//!
//! What a run left behind is `checking`'s work.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use cudarc::driver::result::DriverError;

use super::{
    Bound, allocate,
    arena::Layout,
    checking::{Checked, Reloaded, beside_bytes, check, expect_early, scratch_bytes, write_contents},
    driver::{self, Event, Image, Memory, RawLaunch, Variable},
    load, open, preparing,
    trusted::{Slots, Trusted},
    wait_for, words,
};
use crate::{
    device::{
        Code, ExecutionStatus,
        timed::{Ask, Ready, Safeguards, Sampled, Setup, TimedCase},
    },
    fill,
    measure::{MeasurementStop, median},
    plan::{BufferId, Fill, Plan},
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
pub(crate) fn prepare(setup: Setup) -> Result<Ready, MeasurementStop> {
    let bench = Bench::new(setup)?;
    let ready = Ready { clock_microseconds: bench.clock_microseconds, l2_bytes: bench.l2_bytes };
    BENCH.with_borrow_mut(|slot| *slot = Some(bench));
    Ok(ready)
}

/// Takes a sample; the process is to be thrown away if that fails.
pub(crate) fn sample(ask: &Ask) -> Result<Sampled, MeasurementStop> {
    BENCH.with_borrow_mut(|bench| {
        let bench = bench
            .as_mut()
            .ok_or_else(|| MeasurementStop::Judge("expected a setup before the first sample".to_owned()))?;
        match ask {
            Ask::Copy { bytes } => bench.copy(*bytes),
            Ask::Run { case, checked, values, memory, spots } => {
                let secrets = Secrets { values: *values, memory: *memory };
                bench.run(*case, *checked, secrets, spots).map_err(|status| {
                    driver::abandon();
                    match status {
                        ExecutionStatus::Faulted(why)
                        | ExecutionStatus::Unfinished(why)
                        | ExecutionStatus::Refused(why) => MeasurementStop::Kernel(why),
                        status => judge(status),
                    }
                })
            }
        }
    })
}

fn judge(status: ExecutionStatus) -> MeasurementStop {
    MeasurementStop::Judge(words(status))
}

fn failed(error: DriverError) -> MeasurementStop {
    judge(preparing(error))
}

/// What one run is made from.
#[derive(Clone, Copy)]
struct Secrets {
    /// Its values.
    values: u64,
    /// Where its buffers lie, and what everything else holds.
    memory: u64,
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
    safeguards: Safeguards,
}

impl Bench {
    fn new(setup: Setup) -> Result<Self, MeasurementStop> {
        let Setup { uuid, code, cases, reference, probes, checks, safeguards } = setup;
        let gpu = open(&uuid, &code).map_err(|why| MeasurementStop::Judge(why.to_string()))?;
        if uses_heap(&code.optimised_ptx) {
            return Err(MeasurementStop::Kernel(
                "it calls malloc or new: the device's heap outlives a launch, so a timed kernel must do without"
                    .to_owned(),
            ));
        }
        if cases.iter().any(|case| case.plan.timed.is_empty()) {
            return Err(MeasurementStop::Judge(
                "expected a plan with timed steps, found one that times nothing".to_owned(),
            ));
        }
        let image = load(&code).map_err(judge)?;
        let module =
            warpsim::Module::load(&code.optimised_ptx).map_err(|e| MeasurementStop::Judge(e.to_string()))?;
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
        let checks = Reloaded::new(checks).map_err(judge)?;
        let allocate = |bytes| allocate(bytes).map_err(judge);
        let mut bench = Bench {
            fills: Trusted::new(checks.image().map_err(judge)?, gpu.multiprocessors),
            reference: if has_reference { Some(Reloaded::new(reference).map_err(judge)?) } else { None },
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
            safeguards,
            code,
            image,
            variables,
            cases,
            checks,
        };
        bench.clean.fill(0).map_err(failed)?;
        let readings: Result<Vec<f64>, ExecutionStatus> = (0..CLOCK_READINGS)
            .map(|_| {
                bench.flush_cache()?;
                bench.timed(|| Ok(()))
            })
            .collect();
        bench.clock_microseconds = median(&readings.map_err(judge)?);
        Ok(bench)
    }

    fn probe(&self, kernel: &str, blocks: u32, arguments: &[Vec<u8>]) -> Result<(), ExecutionStatus> {
        let launch = RawLaunch {
            kernel,
            grid: [blocks, 1, 1],
            block: [PROBE_BLOCK, 1, 1],
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
            arguments,
        };
        self.probes
            .launch(&launch)
            .map_err(|_| ExecutionStatus::Error(format!("the probe `{kernel}` does not start")))
    }

    fn flush_cache(&self) -> Result<(), ExecutionStatus> {
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
    fn timed(&self, work: impl FnOnce() -> Result<(), ExecutionStatus>) -> Result<f64, ExecutionStatus> {
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

    fn copy(&mut self, bytes: u64) -> Result<Sampled, MeasurementStop> {
        self.runs += 1;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if self.copy.as_ref().is_none_or(|(from, _)| from.bytes() != bytes) {
            let (from, to) = (allocate(bytes).map_err(judge)?, allocate(bytes).map_err(judge)?);
            from.fill(PLAIN_BYTE).map_err(failed)?;
            to.fill(PLAIN_BYTE).map_err(failed)?;
            self.copy = Some((from, to));
        }
        let Some((from, to)) = &self.copy else {
            return Err(MeasurementStop::Judge("there is nothing to copy".to_owned()));
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
        checked: bool,
        secrets: Secrets,
        spots: &[(BufferId, usize)],
    ) -> Result<Sampled, ExecutionStatus> {
        self.runs += 1;
        let Some(case) = self.cases.get(case) else {
            return Err(ExecutionStatus::Error(format!("there is no timed case {case}")));
        };
        let plan = case.with_values(&case.plan, secrets.values);
        let garbage = fill::one_way(secrets.memory, 1);
        let (layout, early) = self.lay_out(case, &plan, secrets, garbage)?;
        if self.safeguards.reset_variables {
            for (variable, first) in &self.variables {
                variable.write(first).map_err(preparing)?;
            }
        }
        let bound = Bound {
            image: &self.image,
            code: &self.code,
            plan: &plan,
            layout: &layout,
            memory: &self.arena,
            textures: RefCell::default(),
            deadline: Instant::now() + Duration::from_secs_f64(3.0 * RUN_SECONDS),
            seconds: RUN_SECONDS,
        };
        let mut ignore = |_: BufferId| Ok(());
        bound.steps(&plan.steps[..plan.timed.start], &mut ignore)?;
        bound.wait()?;
        if self.safeguards.cold_cache {
            self.flush_cache()?;
        }
        let timed_steps = &plan.steps[plan.timed.clone()];
        let microseconds = self.timed(|| bound.steps(timed_steps, &mut ignore))?;
        bound.steps(&plan.steps[plan.timed.end..], &mut ignore)?;
        bound.wait()?;
        if checked && !case.expectations.is_empty() {
            check(
                &Checked {
                    case,
                    plan: &plan,
                    layout: &layout,
                    arena: &self.arena,
                    beside: &self.beside,
                    scratch: &self.scratch,
                    garbage,
                    values: secrets.values,
                    residuals: fill::one_way(secrets.memory, 2),
                    multiprocessors: self.multiprocessors,
                    safeguards: self.safeguards,
                    early: early.as_deref(),
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
            .collect::<Result<_, ExecutionStatus>>()?;
        Ok(Sampled { microseconds, spots })
    }

    /// Writes everything that a run finds in its memory. Gives where its buffers lie, and where what is right
    /// lies already, which it never should.
    fn lay_out(
        &self,
        case: &TimedCase,
        plan: &Plan,
        secrets: Secrets,
        garbage: u64,
    ) -> Result<(Layout, Option<Vec<usize>>), ExecutionStatus> {
        let early = match (&self.reference, &case.reference) {
            (Some(reference), Some(_)) if !self.safeguards.late_expectations => {
                let memories = [&self.arena, &self.beside];
                Some(expect_early(case, plan, secrets.values, &self.fills, reference, memories)?)
            }
            _ => None,
        };
        let layout = if self.safeguards.shuffled_addresses {
            Layout::shuffled(plan, fill::one_way(secrets.memory, 0))
        } else {
            Layout::of(plan)
        };
        let end = early.iter().flatten().copied().min().unwrap_or(self.arena.bytes());
        let layout = layout.within(end);
        self.scramble(plan, &layout, garbage)?;
        write_contents(&self.fills, plan, &layout, &self.arena)?;
        Ok((layout, early))
    }

    /// Overwrites all that earlier runs left. Without the prefill, buffers without contents keep what lies
    /// there; the guard bands cannot, as they are compared with what is written here.
    fn scramble(&self, plan: &Plan, layout: &Layout, garbage: u64) -> Result<(), ExecutionStatus> {
        let mut kept = Vec::new();
        if !self.safeguards.prefill {
            if !self.safeguards.guards {
                return Ok(());
            }
            for (buffer, range) in plan.buffers.iter().zip(&layout.buffers) {
                if buffer.fill == Fill::Uninitialized {
                    let mut bytes = vec![0; range.len()];
                    self.arena.read(range.start, &mut bytes).map_err(preparing)?;
                    kept.push((range.start, bytes));
                }
            }
        }
        self.fills.scramble(&self.arena, layout.bytes, garbage).map_err(ExecutionStatus::Error)?;
        kept.iter().try_for_each(|(start, bytes)| self.arena.write(*start, bytes)).map_err(preparing)
    }
}

/// Whether any function of the module allocates on the device's heap: the allocator is the
/// driver's, so PTX declares it.
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
