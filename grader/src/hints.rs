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

use std::{collections::BTreeSet, fmt};

use harness::report::{CaseStatus, Failure, FindingKind, Goal, Report};

/// What headings of sections that are chosen by the wrong cases begin with.
const BY_CASE: &str = "correct/";
/// And what follows where the right cases choose.
const ALL_BUT: &str = "all but ";

/// For failures that no exercise has a word of its own for.
const COMMON: &str = include_str!("hints.md");

/// What the hints of a section are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A failure.
    Failure(Failure),
    /// Outputs that are wrong in cases with one of these words in their names, and in no other.
    WrongIn(Vec<String>),
    /// Outputs that are wrong, but not in cases with these words in their names.
    RightIn(String),
}

impl Topic {
    fn is_of(&self, wrong: &[String]) -> bool {
        !wrong.is_empty()
            && match self {
                Topic::Failure(_) => false,
                Topic::WrongIn(words) => {
                    wrong.iter().all(|name| words.iter().any(|word| name.contains(word)))
                }
                Topic::RightIn(words) => !wrong.iter().any(|name| name.contains(words)),
            }
    }

    /// In a learner's words, to follow `for`.
    pub fn in_words(&self) -> String {
        match self {
            Topic::Failure(failure) => failure_in_words(*failure),
            Topic::WrongIn(words) => {
                format!("outputs that are wrong in cases with “{}” alone", words.join("” or “"))
            }
            Topic::RightIn(words) => {
                format!("outputs that are right in cases with “{words}”, and wrong in others")
            }
        }
    }
}

/// As its heading says it; what a learner has seen is kept by this name.
impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::Failure(failure) => failure.fmt(f),
            Topic::WrongIn(words) => write!(f, "{BY_CASE}{}", words.join(" or ")),
            Topic::RightIn(words) => write!(f, "{BY_CASE}{ALL_BUT}{words}"),
        }
    }
}

fn failure_in_words(failure: Failure) -> String {
    let words = match failure {
        Failure::Goal(Goal::Compile) => "a kernel that does not compile",
        Failure::Goal(Goal::Permitted) => "a kernel that does what it may not",
        Failure::Goal(Goal::Correct) => "wrong outputs",
        Failure::Goal(Goal::Clean) => "a kernel that is not clean",
        Failure::Goal(Goal::Speedup | Goal::Expert) => "a kernel that is too slow",
        Failure::Goal(Goal::Counter(counter)) => return format!("too many {}", counter.in_words()),
        Failure::Finding(FindingKind::OutOfBounds) => "an access out of bounds",
        Failure::Finding(FindingKind::UninitializedRead) => "a read of what nobody wrote",
        Failure::Finding(FindingKind::Misaligned) => "a misaligned access",
        Failure::Finding(FindingKind::Unfinished) => "a kernel that does not end",
        Failure::Finding(FindingKind::BarrierDivergence) => "a barrier that not all threads reach",
        Failure::Finding(FindingKind::InvalidMask) => "a mask that names the wrong lanes",
        Failure::Finding(other) => return format!("a {}", other.name().replace('_', " ")),
    };
    words.to_owned()
}

/// What a section is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Heading {
    /// The general ladder.
    Any,
    /// For whoever has passed.
    Passed,
    /// For these, any of them.
    Topics(Vec<Topic>),
    /// Nothing that is known.
    Unknown(String),
}

impl Heading {
    fn read(text: &str) -> Self {
        match text {
            "any" => return Heading::Any,
            "passed" => return Heading::Passed,
            _ => {}
        }
        let mut topics = Vec::new();
        let mut words = Vec::new();
        for part in text.split(',').map(str::trim) {
            match part.strip_prefix(BY_CASE).map(|case| (case, case.strip_prefix(ALL_BUT))) {
                Some((_, Some(right))) => topics.push(Topic::RightIn(right.to_owned())),
                Some((wrong, None)) => words.push(wrong.to_owned()),
                None => match part.parse() {
                    Ok(failure) => topics.push(Topic::Failure(failure)),
                    Err(_) => return Heading::Unknown(part.to_owned()),
                },
            }
        }
        if !words.is_empty() {
            topics.push(Topic::WrongIn(words));
        }
        Heading::Topics(topics)
    }
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    heading: Heading,
    hints: Vec<String>,
}

impl Section {
    fn topic(&self, is_it: impl Fn(&Topic) -> bool) -> Option<&Topic> {
        match &self.heading {
            Heading::Topics(topics) => topics.iter().find(|topic| is_it(topic)),
            Heading::Any | Heading::Passed | Heading::Unknown(_) => None,
        }
    }
    fn is_for(&self, failure: Failure) -> bool {
        self.topic(|topic| *topic == Topic::Failure(failure)).is_some()
    }
}

/// What a learner who is stuck is shown, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// What its first hints are for; none where there are none for the failures.
    pub topic: Option<Topic>,
    /// How many of the hints are for that.
    pub special: usize,
    /// All hints.
    pub hints: Vec<String>,
}

/// What failed, the most telling first. Findings say more than wrong outputs, which often follow from them,
/// and those more than counters.
pub fn failures(report: &Report) -> Vec<Failure> {
    let failed = || report.goals.iter().filter(|goal| goal.has_failed()).map(|goal| goal.goal);
    let is_first = |goal: &Goal| matches!(goal, Goal::Compile | Goal::Permitted);
    let mut all: Vec<Failure> = failed().filter(is_first).map(Failure::Goal).collect();
    let errors = report.findings.iter().filter(|finding| finding.is_error());
    all.extend(errors.map(|finding| Failure::Finding(finding.kind)));
    all.extend(failed().filter(|goal| *goal != Goal::Clean).map(Failure::Goal));
    let mut seen = BTreeSet::new();
    all.retain(|failure| seen.insert(*failure));
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

/// What is wrong with a text, for a course whose cases have these names: sentences.
pub fn problems(text: &str, cases: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for section in sections(text) {
        let topics = match section.heading {
            Heading::Any | Heading::Passed => continue,
            Heading::Topics(topics) => topics,
            Heading::Unknown(name) => {
                problems.push(format!("hints.md has a section for `{name}`, which is no failure"));
                continue;
            }
        };
        let words = topics.into_iter().flat_map(|topic| match topic {
            Topic::Failure(_) => Vec::new(),
            Topic::WrongIn(words) => words,
            Topic::RightIn(words) => vec![words],
        });
        let unknown = words.filter(|words| !cases.iter().any(|name| name.contains(words)));
        problems.extend(unknown.map(|words| {
            format!("hints.md has a section for cases with `{words}` in their names; there are none")
        }));
    }
    problems
}

/// The ladder for these failures: the section of the first that has one, the exercise's own before
/// the common one, and the general ladder. Before an exercise's hints for wrong outputs come those
/// for the cases that are wrong.
pub fn ladder(text: &str, failures: &[Failure], wrong_cases: &[String]) -> Ladder {
    let own = sections(text);
    let common = sections(COMMON);
    let by_case = || {
        let found = |section: &Section| {
            let topic = section.topic(|topic| topic.is_of(wrong_cases))?;
            Some((topic.clone(), section.hints.clone()))
        };
        own.iter().find_map(found)
    };
    let found = failures.iter().find_map(|&failure| {
        let section = own.iter().chain(&common).find(|section| section.is_for(failure))?;
        match by_case().filter(|_| failure == Failure::CORRECT) {
            Some((topic, first)) => Some((topic, [first, section.hints.clone()].concat())),
            None => Some((Topic::Failure(failure), section.hints.clone())),
        }
    });
    let (topic, mut hints) = found.map_or((None, Vec::new()), |(topic, hints)| (Some(topic), hints));
    let special = hints.len();
    hints.extend(of(&own, &Heading::Any));
    Ladder { topic, special, hints }
}

fn of(sections: &[Section], heading: &Heading) -> Vec<String> {
    let found = sections.iter().find(|section| section.heading == *heading);
    found.map_or_else(Vec::new, |section| section.hints.clone())
}

/// How many hints the general ladder has.
pub fn general(text: &str) -> usize {
    ladder(text, &[], &[]).hints.len()
}

/// Why it works, and what to try next.
pub fn passed(text: &str) -> Vec<String> {
    of(&sections(text), &Heading::Passed)
}

/// Whether the exercise itself has hints for a failure.
pub fn has_own(text: &str, failure: Failure) -> bool {
    sections(text).iter().any(|section| section.is_for(failure))
}

fn sections(text: &str) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut lines = paragraph.trim().lines().peekable();
        if let Some(heading) = lines.next_if(|line| line.starts_with("# ")) {
            let heading = Heading::read(heading.trim_start_matches("# ").trim());
            all.push(Section { heading, hints: Vec::new() });
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

    fn failure(name: &str) -> Failure {
        name.parse().expect("a failure")
    }

    #[test]
    fn the_most_telling_failure_chooses() {
        let failures = failures(&sample::failed());
        let expected = ["clean/race", "clean/out_of_bounds", "correct"].map(failure);
        assert_eq!(failures, expected);
        let race = ladder(TEXT, &failures, &[]);
        assert_eq!((race.topic, race.special), (Some(Topic::Failure(failures[0])), 1));
        assert_eq!(race.hints, ["Who waits?", "One.", "Two."]);
        assert_eq!(ladder(TEXT, &failures[1..], &[]).hints[0], "Look at the first.");
        let counter = ladder(TEXT, &["shared_bank_conflicts", "barriers"].map(failure), &[]);
        assert_eq!((counter.topic, counter.special), (Some(Topic::Failure(failure("barriers"))), 2));
        assert!(super::failures(&sample::passed()).is_empty());
    }

    #[test]
    fn wrong_outputs_choose_by_the_cases_that_are_wrong() {
        let text = "# correct/NaN\n\nCompare.\n\n# correct/negative, correct/-infinity\n\nIdentity.\n\n\
                    # correct/all but full\n\nTail.\n\n# correct\n\nLook.\n\n# any\n\nOne.\n";
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let Ladder { topic, special, hints } = ladder(text, &[Failure::CORRECT], &names);
            (topic.expect("there is a section").in_words(), hints[0].clone(), special)
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
        // A race is told of as a race, wherever outputs are wrong.
        let race = ladder(text, &[failure("clean/race")], &["some NaN".to_owned()]);
        assert_eq!(race.topic, None);
        assert_eq!(wrong_cases(&sample::failed()), ["n = 257, all negative", "n = 30"]);
        assert!(wrong_cases(&sample::passed()).is_empty());
    }

    #[test]
    fn a_section_that_nobody_will_see_is_a_problem() {
        let text = "# correct/NaN, correct/all but full\n\nX.\n\n# race\n\nY.\n\n# any\n\nZ.\n";
        let problems = problems(text, &["a full tile".to_owned()]);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("`NaN`") && problems[1].contains("`race`"), "{problems:?}");
        assert_eq!(super::problems(text, &["full".to_owned(), "NaN".to_owned()]).len(), 1);
    }

    #[test]
    fn what_nobody_foresaw_gets_the_general_ladder() {
        let unknown = ladder(TEXT, &[failure("clean/unsupported")], &[]);
        assert_eq!((unknown.topic, unknown.special, unknown.hints.len()), (None, 0, 2));
        assert_eq!(ladder(TEXT, &[], &[]).hints, ["One.", "Two."]);
        assert_eq!(passed(TEXT), ["Well."]);
        // Said once for all exercises.
        let compile = ladder(TEXT, &[failure("compile")], &[]);
        assert_eq!(compile.topic, Some(Topic::Failure(Failure::Goal(Goal::Compile))));
    }
}
