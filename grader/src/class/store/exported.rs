//! What `class export` has written, wherever: the hashes of it, so that an export replaces an earlier one and nothing else.
//!
//! No grade depends on it, so the log says nothing of it; what lies in the results' folder the log knows besides.

use std::collections::BTreeSet;

use super::{Entry, Event, Store, file::refused, insert};
use crate::exit::Result;

/// The command, as the log has it.
pub const EXPORT: &str = "class export";

/// Not there where nobody has exported.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS exported (id INTEGER PRIMARY KEY, hash TEXT NOT NULL)";

impl Store {
    /// The hashes of all that was ever exported.
    pub fn exported(&mut self) -> BTreeSet<String> {
        let elsewhere = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.db.prepare("SELECT hash FROM exported")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        // Without the table, or where it is damaged, nothing is known: then an export asks for another name.
        let elsewhere = elsewhere().unwrap_or_default();
        let entries = self.log();
        let entries = entries.iter().filter_map(|logged| serde_json::from_str::<Entry>(&logged.text).ok());
        let inside = entries.flat_map(|entry| match entry.event {
            Event::Written { by, files } if by == EXPORT => files.into_values().collect(),
            _ => Vec::new(),
        });
        elsewhere.into_iter().chain(inside).collect()
    }

    /// Remembers what is about to be exported, by its hashes.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn remember_exported(&mut self, hashes: &BTreeSet<String>) -> Result<()> {
        let known = self.exported();
        let written = (|| -> rusqlite::Result<()> {
            let all = self.db.unchecked_transaction()?;
            all.execute(TABLE, [])?;
            for hash in hashes.difference(&known) {
                insert(&all, "INSERT INTO exported (hash) VALUES (?1)", [hash])?;
            }
            all.commit()
        })();
        written.map_err(|error| refused(&self.path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::header::Header;

    #[test]
    fn what_was_exported_is_known_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let mut store = Store::create(folder.path(), &header).unwrap();
        let set = |all: &[&str]| all.iter().map(|&hash| hash.to_owned()).collect::<BTreeSet<String>>();
        assert_eq!(store.exported(), set(&[]));
        let head = store.head();
        store.remember_exported(&set(&["a", "b"])).unwrap();
        store.remember_exported(&set(&["b", "c"])).unwrap();
        assert_eq!(store.head(), head, "the log is of grades");
        for (by, hash) in [(EXPORT, "d"), ("class similar", "e")] {
            let files = [("x.csv".to_owned(), hash.to_owned())].into();
            store.say(Event::Written { by: by.to_owned(), files }).unwrap();
        }
        drop(store);
        let (mut store, _) = Store::open(folder.path()).unwrap();
        assert_eq!(store.exported(), set(&["a", "b", "c", "d"]));
        assert!(store.damaged().is_empty(), "{:?}", store.damaged());
    }
}
