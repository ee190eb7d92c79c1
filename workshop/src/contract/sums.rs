//! Numbers of a report that a reader can check: they must add up.

use std::{collections::BTreeSet, sync::LazyLock};

use grader::check::render::{self, COMMANDS};
use harness::report::{Asked, Bound, CaseReport, CaseStatus, Found, Goal, Report, Verdict};
use regex::Regex;
use warpsim::Severity;

use super::width::SMALL;

/// Factors of a bound, as its reason gives them: `blocks × loads: 8227 × 25`, or `4 segments × 116 loads`. Sides of a grid,
/// `2 × 1 blocks`, are none.
static FORMULA: LazyLock<Regex> = LazyLock::new(|| {
    let bare = r": \d+( [a-z]+)?( × \d+( [a-z]+)?)+";
    let of_units = r"(\d+ × )*\d+( [a-z]+){1,4}( × \d+( [a-z]+)?)+";
    Regex::new(&format!("{bare}|{of_units}")).expect("a regular expression")
});
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\d+|two|three|four|eight)\b").expect("a regular expression"));
/// One of something that is called many.
static ONE_OF_MANY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(^|[^×+/.\d] )1 [a-z]+[^s\W]s\b").expect("a regular expression"));

/// The first number that does not follow from the others, in words.
pub fn problem(report: &Report) -> Option<String> {
    let bounds = report.goals.iter().filter_map(|goal| match &goal.asked {
        Asked::Bound(bound) => Some((goal.goal, bound)),
        Asked::Nothing | Asked::Speed(_) => None,
    });
    let reasons = bounds.filter_map(|(goal, bound)| {
        let why = why_not(bound)?;
        Some(format!("the reason for the bound of {} {why}: {}", goal.name(), bound.why))
    });
    reasons.chain(cases(report)).chain(hidden(report)).next()
}

/// What is wrong with the numbers in a bound's reason.
fn why_not(bound: &Bound) -> Option<String> {
    if ONE_OF_MANY.is_match(&bound.why) {
        return Some("says 1 of several".to_owned());
    }
    let formula = FORMULA.find(&bound.why)?;
    let number = |text: &str| match text {
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "eight" => 8,
        digits => digits.parse().unwrap_or(1),
    };
    let numbers =
        |text: &str| NUMBER.find_iter(text).map(|found| number(found.as_str())).collect::<Vec<u64>>();
    let product: u64 = numbers(formula.as_str()).iter().product();
    let asked = if bound.most == u64::MAX { bound.least } else { bound.most };
    let behind = &bound.why[formula.end()..];
    // What comes on top is told behind the product.
    if behind.contains(", and ") && product < asked {
        return None;
    }
    let others = [&bound.why[..formula.start()], behind].map(numbers).concat();
    let reached = others.iter().fold(BTreeSet::from([product]), |reached, &other| {
        let with = reached.iter().flat_map(|&so_far| [so_far.saturating_mul(other), so_far / other.max(1)]);
        with.collect::<BTreeSet<u64>>().union(&reached).copied().collect()
    });
    (!reached.contains(&asked)).then(|| format!("does not give {asked}"))
}

/// Whether a case's outputs are wrong.
fn gave_wrong(case: &CaseReport) -> bool {
    !case.mismatches.is_empty() || !case.complaints.is_empty()
}

/// What is wrong with the numbers of cases.
fn cases(report: &Report) -> Option<String> {
    for mismatch in report.cases.iter().flat_map(|case| &case.mismatches) {
        if mismatch.wrong == 0 || mismatch.wrong > mismatch.of {
            let (wrong, of) = (mismatch.wrong, mismatch.of);
            return Some(format!("{wrong} of {of} elements of `{}` are said to be wrong", mismatch.buffer));
        }
    }
    report.goals.iter().find_map(|goal| match goal.found {
        Found::Cases { right, ran, ref first_wrong } => {
            let wrong = report.cases.iter().filter(|case| gave_wrong(case)).count();
            let is_so = right <= ran
                && (right < ran) == first_wrong.is_some()
                && ran - right >= usize::from(wrong > 0);
            (!is_so).then(|| {
                format!(
                    "{right} of {ran} cases are said to be right, and {wrong} have elements that are wrong"
                )
            })
        }
        _ => None,
    })
}

/// What is wrong with how many things a short report says that it leaves out.
fn hidden(report: &Report) -> Option<String> {
    let said = left_out(&render::brief(report, SMALL, usize::MAX, COMMANDS));
    let rejected = report.diagnostics.iter().filter(|each| each.severity == Severity::Error).count();
    let found = report.findings.iter().filter(|finding| finding.is_error()).count();
    let is_wrong = |case: &&CaseReport| {
        gave_wrong(case) || !matches!(case.status, CaseStatus::Finished | CaseStatus::Skipped(_))
    };
    let wrong = report.cases.iter().filter(is_wrong).count();
    let missed = report.goals.iter().filter(|goal| {
        let is_shown_above = match goal.goal {
            Goal::Compile => rejected > 0,
            goal => matches!(goal, Goal::Correct | Goal::Clean),
        };
        goal.required && matches!(goal.verdict, Verdict::Failed | Verdict::Inconclusive) && !is_shown_above
    });
    let all = rejected + found + wrong + missed.count();
    (said != all.saturating_sub(1))
        .then(|| format!("{said} more things are said to be wrong, and {all} are in all"))
}

/// How many things a short report says that it leaves out.
fn left_out(text: &str) -> usize {
    match text.lines().find(|line| line.contains("wrong: --verbose shows all")) {
        None => 0,
        Some(line) if line.contains("one more thing is") => 1,
        Some(line) => NUMBER.find(line).and_then(|number| number.as_str().parse().ok()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use harness::exercise::CounterBound;

    use super::*;
    use crate::sample;

    fn bound(most: u64, why: &str) -> Bound {
        Bound { least: 0, most, why: why.to_owned() }
    }

    #[test]
    fn a_reason_gives_its_bound() {
        for (most, why) in [
            (205_675, "blocks × loads: 8227 × 25, two for each warp"),
            (64, "blocks × rounds: 4 × 8, two reads each"),
            (
                262_656,
                "blocks × rounds: 513 × 8 × 128 × 128, 32 at a time, at least 8 of those for each load",
            ),
            (644, "two scans of 1 segment × 322 reads"),
            (17, "two scans of 2 segments × 4 reads, and one for the end"),
            (4224, "2 × 1 blocks read their rows"),
            (545, "16383 + 1 vectors of 4 floats, 32 to a request"),
        ] {
            assert_eq!(why_not(&bound(most, why)), None, "{why}");
        }
        for (most, why) in [
            (131_264, "blocks × warps × tiles and one more: 1 × 2051 × 32 × 1"),
            (7335, "blocks × tiles: 15 × 7, each in runs of at most 16 words"),
            (465, "4 segments × 116 loads: for each warp"),
            (10, "1 segments of 10"),
        ] {
            assert!(why_not(&bound(most, why)).is_some(), "{why}");
        }
    }

    /// In all cases: a report shows one case of each counter, and takes a kernel.
    #[test]
    fn every_reason_of_the_course_gives_its_bound() {
        let (mut proved, mut unproved) = (0, BTreeSet::new());
        for exercise in course::COURSE {
            let simulated: Vec<_> =
                exercise.cases().into_iter().filter(|case| case.on.is_simulated()).collect();
            for constants in course::choices(*exercise) {
                let bounds = simulated.iter().flat_map(|case| exercise.counter_bounds(case, &constants));
                for CounterBound { counter, bound } in bounds {
                    proved += 1;
                    if let Some(why) = why_not(&bound) {
                        let (id, counter) = (exercise.id(), counter.name());
                        unproved.insert(format!("{id}, {counter}, {why}: {}", bound.why));
                    }
                }
            }
        }
        assert!(proved > 0, "no exercise has a bound");
        assert!(unproved.is_empty(), "{unproved:#?}");
    }

    #[test]
    fn what_is_left_out_is_read() {
        for (count, line) in [
            (0, "next: Look at line 7."),
            (1, "… and one more thing is wrong: --verbose shows all"),
            (14, "… and 14 more things are wrong: --verbose shows all"),
        ] {
            assert_eq!(left_out(&format!("error[race]: 3 threads\n{line}\n")), count, "{line}");
        }
    }

    #[test]
    fn no_more_elements_are_wrong_than_there_are() {
        let mut report = sample::failed();
        assert_eq!(problem(&report), None);
        let mismatch = report.cases.iter_mut().find_map(|case| case.mismatches.first_mut());
        let mismatch = mismatch.expect("a sample with a wrong element");
        mismatch.wrong = mismatch.of + 1;
        assert!(problem(&report).is_some());
    }
}
