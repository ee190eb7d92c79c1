//! From evidence to verdicts. Pure: reports of cases and timings in, goals and one next step out.

use warpsim::{Finding, Kind, Severity};

use super::audit;
use crate::{
    compare::{NEVER_WRITTEN, UNDEFINED},
    exercise::{Counter, CounterBound, SpeedGoals},
    measure::Interval,
    report::{CaseReport, CaseStatus, GoalResult, Verdict},
};

/// The timed cases against the speed goals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timed {
    /// What was timed: `in case …`, or `as geometric mean of 2 cases`.
    pub what: String,
    /// The median ratio and its interval.
    pub speedup: Interval,
    /// Rounds.
    pub pairs: u32,
    /// Share of a copy's speed, where there is a roof.
    pub roof_share: Option<f64>,
    /// Against the speedup that a pass needs.
    pub pass: Option<Verdict>,
    /// Against the expert goal.
    pub expert: Option<Verdict>,
    /// Why the machine could not decide, where it could not.
    pub doubt: Option<String>,
}

/// Everything that goals are decided on.
pub(super) struct Evidence<'a> {
    /// All cases on all devices, in report order.
    pub cases: &'a [CaseReport],
    /// Findings merged over the cases.
    pub findings: &'a [Finding],
    /// Counter bounds of the case at the same position.
    pub bounds: &'a [Vec<CounterBound>],
    /// What the exercise asks of speed.
    pub speed_goals: SpeedGoals,
    /// What was timed, or why nothing was.
    pub speed: Result<&'a Timed, &'a str>,
    /// What the kernel does that the exercise does not permit.
    pub not_permitted: &'a [String],
}

/// The goals in the order in which a report shows them, and in which a kernel is to meet them.
pub(super) fn goals(evidence: &Evidence<'_>) -> Vec<GoalResult> {
    let mut goals = vec![correct(evidence.cases), clean(evidence)];
    goals.extend(not_permitted(evidence.not_permitted));
    goals.extend(counters(evidence));
    goals.extend(speed(evidence));
    goals
}

fn goal(name: &str, verdict: Verdict, asked: &str, found: String) -> GoalResult {
    GoalResult { name: name.to_owned(), verdict, asked: asked.to_owned(), found, required: true }
}

/// Only a kernel that does what the exercise does not permit has this goal, and has failed it.
fn not_permitted(problems: &[String]) -> Option<GoalResult> {
    let asked = "keeps nothing between launches, no PTX of its own, no look at clock or machine";
    (!problems.is_empty()).then(|| goal(PERMITTED, Verdict::Failed, asked, problems.join("; ")))
}

/// The name of that goal.
const PERMITTED: &str = "permitted";

/// Only a compile error or a missing kernel makes this goal; then it is the only one.
pub(super) fn compile_failed(found: String) -> GoalResult {
    goal(
        "compile",
        Verdict::Failed,
        "compiles, with every kernel and launch constant that the exercise calls",
        found,
    )
}

/// True for a case whose end says something about the kernel.
fn ran(case: &CaseReport) -> bool {
    matches!(case.status, CaseStatus::Finished | CaseStatus::Faulted(_) | CaseStatus::Unfinished(_))
}

pub(super) fn is_wrong(case: &CaseReport) -> bool {
    match case.status {
        CaseStatus::Finished => !case.mismatches.is_empty() || !case.complaints.is_empty(),
        CaseStatus::Faulted(_) | CaseStatus::Unfinished(_) => true,
        CaseStatus::Unsupported(_) | CaseStatus::JudgeError(_) | CaseStatus::Skipped(_) => false,
    }
}

pub(super) fn correct(cases: &[CaseReport]) -> GoalResult {
    let ran = cases.iter().filter(|case| ran(case)).count();
    let wrong: Vec<&CaseReport> = cases.iter().filter(|case| is_wrong(case)).collect();
    let undecided = cases
        .iter()
        .any(|case| matches!(case.status, CaseStatus::Unsupported(_) | CaseStatus::JudgeError(_)));
    let (verdict, found) = match &*wrong {
        [] if ran == 0 => (Verdict::Unmeasured, "no case could run here".to_owned()),
        [] if undecided => (Verdict::Unmeasured, format!("{ran} cases right, others could not be judged")),
        [] if ran == 1 => (Verdict::Passed, "the case is right".to_owned()),
        [] => (Verdict::Passed, format!("all {ran} cases right")),
        [first, ..] => (
            Verdict::Failed,
            format!("{} of {ran} cases right; first wrong: {}", ran - wrong.len(), first.name),
        ),
    };
    goal("correct", verdict, "right outputs in every case", found)
}

fn clean(evidence: &Evidence<'_>) -> GoalResult {
    let asked = "no race, no divergent barrier, no stray access, no other error";
    let errors: Vec<_> = evidence.findings.iter().filter(|finding| finding.is_error()).collect();
    let simulated = evidence.cases.iter().any(|case| ran(case) && case.counters.is_some());
    let (verdict, found) = match errors.len() {
        0 if !simulated => (Verdict::Unmeasured, "no case ran on the simulator".to_owned()),
        0 => (Verdict::Passed, format!("no errors{}", warnings(evidence.findings))),
        count => {
            let plural = if count == 1 { "error" } else { "errors" };
            (Verdict::Failed, format!("{count} {plural}: {}", kinds(&errors)))
        }
    };
    goal("clean", verdict, asked, found)
}

/// `, 2 warnings`; nothing where there are none.
fn warnings(findings: &[Finding]) -> String {
    match findings.iter().filter(|finding| finding.severity == Severity::Warning).count() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    }
}

fn kinds(findings: &[&Finding]) -> String {
    let mut names: Vec<String> =
        findings.iter().map(|finding| finding.kind.name().replace('_', " ")).collect();
    names.dedup();
    names.join(", ")
}

fn counters(evidence: &Evidence<'_>) -> Vec<GoalResult> {
    let all = || {
        let pairs = evidence.cases.iter().zip(evidence.bounds);
        pairs.flat_map(|(case, bounds)| bounds.iter().map(move |bound| (case, bound)))
    };
    let mut order: Vec<Counter> = Vec::new();
    for (_, bound) in all() {
        if !order.contains(&bound.counter) {
            order.push(bound.counter);
        }
    }
    order
        .into_iter()
        .map(|which| counter(which, &all().filter(|(_, bound)| bound.counter == which).collect::<Vec<_>>()))
        .collect()
}

fn counter(counter: Counter, bounds: &[(&CaseReport, &CounterBound)]) -> GoalResult {
    let measured: Vec<(&CaseReport, &CounterBound, u64)> = bounds
        .iter()
        .filter(|(case, _)| case.status == CaseStatus::Finished)
        .filter_map(|&(case, bound)| Some((case, bound, counter.of(case.counters.as_ref()?))))
        .collect();
    // The case that is furthest over its bound, or else closest to it.
    let excess = |&&(_, bound, value): &&(&CaseReport, &CounterBound, u64)| {
        let within = bound.at_least <= value && value <= bound.at_most;
        (!within, value.saturating_mul(1 << 16) / bound.at_most.max(1), bound.at_most)
    };
    let Some(&(case, bound, value)) = measured.iter().max_by_key(excess) else {
        let asked = bounds.first().map_or("", |(_, bound)| bound.why.as_str());
        return goal(
            counter.name(),
            Verdict::Unmeasured,
            asked,
            "no case finished on the simulator".to_owned(),
        );
    };
    let CounterBound { at_least, at_most, why, .. } = bound;
    let verdict = if (*at_least..=*at_most).contains(&value) { Verdict::Passed } else { Verdict::Failed };
    let asked = match at_least {
        0 => format!("at most {at_most}: {why}"),
        _ if at_least == at_most => format!("exactly {at_most}: {why}"),
        _ => format!("from {at_least} to {at_most}: {why}"),
    };
    goal(counter.name(), verdict, &asked, format!("{value} in case {}", case.name))
}

fn speed(evidence: &Evidence<'_>) -> Vec<GoalResult> {
    let SpeedGoals { pass_speedup, expert_speedup, expert_roof_share } = evidence.speed_goals;
    let mut goals = Vec::new();
    if let Some(least) = pass_speedup {
        let asked = format!("at least {least:.2}× the baseline's speed");
        goals.push(timed_goal("speedup", &asked, evidence, |timed| timed.pass));
    }
    let mut asked = Vec::new();
    if let Some(least) = expert_speedup {
        asked.push(format!("at least {least:.2}× the baseline's speed"));
    }
    if let Some(least) = expert_roof_share {
        asked.push(format!("at least {:.0} % of the speed of a copy", least * 100.0));
    }
    if !asked.is_empty() {
        let goal = timed_goal("expert", &asked.join(" and "), evidence, |timed| timed.expert);
        goals.push(GoalResult { required: false, ..goal });
    }
    goals
}

fn timed_goal(
    name: &str,
    asked: &str,
    evidence: &Evidence<'_>,
    verdict_of: impl Fn(&Timed) -> Option<Verdict>,
) -> GoalResult {
    let timed = match evidence.speed {
        Ok(timed) => timed,
        Err(why) => return goal(name, Verdict::Unmeasured, asked, why.to_owned()),
    };
    let Timed { what, speedup: Interval { median, low, high }, pairs, roof_share, doubt, .. } = timed;
    let mut found = format!("{median:.2}× {what} (95 % interval {low:.2}–{high:.2}, {pairs} pairs)");
    if let Some(share) = roof_share {
        found.push_str(&format!(", {:.0} % of a copy's speed", share * 100.0));
    }
    if let Some(doubt) = doubt {
        found.push_str(&format!("; {doubt}"));
    }
    goal(name, verdict_of(timed).unwrap_or(Verdict::Unmeasured), asked, found)
}

/// The verdict of the check, and whether only speed is missing.
pub(super) fn verdict(goals: &[GoalResult]) -> (Verdict, bool) {
    let required = || goals.iter().filter(|goal| goal.required);
    let is_speed = |goal: &GoalResult| goal.name == "speedup";
    let speed_unmeasured = required().any(|goal| is_speed(goal) && goal.verdict == Verdict::Unmeasured);
    let has = |verdict| required().any(|goal| goal.verdict == verdict);
    let verdict = if has(Verdict::Failed) {
        Verdict::Failed
    } else if has(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else if required().any(|goal| goal.verdict == Verdict::Unmeasured && !is_speed(goal)) {
        Verdict::Unmeasured
    } else {
        Verdict::Passed
    };
    (verdict, speed_unmeasured)
}

/// One sentence: what to do next.
pub(super) fn next_step(findings: &[Finding], cases: &[CaseReport], goals: &[GoalResult]) -> String {
    if let Some(finding) = findings.iter().find(|finding| finding.is_error()) {
        return for_finding(finding);
    }
    if let Some(case) = cases.iter().find(|case| is_wrong(case)) {
        return for_wrong_case(case);
    }
    let failed = |verdict| goals.iter().find(|goal| goal.required && goal.verdict == verdict);
    if let Some(goal) = failed(Verdict::Failed) {
        return match goal.name.as_str() {
            "speedup" => format!("Make it faster: {}, asked is {}.", goal.found, goal.asked),
            PERMITTED => audit::instead(&goal.found),
            name => for_counter(&name.replace('_', " "), &goal.found, goal.asked.trim_end_matches('.')),
        };
    }
    if let Some(goal) = failed(Verdict::Inconclusive) {
        return format!("Measure again on a quiet machine: {}.", goal.found);
    }
    if let Some(goal) = goals.iter().find(|goal| !goal.required && goal.verdict == Verdict::Failed) {
        return format!("Passed. The expert goal is open: {}.", goal.asked);
    }
    if goals.iter().any(|goal| goal.name == "speedup" && goal.verdict == Verdict::Unmeasured) {
        return "Passed as far as can be judged here; check it on a GPU to measure its speed.".to_owned();
    }
    "Passed. Read the chapter's explanation, then go on to the next exercise.".to_owned()
}

/// `asked` begins with the bound: a lower one too may be missed.
fn for_counter(name: &str, found: &str, asked: &str) -> String {
    match asked.split_once(": ") {
        Some((bound, why)) if bound.starts_with("exactly ") => {
            format!("Bring {name} to {bound} ({why}): it is {found}.")
        }
        Some((bound, why)) if bound.starts_with("from ") => {
            format!("Bring {name} into the range {bound} ({why}): it is {found}.")
        }
        _ => format!("Lower {name}: it is {found}, allowed is {asked}."),
    }
}

fn for_finding(finding: &Finding) -> String {
    let line = finding.place.as_ref().map_or(String::new(), |place| format!(" at line {}", place.line));
    let other = match (&finding.place, &finding.other) {
        (Some(place), Some(other)) if place.line != other.line => format!(" and line {}", other.line),
        _ => String::new(),
    };
    match finding.kind {
        Kind::Race => format!("Order the two accesses{line}{other}: nothing does yet."),
        Kind::BarrierDivergence => format!("Let every thread of the block reach the same barrier{line}."),
        Kind::InvalidMask => format!("Name in the mask{line} exactly the lanes that get there."),
        Kind::Deadlock => format!("Find out what the threads{line} wait for: it never comes."),
        Kind::Unfinished => format!("Let the loop{line} end: the kernel never finished."),
        Kind::OutOfBounds => format!("Guard the access{line}: it leaves its array."),
        Kind::Misaligned => format!("Align the address{line} to the size of the access."),
        Kind::UninitializedRead => format!("Write the value used{line} before it is read."),
        Kind::Assertion => format!("The assertion{line} does not hold: find out why."),
        Kind::Trap => format!("Keep the kernel from the trap{line}."),
        Kind::StackOverflow => format!("Limit how deep the calls{line} nest."),
        Kind::HeapOverflow => format!("Ask for less memory{line}: the device heap ran out."),
        Kind::Unsupported => {
            format!("The simulator cannot run what is used{line}: use another way, or a GPU.")
        }
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
            let found = match wrong.found.as_str() {
                why @ (NEVER_WRITTEN | UNDEFINED) => format!("was {why}"),
                value => format!("is {value}"),
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
    use warpsim::Counters;

    use super::*;

    fn case(name: &str, status: CaseStatus, sectors: u64) -> CaseReport {
        CaseReport {
            number: 0,
            name: name.into(),
            device: "sim:h200".into(),
            status,
            mismatches: Vec::new(),
            complaints: Vec::new(),
            findings: Vec::new(),
            counters: Some(Counters { global_load_sectors: sectors, ..Counters::default() }),
            lines: Vec::new(),
            occupancy: Vec::new(),
            printf: String::new(),
        }
    }

    fn bound(at_most: u64) -> Vec<CounterBound> {
        vec![CounterBound {
            counter: Counter::GlobalLoadSectors,
            at_least: 0,
            at_most,
            why: "each once".into(),
        }]
    }

    fn judge(
        cases: &[CaseReport],
        bounds: &[Vec<CounterBound>],
        goals_: SpeedGoals,
    ) -> (Vec<GoalResult>, String) {
        let evidence = Evidence {
            cases,
            findings: &[],
            bounds,
            speed_goals: goals_,
            speed: Err("no GPU: speed is unmeasured"),
            not_permitted: &[],
        };
        let goals = goals(&evidence);
        let step = next_step(evidence.findings, cases, &goals);
        (goals, step)
    }

    #[test]
    fn all_right_without_a_gpu_passes_with_speed_unmeasured() {
        let speed = SpeedGoals { pass_speedup: Some(1.5), ..SpeedGoals::default() };
        let (goals, step) = judge(&[case("n = 1", CaseStatus::Finished, 8)], &[bound(8)], speed);
        assert_eq!(verdict(&goals), (Verdict::Passed, true));
        assert!(step.contains("on a GPU"), "{step}");
    }

    #[test]
    fn the_counter_furthest_over_its_bound_is_shown() {
        let cases = [
            case("a", CaseStatus::Finished, 9),
            case("b", CaseStatus::Finished, 40),
            case("c", CaseStatus::Finished, 1),
        ];
        let (goals, _) = judge(&cases, &[bound(8), bound(10), bound(10)], SpeedGoals::default());
        assert_eq!(goals[2].verdict, Verdict::Failed);
        assert_eq!(goals[2].found, "40 in case b");
        assert_eq!(verdict(&goals).0, Verdict::Failed);
    }

    #[test]
    fn work_that_was_left_out_fails_like_work_too_much() {
        let exactly = || vec![CounterBound { at_least: 8, ..bound(8).remove(0) }];
        for (sectors, expected) in [(7, Verdict::Failed), (8, Verdict::Passed), (9, Verdict::Failed)] {
            let cases = [case("a", CaseStatus::Finished, 8), case("b", CaseStatus::Finished, sectors)];
            let (goals, _) = judge(&cases, &[exactly(), exactly()], SpeedGoals::default());
            assert_eq!((goals[2].verdict, goals[2].asked.as_str()), (expected, "exactly 8: each once"));
            if expected == Verdict::Failed {
                assert_eq!(goals[2].found, format!("{sectors} in case b"));
            }
        }
    }

    #[test]
    fn counters_of_an_unfinished_case_are_not_judged() {
        let cases = [case("a", CaseStatus::Unfinished("it hangs".into()), 9_999)];
        let (goals, step) = judge(&cases, &[bound(8)], SpeedGoals::default());
        assert_eq!(goals[0].verdict, Verdict::Failed);
        assert_eq!(goals[2].verdict, Verdict::Unmeasured);
        assert!(step.contains("it hangs"));
    }

    #[test]
    fn what_the_judge_could_not_do_is_no_grade() {
        let cases =
            [case("a", CaseStatus::Finished, 1), case("b", CaseStatus::JudgeError("broken".into()), 0)];
        let (goals, _) = judge(&cases, &[bound(8), bound(8)], SpeedGoals::default());
        assert_eq!(verdict(&goals).0, Verdict::Unmeasured);
        let (goals, _) = judge(&[], &[], SpeedGoals::default());
        assert_eq!(verdict(&goals).0, Verdict::Unmeasured);
    }

    #[test]
    fn what_was_timed_is_said_with_its_interval() {
        let timed = Timed {
            what: "as geometric mean of 2 cases".into(),
            speedup: Interval { median: 1.456, low: 1.38, high: 1.53 },
            pairs: 120,
            roof_share: Some(0.5),
            pass: Some(Verdict::Inconclusive),
            expert: None,
            doubt: Some("too noisy".into()),
        };
        let cases = [case("a", CaseStatus::Finished, 1)];
        let evidence = Evidence {
            cases: &cases,
            findings: &[],
            bounds: &[vec![]],
            speed_goals: SpeedGoals { pass_speedup: Some(1.5), ..SpeedGoals::default() },
            speed: Ok(&timed),
            not_permitted: &[],
        };
        let goals = goals(&evidence);
        assert_eq!(verdict(&goals), (Verdict::Inconclusive, false));
        assert_eq!(
            goals[2].found,
            "1.46× as geometric mean of 2 cases (95 % interval 1.38–1.53, 120 pairs), 50 % of a copy's speed; too noisy"
        );
    }

    #[test]
    fn a_counter_is_lowered_or_brought_to_its_bounds() {
        let next = |asked| for_counter("shared load requests", "2 in case n = 1", asked);
        assert_eq!(
            next("at most 1: one read"),
            "Lower shared load requests: it is 2 in case n = 1, allowed is at most 1: one read."
        );
        assert_eq!(
            next("exactly 4: one read a round"),
            "Bring shared load requests to exactly 4 (one read a round): it is 2 in case n = 1."
        );
        assert_eq!(
            next("from 4 to 6: one read a round"),
            "Bring shared load requests into the range from 4 to 6 (one read a round): it is 2 in case n = 1."
        );
    }
}
