//! What is known of a kernel while only its first case is judged.

use harness::{
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::{Asked, CaseReport, CaseStatus, Found, Goal, GoalResult, Report, Verdict},
};

/// The report of a check whose first case is judged: that case, its findings, and the goal that it misses. It has no
/// verdict.
pub fn report(exercise: &dyn Exercise, kernel: &Kernel, case: &CaseReport) -> Report {
    let missed = is_wrong(case).then(|| GoalResult {
        goal: Goal::Correct,
        verdict: Verdict::Failed,
        required: true,
        asked: Asked::Nothing,
        found: Found::Cases { right: 0, ran: 1, first_wrong: Some(case.name.clone()) },
    });
    Report {
        judge_error: None,
        findings: case.findings.clone(),
        goals: missed.into_iter().collect(),
        cases: vec![case.clone()],
        ..judge::not_begun(exercise, kernel, &CheckOptions::default(), String::new())
    }
}

fn is_wrong(case: &CaseReport) -> bool {
    match case.status {
        CaseStatus::Finished => !case.mismatches.is_empty() || !case.complaints.is_empty(),
        CaseStatus::Faulted(_) | CaseStatus::Unfinished(_) => true,
        CaseStatus::Unsupported(_) | CaseStatus::JudgeError(_) | CaseStatus::Skipped(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use warpsim::Counters;

    use super::*;
    use crate::{check::render, profile, sample, terminal::Terminal};

    const TERMINAL: Terminal = Terminal { width: 80, rows: 24, colour: false, plain: false };

    fn early(case: &CaseReport) -> Report {
        let kernel = Kernel { path: "kernel.cu".to_owned(), source: sample::SOURCE.to_owned() };
        report(&sample::Named("03-reduction"), &kernel, case)
    }

    #[test]
    fn the_first_case_is_enough_to_explain_what_is_wrong() {
        let [right, wrong, faulted] = <[CaseReport; 3]>::try_from(sample::failed().cases).unwrap();
        let mut racy = wrong.clone();
        racy.findings.push(sample::race());
        let explained: [(CaseReport, &[&str]); 4] =
            [(right, &[]), (wrong, &["correct"]), (faulted, &["correct"]), (racy, &["race", "correct"])];
        for (case, words) in explained {
            let early = early(&case);
            assert_eq!(render::words(&early), words);
            assert_eq!((early.judge_error, early.verdict), (None, Verdict::Unmeasured));
        }
    }

    #[test]
    fn the_first_case_is_enough_for_a_profile() {
        let mut case = sample::failed().cases.remove(0);
        assert_eq!(profile::of(&early(&case), TERMINAL), None, "nothing was counted");
        let mut counters = Counters::default();
        counters.ptx_instructions = 8;
        case.counters = Some(counters);
        let profile = profile::of(&early(&case), TERMINAL).expect("a profile");
        assert!(profile.contains("profile of case 0: n = 1 on sim:h200"), "{profile}");
    }
}
