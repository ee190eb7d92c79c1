//! The compiler that a command uses: what `--compiler` asks for, against what the GPU runs and what there is.

use harness::{
    device::GpuInfo,
    toolchain::{CompilerChoice, Toolchain, ToolchainError},
};

use crate::{
    exit::{Result, Trouble},
    terminal::install_progress,
};

/// Finds it; a pinned one that is nowhere is fetched.
///
/// # Errors
/// Wrong usage where what was asked for is not there or does not suit the GPU; a judge's error otherwise.
pub fn resolve(choice: Option<&CompilerChoice>, gpu: Option<&GpuInfo>) -> Result<Toolchain> {
    let asked = choice.is_some();
    let choice = choice.cloned().unwrap_or_default();
    Toolchain::locate_or_install(&choice, gpu.map(GpuInfo::needs), install_progress()).map_err(|error| {
        match error {
            ToolchainError::NoSuchCompiler { .. } => Trouble::usage(error.to_string(), ""),
            ToolchainError::GpuRefuses { .. } if asked => Trouble::usage(error.to_string(), ""),
            error => Trouble::judge(error.to_string(), "`grader doctor` looks at the whole machine"),
        }
    })
}
