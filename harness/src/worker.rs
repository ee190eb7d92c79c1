//! Work that must not happen in the judge's process happens in a worker: this same program, started again.
//!
//! A worker can crash, hang, eat memory or be taken over by what it compiles or runs; the judge gets one of
//! two things, an answer or a [`WorkerFailure`]. This module knows how to start, ask, limit, shut in and
//! end such a process. It knows nothing of compilers and devices: what a worker of some kind does is a
//! function in one table (`serve`).
//!
//! A program that uses workers calls [`intercept`] first thing in `main`. A test binary has no `main` of its
//! own; there a test of the name `__worker` at the crate's root does it:
//!
//! ```ignore
//! #[test]
//! fn __worker() {
//!     harness::worker::intercept();
//! }
//! ```
//!
//! Control is one JSON line each way over a socket, which is the worker's standard input. Bulk is
//! in memory files that the judge makes and the worker inherits with the request, so that no size
//! is copied through a pipe.

mod call;
mod calls;
mod error;
mod failure;
mod inherited;
mod interrupt;
mod limits;
mod machine;
pub mod probe;
pub mod sandbox;
mod serve;
mod spent;
pub mod standby;
mod wire;

pub use call::{Answer, Asked, Worker, begin, call, call_with};
pub use error::{ConfineError, ServeError, ValueError};
pub use failure::WorkerFailure;
pub use interrupt::Interrupt;
pub use limits::{Limits, share_memory};
pub use machine::memory as machine_memory;
pub use sandbox::SandboxStatus;
pub(crate) use serve::tell;
pub use serve::{Handler, Payload, confine, intercept};
pub use spent::{Spent, spent};

/// The kinds of worker there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerKind {
    /// Compiles a kernel.
    Compile,
    /// Executes plans.
    Run,
    /// Tries what a worker must not be able to do; for tests and `grader doctor`.
    Probe,
}

/// First argument of a worker process, and the name of the test that stands in for `main` in a test binary.
const ARGUMENT: &str = "__worker";

/// The environment variable that marks a worker. It holds the judge's process id.
const VARIABLE: &str = "CUDA_GRADER_WORKER";
