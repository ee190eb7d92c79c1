//! What is asked of a kernel and what was found, as values. No words: [`super::words`] makes them.
//!
//! A goal is never recognised by its text. A new one is a new variant of [`Goal`]; the compiler then asks
//! everywhere what becomes of it.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use strum::{EnumIter, IntoEnumIterator, VariantArray};
use thiserror::Error;
use warpsim::FindingKind;

use super::{Problem, Verdict};
use crate::{exercise::Counter, measure::Interval};

/// What a kernel must reach, in the order in which a report shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter)]
pub enum Goal {
    /// Compiles, with everything that the exercise calls. Only a kernel that misses it has this goal.
    Compile,
    /// The outputs of every case are right.
    Correct,
    /// No finding is an error.
    Clean,
    /// Does nothing that the exercise forbids. Only a kernel that does has this goal.
    Permitted,
    /// A counter lies within its bounds in every case.
    Counter(Counter),
    /// As fast as a pass asks for.
    Speedup,
    /// As fast as experts get it; decides nothing.
    Expert,
}

impl Goal {
    /// Every goal there is.
    pub fn all() -> impl Iterator<Item = Goal> {
        Goal::iter().flat_map(|goal| match goal {
            Goal::Counter(_) => Counter::VARIANTS.iter().copied().map(Goal::Counter).collect(),
            other => vec![other],
        })
    }
    /// Its name in JSON, tables and the first lines of wrong kernels.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Compile => "compile",
            Goal::Correct => "correct",
            Goal::Clean => "clean",
            Goal::Permitted => "permitted",
            Goal::Counter(counter) => counter.name(),
            Goal::Speedup => "speedup",
            Goal::Expert => "expert",
        }
    }
    /// True for what must hold of a kernel whose only aim is to be right: whoever is allowed to be slow or
    /// wasteful (a baseline, a step on the way) is still held to these.
    pub fn is_of_right_kernels(self) -> bool {
        match self {
            Goal::Compile | Goal::Correct | Goal::Clean | Goal::Permitted => true,
            Goal::Counter(_) | Goal::Speedup | Goal::Expert => false,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no goal has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expected a goal such as correct, clean/race or global_load_sectors, found `{found}`")]
pub struct UnknownGoal {
    found: String,
}

impl FromStr for Goal {
    type Err = UnknownGoal;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Goal::all().find(|goal| goal.name() == text).ok_or_else(|| UnknownGoal { found: text.to_owned() })
    }
}

/// One way to fail: a goal, or a kind of finding that spoils [`Goal::Clean`]. Written as in the first lines of
/// wrong kernels and in headings of hints: `correct`, `clean/race`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// A goal.
    Goal(Goal),
    /// A finding of this kind, with severity error.
    Finding(FindingKind),
}

impl Failure {
    /// Wrong outputs.
    pub const CORRECT: Failure = Failure::Goal(Goal::Correct);
    /// Too slow.
    pub const SPEEDUP: Failure = Failure::Goal(Goal::Speedup);

    /// The goal that fails.
    pub fn goal(self) -> Goal {
        match self {
            Failure::Goal(goal) => goal,
            Failure::Finding(_) => Goal::Clean,
        }
    }
    /// The kind of finding, where it is one.
    pub fn finding(self) -> Option<FindingKind> {
        match self {
            Failure::Goal(_) => None,
            Failure::Finding(kind) => Some(kind),
        }
    }
}

/// What separates the goal from the kind of finding.
const OF_CLEAN: &str = "clean/";

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Goal(goal) => f.write_str(goal.name()),
            Failure::Finding(kind) => write!(f, "{OF_CLEAN}{}", kind.name()),
        }
    }
}

impl FromStr for Failure {
    type Err = UnknownGoal;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(name) = text.strip_prefix(OF_CLEAN) else { return text.parse().map(Failure::Goal) };
        let kind = FindingKind::VARIANTS.iter().find(|kind| kind.name() == name);
        kind.copied().map(Failure::Finding).ok_or_else(|| UnknownGoal { found: text.to_owned() })
    }
}

/// Serialised by its name.
macro_rules! serialised_by_name {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

serialised_by_name!(Goal, Failure);

/// One of the names that there are.
impl JsonSchema for Goal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Goal".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<&str> = Goal::all().map(Goal::name).collect();
        schemars::json_schema!({
            "description": "What a kernel must reach: a counter's name, or one of the other goals.",
            "enum": names
        })
    }
}

/// One goal's result. JSON has `asked` and `found` in words besides, for whoever only shows them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "GoalInJson")]
pub struct GoalResult {
    /// Which goal.
    pub goal: Goal,
    /// The verdict.
    pub verdict: Verdict,
    /// False for goals that do not decide the check (the expert goal).
    pub required: bool,
    /// What it asks beyond its name.
    pub asked: Asked,
    /// What was found.
    pub found: Found,
}

impl GoalResult {
    /// True for a goal that decides the check and is missed.
    pub fn has_failed(&self) -> bool {
        self.required && self.verdict == Verdict::Failed
    }
}

/// A goal's result as JSON has it.
#[derive(Serialize, JsonSchema)]
struct GoalInJson {
    goal: Goal,
    verdict: Verdict,
    required: bool,
    asked: Asked,
    found: Found,
    asked_in_words: String,
    found_in_words: String,
}

impl From<GoalResult> for GoalInJson {
    fn from(result: GoalResult) -> Self {
        let (asked_in_words, found_in_words) = (result.asked_in_words(), result.found_in_words());
        let GoalResult { goal, verdict, required, asked, found } = result;
        GoalInJson { goal, verdict, required, asked, found, asked_in_words, found_in_words }
    }
}

/// What a goal asks beyond its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Nothing: the name says it.
    Nothing,
    /// A counter within these bounds.
    Bound(Bound),
    /// A speed.
    Speed(SpeedAsked),
}

/// What one counter must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// Least value that passes: 0 for work that is to be saved, more where it must not be left out.
    pub least: u64,
    /// Greatest value that passes.
    pub most: u64,
    /// Where the number comes from, in one sentence.
    pub why: String,
}

impl Bound {
    /// True for a value that passes.
    pub fn admits(&self, value: u64) -> bool {
        (self.least..=self.most).contains(&value)
    }
}

/// What a speed goal asks; both, where it asks for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpeedAsked {
    /// Speedup over the baseline.
    pub speedup: Option<f64>,
    /// Share of a copy's speed, 0 to 1.
    pub roof_share: Option<f64>,
}

/// What was found, by goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Of [`Goal::Compile`]: what the kernel lacks, a sentence.
    Refused(String),
    /// Of [`Goal::Permitted`]: what it does that it may not.
    Problems(Vec<Problem>),
    /// Of [`Goal::Correct`].
    Cases {
        /// Cases that are right.
        right: usize,
        /// Cases that ran.
        ran: usize,
        /// The first wrong one.
        first_wrong: Option<String>,
    },
    /// Of [`Goal::Clean`].
    Findings {
        /// The kinds of the errors, each error once, in the report's order.
        errors: Vec<FindingKind>,
        /// How many warnings.
        warnings: usize,
    },
    /// Of [`Goal::Counter`]: the value that is furthest over its bound, or closest to it.
    Count {
        /// The value.
        value: u64,
        /// In which case.
        case: String,
    },
    /// Of [`Goal::Speedup`] and [`Goal::Expert`].
    Speed(SpeedFound),
    /// Nothing: it could not be measured.
    Unmeasured(Unmeasured),
}

/// What was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpeedFound {
    /// The timed cases; of several it is the geometric mean.
    pub cases: Vec<String>,
    /// The median speedup and its 95 % interval.
    pub speedup: Interval,
    /// Pairs measured.
    pub pairs: u32,
    /// Share of a copy's speed, where there is a roof.
    pub roof_share: Option<f64>,
    /// Why the machine could not decide, where it could not; a sentence's part.
    pub doubt: Option<String>,
}

/// Why a goal has no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unmeasured {
    /// No case ran to an end that says something about the kernel.
    NoCaseRan,
    /// So many cases are right, but others could not be judged.
    CasesUnjudged {
        /// Right ones.
        right: usize,
    },
    /// No case ran on the simulator, which alone finds defects.
    NotSimulated,
    /// No case finished on the simulator, which alone counts.
    NoCaseFinished,
    /// Speed was not measured: why, in words.
    NotTimed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_written() {
        for goal in Goal::all() {
            assert_eq!(goal.name().parse(), Ok(goal));
            assert_eq!(goal.name().parse(), Ok(Failure::Goal(goal)));
        }
        for &kind in FindingKind::VARIANTS {
            let failure = Failure::Finding(kind);
            assert_eq!(failure.to_string().parse(), Ok(failure));
        }
        for text in ["", "compiles", "clean/", "clean/luck", "race"] {
            assert!(text.parse::<Failure>().is_err(), "{text}");
        }
    }
}
