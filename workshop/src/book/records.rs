//! Which record of a GPU run an exercise's numbers come from.
//!
//! The book is made from one record. An exercise whose kernels are newer than that one is shown from the other, if they were
//! measured there as they are now, and every table says which it is: a number of yesterday's kernel is no number.

use std::{collections::BTreeMap, path::Path};

use grader::{
    calibrate,
    course::Course,
    exit::Result,
    kernels::{self, Role},
};
use harness::exercise::Exercise;

use crate::record::{KernelRecord, PeerRecord, Record};

/// The records, the book's own first.
pub struct Records {
    all: Vec<Source>,
    /// By exercise, for those that are not shown from the first.
    elsewhere: BTreeMap<&'static str, usize>,
}

/// A record, and its file's name.
pub struct Source {
    pub record: Record,
    file: String,
}

impl Records {
    /// Reads the book's record and the others that may stand in for it.
    ///
    /// # Errors
    /// Wrong usage where one is missing or no record.
    pub fn read(course: Course<'_>, root: &Path, paths: &[&Path]) -> Result<Self> {
        let read = |path: &&Path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Source { record: Record::read(&root.join(path))?, file })
        };
        let all: Vec<Source> = paths.iter().map(read).collect::<Result<_>>()?;
        let mut elsewhere = BTreeMap::new();
        for exercise in course.exercises {
            let today = today(root, *exercise);
            let place = all.iter().position(|source| has_measured(&source.record, exercise.id(), &today));
            if let Some(place) = place.filter(|place| *place > 0) {
                elsewhere.insert(exercise.id(), place);
            }
        }
        Ok(Self { all, elsewhere })
    }

    /// The book's own.
    pub fn first(&self) -> &Source {
        &self.all[0]
    }

    /// Every one.
    pub fn each(&self) -> impl Iterator<Item = &Record> {
        self.all.iter().map(|source| &source.record)
    }

    /// The one that measured an exercise's kernels as they are now; else the book's own.
    pub fn of(&self, exercise: &str) -> &Source {
        &self.all[self.elsewhere.get(exercise).copied().unwrap_or(0)]
    }

    /// Whether an exercise is shown from another record than the book's own.
    pub fn is_elsewhere(&self, exercise: &str) -> bool {
        self.elsewhere.contains_key(exercise)
    }

    /// All exercises, each from its record. The figures are those that go with `home`, the exercise that a text is about.
    pub fn joined(&self, home: Option<&str>) -> Record {
        let home = home.map_or_else(|| self.first(), |home| self.of(home));
        let first = &self.first().record;
        let is_of = |source: &Source, exercise: &str| std::ptr::eq(self.of(exercise), source);
        let kernels = |source: &Source| -> Vec<KernelRecord> {
            source.record.kernels.iter().filter(|kernel| is_of(source, &kernel.exercise)).cloned().collect()
        };
        let peers = |source: &Source| -> Vec<PeerRecord> {
            source.record.peers.iter().filter(|peer| is_of(source, &peer.exercise)).cloned().collect()
        };
        let mut joined = Record {
            kernels: self.all.iter().flat_map(kernels).collect(),
            peers: self.all.iter().flat_map(peers).collect(),
            figures: home.record.figures.clone(),
            ..first.clone()
        };
        // Stable: an exercise's kernels and libraries keep their order.
        joined.kernels.sort_by(|a, b| a.exercise.cmp(&b.exercise));
        joined
    }

    /// Where the numbers of a table over all exercises come from.
    pub fn sources(&self) -> String {
        let mut text = self.first().in_words();
        for (place, source) in self.all.iter().enumerate().skip(1) {
            let theirs: Vec<&str> =
                self.elsewhere.iter().filter(|(_, at)| **at == place).map(|(id, _)| *id).collect();
            if !theirs.is_empty() {
                text += &format!("\n*{}:* {}", theirs.join(", "), source.in_words());
            }
        }
        text
    }
}

impl Source {
    /// Where its numbers come from, as every table's last line says.
    pub fn in_words(&self) -> String {
        let Record { device, compiler, date, .. } = &self.record;
        format!(
            "*{device}, {compiler}, {date}: `solutions/measured/{}`, made by `workshop measure`.*\n",
            self.file
        )
    }
}

/// An exercise's solution and steps, and the hash of each one's code.
fn today(root: &Path, exercise: &dyn Exercise) -> BTreeMap<String, String> {
    let kernels = kernels::of(root, exercise, &mut Vec::new()).into_iter();
    let shown = kernels.filter(|kernel| is_shown(kernel.role));
    shown.map(|kernel| (kernel.file.display().to_string(), calibrate::code_hash(&kernel.source))).collect()
}

fn is_shown(role: Role) -> bool {
    matches!(role, Role::Solution | Role::Step)
}

/// Whether a record has these kernels and no others, each with this code.
fn has_measured(record: &Record, exercise: &str, today: &BTreeMap<String, String>) -> bool {
    let is_of_it = |kernel: &&KernelRecord| kernel.exercise == exercise && is_shown(kernel.candidate.role);
    record.kernels.iter().filter(is_of_it).count() == today.len()
        && today.iter().all(|(file, code)| record.has_run(file, code))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use grader::kernels::Candidate;
    use harness::report::Verdict;

    use super::*;

    fn record(files: &[(&str, &str)]) -> Record {
        let kernel = |(file, code): &(&str, &str)| KernelRecord {
            exercise: "17-a".to_owned(),
            candidate: Candidate {
                role: if file.contains("steps") { Role::Step } else { Role::Solution },
                file: file.into(),
                source: String::new(),
                fails: BTreeSet::new(),
                may_fail: BTreeSet::new(),
            },
            code: (*code).to_owned(),
            verdict: Verdict::Passed,
            goals: Vec::new(),
            speed: Vec::new(),
            problems: Vec::new(),
        };
        Record {
            date: String::new(),
            device: String::new(),
            compiler: String::new(),
            kernels: files.iter().map(kernel).collect(),
            peers: Vec::new(),
            figures: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    #[test]
    fn a_record_is_of_todays_kernels_or_not() {
        let today: BTreeMap<String, String> =
            [("kernel.cu", "1"), ("steps/2.cu", "2")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        let has = |files: &[(&str, &str)]| has_measured(&record(files), "17-a", &today);
        assert!(has(&[("kernel.cu", "1"), ("steps/2.cu", "2")]));
        assert!(has(&[("kernel.cu", ""), ("steps/2.cu", "")]), "an older record");
        assert!(!has(&[("kernel.cu", "1"), ("steps/2.cu", "3")]), "another step");
        assert!(!has(&[("kernel.cu", "1")]), "a step is new");
        assert!(!has(&[("kernel.cu", ""), ("steps/2.cu", ""), ("steps/3.cu", "")]), "a step is gone");
        assert!(!has_measured(&record(&[]), "17-a", &today));
    }

    #[test]
    fn an_exercise_comes_whole_from_its_record() {
        let source = |date: &str, files| Source {
            record: Record { date: date.to_owned(), ..record(files) },
            file: format!("{date}.json"),
        };
        let all = vec![
            source("old", &[("kernel.cu", "")]),
            source("new", &[("kernel.cu", "1"), ("steps/2.cu", "2")]),
        ];
        let records = Records { all, elsewhere: [("17-a", 1)].into() };
        let joined = records.joined(None);
        assert_eq!(joined.kernels.len(), 2);
        assert_eq!(joined.date, "old");
        assert!(records.sources().contains("17-a") && records.sources().contains("new.json"));
        assert_eq!(records.of("03-b").file, "old.json");
    }
}
