//! What judging a class took: the processor time of the workers, and of the kernel that took most of it.

use std::path::Path;

use harness::worker::Spent;
use serde::{Deserialize, Serialize};

use super::{
    log::{Entry, Event},
    store::Store,
};
use crate::exit::Result;

/// What a scoring took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// All kernels together.
    pub workers: Spent,
    /// The kernel that took most; none where none was judged.
    pub most: Option<Most>,
}

/// A kernel that took more than any other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Most {
    /// Its exercise's id.
    pub exercise: String,
    /// The hash of its text.
    pub kernel: String,
    /// Processor seconds.
    pub seconds: f64,
}

impl Took {
    /// Adds what judging one kernel took.
    pub fn add(&mut self, exercise: &str, kernel: &str, spent: Spent) {
        self.workers += spent;
        let seconds = spent.total();
        if self.most.as_ref().is_none_or(|most| most.seconds < seconds) {
            self.most = Some(Most { exercise: exercise.to_owned(), kernel: kernel.to_owned(), seconds });
        }
    }
}

/// What the last scoring into a folder of results took, by its log.
///
/// # Errors
/// There are no results, or they can't be read.
pub fn of_last(results: &Path) -> Result<Option<Took>> {
    let (mut store, _) = Store::open(results)?;
    let log = store.log();
    let entries = log.iter().rev().filter_map(|logged| serde_json::from_str::<Entry>(&logged.text).ok());
    let ended = entries.map(|entry| entry.event).find_map(|event| match event {
        Event::Ended { took, .. } => Some(took),
        _ => None,
    });
    Ok(ended.flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_laborious_kernel_is_kept_whatever_comes_after_it() {
        let spent = |running| Spent { running, ..Spent::default() };
        let mut took = Took::default();
        for (kernel, running) in [("a", 1.0), ("b", 4.0), ("c", 2.0)] {
            took.add("03-reduction", kernel, spent(running));
        }
        assert_eq!(took.workers, spent(7.0));
        let most = took.most.expect("three kernels");
        assert_eq!((most.kernel.as_str(), most.seconds), ("b", 4.0));
    }
}
