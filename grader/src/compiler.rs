//! `grader compiler install`: a pinned compiler, from the network or from wheels.

use std::path::PathBuf;

use harness::toolchain::{Release, Toolchain, ToolchainError};

use crate::exit::{Exit, Result, Trouble};
use crate::terminal::install_progress;
use crate::visible::shown;

/// Runs it.
///
/// # Errors
/// What stopped the installation; the text says what to do.
pub fn install(release: Release, from: &[PathBuf]) -> Result<Exit> {
    let toolchain = match from {
        [] => Toolchain::install(release, install_progress()),
        wheels => Toolchain::install_from(release, wheels),
    };
    let toolchain = toolchain.map_err(|error| match error {
        ToolchainError::WrongWheel { .. }
        | ToolchainError::WheelsMissing { .. }
        | ToolchainError::NoWheels { .. } => Trouble::usage(error.to_string(), ""),
        error => Trouble::judge(error.to_string(), "`grader doctor` looks at the whole machine"),
    })?;
    crate::print(&format!("NVRTC {} is ready: {}\n", toolchain.version, shown(&toolchain.library)));
    Ok(Exit::Passed)
}
