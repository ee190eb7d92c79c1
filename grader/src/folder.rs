//! The course folder: where a learner's kernels and progress live.
//!
//! A folder is one that `init` marked with the progress file; inside a checkout of the course it is
//! `learn/`, made on first use. Stubs are written once and never over anything, so updates of the course
//! never meet a learner's edits.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use harness::exercise::Exercise;

use crate::{
    course::Course,
    exit::{Result, Trouble},
    files,
    progress::{LearnerProgress, MARKER},
    visible::{one_line, shown},
};

/// A learner's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseFolder {
    /// Its path.
    pub path: PathBuf,
}

/// What `open_or_create` did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Ids of the exercises whose stub was written.
    pub stubs: Vec<String>,
    /// Ids of those whose untouched stub gave way to that of another version of the course.
    pub renewed: Vec<String>,
}

impl CourseFolder {
    /// The folder that `start` belongs to: the nearest one marked by `init`, or the checkout's `learn/`.
    pub fn find(start: &Path) -> Option<Self> {
        start.ancestors().find_map(|ancestor| {
            if ancestor.join(MARKER).is_file() {
                Some(CourseFolder { path: ancestor.to_owned() })
            } else if is_checkout(ancestor) {
                Some(CourseFolder { path: ancestor.join("learn") })
            } else {
                None
            }
        })
    }

    /// The folder of the current directory.
    ///
    /// # Errors
    /// Wrong usage where there is none.
    pub fn current() -> Result<Self> {
        let here = current_directory()?;
        CourseFolder::find(&here).ok_or_else(|| {
            Trouble::usage(
                format!("{} belongs to no course folder", one_line(&here.to_string_lossy())),
                "`grader init DIR` makes one; run the command there, or name a file with --kernel PATH",
            )
        })
    }

    /// Where a kernel of the learner lies, relative to the current directory where that is shorter.
    pub fn kernel(&self, exercise: &dyn Exercise) -> PathBuf {
        self.path.join(exercise.id()).join("kernel.cu")
    }

    /// Makes the folder and what is missing in it: the marker and the stubs. Overwrites nothing but stubs of an
    /// earlier version that are as they came.
    ///
    /// # Errors
    /// A judge's error where the disk refuses.
    pub fn complete(&self, course: Course<'_>) -> Result<Made> {
        let refused = |path: &Path, error: &std::io::Error| {
            Trouble::judge(
                format!("could not write {}: {}", shown(path), files::explain(error)),
                "make room there, make the folder writable, or choose another with `grader init DIR`",
            )
        };
        fs::create_dir_all(&self.path).map_err(|error| refused(&self.path, &error))?;
        let _lock = LearnerProgress::lock(&self.path);
        let mut progress = LearnerProgress::load(&self.path)?;
        let mut made = Made::default();
        let marked = self.path.join(MARKER).exists();
        for exercise in course.exercises {
            let path = self.kernel(*exercise);
            let folder = path.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
            let stub = exercise.about().stub;
            // Whatever is there stays; so a stub that a full disk cut off would stay,
            // too, and is never there.
            match files::write_new(&path, stub.as_bytes()) {
                Ok(()) => {
                    progress.of(exercise.id()).stub = Some(content_hash(stub));
                    made.stubs.push(exercise.id().to_owned());
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let came = progress.of(exercise.id()).stub.clone();
                    let is_as_it_came = |came: &String| {
                        *came != content_hash(stub)
                            && files::read_kernel(&path).is_ok_and(|text| content_hash(&text) == *came)
                    };
                    if came.as_ref().is_some_and(is_as_it_came) {
                        files::write_atomically(&path, stub.as_bytes())
                            .map_err(|error| refused(&path, &error))?;
                        progress.of(exercise.id()).stub = Some(content_hash(stub));
                        made.renewed.push(exercise.id().to_owned());
                    }
                }
                Err(error) => return Err(refused(&path, &error)),
            }
        }
        if !marked || made != Made::default() {
            progress.save(&self.path).map_err(|error| refused(&self.path.join(MARKER), &error))?;
        }
        Ok(made)
    }
}

/// BLAKE3 of a text, as reports print it.
pub fn content_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The current directory.
///
/// # Errors
/// Where it was deleted or can't be read.
pub fn current_directory() -> Result<PathBuf> {
    std::env::current_dir().map_err(|error| {
        Trouble::usage(format!("the current directory is gone: {error}"), "change to a folder that exists")
    })
}

/// A checkout of this course: the workspace that has the grader and the exercises.
pub fn is_checkout(folder: &Path) -> bool {
    folder.join("grader/Cargo.toml").is_file() && folder.join("exercises").is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{course::made_up::course, sample::Named};

    #[test]
    fn a_learners_file_is_never_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let folder = CourseFolder { path: root.path().join("mine") };
        course(&[Named("00-first-kernel"), Named("03-reduction")], |course| {
            let kernel = folder.kernel(course.exercises[1]);
            fs::create_dir_all(kernel.parent().unwrap()).unwrap();
            fs::write(&kernel, "my own").unwrap();
            assert_eq!(folder.complete(course).unwrap().stubs, ["00-first-kernel"]);
            assert_eq!(folder.complete(course).unwrap(), Made::default());
            assert_eq!(fs::read_to_string(&kernel).unwrap(), "my own");
        });
        let below = folder.path.join("00-first-kernel");
        assert_eq!(CourseFolder::find(&below), Some(folder));
        assert_eq!(CourseFolder::find(root.path()), None);
    }

    #[test]
    fn a_stub_of_another_version_gives_way_and_what_was_written_does_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = CourseFolder { path: root.path().join("mine") };
        course(&[Named("00-first-kernel"), Named("03-reduction")], |course| {
            folder.complete(course).unwrap();
            let [untouched, edited] = [0, 1].map(|at| folder.kernel(course.exercises[at]));
            fs::write(&untouched, "an earlier stub").unwrap();
            fs::write(&edited, "my own").unwrap();
            LearnerProgress::update(&folder.path, |progress| {
                for exercise in course.exercises {
                    progress.of(exercise.id()).stub = Some(content_hash("an earlier stub"));
                }
            })
            .unwrap();
            assert_eq!(folder.complete(course).unwrap().renewed, ["00-first-kernel"]);
            assert_eq!(fs::read_to_string(&untouched).unwrap(), course.exercises[0].about().stub);
            assert_eq!(fs::read_to_string(&edited).unwrap(), "my own");
            assert_eq!(folder.complete(course).unwrap(), Made::default());
        });
    }

    #[test]
    fn a_checkout_has_learn() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("grader")).unwrap();
        fs::create_dir_all(root.path().join("exercises/x")).unwrap();
        fs::write(root.path().join("grader/Cargo.toml"), "").unwrap();
        let found = CourseFolder::find(&root.path().join("exercises/x")).unwrap();
        assert_eq!(found.path, root.path().join("learn"));
    }
}
