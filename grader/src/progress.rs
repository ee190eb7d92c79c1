//! How far a learner is: hints seen, kernels passed. One JSON file in the course folder: the record.
//!
//! What was passed is remembered by the content's hash, for good: a kernel edited afterwards is one that was passed and
//! changed since, and one that is put back is the one that passed. An update of the course changes nothing here.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, ErrorKind},
    path::Path,
};

use harness::report::{Failure, Goal, Verdict};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    exit::{Result, Trouble},
    files, json,
    visible::shown,
};

/// The file's name.
pub const RECORD: &str = ".course.json";
const SCHEMA: u32 = 1;

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnerProgress {
    schema: u32,
    /// The version of the course that made or mended the folder last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<String>,
    /// Hashes of the files for editors, as they were written, by their paths in the folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    #[serde(default)]
    exercises: BTreeMap<String, ExerciseProgress>,
}

/// One exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExerciseProgress {
    /// Hash of the stub that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stub: Option<String>,
    /// How many of the general hints were shown.
    pub hints: usize,
    /// How many of the hints for a failure were shown, e.g. `clean/race`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hints_for: BTreeMap<String, usize>,
    /// What the last check found wrong, the most telling first; nothing where it passed, or
    /// judged the untouched stub.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "known_failures")]
    pub failures: Vec<Failure>,
    /// The cases in which its outputs were wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong_cases: Vec<String>,
    /// The solution was seen before anything passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gave_up: bool,
    /// How often it was checked.
    pub checks: u64,
    /// What the last check decided, goal by goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedKernel>,
    /// The kernels that passed, newest last.
    pub passed: Vec<Passed>,
}

/// Those that this version knows: another one may have written the file.
fn known_failures<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<Failure>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// The verdicts on a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedKernel {
    /// Hash of its text.
    pub kernel: String,
    /// By the goal's name.
    #[serde(deserialize_with = "known_verdicts")]
    pub goals: BTreeMap<String, Verdict>,
}

impl JudgedKernel {
    /// The verdicts on the goals that this version knows.
    pub fn verdicts(&self) -> Vec<(Goal, Verdict)> {
        let known = self.goals.iter().filter_map(|(name, verdict)| Some((name.parse().ok()?, *verdict)));
        known.collect()
    }
}

/// Those that this version knows.
fn known_verdicts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<BTreeMap<String, Verdict>, D::Error> {
    let all = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    let known = all.into_iter().filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)));
    Ok(known.collect())
}

/// A kernel that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// Hash of its text.
    pub kernel: String,
    /// When, in UTC.
    pub at: String,
    /// Where, e.g. `sim:h200`.
    pub device: String,
    /// Whether its speed was still unmeasured then.
    pub speed_unmeasured: bool,
}

impl Default for LearnerProgress {
    fn default() -> Self {
        LearnerProgress { schema: SCHEMA, course: None, files: BTreeMap::new(), exercises: BTreeMap::new() }
    }
}

impl LearnerProgress {
    /// Reads a course folder's progress; none where nothing was recorded yet.
    ///
    /// # Errors
    /// Where the file can't be read or isn't ours: it is never overwritten then.
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(RECORD);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(LearnerProgress::default()),
            Err(error) => {
                return Err(Trouble::judge(
                    format!("could not read {}: {}", shown(&path), files::explain(&error)),
                    "make it readable, or move it away to start your progress anew",
                ));
            }
        };
        match serde_json::from_str::<LearnerProgress>(&text) {
            Ok(progress) if progress.schema == SCHEMA => Ok(progress),
            Ok(progress) => Err(Trouble::judge(
                format!("{} has format {}, this grader knows {SCHEMA}", shown(&path), progress.schema),
                "update the grader",
            )),
            Err(error) => Err(Trouble::judge(
                format!("{} is damaged: {}", shown(&path), json::in_words(text.as_bytes(), &error)),
                "move it away to start your progress anew; your kernels stay",
            )),
        }
    }

    /// Keeps others from reading and writing a course folder's progress until the value is dropped,
    /// so that of two checks at once neither loses its pass. None where the file system has no
    /// locks; then the last one wins.
    pub fn lock(folder: &Path) -> Option<File> {
        let folder = File::open(folder).ok()?;
        folder.lock().ok()?;
        Some(folder)
    }

    /// Reads, changes and writes it, alone.
    ///
    /// # Errors
    /// As [`LearnerProgress::load`], and a judge's error where the disk refuses.
    pub fn update(folder: &Path, change: impl FnOnce(&mut LearnerProgress)) -> Result<()> {
        let _lock = LearnerProgress::lock(folder);
        let mut progress = LearnerProgress::load(folder)?;
        change(&mut progress);
        progress.save(folder).map_err(|error| {
            Trouble::judge(
                format!("could not write {}: {}", shown(folder.join(RECORD)), files::explain(&error)),
                "make room there, or make the course folder writable",
            )
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// As `std::fs`.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        files::write_atomically(&folder.join(RECORD), text.as_bytes())
    }

    /// One exercise's part, made where there was none.
    pub fn of(&mut self, id: &str) -> &mut ExerciseProgress {
        self.exercises.entry(id.to_owned()).or_default()
    }

    /// Whether there is a part of an exercise's.
    pub fn has(&self, id: &str) -> bool {
        self.exercises.contains_key(id)
    }

    /// Makes an exercise's part that of another id, together with what is there already. `moved` is whether the
    /// kernel has moved, too.
    pub fn carry(&mut self, from: &str, to: &str, moved: bool) {
        if let Some(before) = self.exercises.remove(from) {
            self.of(to).take_in(before, moved);
        }
    }
}

impl ExerciseProgress {
    /// The pass of a kernel with this hash, if it had one.
    pub fn pass_of(&self, kernel: &str) -> Option<&Passed> {
        self.passed.iter().rev().find(|passed| passed.kernel == kernel)
    }

    /// Remembers a pass; the newest of each kernel.
    pub fn remember(&mut self, pass: Passed) {
        self.passed.retain(|known| known.kernel != pass.kernel);
        self.passed.push(pass);
    }

    /// Takes in what was kept of the same exercise under another id, and loses nothing of either.
    fn take_in(&mut self, before: ExerciseProgress, moved: bool) {
        let own = std::mem::take(self);
        let last = if moved || own == ExerciseProgress::default() { &before } else { &own };
        self.stub = last.stub.clone().or(own.stub.clone()).or(before.stub.clone());
        self.failures.clone_from(&last.failures);
        self.wrong_cases.clone_from(&last.wrong_cases);
        self.judged.clone_from(&last.judged);
        self.hints = own.hints.max(before.hints);
        self.hints_for = own.hints_for;
        for (failure, seen) in before.hints_for {
            let known = self.hints_for.entry(failure).or_default();
            *known = seen.max(*known);
        }
        self.gave_up = own.gave_up || before.gave_up;
        self.checks = own.checks + before.checks;
        let mut all: Vec<Passed> = before.passed.into_iter().chain(own.passed).collect();
        all.sort_by(|one, other| one.at.cmp(&other.at));
        all.into_iter().for_each(|pass| self.remember(pass));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let pass = |kernel: String| Passed {
            kernel,
            at: String::new(),
            device: "sim:h200".to_owned(),
            speed_unmeasured: true,
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (folder, pass) = (folder.path(), &pass);
                scope.spawn(move || {
                    for kernel in 0..8 {
                        let pass = pass(format!("{thread}-{kernel}"));
                        LearnerProgress::update(folder, |progress| {
                            progress.of("03-reduction").remember(pass)
                        })
                        .unwrap();
                    }
                });
            }
        });
        let mut progress = LearnerProgress::load(folder.path()).unwrap();
        assert_eq!(progress.of("03-reduction").passed.len(), 4 * 8);
    }

    #[test]
    fn survives_a_round_trip_and_refuses_damage() {
        let folder = tempfile::tempdir().unwrap();
        let mut progress = LearnerProgress::default();
        progress.of("03-reduction").hints = 2;
        let pass = |kernel: &str| Passed {
            kernel: kernel.to_owned(),
            at: String::new(),
            device: "sim:h200".to_owned(),
            speed_unmeasured: true,
        };
        for kernel in ["a", "b", "a"] {
            progress.of("03-reduction").remember(pass(kernel));
        }
        assert_eq!(progress.of("03-reduction").passed.len(), 2);
        progress.save(folder.path()).unwrap();
        assert_eq!(LearnerProgress::load(folder.path()).unwrap(), progress);
        fs::write(folder.path().join(RECORD), "{").unwrap();
        assert!(LearnerProgress::load(folder.path()).is_err());
        assert_eq!(fs::read_to_string(folder.path().join(RECORD)).unwrap(), "{");
    }
}
