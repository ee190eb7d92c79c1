//! `grader class replay`: judges one row again, from what is stored of it, and compares the reports.
//!
//! On the simulator the same kernel, inputs, seed and compiler give the same report byte for byte. On a GPU times
//! differ, and goals are compared.

use std::{collections::BTreeSet, path::Path};

use harness::report::{Goal, Report};

use super::{
    place::Place,
    row::{Outcome, Row},
    store::{Owner, Store},
};
use crate::{
    cli::class::Replay,
    course::Course,
    exit::{Exit, Result, Trouble},
    terminal::remark,
    visible::{one_line, shown},
};

/// Runs it.
///
/// # Errors
/// Wrong usage where there is no such row, or no report of it.
pub fn run(course: Course<'_>, replay: &Replay) -> Result<Exit> {
    let (store, header) = Store::open(&replay.results)?;
    let exercise = course.find(&replay.exercise)?;
    let (row, before) = stored(&store, &replay.results, &replay.student, exercise.id())?;
    let place = Place::find(std::slice::from_ref(&replay.device), &replay.compiling)?;
    place.require(&header)?;
    if place.judge != header.judge {
        remark(&format!(
            "that was grader {}, and this is {}: verdicts may differ",
            header.judge, place.judge
        ));
    }
    let judging = place.judging(&header, None);
    let now = judging
        .report(exercise, &before.source)
        .ok_or_else(|| Trouble::judge("the judge panicked", "report this as a bug, with the kernel"))?;
    if let Some(why) = &now.judge_error {
        return Err(Trouble::judge(why.clone(), "`grader doctor` looks at the whole machine"));
    }
    let mut differences = differences(&before, &now);
    let again = Row::of(&row.student, row.key.clone(), &now);
    if again.status() != row.status() {
        differences.insert(0, format!("the row: was {}, is {}", row.status(), again.status()));
    }
    let who = format!("{}, {}", one_line(&replay.student), exercise.id());
    if differences.is_empty() {
        let how = if text(&before) == text(&now) { "byte for byte" } else { "in all but times" };
        crate::print(&format!("{who}: {}, the same report {how}\n", before.verdict.name()));
        return Ok(Exit::Passed);
    }
    crate::print(&format!("{who}: not the same\n"));
    differences.iter().for_each(|line| crate::print(&format!("  {line}\n")));
    Ok(Exit::Failed)
}

/// The stored row of a student's kernel, and its report.
///
/// # Errors
/// Wrong usage where there is none.
pub fn stored<'a>(
    store: &'a Store,
    results: &Path,
    student: &str,
    exercise: &str,
) -> Result<(&'a Row, Report)> {
    let owner: Owner = (student.to_owned(), exercise.to_owned());
    let place = shown(results);
    let row = store.row(&owner).ok_or_else(|| {
        let student = one_line(student);
        let next = match store.rows().any(|row| row.student == owner.0) {
            true => "gradebook.csv has the exercises",
            false => "gradebook.csv has the students, spelled as they are here",
        };
        Trouble::usage(format!("{place} has no row of {student} for {exercise}"), next)
    })?;
    let report = store.report(&row.key).ok_or_else(|| {
        let said = match (row.outcome, row.reason.is_empty()) {
            (Outcome::NotGradable, _) => {
                format!("nothing was handed in that can be judged ({})", one_line(&row.reason))
            }
            (_, true) => "it is damaged".to_owned(),
            (_, false) => format!("{}: {}", row.status(), one_line(&row.reason)),
        };
        let next = match row.outcome {
            Outcome::NotGradable => {
                "if the student hands in a kernel, put it among the submissions and run `grader class score` again"
            }
            _ => "`grader class score` with the same folders judges what has none",
        };
        Trouble::usage(format!("{place} has no report of {}, {exercise}: {said}", one_line(student)), next)
    })?;
    Ok((row, report))
}

fn text(report: &Report) -> String {
    serde_json::to_string(report).unwrap_or_default()
}

/// What matters of two reports of one kernel, where they differ.
fn differences(before: &Report, now: &Report) -> Vec<String> {
    let mut all = Vec::new();
    let mut say = |what: &str, before: &str, now: &str| {
        if before != now {
            all.push(format!("{what}: was {before}, is {now}"));
        }
    };
    say("verdict", before.verdict.name(), now.verdict.name());
    let goals: BTreeSet<Goal> = before.goals.iter().chain(&now.goals).map(|result| result.goal).collect();
    for goal in goals {
        let verdict = |report: &Report| {
            let result = report.goals.iter().find(|result| result.goal == goal);
            result.map_or("not there", |result| result.verdict.name())
        };
        say(goal.name(), verdict(before), verdict(now));
    }
    say("findings", &before.findings.len().to_string(), &now.findings.len().to_string());
    // Without times all must be the same.
    if all.is_empty() && before.speed.is_empty() && now.speed.is_empty() && text(before) != text(now) {
        all.push("the reports differ in what they say, and not in what follows from it".to_owned());
    }
    all
}
