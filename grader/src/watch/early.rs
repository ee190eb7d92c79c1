//! What is known of a kernel while only some of its cases are judged.

use colored::Colorize as _;
use harness::{
    exercise::Exercise,
    judge::{self, CheckOptions, Kernel},
    report::{Asked, CaseReport, CaseStatus, Found, Goal, GoalResult, Report, Verdict, number_of},
};

use crate::{check::render, excerpt::Judged, terminal::Terminal};

/// Adds a case to those that are known, in the order in which they became known. The first one is judged twice, and its
/// second report takes the place of the first.
pub fn learn(known: &mut Vec<CaseReport>, case: &CaseReport) {
    match known.iter_mut().find(|known| (known.number, &known.device) == (case.number, &case.device)) {
        Some(known) => *known = case.clone(),
        None => known.push(case.clone()),
    }
}

/// The report of a check of which these cases are judged: their findings, those of the first case that shows something
/// wrong before the others, and the goal that they miss. It has no verdict.
pub fn report(exercise: &dyn Exercise, kernel: &Kernel, cases: &[CaseReport]) -> Report {
    let wrong: Vec<&CaseReport> = cases.iter().filter(|case| is_wrong(case)).collect();
    let missed = wrong.first().map(|first| GoalResult {
        goal: Goal::Correct,
        verdict: Verdict::Failed,
        required: true,
        asked: Asked::Nothing,
        found: Found::Cases {
            right: cases.len() - wrong.len(),
            ran: cases.len(),
            first_wrong: Some(first.name.clone()),
        },
    });
    let (telling, others): (Vec<&CaseReport>, Vec<_>) = cases.iter().partition(|case| shows_wrong(case));
    Report {
        judge_error: None,
        findings: telling.into_iter().chain(others).flat_map(|case| case.findings.clone()).collect(),
        goals: missed.into_iter().collect(),
        cases: cases.to_vec(),
        ..judge::not_begun(exercise, kernel, &CheckOptions::default(), String::new())
    }
}

/// What is shown of such a report: the first case that shows something wrong, else the one that was judged first; and how
/// many cases are judged.
pub fn shown(report: &Report, terminal: Terminal) -> String {
    let judged = Judged { path: &report.kernel, source: &report.source };
    let first = report.cases.iter().find(|case| shows_wrong(case)).or(report.cases.first());
    let first = first.map(|case| render::first_case(case, judged, terminal)).unwrap_or_default();
    let all = report.cases.len();
    if all < 2 {
        return first;
    }
    let wrong = report.cases.iter().filter(|case| shows_wrong(case)).count();
    let so_far = match wrong {
        0 => "nothing is wrong so far".to_owned(),
        wrong => format!("{wrong} of them went wrong"),
    };
    let so_far = format!("{} judged, {so_far}", number_of(all, "case"));
    format!("{}\n\n{}\n", first.trim_end(), so_far.dimmed())
}

/// Whether a case shows that something is wrong.
pub fn shows_wrong(case: &CaseReport) -> bool {
    render::went_wrong(case) || case.findings.iter().any(|finding| finding.is_error())
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
    use crate::{profile, sample};

    const TERMINAL: Terminal = Terminal { width: 80, rows: 24, colour: false, plain: false };

    fn early(case: &CaseReport) -> Report {
        let kernel = Kernel { path: "kernel.cu".to_owned(), source: sample::SOURCE.to_owned() };
        report(&sample::Named("03-reduction"), &kernel, std::slice::from_ref(case))
    }

    #[test]
    fn each_case_that_ends_is_told_and_what_is_wrong_comes_first() {
        colored::control::set_override(false);
        let [right, wrong, faulted] = <[CaseReport; 3]>::try_from(sample::failed().cases).unwrap();
        let mut known = Vec::new();
        let mut screens = Vec::new();
        for case in [&right, &right, &faulted, &wrong] {
            learn(&mut known, case);
            let kernel = Kernel { path: "kernel.cu".to_owned(), source: sample::SOURCE.to_owned() };
            let report = report(&sample::Named("03-reduction"), &kernel, &known);
            screens.push((report.goals.first().map(GoalResult::found_in_words), shown(&report, TERMINAL)));
        }
        let [(None, first), (None, again), (Some(_), bad), (Some(found), worse)] =
            <[_; 4]>::try_from(screens).unwrap()
        else {
            panic!("a goal is missed once a case went wrong")
        };
        assert_eq!(
            (&*first, first == again),
            ("✓ case 0: n = 1\n", true),
            "it is judged twice and counts once"
        );
        assert!(
            bad.starts_with("case 2: n = 30") && bad.ends_with("\n\n2 cases judged, 1 of them went wrong\n")
        );
        assert!(worse.starts_with("case 2: n = 30"), "what is on the screen stays there: {worse}");
        assert!(worse.ends_with("\n\n3 cases judged, 2 of them went wrong\n"), "{worse}");
        assert!(found.contains("1 of 3"), "{found}");
        let mut racy = right.clone();
        racy.number = 7;
        racy.findings.push(sample::race());
        learn(&mut known, &racy);
        assert!(!is_wrong(&racy) && shows_wrong(&racy));
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
