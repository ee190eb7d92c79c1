//! GitHub Classroom: a workflow that judges a repository and reports its points.
//!
//! Classroom takes a workflow `.github/workflows/classroom.yml` of the template repository; the check must be called
//! "Autograding Tests", and the reporter reads each runner's results as base64 of JSON with `max_score` and `tests`, each
//! with `name`, `status`, `score`: `src/main.js`, `src/notify-classroom.js` and the README at
//! <https://github.com/classroom-resources/autograding-grading-reporter>.

use std::path::Path;

use super::{LeftOut, make_folder, write_file};
use crate::{assignment::Assignment, exit::Result};

const WORKFLOW: &str = include_str!("github/classroom.yml");

/// Writes the files of a template repository.
///
/// # Errors
/// Files that can't be written.
pub fn write(out: &Path, assignment: &Assignment) -> Result<Vec<LeftOut>> {
    let (workflows, classroom) = (out.join(".github/workflows"), out.join(".github/classroom"));
    make_folder(&workflows)?;
    make_folder(&classroom)?;
    write_file(&workflows.join("classroom.yml"), WORKFLOW.as_bytes())?;
    write_file(&classroom.join("assignment.toml"), assignment.for_autograder().as_bytes())?;
    Ok(Vec::new())
}
