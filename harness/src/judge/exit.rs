//! How a process that checked something exits.

use crate::report::{Report, Verdict};

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
