//! The course folder: where a learner's kernels and progress live.
//!
//! A folder is one that `init` marked with `course.toml` (earlier versions: with the record alone); inside a checkout
//! of the course it is `learn/`, made on first use. Stubs are written once and never over anything, so updates of the
//! course never meet a learner's edits.

pub mod renames;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use harness::exercise::Exercise;

use self::renames::Renamed;
use crate::{
    course::Course,
    editor,
    exit::{Result, Trouble},
    files,
    progress::{LearnerProgress, RECORD},
    settings::{SETTINGS, TEMPLATE},
    stub,
    visible::{one_line, shown},
};

/// The version of the course.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A learner's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseFolder {
    /// Its path.
    pub path: PathBuf,
}

/// What was made or mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Ids of the exercises whose stub was written.
    pub stubs: Vec<String>,
    /// Ids of those whose untouched stub gave way to that of another version of the course.
    pub renewed: Vec<String>,
    /// Folders of exercises that this version of the course calls otherwise.
    pub renamed: Vec<Renamed>,
    /// The version of the course that made or mended the folder before, where that is another one.
    pub version_before: Option<String>,
    /// Files for editors that someone has changed, and that stay as they are.
    pub edited: Vec<String>,
}

impl CourseFolder {
    /// The folder that `start` belongs to: the nearest one marked by `init`, or the checkout's `learn/`.
    pub fn find(start: &Path) -> Option<Self> {
        start.ancestors().find_map(|ancestor| {
            if ancestor.join(SETTINGS).is_file() || ancestor.join(RECORD).is_file() {
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

    /// Makes the folder, or what is missing of kernels in it: what a check needs. Overwrites nothing but stubs of an
    /// earlier version that are as they came.
    ///
    /// # Errors
    /// A judge's error where the disk refuses.
    pub fn complete(&self, course: Course<'_>) -> Result<Made> {
        let is_new = !self.path.join(SETTINGS).exists() && !self.path.join(RECORD).exists();
        self.make(course, is_new)
    }

    /// The folders that [`CourseFolder::complete`] writes to now; none where nothing is due.
    ///
    /// # Errors
    /// A record that can't be read.
    pub fn due(&self, course: Course<'_>) -> Result<Vec<PathBuf>> {
        let mut progress = LearnerProgress::load(&self.path)?;
        let mut due = Vec::new();
        for exercise in course.exercises {
            if self.due_stub(*exercise, &mut progress).is_some() {
                due.push(self.path.join(exercise.id()));
            }
        }
        let is_recorded = self.path.join(RECORD).exists();
        // A stub and a rename change the record, too.
        if !due.is_empty() || !is_recorded || renames::are_due(&self.path, course, &mut progress) {
            due.push(self.path.clone());
        }
        Ok(due)
    }

    /// Makes the folder, or all that is missing in it, settings and files for editors, too.
    ///
    /// # Errors
    /// As [`CourseFolder::complete`].
    pub fn mend(&self, course: Course<'_>) -> Result<Made> {
        self.make(course, true)
    }

    fn make(&self, course: Course<'_>, all: bool) -> Result<Made> {
        fs::create_dir_all(&self.path).map_err(|error| refused(&self.path, &error))?;
        let _lock = LearnerProgress::lock(&self.path);
        let mut progress = LearnerProgress::load(&self.path)?;
        let before = progress.clone();
        let mut made = Made::default();
        let is_recorded = self.path.join(RECORD).exists();
        let kept = self.fill(course, all, &mut progress, &mut made);
        // What was done before the disk refused is done.
        if !is_recorded || progress != before {
            let saved = progress.save(&self.path).map_err(|error| refused(&self.path.join(RECORD), &error));
            kept.and(saved)?;
        } else {
            kept?;
        }
        Ok(made)
    }

    fn fill(
        &self,
        course: Course<'_>,
        all: bool,
        progress: &mut LearnerProgress,
        made: &mut Made,
    ) -> Result<()> {
        made.version_before = progress.course.clone().filter(|version| version != VERSION);
        made.renamed = renames::carry(&self.path, course, progress)
            .map_err(|(name, error)| refused(&self.path.join(name), &error))?;
        for exercise in course.exercises {
            self.put_stub(*exercise, progress, made)?;
        }
        if all {
            let in_checkout = self.path.ancestors().any(is_checkout);
            progress.course = Some(VERSION.to_owned());
            made.edited = editor::write(&self.path, in_checkout, &mut progress.files)
                .map_err(|editor::Refused { path, error }| refused(&path, &error))?;
            let settings = self.path.join(SETTINGS);
            match files::write_new(&settings, TEMPLATE.as_bytes()) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(refused(&settings, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn put_stub(
        &self,
        exercise: &dyn Exercise,
        progress: &mut LearnerProgress,
        made: &mut Made,
    ) -> Result<()> {
        let Some(due) = self.due_stub(exercise, progress) else { return Ok(()) };
        let path = self.kernel(exercise);
        let folder = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
        let stub = stub::written(exercise);
        let written = match due {
            // Whatever is there stays; so a stub that a full disk cut off would stay,
            // too, and is never there.
            DueStub::Missing => files::write_new(&path, stub.as_bytes()),
            DueStub::Outdated => files::write_atomically(&path, stub.as_bytes()),
        };
        match written {
            // Another process was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(refused(&path, &error)),
            Ok(()) => {}
        }
        let id = exercise.id().to_owned();
        progress.of(&id).stub = Some(content_hash(&stub));
        match due {
            DueStub::Missing => made.stubs.push(id),
            DueStub::Outdated => made.renewed.push(id),
        }
        Ok(())
    }

    /// Why an exercise's stub is to be written; none where the kernel that is there stays.
    fn due_stub(&self, exercise: &dyn Exercise, progress: &mut LearnerProgress) -> Option<DueStub> {
        let path = self.kernel(exercise);
        if fs::symlink_metadata(&path).is_err() {
            return Some(DueStub::Missing);
        }
        let came = progress.has(exercise.id()).then(|| progress.of(exercise.id()).stub.clone()).flatten()?;
        let is_as_it_came = || files::read_kernel(&path).is_ok_and(|text| content_hash(&text) == came);
        (came != content_hash(&stub::written(exercise)) && is_as_it_came()).then_some(DueStub::Outdated)
    }
}

/// Why a stub is to be written.
#[derive(Clone, Copy)]
enum DueStub {
    /// Nothing is there.
    Missing,
    /// What is there is another version's, as it came.
    Outdated,
}

fn refused(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make room there, make the folder writable, or choose another with `grader init DIR`",
    )
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
            let own = folder.path.join("00-first-kernel");
            assert_eq!(folder.due(course).unwrap(), [own, folder.path.clone()]);
            assert_eq!(folder.complete(course).unwrap().stubs, ["00-first-kernel"]);
            assert!(folder.due(course).unwrap().is_empty());
            assert_eq!(folder.complete(course).unwrap(), Made::default());
            let record = folder.path.join(RECORD);
            let recorded = fs::read(&record).unwrap();
            fs::remove_file(&record).unwrap();
            assert_eq!(folder.due(course).unwrap(), std::slice::from_ref(&folder.path));
            fs::write(&record, recorded).unwrap();
            assert_eq!(folder.mend(course).unwrap(), Made::default());
            assert_eq!(fs::read_to_string(&kernel).unwrap(), "my own");
        });
        let below = folder.path.join("00-first-kernel");
        assert_eq!(CourseFolder::find(&below), Some(folder));
        assert_eq!(CourseFolder::find(root.path()), None);
    }

    #[test]
    fn either_file_marks_a_folder() {
        for marker in [SETTINGS, RECORD] {
            let root = tempfile::tempdir().unwrap();
            let below = root.path().join("a/b");
            fs::create_dir_all(&below).unwrap();
            assert_eq!(CourseFolder::find(&below), None);
            fs::write(root.path().join(marker), "").unwrap();
            assert_eq!(CourseFolder::find(&below).unwrap().path, root.path());
        }
    }

    #[test]
    fn a_check_puts_no_settings_and_editors_files_into_an_old_folder_and_init_does() {
        let root = tempfile::tempdir().unwrap();
        let folder = CourseFolder { path: root.path().to_owned() };
        let record = root.path().join(RECORD);
        // As the first version made it.
        fs::write(&record, r#"{"schema": 1, "exercises": {"03-reduction": {"hints": 2}}}"#).unwrap();
        course(&[Named("03-reduction")], |course| {
            assert_eq!(folder.complete(course).unwrap().stubs, ["03-reduction"]);
            assert!(!root.path().join(SETTINGS).exists() && !root.path().join(".clangd").exists());
            folder.mend(course).unwrap();
            assert_eq!(fs::read_to_string(root.path().join(SETTINGS)).unwrap(), TEMPLATE);
            assert!(root.path().join(".clangd").is_file());
            assert_eq!(LearnerProgress::load(root.path()).unwrap().of("03-reduction").hints, 2);
            // What a person wrote there stays.
            fs::write(root.path().join(SETTINGS), "schema = 1\nplain = true\n").unwrap();
            folder.mend(course).unwrap();
            assert!(fs::read_to_string(root.path().join(SETTINGS)).unwrap().contains("plain = true"));
        });
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
            let own = folder.path.join("00-first-kernel");
            assert_eq!(folder.due(course).unwrap(), [own, folder.path.clone()]);
            assert_eq!(folder.complete(course).unwrap().renewed, ["00-first-kernel"]);
            assert!(folder.due(course).unwrap().is_empty());
            assert_eq!(fs::read_to_string(&untouched).unwrap(), stub::written(course.exercises[0]));
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
