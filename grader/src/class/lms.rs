//! `grader class export`: points and pages as an LMS takes them. Raw points only: what lateness costs, and what a missing
//! kernel is worth, is the LMS's to say.
//!
//! Each file here is one LMS's formats, with where they are described. None of them was tried on a live LMS.

mod canvas;
mod github;
mod gradescope;
mod moodle;
mod sheet;

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{
    audit::beside,
    export::assignment_of,
    header::Header,
    matrix::{Sum, by_student, earned},
    row::{Outcome, Row},
    store::{EXPORT, Store, hash_of},
    students::name_of,
};
use crate::{
    assignment::{Assignment, points::Points},
    cli::class::ClassExport,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    outputs::{Output, place_of},
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

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExportFile {
    path: PathBuf,
    /// None: there is nothing to write, and an earlier one goes.
    content: Option<Vec<u8>>,
    is_program: bool,
}

impl ExportFile {
    fn of(path: PathBuf, content: Vec<u8>) -> Self {
        ExportFile { path, content: Some(content), is_program: false }
    }
}

/// Runs it. A student who has no place in the file, or whose points are not decided, is left out: then it fails, with the
/// file written for the others.
///
/// # Errors
/// Wrong usage, or files that can't be written.
pub fn run(course: Course<'_>, export: &ClassExport) -> Result<Exit> {
    let (mut store, header) = Store::open(&export.results)?;
    let assignment = worth_something(course, &header, &export.results)?;
    let rows: Vec<Row> = store.rows().cloned().collect();
    let has_ended = store.has_ended();
    say_what_is_open(has_ended, &rows, &assignment);
    let columns = columns(export, &assignment);
    let (students, open): (Vec<Graded<'_>>, Vec<Option<LeftOut>>) =
        by_student(&rows).map(|rows| graded(rows, &columns, &assignment)).unzip();
    let open: Vec<LeftOut> = open.into_iter().flatten().collect();
    refuse_csv(export)?;
    let default = || export.results.join(default_name(export.to));
    let out = export.out.clone().unwrap_or_else(default);
    // Who has no place in the file, and whose points are not decided.
    let (files, unknown, undecided) = match export.to {
        Lms::Canvas | Lms::Moodle => {
            let vendor: &dyn sheet::Vendor = match export.to {
                Lms::Canvas => &canvas::Canvas,
                _ => &moodle::Moodle,
            };
            let (csv, unknown) = sheet::csv(export, &students, &columns, vendor)?;
            (vec![ExportFile::of(out.clone(), csv)], unknown, open)
        }
        Lms::Gradescope => {
            let (files, undecided) = gradescope::files(&out, &rows, &assignment)?;
            (files, Vec::new(), undecided)
        }
        Lms::GitHub => (github::files(&out, &assignment), Vec::new(), Vec::new()),
    };
    require_free(&mut store, &export.results, &out, &files)?;
    write(&mut store, &files)?;
    beside::record(&mut store, &export.results, EXPORT, &written(export.to, &out))?;
    for LeftOut { who, why } in unknown.iter().chain(&undecided) {
        crate::print(&format!("left out: {}: {}\n", one_line(who), one_line(why)));
    }
    crate::print(&format!("{}: written for {}, never tried on a live one\n", shown(&out), name(export.to)));
    if !unknown.is_empty() {
        crate::print(&format!(
            "{} left out: find out who they are, mend the roster or enter their points by hand\n",
            unknown.len()
        ));
    }
    if !undecided.is_empty() {
        crate::print(&format!(
            "{} not decided, and nothing is written of them. Where there is no grade, score again: only that is judged. \
             Points for speed need a scoring on a GPU; or write unmeasured_speed = \"redistributed\" into the assignment and \
             score again, which judges nothing again\n",
            number_of_students(undecided.len())
        ));
    }
    // A template has no students.
    let is_whole = has_ended || export.to == Lms::GitHub;
    Ok(if unknown.is_empty() && undecided.is_empty() && is_whole { Exit::Passed } else { Exit::Failed })
}

fn number_of_students(count: usize) -> String {
    match count {
        1 => "the points of 1 student are".to_owned(),
        _ => format!("the points of {count} students are"),
    }
}

/// What an export writes, below the path that it was given.
fn written(lms: Lms, out: &Path) -> Vec<PathBuf> {
    match lms {
        Lms::Canvas | Lms::Moodle => vec![out.to_owned()],
        Lms::Gradescope if gradescope::is_one_file(out) => vec![out.to_owned()],
        Lms::Gradescope => vec![out.join("autograder"), out.join("results")],
        Lms::GitHub => vec![out.join(".github")],
    }
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

/// A student with what counts. A column that something undecided belongs to has no points; then the second says why.
fn graded<'a>(rows: &'a [Row], columns: &[Column], assignment: &Assignment) -> (Graded<'a>, Option<LeftOut>) {
    let first = &rows[0];
    let has_any = rows.iter().any(|row| earned(std::slice::from_ref(row), &row.exercise).is_some());
    let all: Vec<&str> = assignment.exercises.iter().map(|(id, _)| id.as_str()).collect();
    let mut why: Vec<String> = Vec::new();
    let mut of = |column: &Column| {
        let counted = column.exercise.as_deref().map_or(all.clone(), |exercise| vec![exercise]);
        let open: Vec<String> = counted
            .into_iter()
            .filter_map(|exercise| no_grade(rows, exercise).or_else(|| pending(rows, exercise)))
            .collect();
        let points = match &column.exercise {
            _ if !open.is_empty() => None,
            Some(exercise) => earned(rows, exercise),
            None => has_any.then(|| Sum::of(rows, assignment).total),
        };
        why.extend(open);
        points
    };
    let points = columns.iter().map(&mut of).collect();
    let (id, name) = (first.student.as_str(), name_of(first));
    let graded = Graded { id, name, email: first.handed_in.email.as_deref(), points };
    let who = format!("{name} ({id})");
    (graded, (!why.is_empty()).then(|| LeftOut { who, why: why.join("; ") }))
}

/// Why an exercise has no grade, where the judge has not done its work on it and no instructor has decided.
fn no_grade(rows: &[Row], exercise: &str) -> Option<String> {
    let outcome = match rows.iter().find(|row| row.exercise == exercise) {
        // A scoring that ended has a row for each.
        None => Outcome::NotJudged,
        Some(row) if row.points.as_ref().is_some_and(|points| points.by_hand.is_some()) => return None,
        Some(row) => row.outcome,
    };
    match outcome {
        Outcome::Graded | Outcome::NotGradable => None,
        Outcome::NotJudged | Outcome::JudgeError => {
            Some(format!("{exercise}: {}, which is no grade", outcome.name()))
        }
    }
}

/// What of an exercise's points is open: an LMS would take it for zero.
fn pending(rows: &[Row], exercise: &str) -> Option<String> {
    let row = rows.iter().find(|row| row.exercise == exercise)?;
    let pending = row.points.as_ref()?.pending().filter(|pending| *pending != Points::default())?;
    Some(format!("{exercise}: {} open", number_which(pending, "point", "is", "are")))
}

/// Whoever takes points over is told what they are not.
fn say_what_is_open(has_ended: bool, rows: &[Row], assignment: &Assignment) {
    if !has_ended {
        remark(
            "the scoring has not ended: these points are not all, and students may be missing. The same `grader class score` as \
             before goes on; then export again",
        );
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

/// Refuses to write over what no export has written, and into what belongs to the results; nothing is written by then.
fn require_free(store: &mut Store, results: &Path, out: &Path, files: &[ExportFile]) -> Result<()> {
    if files.len() > 1 && fs::metadata(out).is_ok_and(|there| !there.is_dir()) {
        return Err(Trouble::usage(
            format!("{} is a file, and this export is a folder", shown(out)),
            "name a folder by --out",
        ));
    }
    let earlier = store.exported();
    let within = place_of(results);
    for ExportFile { path, content, .. } in files {
        let place = place_of(path);
        let inside = place.strip_prefix(&within).ok().map(|inside| inside.to_string_lossy().into_owned());
        if inside.is_some_and(|name| beside::is_taken(&name)) {
            return Err(Trouble::usage(
                format!("{} is a file of the results, or of a folder of theirs", shown(path)),
                "name another one by --out",
            ));
        }
        let is_earlier = |path: &Path| {
            fs::read(path).is_ok_and(|there| {
                content.as_ref().is_some_and(|content| *content == there)
                    || earlier.contains(&hash_of(&there))
            })
        };
        let output = Output { option: "--out", path, what: "earlier export of these results" };
        output.require_free(is_earlier)?;
        if files.len() == 1 {
            output.require_folder()?;
        }
    }
    Ok(())
}

/// Writes the files; before that the store knows them, so that a later export may replace them even if this one is killed.
fn write(store: &mut Store, files: &[ExportFile]) -> Result<()> {
    let contents = files.iter().filter_map(|file| file.content.as_deref());
    store.remember_exported(&contents.map(hash_of).collect())?;
    for ExportFile { path, content, is_program } in files {
        let refused = |error: std::io::Error| refused(path, &error);
        let Some(content) = content else {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
                _ => continue,
            }
        };
        if files.len() > 1
            && let Some(folder) = path.parent()
        {
            fs::create_dir_all(folder).map_err(refused)?;
        }
        files::write_atomically(path, content).map_err(refused)?;
        if *is_program {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(refused)?;
        }
    }
    Ok(())
}

fn refused(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make it writable or make room, or name another one by --out",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        class::points::{ByHand, of_row},
        sample::passed,
    };
    use harness::report::{Goal, Report, Verdict};

    const SHEET: &str = "schema = 1\ntitle = \"Sheet\"\n[exercises.06-transpose]\ncorrect = 4\nspeedup = 2\n\
        [exercises.05-bank-conflicts]\ncorrect = 3\n";

    fn sheet(way: &str) -> Assignment {
        let text = format!("unmeasured_speed = \"{way}\"\n{SHEET}");
        Assignment::of_text(&text, Course { exercises: course::COURSE }).unwrap()
    }

    /// A kernel that passes everything, and is timed or is not.
    fn row(exercise: &str, speed: Verdict, assignment: &Assignment) -> Row {
        let mut report = Report { exercise: exercise.to_owned(), ..passed() };
        let timed = report.goals.iter_mut().filter(|goal| matches!(goal.goal, Goal::Speedup | Goal::Expert));
        timed.for_each(|goal| goal.verdict = speed);
        with_points(Row::of("ada", "key".to_owned(), &report), assignment)
    }

    fn without(outcome: Outcome, assignment: &Assignment) -> Row {
        let row = Row::without_report("ada", "05-bank-conflicts", "key".into(), outcome, "so".into());
        with_points(row, assignment)
    }

    fn with_points(row: Row, assignment: &Assignment) -> Row {
        Row { points: of_row(&row, assignment), ..row }
    }

    /// What is written of the sum and of each exercise, and why something isn't.
    fn written(rows: &[Row], assignment: &Assignment) -> (Vec<String>, String) {
        let sum = Column {
            asked: None,
            title: assignment.title.clone(),
            possible: assignment.total(),
            exercise: None,
        };
        let each = assignment.exercises.iter().map(|(id, worth)| Column {
            asked: None,
            title: id.clone(),
            possible: worth.total(),
            exercise: Some(id.clone()),
        });
        let mut all = Vec::new();
        let mut why = String::new();
        for column in [sum].into_iter().chain(each) {
            let (graded, left_out) = graded(rows, &[column], assignment);
            all.extend(graded.points.iter().map(|points| points.map_or("-".to_owned(), |it| it.to_string())));
            if why.is_empty() {
                why = left_out
                    .map(|left_out| format!("{}: {}", left_out.who, left_out.why))
                    .unwrap_or_default();
            }
        }
        (all, why)
    }

    #[test]
    fn what_is_no_grade_is_not_written_as_zero() {
        let assignment = sheet("pending");
        let timed = row("06-transpose", Verdict::Passed, &assignment);
        let other = row("05-bank-conflicts", Verdict::Passed, &assignment);
        assert_eq!(
            written(&[timed.clone(), other], &assignment),
            (vec!["9".to_owned(), "3".to_owned(), "6".to_owned()], String::new())
        );
        for (outcome, said) in [(Outcome::JudgeError, "judge error"), (Outcome::NotJudged, "not judged")] {
            let mut broken = without(outcome, &assignment);
            let (cells, why) = written(&[timed.clone(), broken.clone()], &assignment);
            assert_eq!(cells, ["-", "-", "6"]);
            assert!(why.ends_with(&format!("(ada): 05-bank-conflicts: {said}, which is no grade")), "{why}");
            // An instructor has decided.
            let points = broken.points.as_mut().unwrap();
            points.by_hand = Some(ByHand { points: Points::of(1.0).unwrap(), reason: "ill".to_owned() });
            let (cells, why) = written(&[timed.clone(), broken], &assignment);
            assert_eq!((cells, why.as_str()), (vec!["7".into(), "1".into(), "6".into()], ""));
        }
        // A scoring that was interrupted has no row at all.
        let (cells, why) = written(std::slice::from_ref(&timed), &assignment);
        assert_eq!(cells, ["-", "-", "6"]);
        assert!(why.contains("05-bank-conflicts: not judged, which is no grade"), "{why}");
        // Nothing was handed in: that is the instructor's to say.
        let nothing = without(Outcome::NotGradable, &assignment);
        assert_eq!(
            written(&[timed, nothing], &assignment),
            (vec!["6".into(), "-".into(), "6".into()], "".into())
        );
    }

    #[test]
    fn points_for_speed_are_pending_or_redistributed_as_the_assignment_says() {
        let of = |way: &str| {
            let assignment = sheet(way);
            let rows = [
                row("06-transpose", Verdict::Unmeasured, &assignment),
                row("05-bank-conflicts", Verdict::Unmeasured, &assignment),
            ];
            written(&rows, &assignment)
        };
        let (cells, why) = of("pending");
        assert_eq!(cells, ["-", "3", "-"]);
        assert!(why.ends_with("(ada): 06-transpose: 2 points are open"), "{why}");
        assert_eq!(
            of("redistributed"),
            (vec!["9".to_owned(), "3".to_owned(), "6".to_owned()], String::new())
        );
    }
}
