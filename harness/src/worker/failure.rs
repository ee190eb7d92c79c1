//! Why a worker gave no answer.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus};

use thiserror::Error;

use super::{ARGUMENT, Limits, ValueError};

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
    /// The system ended it for a call that `calls` forbids.
    #[error(
        "the worker process was stopped because it tried what no worker may: a system call that reaches other processes \
         or the system itself. Compilers and kernels never need one, so this is no grade: read the kernel for an attack on \
         the judge, and report it{}",
        detail(output)
    )]
    Forbidden {
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
    /// Memory, and less of it than the judge grants: the system's doing.
    #[error(
        "the worker process ran out of memory: this system allows it {} MB, and the judge grants {} MB. That says \
         nothing about the kernel: raise the limit (`ulimit -v`, `ulimit -d`, the container's or batch job's memory), or use a \
         machine with more memory, and run this again",
        allowed_bytes / 1_000_000, limit_bytes / 1_000_000
    )]
    ShortOfMemory {
        /// What the system allows.
        allowed_bytes: u64,
        /// What the judge grants.
        limit_bytes: u64,
    },
    /// Processor time, and less of it than the judge grants: the system's doing.
    #[error(
        "the worker process ran out of processor time: this system allows it {allowed_seconds} s, and the judge \
         grants {limit_seconds} s. That says nothing about the kernel: raise the limit (`ulimit -t`) and run this again"
    )]
    ShortOfTime {
        /// What the system allows.
        allowed_seconds: u64,
        /// What the judge grants.
        limit_seconds: u64,
    },
    /// Processor time.
    #[error("stopped: it used more than {limit_seconds} s of processor time")]
    CpuLimit {
        /// The limit.
        limit_seconds: u64,
    },
    /// Time on the clock.
    #[error(
        "stopped: it did not finish within {limit_seconds} s, of which it had a processor for {cpu_seconds} s"
    )]
    WallLimit {
        /// The limit.
        limit_seconds: u64,
        /// Seconds of processor time that it used over its life, all threads together; 0 where
        /// the system does not say.
        cpu_seconds: u64,
    },
    /// It was killed, and is still there.
    #[error(
        "the worker process {process} was killed and did not go (its state: {state}), so it was left behind; before that: \
         {before}. Nothing but a call into the system that does not come back outlives a kill, as a rule one into a GPU's \
         driver. That says nothing about the kernel: see whether `nvidia-smi` still answers and what the system's log says \
         (`dmesg`), restart the machine if the process stays, then run this again"
    )]
    Stuck {
        /// The process id.
        process: u32,
        /// What the system says it is doing.
        state: String,
        /// Why it was killed.
        before: String,
    },
    /// The answer is not one.
    #[error("the worker process answered nonsense: {0}")]
    Protocol(String),
    /// The request or the answer is not what it must be.
    #[error("what the worker process was asked or answered is damaged: {0}")]
    Value(#[from] ValueError),
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
            | WorkerFailure::Stuck { .. }
            | WorkerFailure::Forbidden { .. }
            | WorkerFailure::Exited { .. }
            | WorkerFailure::Panicked { .. }
            | WorkerFailure::ShortOfMemory { .. }
            | WorkerFailure::ShortOfTime { .. }
            | WorkerFailure::Protocol(_)
            | WorkerFailure::Value(_)
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
        // Who runs out of less than was granted may do so anywhere, and crash of it.
        let short = WorkerFailure::short_of_memory(limits);
        match (status.signal(), status.code()) {
            (Some(SIGXCPU), _) => match limits.cpu_lowered_to() {
                Some(allowed_seconds) => {
                    WorkerFailure::ShortOfTime { allowed_seconds, limit_seconds: limits.cpu_seconds }
                }
                None => WorkerFailure::CpuLimit { limit_seconds: limits.cpu_seconds },
            },
            // Whoever exceeds a limit of its own is told so before; this may be the system short of memory,
            // and then it chose this process and not the one that took the memory.
            (Some(SIGKILL), _) => WorkerFailure::Killed,
            (Some(SIGSYS), _) => WorkerFailure::Forbidden { output },
            (Some(signal), _) => match (short, out_of_memory) {
                (Some(short), _) => short,
                (None, true) => WorkerFailure::OutOfMemory { limit_bytes: limits.memory_bytes },
                (None, false) => WorkerFailure::Crashed { signal, signal_name: signal_name(signal), output },
            },
            _ if out_of_memory => {
                short.unwrap_or(WorkerFailure::OutOfMemory { limit_bytes: limits.memory_bytes })
            }
            (None, Some(0)) => WorkerFailure::NoEntry,
            (None, code) => WorkerFailure::Exited { code: code.unwrap_or(-1), output },
        }
    }

    /// The failure of a worker that ran out of less memory than it was granted; none
    /// where it was granted all.
    pub(crate) fn short_of_memory(limits: &Limits) -> Option<Self> {
        let allowed_bytes = limits.memory_lowered_to()?;
        Some(WorkerFailure::ShortOfMemory { allowed_bytes, limit_bytes: limits.memory_bytes })
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
const SIGSYS: i32 = 31;

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => "SIGILL, an illegal instruction",
        6 => "SIGABRT, it gave up",
        7 => "SIGBUS, a bad memory access",
        8 => "SIGFPE, an arithmetic fault",
        11 => "SIGSEGV, a bad memory access or a stack overflow",
        15 => "SIGTERM, somebody ended it",
        25 => "SIGXFSZ, a file grew too large",
        _ => "a signal",
    }
}
