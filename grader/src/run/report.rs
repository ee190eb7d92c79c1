//! What `grader run` found out, in the format that programs read. The names are part of the interface.

use harness::report::{Diagnostic, KernelOccupancy};
use serde::Serialize;
use warpsim::{
    Allocation, Counters, Finding, FindingKind, LineCounters, Occupancy, Place, Severity, Space, Thread,
};

use crate::exit::Exit;

/// The format's version.
pub const SCHEMA: u32 = 1;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Status {
    Finished,
    Faulted,
    Unfinished,
    CompileError,
    Unsupported,
    JudgeError,
}

/// The whole result.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// How it ended.
    pub status: Status,
    /// What to say about the status, where there is more to say.
    pub message: Option<String>,
    /// The file.
    pub file: String,
    /// The kernel's name as given.
    pub entry: String,
    /// Where it ran.
    pub device: String,
    /// The compiler; none for PTX.
    pub compiler: Option<String>,
    /// Registers per thread, from the hardware's assembler; none for PTX.
    pub registers: Option<u32>,
    /// Bytes of registers spilled, stores and loads.
    pub spill_bytes: Option<u32>,
    /// Static shared memory in bytes.
    pub static_shared_bytes: Option<u32>,
    /// How it fills a multiprocessor of the simulated GPU; none where nothing ran there.
    pub occupancy: Option<OccupancyRow>,
    /// Findings, errors first.
    pub findings: Vec<FindingRow>,
    /// Totals; none where nothing ran on the simulator.
    pub counters: Option<CounterRow>,
    /// Counters per source line.
    pub lines: Vec<LineRow>,
    /// What the kernel printed.
    pub printf: String,
    /// Compiler messages.
    pub diagnostics: Vec<Diagnostic>,
    /// Things worth knowing about this run.
    pub notes: Vec<String>,
    /// The findings as the simulator gave them, for the text renderer.
    #[serde(skip)]
    pub found: Vec<Finding>,
    /// The source text, for excerpts.
    #[serde(skip)]
    pub source: String,
}

/// One finding, flat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingRow {
    kind: FindingKind,
    severity: Severity,
    space: Option<Space>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    other_file: Option<String>,
    other_line: Option<u32>,
    other_column: Option<u32>,
    threads: Vec<Thread>,
    address: Option<u64>,
    allocation: Option<Allocation>,
    count: u64,
    message: String,
    /// The order of warps and blocks that shows it, where the usual one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<u64>,
}

impl From<&Finding> for FindingRow {
    fn from(finding: &Finding) -> Self {
        let parts = |place: &Option<Place>| match place {
            Some(Place { file, line, column }) => (Some(file.clone()), Some(*line), Some(*column)),
            None => (None, None, None),
        };
        let (file, line, column) = parts(&finding.place);
        let (other_file, other_line, other_column) = parts(&finding.other);
        FindingRow {
            kind: finding.kind,
            severity: finding.severity,
            space: finding.space,
            file,
            line,
            column,
            other_file,
            other_line,
            other_column,
            threads: finding.threads.clone(),
            address: finding.address,
            allocation: finding.allocation.clone(),
            count: finding.count,
            message: finding.message.clone(),
            schedule: finding.schedule,
        }
    }
}

/// How a kernel fills the simulated GPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OccupancyRow {
    /// Resident warps of a multiprocessor as a share of what it could hold, 0 to 1.
    pub share: f64,
    /// Blocks on the whole GPU at once.
    pub resident_blocks: u32,
    /// Blocks, warps and limits of a multiprocessor.
    #[serde(flatten)]
    pub occupancy: Occupancy,
}

impl From<&KernelOccupancy> for OccupancyRow {
    fn from(of: &KernelOccupancy) -> Self {
        let KernelOccupancy { resident_blocks, occupancy, .. } = of;
        OccupancyRow {
            share: occupancy.share(),
            resident_blocks: *resident_blocks,
            occupancy: occupancy.clone(),
        }
    }
}

/// Counters with what follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CounterRow {
    /// The counts.
    #[serde(flatten)]
    pub counters: Counters,
    /// Wavefronts of shared loads and stores beyond the ideal.
    pub shared_bank_conflicts: u64,
    /// The same of shared atomics.
    pub shared_atomic_conflicts: u64,
    /// Bytes of global memory moved, in whole sectors.
    pub global_bytes_moved: u64,
    /// Floating-point operations per byte moved.
    pub arithmetic_intensity: Option<f64>,
    /// Active lanes as a share of all lanes of the issued instructions, 0 to 1.
    pub simt_efficiency: Option<f64>,
}

impl From<Counters> for CounterRow {
    fn from(counters: Counters) -> Self {
        CounterRow {
            counters,
            shared_bank_conflicts: counters.shared_bank_conflicts(),
            shared_atomic_conflicts: counters.shared_atomic_conflicts(),
            global_bytes_moved: counters.global_bytes_moved(),
            arithmetic_intensity: counters.arithmetic_intensity(),
            simt_efficiency: counters.simt_efficiency(),
        }
    }
}

/// One line's counters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineRow {
    /// The line.
    #[serde(flatten)]
    pub place: Place,
    /// Its counts.
    #[serde(flatten)]
    pub counters: CounterRow,
}

impl From<&LineCounters> for LineRow {
    fn from(line: &LineCounters) -> Self {
        LineRow { place: line.place.clone(), counters: line.counters.into() }
    }
}

impl RunReport {
    /// A report about a file and entry that nothing is known of yet.
    pub fn new(file: String, entry: String, device: String) -> Self {
        RunReport {
            schema: SCHEMA,
            status: Status::JudgeError,
            message: None,
            file,
            entry,
            device,
            compiler: None,
            registers: None,
            spill_bytes: None,
            static_shared_bytes: None,
            occupancy: None,
            findings: Vec::new(),
            counters: None,
            lines: Vec::new(),
            printf: String::new(),
            diagnostics: Vec::new(),
            notes: Vec::new(),
            found: Vec::new(),
            source: String::new(),
        }
    }

    /// True where the kernel ran to its end and no finding is an error.
    pub fn is_clean(&self) -> bool {
        self.status == Status::Finished && !self.found.iter().any(Finding::is_error)
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self.status {
            Status::JudgeError | Status::Unsupported => Exit::JudgeError,
            _ if self.is_clean() => Exit::Passed,
            _ => Exit::Failed,
        }
    }
}
