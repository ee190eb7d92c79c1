//! Exact counts of what a launch did, per kernel and per source line.

use serde::{Deserialize, Serialize};

use crate::source::Place;

/// Counts over one launch (or one source line). Everything counts warp-level events unless it says otherwise.
///
/// A *request* is one warp-level memory instruction with at least one active lane. A *sector* is 32 bytes of
/// global memory. A *wavefront* is one pass over the 32 four-byte banks of shared memory; *ideal* wavefronts
/// are what the same request would take with no two different words in one bank (1 for up to 128 distinct
/// bytes, 2 for 64-bit and 4 for 128-bit accesses of a full warp).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Counters {
    /// Warp-level PTX instructions issued. PTX's, never the hardware's.
    pub ptx_instructions: u64,
    /// Active lanes summed over all issued instructions; at most 32 × `ptx_instructions`.
    pub active_lanes: u64,
    /// Floating-point operations, summed over the lanes: 1 for an addition, subtraction,
    /// multiplication, division, root or approximated function of any width, 2 for a fused
    /// multiply-add, twice that for packed halves.
    pub floating_point_operations: u64,
    /// Operations of products of matrices (`mma`, `wmma`), of whatever numbers: 2 for every product that is added to a
    /// sum. They are not among the floating-point operations: tensor cores have a roof of their own.
    #[serde(default, skip_serializing_if = "is_none")]
    pub matrix_operations: u64,
    /// Conditional branches whose lanes disagreed.
    pub divergent_branches: u64,
    /// Block-wide barriers executed, counted per warp.
    pub barriers: u64,
    /// Global load requests. An asynchronous copy (`cp.async`) is one of these and a shared store request.
    pub global_load_requests: u64,
    /// Sectors moved by global loads.
    pub global_load_sectors: u64,
    /// Sectors moved by global loads, atomics and bulk copies to shared memory of the block that moved most of them: how
    /// evenly the blocks share the work. Of a launch; a source line has none.
    pub busiest_block_load_sectors: u64,
    /// Bytes that the lanes of global loads asked for, each for itself.
    pub global_load_bytes: u64,
    /// Bytes that bulk copies (`cp.async.bulk`) bring from global to shared memory, those for which zeros come included, and
    /// once for each block that gets them. They are no load requests: threads do not wait for them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub bulk_load_bytes: u64,
    /// Sectors that ncu counts for these copies: more where they do not begin and end with one.
    #[serde(default, skip_serializing_if = "is_none")]
    pub bulk_load_sectors: u64,
    /// Bytes that bulk copies take from shared memory to global memory, those without a place there included.
    #[serde(default, skip_serializing_if = "is_none")]
    pub bulk_store_bytes: u64,
    /// Sectors that ncu counts for these copies: those that have a place there.
    #[serde(default, skip_serializing_if = "is_none")]
    pub bulk_store_sectors: u64,
    /// Global store requests (atomics and reductions count as stores and are also in
    /// `global_atomic_requests`).
    pub global_store_requests: u64,
    /// Sectors moved by global stores and atomics; atomics of lanes with the same
    /// address move theirs in turns.
    pub global_store_sectors: u64,
    /// Bytes that the lanes of global stores and atomics gave, each for itself.
    pub global_store_bytes: u64,
    /// Global atomic and reduction requests.
    pub global_atomic_requests: u64,
    /// Sectors moved by global atomics, which are among those of the stores.
    pub global_atomic_sectors: u64,
    // From here on, of the block's own shared memory: what lanes access in that of other blocks of a cluster passes through a
    // network of its own, and is in no counter.
    /// Shared load requests.
    pub shared_load_requests: u64,
    /// Those of them during which asynchronous copies (`cp.async`) of the same warp were under way: work
    /// that a copy hides behind.
    pub shared_load_requests_during_copies: u64,
    /// Wavefronts taken by shared loads.
    pub shared_load_wavefronts: u64,
    /// Wavefronts that conflict-free shared loads would have taken.
    pub shared_load_ideal_wavefronts: u64,
    /// Shared store requests, asynchronous copies included.
    pub shared_store_requests: u64,
    /// Wavefronts taken by shared stores.
    pub shared_store_wavefronts: u64,
    /// Wavefronts that conflict-free shared stores would have taken.
    pub shared_store_ideal_wavefronts: u64,
    /// Shared atomic requests.
    pub shared_atomic_requests: u64,
    /// Wavefronts taken by shared atomics: lanes that meet in a bank take turns, even at the same word.
    pub shared_atomic_wavefronts: u64,
    /// Wavefronts that shared atomics would have taken if no two lanes had met.
    pub shared_atomic_ideal_wavefronts: u64,
    /// Local-memory load and store requests (spills and indexed arrays).
    pub local_requests: u64,
    /// Requests in which lanes of a warp hand each other values: shuffles, votes, matches, reductions.
    pub exchange_requests: u64,
}

/// Most kernels have none: their reports say nothing of it.
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl std::ops::AddAssign<&Counters> for Counters {
    fn add_assign(&mut self, other: &Counters) {
        let Counters {
            ptx_instructions,
            active_lanes,
            floating_point_operations,
            matrix_operations,
            divergent_branches,
            barriers,
            global_load_requests,
            global_load_sectors,
            busiest_block_load_sectors,
            global_load_bytes,
            bulk_load_bytes,
            bulk_load_sectors,
            bulk_store_bytes,
            bulk_store_sectors,
            global_store_requests,
            global_store_sectors,
            global_store_bytes,
            global_atomic_requests,
            global_atomic_sectors,
            shared_load_requests,
            shared_load_requests_during_copies,
            shared_load_wavefronts,
            shared_load_ideal_wavefronts,
            shared_store_requests,
            shared_store_wavefronts,
            shared_store_ideal_wavefronts,
            shared_atomic_requests,
            shared_atomic_wavefronts,
            shared_atomic_ideal_wavefronts,
            local_requests,
            exchange_requests,
        } = other;
        self.ptx_instructions += ptx_instructions;
        self.active_lanes += active_lanes;
        self.floating_point_operations += floating_point_operations;
        self.matrix_operations += matrix_operations;
        self.divergent_branches += divergent_branches;
        self.barriers += barriers;
        self.global_load_requests += global_load_requests;
        self.global_load_sectors += global_load_sectors;
        self.busiest_block_load_sectors += busiest_block_load_sectors;
        self.global_load_bytes += global_load_bytes;
        self.bulk_load_bytes += bulk_load_bytes;
        self.bulk_load_sectors += bulk_load_sectors;
        self.bulk_store_bytes += bulk_store_bytes;
        self.bulk_store_sectors += bulk_store_sectors;
        self.global_store_requests += global_store_requests;
        self.global_store_sectors += global_store_sectors;
        self.global_store_bytes += global_store_bytes;
        self.global_atomic_requests += global_atomic_requests;
        self.global_atomic_sectors += global_atomic_sectors;
        self.shared_load_requests += shared_load_requests;
        self.shared_load_requests_during_copies += shared_load_requests_during_copies;
        self.shared_load_wavefronts += shared_load_wavefronts;
        self.shared_load_ideal_wavefronts += shared_load_ideal_wavefronts;
        self.shared_store_requests += shared_store_requests;
        self.shared_store_wavefronts += shared_store_wavefronts;
        self.shared_store_ideal_wavefronts += shared_store_ideal_wavefronts;
        self.shared_atomic_requests += shared_atomic_requests;
        self.shared_atomic_wavefronts += shared_atomic_wavefronts;
        self.shared_atomic_ideal_wavefronts += shared_atomic_ideal_wavefronts;
        self.local_requests += local_requests;
        self.exchange_requests += exchange_requests;
    }
}

/// Bytes of a sector.
pub(crate) const SECTOR_BYTES: u64 = 32;

impl Counters {
    /// Bytes that global loads, stores and atomics moved, in whole sectors. What a cache of the
    /// GPU answers is among them.
    pub fn global_bytes_moved(&self) -> u64 {
        SECTOR_BYTES * (self.global_load_sectors + self.global_store_sectors)
    }

    /// Arithmetic intensity: floating-point operations per byte of global memory moved, the x axis of a
    /// roofline. None where nothing was moved.
    pub fn arithmetic_intensity(&self) -> Option<f64> {
        ratio(self.floating_point_operations, self.global_bytes_moved())
    }

    /// SIMT efficiency: the share of the lanes that were active, on average over all issued
    /// PTX instructions, from 0 to
    /// 1. None where nothing was issued.
    pub fn simt_efficiency(&self) -> Option<f64> {
        ratio(self.active_lanes, 32 * self.ptx_instructions)
    }

    /// Wavefronts of shared atomics beyond the ideal: lanes that waited for others at the same bank or word.
    pub fn shared_atomic_conflicts(&self) -> u64 {
        self.shared_atomic_wavefronts - self.shared_atomic_ideal_wavefronts
    }

    /// Bank conflicts: wavefronts beyond the ideal, loads and stores together.
    pub fn shared_bank_conflicts(&self) -> u64 {
        (self.shared_load_wavefronts + self.shared_store_wavefronts)
            - (self.shared_load_ideal_wavefronts + self.shared_store_ideal_wavefronts)
    }
}

fn ratio(of: u64, to: u64) -> Option<f64> {
    (to > 0).then(|| of as f64 / to as f64)
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        *self += &other;
    }
}

/// The counters of one source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LineCounters {
    /// The line (column 0).
    pub place: Place,
    /// Its counts.
    #[serde(flatten)]
    pub counters: Counters,
}

impl LineCounters {
    /// The counts of a line.
    pub fn new(place: Place, counters: Counters) -> LineCounters {
        LineCounters { place, counters }
    }
}
