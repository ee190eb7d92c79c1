//! A page for each student: what became of each kernel and why, as `check` shows it in a terminal.
//!
//! A page needs no other file. It has no seed, no path of this machine, and nothing of another student: what the judge
//! could not do is the instructor's to know, and where a kernel lay may have a partner's name in it.

use harness::report::{CaseReport, CaseStatus, Diagnostic, Mismatch, Verdict};
use minijinja::{Environment, context, value::Value};
use rayon::prelude::*;
use serde::Deserialize;
use warpsim::{Finding, Place, Severity};

use super::{
    export::Counted,
    matrix::{Sum, by_student},
    page::{class_of, class_of_verdict, environment},
    painted,
    points::RowPoints,
    row::{Outcome, Row},
    store::Store,
    submissions::FileNames,
};
use crate::{
    assignment::{Assignment, points::Fate},
    check::render::{complaints, went_wrong},
    excerpt::{self, Judged},
    terminal::Terminal,
};

/// The pages' folder below the results.
pub const FOLDER: &str = "students";
/// All of them in one file.
pub const ARCHIVE: &str = "students.zip";

const TEMPLATE: &str = include_str!("student.html");
/// As excerpts are written to files.
const TERMINAL: Terminal = Terminal { width: 100, rows: usize::MAX, colour: true, plain: false };
/// More findings, or compiler messages, say nothing that these don't.
const SHOWN: usize = 4;
/// So many students' reports are in memory at a time.
const AT_ONCE: usize = 32;

/// Whose pages are made.
#[derive(Clone, Copy)]
pub struct Students<'a> {
    /// All rows.
    pub rows: &'a [Row],
    /// The exercises that count.
    pub counted: &'a [Counted<'a>],
    /// What they are worth, where that is said.
    pub assignment: Option<&'a Assignment>,
    /// The reports.
    pub store: &'a Store,
}

/// What a page shows of a report. Counts, which are most of one, are not read: there are thousands of reports.
#[derive(Deserialize)]
struct Told {
    kernel: String,
    source: String,
    diagnostics: Vec<Diagnostic>,
    findings: Vec<Finding>,
    cases: Vec<ToldCase>,
    next_step: String,
}

#[derive(Deserialize)]
struct ToldCase {
    number: usize,
    name: String,
    device: String,
    status: CaseStatus,
    mismatches: Vec<Mismatch>,
    complaints: Vec<String>,
}

/// A row and its report's text, where there is something to tell of it.
type Reported<'a> = (&'a Row, Option<Vec<u8>>);

/// Whether a report has more to say than its row. Of a kernel that passed, only what was remarked.
fn is_telling(row: &Row) -> bool {
    row.outcome == Outcome::Graded && (row.verdict != Some(Verdict::Passed) || !row.remarks.is_empty())
}

impl Students<'_> {
    /// The pages, by their names, in the rows' order.
    ///
    /// # Errors
    /// A defect of the template.
    pub fn pages(&self) -> Result<Vec<(String, Vec<u8>)>, minijinja::Error> {
        let mut environment = environment();
        environment.add_template("student", TEMPLATE)?;
        let students: Vec<&[Row]> = by_student(self.rows).collect();
        let names = file_names(self.rows);
        let (counted, assignment) = (self.counted, self.assignment);
        let mut pages = Vec::with_capacity(students.len());
        for some in students.chunks(AT_ONCE) {
            // The store is read by one thread; what takes time is drawn by all.
            let reported: Vec<(&[Row], Vec<Reported<'_>>)> = some
                .iter()
                .map(|rows| (*rows, rows.iter().map(|row| (row, self.text(row))).collect()))
                .collect();
            let made: Result<Vec<_>, minijinja::Error> = reported
                .par_iter()
                .map(|(rows, reported)| {
                    let name = page_name(&names, &rows[0].student);
                    Ok((name, page(&environment, counted, assignment, (rows, reported))?.into_bytes()))
                })
                .collect();
            pages.extend(made?);
        }
        Ok(pages)
    }

    fn text(&self, row: &Row) -> Option<Vec<u8>> {
        let (text, _) = is_telling(row).then(|| self.store.report_text(&row.key))??;
        Some(text)
    }
}

fn page(
    environment: &Environment<'_>,
    counted: &[Counted<'_>],
    assignment: Option<&Assignment>,
    (rows, reported): (&[Row], &[Reported<'_>]),
) -> Result<String, minijinja::Error> {
    let first = &rows[0];
    let title =
        |id: &str| counted.iter().find(|counted| counted.id == id).map_or("", |counted| counted.title);
    let exercises: Vec<Value> =
        reported.iter().map(|(row, report)| exercise(row, report.as_deref(), title(&row.exercise))).collect();
    let sum = assignment.map(|assignment| {
        let sum = Sum::of(rows, assignment);
        context! {
            total => sum.total.to_string(), possible => assignment.total().to_string(),
            pending => (sum.pending != Default::default()).then(|| sum.pending.to_string()),
        }
    });
    environment.get_template("student")?.render(context! {
        name => name_of(first),
        student => &first.student,
        assignment => assignment.map(|assignment| assignment.title.as_str()),
        sum, exercises,
        open => rows.iter().filter(|row| row.outcome == Outcome::NotJudged).count(),
    })
}

impl ToldCase {
    /// As the terminal's renderer takes it.
    fn case(&self) -> CaseReport {
        CaseReport {
            mismatches: self.mismatches.clone(),
            complaints: self.complaints.clone(),
            ..CaseReport::new(self.number, &self.name, &self.device, self.status.clone())
        }
    }
}

/// A student's name, or the id where nobody knows a name.
pub fn name_of(row: &Row) -> &str {
    if row.handed_in.name.is_empty() { &row.student } else { &row.handed_in.name }
}

/// The names of the files of all students who have rows.
pub fn file_names(rows: &[Row]) -> FileNames {
    FileNames::of(rows.iter().map(|row| row.student.as_str()))
}

/// The name of a student's page.
pub fn page_name(names: &FileNames, student: &str) -> String {
    format!("{}.html", names.name(student))
}

/// What a page says of one exercise.
fn exercise(row: &Row, report: Option<&[u8]>, title: &str) -> Value {
    let report: Option<Told> = report.and_then(|text| serde_json::from_slice(text).ok());
    let reason = match row.outcome {
        Outcome::Graded => String::new(),
        Outcome::NotGradable => without_paths(&row.reason),
        Outcome::NotJudged => "It is not judged yet.".to_owned(),
        Outcome::JudgeError => {
            "The judge could not do its work, which says nothing of the kernel: your instructor knows."
                .to_owned()
        }
    };
    let goals: Vec<Value> = row
        .goals
        .iter()
        .filter(|goal| goal.verdict != Verdict::Passed)
        .map(|goal| {
            context! {
                name => goal.goal.name(), optional => !goal.required, verdict => goal.verdict.name(),
                class => class_of_verdict(goal.verdict), asked => without_paths(&goal.asked_in_words()),
                found => without_paths(&goal.found_in_words()),
            }
        })
        .collect();
    let passed: Vec<&str> = row
        .goals
        .iter()
        .filter(|goal| goal.verdict == Verdict::Passed)
        .map(|goal| goal.goal.name())
        .collect();
    let found = report.as_ref().map(found);
    context! {
        id => &row.exercise, title, status => row.status(), class => class_of(row),
        unmeasured => row.speed_unmeasured && row.verdict == Some(Verdict::Passed), reason,
        untouched => row.handed_in.untouched && row.outcome == Outcome::Graded,
        at => row.handed_in.at.map(|at| at.strftime("%Y-%m-%d %H:%M UTC").to_string()),
        late => row.handed_in.late, points => row.points.as_ref().map(points), goals, passed, found,
    }
}

fn points(points: &RowPoints) -> Value {
    let parts: Vec<Value> = points
        .parts
        .iter()
        .flatten()
        .map(|part| {
            let earned = match part.fate {
                Fate::Earned => part.points.to_string(),
                Fate::Missed => "0".to_owned(),
                Fate::Pending => "open".to_owned(),
            };
            context! { name => &part.part, earned, of => part.points.to_string() }
        })
        .collect();
    context! {
        earned => points.earned().map(|points| points.to_string()), of => points.possible.to_string(), parts,
        by_hand => points.by_hand.as_ref().map(|by_hand| by_hand.reason.as_str()),
    }
}

/// What was found in a kernel: messages, findings, the first case that is wrong, and what to do next.
fn found(report: &Told) -> Value {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let painted = |text: String| Value::from_safe_string(painted::html(text.trim_end()));
    let messages = report.diagnostics.iter().take(SHOWN).map(|message| {
        let mut message = message.clone();
        message.message = without_paths(&message.message);
        message.excerpt = without_paths(&message.excerpt);
        message.place.iter_mut().for_each(shorten);
        painted(excerpt::diagnostic(&message, judged, TERMINAL))
    });
    let findings = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let more =
        findings.clone().count().saturating_sub(SHOWN) + report.diagnostics.len().saturating_sub(SHOWN);
    let findings = findings.take(SHOWN).map(|finding| {
        let mut finding = finding.clone();
        finding.place.iter_mut().chain(finding.other.iter_mut()).for_each(shorten);
        painted(excerpt::finding(&finding, judged, TERMINAL))
    });
    let wrong = report.cases.iter().map(ToldCase::case).find(went_wrong).map(|case| {
        let lines: Vec<String> = complaints(&case).iter().map(|line| without_paths(line)).collect();
        context! { number => case.number, name => case.name, device => case.device, lines }
    });
    context! {
        excerpts => messages.chain(findings).collect::<Vec<_>>(), more, wrong,
        next => without_paths(&report.next_step),
    }
}

/// Where a header lies on this machine is nobody's business: its name is enough.
fn shorten(place: &mut Place) {
    if let Some((_, name)) = place.file.rsplit_once('/') {
        place.file = name.to_owned();
    }
}

/// A message with the last part alone of each absolute path in it.
pub fn without_paths(text: &str) -> String {
    let is_of_a_path = |c: char| !c.is_whitespace() && !"\"'`()<>,;:".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = from.find(|c| !is_of_a_path(c)).unwrap_or(from.len());
        let path = &from[..end];
        let is_absolute = !out.ends_with(is_of_a_path);
        let is_path = is_absolute && !path.starts_with("//") && path.matches('/').count() > 1;
        out.push_str(if is_path { path.rsplit('/').next().unwrap_or_default() } else { path });
        rest = &from[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_machine_are_cut() {
        for (text, cut) in [
            ("cannot open \"/home/ada/cache/cg.h\" (x)", "cannot open \"cg.h\" (x)"),
            ("/usr/include/a/b.h(12): error", "b.h(12): error"),
            ("a / b, 1/2, 3/4/5 // note", "a / b, 1/2, 3/4/5 // note"),
            ("no 03-reduction/kernel.cu", "no 03-reduction/kernel.cu"),
            ("expected a `/` before /x", "expected a `/` before /x"),
        ] {
            assert_eq!(without_paths(text), cut);
        }
    }
}
