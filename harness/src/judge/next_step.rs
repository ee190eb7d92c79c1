//! One sentence: what to do next.

use warpsim::{Finding, FindingKind, Side};

use super::goals::is_wrong;
use crate::{
    exercise::{Counter, WaitsWith},
    report::{Asked, Bound, CaseReport, CaseStatus, Content, Found, Goal, GoalResult, Report, Verdict},
    source,
};

/// The first thing that stands between this kernel and a pass.
pub(super) fn next_step(findings: &[Finding], cases: &[CaseReport], goals: &[GoalResult]) -> String {
    if let Some(finding) = findings.iter().find(|finding| finding.is_error()) {
        return for_finding(finding);
    }
    if let Some(case) = cases.iter().find(|case| is_wrong(case)) {
        return for_wrong_case(case);
    }
    let failed = |verdict| goals.iter().find(|goal| goal.required && goal.verdict == verdict);
    if let Some(goal) = failed(Verdict::Failed) {
        return for_failed_goal(goal);
    }
    if let Some(goal) = failed(Verdict::Inconclusive) {
        return format!("Measure again on a quiet machine: {}.", goal.found_in_words());
    }
    if let Some(goal) = goals.iter().find(|goal| !goal.required && goal.verdict == Verdict::Failed) {
        return format!("Passed. The expert goal is open: {}.", goal.asked_in_words());
    }
    if goals.iter().any(|goal| goal.goal == Goal::Speedup && goal.verdict == Verdict::Unmeasured) {
        return "Passed as far as can be judged here; check it on a GPU to measure its speed.".to_owned();
    }
    "Passed. Read the chapter's explanation, then go on to the next exercise.".to_owned()
}

/// Behind the next step of a kernel that waits for ever in a loop of its own: what waits without one.
pub(super) fn instead_of_a_loop(waits: WaitsWith, report: &Report) -> Option<String> {
    let first = report.findings.iter().find(|finding| finding.is_error())?;
    let waits_for_ever = matches!(first.kind, FindingKind::Deadlock | FindingKind::Unfinished);
    (waits_for_ever && !source::calls(&report.source, waits.function)).then(|| format!(" {}", waits.instead))
}

fn for_failed_goal(goal: &GoalResult) -> String {
    let found = goal.found_in_words();
    match (goal.goal, &goal.asked, &goal.found) {
        (Goal::Counter(counter), Asked::Bound(bound), _) => {
            for_counter(counter, bound, &goal.asked_in_short(), &found)
        }
        (Goal::Permitted, _, Found::Problems(problems)) => {
            let instead =
                problems.first().map_or(String::new(), |first| format!(" {}", first.rule.instead()));
            format!("Not permitted here: {found}.{instead}")
        }
        (Goal::Speedup | Goal::Expert, ..) => {
            format!("Make it faster: {found}, asked is {}.", goal.asked_in_words())
        }
        (Goal::Compile | Goal::Correct | Goal::Clean | Goal::Permitted | Goal::Counter(_), ..) => {
            format!("Look at what is asked ({}): {found}.", goal.asked_in_words())
        }
    }
}

/// A lower bound too may be missed.
fn for_counter(counter: Counter, Bound { least, most, why }: &Bound, asked: &str, found: &str) -> String {
    let name = counter.in_words();
    let why = why.trim_end_matches('.');
    if *least == 0 {
        format!("Lower {name}: it is {found}, allowed is {asked}: {why}.")
    } else if least == most || *most == u64::MAX {
        format!("Bring {name} to {asked} ({why}): it is {found}.")
    } else {
        format!("Bring {name} into the range {asked} ({why}): it is {found}.")
    }
}

fn for_finding(finding: &Finding) -> String {
    if let Some(next) = &finding.next {
        return next.clone();
    }
    let line = finding.place.as_ref().map_or(String::new(), |place| format!(" at line {}", place.line));
    let other = match (&finding.place, &finding.other) {
        (Some(place), Some(other)) if place.line != other.line => format!(" and line {}", other.line),
        _ => String::new(),
    };
    match finding.kind {
        FindingKind::Race if finding.sides == [Side::Write, Side::Write] => format!(
            "Ask first whether both threads should own the element that they write{line}{other}: if not, correct the index or \
             the guard; if so, order the two writes."
        ),
        // One access, and a block that has not begun or may have left.
        FindingKind::Race if finding.place.is_some() && finding.other.is_none() => {
            format!("Order the access{line}: nothing does yet.")
        }
        FindingKind::Race => format!("Order the two accesses{line}{other}: nothing does yet."),
        FindingKind::BarrierDivergence => {
            format!("Let every thread of the block reach the same barrier{line}.")
        }
        FindingKind::InvalidMask => format!("Name in the mask{line} exactly the lanes that get there."),
        FindingKind::Deadlock => format!("Find out what the threads{line} wait for: it never comes."),
        FindingKind::Unfinished => match finding.budget {
            Some(budget) => format!(
                "Let every loop end and share out the work{line}: the launch used up its budget of {budget} warp instructions, which \
                 is more than this case needs. (`grader run --budget N` raises it for a launch that is only large.)"
            ),
            None => format!("Let the loop{line} end: the kernel never finished."),
        },
        FindingKind::OutOfBounds => {
            format!("Correct the index or the guard{line}: the access leaves its array.")
        }
        FindingKind::Misaligned => format!("Align the address{line} to the size of the access."),
        FindingKind::UninitializedRead => format!("Write the value used{line} before it is read."),
        FindingKind::Assertion => format!("The assertion{line} does not hold: find out why."),
        FindingKind::Trap => format!("Keep the kernel from the trap{line}."),
        FindingKind::StackOverflow => format!("Limit how deep the calls{line} nest."),
        FindingKind::HeapOverflow => format!("Ask for less memory{line}: the device heap ran out."),
        FindingKind::Unsupported => {
            format!("The simulator cannot run what is used{line}: use another way, or a GPU.")
        }
        kind => format!("Do what the finding of the kind {}{line} says.", kind.name()),
    }
}

fn for_wrong_case(case: &CaseReport) -> String {
    match &case.status {
        CaseStatus::Faulted(why) | CaseStatus::Unfinished(why) => {
            return format!("Look at case {} on {}: {}.", case.name, case.device, why.trim_end_matches('.'));
        }
        _ => {}
    }
    match (case.mismatches.first(), case.complaints.first()) {
        (Some(wrong), _) => {
            let index: String = wrong.index.iter().map(|index| format!("[{index}]")).collect();
            let held = &wrong.found;
            let found = match held {
                Content::Value(value) => format!("is {value}"),
                Content::NeverWritten | Content::Undefined | Content::NeverReadBack => format!("was {held}"),
            };
            format!(
                "Look at case {}: {}{index} {found}, expected {}.",
                case.name, wrong.buffer, wrong.expected
            )
        }
        (None, Some(complaint)) => {
            format!("Look at case {}: {}.", case.name, complaint.trim_end_matches('.'))
        }
        (None, None) => format!("Look at case {}.", case.name),
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    #[test]
    fn every_kind_of_finding_has_a_next_step_of_its_own() {
        for &kind in FindingKind::VARIANTS {
            let step = for_finding(&Finding::new(kind, warpsim::Severity::Error, ""));
            assert!(!step.starts_with("Do what the finding"), "{kind:?} needs an arm in `for_finding`");
        }
    }

    #[test]
    fn of_two_writes_it_is_asked_first_who_should_own_the_element() {
        let mut race = Finding::new(FindingKind::Race, warpsim::Severity::Error, "");
        race.sides = vec![Side::Read, Side::Write];
        assert_eq!(for_finding(&race), "Order the two accesses: nothing does yet.");
        race.place = Some(warpsim::Place { file: "kernel.cu".to_owned(), line: 31, column: 9 });
        assert_eq!(for_finding(&race), "Order the access at line 31: nothing does yet.");
        race.place = None;
        race.sides = vec![Side::Write, Side::Write];
        let step = for_finding(&race);
        assert!(step.starts_with("Ask first whether both threads should own the element"), "{step}");
    }

    #[test]
    fn what_the_finding_knows_better_comes_before_its_class() {
        let mut race = Finding::new(FindingKind::Race, warpsim::Severity::Error, "");
        race.sides = vec![Side::Write, Side::Write];
        race.next = Some("Wait for the copy.".to_owned());
        assert_eq!(for_finding(&race), "Wait for the copy.");
    }

    #[test]
    fn a_spent_budget_is_no_endless_loop() {
        let mut unfinished = Finding::new(FindingKind::Unfinished, warpsim::Severity::Error, "");
        assert!(for_finding(&unfinished).contains("never finished"));
        unfinished.budget = Some(12_000);
        let step = for_finding(&unfinished);
        assert!(step.contains("budget of 12000 warp instructions") && step.contains("--budget"), "{step}");
    }

    #[test]
    fn a_counter_is_lowered_or_brought_to_its_bounds() {
        let next = |least, most, why| {
            let result = GoalResult {
                goal: Goal::Counter(Counter::SharedLoadRequests),
                verdict: Verdict::Failed,
                required: true,
                asked: Asked::Bound(Counter::SharedLoadRequests.within(least, most, why).bound),
                found: Found::Count { value: 2, case: "n = 1".to_owned() },
            };
            next_step(&[], &[], &[result])
        };
        assert_eq!(
            next(0, 1, "one read"),
            "Lower shared load requests: it is 2 in case n = 1, allowed is at most 1: one read."
        );
        assert_eq!(
            next(4, 4, "one read a round."),
            "Bring shared load requests to exactly 4 (one read a round): it is 2 in case n = 1."
        );
        assert_eq!(
            next(4, usize::MAX, "one read a round"),
            "Bring shared load requests to at least 4 (one read a round): it is 2 in case n = 1."
        );
        assert_eq!(
            next(4, 6, "one read a round"),
            "Bring shared load requests into the range from 4 to 6 (one read a round): it is 2 in case n = 1."
        );
    }
}
