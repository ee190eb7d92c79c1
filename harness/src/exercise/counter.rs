//! Counters that goals may bound, and the bounds.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use warpsim::Counters;

use crate::report::Bound;

/// The counters that goals may bound.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)]
pub enum Counter {
    #[default]
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
        self.into()
    }
    /// A bound from above, and where it comes from.
    pub fn at_most(self, most: usize, why: impl Into<String>) -> CounterBound {
        self.within(0, most, why)
    }
    /// What it must be, and where the number comes from.
    pub fn exactly(self, value: usize, why: impl Into<String>) -> CounterBound {
        self.within(value, value, why)
    }
    /// Bounds from both sides, and where they come from.
    pub fn within(self, least: usize, most: usize, why: impl Into<String>) -> CounterBound {
        let bound = Bound { least: least as u64, most: most as u64, why: why.into() };
        CounterBound { counter: self, bound }
    }
}

/// What one counter must be, summed over the launches of a case's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterBound {
    /// Which counter.
    pub counter: Counter,
    /// Its bounds.
    pub bound: Bound,
}
