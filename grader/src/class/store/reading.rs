//! Reading what a file has, of which any part may be damaged: each entry has a hash of its own, and the log says what was
//! written. What can't be read is told, and never taken for something else.

use std::{collections::BTreeMap, fmt};

use rusqlite::OptionalExtension as _;

use super::{Entry, Event, Head, Judgement, Owner, Row, STORE, Store, Stored, hash_of};
use crate::visible::one_line;

/// What can't be read of a store, or was not written by a scoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The row that the log speaks of is not there.
    Row(Owner),
    /// An entry of a table, in words.
    Entry(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Row((student, exercise)) => {
                write!(formatter, "the row of {}, {exercise}", one_line(student))
            }
            Damage::Entry(which) => write!(formatter, "{which} in {STORE}"),
        }
    }
}

/// More entries are not looked for one by one in a damaged file.
const MOST_ENTRIES: i64 = 10_000_000;

impl Store {
    /// Reads everything but the reports.
    pub(super) fn load(&mut self) {
        let dictionaries =
            self.each("dictionary", "SELECT id, number, exercise, hash, words FROM dictionary", |row| {
                Ok((
                    row.get(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, String>(3)?,
                    row.get::<_, Vec<u8>>(4)?,
                ))
            });
        for (_, (number, exercise, hash, words)) in dictionaries {
            // There is a second one; without it, its reports are as damaged.
            if hash_of(&words) == hash {
                self.dictionaries.insert(number, words);
                self.dictionary_of.insert(exercise, number);
            }
        }
        let judgements = self.each("judgement", "SELECT id, key, hash FROM judgement", |row| {
            Ok((row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        self.judgements =
            judgements.into_iter().map(|(id, (key, hash))| (key, Judgement { id, hash })).collect();
        let unconfirmed =
            self.each("unconfirmed", "SELECT id, key FROM unconfirmed", |row| row.get::<_, String>(1));
        self.unconfirmed = unconfirmed.into_iter().map(|(_, key)| key).collect();
        let rows = self.each("row", "SELECT id, hash, value, made_of FROM row", |row| {
            Ok((row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        });
        for (id, (hash, value, made_of)) in rows {
            match serde_json::from_str::<Row>(&value) {
                Ok(row) if hash_of(value.as_bytes()) == hash => {
                    self.rows.insert(row.owner(), Stored { id, row, hash, made_of });
                }
                _ => self.damaged.push(Damage::Entry(format!("entry {id} of `row`"))),
            }
        }
        let resembling = self.each("resembling", "SELECT id, key, said FROM resembling", |row| {
            Ok((row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        self.resembling = resembling.into_iter().map(|(_, said)| said).collect();
        self.compare_with_log();
    }

    /// Takes the head from the log, and tells what the log says was written and is not there: a damaged page of the file
    /// need not be an error, it can also seem to be empty.
    fn compare_with_log(&mut self) {
        let mut expected: BTreeMap<Owner, String> = BTreeMap::new();
        let log = self.log();
        // `class audit` looks whether it is true.
        self.head = log.iter().fold(Head::default(), |head, logged| head.after(&logged.text));
        for (number, logged) in (1..).zip(&log) {
            if logged.number != number {
                self.damaged.push(Damage::Entry(format!("entry {number} of the log")));
                break;
            }
            match serde_json::from_str::<Entry>(&logged.text).map(|entry| entry.event) {
                Ok(Event::Row(row)) => {
                    expected.insert((row.student, row.exercise), row.row);
                }
                Ok(Event::Withdrawn { student, exercise }) => {
                    expected.remove(&(student, exercise));
                }
                Ok(
                    Event::Began { .. }
                    | Event::Compared { .. }
                    | Event::Proposed { .. }
                    | Event::Written { .. }
                    | Event::Removed { .. }
                    | Event::Ended { .. },
                ) => {}
                Err(_) => self.damaged.push(Damage::Entry(format!("entry {number} of the log"))),
            }
        }
        for (owner, hash) in &expected {
            if self.rows.get(owner).is_none_or(|stored| stored.hash != *hash) {
                self.rows.remove(owner);
                self.damaged.push(Damage::Row(owner.clone()));
            }
        }
    }

    /// Reads a table. Where it can't be read in one go, entry by entry, and what can't be read at all is damaged.
    pub(super) fn each<T>(
        &mut self,
        table: &str,
        query: &str,
        take: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<(i64, T)> {
        let one = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, take(row)?));
        let whole = || -> rusqlite::Result<Vec<(i64, T)>> {
            let mut statement = self.db.prepare(&format!("{query} ORDER BY id"))?;
            statement.query_map([], one)?.collect()
        };
        if let Ok(all) = whole() {
            return all;
        }
        let last: i64 = self
            .db
            .query_row(&format!("SELECT max(id) FROM {table}"), [], |row| row.get::<_, Option<i64>>(0))
            .ok()
            .flatten()
            .unwrap_or(0);
        let mut all = Vec::new();
        for id in 1..=last.min(MOST_ENTRIES) {
            match self.db.query_row(&format!("{query} WHERE id = ?1"), [id], one).optional() {
                Ok(Some(found)) => all.push(found),
                // It was taken away.
                Ok(None) => {}
                Err(_) => self.damaged.push(Damage::Entry(format!("entry {id} of `{table}`"))),
            }
        }
        if last == 0 {
            self.damaged.push(Damage::Entry(format!("all of `{table}`")));
        }
        all
    }
}
