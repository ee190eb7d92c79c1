//! What an exercise is: a stub, cases as plans, goals, hints. Trusted host code that knows no device.

mod classes;
mod counter;
mod expect;
mod size;
mod tiny;
mod values;

use serde::{Deserialize, Serialize};

pub use self::{
    classes::{
        Declared, ValueClass, cancelling_factors, held, need_bits_everywhere, picking_factors,
        reach_for_the_ends, sprinkle, value_problems,
    },
    counter::{Counter, CounterBound},
    size::Size,
    tiny::{MOST_TINY, digits, last_digit, last_digit_of_floats, shorter},
    values::{Inputs, OutputElement, Outputs, SecretClock},
};
use crate::{
    plan::Plan,
    report::{Failure, Plot},
};

/// The header that every kernel of the course may include: its name and text.
pub const COURSE_HEADER: (&str, &str) = ("course.cuh", include_str!("../../kernels/course.cuh"));

/// One exercise of a course.
pub trait Exercise: Sync {
    /// Its name, its texts, and what is the same for all its cases.
    fn about(&self) -> About;
    /// The id, `NN-name`.
    fn id(&self) -> &'static str {
        self.about().id
    }
    /// The cases, in the order in which a report shows them.
    fn cases(&self) -> Vec<Case>;
    /// A case like this one, with about `n` elements (1 to [`MOST_TINY`]) that a learner can follow one by one. It judges
    /// nothing.
    ///
    /// # Errors
    /// The least that the exercise can do, in a sentence's words, where its sizes are given.
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let _ = (like, n);
        Err("its cases have the sizes that they have")
    }
    /// The plan of one case.
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan;
    /// Whether the simulator's cases hold values or sizes of a class, or why they do not. Write it as a `match`
    /// without a wildcard, so that a new class asks every exercise.
    fn value_class(&self, class: ValueClass) -> Declared {
        let _ = class;
        Declared::Missing
    }
    /// How many runs of a timed case, each with values of its own, must be right before it is timed. One, where
    /// many elements of the input decide what comes out; where it is one of them, so many that whoever leaves a
    /// twentieth of the input unread is found out.
    fn proofs(&self, case: &Case) -> u32 {
        let _ = case;
        1
    }
    /// Bounds on counters for one case, computed from tile, sizes and alignment.
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let _ = (case, constants);
        Vec::new()
    }
    /// One element of an expected output, computed on the host from the inputs: the judge recomputes
    /// some of one random timed run, so that no GPU is believed alone. `None` where it is not known
    /// how. Not needed for products.
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let _ = (case, asked);
        None
    }
    /// Checks beyond the plan's expectations (for example relations between outputs). Returns what is wrong.
    fn check_outputs(&self, case: &Case, seed: u64, outputs: &Outputs) -> Vec<String> {
        let _ = (case, seed, outputs);
        Vec::new()
    }
    /// For an exercise that permits clocks: the same check of a run on the simulator whose clock nobody could
    /// foretell. What was measured follows that clock, what was made up does not. Returns what is wrong.
    fn check_secret_clock(&self, case: &Case, run: &SecretClock<'_>) -> Vec<String> {
        let _ = (case, run);
        Vec::new()
    }
    /// Whether it has pictures for the report: `plots` makes them.
    fn has_plots(&self) -> bool {
        false
    }
    /// Pictures for the report, made from the outputs of all the cases that ran, on every device used.
    fn plots(&self, runs: &[CaseRun<'_>]) -> Vec<Plot> {
        let _ = runs;
        Vec::new()
    }
    /// Least compute capability × 10 of one case, where it needs more than the exercise does. On an older
    /// device the case is left out, and a note says so.
    fn case_compute_capability(&self, case: &Case) -> u32 {
        let _ = case;
        self.about().minimum_compute_capability
    }
}

/// A kernel on the way to the solution, or beyond it.
#[derive(Clone, Copy, Debug)]
pub struct PublishedStep {
    /// Its file's name without `.cu`, such as `4-last-warp`.
    pub name: &'static str,
    /// Its source.
    pub source: &'static str,
}

/// The kernels of a `steps` folder, beside the file that says it: the folder, and the files' names without `.cu`.
#[macro_export]
macro_rules! published_steps {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$($crate::exercise::PublishedStep {
            name: $name,
            source: include_str!(concat!($folder, "/", $name, ".cu")),
        }),+]
    };
}

/// An exercise's name, its texts, and what is the same for all its cases. What most exercises have
/// in common is the default.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The id, `NN-name`; the learner's folder and the chapter carry it too.
    pub id: &'static str,
    /// The ids that it had in earlier versions of the course, the newest first: a learner's folder and record of one
    /// become this exercise's.
    pub formerly: &'static [&'static str],
    /// A short title, e.g. "Reduction: the maximum of n floats".
    pub title: &'static str,
    /// The pristine stub.
    pub stub: &'static str,
    /// A kernel that passes, to be read afterwards.
    pub solution: &'static str,
    /// The kernels of its `steps` folder, by name: on the way to the solution, or beyond it.
    pub steps: &'static [PublishedStep],
    /// The text of its `hints.md`: a paragraph is a hint. A section's heading names the failures that it is
    /// for, as a wrong kernel's header does (`clean/race`, `correct, barriers`); the section `any` is the
    /// general ladder, from gentle to nearly the answer, and `passed` is for whoever has passed: why it
    /// works, and what to try next.
    pub hints: &'static str,
    /// The kernel entries that must be there.
    pub kernels: &'static [&'static str],
    /// Every way in which the unmodified stub must fail (and no other).
    pub stub_fails: &'static [Failure],
    /// The launch constants that the learner may choose, each with its bounds.
    pub constants: &'static [ConstantBound],
    /// What its kernels may do beyond computing. By default nothing: a kernel that remembers, or that can
    /// tell when and where it runs, can be right for the judge and for nobody else.
    pub permits: Permits,
    /// What the exercise gives for waiting.
    pub waits_with: Option<WaitsWith>,
    /// How blocks may wait for each other is its point: a wait that relies on the order in which blocks start, or on
    /// all of them being there at once, is an error, and not the remark that it is elsewhere.
    pub blocks_in_any_order: bool,
    /// The honest naive kernel that speedups are relative to, with its own plan for the same inputs.
    pub baseline: Option<Baseline>,
    /// The trusted kernel that says what a timed kernel must give ([`crate::plan::Expected::Reference`]);
    /// without one, the baseline does. Needed where what is right depends on the learner's constants.
    pub reference: Option<Reference>,
    /// Speed goals, measured before they were written.
    pub speed_goals: SpeedGoals,
    /// The step that, measured beside the solution, says what to ask for on a GPU that the goals were not measured on:
    /// the slowest that reaches the expert goal, or where there is none the last.
    pub yardstick: Option<&'static str>,
    /// Warp-level instructions of optimised PTX that one case may take on the simulator before it
    /// counts as unfinished: more than ten times what an honest kernel takes, and still seconds for all
    /// cases of one that never ends.
    pub instruction_budget: u64,
    /// Least compute capability × 10.
    pub minimum_compute_capability: u32,
    /// Compiled for GPUs of that capability alone (`sm_90a`), with what later ones do not have, such as `wgmma`. Any other GPU
    /// is left out, and the simulator judges.
    pub is_specific: bool,
}

impl About {
    /// The step of that name.
    pub fn step(&self, name: &str) -> Option<&'static PublishedStep> {
        self.steps.iter().find(|step| step.name == name)
    }
    /// The plan of the kernel that says what a timed case must give: the reference's, or else the baseline's.
    pub fn trusted_plan(&self, case: &Case, seed: u64, constants: &Constants) -> Option<Plan> {
        match (&self.reference, &self.baseline) {
            (Some(reference), _) => Some((reference.plan)(case, seed, constants)),
            (None, Some(baseline)) => Some((baseline.plan)(case, seed)),
            (None, None) => None,
        }
    }
}

impl Default for About {
    fn default() -> Self {
        About {
            id: "",
            formerly: &[],
            title: "",
            stub: "",
            solution: "",
            steps: &[],
            hints: "",
            kernels: &[],
            stub_fails: &[],
            constants: &[],
            permits: Permits::default(),
            waits_with: None,
            blocks_in_any_order: false,
            baseline: None,
            reference: None,
            speed_goals: SpeedGoals::default(),
            yardstick: None,
            instruction_budget: 4_000_000,
            minimum_compute_capability: 75,
            is_specific: false,
        }
    }
}

/// What the judge's audit of a kernel's PTX lets pass (`judge::audit`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permits {
    /// Device variables that the kernel writes to, and the device's heap: what one
    /// launch leaves for the next.
    pub variables: bool,
    /// PTX of its own (`asm`).
    pub inline_ptx: bool,
    /// The clock (`clock64()`, `%globaltimer`).
    pub clocks: bool,
}

/// A function of the course that waits. A kernel whose own loop waits for ever, and that calls no such function, is
/// told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitsWith {
    /// Its name.
    pub function: &'static str,
    /// What to call and what that does: a sentence.
    pub instead: &'static str,
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
    /// Of a case that [`Exercise::tiny`] made: about how many elements it has.
    #[serde(default)]
    pub tiny: Option<usize>,
}

impl Case {
    /// Numbered cases, from names and places.
    pub fn list<N: Into<String>>(cases: impl IntoIterator<Item = (N, On)>) -> Vec<Case> {
        (0..)
            .zip(cases)
            .map(|(index, (name, on))| Case { name: name.into(), index, on, tiny: None })
            .collect()
    }
}

/// Where a case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// Everywhere, within the simulator's instruction budget.
    Everywhere,
    /// Everywhere, at a size that nothing but an index or a count needs: on the simulator only as a GPU runs it
    /// (optimised, in one environment), with a larger budget. Smaller cases show the rest.
    Large,
    /// Only on a GPU, for correctness at size.
    Gpu,
    /// Only on a GPU, timed against the baseline.
    GpuTimed,
}

impl On {
    /// Runs on the simulator, too.
    pub fn is_simulated(self) -> bool {
        matches!(self, On::Everywhere | On::Large)
    }
}

/// A learner's launch constant (`LAUNCH_CONSTANT(NAME, value)` of `course.cuh`) and the
/// values that are allowed.
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
    /// As a source chooses them in plain numbers: `LAUNCH_CONSTANT(NAME, 256);`. What the judge launches with comes
    /// from the PTX.
    pub fn of_source(source: &str) -> Self {
        let chosen = |line: &str| {
            let (name, value) = line.strip_prefix("LAUNCH_CONSTANT(")?.split_once(',')?;
            Some((name.trim().to_owned(), value.split_once(')')?.0.trim().parse().ok()?))
        };
        Constants(source.lines().filter_map(chosen).collect())
    }
    /// The value of a declared constant.
    ///
    /// # Panics
    /// If the exercise asks for a constant that it did not declare in [`About::constants`].
    pub fn get(&self, name: &str) -> i64 {
        *self.0.get(name).unwrap_or_else(|| panic!("constant {name} is not declared by the exercise"))
    }
}

/// A baseline kernel and how it is run on the same inputs.
#[derive(Clone, Copy, Debug)]
pub struct Baseline {
    /// CUDA source.
    pub source: &'static str,
    /// Its plan for a case; same buffers, fills and expectations as the exercise's own plan.
    pub plan: fn(case: &Case, seed: u64) -> Plan,
}

/// A trusted kernel and how it is run on the inputs of a kernel with these constants.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// CUDA source.
    pub source: &'static str,
    /// Its plan: buffers that hold the same inputs have the same fills, and expected outputs have the same
    /// names, as in the exercise's own plan.
    pub plan: fn(case: &Case, seed: u64, constants: &Constants) -> Plan,
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

impl SpeedGoals {
    /// True if there is an expert goal.
    pub fn asks_experts(&self) -> bool {
        self.expert_speedup.is_some() || self.expert_roof_share.is_some()
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
