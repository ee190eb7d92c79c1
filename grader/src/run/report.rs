//! What `grader run` found out. In JSON it has the names and types of a check's report, wherever both say the same.

use harness::report::{Diagnostic, KernelOccupancy, Resources, SCHEMA, counted};
use schemars::JsonSchema;
use serde::Serialize;
use warpsim::{Counters, Finding, LineCounters, WorstRequest};

use crate::exit::Exit;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The kernel ran to its end.
    Finished,
    /// A fault in the kernel stopped it.
    Faulted,
    /// A deadlock, the instruction budget or the time limit stopped it.
    Unfinished,
    /// The compiler refused it.
    CompileError,
    /// The simulator lacks an instruction.
    Unsupported,
    /// The judge could not do its work.
    JudgeError,
}

/// Everything that one run found out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// The version of this format, [`SCHEMA`].
    pub schema: u32,
    /// How it ended.
    pub status: RunStatus,
    /// What to say about the status, where there is more to say.
    pub detail: Option<String>,
    /// The file.
    pub kernel: String,
    /// The kernel's name as given.
    pub entry: String,
    /// Its source text, so that renderers can show excerpts.
    pub source: String,
    /// Warp instructions that a launch of this size may take where nobody says how many; for the next step, and in no JSON.
    #[serde(skip)]
    pub usual_budget: u64,
    /// Where it ran, the GPU first.
    pub devices: Vec<String>,
    /// The compiler; none for PTX.
    pub compiler: Option<String>,
    /// Findings, errors first.
    pub findings: Vec<Finding>,
    /// Totals (optimised PTX); none where nothing ran on the simulator.
    #[serde(serialize_with = "counted::total")]
    #[schemars(with = "Option<counted::Counted>")]
    pub counters: Option<Counters>,
    /// Counters per source line.
    #[serde(serialize_with = "counted::lines")]
    #[schemars(with = "Vec<counted::CountedLine>")]
    pub lines: Vec<LineCounters>,
    /// Of each line with bank conflicts the request to shared memory with most of them; with `--profile`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst_requests: Vec<WorstRequest>,
    /// How it fills the simulated GPU; none where nothing ran there.
    pub occupancy: Vec<KernelOccupancy>,
    /// What the kernel printed.
    pub printf: String,
    /// Compiler messages.
    pub diagnostics: Vec<Diagnostic>,
    /// True registers, spills, shared memory; none for PTX, which has not been through the hardware's assembler.
    pub resources: Vec<Resources>,
    /// Things worth knowing about this run.
    pub notes: Vec<String>,
}

impl RunReport {
    /// A report about a file and entry that nothing is known of yet.
    pub fn new(kernel: String, entry: String, devices: Vec<String>) -> Self {
        RunReport {
            schema: SCHEMA,
            status: RunStatus::JudgeError,
            detail: None,
            kernel,
            entry,
            source: String::new(),
            usual_budget: 0,
            devices,
            compiler: None,
            findings: Vec::new(),
            counters: None,
            lines: Vec::new(),
            worst_requests: Vec::new(),
            occupancy: Vec::new(),
            printf: String::new(),
            diagnostics: Vec::new(),
            resources: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// True where the kernel ran to its end and no finding is an error.
    pub fn is_clean(&self) -> bool {
        self.status == RunStatus::Finished && !self.findings.iter().any(Finding::is_error)
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self.status {
            RunStatus::JudgeError | RunStatus::Unsupported => Exit::JudgeError,
            _ if self.is_clean() => Exit::Passed,
            _ => Exit::Failed,
        }
    }
}
