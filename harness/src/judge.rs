//! The judge: one exercise, one kernel, one [`Report`].
//!
//! It compiles and runs in workers, compares, counts and measures, and turns what it saw into verdicts. It knows no
//! terminal. A failure of its own is never a grade: the report then carries `judge_error`.

use std::path::PathBuf;

use crate::{
    device::DeviceChoice,
    exercise::Exercise,
    report::{Report, Verdict},
};

/// The seed of a check on the simulator where none is given: public and fixed.
pub const PUBLIC_SEED: u64 = 1;

/// A submission: the text and the path that reports show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The path as the learner knows it. Never opened.
    pub path: String,
    /// The source text.
    pub source: String,
}

impl Kernel {
    /// Reads a kernel's file.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(path: &std::path::Path) -> std::io::Result<Self> {
        Ok(Kernel { path: path.display().to_string(), source: std::fs::read_to_string(path)? })
    }
}

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Where.
    pub device: DeviceChoice,
    /// The seed of every case; without one [`PUBLIC_SEED`], and for timing a secret one.
    pub seed: Option<u64>,
    /// Only the case with this position in the report (counted from 0).
    pub case: Option<usize>,
    /// Write each case's inputs, outputs and expected outputs into this folder as `.npy`.
    pub dump: Option<PathBuf>,
    /// A speed that cannot be measured is the judge's failure ([`Exit::JudgeError`]).
    pub require_speed: bool,
    /// Leave speed unmeasured even where a GPU is.
    pub skip_speed: bool,
    /// Threads for the simulator; 0 for one per core.
    pub threads: usize,
    /// Headers that exist only in memory, such as `course.cuh`: name and text.
    pub headers: Vec<(String, String)>,
}

/// Tells a caller what the judge is doing, in a few words, e.g. `compiling`, `case 3 of 8 on sim:h200`.
pub type Progress<'a> = dyn Fn(&str) + Sync + 'a;

/// How a process that checked something exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Every required goal passed.
    Passed = 0,
    /// A required goal failed.
    Failed = 1,
    /// The command line was wrong.
    Usage = 2,
    /// The judge could not do its work.
    JudgeError = 3,
    /// Measured, but not decided.
    Inconclusive = 4,
}

impl Exit {
    /// The exit code of a report.
    pub fn of(report: &Report, require_speed: bool) -> Self {
        if report.judge_error.is_some() {
            return Exit::JudgeError;
        }
        match report.verdict {
            Verdict::Failed => Exit::Failed,
            Verdict::Inconclusive => Exit::Inconclusive,
            Verdict::Passed if require_speed && report.speed_unmeasured => Exit::JudgeError,
            Verdict::Passed => Exit::Passed,
            Verdict::Unmeasured => Exit::JudgeError,
        }
    }
    /// The process exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Checks one kernel against one exercise.
pub fn check(
    exercise: &dyn Exercise,
    kernel: &Kernel,
    options: &CheckOptions,
    progress: &Progress<'_>,
) -> Report {
    let _ = (options, progress);
    Report {
        schema: crate::report::SCHEMA,
        exercise: exercise.id().to_owned(),
        title: exercise.title().to_owned(),
        kernel: kernel.path.clone(),
        kernel_hash: blake3::hash(kernel.source.as_bytes()).to_hex().to_string(),
        source: kernel.source.clone(),
        devices: Vec::new(),
        compiler: String::new(),
        seed: PUBLIC_SEED,
        sandbox: String::new(),
        verdict: Verdict::Unmeasured,
        judge_error: Some("the devices are not linked in".into()),
        speed_unmeasured: true,
        goals: Vec::new(),
        cases: Vec::new(),
        findings: Vec::new(),
        diagnostics: Vec::new(),
        resources: Vec::new(),
        speed: Vec::new(),
        plots: Vec::new(),
        notes: Vec::new(),
        next_step: String::new(),
    }
}
