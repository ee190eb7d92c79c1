//! Why a worker gave no answer.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus};

use thiserror::Error;

use super::{ARGUMENT, Limits};

/// Why a worker gave no answer. The next call starts a new worker.
#[derive(Debug, Error)]
pub enum WorkerFailure {
    /// A signal ended it.
    #[error("the worker process crashed ({signal_name}){}", detail(output))]
    Crashed {
        /// The signal's number.
        signal: i32,
        /// Its name.
        signal_name: &'static str,
        /// The end of what it wrote to the standard error stream.
        output: String,
    },
    /// It ended by itself, without an answer.
    #[error("the worker process ended with exit code {code} and no answer{}", detail(output))]
    Exited {
        /// The exit code.
        code: i32,
        /// The end of what it wrote to the standard error stream.
        output: String,
    },
    /// Its handler panicked: a defect of this program.
    #[error("the worker process panicked: {message}. This is a defect of the grader; please report it")]
    Panicked {
        /// The panic's message and place.
        message: String,
    },
    /// Memory.
    #[error("stopped: it needed more than {} MB of memory", limit_bytes / 1_000_000)]
    OutOfMemory {
        /// The limit.
        limit_bytes: u64,
    },
    /// Somebody else killed it.
    #[error(
        "the worker process was killed from outside; as a rule by the system, when the whole machine runs out of \
         memory. End other programs, or judge fewer kernels at a time"
    )]
    Killed,
    /// Processor time.
    #[error("stopped: it used more than {limit_seconds} s of processor time")]
    CpuLimit {
        /// The limit.
        limit_seconds: u64,
    },
    /// Time on the clock.
    #[error("stopped: it did not finish within {limit_seconds} s")]
    WallLimit {
        /// The limit.
        limit_seconds: u64,
    },
    /// The answer is not one.
    #[error("the worker process answered nonsense: {0}")]
    Protocol(String),
    /// The program has no worker in it.
    #[error(
        "this program has no worker: `harness::worker::intercept()` must be the first call of its `main`, or of a \
         test named `{ARGUMENT}` at the root of a test binary"
    )]
    NoEntry,
    /// The system gave no process.
    #[error("cannot start a worker process: {0}")]
    Spawn(#[from] io::Error),
}

impl WorkerFailure {
    /// True where what the worker was given explains the failure; false where it says something about this
    /// machine or this program, which must never count against anyone.
    pub fn is_of_the_input(&self) -> bool {
        match self {
            WorkerFailure::Crashed { .. }
            | WorkerFailure::OutOfMemory { .. }
            | WorkerFailure::CpuLimit { .. } => true,
            // Work without waiting meets the processor limit first, unless the machine is too busy for it.
            WorkerFailure::WallLimit { .. }
            | WorkerFailure::Killed
            | WorkerFailure::Exited { .. }
            | WorkerFailure::Panicked { .. }
            | WorkerFailure::Protocol(_)
            | WorkerFailure::NoEntry
            | WorkerFailure::Spawn(_) => false,
        }
    }

    /// Reads the end of a worker that the judge did not kill.
    pub(super) fn of_exit(status: ExitStatus, output: String, limits: &Limits) -> Self {
        // What the C++ runtime, LLVM, Rust and NVRTC write before they give up.
        const NO_MEMORY: [&str; 4] =
            ["memory allocation of", "out of memory", "bad_alloc", "Cannot allocate memory"];
        let out_of_memory = NO_MEMORY.iter().any(|words| output.contains(words));
        match (status.signal(), status.code()) {
            (Some(SIGXCPU), _) => WorkerFailure::CpuLimit { limit_seconds: limits.cpu_seconds },
            // Whoever exceeds a limit of its own is told so before; this may be the system short of memory, and then
            // it chose this process and not the one that took the memory.
            (Some(SIGKILL), _) => WorkerFailure::Killed,
            _ if out_of_memory => WorkerFailure::OutOfMemory { limit_bytes: limits.memory_bytes },
            (Some(signal), _) => WorkerFailure::Crashed { signal, signal_name: signal_name(signal), output },
            (None, Some(0)) => WorkerFailure::NoEntry,
            (None, code) => WorkerFailure::Exited { code: code.unwrap_or(-1), output },
        }
    }
}

fn detail(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        text => format!(":\n{text}"),
    }
}

// The numbers are the same on x86-64 and Arm.
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => "SIGILL, an illegal instruction",
        6 => "SIGABRT, it gave up",
        7 => "SIGBUS, a bad memory access",
        8 => "SIGFPE, an arithmetic fault",
        11 => "SIGSEGV, a bad memory access or a stack overflow",
        15 => "SIGTERM, somebody ended it",
        25 => "SIGXFSZ, a file grew too large",
        31 => "SIGSYS, a forbidden system call",
        _ => "a signal",
    }
}
