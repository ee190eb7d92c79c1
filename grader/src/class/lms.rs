//! `grader class export`: points and pages as an LMS takes them. Raw points only: what lateness costs, and what a missing
//! kernel is worth, is the LMS's to say.
//!
//! Each file here is one LMS's formats, with where they are described. None of them was tried on a live LMS.

mod canvas;
mod github;
mod gradescope;
mod moodle;
mod sheet;

use std::{fs, path::Path};

use clap::ValueEnum;

use super::{
    export::assignment_of,
    header::Header,
    log::{Entry, has_ended},
    matrix::{Sum, by_student, earned},
    row::{Outcome, Row},
    store::Store,
    students::name_of,
};
use crate::{
    assignment::{Assignment, points::Points},
    cli::class::ClassExport,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    terminal::remark,
    visible::{one_line, shown},
};
use harness::report::number_which;

/// Who takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // Documented variants would make the help page long.
pub enum Lms {
    Canvas,
    Moodle,
    Gradescope,
    #[value(name = "github")]
    GitHub,
}

/// A student with what counts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Graded<'a> {
    id: &'a str,
    name: &'a str,
    email: Option<&'a str>,
    /// Of each column; none where nothing was graded and nobody decided.
    points: Vec<Option<Points>>,
}

/// A column of points: the whole assignment, or an exercise of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    /// What the instructor calls it; without a name, what the LMS does or the assignment's title.
    asked: Option<String>,
    /// What it is called otherwise.
    title: String,
    possible: Points,
    /// The exercise; none where it is their sum.
    exercise: Option<String>,
}

/// Somebody whom a file can't have, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeftOut {
    who: String,
    why: String,
}

/// Runs it. Who is left out of the file makes it fail, with the file written for the others.
///
/// # Errors
/// Wrong usage, or files that can't be written.
pub fn run(course: Course<'_>, export: &ClassExport) -> Result<Exit> {
    let (mut store, header) = Store::open(&export.results)?;
    let assignment = worth_something(course, &header, &export.results)?;
    let rows: Vec<Row> = store.rows().cloned().collect();
    say_what_is_open(&mut store, &rows, &assignment);
    let columns = columns(export, &assignment);
    let students: Vec<Graded<'_>> =
        by_student(&rows).map(|rows| graded(rows, &columns, &assignment)).collect();
    refuse_csv(export)?;
    let default = || export.results.join(default_name(export.to));
    let out = export.out.clone().unwrap_or_else(default);
    let left_out = match export.to {
        Lms::Canvas => sheet::write(&out, export, &students, &columns, &canvas::Canvas)?,
        Lms::Moodle => sheet::write(&out, export, &students, &columns, &moodle::Moodle)?,
        Lms::Gradescope => gradescope::write(&out, &rows, &assignment)?,
        Lms::GitHub => github::write(&out, &assignment)?,
    };
    for LeftOut { who, why } in &left_out {
        crate::print(&format!("left out: {}: {}\n", one_line(who), one_line(why)));
    }
    crate::print(&format!("{}: written for {}, never tried on a live one\n", shown(&out), name(export.to)));
    Ok(match left_out.is_empty() {
        true => Exit::Passed,
        false => {
            crate::print(&format!(
                "{} left out: find out who they are, mend the roster or enter their points by hand\n",
                left_out.len()
            ));
            Exit::Failed
        }
    })
}

/// The columns that are asked for.
fn columns(export: &ClassExport, assignment: &Assignment) -> Vec<Column> {
    if !export.by_exercise {
        let (title, possible) = (assignment.title.clone(), assignment.total());
        return vec![Column { asked: export.column.clone(), title, possible, exercise: None }];
    }
    let exercises = assignment.exercises.iter();
    exercises
        .map(|(id, worth)| Column {
            asked: None,
            title: id.clone(),
            possible: worth.total(),
            exercise: Some(id.clone()),
        })
        .collect()
}

/// Refuses what is about a CSV for those who take none.
fn refuse_csv(export: &ClassExport) -> Result<()> {
    let takes_none = matches!(export.to, Lms::Gradescope | Lms::GitHub);
    let option = match (&export.gradebook, export.by_exercise) {
        (Some(_), _) => "--gradebook",
        (None, true) => "--by-exercise",
        (None, false) => return Ok(()),
    };
    match takes_none {
        false => Ok(()),
        true => Err(Trouble::usage(
            format!("{option} is of no use: {} takes no CSV", name(export.to)),
            format!("leave {option} out"),
        )),
    }
}

fn name(lms: Lms) -> &'static str {
    match lms {
        Lms::Canvas => "Canvas",
        Lms::Moodle => "Moodle",
        Lms::Gradescope => "Gradescope",
        Lms::GitHub => "GitHub Classroom",
    }
}

fn default_name(lms: Lms) -> &'static str {
    match lms {
        Lms::Canvas => "canvas.csv",
        Lms::Moodle => "moodle.csv",
        Lms::Gradescope => "gradescope",
        Lms::GitHub => "github",
    }
}

/// The assignment; without one there are no points.
fn worth_something(course: Course<'_>, header: &Header, results: &Path) -> Result<Assignment> {
    assignment_of(header, course)?.ok_or_else(|| {
        Trouble::usage(
            format!("{} has no points: it was scored without an assignment", shown(results)),
            "`grader class init FILE.toml` writes one; score with --assignment FILE.toml, which judges nothing again",
        )
    })
}

fn graded<'a>(rows: &'a [Row], columns: &[Column], assignment: &Assignment) -> Graded<'a> {
    let first = &rows[0];
    let has_any = rows.iter().any(|row| earned(std::slice::from_ref(row), &row.exercise).is_some());
    let of = |column: &Column| match &column.exercise {
        Some(exercise) => earned(rows, exercise),
        None => has_any.then(|| Sum::of(rows, assignment).total),
    };
    Graded {
        id: &first.student,
        name: name_of(first),
        email: first.handed_in.email.as_deref(),
        points: columns.iter().map(of).collect(),
    }
}

/// Whoever takes points over is told what they are not.
fn say_what_is_open(store: &mut Store, rows: &[Row], assignment: &Assignment) {
    let log = store.log();
    let entries: Vec<Entry> =
        log.iter().filter_map(|logged| serde_json::from_str(&logged.text).ok()).collect();
    if !has_ended(entries.iter().map(|entry| &entry.event)) {
        remark("the scoring has not ended: these points are not all, and students may be missing");
    }
    let pending =
        by_student(rows).filter(|rows| Sum::of(rows, assignment).pending != Points::default()).count();
    if pending > 0 {
        remark(&format!(
            "{} open points: they are not in what is written",
            number_which(pending, "student", "has", "have")
        ));
    }
    let broken = rows.iter().filter(|row| row.outcome == Outcome::JudgeError).count();
    if broken > 0 {
        remark(&format!("{} no grade: score again first", number_which(broken, "judge error", "is", "are")));
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| refused(folder, &error))
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    files::write_atomically(path, content).map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make it writable or make room, or name another one by --out",
    )
}
