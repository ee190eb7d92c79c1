//! How the program ends: the exit codes, and the one error type that the commands return.
//!
//! An error says what was expected, what was found, where, and the next step. It knows its exit code, so that
//! a wrong argument (2) and a broken judge (3) can never be taken for a failed kernel (1).
//! Both are written where the error is found, and the compiler asks for them: with `anyhow`, a `?` that forgets them
//! would compile.

use std::fmt;

pub use harness::judge::Exit;

/// Why a command could not go on.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The exit code that it leads to: usage or judge.
    pub exit: Exit,
    /// What was expected, what was found, where.
    pub message: String,
    /// The next step.
    pub next: String,
}

/// The result of a command's parts.
pub type Result<T, E = Trouble> = std::result::Result<T, E>;

impl Trouble {
    /// The user asked for something that cannot be.
    pub fn usage(message: impl Into<String>, next: impl Into<String>) -> Self {
        Trouble { exit: Exit::Usage, message: message.into(), next: next.into() }
    }
    /// The judge's own work failed.
    pub fn judge(message: impl Into<String>, next: impl Into<String>) -> Self {
        Trouble { exit: Exit::JudgeError, message: message.into(), next: next.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}
