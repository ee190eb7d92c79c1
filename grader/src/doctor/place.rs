//! The course folder: whether the next check finds its kernels there and may write what it must.

use std::{
    env, io,
    path::{Path, PathBuf},
};

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
    init,
    settings::{SETTINGS, Settings},
    terminal::typed_in,
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
        return make_one(broken(NAME, "none here, and `check` needs one"), &here, None);
    };
    let due = match folder.due(course) {
        Ok(due) => due,
        Err(trouble) => return broken(NAME, trouble.message).advise(trouble.next),
    };
    let denied = denied(&due);
    if let Some((path, error)) = denied.first() {
        let found = format!("could not write to {}: {}", shown(path), files::explain(error));
        let permits: Vec<String> = denied.iter().filter_map(|(path, _)| system::permit("w", path)).collect();
        let fact = match permits.is_empty() {
            false => broken(NAME, found).mend("make it writable:", &permits),
            true => broken(NAME, found),
        };
        return make_one(fact, &here, Some(&folder));
    }
    if !folder.path.is_dir() {
        return good(NAME, format!("{}, made by the first check", shown(&folder.path)));
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
        if let Err(Unreadable::Refused(why)) = files::read_kernel(&kernel) {
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
                None => make_one(lacking(NAME, found), &here, Some(&folder)),
            }
        }
    }
}

/// Of the folders that are to be written to, each that can't be, with why; of one that is not there yet, the one in which
/// it would be made.
fn denied(due: &[PathBuf]) -> Vec<(&Path, io::Error)> {
    let mut existing: Vec<&Path> = due.iter().map(|folder| system::nearest(folder)).collect();
    existing.sort();
    existing.dedup();
    existing.into_iter().filter_map(|folder| Some((folder, system::writable(folder).err()?))).collect()
}

/// Makes a course folder, other than the one of here, where `init` takes one and one may write.
fn make_one(fact: Fact, here: &Path, other_than: Option<&CourseFolder>) -> Fact {
    let home = env::var_os("HOME").map(|home| ("~/course", Path::new(&home).join("course")));
    let is_free = |path: &Path| {
        let is_other = other_than.is_none_or(|folder| folder.path != path);
        is_other && init::takes(path) && system::writable(path).is_ok()
    };
    match [Some(("course", here.join("course"))), home].into_iter().flatten().find(|(_, path)| is_free(path))
    {
        Some((name, _)) => fact.mend(
            "make a course folder and work there:",
            &[format!("{} init {name} && cd {name}", typed_in(here))],
        ),
        None => fact.advise("make a course folder where you may write: `grader init DIR`"),
    }
}
