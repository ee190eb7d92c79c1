//! What a report says of a mutant. The only part that knows goals.

use std::collections::BTreeSet;

use harness::report::{Failure, Goal, Report, Verdict};

/// What became of a mutant in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It failed this.
    Killed(Failure),
    /// It is no kernel that the exercise's host side can call.
    Uncallable,
    /// It failed nothing.
    Alive,
    /// The judge could not say.
    Unjudged(String),
}

/// Goals that the original fails itself: a step need not keep every bound, and then no mutant of it fails it.
pub type Excused = BTreeSet<Goal>;

/// The required goals that an original fails.
pub fn excused(original: &Report) -> Excused {
    failed(original).collect()
}

/// The goal that an original must not fail, where it does: what is wrong already cannot be broken.
pub fn wrong(excused: &Excused) -> Option<Goal> {
    excused.iter().copied().find(|goal| goal.is_of_right_kernels())
}

/// What a report says of a mutant whose original is excused from these goals.
pub fn fate(report: &Report, excused: &Excused) -> Fate {
    match failed(report).find(|goal| !excused.contains(goal)) {
        Some(Goal::Compile) => Fate::Uncallable,
        Some(goal) => {
            let finding = report.findings.iter().find(|finding| finding.is_error());
            Fate::Killed(match finding {
                Some(finding) if goal == Goal::Clean => Failure::Finding(finding.kind),
                _ => Failure::Goal(goal),
            })
        }
        None => match &report.judge_error {
            Some(why) => Fate::Unjudged(why.clone()),
            None => Fate::Alive,
        },
    }
}

fn failed(report: &Report) -> impl Iterator<Item = Goal> {
    let failed = report.goals.iter().filter(|goal| goal.required && goal.verdict == Verdict::Failed);
    failed.map(|result| result.goal)
}
