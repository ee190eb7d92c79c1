//! Hints, chosen by what failed.
//!
//! An exercise's `hints.md` has sections. A heading names failures in the words of a wrong kernel's header: a
//! goal (`correct`, `global_load_sectors`, `speedup`), or `clean/` and a kind of finding (`clean/race`). The
//! section `any` is the general ladder, from a nudge to nearly the answer; `passed` is for whoever has
//! passed. A paragraph is a hint.
//!
//! Wrong outputs say more by the cases that they are in: `correct/NaN` is for whoever has nothing wrong but
//! cases with `NaN` in their names (or with one of several such words), `correct/all but full tiles` for
//! whoever has wrong cases and none of those is.
//!
//! What a learner sees: the hints for what the last check found, then the general ones.

use harness::report::{CaseStatus, Report, Verdict};

/// The heading of the general ladder.
const ANY: &str = "any";
/// What headings of sections that are chosen by the wrong cases begin with.
const BY_CASE: &str = "correct/";
/// And what follows where the right cases choose.
const ALL_BUT: &str = "all but ";
/// The heading of what only those see who no longer need a hint.
const PASSED: &str = "passed";

/// For failures that no exercise has a word of its own for.
const COMMON: &str = include_str!("hints.md");

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section<'a> {
    failures: Vec<&'a str>,
    hints: Vec<String>,
}

/// What a learner who is stuck is shown, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The failure that its first hints are for; none where there are none for it.
    pub failure: Option<String>,
    /// How many of the hints are for that failure.
    pub special: usize,
    /// All hints.
    pub hints: Vec<String>,
}

/// What failed, the most telling first, in the words of a wrong kernel's header. Findings say more than wrong
/// outputs, which often follow from them, and those more than counters.
pub fn failures(report: &Report) -> Vec<String> {
    let failed = |name: &str| {
        report.goals.iter().any(|goal| goal.required && goal.name == name && goal.verdict == Verdict::Failed)
    };
    let mut all: Vec<String> = Vec::new();
    all.extend(["compile", "permitted"].into_iter().filter(|name| failed(name)).map(str::to_owned));
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    all.extend(errors.map(|finding| format!("clean/{}", finding.kind.name())));
    let goals = report.goals.iter().filter(|goal| goal.required && goal.verdict == Verdict::Failed);
    all.extend(goals.map(|goal| goal.name.clone()).filter(|name| name != "clean"));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|failure| seen.insert(failure.clone()));
    all
}

/// The names of the cases whose outputs are wrong.
pub fn wrong_cases(report: &Report) -> Vec<String> {
    let wrong = report.cases.iter().filter(|case| {
        !case.mismatches.is_empty()
            || !case.complaints.is_empty()
            || matches!(case.status, CaseStatus::Faulted(_) | CaseStatus::Unfinished(_))
    });
    let mut names: Vec<String> = Vec::new();
    for case in wrong {
        if !names.contains(&case.name) {
            names.push(case.name.clone());
        }
    }
    names
}

/// The headings by case of a text, each with what must be in the cases' names.
pub fn case_words(text: &str) -> Vec<&str> {
    let words = sections(text).into_iter().flat_map(|section| section.failures);
    words
        .filter_map(|failure| failure.strip_prefix(BY_CASE))
        .map(|words| words.strip_prefix(ALL_BUT).unwrap_or(words))
        .collect()
}

impl Section<'_> {
    /// What a learner is told this section is for, where the wrong cases choose it.
    fn by_case(&self, wrong: &[String]) -> Option<String> {
        let words: Vec<&str> =
            self.failures.iter().map(|failure| failure.strip_prefix(BY_CASE)).collect::<Option<_>>()?;
        let chosen = !wrong.is_empty()
            && match &*words {
                [only] if only.starts_with(ALL_BUT) => {
                    let right = only.trim_start_matches(ALL_BUT);
                    wrong.iter().all(|name| !name.contains(right))
                }
                _ => wrong.iter().all(|name| words.iter().any(|word| name.contains(word))),
            };
        chosen.then(|| format!("{BY_CASE}{}", words.join(" or ")))
    }
}

/// The ladder for these failures: the section of the first that has one, the exercise's own before
/// the common one, and the general ladder. Before an exercise's hints for wrong outputs come those
/// for the cases that are wrong.
pub fn ladder(text: &str, failures: &[String], wrong_cases: &[String]) -> Ladder {
    let own = sections(text);
    let common = sections(COMMON);
    let of = |sections: &[Section<'_>], failure: &str| -> Option<Vec<String>> {
        let found = sections.iter().find(|section| section.failures.contains(&failure));
        found.map(|section| section.hints.clone())
    };
    let found = failures.iter().find_map(|failure| {
        let hints = of(&own, failure).or_else(|| of(&common, failure))?;
        let by_case = || own.iter().find_map(|section| Some((section.by_case(wrong_cases)?, &section.hints)));
        match by_case().filter(|_| failure == "correct") {
            Some((failure, first)) => Some((failure, [first.clone(), hints].concat())),
            None => Some((failure.clone(), hints)),
        }
    });
    let (failure, mut hints) = found.map_or((None, Vec::new()), |(failure, hints)| (Some(failure), hints));
    let special = hints.len();
    hints.extend(of(&own, ANY).unwrap_or_default());
    Ladder { failure, special, hints }
}

/// How many hints the general ladder has.
pub fn general(text: &str) -> usize {
    ladder(text, &[], &[]).hints.len()
}

/// Why it works, and what to try next.
pub fn passed(text: &str) -> Vec<String> {
    let found = sections(text).into_iter().find(|section| section.failures == [PASSED]);
    found.map_or_else(Vec::new, |section| section.hints)
}

/// Whether the exercise itself has hints for a failure.
pub fn has_own(text: &str, failure: &str) -> bool {
    sections(text).iter().any(|section| section.failures.contains(&failure))
}

/// A failure in a learner's words, to follow `for`.
pub fn in_words(failure: &str) -> String {
    match failure {
        "compile" => "a kernel that does not compile".to_owned(),
        "permitted" => "a kernel that does what it may not".to_owned(),
        "correct" => "wrong outputs".to_owned(),
        "speedup" => "a kernel that is too slow".to_owned(),
        "clean/out_of_bounds" => "an access out of bounds".to_owned(),
        "clean/uninitialized_read" => "a read of what nobody wrote".to_owned(),
        "clean/misaligned" => "a misaligned access".to_owned(),
        "clean/unfinished" => "a kernel that does not end".to_owned(),
        "clean/barrier_divergence" => "a barrier that not all threads reach".to_owned(),
        "clean/invalid_mask" => "a mask that names the wrong lanes".to_owned(),
        other if other.starts_with(BY_CASE) => {
            let words = other.trim_start_matches(BY_CASE);
            match words.strip_prefix(ALL_BUT) {
                Some(right) => format!("outputs that are right in cases with “{right}”, and wrong in others"),
                None => format!(
                    "outputs that are wrong in cases with “{}” alone",
                    words.replace(" or ", "” or “")
                ),
            }
        }
        other => match other.strip_prefix("clean/") {
            Some(kind) => format!("a {}", kind.replace('_', " ")),
            None => format!("too many {}", other.replace('_', " ")),
        },
    }
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut all: Vec<Section<'_>> = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut lines = paragraph.trim().lines().peekable();
        if let Some(heading) = lines.next_if(|line| line.starts_with("# ")) {
            let failures = heading.trim_start_matches("# ").split(',').map(str::trim).collect();
            all.push(Section { failures, hints: Vec::new() });
        }
        let hint = lines.collect::<Vec<&str>>().join(" ");
        if let (Some(section), false) = (all.last_mut(), hint.is_empty()) {
            section.hints.push(hint);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    const TEXT: &str = "# clean/race\n\nWho waits?\n\n# correct, barriers\n\nLook at\nthe first.\n\nThen at the last.\n\n# any\n\nOne.\n\nTwo.\n\n# passed\n\nWell.\n";

    #[test]
    fn the_most_telling_failure_chooses() {
        let failures = failures(&sample::failed());
        assert_eq!(failures, ["clean/race", "clean/out_of_bounds", "correct"]);
        let race = ladder(TEXT, &failures, &[]);
        assert_eq!((race.failure.as_deref(), race.special), (Some("clean/race"), 1));
        assert_eq!(race.hints, ["Who waits?", "One.", "Two."]);
        assert_eq!(ladder(TEXT, &failures[1..], &[]).hints[0], "Look at the first.");
        let counter = ladder(TEXT, &["shared_bank_conflicts".to_owned(), "barriers".to_owned()], &[]);
        assert_eq!((counter.failure.as_deref(), counter.special), (Some("barriers"), 2));
        assert!(super::failures(&sample::passed()).is_empty());
    }

    #[test]
    fn wrong_outputs_choose_by_the_cases_that_are_wrong() {
        let text = "# correct/NaN\n\nCompare.\n\n# correct/negative, correct/-infinity\n\nIdentity.\n\n\
                    # correct/all but full\n\nTail.\n\n# correct\n\nLook.\n\n# any\n\nOne.\n";
        let correct = ["correct".to_owned()];
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let Ladder { failure, special, hints } = ladder(text, &correct, &names);
            (in_words(&failure.expect("there is a section")), hints[0].clone(), special)
        };
        let nan = "outputs that are wrong in cases with “NaN” alone";
        assert_eq!(chosen(&["n = 5, some NaN"]), (nan.to_owned(), "Compare.".to_owned(), 2));
        let identity = "outputs that are wrong in cases with “negative” or “-infinity” alone";
        assert_eq!(chosen(&["all negative", "one, negative", "-infinity"]).0, identity);
        let tail = "outputs that are right in cases with “full”, and wrong in others";
        assert_eq!(chosen(&["all negative", "n = 5, some NaN"]).0, tail);
        // Where a full tile is wrong as well it is not the tail.
        assert_eq!(
            chosen(&["all negative", "a full tile"]),
            ("wrong outputs".to_owned(), "Look.".to_owned(), 1)
        );
        assert_eq!(chosen(&[]).1, "Look.");
        assert_eq!(case_words(text), ["NaN", "negative", "-infinity", "full"]);
        // A race is told of as a race, wherever outputs are wrong.
        let race = ladder(text, &["clean/race".to_owned()], &["some NaN".to_owned()]);
        assert_eq!(race.failure, None);
        assert_eq!(wrong_cases(&sample::failed()), ["n = 257, all negative", "n = 30"]);
        assert!(wrong_cases(&sample::passed()).is_empty());
    }

    #[test]
    fn what_nobody_foresaw_gets_the_general_ladder() {
        let unknown = ladder(TEXT, &["clean/unsupported".to_owned()], &[]);
        assert_eq!((unknown.failure, unknown.special, unknown.hints.len()), (None, 0, 2));
        assert_eq!(ladder(TEXT, &[], &[]).hints, ["One.", "Two."]);
        assert_eq!(passed(TEXT), ["Well."]);
        // Said once for all exercises.
        assert_eq!(ladder(TEXT, &["compile".to_owned()], &[]).failure.as_deref(), Some("compile"));
    }
}
