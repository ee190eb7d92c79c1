//! `grader init`: makes a course folder.

use std::path::absolute;

use crate::{
    cli::Init,
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::CourseFolder,
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// Where the folder can't be made.
pub fn run(course: Course<'_>, init: &Init) -> Result<Exit> {
    let path = absolute(&init.folder)
        .map_err(|error| Trouble::usage(format!("{}: {error}", shown(&init.folder)), "name a folder"))?;
    if path.exists() && !path.is_dir() {
        return Err(Trouble::usage(format!("{} is a file", shown(&path)), "name a folder"));
    }
    let folder = CourseFolder { path };
    let made = folder.complete(course)?;
    let kept = course.exercises.len() - made.stubs.len();
    let kept = if kept > 0 { format!(" ({kept} there already, left as they are)") } else { String::new() };
    crate::print(&format!("{}: {} stubs written{kept}\n", shown(&folder.path), made.stubs.len()));
    if let Some(first) = course.exercises.first() {
        crate::print(&format!(
            "next: edit {}, then `grader check {}`\n",
            shown(folder.kernel(*first)),
            first.id()
        ));
    }
    Ok(Exit::Passed)
}
