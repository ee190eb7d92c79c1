//! The class report: one self-contained page that a class of hundreds can be read on, without scripts and on paper. It
//! tells how exercises and goals went and what was wrong most often; what there is to say of one kernel is on the
//! student's own page.

use std::collections::BTreeMap;

use harness::report::{Failure, Found, Goal, Verdict};
use minijinja::{
    context,
    value::{Serde, Value},
};

use crate::{
    assignment::Assignment,
    class::{
        export::Counted,
        header::Header,
        matrix::{Sum, by_student, earned},
        page::{class_of, environment},
        row::{Outcome, Row},
        students::{self, name_of, page_name},
        submissions::FileNames,
    },
    thresholds::demand::SpeedDemand,
};

const TEMPLATE: &str = include_str!("overview.html");
/// More kinds of trouble than these are rare ones.
const TROUBLES: usize = 12;
/// Bars of a distribution of points.
const BARS: usize = 10;

/// The page.
///
/// # Errors
/// A defect of the template.
pub fn html(
    rows: &[Row],
    header: &Header,
    counted: &[Counted<'_>],
    assignment: Option<&Assignment>,
) -> Result<String, minijinja::Error> {
    let of = |id: &str| rows.iter().filter(|row| row.exercise == id).collect::<Vec<&Row>>();
    let by_exercise: Vec<(&Counted<'_>, Vec<&Row>)> =
        counted.iter().map(|exercise| (exercise, of(exercise.id))).collect();
    let columns: Vec<Value> =
        by_exercise.iter().map(|(exercise, rows)| column(exercise, rows, header, assignment)).collect();
    let goals: Vec<Value> = by_exercise.iter().flat_map(|(exercise, rows)| rates(exercise, rows)).collect();
    let mut speed_notes: Vec<String> = header.speed.values().filter_map(|asked| asked.note.clone()).collect();
    speed_notes.sort_unstable();
    speed_notes.dedup();
    let names = students::file_names(rows);
    let table: Vec<Value> = by_student(rows).map(|rows| line(rows, &names, counted, assignment)).collect();
    let broken = rows.iter().filter(|row| row.outcome == Outcome::JudgeError);
    let broken: Vec<Value> = broken
        .map(|row| context! { student => &row.student, exercise => &row.exercise, reason => &row.reason })
        .collect();
    let mut environment = environment();
    environment.add_template("class", TEMPLATE)?;
    environment.get_template("class")?.render(context! {
        header => Value::from(Serde(header)), columns, goals, table => &table, broken, speed_notes,
        title => assignment.map(|assignment| assignment.title.as_str()),
        possible => assignment.map(|assignment| assignment.total().to_string()),
        troubles => troubles(rows, &names), students => table.len(), rows => rows.len(),
        open => rows.iter().filter(|row| row.outcome == Outcome::NotJudged).count(),
        folder => students::FOLDER,
    })
}

/// How an exercise went.
fn column(exercise: &Counted<'_>, rows: &[&Row], header: &Header, assignment: Option<&Assignment>) -> Value {
    let verdicts = |wanted| rows.iter().filter(|row| row.verdict == Some(wanted)).count();
    let passed = verdicts(Verdict::Passed);
    let failed = verdicts(Verdict::Failed);
    let graded = rows.iter().filter(|row| row.outcome == Outcome::Graded).count();
    let open = graded - passed - failed;
    let missing = rows.len() - graded;
    let share = |count: usize| percent(count, rows.len());
    let points: Vec<f64> =
        rows.iter().filter_map(|row| row.points.as_ref()?.earned()).map(|points| points.number()).collect();
    let possible = assignment.and_then(|assignment| assignment.worth(exercise.id)).map(|worth| worth.total());
    let distribution = possible.map(|possible| {
        let mean =
            (!points.is_empty()).then(|| format!("{:.1}", points.iter().sum::<f64>() / points.len() as f64));
        context! { of => possible.to_string(), mean, bars => bars(&points, possible.number()) }
    });
    context! {
        id => exercise.id, code => code(exercise.id), title => exercise.title, passed, failed, open, missing, graded,
        shares => [share(passed), share(failed), share(open)], distribution,
        speed => header.speed.get(exercise.id).and_then(SpeedDemand::in_words),
    }
}

/// How many students have so many points, from none to all, as bars of a picture that is 10 high.
fn bars(points: &[f64], possible: f64) -> Vec<Value> {
    let mut counts = [0_usize; BARS];
    for earned in points {
        let place = if possible > 0.0 { earned / possible * BARS as f64 } else { 0.0 };
        // More than possible is given by hand only.
        counts[(place as usize).min(BARS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |(index, count): (usize, &usize)| {
        let high = 10.0 * *count as f64 / most as f64;
        context! { x => index * 5, y => format!("{:.1}", 10.0 - high), high => format!("{high:.1}"), count }
    };
    counts.iter().enumerate().map(bar).collect()
}

/// How many have passed each goal of an exercise, of those to whom it applies.
fn rates(exercise: &Counted<'_>, rows: &[&Row]) -> Vec<Value> {
    let graded = || rows.iter().filter(|row| row.outcome == Outcome::Graded);
    let rate = |goal: &Goal| {
        let of = || graded().filter_map(|row| row.goals.iter().find(|found| found.goal == *goal));
        let count = |wanted| of().filter(|found| found.verdict == wanted).count();
        let passed = match goal {
            // Only who misses them has them.
            Goal::Compile | Goal::Permitted => graded().count() - count(Verdict::Failed),
            _ => count(Verdict::Passed),
        };
        let open = count(Verdict::Unmeasured) + count(Verdict::Inconclusive);
        let all = graded().count();
        context! {
            exercise => exercise.id, goal => goal.name(), passed, open, of => all, share => percent(passed, all),
        }
    };
    match graded().count() {
        0 => Vec::new(),
        _ => exercise.goals.iter().map(rate).collect(),
    }
}

/// A student's line of the table.
fn line(rows: &[Row], names: &FileNames, counted: &[Counted<'_>], assignment: Option<&Assignment>) -> Value {
    let first = &rows[0];
    let cells: Vec<Option<Value>> = counted
        .iter()
        .map(|exercise| {
            let row = rows.iter().find(|row| row.exercise == exercise.id)?;
            let points = earned(rows, exercise.id).map(|points| points.to_string());
            Some(context! {
                status => row.status(), class => class_of(row), points, exercise => &row.exercise,
                unmeasured => row.speed_unmeasured && row.verdict == Some(Verdict::Passed),
            })
        })
        .collect();
    let total = assignment.map(|assignment| Sum::of(rows, assignment).total.to_string());
    let page = page_name(names, &first.student);
    context! { student => &first.student, name => name_of(first), page, cells, total }
}

/// What was wrong most often, each with a student whose page shows it.
fn troubles(rows: &[Row], names: &FileNames) -> Vec<Value> {
    let mut all: BTreeMap<(Failure, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.outcome == Outcome::Graded && !row.handed_in.untouched) {
        for failure in failures(row) {
            all.entry((failure, &row.exercise)).or_default().push(row);
        }
    }
    let mut all: Vec<((Failure, &str), Vec<&Row>)> = all.into_iter().collect();
    // The sort is stable: of equals the first in the order of goals.
    all.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    all.truncate(TROUBLES);
    let trouble = |((failure, exercise), rows): ((Failure, &str), Vec<&Row>)| {
        // Who has little else is the better example.
        let example = rows.iter().min_by_key(|row| failures(row).len())?;
        Some(context! {
            failure => failure.to_string(), exercise, count => rows.len(), student => name_of(example),
            page => page_name(names, &example.student), said => said(failure, example),
        })
    };
    all.into_iter().filter_map(trouble).collect()
}

/// What a row says of one way to fail.
fn said(failure: Failure, row: &Row) -> Option<String> {
    match failure {
        // Wrong outputs are told behind all findings.
        Failure::CORRECT => row.remarks.last().cloned(),
        Failure::Finding(_) | Failure::Goal(Goal::Compile) => row.remarks.first().cloned(),
        Failure::Goal(goal) => {
            let goal = row.goals.iter().find(|found| found.goal == goal)?;
            Some(format!("asked {}, found {}", goal.asked_in_short(), goal.found_in_words()))
        }
    }
}

/// In which ways a kernel fails: the kinds of its errors, or the goals that it misses.
fn failures(row: &Row) -> Vec<Failure> {
    let missed = row.goals.iter().filter(|goal| goal.has_failed());
    let of_goal = |goal: &harness::report::GoalResult| match &goal.found {
        Found::Findings { errors, .. } => {
            let mut kinds = errors.clone();
            kinds.sort_unstable();
            kinds.dedup();
            kinds.into_iter().map(Failure::Finding).collect()
        }
        _ => vec![Failure::Goal(goal.goal)],
    };
    missed.flat_map(of_goal).collect()
}

/// `03` of `03-reduction`.
fn code(id: &str) -> &str {
    id.split_once('-').map_or(id, |(code, _)| code)
}

fn percent(count: usize, of: usize) -> String {
    if of == 0 { "0".to_owned() } else { format!("{:.1}", 100.0 * count as f64 / of as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        class::{export::counted, row::made_up::rows},
        course::Course,
        visible::hostile,
    };

    fn page(rows: &[Row]) -> String {
        let header =
            Header::new("0.1.0".into(), "NVRTC 13.0.88".into(), "sim:h200".into(), 7, "2026-11-20".into());
        let exercises = [Course { exercises: course::COURSE }.find("03-reduction").unwrap()];
        html(rows, &header, &counted(Course { exercises: &exercises }, None), None).unwrap()
    }

    #[test]
    fn the_page_is_self_contained_and_escapes_names() {
        let page = page(&rows());
        assert!(page.contains("bob &lt;b&gt;") && !page.contains("bob <b>"));
        assert!(!page.contains("<script") && !page.contains("http") && !page.contains("url("));
        insta::assert_snapshot!(page.split_once("</style>").unwrap().1);
    }

    #[test]
    fn nothing_hidden_reaches_a_reader() {
        let soiled = hostile::soiled(&rows(), &hostile::dirt());
        assert!(soiled.len() > 10, "{}", soiled.len());
        for (place, rows) in soiled {
            hostile::assert_harmless(&page(&rows), &place);
        }
    }

    /// The page's print rules, reckoned in pixels with the widest letters that a system's fonts have (DejaVu Sans). What lies
    /// beside the sheet is cut off.
    #[test]
    fn all_exercises_are_on_a_sheet_of_paper() {
        let print = TEMPLATE.split_once("@media print {").unwrap().1.split_once("</style>").unwrap().0;
        let number = |behind: &str| -> f64 {
            let text = print.split_once(behind).unwrap_or_else(|| panic!("no `{behind}` in {print}")).1;
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap();
            text[..end].parse().unwrap()
        };
        let (inch, rem) = (96.0, 16.0);
        let paper = (297.0 - 2.0 * number("A4 landscape; margin: ")) / 25.4 * inch;
        let padding = 2.0 * number("padding: .1rem ") * rem;
        let name = number(".grades tbody th { max-width: ") * rem + padding;
        let (digit, point, mark) = (0.64, 0.32, 0.84 + 0.2);
        let letters = |width: f64| number("font-size: ") / 72.0 * inch * width + padding;
        let (cell, total) = (letters(mark + 3.0 * digit + point), letters(4.0 * digit + point));
        let all = name + cell * course::COURSE.len() as f64 + total;
        assert!(all <= paper, "{all} pixels of {paper}");
        // Nothing scrolls on paper, and nothing stays in view.
        assert!(print.contains(".grades { max-height: none; overflow: visible;"), "{print}");
        assert!(
            print.contains(".grades thead th, .grades tbody th, .grades tfoot th { position: static; }"),
            "{print}"
        );
        assert!(crate::class::page::STYLE.contains(".wide, pre { overflow: visible; }"));
    }

    #[test]
    fn points_are_counted_where_they_lie() {
        let counts = |points: &[f64]| -> Vec<String> {
            bars(points, 8.0).iter().map(|bar| bar.get_attr("count").unwrap().to_string()).collect()
        };
        assert_eq!(counts(&[0.0, 0.7, 0.8, 7.9, 8.0, 9.0]).join(""), "2100000003");
        assert_eq!(bars(&[], 8.0).len(), BARS);
    }
}
