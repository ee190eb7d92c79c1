//! The rows of a scoring: one for each student and exercise, made of what was handed in and of the judgements that are
//! there. Of several attempts one counts, so a row is known only once all of them are judged.

use std::collections::{BTreeMap, BTreeSet};

use harness::exercise::Exercise;

use super::{
    handed_in::HandedIn,
    header::Header,
    intake::{Student, Submission, begin::Begun},
    points,
    row::{Outcome, Row},
    store::{Owner, Store},
};
use crate::exit::Result;

/// The rows, in the order of students and exercises.
pub struct Rows<'a> {
    begun: &'a Begun<'a>,
    header: &'a Header,
    all: Vec<Place<'a>>,
    /// Which rows wait for a judgement, by its key.
    waiting: BTreeMap<String, Vec<usize>>,
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
        Rows { begun, header, all, waiting }
    }

    /// The judgements that the store does not have. Identical kernels are one.
    pub fn wanted(&self, store: &Store) -> Vec<Wanted<'a>> {
        let mut seen = BTreeSet::new();
        let mut wanted = Vec::new();
        for place in &self.all {
            for kernel in place.kernels.iter().flatten() {
                let Ok(source) = &kernel.submission.kernel else { continue };
                if seen.insert(&kernel.key) && store.report(&kernel.key).is_none() {
                    let rows = self.waiting.get(&kernel.key).map_or(0, Vec::len);
                    wanted.push(Wanted { key: kernel.key.clone(), exercise: place.exercise, source, rows });
                }
            }
        }
        wanted
    }

    /// The rows that a judgement makes known, where the store says otherwise of them.
    pub fn after(&self, key: &str, store: &Store, broken: &Broken) -> Vec<Row> {
        let waiting = self.waiting.get(key).map(Vec::as_slice).unwrap_or_default();
        waiting.iter().filter_map(|&at| self.changed(at, store, broken)).collect()
    }

    /// The rows that are known already, where the store says otherwise of them.
    pub fn known(&self, store: &Store) -> Vec<Row> {
        (0..self.all.len()).filter_map(|at| self.changed(at, store, &Broken::new())).collect()
    }

    /// The owners of rows in the store that nobody has handed in any more.
    pub fn gone(&self, store: &Store) -> Vec<Owner> {
        let there: BTreeSet<Owner> = self.all.iter().map(Place::owner).collect();
        let rows = store.rows().map(|row| (row.student.clone(), row.exercise.clone()));
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

    fn changed(&self, at: usize, store: &Store, broken: &Broken) -> Option<Row> {
        let place = &self.all[at];
        let row = self.row(place, store, broken)?;
        (store.row(&place.owner()) != Some(&row)).then_some(row)
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
        let attempts = place.student.attempts(place.exercise.id());
        let stub = place.exercise.about().stub;
        row.handed_in = match submission {
            Some(submission) => HandedIn::of(place.student, submission, stub, attempts, self.begun.cutoff),
            None => HandedIn::nothing(place.student),
        };
        row.points = self.begun.assignment.as_ref().and_then(|assignment| points::of_row(&row, assignment));
        row
    }
}

impl Place<'_> {
    fn owner(&self) -> Owner {
        (self.student.id.clone(), self.exercise.id().to_owned())
    }
}
