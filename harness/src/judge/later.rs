//! A check in two parts: everything but speed, and speed alone at another time. What is not timed may run
//! beside other checks; what is timed needs the machine to itself.

use super::{conclude, goals};
use crate::report::{Goal, Report};

impl Report {
    /// This report, of a check that left speed out ([`super::CheckOptions::skip_speed`]), with what a check
    /// of the same kernel for nothing but its speed ([`super::CheckOptions::only_speed`]) has found: the
    /// report of a check that did both at once.
    ///
    /// # Panics
    /// If the two are of different kernels or exercises.
    pub fn with_speed(mut self, timed: Report) -> Report {
        assert_eq!((&self.exercise, &self.kernel_hash), (&timed.exercise, &timed.kernel_hash));
        let is_there = |number: usize, device: &str| {
            timed.cases.iter().any(|c| c.number == number && c.device == device)
        };
        self.cases.retain(|case| !is_there(case.number, &case.device));
        self.cases.extend(timed.cases);
        for found in timed.goals {
            let known = self.goals.iter_mut().find(|known| known.goal == found.goal);
            // What is new made the timing end before it began, such as a compiler that gave up this time.
            let Some(known) = known else {
                self.goals.push(found);
                continue;
            };
            match found.goal {
                Goal::Correct => *known = goals::correct(&self.cases),
                Goal::Speedup | Goal::Expert => *known = found,
                Goal::Compile | Goal::Clean | Goal::Permitted | Goal::Counter(_) => {}
            }
        }
        let news: Vec<String> = timed.notes.into_iter().filter(|note| !self.notes.contains(note)).collect();
        self.notes.extend(news);
        self.speed = timed.speed;
        self.conditions = timed.conditions;
        self.judge_error = self.judge_error.or(timed.judge_error);
        conclude(&mut self);
        self
    }
}

#[cfg(test)]
mod tests {
    use warpsim::{Counters, FindingKind, Place, Severity};

    use super::*;
    use crate::{
        exercise::{Counter, SpeedGoals},
        judge::{
            Exit, JUDGE_FAILED,
            goals::{Evidence, Timed},
        },
        measure::Interval,
        report::{
            Asked, CaseReport, CaseStatus, Conditions, Found, GoalResult, SCHEMA, Samples, SpeedReport,
            Verdict,
        },
    };

    const GOALS: SpeedGoals =
        SpeedGoals { pass_speedup: Some(1.5), expert_speedup: Some(3.0), expert_roof_share: None };

    fn case(number: usize, device: &str, status: CaseStatus) -> CaseReport {
        let counters = (device == "sim:h200").then(Counters::default);
        CaseReport { counters, ..CaseReport::new(number, format!("case {number}"), device, status) }
    }

    /// The cases that are not timed.
    fn untimed() -> Vec<CaseReport> {
        vec![case(0, "sim:h200", CaseStatus::Finished), case(0, "gpu:0", CaseStatus::Finished)]
    }

    fn timed_case() -> CaseReport {
        case(1, "gpu:0", CaseStatus::Finished)
    }

    fn timed(pass: Verdict, expert: Verdict) -> Result<Timed, String> {
        Ok(Timed {
            cases: vec!["case 1".to_owned()],
            speedup: Interval { median: 1.75, low: 1.7, high: 1.8 },
            pairs: 40,
            roof_share: None,
            pass: Some(pass),
            expert: Some(expert),
            doubt: None,
        })
    }

    fn race() -> warpsim::Finding {
        let mut race =
            warpsim::Finding::new(FindingKind::Race, Severity::Error, "two threads write one word");
        race.place = Some(Place { file: "kernel.cu".to_owned(), line: 7, column: 1 });
        race
    }

    /// A report as the judge makes it of such evidence, with the goals `more` besides.
    fn report(
        cases: Vec<CaseReport>,
        findings: &[warpsim::Finding],
        more: &[GoalResult],
        speed: &Result<Timed, String>,
    ) -> Report {
        let evidence = Evidence {
            cases: &cases,
            findings,
            bounds: &[],
            speed_goals: GOALS,
            speed: speed.as_ref().map_err(String::as_str),
            not_permitted: &[],
        };
        let mut goals = goals::goals(&evidence);
        goals.extend_from_slice(more);
        let mut report = Report {
            schema: SCHEMA,
            exercise: "03-reduction".to_owned(),
            title: String::new(),
            kernel: "kernel.cu".to_owned(),
            kernel_hash: "0123".to_owned(),
            source: String::new(),
            devices: vec!["sim:h200".to_owned(), "gpu:0 (NVIDIA H200)".to_owned()],
            compiler: "NVRTC 13.0.88".to_owned(),
            seed: 1,
            sandbox: "full".to_owned(),
            verdict: Verdict::Unmeasured,
            judge_error: None,
            one_case_of: None,
            speed_unmeasured: true,
            goals,
            cases,
            findings: findings.to_vec(),
            diagnostics: Vec::new(),
            resources: Vec::new(),
            speed: Vec::new(),
            conditions: None,
            plots: Vec::new(),
            notes: vec!["said by both".to_owned()],
            next_step: String::new(),
        };
        conclude(&mut report);
        report
    }

    /// A check that left speed out.
    fn first(findings: &[warpsim::Finding], more: &[GoalResult]) -> Report {
        let not_asked = "not asked for".to_owned();
        let skipped = case(1, "gpu:0", CaseStatus::Skipped(not_asked.clone()));
        report([untimed(), vec![skipped]].concat(), findings, more, &Err(not_asked))
    }

    fn of(report: &Report, goal: Goal) -> &GoalResult {
        report.goals.iter().find(|known| known.goal == goal).expect("it has this goal")
    }

    #[test]
    fn two_parts_are_what_one_check_would_have_been() {
        use Verdict::{Failed, Inconclusive, Passed, Unmeasured};
        let mut wrong = timed_case();
        wrong.complaints.push("`maximum`[0] is 3, expected 4".to_owned());
        let unbounded = GoalResult {
            goal: Goal::Counter(Counter::GlobalLoadSectors),
            verdict: Failed,
            required: true,
            asked: Asked::Bound(Counter::GlobalLoadSectors.at_most(8, "each once").bound),
            found: Found::Count { value: 9, case: "case 0".to_owned() },
        };
        let wrong_when_timed = || Err("a timed case is wrong".to_owned());
        // What was found without timing, what timing found, and what the whole is.
        let scenarios = [
            (vec![], vec![], timed_case(), timed(Passed, Passed), Passed, "then go on"),
            // The expert goal decides nothing.
            (vec![], vec![], timed_case(), timed(Passed, Failed), Passed, "expert goal is open"),
            (vec![], vec![], timed_case(), timed(Passed, Inconclusive), Passed, "then go on"),
            (vec![], vec![], timed_case(), timed(Failed, Failed), Failed, "Make it faster"),
            (vec![], vec![], timed_case(), timed(Inconclusive, Failed), Inconclusive, "Measure again"),
            (vec![], vec![], timed_case(), Err("no baseline".to_owned()), Passed, "check it on a GPU"),
            (vec![], vec![], wrong.clone(), wrong_when_timed(), Failed, "Look at case case 1"),
            // What had failed stays failed, however fast it is, and is what to mend first.
            (vec![race()], vec![], timed_case(), timed(Passed, Passed), Failed, "at line 7"),
            (vec![race()], vec![], timed_case(), timed(Inconclusive, Failed), Failed, "at line 7"),
            (vec![], vec![unbounded.clone()], timed_case(), timed(Passed, Passed), Failed, "Lower global"),
            // But a wrong output comes before a count.
            (vec![], vec![unbounded], wrong, wrong_when_timed(), Failed, "Look at case case 1"),
        ];
        for (findings, more, timed_case, speed, verdict, step) in scenarios {
            let whole = report([untimed(), vec![timed_case.clone()]].concat(), &findings, &more, &speed);
            let before = first(&findings, &more);
            assert_ne!(before, whole);
            let joined = before.with_speed(report(vec![timed_case], &[], &[], &speed));
            assert_eq!(joined, whole);
            assert_eq!(joined.verdict, verdict, "{joined:#?}");
            assert!(joined.next_step.contains(step), "expected `{step}`: {}", joined.next_step);
            assert_eq!(joined.speed_unmeasured, of(&joined, Goal::Speedup).verdict == Unmeasured);
        }
    }

    #[test]
    fn a_judge_that_cannot_time_gives_no_grade() {
        let mut broken = report(vec![], &[], &[], &Err("the GPU went away".to_owned()));
        broken.judge_error = Some("the GPU went away".to_owned());
        let joined = first(&[], &[]).with_speed(broken.clone());
        assert_eq!((joined.verdict, Exit::of(&joined, false)), (Verdict::Unmeasured, Exit::JudgeError));
        assert_eq!(joined.next_step, JUDGE_FAILED);
        assert_eq!(of(&joined, Goal::Speedup).found_in_words(), "the GPU went away");
        // What could not be judged before is not made good by a timing.
        let mut before = first(&[], &[]);
        before.judge_error = Some("an instruction is lacking".to_owned());
        for later in [broken, report(vec![timed_case()], &[], &[], &timed(Verdict::Passed, Verdict::Passed))]
        {
            let joined = before.clone().with_speed(later);
            assert_eq!(joined.judge_error.as_deref(), Some("an instruction is lacking"));
            assert_eq!(joined.verdict, Verdict::Unmeasured);
        }
    }

    #[test]
    fn a_kernel_that_does_not_compile_again_has_failed() {
        let mut rejected = report(vec![], &[], &[], &Err(String::new()));
        rejected.goals = vec![goals::compile_failed("the compiler gave up".to_owned())];
        let joined = first(&[], &[]).with_speed(rejected);
        assert_eq!(joined.verdict, Verdict::Failed);
        assert_eq!(of(&joined, Goal::Compile).found_in_words(), "the compiler gave up");
    }

    #[test]
    fn notes_times_and_conditions_are_carried_over() {
        let mut later = report(vec![timed_case()], &[], &[], &timed(Verdict::Passed, Verdict::Passed));
        later.notes.push("timed with values from seed 7".to_owned());
        later.speed.push(SpeedReport {
            case: "case 1".to_owned(),
            kernel_microseconds: 2.0,
            baseline_microseconds: 3.5,
            speedup: 1.75,
            interval: [1.7, 1.8],
            pairs: 3,
            roof_share: None,
            kernel_quartiles: [1.0, 3.0],
            baseline_quartiles: [3.0, 4.0],
            samples: Samples {
                kernel: vec![1.0, 2.0, 3.0],
                baseline: vec![3.0, 3.5, 4.0],
                copy: vec![0.5, 0.5, 0.5],
            },
        });
        later.conditions = Some(Conditions { redone_rounds: 2, ..Conditions::default() });
        let before = first(&[], &[]);
        let joined = before.clone().with_speed(later.clone());
        assert_eq!(joined.notes, ["said by both", "timed with values from seed 7"]);
        assert_eq!((&joined.speed, &joined.conditions), (&later.speed, &later.conditions));
        // Every case once, the timed one as it was timed.
        let cases: Vec<_> = joined.cases.iter().map(|case| (case.number, &*case.device)).collect();
        assert_eq!(cases, [(0, "sim:h200"), (0, "gpu:0"), (1, "gpu:0")]);
        assert_eq!(joined.cases[2].status, CaseStatus::Finished);
    }

    #[test]
    #[should_panic = "0123"]
    fn reports_of_two_kernels_are_not_joined() {
        let mut other = first(&[], &[]);
        other.kernel_hash = "4567".to_owned();
        let _ = first(&[], &[]).with_speed(other);
    }
}
