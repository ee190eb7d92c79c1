//! Counters that goals may bound, and the bounds.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use warpsim::Counters;

use crate::report::Bound;

/// The counters that goals may bound. They count what is done, whichever instruction does it: an atomic is a load and a store, and a
/// bulk copy reads sectors and writes sectors. Who reads by `atomicOr(p, 0)` has read.
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
    /// Of the block that has most of them.
    BusiestBlockLoadSectors,
    /// What bulk copies bring to shared memory.
    BulkLoadBytes,
    GlobalStoreSectors,
    GlobalAtomicRequests,
    SharedLoadRequests,
    /// Those while asynchronous copies of the same warp are under way.
    SharedLoadRequestsDuringCopies,
    SharedLoadWavefronts,
    /// Asynchronous copies lane by lane are among them.
    SharedStoreRequests,
    SharedStoreWavefronts,
    SharedBankConflicts,
    SharedAtomicRequests,
    /// Shuffles, votes, matches and reductions of a warp.
    ExchangeRequests,
    LocalRequests,
    Barriers,
    DivergentBranches,
}

impl Counter {
    /// Its value in a set of counters.
    pub fn of(self, counters: &Counters) -> u64 {
        let Counters { global_atomic_requests, shared_atomic_requests, shared_atomic_wavefronts, .. } =
            *counters;
        match self {
            Counter::GlobalLoadRequests => counters.global_load_requests + global_atomic_requests,
            Counter::GlobalLoadSectors => {
                counters.global_load_sectors + counters.global_atomic_sectors + counters.bulk_load_sectors
            }
            // Atomics and bulk copies are among these already.
            Counter::BusiestBlockLoadSectors => counters.busiest_block_load_sectors,
            Counter::BulkLoadBytes => counters.bulk_load_bytes,
            // Atomics are among the stores.
            Counter::GlobalStoreSectors => counters.global_store_sectors + counters.bulk_store_sectors,
            Counter::GlobalAtomicRequests => global_atomic_requests,
            Counter::SharedLoadRequests => counters.shared_load_requests + shared_atomic_requests,
            Counter::SharedLoadRequestsDuringCopies => counters.shared_load_requests_during_copies,
            Counter::SharedLoadWavefronts => counters.shared_load_wavefronts + shared_atomic_wavefronts,
            Counter::SharedStoreRequests => counters.shared_store_requests + shared_atomic_requests,
            Counter::SharedStoreWavefronts => counters.shared_store_wavefronts + shared_atomic_wavefronts,
            Counter::SharedBankConflicts => {
                counters.shared_bank_conflicts() + counters.shared_atomic_conflicts()
            }
            Counter::SharedAtomicRequests => shared_atomic_requests,
            Counter::ExchangeRequests => counters.exchange_requests,
            Counter::LocalRequests => counters.local_requests,
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
    /// A bound from below, for work that must not be left out, and where it comes from.
    pub fn at_least(self, least: usize, why: impl Into<String>) -> CounterBound {
        let bound = Bound { least: least as u64, most: u64::MAX, why: why.into() };
        CounterBound { counter: self, bound }
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
