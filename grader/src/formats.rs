//! Results for programs that collect them: JUnit's XML, GitHub's annotations and lines for editors. All are made from one
//! [`KernelResult`], which says what of a report they have room for.

mod annotation;
pub mod editor;
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
        ResultFormat::Junit => crate::print_whole(&junit::xml(results)?),
        ResultFormat::Github => crate::print_whole(&github::annotations(results)),
        ResultFormat::Editor => crate::print_whole(&editor::lines(results)),
        // These have more than a result.
        ResultFormat::Text | ResultFormat::Json => {}
    }
    Ok(())
}
