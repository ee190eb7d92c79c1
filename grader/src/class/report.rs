//! `grader class report`: the whole report of one student's kernel, as `check` prints it.

use super::{replay::stored, store::Store};
use crate::{
    check::render,
    cli::{Format, class::ClassReport},
    course::Course,
    exit::{Exit, Result},
    terminal::Terminal,
};

/// Runs it. It passes whatever the report says: it was found.
///
/// # Errors
/// Wrong usage where there is no such report.
pub fn run(course: Course<'_>, asked: &ClassReport, terminal: Terminal) -> Result<Exit> {
    let (store, _) = Store::open(&asked.results)?;
    let exercise = course.find(&asked.exercise)?;
    let (_, report) = stored(&store, &asked.results, &asked.student, exercise.id())?;
    match asked.format {
        Format::Text => crate::print(&render::report(&report, terminal)),
        Format::Json => crate::print_json(&report)?,
    }
    Ok(Exit::Passed)
}
