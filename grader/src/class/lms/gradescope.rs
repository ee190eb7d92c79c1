//! Gradescope: a `results.json` for each submission, and what its autograder runs to make one there.
//!
//! The format: <https://gradescope-autograders.readthedocs.io/en/latest/specs/>, "Output format" and "File hierarchy".
//! A part's points are a test. What is still open is no test, since a test without points would be one that failed.
//! Where the judge could not do its work there is no file: Gradescope then says that the autograder failed, and nobody has
//! a grade.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{ExportFile, LeftOut, no_grade};
use crate::{
    assignment::{Assignment, points::Fate},
    class::{
        matrix::by_student,
        points::RowPoints,
        row::Row,
        students::{file_names, without_paths},
    },
    exit::{Result, Trouble},
    visible::{one_line, shown, visible},
};
use harness::report::number_which;

const SETUP: &str = include_str!("gradescope/setup.sh");
const RUN: &str = include_str!("gradescope/run_autograder");

/// What the autograder says of one submission.
#[derive(Serialize)]
struct Results {
    score: f64,
    output: String,
    tests: Vec<Test>,
}

/// One part of an exercise.
#[derive(Serialize)]
struct Test {
    name: String,
    number: String,
    score: f64,
    max_score: f64,
    output: String,
}

/// The autograder and a file for each student, in a folder; or the one student's file, where it is called `….json`. And
/// those of whom there is none.
///
/// # Errors
/// Wrong usage.
pub fn files(out: &Path, rows: &[Row], assignment: &Assignment) -> Result<(Vec<ExportFile>, Vec<LeftOut>)> {
    let all: Vec<(&str, Result<Results, String>)> =
        by_student(rows).map(|rows| (rows[0].student.as_str(), of_student(rows, assignment))).collect();
    let json = |results: &Results| {
        let text = serde_json::to_string_pretty(results).unwrap_or_default();
        format!("{text}\n").into_bytes()
    };
    // Where there are no results, an earlier grade is none now.
    let file = |path: PathBuf, made: &Result<Results, String>| ExportFile {
        path,
        content: made.as_ref().ok().map(&json),
        is_program: false,
    };
    let left_out = all.iter().filter_map(|(student, results)| {
        let why = results.as_ref().err()?.clone();
        Some(LeftOut { who: (*student).to_owned(), why })
    });
    let left_out: Vec<LeftOut> = left_out.collect();
    if is_one_file(out) {
        return match &all[..] {
            [(_, made)] => Ok((vec![file(out.to_owned(), made)], left_out)),
            _ => Err(Trouble::usage(
                format!("{} has room for one student, and there are {}", shown(out), all.len()),
                "name a folder: it gets a file for each",
            )),
        };
    }
    let (autograder, results) = (out.join("autograder"), out.join("results"));
    let mut files =
        vec![ExportFile::of(autograder.join("assignment.toml"), assignment.for_autograder().into_bytes())];
    files.extend([("setup.sh", SETUP), ("run_autograder", RUN)].map(|(name, text)| ExportFile {
        is_program: true,
        ..ExportFile::of(autograder.join(name), text.as_bytes().to_vec())
    }));
    let names = file_names(rows);
    for (student, made) in &all {
        files.push(file(results.join(format!("{}.json", names.name(student))), made));
    }
    Ok((files, left_out))
}

/// Whether the one student's file is asked for, and no folder.
pub fn is_one_file(out: &Path) -> bool {
    out.extension().is_some_and(|extension| extension == "json")
}

/// One student's results, or why there are none.
fn of_student(rows: &[Row], assignment: &Assignment) -> Result<Results, String> {
    if let Some(why) = assignment.exercises.iter().find_map(|(exercise, _)| no_grade(rows, exercise)) {
        return Err(why);
    }
    let mut results = Results { score: 0.0, output: String::new(), tests: Vec::new() };
    let mut said: Vec<String> = Vec::new();
    for row in rows {
        let Some(points) = &row.points else { continue };
        results.score += points.earned().map_or(0.0, |points| points.number());
        said.push(format!("{}: {}", row.exercise, row.status()));
        tests(row, points, &mut results.tests);
        let pending = points.pending().filter(|pending| *pending != Default::default());
        said.extend(pending.map(|pending| {
            format!(
                "{}: {} open until speed is measured on a GPU",
                row.exercise,
                number_which(pending, "point", "is", "are")
            )
        }));
    }
    results.output = said.join("\n");
    Ok(results)
}

fn tests(row: &Row, points: &RowPoints, tests: &mut Vec<Test>) {
    let number = row.exercise.split('-').next().unwrap_or_default();
    let mut test = |part: &str, score: f64, max_score: f64, output: String| {
        let name = if part.is_empty() { row.exercise.clone() } else { format!("{}: {part}", row.exercise) };
        tests.push(Test { name, number: number.to_owned(), score, max_score, output });
    };
    if let Some(by_hand) = &points.by_hand {
        return test("", by_hand.points.number(), points.possible.number(), one_line(&by_hand.reason));
    }
    let Some(parts) = &points.parts else {
        return test("", 0.0, points.possible.number(), without_paths(&visible(&row.reason)));
    };
    let why = why(row);
    for part in parts {
        let possible = part.points.number();
        match part.fate {
            Fate::Earned => test(&part.part, possible, possible, String::new()),
            Fate::Missed => test(&part.part, 0.0, possible, why.clone()),
            Fate::Pending => {}
        }
    }
}

/// What to tell whoever misses something: what was asked and found, and the judge's remarks.
fn why(row: &Row) -> String {
    let missed = row.goals.iter().filter(|goal| goal.has_failed()).map(|goal| {
        format!("{}: asked: {}; found: {}", goal.goal, goal.asked_in_words(), goal.found_in_words())
    });
    let all: Vec<String> = missed.chain(row.remarks.iter().cloned()).collect();
    without_paths(&visible(&all.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number behind these words of the script.
    fn number(words: &str) -> u64 {
        let behind = RUN.split_once(words).map_or("", |(_, behind)| behind);
        let digits = behind.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        digits.parse().unwrap_or_else(|_| panic!("no number behind `{words}` of {RUN}"))
    }

    /// Half a processor, 768 MB, ten minutes: <https://gradescope-autograders.readthedocs.io/en/latest/specs/>.
    #[test]
    fn the_autograder_keeps_to_the_smallest_of_gradescopes_machines() {
        let (memory, seconds) = (768 << 20, 600);
        assert_eq!(number("--jobs "), 1);
        assert!(number("ulimit -d ") << 10 <= memory / 4 * 3, "one process leaves something to the others");
        let stopped = number("--kill-after=20 ") + number("--kill-after=");
        assert!(stopped + 30 <= seconds, "{stopped} s, and the export comes after them");
        let order = ["ulimit -d", "class score", "class export"].map(|words| RUN.find(words));
        assert!(order.is_sorted() && order.iter().all(Option::is_some), "{order:?}");
    }
}
