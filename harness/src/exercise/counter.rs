//! Counters that goals may bound, and the bounds.

use serde::{Deserialize, Serialize};
use warpsim::Counters;

/// The counters that goals may bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Counter {
    GlobalLoadRequests,
    GlobalLoadSectors,
    GlobalStoreSectors,
    GlobalAtomicRequests,
    SharedLoadRequests,
    SharedLoadWavefronts,
    SharedStoreWavefronts,
    SharedBankConflicts,
    Barriers,
    DivergentBranches,
}

impl Counter {
    /// Its value in a set of counters.
    pub fn of(self, counters: &Counters) -> u64 {
        match self {
            Counter::GlobalLoadRequests => counters.global_load_requests,
            Counter::GlobalLoadSectors => counters.global_load_sectors,
            Counter::GlobalStoreSectors => counters.global_store_sectors,
            Counter::GlobalAtomicRequests => counters.global_atomic_requests,
            Counter::SharedLoadRequests => counters.shared_load_requests,
            Counter::SharedLoadWavefronts => counters.shared_load_wavefronts,
            Counter::SharedStoreWavefronts => counters.shared_store_wavefronts,
            Counter::SharedBankConflicts => counters.shared_bank_conflicts(),
            Counter::Barriers => counters.barriers,
            Counter::DivergentBranches => counters.divergent_branches,
        }
    }
    /// Its name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Counter::GlobalLoadRequests => "global_load_requests",
            Counter::GlobalLoadSectors => "global_load_sectors",
            Counter::GlobalStoreSectors => "global_store_sectors",
            Counter::GlobalAtomicRequests => "global_atomic_requests",
            Counter::SharedLoadRequests => "shared_load_requests",
            Counter::SharedLoadWavefronts => "shared_load_wavefronts",
            Counter::SharedStoreWavefronts => "shared_store_wavefronts",
            Counter::SharedBankConflicts => "shared_bank_conflicts",
            Counter::Barriers => "barriers",
            Counter::DivergentBranches => "divergent_branches",
        }
    }
    /// A bound from above, and where it comes from.
    pub fn at_most(self, at_most: usize, why: impl Into<String>) -> CounterBound {
        CounterBound { counter: self, at_least: 0, at_most: at_most as u64, why: why.into() }
    }
    /// What it must be, and where the number comes from.
    pub fn exactly(self, value: usize, why: impl Into<String>) -> CounterBound {
        CounterBound { counter: self, at_least: value as u64, at_most: value as u64, why: why.into() }
    }
}

/// What one counter must be, summed over the launches of a case's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterBound {
    /// Which counter.
    pub counter: Counter,
    /// Least value that passes: 0 for work that is to be saved, more where it must not be left out.
    pub at_least: u64,
    /// Greatest value that passes.
    pub at_most: u64,
    /// Where the number comes from, in one sentence.
    pub why: String,
}
