//! The course folder: whether the next check finds its kernels there and may write what it must.

use std::{fs, path::Path};

use super::{
    fact::{Fact, broken, good, lacking},
    system,
};
use crate::{
    course::Course,
    devices,
    exit::Trouble,
    files::{self, Unreadable},
    folder::{CourseFolder, current_directory},
    progress::LearnerProgress,
    settings::{SETTINGS, Settings},
    terminal::typed,
    visible::shown,
};

const NAME: &str = "course folder";

/// The folder of the current directory.
pub fn course_folder(course: Course<'_>) -> Fact {
    let here = match current_directory() {
        Ok(here) => here,
        Err(trouble) => {
            return broken(NAME, trouble.message).mend("change to a folder that exists:", &["cd".to_owned()]);
        }
    };
    let Some(folder) = CourseFolder::find(&here) else {
        return make_one(broken(NAME, "none here, and `check` needs one"), &here);
    };
    let refused = |path: &Path, error: &std::io::Error| {
        let fact = broken(NAME, format!("could not write to {}: {}", shown(path), files::explain(error)));
        let fact = match system::permit("w", path) {
            Some(command) => fact.mend("make it writable:", &[command]),
            None => fact,
        };
        make_one(fact, &here)
    };
    if !folder.path.is_dir() {
        return match system::writable(&folder.path) {
            Ok(()) => good(NAME, format!("{}, made by the first check", shown(&folder.path))),
            Err(error) => refused(folder.path.parent().unwrap_or(&folder.path), &error),
        };
    }
    if let Err(trouble) = LearnerProgress::load(&folder.path) {
        return broken(NAME, trouble.message).advise(trouble.next);
    }
    let missing = |settings: Settings| match &settings.device {
        Some(device) => devices::resolve(device).map(drop).map_err(|trouble| {
            let set = shown(folder.path.join(SETTINGS));
            (
                format!("{set} sets a device: {}", trouble.message),
                format!("set another one, or none; {}", trouble.next),
            )
        }),
        None => Ok(()),
    };
    let told = |trouble: Trouble| (trouble.message, trouble.next);
    if let Err((found, next)) = Settings::of(&folder.path).map_err(told).and_then(missing) {
        return broken(NAME, found).advise(next);
    }
    let root = system::writable(&folder.path);
    for exercise in course.exercises {
        let kernel = folder.kernel(*exercise);
        let own = kernel.parent().unwrap_or(&folder.path);
        if fs::symlink_metadata(&kernel).is_err() {
            // The check writes the stub.
            if let Err(error) = system::writable(own) {
                return refused(if own.is_dir() { own } else { &folder.path }, &error);
            }
        } else if let Err(Unreadable::Refused(why)) = files::read_kernel(&kernel) {
            let fact = broken(NAME, format!("could not read {}: {why}", shown(&kernel)));
            return match system::permit("r", &kernel) {
                Some(command) => fact.mend("make it readable:", &[command]),
                None => fact.advise("make it readable for you"),
            };
        }
    }
    match root {
        Ok(()) => good(NAME, shown(&folder.path)),
        Err(error) => {
            let found =
                format!("{}: {}; your progress can't be kept", shown(&folder.path), files::explain(&error));
            match system::permit("w", &folder.path) {
                Some(command) => lacking(NAME, found).mend("make it writable:", &[command]),
                None => make_one(lacking(NAME, found), &here),
            }
        }
    }
}

/// Makes a course folder here, or where one may write.
fn make_one(fact: Fact, here: &Path) -> Fact {
    let folder = if system::writable(here).is_ok() { "course" } else { "~/course" };
    fact.mend("make a course folder and work there:", &[format!("{} init {folder} && cd {folder}", typed())])
}
