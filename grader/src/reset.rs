//! `grader reset`: puts an exercise's stub back, and what was written beside it.

use std::io::ErrorKind;

use crate::{
    check::course_folder,
    cli::Reset,
    course::Course,
    exit::{Exit, Result, Trouble},
    files::{self, Unreadable},
    folder::content_hash,
    progress::LearnerProgress,
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// An unknown name, or a disk that refuses; then nothing is lost.
pub fn run(course: Course<'_>, reset: &Reset) -> Result<Exit> {
    let exercise = course.find(&reset.name)?;
    let folder = course_folder(course)?;
    let path = folder.kernel(exercise);
    let stub = exercise.about().stub;
    let text = match files::read_kernel(&path) {
        Ok(text) if text == stub => {
            crate::print(&format!("{} is the stub already\n", shown(&path)));
            return Ok(Exit::Passed);
        }
        Ok(text) => text,
        Err(Unreadable::Missing) => String::new(),
        Err(Unreadable::Unusable(found, next)) => {
            return Err(Trouble::usage(format!("{}: {found}", shown(&path)), next));
        }
        Err(Unreadable::Refused(why)) => {
            return Err(Trouble::usage(
                format!("could not read {}: {why}", shown(&path)),
                files::MAKE_READABLE,
            ));
        }
    };
    let refused = |path: &std::path::Path, error: &std::io::Error| {
        Trouble::judge(
            format!("could not write {}: {}; nothing was changed", shown(path), files::explain(error)),
            "make room there, or make the folder writable",
        )
    };
    // The first number that is free.
    let mut number = 1;
    let kept = loop {
        let kept = path.with_file_name(format!("kernel.before-reset-{number}.cu"));
        match files::write_new(&kept, text.as_bytes()) {
            Ok(()) => break kept,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(refused(&kept, &error)),
        }
    };
    files::write_atomically(&path, stub.as_bytes()).map_err(|error| refused(&path, &error))?;
    LearnerProgress::update(&folder.path, |progress| {
        progress.of(exercise.id()).stub = Some(content_hash(stub));
    })?;
    crate::print(&format!("{} is the stub again; yours is in {}\n", shown(&path), shown(&kept)));
    Ok(Exit::Passed)
}
