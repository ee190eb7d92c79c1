//! The class report: one self-contained page, readable without scripts and on paper.

use std::collections::BTreeMap;

use harness::report::{GoalResult, Verdict};
use minijinja::{
    AutoEscape, Environment, context, escape_formatter,
    value::{Serde, Value},
};

use crate::{
    class::{
        header::Header,
        row::{Outcome, Row},
        submissions::file_name,
    },
    thresholds::demand::SpeedDemand,
    visible::visible,
};

const TEMPLATE: &str = include_str!("overview.html");

/// The page.
///
/// # Errors
/// A defect of the template.
pub fn html(
    rows: &[Row],
    header: &Header,
    titles: &BTreeMap<&str, &str>,
) -> Result<String, minijinja::Error> {
    let mut exercises: Vec<&str> = rows.iter().map(|row| row.exercise.as_str()).collect();
    exercises.sort_unstable();
    exercises.dedup();
    let mut students: Vec<&str> = Vec::new();
    for row in rows {
        if students.last() != Some(&row.student.as_str()) {
            students.push(&row.student);
        }
    }
    let anchor = |row: &Row| format!("{}--{}", file_name(&row.student), row.exercise);
    let cell = |student: &str, exercise: &str| {
        let row = rows.iter().find(|row| row.student == student && row.exercise == exercise);
        row.map(|row| {
            let link = needs_words(row).then(|| anchor(row));
            context! { status => row.status(), class => class(row), link, unmeasured => row.speed_unmeasured }
        })
    };
    let table: Vec<_> = students
        .iter()
        .map(|student| {
            let cells: Vec<_> = exercises.iter().map(|exercise| cell(student, exercise)).collect();
            context! { student => *student, cells }
        })
        .collect();
    let columns: Vec<_> = exercises
        .iter()
        .map(|exercise| {
            let of: Vec<&Row> = rows.iter().filter(|row| row.exercise == *exercise).collect();
            let passed = of.iter().filter(|row| row.verdict == Some(Verdict::Passed)).count();
            let graded = of.iter().filter(|row| row.outcome == Outcome::Graded).count();
            let title = titles.get(exercise).copied().unwrap_or_default();
            let speed = header.speed.get(*exercise).and_then(SpeedDemand::in_words);
            context! { id => *exercise, title, passed, graded, speed }
        })
        .collect();
    let mut speed_notes: Vec<String> = header.speed.values().filter_map(|asked| asked.note.clone()).collect();
    speed_notes.sort_unstable();
    speed_notes.dedup();
    let details: Vec<_> = rows
        .iter()
        .filter(|row| needs_words(row))
        .map(|row| {
            let goals: Vec<_> = row.goals.iter().map(goal).collect();
            context! { row => Value::from(Serde(row)), goals, anchor => anchor(row), class => class(row), status => row.status() }
        })
        .collect();
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // Whatever text comes from a learner: no template can forget it.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => escape_formatter(out, state, &Value::from(visible(text))),
        _ => escape_formatter(out, state, value),
    });
    // Anchors carry `%NN`; a link to one must not be decoded.
    environment.add_filter("url", |text: String| text.replace('%', "%25"));
    environment.add_template("class", TEMPLATE)?;
    environment.get_template("class")?.render(context! {
        header => Value::from(Serde(header)), columns, table, details, speed_notes, students => students.len(),
        rows => rows.len(), open => rows.iter().filter(|row| row.outcome == Outcome::NotJudged).count()
    })
}

/// A pass speaks for itself, and what is not judged yet says nothing.
fn needs_words(row: &Row) -> bool {
    row.verdict != Some(Verdict::Passed) && row.outcome != Outcome::NotJudged
}

fn goal(goal: &GoalResult) -> Value {
    let open = (goal.verdict != Verdict::Passed).then(|| goal.found_in_words());
    context! { name => goal.goal.name(), class => of_verdict(goal.verdict), open }
}

fn class(row: &Row) -> &'static str {
    match (row.outcome, row.verdict) {
        (Outcome::Graded, Some(verdict)) => of_verdict(verdict),
        (Outcome::Graded, None) => "open",
        (Outcome::NotGradable | Outcome::NotJudged, _) => "missing",
        (Outcome::JudgeError, _) => "broken",
    }
}

fn of_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Inconclusive | Verdict::Unmeasured => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{class::row::made_up::rows, visible::hostile};

    #[test]
    fn the_page_is_self_contained_and_escapes_names() {
        let header =
            Header::new("0.1.0".into(), "NVRTC 13.0.88".into(), "sim:h200".into(), 7, "2026-11-20".into());
        let titles = BTreeMap::from([("03-reduction", "Reduction: the maximum of n floats")]);
        let page = html(&rows(), &header, &titles).unwrap();
        assert!(page.contains("bob &lt;b&gt;") && !page.contains("bob <b>"));
        assert!(!page.contains("<script") && !page.contains("http"));
        insta::assert_snapshot!(page);
    }

    #[test]
    fn nothing_hidden_reaches_a_reader() {
        let header =
            Header::new("0.1.0".into(), "NVRTC 13.0.88".into(), "sim:h200".into(), 7, "2026-11-20".into());
        let soiled = hostile::soiled(&rows(), &hostile::dirt());
        assert!(soiled.len() > 10, "{}", soiled.len());
        for (place, rows) in soiled {
            hostile::assert_harmless(&html(&rows, &header, &BTreeMap::new()).unwrap(), &place);
        }
    }
}
