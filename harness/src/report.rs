//! The one result type of a check: versioned, serializable, complete. Renderers compute nothing; the words for
//! what is typed here come from `words`.

pub mod counted;
mod goal;
mod problem;
mod shown;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use warpsim::{Counters, Finding, LineCounters, Occupancy, Place, Severity, WorstRequest};

pub use warpsim::FindingKind;

pub use self::{
    goal::{Asked, Bound, Failure, Found, Goal, GoalResult, SpeedAsked, SpeedFound, UnknownGoal, Unmeasured},
    problem::{Problem, Rule},
    shown::{Shown, ShownElement, ShownInput, ShownOutput},
    words::{number_of, number_which, problems_in_words},
};

/// The version of the JSON that `check`, `run` and `score` write. Fields may come without a new one; what is there
/// keeps its name and its meaning.
pub const SCHEMA: u32 = 3;

/// A goal's or a check's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)]
pub enum Verdict {
    Passed,
    Failed,
    /// Measured, but the interval straddles the threshold.
    Inconclusive,
    /// Not measurable here, for example speed without a GPU.
    Unmeasured,
}

impl Verdict {
    /// Its word in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A wrong output element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mismatch {
    /// The buffer's name.
    pub buffer: String,
    /// Index of the first wrong element, one number per dimension.
    pub index: Vec<usize>,
    /// Expected value as text.
    pub expected: String,
    /// What was found there.
    pub found: Content,
    /// How many elements are wrong.
    pub wrong: u64,
    /// Of how many.
    pub of: u64,
}

/// What an output element held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A value, as text.
    Value(String),
    /// Nothing: no thread wrote it.
    NeverWritten,
    /// A value that a thread made from data that nothing wrote.
    Undefined,
    /// The plan did not get as far as reading it.
    NeverReadBack,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "status", content = "detail")]
pub enum CaseStatus {
    /// Ran to its end.
    Finished,
    /// A fault in the kernel stopped it.
    Faulted(String),
    /// A deadlock, the instruction budget or the time limit stopped it.
    Unfinished(String),
    /// The simulator lacks an instruction.
    Unsupported(String),
    /// The judge could not do its work.
    JudgeError(String),
    /// Not run, with the reason.
    Skipped(String),
}

/// One case on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// The exercise's own number for the case; `--case` names it.
    #[serde(default)]
    pub number: usize,
    /// The case's name.
    pub name: String,
    /// `sim:h200` or `gpu:0`.
    pub device: String,
    /// How it ended.
    pub status: CaseStatus,
    /// Outputs that differ (the first of each buffer), and the exercise's own complaints.
    pub mismatches: Vec<Mismatch>,
    /// The exercise's own complaints.
    pub complaints: Vec<String>,
    /// Findings of this case.
    pub findings: Vec<Finding>,
    /// Counters (optimised PTX); absent on a GPU.
    #[serde(serialize_with = "counted::total")]
    #[schemars(with = "Option<counted::Counted>")]
    pub counters: Option<Counters>,
    /// Counters per line.
    #[serde(serialize_with = "counted::lines")]
    #[schemars(with = "Vec<counted::CountedLine>")]
    pub lines: Vec<LineCounters>,
    /// Of each line with bank conflicts the request to shared memory with most of them, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst_requests: Vec<WorstRequest>,
    /// How its kernels filled the simulated GPU; empty on a GPU.
    #[serde(default)]
    pub occupancy: Vec<KernelOccupancy>,
    /// What the kernel printed.
    pub printf: String,
    /// What went in, was expected and came out, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
}

impl CaseReport {
    /// Of a case that ended so, and of which nothing else is known.
    pub fn new(
        number: usize,
        name: impl Into<String>,
        device: impl Into<String>,
        status: CaseStatus,
    ) -> Self {
        CaseReport {
            number,
            name: name.into(),
            device: device.into(),
            status,
            mismatches: Vec::new(),
            complaints: Vec::new(),
            findings: Vec::new(),
            counters: None,
            lines: Vec::new(),
            worst_requests: Vec::new(),
            occupancy: Vec::new(),
            printf: String::new(),
            shown: None,
        }
    }
}

/// How a kernel fills a GPU, by the device's limits and what the kernel takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelOccupancy {
    /// The kernel, by the plan's name.
    pub kernel: String,
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Blocks on the whole GPU at once.
    pub resident_blocks: u32,
    /// A multiprocessor's blocks and warps, and what limits them.
    #[serde(flatten)]
    pub occupancy: Occupancy,
}

/// One compiler message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// Where.
    pub place: Option<Place>,
    /// How bad.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The source line and what the compiler drew under it.
    pub excerpt: String,
    /// What was most likely meant, and what to do: a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What the hardware compiler says of one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// The architecture compiled for, e.g. `sm_90`.
    pub architecture: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of spill stores plus loads.
    pub spill_bytes: u32,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// Local memory (stack frame) in bytes.
    pub local_bytes: u32,
}

/// Every time of one timed case in microseconds, by round: times at the same place were
/// taken in the same round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Samples {
    /// The kernel's.
    pub kernel: Vec<f64>,
    /// The baseline's.
    pub baseline: Vec<f64>,
    /// Those of a plain copy; none where the case is too small for a roof.
    pub copy: Vec<f64>,
}

/// The GPU's state while it was timed, as the driver's management library (NVML) tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// Clock of the multiprocessors in MHz: least and greatest.
    pub multiprocessor_megahertz: [u32; 2],
    /// Clock of the memory in MHz: least and greatest.
    pub memory_megahertz: [u32; 2],
    /// Temperature in °C: least and greatest.
    pub celsius: [u32; 2],
    /// What kept the clocks down at some time, in NVML's names.
    pub throttle_reasons: Vec<String>,
    /// Rounds that were taken again because the GPU was slowed down by heat or for want of power.
    pub redone_rounds: u32,
}

/// A timed comparison with the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpeedReport {
    /// The case's name.
    pub case: String,
    /// Median kernel time in microseconds.
    pub kernel_microseconds: f64,
    /// Median baseline time in microseconds.
    pub baseline_microseconds: f64,
    /// Median of the paired ratios baseline / kernel.
    pub speedup: f64,
    /// Confidence interval of that median (95 %).
    pub interval: [f64; 2],
    /// Pairs measured.
    pub pairs: u32,
    /// Achieved bytes per second over the measured copy roof, where the plan claims one.
    pub roof_share: Option<f64>,
    /// Between these lies the middle half of the kernel's times, in microseconds.
    #[serde(default)]
    pub kernel_quartiles: [f64; 2],
    /// The same of the baseline's.
    #[serde(default)]
    pub baseline_quartiles: [f64; 2],
    /// All times.
    #[serde(default)]
    pub samples: Samples,
}

/// A picture as data: a few series over one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// The x axis, with its unit.
    pub x_label: String,
    /// The y axis, with its unit.
    pub y_label: String,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
}

/// One line of a plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Its name in the legend, e.g. `predicted`, `simulated`, `measured`.
    pub name: String,
    /// Points as (x, y), by rising x.
    pub points: Vec<(f64, f64)>,
}

/// Everything one check found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Format version, [`SCHEMA`].
    pub schema: u32,
    /// The exercise's id.
    pub exercise: String,
    /// The exercise's title.
    pub title: String,
    /// The file judged.
    pub kernel: String,
    /// BLAKE3 of that file.
    pub kernel_hash: String,
    /// The kernel's source text, so that renderers can show excerpts.
    pub source: String,
    /// The devices used, e.g. `sim:h200`, `gpu:0 (NVIDIA H200)`.
    pub devices: Vec<String>,
    /// The compiler's version and where it was found.
    pub compiler: String,
    /// The seed.
    pub seed: u64,
    /// `full`, `partial: …` or `missing: …`: how student code was confined.
    pub sandbox: String,
    /// The check's verdict.
    pub verdict: Verdict,
    /// Why the judge could not do its work; then no verdict here is a grade.
    #[serde(default)]
    pub judge_error: Option<String>,
    /// True where the verdict is passed but speed could not be measured.
    pub speed_unmeasured: bool,
    /// How many cases the exercise has, where only one was asked for: the verdict says nothing of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_case_of: Option<usize>,
    /// Goals in order.
    pub goals: Vec<GoalResult>,
    /// Cases in order.
    pub cases: Vec<CaseReport>,
    /// Findings merged over the cases.
    pub findings: Vec<Finding>,
    /// Compiler messages.
    pub diagnostics: Vec<Diagnostic>,
    /// True registers, spills, shared memory.
    pub resources: Vec<Resources>,
    /// Timings.
    pub speed: Vec<SpeedReport>,
    /// The GPU's state meanwhile, where it could be asked.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// Pictures of what the outputs say, where the exercise has one.
    #[serde(default)]
    pub plots: Vec<Plot>,
    /// Things worth knowing about this run (sandbox missing, other compiler …).
    pub notes: Vec<String>,
    /// One next step.
    pub next_step: String,
}
