//! Goals and what was found, in words. Whoever shows a report to a person takes them from here, so that every
//! page and terminal says the same.

use std::fmt::{self, Write};

use warpsim::FindingKind;

use super::{
    Asked, Bound, Content, Found, Goal, GoalResult, Problem, Rule, SpeedAsked, SpeedFound, Unmeasured,
};
use crate::exercise::Counter;

/// A number and what it counts, in the plural where it is not 1: `1 row`, `2 rows`, `3 branches`, `4 entries`.
pub fn number_of(number: impl ToString, what: &str) -> String {
    let number = number.to_string();
    match (&*number, what.strip_suffix('y')) {
        ("1", _) => format!("{number} {what}"),
        (_, Some(entr)) => format!("{number} {entr}ies"),
        (_, None) if what.ends_with("ch") => format!("{number} {what}es"),
        (_, None) => format!("{number} {what}s"),
    }
}

/// The same with a verb behind it: `1 row is`, `2 rows are`.
pub fn number_which(number: impl ToString, what: &str, one: &str, more: &str) -> String {
    let number = number.to_string();
    let verb = if number == "1" { one } else { more };
    format!("{} {verb}", number_of(number, what))
}

impl GoalResult {
    /// What the goal asks, without reasons: `at most 8`.
    pub fn asked_in_short(&self) -> String {
        match &self.asked {
            Asked::Nothing => by_name(self.goal).to_owned(),
            Asked::Bound(bound) => bounds(bound),
            Asked::Speed(speed) => asked_of_speed(speed),
        }
    }
    /// What the goal asks, with the reason where there is one: `at most 8: each float once`.
    pub fn asked_in_words(&self) -> String {
        match &self.asked {
            Asked::Bound(bound) => format!("{}: {}", bounds(bound), bound.why),
            Asked::Nothing | Asked::Speed(_) => self.asked_in_short(),
        }
    }
    /// What was found.
    pub fn found_in_words(&self) -> String {
        found(&self.found)
    }
}

fn by_name(goal: Goal) -> &'static str {
    match goal {
        Goal::Compile => "compiles, with every kernel and launch constant that the exercise calls",
        Goal::Permitted => "keeps nothing between launches, no PTX of its own, no look at clock or machine",
        Goal::Correct => "right outputs in every case",
        Goal::Clean => "no race, no divergent barrier, no stray access, no other error",
        Goal::Counter(counter) => counter.name(),
        Goal::Speedup => "faster than the baseline",
        Goal::Expert => "as fast as experts get it",
    }
}

fn bounds(bound: &Bound) -> String {
    let Bound { least, most, .. } = bound;
    match least {
        0 => format!("at most {most}"),
        _ if least == most => format!("exactly {most}"),
        _ if *most == u64::MAX => format!("at least {least}"),
        _ => format!("from {least} to {most}"),
    }
}

fn asked_of_speed(asked: &SpeedAsked) -> String {
    let speedup = asked.speedup.map(|least| format!("at least {least:.2}× the baseline's speed"));
    let share =
        asked.roof_share.map(|least| format!("at least {:.0} % of the speed of a copy", least * 100.0));
    let all: Vec<String> = speedup.into_iter().chain(share).collect();
    all.join(" and ")
}

fn found(found: &Found) -> String {
    match found {
        Found::Refused(why) => why.clone(),
        Found::Problems(problems) => problems_in_words(problems),
        Found::Cases { right: 1, ran: 1, .. } => "the case is right".to_owned(),
        Found::Cases { right, ran, .. } if right == ran => format!("all {ran} cases right"),
        Found::Cases { right, ran, first_wrong } => {
            let first = first_wrong.as_ref().map_or(String::new(), |name| format!("; first wrong: {name}"));
            format!("{right} of {ran} cases right{first}")
        }
        Found::Findings { errors, warnings } if errors.is_empty() => {
            format!("no errors{}", and_warnings(*warnings))
        }
        Found::Findings { errors, .. } => {
            let plural = if errors.len() == 1 { "error" } else { "errors" };
            format!("{} {plural}: {}", errors.len(), kinds(errors))
        }
        Found::Count { value, case } => format!("{value} in case {case}"),
        Found::Speed(speed) => found_of_speed(speed),
        Found::Unmeasured(why) => unmeasured(why),
    }
}

/// `, 2 warnings`; nothing where there are none.
fn and_warnings(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    }
}

fn kinds(errors: &[FindingKind]) -> String {
    let mut names: Vec<String> = errors.iter().map(|kind| plain(kind.name())).collect();
    names.dedup();
    names.join(", ")
}

fn found_of_speed(found: &SpeedFound) -> String {
    let SpeedFound { cases, speedup, pairs, roof_share, doubt } = found;
    let of = match &**cases {
        [only] => format!("in case {only}"),
        several => format!("as geometric mean of {} cases", several.len()),
    };
    let mut words = format!(
        "{:.2}× {of} (95 % interval {:.2}–{:.2}, {})",
        speedup.median,
        speedup.low,
        speedup.high,
        number_of(*pairs, "pair")
    );
    if let Some(share) = roof_share {
        let _ = write!(words, ", {:.0} % of a copy's speed", share * 100.0);
    }
    if let Some(doubt) = doubt {
        let _ = write!(words, "; {doubt}");
    }
    words
}

fn unmeasured(why: &Unmeasured) -> String {
    match why {
        Unmeasured::NoCaseRan => "no case could run here".to_owned(),
        Unmeasured::CasesUnjudged { right } => {
            format!("{} right, others could not be judged", number_of(right, "case"))
        }
        Unmeasured::NotSimulated => "no case ran on the simulator".to_owned(),
        Unmeasured::NoCaseFinished => "no case finished on the simulator".to_owned(),
        Unmeasured::NotTimed(why) => why.clone(),
    }
}

/// What a kernel does that it may not, one after the other.
pub fn problems_in_words(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { rule, line, names } = self;
        match rule {
            Rule::Variable => {
                let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "it writes to the device variable {}", quoted.join(", "))?;
            }
            Rule::Heap => {
                f.write_str("it uses the device's heap (malloc or new), which outlives a launch")?;
            }
            Rule::OwnPtx => f.write_str("it has PTX of its own (asm)")?,
            Rule::Macro => write!(f, "its macro `{}`", names.join(", "))?,
            Rule::Clock => write!(f, "it reads the clock ({})", names.join(", "))?,
            Rule::Machine => write!(f, "it looks where on the machine it runs ({})", names.join(", "))?,
        }
        if let Some(line) = line {
            write!(f, " at line {line}")?;
        }
        match rule {
            Rule::Macro => f.write_str(" can write PTX into a header"),
            Rule::Variable | Rule::Heap | Rule::OwnPtx | Rule::Clock | Rule::Machine => Ok(()),
        }
    }
}

impl Rule {
    /// What to do instead, a sentence.
    pub fn instead(self) -> &'static str {
        match self {
            Rule::Variable => {
                "Every launch must compute its result from its arguments: use a local variable, `__shared__` memory or \
                 a parameter."
            }
            Rule::Heap => "Use local variables or `__shared__` memory.",
            Rule::OwnPtx => {
                "Use an intrinsic function or an operator instead (such as `__ldcs(p)` for `ld.global.cs`); inline PTX \
                 is accepted only where an exercise needs it."
            }
            Rule::Macro => "Define macros that have text or `#` in them below the last `#include`.",
            Rule::Clock => {
                "A result must not depend on when it is computed. Wait without a time limit (`__syncthreads()`, \
                 `barrier.arrive_and_wait()`): those with one, such as `try_wait_for`, tell the time."
            }
            Rule::Machine => {
                "A result must not depend on where it is computed: use `threadIdx`, `blockIdx` and their kind."
            }
        }
    }
}

impl Counter {
    /// Its name as words: `global load sectors`.
    pub fn in_words(self) -> String {
        plain(self.name())
    }
}

fn plain(name: &str) -> String {
    name.replace('_', " ")
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Content::Value(value) => value,
            Content::NeverWritten => "never written",
            Content::Undefined => "written from data that nothing wrote",
            Content::NeverReadBack => "never read back",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{measure::Interval, report::Verdict};

    #[test]
    fn one_of_a_thing_is_no_plural() {
        let said =
            |number| [number_of(number, "row"), number_of(number, "entry"), number_of(number, "branch")];
        assert_eq!(said(1), ["1 row", "1 entry", "1 branch"]);
        assert_eq!(said(2), ["2 rows", "2 entries", "2 branches"]);
        assert_eq!(number_which(1, "row", "is", "are"), "1 row is");
        assert_eq!(number_which(0, "row", "is", "are"), "0 rows are");
    }

    #[test]
    fn what_was_timed_is_said_with_its_interval() {
        let found = found(&Found::Speed(SpeedFound {
            cases: vec!["a".to_owned(), "b".to_owned()],
            speedup: Interval { median: 1.456, low: 1.38, high: 1.53 },
            pairs: 120,
            roof_share: Some(0.5),
            doubt: Some("too noisy".to_owned()),
        }));
        assert_eq!(
            found,
            "1.46× as geometric mean of 2 cases (95 % interval 1.38–1.53, 120 pairs), 50 % of a copy's speed; too noisy"
        );
    }

    #[test]
    fn bounds_are_said_with_their_reason() {
        let asked = |least, most| {
            let goal = GoalResult {
                goal: Goal::Counter(Counter::Barriers),
                verdict: Verdict::Passed,
                required: true,
                asked: Asked::Bound(Bound { least, most, why: "one a round".to_owned() }),
                found: Found::Unmeasured(Unmeasured::NoCaseFinished),
            };
            assert!(goal.asked_in_words().starts_with(&goal.asked_in_short()));
            goal.asked_in_words()
        };
        assert_eq!(asked(0, 8), "at most 8: one a round");
        assert_eq!(asked(8, 8), "exactly 8: one a round");
        assert_eq!(asked(4, 8), "from 4 to 8: one a round");
        assert_eq!(asked(4, u64::MAX), "at least 4: one a round");
    }

    #[test]
    fn every_problem_says_what_and_where() {
        let problem = |rule, names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            Problem { rule, line: Some(7), names }.to_string()
        };
        assert_eq!(problem(Rule::OwnPtx, &[]), "it has PTX of its own (asm) at line 7");
        assert_eq!(problem(Rule::Macro, &["wait"]), "its macro `wait` at line 7 can write PTX into a header");
        assert_eq!(problem(Rule::Clock, &["%clock64"]), "it reads the clock (%clock64) at line 7");
    }
}
