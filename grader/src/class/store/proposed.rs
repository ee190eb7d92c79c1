//! The reports that `class regrade` has shown a table of: kept until they are applied, or another table is shown.
//!
//! They lie among the judgements, under keys of their own, and the log has their hash: what was changed in between is not
//! applied.

use std::collections::{BTreeMap, BTreeSet};

use harness::report::Report;

use super::{Entry, Event, Store, hash_of, json};
use crate::exit::Result;

/// Reports by the keys of their judgements.
pub type Proposed = BTreeMap<String, Report>;

/// What their keys begin with in the table of judgements. A judgement's own key is a hash, which never begins so.
const MARK: &str = "proposed ";

impl Store {
    /// Keeps reports by the keys of their judgements, in place of those that were kept before, and says so in the log.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn propose<'a>(&mut self, reports: impl Iterator<Item = (&'a str, &'a Report)>) -> Result<()> {
        self.forget_proposed()?;
        for (key, report) in reports {
            self.keep_judgement(&format!("{MARK}{key}"), report, true)?;
        }
        let hashes = self.hashes_of_proposed();
        self.say(Event::Proposed { kernels: hashes.len(), found: hash_of_proposed(&hashes) })
    }

    /// The reports that are kept; none if they are not those that the log knows.
    pub fn proposed(&mut self) -> Proposed {
        let hashes = self.hashes_of_proposed();
        if self.hash_in_log() != Some(hash_of_proposed(&hashes)) {
            return Proposed::new();
        }
        let report = |key: String| Some((key.clone(), self.report(&format!("{MARK}{key}"))?));
        hashes.into_keys().filter_map(report).collect()
    }

    /// Takes them away.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn forget_proposed(&mut self) -> Result<()> {
        let keys: BTreeSet<String> = self.judgements.keys().filter(|key| is_proposed(key)).cloned().collect();
        self.withdraw_judgements(&keys)
    }

    fn hashes_of_proposed(&self) -> BTreeMap<String, String> {
        let all = self.judgements.iter();
        all.filter_map(|(key, judgement)| Some((key.strip_prefix(MARK)?.to_owned(), judgement.hash.clone())))
            .collect()
    }

    fn hash_in_log(&mut self) -> Option<String> {
        let entries = self.log().into_iter().rev();
        let mut events = entries.filter_map(|logged| serde_json::from_str::<Entry>(&logged.text).ok());
        events.find_map(|entry| match entry.event {
            Event::Proposed { found, .. } => Some(found),
            _ => None,
        })
    }
}

/// Whether a key of the table of judgements is one of these.
pub(super) fn is_proposed(key: &str) -> bool {
    key.starts_with(MARK)
}

fn hash_of_proposed(hashes: &BTreeMap<String, String>) -> String {
    hash_of(json(hashes).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        class::header::Header,
        sample::{failed, passed},
    };

    #[test]
    fn what_was_proposed_last_is_there_until_it_is_forgotten_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let mut store = Store::create(folder.path(), &header).unwrap();
        store.keep_judgement("k1", &passed(), true).unwrap();
        store.propose([("k1", &failed()), ("k2", &failed())].into_iter()).unwrap();
        store.propose([("k1", &failed())].into_iter()).unwrap();
        drop(store);
        let (mut store, _) = Store::open(folder.path()).unwrap();
        assert_eq!(store.proposed(), Proposed::from([("k1".to_owned(), failed())]));
        assert_eq!(store.report("k1"), Some(passed()), "what counts stays");
        let other = tempfile::tempdir().unwrap();
        let mut taker = Store::create(other.path(), &header).unwrap();
        assert_eq!(taker.take_from(&store).unwrap(), 1, "what only was proposed is no judgement");
        // What the log does not know.
        store.keep_judgement(&format!("{MARK}k3"), &passed(), true).unwrap();
        assert_eq!(store.proposed(), Proposed::new());
        store.forget_proposed().unwrap();
        assert_eq!((store.proposed(), store.report("k1")), (Proposed::new(), Some(passed())));
    }
}
