//! Points: what goals are worth, and what verdicts earn of it.
//!
//! Whoever is right earns for being right; being clean counts of a kernel that is right, and counters and speed of one
//! that is both. So an untouched stub, which may well count little and race nowhere, earns nothing.

use std::{fmt, iter::Sum};

use harness::report::{Goal, Verdict, number_of};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Points, to the hundredth: sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points(u64);

impl Points {
    /// A number with two decimals at most, not below zero.
    pub fn of(number: f64) -> Option<Self> {
        let hundredths = (number * 100.0).round();
        let is_exact = (hundredths / 100.0 - number).abs() < 1e-9;
        (is_exact && (0.0..1e12).contains(&hundredths)).then_some(Points(hundredths as u64))
    }
    /// As a number.
    pub fn number(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Points::of(number).ok_or_else(|| D::Error::custom(format!("{number} is no number of points")))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(all: I) -> Points {
        Points(all.map(|points| points.0).sum())
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// What points are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A goal.
    Goal(Goal),
    /// All counters of the exercise together.
    Counters,
}

impl Part {
    /// Its name in an assignment and in what is printed.
    pub fn name(self) -> &'static str {
        match self {
            Part::Goal(goal) => goal.name(),
            Part::Counters => "counters",
        }
    }
    fn is_speed(self) -> bool {
        matches!(self, Part::Goal(Goal::Speedup | Goal::Expert))
    }
    /// In which order they are shown.
    pub fn rank(self) -> (Goal, u8) {
        match self {
            // Before what they consist of.
            Part::Counters => (Goal::Permitted, 1),
            Part::Goal(goal) => (goal, 0),
        }
    }
}

/// What becomes of points for speed where it can't be measured: never nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnmeasuredSpeed {
    /// They are open until it is measured.
    #[default]
    Pending,
    /// The exercise's other goals are worth more instead.
    Redistributed,
}

impl UnmeasuredSpeed {
    /// The names in an assignment.
    pub const NAMES: &'static [&'static str] = &["pending", "redistributed"];

    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            UnmeasuredSpeed::Pending => "pending",
            UnmeasuredSpeed::Redistributed => "redistributed",
        }
    }

    /// The one of this name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "pending" => Some(UnmeasuredSpeed::Pending),
            "redistributed" => Some(UnmeasuredSpeed::Redistributed),
            _ => None,
        }
    }
}

/// What the parts of an exercise are worth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    parts: Vec<(Part, Points)>,
}

/// What became of a part's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Earned.
    Earned,
    /// Not earned.
    Missed,
    /// Nobody can say yet.
    Pending,
}

/// What a kernel earns, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earned {
    /// The parts with what they are worth here.
    pub parts: Vec<(Part, Points, Fate)>,
}

impl Worth {
    /// Sets what a part is worth.
    pub fn set(&mut self, part: Part, points: Points) {
        self.parts.push((part, points));
        self.parts.sort_by_key(|(part, _)| part.rank());
    }

    /// What is worth something.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        self.parts.iter().map(|(part, _)| *part)
    }

    /// All of it.
    pub fn total(&self) -> Points {
        self.parts.iter().map(|(_, points)| *points).sum()
    }

    /// What an untouched stub earns, or no kernel at all: nothing.
    pub fn nothing(&self) -> Earned {
        Earned { parts: self.parts.iter().map(|(part, points)| (*part, *points, Fate::Missed)).collect() }
    }

    /// What verdicts on a kernel's goals earn.
    pub fn earned(&self, goals: &[(Goal, Verdict)], unmeasured_speed: UnmeasuredSpeed) -> Earned {
        let worth = match unmeasured_speed {
            UnmeasuredSpeed::Pending => self.clone(),
            UnmeasuredSpeed::Redistributed => self.without(|part| {
                part.is_speed() && matches!(verdict(part, goals), None | Some(Verdict::Unmeasured))
            }),
        };
        let fate = |(part, points): &(Part, Points)| (*part, *points, fate(*part, goals));
        Earned { parts: worth.parts.iter().map(fate).collect() }
    }

    /// The same total without some of the parts: the others are worth more in proportion. As it is where nothing else
    /// would be left.
    fn without(&self, leaves: impl Fn(Part) -> bool) -> Worth {
        let (left, staying): (Vec<_>, Vec<_>) =
            self.parts.iter().copied().partition(|(part, _)| leaves(*part));
        let before: u64 = staying.iter().map(|(_, points)| points.0).sum();
        if left.is_empty() || before == 0 {
            return self.clone();
        }
        let total = self.total().0;
        let (mut sum, mut given) = (0, 0);
        let mut parts = Vec::new();
        for (part, points) in staying {
            // Sums are rounded, not shares, so that the shares' sum is the total.
            sum += points.0;
            let until = (sum * total + before / 2) / before;
            parts.push((part, Points(until - given)));
            given = until;
        }
        Worth { parts }
    }
}

impl Earned {
    /// What is earned.
    pub fn points(&self) -> Points {
        self.sum(|fate| fate == Fate::Earned)
    }
    /// What is open.
    pub fn pending(&self) -> Points {
        self.sum(|fate| fate == Fate::Pending)
    }
    /// All that could be earned.
    pub fn of(&self) -> Points {
        self.sum(|_| true)
    }
    fn sum(&self, counts: impl Fn(Fate) -> bool) -> Points {
        self.parts.iter().filter(|(_, _, fate)| counts(*fate)).map(|(_, points, _)| *points).sum()
    }
}

impl fmt::Display for Earned {
    /// For example `6 of 10 points: correct 4 of 4, clean 2 of 2, counters 0 of 2; pending: speedup 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}: ", self.points(), number_of(self.of(), "point"))?;
        let decided = self.parts.iter().filter(|(_, _, fate)| *fate != Fate::Pending);
        let decided = decided.map(|(part, points, fate)| {
            let earned = if *fate == Fate::Earned { *points } else { Points::default() };
            format!("{} {earned} of {points}", part.name())
        });
        let open = self.parts.iter().filter(|(_, _, fate)| *fate == Fate::Pending);
        let open: Vec<String> = open.map(|(part, points, _)| format!("{} {points}", part.name())).collect();
        let decided: Vec<String> = decided.collect();
        f.write_str(&decided.join(", "))?;
        match (decided.is_empty(), open.is_empty()) {
            (_, true) => Ok(()),
            (true, false) => write!(f, "pending: {}", open.join(", ")),
            (false, false) => write!(f, "; pending: {}", open.join(", ")),
        }
    }
}

/// The verdict on a part; none where the judge has not come to it.
fn verdict(part: Part, goals: &[(Goal, Verdict)]) -> Option<Verdict> {
    let of = |wanted: Goal| goals.iter().find(|(goal, _)| *goal == wanted).map(|(_, verdict)| *verdict);
    match part {
        Part::Goal(goal) => of(goal),
        Part::Counters => {
            let counters = || goals.iter().filter(|(goal, _)| matches!(goal, Goal::Counter(_)));
            let any = |wanted| counters().any(|(_, verdict)| *verdict == wanted);
            match () {
                () if any(Verdict::Failed) => Some(Verdict::Failed),
                () if counters().all(|(_, verdict)| *verdict == Verdict::Passed) => {
                    counters().next().map(|_| Verdict::Passed)
                }
                () => Some(Verdict::Unmeasured),
            }
        }
    }
}

fn fate(part: Part, goals: &[(Goal, Verdict)]) -> Fate {
    // What may not be done, or does not compile, earns nothing whatever else holds.
    if goals
        .iter()
        .any(|(goal, verdict)| matches!(goal, Goal::Compile | Goal::Permitted) && *verdict == Verdict::Failed)
    {
        return Fate::Missed;
    }
    let asked: &[Part] = match part {
        Part::Goal(Goal::Correct) => &[],
        Part::Goal(Goal::Clean) => &[Part::Goal(Goal::Correct)],
        _ => &[Part::Goal(Goal::Correct), Part::Goal(Goal::Clean)],
    };
    let fates = asked.iter().chain([&part]).map(|part| match verdict(*part, goals) {
        Some(Verdict::Passed) => Fate::Earned,
        Some(Verdict::Failed) => Fate::Missed,
        Some(Verdict::Inconclusive | Verdict::Unmeasured) => Fate::Pending,
        // A GPU's thresholds may have no such goal.
        None if part.is_speed() => Fate::Pending,
        None => Fate::Missed,
    });
    let fates: Vec<Fate> = fates.collect();
    match () {
        () if fates.contains(&Fate::Missed) => Fate::Missed,
        () if fates.contains(&Fate::Pending) => Fate::Pending,
        () => Fate::Earned,
    }
}

#[cfg(test)]
mod tests {
    use harness::exercise::Counter;

    use super::*;

    const CONFLICTS: Goal = Goal::Counter(Counter::SharedBankConflicts);
    const SECTORS: Goal = Goal::Counter(Counter::GlobalLoadSectors);

    fn worth(parts: &[(Part, f64)]) -> Worth {
        let mut worth = Worth::default();
        parts.iter().for_each(|(part, points)| worth.set(*part, Points::of(*points).unwrap()));
        worth
    }

    fn sheet() -> Worth {
        worth(&[
            (Part::Goal(Goal::Expert), 1.0),
            (Part::Goal(Goal::Speedup), 2.0),
            (Part::Counters, 2.0),
            (Part::Goal(Goal::Clean), 1.5),
            (Part::Goal(Goal::Correct), 3.5),
        ])
    }

    fn goals(verdicts: [Verdict; 6]) -> Vec<(Goal, Verdict)> {
        let all = [Goal::Correct, Goal::Clean, SECTORS, CONFLICTS, Goal::Speedup, Goal::Expert];
        all.into_iter().zip(verdicts).collect()
    }

    #[test]
    fn what_counts_depends_on_what_holds() {
        use Verdict::{Failed as F, Inconclusive as I, Passed as P, Unmeasured as U};
        let kernels = [
            ("all", goals([P, P, P, P, P, P])),
            ("no GPU", goals([P, P, P, P, U, U])),
            ("a counter", goals([P, P, F, P, U, U])),
            ("a race", goals([P, F, P, P, P, P])),
            ("wrong and clean", goals([F, P, P, P, U, U])),
            ("not decided", goals([P, P, P, P, I, F])),
            ("not simulated", goals([P, U, U, U, P, P])),
            ("no such goal here", goals([P, P, P, P, P, P])[..4].to_vec()),
            ("forbidden", [goals([P, P, P, P, P, P]), vec![(Goal::Permitted, F)]].concat()),
            ("does not compile", vec![(Goal::Compile, F)]),
        ];
        let mut said = String::new();
        for (what, goals) in &kernels {
            for way in [UnmeasuredSpeed::Pending, UnmeasuredSpeed::Redistributed] {
                said.push_str(&format!("{what}, {way:?}: {}\n", sheet().earned(goals, way)));
            }
        }
        said.push_str(&format!("untouched: {}\n", sheet().nothing()));
        insta::assert_snapshot!(said);
    }

    #[test]
    fn redistributed_points_have_the_same_sum() {
        let third = [Part::Goal(Goal::Correct), Part::Goal(Goal::Clean), Part::Counters];
        let speed = (Part::Goal(Goal::Speedup), 1.0);
        let parts = [third.map(|part| (part, 1.0)).to_vec(), vec![speed]].concat();
        let unmeasured = goals([Verdict::Unmeasured; 6]);
        let earned = worth(&parts).earned(&unmeasured, UnmeasuredSpeed::Redistributed);
        assert_eq!(earned.of(), Points::of(4.0).unwrap());
        assert_eq!(earned.parts.len(), 3);
        // Nothing else is worth anything: then they stay open.
        let alone = worth(&[speed]).earned(&unmeasured, UnmeasuredSpeed::Redistributed);
        assert_eq!(alone.pending(), Points::of(1.0).unwrap());
    }

    #[test]
    fn points_have_two_decimals() {
        assert_eq!(Points::of(0.1).map(|points| points.to_string()).as_deref(), Some("0.1"));
        assert_eq!(Points::of(2.0).map(|points| points.to_string()).as_deref(), Some("2"));
        assert_eq!([0.125, -1.0, f64::NAN, f64::INFINITY].map(Points::of), [None; 4]);
    }
}
