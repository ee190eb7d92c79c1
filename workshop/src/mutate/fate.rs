//! What a report says of a mutant. The only part that knows goals.

use std::collections::BTreeSet;

use harness::report::{Report, Verdict};

/// What became of a mutant in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It failed this, e.g. `correct`, `clean/race`.
    Killed(String),
    /// It failed nothing.
    Alive,
    /// The judge could not say.
    Unjudged(String),
}

/// Goals that the original fails itself: a step need not keep every bound, and then no mutant of it fails it.
pub type Excused = BTreeSet<String>;

/// The required goals that an original fails.
pub fn excused(original: &Report) -> Excused {
    failed(original).collect()
}

/// What a report says of a mutant whose original is excused from these goals.
pub fn fate(report: &Report, excused: &Excused) -> Fate {
    if let Some(goal) = failed(report).find(|goal| !excused.contains(goal)) {
        return Fate::Killed(match report.findings.iter().find(|finding| finding.is_error()) {
            Some(finding) if goal == "clean" => format!("clean/{}", finding.kind.name()),
            _ => goal,
        });
    }
    match &report.judge_error {
        Some(why) => Fate::Unjudged(why.clone()),
        None => Fate::Alive,
    }
}

fn failed(report: &Report) -> impl Iterator<Item = String> {
    let failed = report.goals.iter().filter(|goal| goal.required && goal.verdict == Verdict::Failed);
    failed.map(|goal| goal.name.clone())
}
