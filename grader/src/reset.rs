//! `grader reset`: puts an exercise's stub back, and what was written beside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    check::{course_folder, remark_not_kept},
    cli::Reset,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    folder::content_hash,
    progress::LearnerProgress,
    signals, stub,
    visible::shown,
};

/// Runs it.
///
/// # Errors
/// An unknown name, or a disk that refuses the stub; then nothing is lost.
pub fn run(course: Course<'_>, reset: &Reset) -> Result<Exit> {
    let exercise = course.named_or_here(reset.name.as_deref(), "reset")?;
    let folder = course_folder(course)?;
    let path = folder.kernel(exercise);
    if files::read_kernel(&path).is_ok_and(|text| stub::is_untouched(&text, exercise.about().stub)) {
        crate::print(&format!("{} is the stub already\n", shown(&path)));
        return Ok(Exit::Passed);
    }
    let refused = |path: &Path, error: &io::Error| {
        Trouble::judge(
            format!("could not write {}: {}; nothing was changed", shown(path), files::explain(error)),
            "make room there, or make the folder writable",
        )
    };
    // A signal that came between the two names would leave no kernel.
    let set_aside = signals::whole();
    // Whatever is there keeps its bytes, also what nobody can read as a kernel.
    let kept = free_name(&path);
    let is_there = fs::symlink_metadata(&path).is_ok();
    if is_there {
        fs::rename(&path, &kept).map_err(|error| refused(&path, &error))?;
    }
    let stub = stub::written(exercise);
    if let Err(error) = files::write_new(&path, stub.as_bytes()) {
        if is_there && fs::rename(&kept, &path).is_err() {
            let found = format!("could not write {}: {}", shown(&path), files::explain(&error));
            let next = "make room there, or make the folder writable";
            return Err(Trouble::judge(format!("{found}; yours is in {}", shown(&kept)), next));
        }
        return Err(refused(&path, &error));
    }
    drop(set_aside);
    // Before anything else that can fail: the file has another name now.
    let yours = if is_there { format!("; yours is in {}", shown(&kept)) } else { String::new() };
    crate::print(&format!("{} is the stub again{yours}\n", shown(&path)));
    let recorded = LearnerProgress::update(&folder.path, |progress| {
        progress.of(exercise.id()).stub = Some(content_hash(&stub));
    });
    if let Err(trouble) = recorded {
        remark_not_kept(&trouble);
    }
    Ok(Exit::Passed)
}

/// Beside the kernel, with the first number that is free.
fn free_name(kernel: &Path) -> PathBuf {
    let name = |number: u64| kernel.with_file_name(format!("kernel.before-reset-{number}.cu"));
    let mut number = 1;
    while fs::symlink_metadata(name(number)).is_ok() {
        number += 1;
    }
    name(number)
}
