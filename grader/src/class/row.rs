//! One student's result for one exercise: the unit of the store, the gradebook and the class report.

use harness::report::{CaseStatus, GoalResult, Report, Verdict};
use serde::{Deserialize, Serialize};
use warpsim::Severity;

use super::{handed_in::HandedIn, points::RowPoints, store::Owner};
use crate::{
    formats::{Ending, KernelResult, Test, TestOf},
    visible::one_line,
};

/// What became of a submission. Only `Graded` is a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Outcome {
    Graded,
    /// There is no kernel that could be judged.
    NotGradable,
    /// The scoring was interrupted before.
    NotJudged,
    /// The judge could not do its work.
    JudgeError,
}

impl Outcome {
    /// Its name in the gradebook.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Graded => "graded",
            Outcome::NotGradable => "not gradable",
            Outcome::NotJudged => "not judged",
            Outcome::JudgeError => "judge error",
        }
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The student's id, printable: the roster's, or what stands for it in what was handed in.
    pub student: String,
    /// The exercise's id.
    pub exercise: String,
    /// Hash of everything that the result depends on.
    pub key: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The verdict, if graded.
    pub verdict: Option<Verdict>,
    /// True where speed could not be measured.
    pub speed_unmeasured: bool,
    /// Why it is not gradable, or what went wrong in the judge.
    pub reason: String,
    /// Goals in the exercise's order.
    pub goals: Vec<GoalResult>,
    /// What to tell the student: findings, wrong outputs, compiler messages.
    pub remarks: Vec<String>,
    /// The kernel's hash, if there is one.
    pub kernel_hash: Option<String>,
    /// Who handed it in, and when.
    #[serde(default)]
    pub handed_in: HandedIn,
    /// What it earns, where an assignment says so.
    #[serde(default)]
    pub points: Option<RowPoints>,
}

/// A row, and what it was made of, hashed: where that is the same the row is, and needs not be made again.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The row.
    pub row: Row,
    /// Judgements, who handed it in and when, and the assignment; empty where nobody said.
    pub of: String,
}

/// More remarks than this are in the whole report.
const REMARKS: usize = 6;

impl Row {
    /// Whose it is.
    pub fn owner(&self) -> Owner {
        (self.student.clone(), self.exercise.clone())
    }

    /// A row without a report.
    pub fn without_report(
        student: &str,
        exercise: &str,
        key: String,
        outcome: Outcome,
        reason: String,
    ) -> Self {
        Row {
            student: student.to_owned(),
            exercise: exercise.to_owned(),
            key,
            outcome,
            verdict: None,
            speed_unmeasured: false,
            reason,
            goals: Vec::new(),
            remarks: Vec::new(),
            kernel_hash: None,
            handed_in: HandedIn::default(),
            points: None,
        }
    }

    /// The row of a report.
    pub fn of(student: &str, key: String, report: &Report) -> Self {
        let (outcome, verdict) = match &report.judge_error {
            Some(_) => (Outcome::JudgeError, None),
            None => (Outcome::Graded, Some(report.verdict)),
        };
        Row {
            student: student.to_owned(),
            exercise: report.exercise.clone(),
            key,
            outcome,
            verdict,
            speed_unmeasured: report.speed_unmeasured,
            reason: report.judge_error.clone().unwrap_or_default(),
            goals: report.goals.clone(),
            remarks: remarks(report),
            kernel_hash: Some(report.kernel_hash.clone()),
            handed_in: HandedIn::default(),
            points: None,
        }
    }

    /// As programs that collect results take it: a suite `STUDENT/NN-name`.
    pub fn result(&self) -> KernelResult {
        let text = self.remarks.iter().map(|remark| one_line(remark)).collect::<Vec<_>>().join("\n");
        let tests = match self.outcome {
            Outcome::Graded => {
                self.goals.iter().map(|goal| Test::of_goal(goal, None, text.clone())).collect()
            }
            Outcome::NotGradable => {
                let why = format!("not gradable: {}", one_line(&self.reason));
                vec![Test::new(TestOf::Judge, "judge", Ending::Skipped(why))]
            }
            Outcome::NotJudged => {
                vec![Test::new(TestOf::Judge, "judge", Ending::Skipped(one_line(&self.reason)))]
            }
            Outcome::JudgeError => vec![Test::of_judge(&self.reason)],
        };
        KernelResult {
            name: one_line(&format!("{}/{}", self.student, self.exercise)),
            file: None,
            begins: 1,
            passed: self.verdict == Some(Verdict::Passed),
            summary: self.status().to_owned(),
            tests,
            remarks: Vec::new(),
        }
    }

    /// What a table shows: the verdict, or the outcome where there is none.
    pub fn status(&self) -> &'static str {
        self.verdict.map_or(self.outcome.name(), Verdict::name)
    }
}

/// The report's findings, wrong outputs and compiler errors, one line each.
fn remarks(report: &Report) -> Vec<String> {
    let messages =
        report.diagnostics.iter().filter(|message| message.severity == Severity::Error).map(|message| {
            let line = message.place.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
            format!("{line}{}", message.message)
        });
    let findings =
        report.findings.iter().filter(|finding| finding.severity != Severity::Note).map(|finding| {
            let line = finding.place.as_ref().map_or(String::new(), |place| format!("line {}: ", place.line));
            format!("{line}{}", finding.message)
        });
    let cases = report.cases.iter().filter_map(|case| {
        let ended = match &case.status {
            CaseStatus::Finished | CaseStatus::Skipped(_) => None,
            CaseStatus::Faulted(why) | CaseStatus::Unfinished(why) => Some(why.clone()),
            CaseStatus::Unsupported(why) | CaseStatus::JudgeError(why) => Some(why.clone()),
        };
        let wrong = case.mismatches.first().map(|mismatch| {
            format!(
                "{} {:?} should be {}, is {}",
                mismatch.buffer, mismatch.index, mismatch.expected, mismatch.found
            )
        });
        let what = ended.or(wrong).or_else(|| case.complaints.first().cloned())?;
        Some(format!("{}: {what}", case.name))
    });
    let mut remarks: Vec<String> = Vec::new();
    for remark in messages.chain(findings).chain(cases) {
        // The same trouble in many cases is one remark.
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    if remarks.len() > REMARKS {
        let more = remarks.len() - REMARKS;
        remarks.truncate(REMARKS);
        remarks.push(format!("… and {more} more, in the whole report"));
    }
    remarks
}

#[cfg(test)]
pub mod made_up {
    //! Rows for tests.

    use harness::report::Report;

    use super::{Outcome, Row};
    use crate::sample::{failed, passed};

    /// Rows of a small class, one of them with a name that a spreadsheet would compute.
    pub fn rows() -> Vec<Row> {
        let row = |student: &str, report: &Report| Row::of(student, "key".to_owned(), report);
        let missing = |student: &str, outcome, reason: &str| {
            Row::without_report(student, "03-reduction", "key".to_owned(), outcome, reason.to_owned())
        };
        vec![
            row("ada", &passed()),
            row("bob <b>", &failed()),
            missing("=HYPERLINK(\"x\")", Outcome::NotGradable, "no 03-reduction/kernel.cu"),
            missing("eve", Outcome::JudgeError, "the worker could not be started"),
        ]
    }
}
