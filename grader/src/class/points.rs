//! What rows earn by an assignment, and what an instructor decided instead.
//!
//! Points are made of verdicts whenever results are written, so that a changed assignment judges nothing again.

use harness::report::{Goal, Verdict};
use serde::{Deserialize, Serialize};

use super::row::{Outcome, Row};
use crate::assignment::{
    Assignment,
    class::Override,
    points::{Earned, Fate, Points},
};

/// What a row earns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPoints {
    /// What the judge's verdicts earn, part by part; none where nothing was graded.
    pub parts: Option<Vec<PartPoints>>,
    /// All that could be earned.
    pub possible: Points,
    /// What counts instead.
    pub by_hand: Option<ByHand>,
}

/// One part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartPoints {
    /// What it is for, by its name in the assignment.
    pub part: String,
    /// What it is worth.
    pub points: Points,
    /// What became of it.
    pub fate: Fate,
}

/// A change by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    /// What counts.
    pub points: Points,
    /// Why.
    pub reason: String,
}

impl RowPoints {
    /// What counts; none where nothing was graded and nobody decided.
    pub fn earned(&self) -> Option<Points> {
        self.by_hand.as_ref().map(|by_hand| by_hand.points).or_else(|| self.sum(Fate::Earned))
    }

    /// What is open; nothing is where somebody decided.
    pub fn pending(&self) -> Option<Points> {
        match self.by_hand {
            Some(_) => Some(Points::default()),
            None => self.sum(Fate::Pending),
        }
    }

    /// What a part earns; none where nothing was graded, it is open, or the assignment doesn't have it.
    pub fn of_part(&self, name: &str) -> Option<Points> {
        let part = self.parts.as_ref()?.iter().find(|part| part.part == name)?;
        match part.fate {
            Fate::Earned => Some(part.points),
            Fate::Missed => Some(Points::default()),
            Fate::Pending => None,
        }
    }

    fn sum(&self, fate: Fate) -> Option<Points> {
        let parts = self.parts.as_ref()?;
        Some(parts.iter().filter(|part| part.fate == fate).map(|part| part.points).sum())
    }
}

/// What a row earns; none where the exercise is not part of the assignment.
pub fn of_row(row: &Row, assignment: &Assignment) -> Option<RowPoints> {
    let worth = assignment.worth(&row.exercise)?;
    let verdicts: Vec<(Goal, Verdict)> = row.goals.iter().map(|goal| (goal.goal, goal.verdict)).collect();
    let earned: Option<Earned> = match row.outcome {
        Outcome::Graded if row.handed_in.untouched => Some(worth.nothing()),
        Outcome::Graded => Some(worth.earned(&verdicts, assignment.unmeasured_speed)),
        Outcome::NotGradable | Outcome::NotJudged | Outcome::JudgeError => None,
    };
    let parts = earned.map(|earned| {
        let parts = earned.parts.iter();
        parts
            .map(|(part, points, fate)| PartPoints {
                part: part.name().to_owned(),
                points: *points,
                fate: *fate,
            })
            .collect()
    });
    let overrides = assignment.class.iter().flat_map(|class| &class.overrides);
    let mut by_hand = overrides
        .filter(|Override { student, exercise, .. }| *student == row.student && *exercise == row.exercise);
    let by_hand = by_hand.next().map(|given| ByHand { points: given.points, reason: given.reason.clone() });
    Some(RowPoints { parts, possible: worth.total(), by_hand })
}

/// Which of several attempts counts: the one that earns most, and of equals the last. Without an assignment, what passed
/// is better than what didn't, and so on through the goals. What the judge could not do comes first: until it could,
/// nobody knows the best.
pub fn better(one: &Row, other: &Row) -> std::cmp::Ordering {
    let rank = |row: &Row| {
        let outcome = match row.outcome {
            Outcome::JudgeError => 2,
            Outcome::Graded => 1,
            Outcome::NotGradable | Outcome::NotJudged => 0,
        };
        let points = row
            .points
            .as_ref()
            .and_then(|points| Some((points.sum(Fate::Earned)?, points.sum(Fate::Pending)?)));
        let verdict = match row.verdict {
            Some(Verdict::Passed) => 3,
            Some(Verdict::Inconclusive) => 2,
            Some(Verdict::Unmeasured) => 1,
            Some(Verdict::Failed) | None => 0,
        };
        let passed = row.goals.iter().filter(|goal| goal.verdict == Verdict::Passed).count();
        (outcome, points, verdict, passed, row.handed_in.attempt)
    };
    rank(one).cmp(&rank(other))
}
