//! Results for programs that collect them: JUnit's XML and GitHub's annotations. Both are made from one
//! [`KernelResult`], which says what of a report they have room for.

pub mod github;
pub mod junit;
mod result;

use crate::{cli::ResultFormat, exit::Result};

pub use result::{Ending, KernelResult, Test, TestOf};

/// Prints the results of all kernels of a command.
///
/// # Errors
/// A result that has no XML: a bug.
pub fn print(format: ResultFormat, results: &[KernelResult]) -> Result<()> {
    match format {
        ResultFormat::Junit => crate::print(&junit::xml(results)?),
        ResultFormat::Github => crate::print(&github::annotations(results)),
        // These have more than a result.
        ResultFormat::Text | ResultFormat::Json => {}
    }
    Ok(())
}
