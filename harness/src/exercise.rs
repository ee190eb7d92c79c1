//! What an exercise is: a stub, cases as plans, goals, hints. Trusted host code that knows no device.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use warpsim::Counters;

use crate::{
    fill,
    plan::{Buffer, Plan},
    report::Plot,
};

/// The header that every kernel of the course may include: its name and text.
pub const COURSE_HEADER: (&str, &str) = ("course.cuh", include_str!("../../kernels/course.cuh"));

/// One exercise of a course.
pub trait Exercise: Sync {
    /// The id, `NN-name`; the learner's folder and the chapter carry it too.
    fn id(&self) -> &'static str;
    /// A short title, e.g. "Reduction: the maximum of n floats".
    fn title(&self) -> &'static str;
    /// The pristine stub.
    fn stub(&self) -> &'static str;
    /// The kernel entries that must be there.
    fn kernels(&self) -> &'static [&'static str];
    /// The text of its `hints.md`: a paragraph is a hint. A section's heading names the failures that it is for, as a wrong kernel's
    /// header does (`clean/race`, `correct, barriers`); the section `any` is the general ladder, from gentle to nearly the answer, and `passed` is
    /// for whoever has passed: why it works, and what to try next.
    fn hints(&self) -> &'static str;
    /// Every goal name that the unmodified stub must fail (and no other), e.g. `correct`.
    fn stub_fails(&self) -> &'static [&'static str];
    /// The launch constants that the learner may choose, each with its bounds.
    fn constants(&self) -> &'static [ConstantBound] {
        &[]
    }
    /// What its kernels may do beyond computing. By default nothing: a kernel that remembers, or that can tell when and where
    /// it runs, can be right for the judge and for nobody else.
    fn permits(&self) -> Permits {
        Permits::default()
    }
    /// The cases, in the order in which a report shows them.
    fn cases(&self) -> Vec<Case>;
    /// The plan of one case.
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan;
    /// Bounds on counters for one case, computed from tile, sizes and alignment.
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let _ = (case, constants);
        Vec::new()
    }
    /// The honest naive kernel that speedups are relative to, with its own plan for the same inputs.
    fn baseline(&self) -> Option<Baseline> {
        None
    }
    /// The trusted kernel that says what a timed kernel must give ([`crate::plan::Expected::Reference`]); without one, the
    /// baseline does. Needed where what is right depends on the learner's constants.
    fn reference(&self) -> Option<Reference> {
        None
    }
    /// One element of an expected output, computed on the host from the inputs: the judge recomputes some of one random
    /// timed run, so that no GPU is believed alone. `None` where it is not known how. Not needed for products.
    fn recompute(
        &self,
        case: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        output: &str,
        index: usize,
    ) -> Option<f64> {
        let _ = (case, constants, inputs, output, index);
        None
    }
    /// Speed goals, measured before they were written.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals::default()
    }
    /// Checks beyond the plan's expectations (for example relations between outputs). Returns what is wrong.
    fn check_outputs(&self, case: &Case, seed: u64, outputs: &Outputs) -> Vec<String> {
        let _ = (case, seed, outputs);
        Vec::new()
    }
    /// For an exercise that permits clocks: the same check of a run on the simulator whose clock nobody could foretell. What was
    /// measured follows that clock, what was made up does not. Returns what is wrong.
    fn check_secret_clock(&self, case: &Case, run: &SecretClock<'_>) -> Vec<String> {
        let _ = (case, run);
        Vec::new()
    }
    /// Pictures for the report, made from the outputs of all the cases that ran, on every device used.
    fn plots(&self, runs: &[CaseRun<'_>]) -> Vec<Plot> {
        let _ = runs;
        Vec::new()
    }
    /// Warp-level instructions of optimised PTX that one case may take on the simulator before it counts as unfinished:
    /// more than ten times what an honest kernel takes, and still seconds for all cases of one that never ends.
    fn instruction_budget(&self) -> u64 {
        4_000_000
    }
    /// Least compute capability × 10.
    fn minimum_compute_capability(&self) -> u32 {
        75
    }
    /// Least compute capability × 10 of one case, where it needs more than the exercise does. On an older device the case is
    /// left out, and a note says so.
    fn case_compute_capability(&self, case: &Case) -> u32 {
        let _ = case;
        self.minimum_compute_capability()
    }
}

/// A run on the simulator, of the PTX that keeps the source's structure, in which reads of shared memory had costs of their own.
pub struct SecretClock<'a> {
    /// What was read back.
    pub outputs: &'a Outputs,
    /// What was counted in it, over all launches.
    pub counters: &'a Counters,
    /// The same of the optimised PTX, which counter bounds are for.
    pub optimised_counters: &'a Counters,
    pub(crate) secret: u64,
}

impl SecretClock<'_> {
    /// Cycles that a load from shared memory took beyond those of a load with one wavefront, in the plan's launch of this position.
    pub fn load_cycles(&self, launch: u64, wavefronts: u64) -> u64 {
        let more = wavefronts.saturating_sub(1);
        let cycles = crate::device::clock::load_cycles(self.secret, launch);
        usize::try_from(more).ok().and_then(|more| cycles.get(more).copied()).unwrap_or(more)
    }
}

/// What the judge's audit of a kernel's PTX lets pass (`judge::audit`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permits {
    /// Device variables that the kernel writes to, and the device's heap: what one launch leaves for the next.
    pub variables: bool,
    /// PTX of its own (`asm`).
    pub inline_ptx: bool,
    /// The clock (`clock64()`, `%globaltimer`).
    pub clocks: bool,
}

/// One input of an exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// A short name in words, e.g. `n = 257, all negative`.
    pub name: String,
    /// The exercise's own number for it.
    pub index: usize,
    /// Where it runs.
    pub on: On,
}

/// Where a case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// Everywhere, within the simulator's instruction budget.
    Everywhere,
    /// Only on a GPU, for correctness at size.
    Gpu,
    /// Only on a GPU, timed against the baseline.
    GpuTimed,
}

/// A learner's launch constant (`LAUNCH_CONSTANT(NAME, value)` of `course.cuh`) and the values that are allowed.
#[derive(Clone, Copy, Debug)]
pub struct ConstantBound {
    /// Its name, e.g. `BLOCK_SIZE`.
    pub name: &'static str,
    /// Least value.
    pub at_least: i64,
    /// Greatest value.
    pub at_most: i64,
    /// The value must be a multiple of this.
    pub multiple_of: i64,
}

/// The values of a kernel's launch constants, read from its PTX and checked against the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants(pub std::collections::BTreeMap<String, i64>);

impl Constants {
    /// The value of a declared constant.
    ///
    /// # Panics
    /// If the exercise asks for a constant that it did not declare in [`Exercise::constants`].
    pub fn get(&self, name: &str) -> i64 {
        *self.0.get(name).unwrap_or_else(|| panic!("constant {name} is not declared by the exercise"))
    }
}

/// What one counter must be, summed over the launches of a case's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterBound {
    /// Which counter.
    pub counter: Counter,
    /// Least value that passes: 0 for work that is to be saved, more where it must not be left out.
    pub at_least: u64,
    /// Greatest value that passes.
    pub at_most: u64,
    /// Where the number comes from, in one sentence.
    pub why: String,
}

/// The counters that goals may bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Counter {
    GlobalLoadRequests,
    GlobalLoadSectors,
    GlobalStoreSectors,
    GlobalAtomicRequests,
    SharedLoadRequests,
    SharedLoadWavefronts,
    SharedStoreWavefronts,
    SharedBankConflicts,
    Barriers,
    DivergentBranches,
}

impl Counter {
    /// Its value in a set of counters.
    pub fn of(self, counters: &Counters) -> u64 {
        match self {
            Counter::GlobalLoadRequests => counters.global_load_requests,
            Counter::GlobalLoadSectors => counters.global_load_sectors,
            Counter::GlobalStoreSectors => counters.global_store_sectors,
            Counter::GlobalAtomicRequests => counters.global_atomic_requests,
            Counter::SharedLoadRequests => counters.shared_load_requests,
            Counter::SharedLoadWavefronts => counters.shared_load_wavefronts,
            Counter::SharedStoreWavefronts => counters.shared_store_wavefronts,
            Counter::SharedBankConflicts => counters.shared_bank_conflicts(),
            Counter::Barriers => counters.barriers,
            Counter::DivergentBranches => counters.divergent_branches,
        }
    }
    /// Its name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Counter::GlobalLoadRequests => "global_load_requests",
            Counter::GlobalLoadSectors => "global_load_sectors",
            Counter::GlobalStoreSectors => "global_store_sectors",
            Counter::GlobalAtomicRequests => "global_atomic_requests",
            Counter::SharedLoadRequests => "shared_load_requests",
            Counter::SharedLoadWavefronts => "shared_load_wavefronts",
            Counter::SharedStoreWavefronts => "shared_store_wavefronts",
            Counter::SharedBankConflicts => "shared_bank_conflicts",
            Counter::Barriers => "barriers",
            Counter::DivergentBranches => "divergent_branches",
        }
    }
}

/// A baseline kernel and how it is run on the same inputs.
pub struct Baseline {
    /// CUDA source.
    pub source: &'static str,
    /// Its plan for a case; same buffers, fills and expectations as the exercise's own plan.
    pub plan: fn(case: &Case, seed: u64) -> Plan,
}

/// A trusted kernel and how it is run on the inputs of a kernel with these constants.
pub struct Reference {
    /// CUDA source.
    pub source: &'static str,
    /// Its plan: buffers that hold the same inputs have the same fills, and expected outputs have the same names, as in
    /// the exercise's own plan.
    pub plan: fn(case: &Case, seed: u64, constants: &Constants) -> Plan,
}

/// What the buffers of a plan hold before the first step, element by element.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a>(pub &'a Plan);

impl Inputs<'_> {
    fn buffer(&self, name: &str) -> &Buffer {
        let found = self.0.buffers.iter().find(|buffer| buffer.name == name);
        found.unwrap_or_else(|| panic!("the plan has no buffer {name}"))
    }
    /// One element.
    ///
    /// # Panics
    /// If the plan has no such buffer or element, or the buffer starts uninitialised.
    pub fn value(&self, name: &str, index: usize) -> f64 {
        let buffer = self.buffer(name);
        assert!(index < buffer.len(), "{name} has {} elements, asked for number {index}", buffer.len());
        fill::element(buffer, index).unwrap_or_else(|| panic!("{name} starts uninitialised"))
    }
    /// Some elements, made piece by piece on all threads; large buffers are never held as a whole.
    ///
    /// # Panics
    /// As [`Inputs::value`].
    pub fn values(&self, name: &str, range: std::ops::Range<usize>) -> impl Iterator<Item = f64> {
        const PIECE: usize = 1 << 18;
        let buffer = self.buffer(name).clone();
        assert!(range.end <= buffer.len(), "{name} has {} elements, asked for {range:?}", buffer.len());
        let name = name.to_owned();
        range.clone().step_by(PIECE).flat_map(move |start| {
            let piece = start..(start + PIECE).min(range.end);
            let value = |index| {
                fill::element(&buffer, index).unwrap_or_else(|| panic!("{name} starts uninitialised"))
            };
            piece.into_par_iter().map(value).collect::<Vec<f64>>()
        })
    }
}

/// Speed goals; `None` where the technique was measured not to pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedGoals {
    /// Speedup over the baseline that a pass needs.
    pub pass_speedup: Option<f64>,
    /// Speedup over the baseline that the expert goal asks for.
    pub expert_speedup: Option<f64>,
    /// Share of the memory roof that the expert goal asks for.
    pub expert_roof_share: Option<f64>,
}

/// The buffers read back, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outputs(pub std::collections::BTreeMap<String, Vec<u8>>);

impl Outputs {
    /// A buffer's elements.
    ///
    /// # Panics
    /// If the plan did not read back a buffer of that name, or its size is no multiple of the element's.
    pub fn elements<T: bytemuck::Pod>(&self, name: &str) -> Vec<T> {
        let bytes = self.0.get(name).unwrap_or_else(|| panic!("the plan reads no buffer {name} back"));
        bytemuck::allocation::pod_collect_to_vec(bytes)
    }
}

/// The outputs of one case on one device, for [`Exercise::plots`].
#[derive(Clone, Copy, Debug)]
pub struct CaseRun<'a> {
    /// The case.
    pub case: &'a Case,
    /// The device, `sim:h200` or `gpu:0`.
    pub device: &'a str,
    /// What was read back.
    pub outputs: &'a Outputs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Element, Fill};

    #[test]
    fn inputs_are_the_contents_piece_by_piece() {
        let mut plan = Plan::new();
        let count = (1 << 18) + 1000;
        plan.buffer("in", Element::I32, &[count], Fill::Random { seed: 3, low: -5.0, high: 1e6 });
        let listed: Vec<i32> = fill::values(count, 3, -5.0, 1e6);
        let inputs = Inputs(&plan);
        assert!(inputs.values("in", 0..count).eq(listed.iter().map(|&value| f64::from(value))));
        assert!(inputs.values("in", 700..703).eq(listed[700..703].iter().map(|&value| f64::from(value))));
        assert_eq!(inputs.value("in", count - 1), f64::from(listed[count - 1]));
        assert_eq!(inputs.values("in", 5..5).count(), 0);
    }
}
