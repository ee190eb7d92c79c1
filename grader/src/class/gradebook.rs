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

/// Text that a spreadsheet shows instead of computing: what begins like a formula gets an apostrophe, lines are joined, and
/// what can't be seen is spelled out. A roster looks at no apostrophe of a name.
///
/// Where a comma is the decimal point, spreadsheets take a line apart at semicolons, even at those of a quoted text. So
/// what comes after one begins like a cell. A comma needs nothing: text that has one is quoted.
pub fn inert(text: &str) -> String {
    let text = one_line(&text.replace(['\n', '\r', '\t'], " "));
    let guarded = |cell: &str| if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() };
    text.split_inclusive(SEPARATORS).map(guarded).collect()
}

/// Whether a spreadsheet would compute it, or a part of it.
pub fn is_computed(text: &str) -> bool {
    text.split(SEPARATORS).any(is_formula)
}

/// What takes a line apart, besides the comma.
const SEPARATORS: [char; 3] = [';', '|', '\t'];

/// Some spreadsheets drop blanks and quotation marks before they look, and some take wide characters for narrow ones.
fn is_formula(cell: &str) -> bool {
    let begin = cell.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
    begin.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assignment::goals_of,
        class::{
            export::counted,
            intake::roster::{IdOf, Joined, Roster},
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
        for (text, shown) in [
            ("=1+1", "'=1+1"),
            (" \u{a0}=1+1", "' \u{a0}=1+1"),
            ("\t-1", "' -1"),
            ("\r\n@a", "'  @a"),
            ("＝1+1", "'＝1+1"),
            ("\"=1+1", "'\"=1+1"),
            // Taken apart at semicolons.
            ("x;=1+1", "x;'=1+1"),
            ("x; ＠a|+b", "x;' ＠a|'+b"),
            ("x;\"=1+1", "x;'\"=1+1"),
            // No formula.
            ("'=1+1", "'=1+1"),
            ("Jean-Luc; a+b", "Jean-Luc; a+b"),
            ("Lovelace, Ada", "Lovelace, Ada"),
        ] {
            assert_eq!(inert(text), shown, "{text:?}");
            assert_eq!(inert(shown), shown, "twice: {text:?}");
            assert_eq!(is_computed(text), text.replace(['\t', '\r', '\n'], " ") != shown, "{text:?}");
        }
        // A folder's name is the student's choice.
        let mut row = rows().remove(0);
        row.handed_in.origin = Some("ada/x;=1+1/kernel.cu".to_owned());
        let csv = written(&[row]);
        assert!(csv.contains("ada/x;'=1+1/kernel.cu"), "{csv}");
    }

    /// What a spreadsheet must not compute is still the student's name.
    #[test]
    fn a_roster_finds_a_guarded_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roster.csv");
        for name in ["=Bob(1)", "Roe; =Eve", " ＠Cy", "Li;\"+Bo"] {
            let mut roster = csv::Writer::from_path(&path).unwrap();
            roster.write_record(["id", "name"]).unwrap();
            roster.write_record(["7", &inert(name)]).unwrap();
            roster.flush().unwrap();
            let roster = Roster::read(&path).map_err(|trouble| trouble.message).unwrap();
            let found = roster.join("x", IdOf::Anything, name, None);
            assert!(matches!(found, Joined::One(listed) if listed.id == "7"), "{name}: {found:?}");
        }
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
