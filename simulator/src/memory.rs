//! Memory as the kernel sees it: address spaces, bounds, alignment, initialisation, order and traffic.
//!
//! [`GlobalMemory`] outlives launches and holds what every block can reach; [`BlockMemory`] is one running
//! block's shared and local memory, its clocks and, when blocks run in parallel, its private overlay of
//! global memory. The executor hands in one warp-wide [`Access`] at a time and says when threads synchronise;
//! everything that is wrong ends in [`crate::findings::Findings`]. This floor knows sites (numbers), never
//! source lines, registers or instructions.
//!
//! # Addresses
//!
//! Generic addresses are 64 bits wide. Every global allocation, module variable and constant bank entry lives
//! in its own slot of 16 GiB, 4 GiB after the slot's start, so that an index that runs past either end can't
//! reach a neighbour. Slot 0 belongs to no allocation: it holds the null page, the shared window and the
//! local window. `cvta.shared` adds [`SHARED_WINDOW`]; `cvta.local` adds [`LOCAL_WINDOW`] and a place of the thread's own in that
//! window; `cvta.global`, `cvta.const` and `cvta.param` change nothing.

mod asynchronous;
pub mod atomic;
pub mod block;
mod bulk;
mod cells;
mod changers;
mod clock;
mod cluster;
mod data;
mod deferred;
mod first_touches;
mod flags;
pub mod global;
mod knowledge;
pub mod layout;
mod local;
pub mod mbarrier;
mod order;
mod overlay;
mod partial;
mod pattern;
mod publish;
mod report;
mod resolve;
mod shadow;
mod shared;
mod speculation;
mod summary;
mod tile;
mod time;
mod touched;
mod touchers;
pub mod traffic;
pub mod worst;
mod written;

pub use block::{BlockMemory, Brought, BulkCopy};
pub use bulk::Beginner;
pub use cluster::{PEER_BYTES, Peers, Tiling, within};
pub use global::{Global, GlobalMemory};
pub use layout::{SharedLayout, SharedVariable};
pub(crate) use local::LOCAL_LIMIT;
pub use partial::Passed;
pub use pattern::{Patterns, Tag};
pub use speculation::{Racing, Replay};
pub use summary::Summary;
pub use tile::{GlobalSide, Tile};
pub use touched::Touched;
pub use traffic::Traffic;
pub use worst::{ConflictingRequest, WorstRequests};
pub use written::Written;

use crate::ir::{AddressSpace, Order, Scope};

/// Where the shared window begins in the generic address space.
pub const SHARED_WINDOW: u64 = 0x1_0000_0000;
/// Where the local window begins in the generic address space. On a GPU all threads see their own memory at its start; here each
/// has a place of its own in it, so that an address tells whose it is.
pub const LOCAL_WINDOW: u64 = 0x2_0000_0000;
/// Bytes in the shared window.
pub const WINDOW_BYTES: u64 = 0x1000_0000;
/// Bytes in the local window.
pub const LOCAL_WINDOW_BYTES: u64 = 0x1_0000_0000;
// Room for the cluster's own and for one of every rank.
const _: () = assert!(16 * PEER_BYTES as u64 == WINDOW_BYTES);
/// Addresses below this are called null pointers, not stray ones.
pub const NULL_PAGE: u64 = 0x1_0000;

/// Which instruction did it: an index that the caller can turn into a source place. At most [`Site::LIMIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(pub u32);

impl Site {
    /// Sites from here on are remembered as this one: race shadows keep 22 bits of them.
    pub const LIMIT: u32 = (1 << 22) - 2;
}

/// One memory instruction of one warp.
#[derive(Clone, Debug)]
pub struct Access {
    /// The space that the instruction names. Constants and parameters are at the addresses that
    /// [`GlobalMemory::allocate_in`] gave them.
    pub space: AddressSpace,
    /// Each lane's address; ignored for lanes not in `mask`.
    pub addresses: [u64; 32],
    /// The lanes that take part.
    pub mask: u32,
    /// Bytes per lane, all elements of a vector together: 1, 2, 4, 8 or 16. Also the alignment required.
    pub bytes: u8,
    /// Memory order. Atomics are at least relaxed, whatever this says.
    pub order: Order,
    /// Scope of a strong access.
    pub scope: Scope,
    /// The instruction.
    pub site: Site,
    /// The warp's index in its block.
    pub warp: u16,
}

/// What the lanes load or store: up to four 32-bit words each, and which of them derive
/// from memory never written.
///
/// Word `j` holds bytes `4j..4j + 4` of each lane's value, little-endian; 1- and 2-byte values are in the low
/// bits of word 0, zero-extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneWords {
    /// Words by position, then lane.
    pub words: [[u32; 32]; 4],
    /// Per word, the lanes in whose value some bit is undefined.
    pub poison: [u32; 4],
    /// Which bits those are, by word and lane; without it all of them. Only what `poison` names counts.
    pub bits: Option<Box<[[u32; 32]; 4]>>,
}

impl LaneWords {
    /// All zero, all defined.
    pub const ZERO: Self = Self { words: [[0; 32]; 4], poison: [0; 4], bits: None };

    /// The undefined bits of a word in one lane.
    pub fn undefined(&self, word: usize, lane: usize) -> u32 {
        match &self.bits {
            _ if self.poison[word] >> lane & 1 == 0 => 0,
            None => u32::MAX,
            Some(bits) => bits[word][lane],
        }
    }

    /// Says which bits of a word are undefined in one lane.
    #[cold]
    pub fn set_undefined(&mut self, word: usize, lane: usize, bits: u32) {
        let bit = 1 << lane;
        if bits == 0 {
            self.poison[word] &= !bit;
            return;
        }
        self.poison[word] |= bit;
        self.bits.get_or_insert_with(|| Box::new([[u32::MAX; 32]; 4]))[word][lane] = bits;
    }

    /// Puts the first bytes of one lane of another value in at byte `at`, a multiple of their number.
    pub(crate) fn put_part(&mut self, lane: usize, at: u32, part: &LaneWords, bytes: u8) {
        let (word, shift) = (at as usize / 4, 8 * (at % 4));
        for index in 0..usize::from(bytes).div_ceil(4) {
            let covered = if bytes >= 4 { u32::MAX } else { ((1 << (8 * bytes)) - 1) << shift };
            let held = &mut self.words[word + index][lane];
            *held = *held & !covered | part.words[index][lane] << shift;
            let undefined = part.undefined(index, lane) << shift;
            let known = self.undefined(word + index, lane);
            if known | undefined != 0 {
                self.set_undefined(word + index, lane, known & !covered | undefined);
            }
        }
    }

    /// Bytes from `at` on of one lane, as a value of their own; `at` is a multiple of their number.
    pub(crate) fn part(&self, lane: usize, at: u32, bytes: u8) -> LaneWords {
        let (word, shift) = (at as usize / 4, 8 * (at % 4));
        let mut part = LaneWords::ZERO;
        for index in 0..usize::from(bytes).div_ceil(4) {
            let covered = if bytes >= 4 { u32::MAX } else { (1 << (8 * bytes)) - 1 };
            part.words[index][lane] = self.words[word + index][lane] >> shift & covered;
            let undefined = self.undefined(word + index, lane) >> shift & covered;
            if undefined != 0 {
                part.set_undefined(index, lane, undefined);
            }
        }
        part
    }

    /// The undefined bits of one lane's first eight bytes.
    pub fn undefined_pair(&self, lane: usize) -> u64 {
        u64::from(self.undefined(0, lane)) | u64::from(self.undefined(1, lane)) << 32
    }

    /// One lane's first eight bytes.
    pub fn pair(&self, lane: usize) -> u64 {
        u64::from(self.words[0][lane]) | u64::from(self.words[1][lane]) << 32
    }

    /// Sets one lane's first eight bytes.
    pub fn set_pair(&mut self, lane: usize, value: u64) {
        self.words[0][lane] = value as u32;
        self.words[1][lane] = (value >> 32) as u32;
    }

    /// Lanes with any undefined word among the first `bytes` bytes.
    pub fn poisoned(&self, bytes: u8) -> u32 {
        let words = usize::from(bytes).div_ceil(4);
        self.poison[..words].iter().fold(0, |all, lanes| all | lanes)
    }
}

impl Default for LaneWords {
    fn default() -> Self {
        Self::ZERO
    }
}

/// What an access did besides moving data. Findings are in the block's collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Lanes whose access was not carried out: out of bounds, misaligned, or a write to read-only memory. As
    /// on the hardware any such lane ends the whole launch.
    pub faulted: u32,
    /// What it cost.
    pub traffic: Traffic,
}

/// The set lanes of a mask, lowest first.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

impl Order {
    /// True if a read of this order also acquires.
    pub(crate) fn is_acquire(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease)
    }

    /// True if a write of this order also releases.
    pub(crate) fn is_release(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease)
    }
}

#[cfg(test)]
mod tests;
