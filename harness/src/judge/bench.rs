//! Two workers that are asked in turn: one runs the kernel, the other the baseline. Each run gets its own
//! secrets, both sides the same schedule of values; of one run in each case some elements are kept, for
//! the host to compute again.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use super::health::{self, Reading};
use crate::{
    device::{timed::Ask, worker::GpuSession},
    fill,
    measure::{MeasurementStop, Sampler, Side, Timing},
    plan::BufferId,
};

/// Elements of one run that are computed again.
#[derive(Clone, Debug, Default)]
pub(super) struct Spots {
    /// Which run of the kernel.
    pub run: u64,
    /// Which elements.
    pub wanted: Vec<(BufferId, usize)>,
    /// The secret of that run's values and what was found, once it is over.
    pub found: Option<(u64, Vec<Vec<u8>>)>,
}

/// The two workers.
pub(super) struct Bench {
    /// The GPU.
    pub uuid: String,
    /// The kernel's.
    pub kernel: GpuSession,
    /// The baseline's, which also copies.
    pub baseline: GpuSession,
    /// Bytes that the roof's copy reads, for each timed case.
    pub copy_bytes: Vec<u64>,
    /// What values are made from.
    pub values: u64,
    /// What addresses and prefills are made from.
    pub memory: u64,
    /// For each case.
    pub spots: Vec<Spots>,
    /// Each run has values of its own.
    pub fresh: bool,
    /// Each run is checked, not only the first of a case.
    pub every: bool,
    /// The GPU's state after each run.
    pub readings: Vec<Reading>,
    /// The case that ran last.
    pub current: usize,
    begun: Instant,
    /// Runs so far, by case and side.
    runs: BTreeMap<(usize, bool), u64>,
    /// Samples so far.
    samples: u64,
}

impl Bench {
    /// Two workers that still must be prepared.
    pub fn new(uuid: &str, values: u64, memory: u64, spots: Vec<Spots>) -> Self {
        Bench {
            uuid: uuid.to_owned(),
            kernel: GpuSession::new(),
            baseline: GpuSession::new(),
            copy_bytes: Vec::new(),
            values,
            memory,
            spots,
            fresh: true,
            every: true,
            readings: Vec::new(),
            current: 0,
            begun: Instant::now(),
            runs: BTreeMap::new(),
            samples: 0,
        }
    }

    /// The clock starts now.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
    }

    /// Runs one side of a case once; the kernel's outputs are checked.
    pub fn run(&mut self, case: usize, side: Side) -> Result<f64, MeasurementStop> {
        self.samples += 1;
        let is_kernel = side == Side::Kernel;
        if side == Side::Copy {
            let bytes = self.copy_bytes.get(case).copied().unwrap_or_default();
            return Ok(self.baseline.sample(Ask::Copy { bytes })?.microseconds);
        }
        let run = self.runs.entry((case, is_kernel)).or_default();
        let number = if self.fresh { *run } else { 0 };
        let values = fill::one_way(fill::one_way(self.values, case as u64), number);
        let checked = self.every || *run == 0;
        let spots = is_kernel.then(|| self.spots.get_mut(case)).flatten().filter(|spots| spots.run == *run);
        *run += 1;
        let ask = Ask::Run {
            case,
            checked,
            values,
            memory: fill::one_way(self.memory, self.samples),
            spots: spots.as_ref().map_or_else(Vec::new, |spots| spots.wanted.clone()),
        };
        let sampled = if is_kernel {
            self.current = case;
            self.kernel.sample(ask)?
        } else {
            self.baseline.sample(ask).map_err(of_baseline)?
        };
        if let Some(spots) = spots {
            spots.found = Some((values, sampled.spots));
        }
        Ok(sampled.microseconds)
    }
}

/// Whatever stops the baseline is the judge's failure.
pub(super) fn of_baseline(stopped: MeasurementStop) -> MeasurementStop {
    let (MeasurementStop::Judge(why) | MeasurementStop::Kernel(why)) = stopped;
    MeasurementStop::Judge(format!("the baseline: {why}"))
}

impl Sampler for Bench {
    fn sample(&mut self, case: usize, side: Side) -> Result<Timing, MeasurementStop> {
        let microseconds = self.run(case, side)?;
        let reading = health::read(&self.uuid);
        let throttled = reading.as_ref().and_then(|reading| reading.slowed.clone());
        self.readings.extend(reading);
        Ok(Timing { microseconds, throttled })
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}
