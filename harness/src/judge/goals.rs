//! From evidence to verdicts. Pure: reports of cases and timings in, goals out.

use warpsim::{Finding, Severity};

use crate::{
    exercise::{Counter, CounterBound, SpeedGoals},
    measure::Interval,
    report::{
        Asked, CaseReport, CaseStatus, Found, Goal, GoalResult, Problem, SpeedAsked, SpeedFound, Unmeasured,
        Verdict,
    },
};

/// The timed cases against the speed goals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timed {
    /// The cases that were timed.
    pub cases: Vec<String>,
    /// The median ratio and its interval; of several cases their geometric mean.
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
    pub not_permitted: &'a [Problem],
}

/// The goals in the order in which a report shows them, and in which a kernel is to meet them.
pub(super) fn goals(evidence: &Evidence<'_>) -> Vec<GoalResult> {
    let mut goals = vec![correct(evidence.cases), clean(evidence)];
    goals.extend(not_permitted(evidence.not_permitted));
    goals.extend(counters(evidence));
    goals.extend(speed(evidence));
    goals
}

fn required(goal: Goal, verdict: Verdict, asked: Asked, found: Found) -> GoalResult {
    GoalResult { goal, verdict, required: true, asked, found }
}

/// Only a kernel that does what the exercise does not permit has this goal, and has failed it.
fn not_permitted(problems: &[Problem]) -> Option<GoalResult> {
    let found = || Found::Problems(problems.to_vec());
    (!problems.is_empty()).then(|| required(Goal::Permitted, Verdict::Failed, Asked::Nothing, found()))
}

/// Only a compile error or a missing kernel makes this goal; then it is the only one.
pub(super) fn compile_failed(found: String) -> GoalResult {
    required(Goal::Compile, Verdict::Failed, Asked::Nothing, Found::Refused(found))
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
        [] if ran == 0 => (Verdict::Unmeasured, Found::Unmeasured(Unmeasured::NoCaseRan)),
        [] if undecided => (Verdict::Unmeasured, Found::Unmeasured(Unmeasured::CasesUnjudged { right: ran })),
        [] => (Verdict::Passed, Found::Cases { right: ran, ran, first_wrong: None }),
        [first, ..] => (
            Verdict::Failed,
            Found::Cases { right: ran - wrong.len(), ran, first_wrong: Some(first.name.clone()) },
        ),
    };
    required(Goal::Correct, verdict, Asked::Nothing, found)
}

fn clean(evidence: &Evidence<'_>) -> GoalResult {
    let errors = evidence.findings.iter().filter(|finding| finding.is_error());
    let errors: Vec<_> = errors.map(|finding| finding.kind).collect();
    let warnings = evidence.findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    let simulated = evidence.cases.iter().any(|case| ran(case) && case.counters.is_some());
    let (verdict, found) = if errors.is_empty() && !simulated {
        (Verdict::Unmeasured, Found::Unmeasured(Unmeasured::NotSimulated))
    } else {
        let verdict = if errors.is_empty() { Verdict::Passed } else { Verdict::Failed };
        (verdict, Found::Findings { errors, warnings })
    };
    required(Goal::Clean, verdict, Asked::Nothing, found)
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
    let excess = |&&(_, CounterBound { bound, .. }, value): &&(&CaseReport, &CounterBound, u64)| {
        (!bound.admits(value), value.saturating_mul(1 << 16) / bound.most.max(1), bound.most)
    };
    let goal = Goal::Counter(counter);
    let Some(&(case, CounterBound { bound, .. }, value)) = measured.iter().max_by_key(excess) else {
        let asked = bounds.first().map_or(Asked::Nothing, |(_, first)| Asked::Bound(first.bound.clone()));
        return required(goal, Verdict::Unmeasured, asked, Found::Unmeasured(Unmeasured::NoCaseFinished));
    };
    let verdict = if bound.admits(value) { Verdict::Passed } else { Verdict::Failed };
    let found = Found::Count { value, case: case.name.clone() };
    required(goal, verdict, Asked::Bound(bound.clone()), found)
}

fn speed(evidence: &Evidence<'_>) -> Vec<GoalResult> {
    let SpeedGoals { pass_speedup, expert_speedup, expert_roof_share } = evidence.speed_goals;
    let mut goals = Vec::new();
    if pass_speedup.is_some() {
        let asked = SpeedAsked { speedup: pass_speedup, roof_share: None };
        goals.push(timed_goal(Goal::Speedup, asked, evidence.speed, |timed| timed.pass));
    }
    if evidence.speed_goals.asks_experts() {
        let asked = SpeedAsked { speedup: expert_speedup, roof_share: expert_roof_share };
        let goal = timed_goal(Goal::Expert, asked, evidence.speed, |timed| timed.expert);
        goals.push(GoalResult { required: false, ..goal });
    }
    goals
}

fn timed_goal(
    goal: Goal,
    asked: SpeedAsked,
    speed: Result<&Timed, &str>,
    verdict_of: impl Fn(&Timed) -> Option<Verdict>,
) -> GoalResult {
    let (verdict, found) = match speed {
        Err(why) => (Verdict::Unmeasured, Found::Unmeasured(Unmeasured::NotTimed(why.to_owned()))),
        Ok(timed) => {
            let found = SpeedFound {
                cases: timed.cases.clone(),
                speedup: timed.speedup,
                pairs: timed.pairs,
                roof_share: timed.roof_share,
                doubt: timed.doubt.clone(),
            };
            (verdict_of(timed).unwrap_or(Verdict::Unmeasured), Found::Speed(found))
        }
    };
    required(goal, verdict, Asked::Speed(asked), found)
}

/// The verdict of the check, and whether only speed is missing.
pub(super) fn verdict(goals: &[GoalResult]) -> (Verdict, bool) {
    let required = || goals.iter().filter(|goal| goal.required);
    let is_speed = |goal: &GoalResult| goal.goal == Goal::Speedup;
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

#[cfg(test)]
mod tests {
    use warpsim::Counters;

    use super::*;
    use crate::judge::next_step::next_step;

    fn case(name: &str, status: CaseStatus, sectors: u64) -> CaseReport {
        let mut counters = Counters::default();
        counters.global_load_sectors = sectors;
        CaseReport { counters: Some(counters), ..CaseReport::new(0, name, "sim:h200", status) }
    }

    fn bound(at_most: usize) -> Vec<CounterBound> {
        vec![Counter::GlobalLoadSectors.at_most(at_most, "each once")]
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
        assert_eq!(goals[2].found, Found::Count { value: 40, case: "b".into() });
        assert_eq!(verdict(&goals).0, Verdict::Failed);
    }

    #[test]
    fn work_that_was_left_out_fails_like_work_too_much() {
        let exactly = || vec![Counter::GlobalLoadSectors.exactly(8, "each once")];
        for (sectors, expected) in [(7, Verdict::Failed), (8, Verdict::Passed), (9, Verdict::Failed)] {
            let cases = [case("a", CaseStatus::Finished, 8), case("b", CaseStatus::Finished, sectors)];
            let (goals, _) = judge(&cases, &[exactly(), exactly()], SpeedGoals::default());
            assert_eq!(
                (goals[2].verdict, &goals[2].asked),
                (expected, &Asked::Bound(exactly().remove(0).bound))
            );
            if expected == Verdict::Failed {
                assert_eq!(goals[2].found, Found::Count { value: sectors, case: "b".into() });
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
    fn an_interval_that_straddles_the_threshold_is_inconclusive() {
        let timed = Timed {
            cases: vec!["a".into(), "b".into()],
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
        assert!(matches!(&goals[2].found, Found::Speed(found) if found.doubt == timed.doubt), "{goals:?}");
    }
}
