//! GitHub Classroom: a workflow that judges a repository and reports its points.
//!
//! Classroom takes a workflow `.github/workflows/classroom.yml` of the template repository; the check must be called
//! "Autograding Tests", and the reporter reads each runner's results as base64 of JSON with `max_score` and `tests`, each
//! with `name`, `status`, `score`: `src/main.js`, `src/notify-classroom.js` and the README at
//! <https://github.com/classroom-resources/autograding-grading-reporter>.

use std::path::Path;

use super::ExportFile;
use crate::assignment::Assignment;

const WORKFLOW: &str = include_str!("github/classroom.yml");

/// The files of a template repository.
pub fn files(out: &Path, assignment: &Assignment) -> Vec<ExportFile> {
    let assignment = assignment.for_autograder();
    [
        (".github/workflows/classroom.yml", WORKFLOW.as_bytes()),
        (".github/classroom/assignment.toml", assignment.as_bytes()),
    ]
    .map(|(name, content)| ExportFile::of(out.join(name), content.to_vec()))
    .into()
}
