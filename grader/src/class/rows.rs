//! The rows of a scoring: one for each student and exercise, made of what was handed in and of the judgements that are
//! there. Of several attempts one counts, so a row is known only once all of them are judged.

use std::collections::{BTreeMap, BTreeSet};

use harness::exercise::Exercise;

use super::{
    handed_in::HandedIn,
    header::Header,
    intake::{Student, Submission, begin::Begun},
    points,
    row::{Made, Outcome, Row},
    store::{Owner, Store},
};
use crate::{cli::class::Share, exit::Result};

/// The rows, in the order of students and exercises.
pub struct Rows<'a> {
    begun: &'a Begun<'a>,
    header: &'a Header,
    all: Vec<Place<'a>>,
    /// Which rows wait for a judgement, by its key.
    waiting: BTreeMap<String, Vec<usize>>,
    /// The keys that are wanted, where not all are.
    only: Option<BTreeSet<String>>,
}

/// What belongs into a row.
struct Place<'a> {
    student: &'a Student,
    exercise: &'a dyn Exercise,
    /// The kernels that may count, or why there is none.
    kernels: Result<Vec<Kernel<'a>>, String>,
}

struct Kernel<'a> {
    submission: &'a Submission,
    /// The key of its judgement; of one that is not gradable, too.
    key: String,
}

/// A judgement that is to be made.
pub struct Wanted<'a> {
    /// Its key.
    pub key: String,
    /// The exercise.
    pub exercise: &'a dyn Exercise,
    /// The kernel's text.
    pub source: &'a str,
    /// How many rows wait for it.
    pub rows: usize,
}

/// Rows that are known.
#[derive(Debug, Default)]
pub struct Known {
    /// Those of which the store says something else, or nothing.
    pub changed: Vec<Made>,
    /// Those that came out as the store has them, made of something else.
    pub same: Vec<Made>,
}

/// Why the judge could not do its work, by the judgement's key.
pub type Broken = BTreeMap<String, String>;

impl<'a> Rows<'a> {
    /// The rows of what was handed in.
    pub fn of(begun: &'a Begun<'a>, header: &'a Header) -> Self {
        let mut all = Vec::new();
        let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for student in &begun.intake.students {
            for &exercise in &begun.exercises {
                let id = exercise.id();
                let kernels = student.kernels(id, begun.attempts).map(|submissions| {
                    let kernel = |submission: &'a Submission| {
                        let (Ok(text) | Err(text)) = &submission.kernel;
                        Kernel { submission, key: header.key(id, text) }
                    };
                    submissions.into_iter().map(kernel).collect::<Vec<_>>()
                });
                for kernel in kernels.iter().flatten().filter(|kernel| kernel.submission.kernel.is_ok()) {
                    waiting.entry(kernel.key.clone()).or_default().push(all.len());
                }
                all.push(Place { student, exercise, kernels });
            }
        }
        Rows { begun, header, all, waiting, only: None }
    }

    /// The judgements that the store does not have. Identical kernels are one.
    pub fn wanted(&self, store: &Store) -> Vec<Wanted<'a>> {
        let mut seen = BTreeSet::new();
        let mut wanted = Vec::new();
        for place in &self.all {
            for kernel in place.kernels.iter().flatten() {
                let Ok(source) = &kernel.submission.kernel else { continue };
                if seen.insert(&kernel.key) && !self.is_elsewhere(&kernel.key) && !store.has(&kernel.key) {
                    let rows = self.waiting.get(&kernel.key).map_or(0, Vec::len);
                    wanted.push(Wanted { key: kernel.key.clone(), exercise: place.exercise, source, rows });
                }
            }
        }
        wanted
    }

    /// The rows that a judgement makes known, where the store says otherwise of them.
    pub fn after(&self, key: &str, store: &Store, broken: &Broken) -> Known {
        let waiting = self.waiting.get(key).map(Vec::as_slice).unwrap_or_default();
        self.known_at(waiting.iter().copied(), store, broken)
    }

    /// The rows that are known already, where the store says otherwise of them. Those that are made of what they were
    /// made of when they were stored are not made again: no report is read.
    pub fn known(&self, store: &Store, broken: &Broken) -> Known {
        self.known_at(0..self.all.len(), store, broken)
    }

    /// The keys of all judgements that rows wait for.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.waiting.keys().map(String::as_str)
    }

    /// The same, of which only a share of what is not judged yet is wanted. Each exercise's kernels are dealt in turn: no
    /// share is larger by more than one kernel, and each has its part of the dear exercises.
    pub fn only(mut self, share: Share, judged: &BTreeSet<String>) -> Self {
        let open: BTreeSet<(&str, &str)> = self
            .all
            .iter()
            .flat_map(|place| place.kernels.iter().flatten().map(|kernel| (place.exercise.id(), kernel)))
            .filter(|(_, kernel)| kernel.submission.kernel.is_ok() && !judged.contains(&kernel.key))
            .map(|(exercise, kernel)| (exercise, kernel.key.as_str()))
            .collect();
        let dealt = open.into_iter().skip(share.number - 1).step_by(share.of);
        self.only = Some(dealt.map(|(_, key)| key.to_owned()).collect());
        self
    }

    /// Whether a judgement is for somebody else to make.
    fn is_elsewhere(&self, key: &str) -> bool {
        self.only.as_ref().is_some_and(|mine| !mine.contains(key))
    }

    /// The owners of rows in the store that nobody has handed in any more.
    pub fn gone(&self, store: &Store) -> Vec<Owner> {
        let there: BTreeSet<Owner> = self.all.iter().map(Place::owner).collect();
        let rows = store.rows().map(Row::owner);
        rows.filter(|owner| !there.contains(owner)).collect()
    }

    /// All rows as the store has them; those that it does not have are not judged yet.
    pub fn all(&self, store: &Store) -> Vec<Row> {
        let row = |place: &Place<'_>| {
            store.row(&place.owner()).cloned().unwrap_or_else(|| {
                let reason = "the scoring was interrupted before".to_owned();
                let (student, id) = (&place.student.id, place.exercise.id());
                let row = Row::without_report(student, id, String::new(), Outcome::NotJudged, reason);
                self.complete(place, row, None)
            })
        };
        self.all.iter().map(row).collect()
    }

    fn known_at(&self, places: impl Iterator<Item = usize>, store: &Store, broken: &Broken) -> Known {
        let mut known = Known::default();
        for place in places.map(|at| &self.all[at]) {
            let Some(of) = self.made_of(place, store, broken) else { continue };
            let owner = place.owner();
            if store.made_of(&owner) == Some(of.as_str()) {
                continue;
            }
            let Some(row) = self.row(place, store, broken) else { continue };
            let is_there = store.row(&owner) == Some(&row);
            let list = if is_there { &mut known.same } else { &mut known.changed };
            list.push(Made { row, of });
        }
        known
    }

    /// What a row is made of, hashed, once all that may count in it is known: each attempt's judgement, who handed it in
    /// and when, and what the assignment says. Whatever [`Rows::row`] reads is in here.
    fn made_of(&self, place: &Place<'_>, store: &Store, broken: &Broken) -> Option<String> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &str| {
            // Lengths keep two neighbours from being read as one.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        add(self.header.assignment.as_deref().unwrap_or_default());
        match &place.kernels {
            Err(reason) => {
                add(reason);
                add(&format!("{:?}", self.handed_in(place, None)));
            }
            Ok(kernels) => {
                for kernel in kernels {
                    let key = &kernel.key;
                    add(key);
                    match (&kernel.submission.kernel, broken.get(key)) {
                        (Err(reason), _) => add(&format!("not gradable: {reason}")),
                        (Ok(_), Some(reason)) => add(&format!("judge error: {reason}")),
                        (Ok(_), None) => add(store.report_hash(key)?),
                    }
                    add(&format!("{:?}", self.handed_in(place, Some(kernel.submission))));
                }
            }
        }
        Some(hasher.finalize().to_hex().to_string())
    }

    /// A row, once all that may count in it is known.
    fn row(&self, place: &Place<'_>, store: &Store, broken: &Broken) -> Option<Row> {
        let (student, id) = (&place.student.id, place.exercise.id());
        let nothing = |reason: &str| {
            let (key, reason) = (self.header.key(id, reason), reason.to_owned());
            Row::without_report(student, id, key, Outcome::NotGradable, reason)
        };
        let kernels = match &place.kernels {
            Ok(kernels) => kernels,
            Err(reason) => return Some(self.complete(place, nothing(reason), None)),
        };
        let one = |kernel: &Kernel<'_>| {
            let row = match (&kernel.submission.kernel, broken.get(&kernel.key)) {
                (Err(reason), _) => nothing(reason),
                (Ok(_), Some(reason)) => {
                    let (key, reason) = (kernel.key.clone(), reason.clone());
                    Row::without_report(student, id, key, Outcome::JudgeError, reason)
                }
                (Ok(_), None) => Row::of(student, kernel.key.clone(), &store.report(&kernel.key)?),
            };
            Some(self.complete(place, row, Some(kernel.submission)))
        };
        let rows = kernels.iter().map(one).collect::<Option<Vec<Row>>>()?;
        rows.into_iter().max_by(points::better)
    }

    /// Adds who handed it in, when, and what it earns.
    fn complete(&self, place: &Place<'_>, mut row: Row, submission: Option<&Submission>) -> Row {
        row.handed_in = self.handed_in(place, submission);
        row.points = self.begun.assignment.as_ref().and_then(|assignment| points::of_row(&row, assignment));
        row
    }

    fn handed_in(&self, place: &Place<'_>, submission: Option<&Submission>) -> HandedIn {
        let attempts = place.student.attempts(place.exercise.id());
        let stub = place.exercise.about().stub;
        match submission {
            Some(submission) => HandedIn::of(place.student, submission, stub, attempts, self.begun.cutoff),
            None => HandedIn::nothing(place.student),
        }
    }
}

impl Place<'_> {
    fn owner(&self) -> Owner {
        (self.student.id.clone(), self.exercise.id().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use harness::report::Report;

    use super::*;
    use crate::{
        class::intake::{Intake, Wishes},
        course::Course,
        sample::passed,
    };

    #[test]
    fn a_scoring_with_nothing_to_do_reads_no_report() {
        let folder = tempfile::tempdir().unwrap();
        for student in ["ada", "bob"] {
            let exercise = folder.path().join("class").join(student).join("03-reduction");
            fs::create_dir_all(&exercise).unwrap();
            fs::write(exercise.join("kernel.cu"), format!("// of {student}\n")).unwrap();
        }
        let known = Course { exercises: course::COURSE };
        let exercises = vec![known.find("03-reduction").unwrap()];
        let intake = Intake::gather(
            &folder.path().join("class"),
            Wishes {
                course: Course { exercises: &exercises },
                known,
                layout: None,
                exercise: None,
                roster: None,
                attempts: Default::default(),
                own: &[],
            },
        );
        let begun = Begun {
            intake: intake.unwrap(),
            exercises,
            assignment: None,
            text: None,
            attempts: Default::default(),
            cutoff: None,
            seed: None,
        };
        let mut header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let mut store = Store::create(folder.path(), &header).unwrap();
        let rows = Rows::of(&begun, &header);
        for wanted in rows.wanted(&store) {
            let report = Report { source: wanted.source.to_owned(), ..passed() };
            store.keep_judgement(&wanted.key, &report, true).unwrap();
            let known = rows.after(&wanted.key, &store, &Broken::new());
            assert_eq!((known.changed.len(), known.same.len()), (1, 0));
            store.keep(&known.changed, None).unwrap();
        }
        drop(store);
        let (mut store, _) = Store::open(folder.path()).unwrap();
        let again = rows.known(&store, &Broken::new());
        assert_eq!((again.changed, again.same, store.reports_read.get()), (Vec::new(), Vec::new(), 0));
        // Another assignment may give other points: the rows are made again, and come out the same.
        header.assignment = Some("another".to_owned());
        let rows = Rows::of(&begun, &header);
        let again = rows.known(&store, &Broken::new());
        assert_eq!((again.changed.len(), again.same.len(), store.reports_read.get()), (0, 2, 2));
        store.remember(&again.same).unwrap();
        drop(store);
        let (store, _) = Store::open(folder.path()).unwrap();
        assert_eq!(rows.known(&store, &Broken::new()).same, Vec::new());
        assert_eq!(store.reports_read.get(), 0);
    }
}
