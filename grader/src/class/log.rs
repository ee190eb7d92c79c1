//! The audit log: what happened to a class's results, in order, each entry hashed together with the one before.
//!
//! The last entry's hash, the log's *head*, so stands for all of them. Who has written the head down can tell whether
//! anything was changed since. Without it only accidents show: who changes an entry on purpose can hash all that
//! follow anew.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{header::Header, points::RowPoints, row::Row, took::Took};
use crate::assignment::points::Points;

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Event {
    /// A scoring began, or went on.
    Began {
        /// Judge, compiler, device, seed and what is asked of speed.
        header: Header,
        /// The GPUs, with their driver.
        machine: Vec<String>,
    },
    /// A row was judged, or judged again.
    Row(Judged),
    /// A submission is not there any more.
    Withdrawn {
        /// The student.
        student: String,
        /// The exercise's id.
        exercise: String,
    },
    /// Somebody looked which published kernels the class's are like.
    Compared {
        /// From which likeness on.
        least: f64,
        /// Of how many kernels it is known.
        kernels: usize,
        /// The hash of what was found, as it is stored.
        found: String,
    },
    /// `class regrade` showed what would change, and keeps the reports that its table was made of.
    Proposed {
        /// How many kernels were judged for it.
        kernels: usize,
        /// The hash of these reports, as they are stored.
        found: String,
    },
    /// A command other than a scoring wrote files into the results.
    Written {
        /// The command, such as `class export`.
        by: String,
        /// Each file's hash, by its path below the results.
        files: BTreeMap<String, String>,
    },
    /// A command took a file away that it had written before.
    Removed {
        /// The command, such as `class score`.
        by: String,
        /// The file's path below the results.
        file: String,
    },
    /// A scoring ended.
    Ended {
        /// How many rows there are.
        rows: usize,
        /// How many of them the judge could not decide.
        judge_errors: usize,
        /// What judging took, where this scoring judged by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took: Option<Took>,
    },
}

/// A row as it was when it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The student.
    pub student: String,
    /// The exercise's id.
    pub exercise: String,
    /// What a table shows of it.
    pub status: String,
    /// The hash of the kernel's text.
    pub kernel: Option<String>,
    /// What the judgement depends on, hashed.
    pub key: String,
    /// The hash of the whole row, as it is stored.
    pub row: String,
    /// The hash of the whole report, as it is stored.
    pub report: Option<String>,
    /// What the row counts in points; none where nothing counts, or there is no assignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Points>,
    /// The reason for points that were given by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// Why it was judged again, if somebody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl Judged {
    /// A row with the hashes of what is stored.
    pub fn of(row: &Row, stored: String, report: Option<String>, because: Option<String>) -> Self {
        Judged {
            student: row.student.clone(),
            exercise: row.exercise.clone(),
            status: row.status().to_owned(),
            kernel: row.kernel_hash.clone(),
            key: row.key.clone(),
            row: stored,
            report,
            points: row.points.as_ref().and_then(RowPoints::earned),
            by_hand: row.points.as_ref().and_then(|points| Some(points.by_hand.as_ref()?.reason.clone())),
            because,
        }
    }
}

/// An entry: when, and what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in UTC.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Whether the last scoring came to its end, whatever else was done with its results later.
pub fn has_ended<'a>(events: impl DoubleEndedIterator<Item = &'a Event>) -> bool {
    let is_of_a_scoring = |event: &&Event| matches!(event, Event::Began { .. } | Event::Ended { .. });
    matches!(events.rev().find(is_of_a_scoring), Some(Event::Ended { .. }))
}

/// Where a log ends: its number of entries, and the hash of the last one with all before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// How many entries.
    pub entries: u64,
    hash: [u8; 32],
}

impl Head {
    /// The head after one more entry, as it is stored.
    pub fn after(self, entry: &str) -> Head {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.hash);
        hasher.update(&self.entries.to_le_bytes());
        hasher.update(entry.as_bytes());
        Head { entries: self.entries + 1, hash: *hasher.finalize().as_bytes() }
    }
}

/// As it is written down: 64 digits.
impl fmt::Display for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&blake3::Hash::from_bytes(self.hash).to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_stands_for_all_entries_and_their_order() {
        let head = |entries: &[&str]| entries.iter().fold(Head::default(), |head, entry| head.after(entry));
        let all = [
            head(&[]),
            head(&["a"]),
            head(&["a", "b"]),
            head(&["b", "a"]),
            head(&["ab"]),
            head(&["a", "b", ""]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().filter(|other| *other == one).count(), 1, "{index}");
        }
        assert_eq!(head(&["a"]).to_string().len(), 64);
    }
}
