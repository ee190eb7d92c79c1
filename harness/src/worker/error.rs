//! What stops a worker at its own end: it says so on its standard error stream, and ends without an answer.

use std::io;

use thiserror::Error;

/// Why a worker cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// A value that the other side did not write as this side reads it, or that cannot be written.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The socket or the files for the bulk.
    #[error(transparent)]
    Exchange(#[from] io::Error),
    /// A limit that the system does not take.
    #[error("{resource}: {error}")]
    Limit {
        /// The limit's name, as `setrlimit` has it.
        resource: &'static str,
        /// The system's words.
        error: io::Error,
    },
    /// It is not shut in as it must be.
    #[error(transparent)]
    Confinement(#[from] ConfineError),
}

/// A value that could not be written to bytes, or read from them.
#[derive(Debug, Error)]
pub enum ValueError {
    /// It cannot be written.
    #[error(transparent)]
    Encode(#[from] rmp_serde::encode::Error),
    /// The bytes are another type's, or damaged.
    #[error(transparent)]
    Decode(#[from] rmp_serde::decode::Error),
}

/// Why a process is not shut in by a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ConfineError {
    /// For good means that the judge itself would be.
    #[error("only a worker process may be shut in")]
    NoWorker,
    /// A policy cannot be lifted.
    #[error("this worker is shut in by another policy; each policy needs a worker of its own")]
    AnotherPolicy,
}
