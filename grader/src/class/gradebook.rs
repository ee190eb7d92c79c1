//! `gradebook.csv`: one line per student and exercise, goals as columns: all that the exercises can have, so that two
//! scorings of one assignment have the same.

use harness::report::{Goal, Verdict};

use super::{points::RowPoints, row::Row, store::Resembling};
use crate::{
    assignment::{Assignment, points::Points},
    folder::VERSION,
    visible::one_line,
};

/// The file's bytes.
///
/// # Errors
/// Never in practice: it writes to memory.
pub fn csv(
    rows: &[Row],
    goals: &[Goal],
    assignment: Option<&Assignment>,
    resembling: &Resembling,
) -> std::io::Result<Vec<u8>> {
    let columns: Vec<&str> = goals.iter().map(|goal| goal.name()).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    let fixed = ["student", "exercise", "outcome", "verdict", "reason"];
    let parts: Vec<&str> = assignment.map(Assignment::parts).unwrap_or_default();
    let part_columns: Vec<String> = parts.iter().map(|part| format!("points_{part}")).collect();
    let points_columns: &[&str] = match assignment {
        Some(_) => &["points", "points_pending", "points_possible", "by_hand"],
        None => &[],
    };
    let handed_in = ["name", "handed_in", "late", "attempt", "course", "origin", "resembles_published"];
    let head = fixed.iter().chain(&columns).chain(&["kernel_blake3"]).chain(points_columns);
    out.write_record(head.copied().chain(part_columns.iter().map(String::as_str)).chain(handed_in))?;
    for row in rows {
        let mut record = vec![inert(&row.student), inert(&row.exercise), row.outcome.name().to_owned()];
        record.push(match row.verdict {
            Some(verdict @ Verdict::Passed) if row.speed_unmeasured => {
                format!("{}, speed unmeasured", verdict.name())
            }
            Some(verdict) => verdict.name().to_owned(),
            None => String::new(),
        });
        record.push(inert(&row.reason));
        debug_assert!(
            row.goals.iter().all(|found| goals.contains(&found.goal)),
            "{}: no column",
            row.exercise
        );
        for goal in goals {
            let found = row.goals.iter().find(|found| found.goal == *goal);
            record.push(found.map_or("", |found| found.verdict.name()).to_owned());
        }
        record.push(inert(row.kernel_hash.as_deref().unwrap_or_default()));
        if assignment.is_some() {
            record.extend(points(row, &parts));
        }
        record.extend(handed_in_of(row));
        record.push(resembling.get(&row.key).map_or_else(String::new, |said| inert(said)));
        out.write_record(&record)?;
    }
    out.into_inner().map_err(|error| error.into_error())
}

/// What counts, what is open, what there was to earn, why somebody decided otherwise, and each part.
fn points(row: &Row, parts: &[&str]) -> Vec<String> {
    let number = |points: Option<Points>| points.map(|points| points.to_string()).unwrap_or_default();
    let of = row.points.as_ref();
    let reason = of.and_then(|points| points.by_hand.as_ref()).map(|by_hand| inert(&by_hand.reason));
    let mut all = vec![
        number(of.and_then(RowPoints::earned)),
        number(of.and_then(RowPoints::pending)),
        number(of.map(|points| points.possible)),
        reason.unwrap_or_default(),
    ];
    all.extend(parts.iter().map(|part| number(of.and_then(|points| points.of_part(part)))));
    all
}

/// Who handed it in, and when.
fn handed_in_of(row: &Row) -> [String; 6] {
    let handed_in = &row.handed_in;
    [
        inert(&handed_in.name),
        handed_in.at.map(|at| at.to_string()).unwrap_or_default(),
        if handed_in.late { "late".to_owned() } else { String::new() },
        match (handed_in.attempts, handed_in.attempt) {
            (0 | 1, _) => String::new(),
            (all, Some(attempt)) => format!("{attempt} of {all}"),
            (all, None) => format!("one of {all}"),
        },
        match handed_in.other_course() {
            Some(other) => inert(&format!("{other}, judged by {VERSION}")),
            None => handed_in.course.clone().unwrap_or_default(),
        },
        inert(handed_in.origin.as_deref().unwrap_or_default()),
    ]
}

/// Text that a spreadsheet shows instead of computing: what begins like a formula gets an
/// apostrophe, lines are joined, and what can't be seen is spelled out.
pub fn inert(text: &str) -> String {
    let text = one_line(&text.replace(['\n', '\r', '\t'], " "));
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assignment::goals_of,
        class::{
            export::counted,
            row::{Row, made_up::rows},
        },
        course::Course,
        visible::hostile,
    };

    fn written(of: &[Row]) -> String {
        let course = Course { exercises: course::COURSE };
        let mut goals = goals_of(course.find("03-reduction").unwrap());
        // What made-up reports have is of several exercises.
        goals.extend(rows().iter().flat_map(|row| &row.goals).map(|found| found.goal));
        goals.sort_unstable();
        goals.dedup();
        let resembling = Resembling::from([("key".to_owned(), "solution 0.97".to_owned())]);
        String::from_utf8(csv(of, &goals, None, &resembling).unwrap()).unwrap()
    }

    /// Whatever becomes of kernels, there is a column for it, and no column comes of it.
    #[test]
    fn columns_are_the_exercises_and_not_the_rows() {
        let head = |rows: &[Row]| written(rows).lines().next().unwrap().to_owned();
        assert_eq!(head(&[]), head(&rows()));
        let course = Course { exercises: course::COURSE };
        for exercise in counted(course, None) {
            assert!(exercise.goals.starts_with(&[Goal::Compile, Goal::Correct]), "{exercise:?}");
            assert!(exercise.goals.is_sorted() && exercise.goals.contains(&Goal::Permitted));
        }
    }

    #[test]
    fn formulas_in_names_stay_text() {
        insta::assert_snapshot!(written(&rows()));
    }

    #[test]
    fn nothing_hidden_reaches_a_reader() {
        let soiled = hostile::soiled(&rows(), &(hostile::dirt() + "\n"));
        assert!(soiled.len() > 10, "{}", soiled.len());
        for (place, rows) in soiled {
            let csv = written(&rows);
            assert_eq!(csv.lines().count(), 1 + rows.len(), "{place}");
            hostile::assert_harmless(&csv, &place);
        }
    }
}
