//! `points.csv`: one line per student, one column per exercise, and the sum.
//!
//! A cell is empty where nothing was graded and nobody decided: how many such cells a student has stands behind the sum.

use super::{gradebook::inert, points::RowPoints, row::Row};
use crate::assignment::{Assignment, points::Points};

/// The file's name.
pub const NAME: &str = "points.csv";

/// The file's bytes.
///
/// # Errors
/// Never in practice: it writes to memory.
pub fn csv(rows: &[Row], assignment: &Assignment) -> std::io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let exercises: Vec<&str> = assignment.exercises.iter().map(|(id, _)| id.as_str()).collect();
    let before = ["student", "name", "email"];
    let behind = ["total", "pending", "possible", "not_graded"];
    out.write_record(before.iter().chain(&exercises).chain(&behind))?;
    for of in by_student(rows) {
        let Some(first) = of.first() else { continue };
        let mut record = vec![
            inert(&first.student),
            inert(&first.handed_in.name),
            inert(first.handed_in.email.as_deref().unwrap_or_default()),
        ];
        record.extend(exercises.iter().map(|exercise| {
            let points = earned(of, exercise);
            points.map(|points| points.to_string()).unwrap_or_default()
        }));
        let sum = Sum::of(of, assignment);
        record.extend([sum.total, sum.pending, assignment.total()].map(|points| points.to_string()));
        record.push(sum.not_graded.to_string());
        out.write_record(&record)?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

/// What a student has altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// What counts.
    pub total: Points,
    /// What is open.
    pub pending: Points,
    /// How many exercises have no points at all.
    pub not_graded: usize,
}

impl Sum {
    /// Of a student's rows.
    pub fn of(rows: &[Row], assignment: &Assignment) -> Self {
        let exercises = || assignment.exercises.iter().map(|(id, _)| id.as_str());
        let pending = rows.iter().filter_map(|row| row.points.as_ref().and_then(RowPoints::pending));
        Sum {
            total: exercises().filter_map(|exercise| earned(rows, exercise)).sum(),
            pending: pending.sum(),
            not_graded: exercises().filter(|exercise| earned(rows, exercise).is_none()).count(),
        }
    }
}

/// What a student has for an exercise; none where nothing was graded and nobody decided.
pub fn earned(rows: &[Row], exercise: &str) -> Option<Points> {
    rows.iter().find(|row| row.exercise == exercise)?.points.as_ref()?.earned()
}

/// The rows of one student after the other's.
pub fn by_student(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|one, other| one.student == other.student)
}
