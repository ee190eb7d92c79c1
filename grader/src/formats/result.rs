//! What became of one kernel, as programs that collect results take it: tests that passed or did not, and remarks at places
//! in the source. Texts of a learner are [`visible`](crate::visible) from here on.

use harness::report::{
    CaseReport, CaseStatus, Diagnostic, Found, Goal, GoalResult, Problem, Report, Verdict,
};
use warpsim::{Finding, Place, Severity};

use crate::{
    check::render::{complaints, went_wrong},
    excerpt::Judged,
    exit::Trouble,
    regions::regions,
    run::report::{RunReport, RunStatus},
    sentences::{self, Sentences},
    visible::{one_line, visible},
};

/// More wrong cases than this say nothing new.
const CASES_SHOWN: usize = 4;
/// What a test is about that no goal is: the judge itself.
const JUDGE: &str = "judge";

/// One kernel's result.
#[derive(Clone, Debug)]
pub struct KernelResult {
    /// The exercise's id, or the kernel that was run.
    pub name: String,
    /// The file; none where there is none.
    pub file: Option<String>,
    /// The line, from 1, where the learner's part of the file begins.
    pub begins: u32,
    /// Whether all that counts has passed.
    pub passed: bool,
    /// What to say in one line besides: the verdict, in words.
    pub summary: String,
    /// The judge itself, goals, and cases.
    pub tests: Vec<Test>,
    /// Findings and compiler messages, errors first.
    pub remarks: Vec<Sentences>,
}

/// What was asked of a kernel, and how that ended.
#[derive(Clone, Debug)]
pub struct Test {
    /// What it is a test of.
    pub of: TestOf,
    /// Its name.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// Lines of the source that are to blame and why, where the remarks have none of them; 0 is the whole file.
    pub lines: Vec<(u32, String)>,
    /// Whether the remarks say why it failed.
    pub is_remarked: bool,
}

/// What a test is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestOf {
    /// The judge's own work.
    Judge,
    /// A goal.
    Goal,
    /// One case of the exercise.
    Case,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It passed.
    Passed,
    /// The kernel is at fault.
    Failed(Why),
    /// Nobody can say: the judge could not do its work, or the machine could not decide.
    Undecided(Why),
    /// It was not judged, and that does no harm.
    Skipped(String),
}

/// Why a test did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// One word: a kind of finding, a goal, a status.
    pub kind: String,
    /// One line: what was asked and found.
    pub message: String,
    /// More, in lines of its own.
    pub text: String,
}

impl Test {
    /// One that no remark is of.
    pub fn new(of: TestOf, name: impl Into<String>, ending: Ending) -> Self {
        Test { of, name: name.into(), ending, lines: Vec::new(), is_remarked: false }
    }
    /// A goal's test. `kind` is what spoils it, where that has a name; `text` says more of why it failed.
    pub fn of_goal(goal: &GoalResult, kind: Option<&str>, text: String) -> Self {
        let (asked, found) = (one_line(&goal.asked_in_words()), one_line(&goal.found_in_words()));
        let message = format!("asked: {asked}; found: {found}");
        let ending = match goal.verdict {
            Verdict::Passed => Ending::Passed,
            Verdict::Unmeasured => Ending::Skipped(format!("unmeasured: {found}")),
            Verdict::Failed | Verdict::Inconclusive if !goal.required => {
                Ending::Skipped(format!("{}, and decides nothing: {message}", goal.verdict.name()))
            }
            Verdict::Failed => {
                Ending::Failed(Why { kind: kind.unwrap_or(goal.goal.name()).to_owned(), message, text })
            }
            Verdict::Inconclusive => {
                Ending::Undecided(Why { kind: "inconclusive".to_owned(), message, text })
            }
        };
        let lines = match &goal.found {
            Found::Problems(problems) => problems.iter().map(of_problem).collect(),
            _ => Vec::new(),
        };
        Test { lines, ..Test::new(TestOf::Goal, goal.goal.name(), ending) }
    }
    /// The judge's failure.
    pub fn of_judge(why: &str) -> Self {
        let why = Why { kind: "judge error".to_owned(), message: visible(why), text: String::new() };
        Test::new(TestOf::Judge, JUDGE, Ending::Undecided(why))
    }
}

impl KernelResult {
    /// Of a kernel that nobody got to judge. `file` is the one that could not be read, where that
    /// is why.
    pub fn unjudged(name: &str, file: Option<&str>, trouble: &Trouble) -> Self {
        KernelResult {
            name: one_line(name),
            file: file.map(one_line),
            begins: 1,
            passed: false,
            summary: "not judged".to_owned(),
            tests: vec![Test::of_judge(&with_next(&trouble.message, &trouble.next))],
            remarks: Vec::new(),
        }
    }

    /// Of a check.
    pub fn of_check(report: &Report) -> Self {
        let judged = Judged { path: &report.kernel, source: &report.source };
        let mut tests: Vec<Test> =
            report.judge_error.iter().map(|why| Test::of_judge(&with_next(why, &report.next_step))).collect();
        tests.extend(report.goals.iter().map(|goal| match &report.judge_error {
            None => of_goal(goal, report),
            Some(_) => Test::new(TestOf::Goal, goal.goal.name(), Ending::Skipped("no verdict".to_owned())),
        }));
        tests.extend(report.cases.iter().map(of_case));
        let passed = report.verdict == Verdict::Passed && report.judge_error.is_none();
        let mut summary = match &report.judge_error {
            Some(_) => "not judged".to_owned(),
            None => report.verdict.name().to_owned(),
        };
        if passed && report.speed_unmeasured {
            summary.push_str(", speed unmeasured");
        }
        KernelResult {
            name: report.exercise.clone(),
            file: Some(one_line(&report.kernel)),
            begins: begins(&report.source),
            passed,
            summary,
            tests,
            remarks: remarks(&report.diagnostics, &report.findings, judged),
        }
    }

    /// Of a run, whose goals are those of every kernel: it compiles, comes to its end and is clean.
    pub fn of_run(report: &RunReport) -> Self {
        let judged = Judged { path: &report.kernel, source: &report.source };
        let remarks = remarks(&report.diagnostics, &report.findings, judged);
        KernelResult {
            name: one_line(&report.entry),
            file: Some(one_line(&report.kernel)),
            begins: begins(&report.source),
            passed: report.is_clean(),
            summary: if report.is_clean() { "finished, clean" } else { "failed" }.to_owned(),
            tests: of_run(report, &remarks),
            remarks,
        }
    }
}

/// What kept the judge from its work, and what to do about it.
fn with_next(why: &str, next: &str) -> String {
    if next.is_empty() { why.to_owned() } else { format!("{why}; {next}") }
}

/// The first line, from 1, of the first region between marks; where there is none, of the file.
fn begins(source: &str) -> u32 {
    regions(source).first().map_or(1, |region| region.start as u32 + 1)
}

fn remarks(diagnostics: &[Diagnostic], findings: &[Finding], judged: Judged<'_>) -> Vec<Sentences> {
    let diagnostics = diagnostics.iter().map(|each| sentences::diagnostic(each, judged));
    let findings = findings.iter().map(|each| sentences::finding(each, judged));
    let mut all: Vec<Sentences> = diagnostics.chain(findings).collect();
    all.sort_by_key(|each| match each.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    });
    all
}

/// A goal's test of a check.
fn of_goal(goal: &GoalResult, report: &Report) -> Test {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let finding = report.findings.iter().find(|finding| finding.is_error());
    let diagnostic = report.diagnostics.iter().find(|each| each.severity == Severity::Error);
    let remark = match goal.goal {
        Goal::Compile => diagnostic.map(|each| sentences::diagnostic(each, judged)),
        Goal::Clean => finding.map(|each| sentences::finding(each, judged)),
        _ => None,
    };
    let text = match (goal.goal, &remark) {
        (Goal::Correct, _) => wrong_cases(&report.cases),
        (_, Some(remark)) => remark.to_string(),
        (_, None) => visible(&report.next_step),
    };
    let kind = remark.as_ref().map(|remark| remark.what.as_str());
    Test { is_remarked: remark.is_some(), ..Test::of_goal(goal, kind, text) }
}

/// What went wrong in cases, a line each.
fn wrong_cases(cases: &[CaseReport]) -> String {
    let wrong: Vec<&CaseReport> = cases.iter().filter(|case| went_wrong(case)).collect();
    let mut lines: Vec<String> = wrong.iter().take(CASES_SHOWN).map(|case| in_words(case)).collect();
    match wrong.len().saturating_sub(CASES_SHOWN) {
        0 => {}
        1 => lines.push("and 1 more case".to_owned()),
        more => lines.push(format!("and {more} more cases")),
    }
    lines.join("\n")
}

/// Where a kernel does what it may not, 0 where nobody knows, and what to do instead.
fn of_problem(problem: &Problem) -> (u32, String) {
    (problem.line.unwrap_or(0), one_line(&format!("{problem}. {}", problem.rule.instead())))
}

/// A case's test.
fn of_case(case: &CaseReport) -> Test {
    let text = complaints(case).iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n");
    let message = text.lines().next().unwrap_or_default().to_owned();
    let why = |kind: &str| Why { kind: kind.to_owned(), message: message.clone(), text: text.clone() };
    let ending = match &case.status {
        CaseStatus::Skipped(reason) => Ending::Skipped(visible(reason)),
        CaseStatus::Unsupported(_) => Ending::Undecided(why("unsupported")),
        CaseStatus::JudgeError(_) => Ending::Undecided(why("judge error")),
        CaseStatus::Faulted(_) => Ending::Failed(why("fault")),
        CaseStatus::Unfinished(_) => Ending::Failed(why("unfinished")),
        CaseStatus::Finished if went_wrong(case) => Ending::Failed(why("wrong output")),
        CaseStatus::Finished => Ending::Passed,
    };
    let name = format!("case {}: {} on {}", case.number, one_line(&case.name), one_line(&case.device));
    Test::new(TestOf::Case, name, ending)
}

/// A case that went wrong, on one line.
fn in_words(case: &CaseReport) -> String {
    let what = complaints(case).iter().map(|line| one_line(line)).collect::<Vec<_>>().join("; ");
    format!("case {}, {}, on {}: {what}", case.number, one_line(&case.name), one_line(&case.device))
}

/// The tests of a run, in the order in which a kernel comes to them; behind one that fails nothing was judged.
fn of_run(report: &RunReport, remarks: &[Sentences]) -> Vec<Test> {
    let first = remarks.iter().find(|remark| remark.severity == Severity::Error);
    let detail = report.detail.as_deref().map(visible).unwrap_or_default();
    let why = |kind: &str| Why {
        kind: first.map_or(kind, |remark| &remark.what).to_owned(),
        message: match (detail.is_empty(), first) {
            (false, _) => detail.clone(),
            (true, Some(remark)) => remark.message.clone(),
            (true, None) => kind.to_owned(),
        },
        text: first.map(ToString::to_string).unwrap_or_default(),
    };
    let goal =
        |name: &str, ending| Test { is_remarked: first.is_some(), ..Test::new(TestOf::Goal, name, ending) };
    let skipped = || Ending::Skipped("not judged: what comes before it failed".to_owned());
    let clean = match first {
        Some(_) => Ending::Failed(why("finding")),
        None => Ending::Passed,
    };
    let (compile, finish, clean) = match report.status {
        RunStatus::JudgeError => return vec![Test::of_judge(&detail)],
        RunStatus::Unsupported => {
            return vec![Test::of_judge(&format!(
                "the simulator lacks something that this kernel needs: {detail}"
            ))];
        }
        RunStatus::CompileError => (Ending::Failed(why("compile")), skipped(), skipped()),
        RunStatus::Faulted => (Ending::Passed, Ending::Failed(why("fault")), clean),
        RunStatus::Unfinished => (Ending::Passed, Ending::Failed(why("unfinished")), clean),
        RunStatus::Finished => (Ending::Passed, Ending::Passed, clean),
    };
    vec![goal("compile", compile), goal("finish", finish), goal("clean", clean)]
}

/// A place in a file that a program can open.
pub fn openable(place: &Place, file: Option<&str>) -> bool {
    file == Some(place.file.as_str()) || std::path::Path::new(&place.file).is_file()
}
