//! Clusters: which blocks make one, and the shared memory that they have together.
//!
//! # Addresses
//!
//! The upper 8 bits of an address of shared memory (the distance from the window's start) say whose it is: 0 the accessing
//! block's own, n + 1 that of the block of rank n. `mapa` makes the latter, for the own rank the former. So an access to its
//! own shared memory is what it is without clusters, and only one that falls in no variable is looked at twice. A
//! pointer that a block made to its own memory names the reader's memory in another block, as `.shared::cta` addresses do.
//!
//! # Who holds it
//!
//! Each block holds its own shared memory. While one block of a cluster has its turn, those of the others are lent to
//! [`GlobalMemory`](super::GlobalMemory), where it can reach them.

use std::sync::Arc;

use super::{asynchronous::Copies, shared::SharedMemory};

/// Bits of an address of shared memory within one block's.
const PEER_BITS: u32 = 24;

/// Bytes of addresses that the shared memory of one block of a cluster may take.
pub const PEER_BYTES: u32 = 1 << PEER_BITS;

/// The last owner that an address in the window can name: nobody.
const NOBODYS: u32 = 15;

/// How the grid is divided into clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Blocks of the grid in x, y, z.
    pub grid: [u32; 3],
    /// Blocks of a cluster, of which the grid is a multiple.
    pub cluster: [u32; 3],
}

impl Tiling {
    /// Clusters of so many blocks.
    pub fn new(grid: [u32; 3], cluster: [u32; 3]) -> Tiling {
        Tiling { grid, cluster }
    }

    /// Blocks of a cluster.
    pub fn blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// The coordinates of a block.
    pub fn block_index(&self, block: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [block % x, block / x % y, block / x / y]
    }

    /// A block's rank in its cluster, x fastest.
    pub fn rank(&self, block: u32) -> u32 {
        let at = self.block_index(block);
        let [x, y, z] = std::array::from_fn(|axis| at[axis] % self.cluster[axis]);
        x + self.cluster[0] * (y + self.cluster[1] * z)
    }

    /// The number of a block's cluster, x fastest.
    pub fn cluster_of(&self, block: u32) -> u32 {
        let at = self.block_index(block);
        let [x, y, z] = std::array::from_fn(|axis| at[axis] / self.cluster[axis]);
        x + self.grid[0] / self.cluster[0] * (y + self.grid[1] / self.cluster[1] * z)
    }

    /// The block of a rank in a cluster.
    pub fn block(&self, cluster: u32, rank: u32) -> u32 {
        let [across, down] = [self.grid[0] / self.cluster[0], self.grid[1] / self.cluster[1]];
        let tile = [cluster % across, cluster / across % down, cluster / across / down];
        let within = [
            rank % self.cluster[0],
            rank / self.cluster[0] % self.cluster[1],
            rank / self.cluster[0] / self.cluster[1],
        ];
        let [x, y, z] = std::array::from_fn(|axis| tile[axis] * self.cluster[axis] + within[axis]);
        x + self.grid[0] * (y + self.grid[1] * z)
    }

    /// The block that starts as the `nth`: cluster by cluster.
    pub fn nth(&self, nth: u32) -> u32 {
        match self.blocks() {
            1 => nth,
            blocks => self.block(nth / blocks, nth % blocks),
        }
    }

    /// Where an address of shared memory, as `block` sees it, lies in that of the block of a rank.
    pub fn in_memory_of(&self, block: u32, rank: u32, offset: u32) -> u32 {
        let owner = if rank == self.rank(block) { 0 } else { rank.min(NOBODYS - 1) + 1 };
        owner << PEER_BITS | offset & (PEER_BYTES - 1)
    }

    /// The rank of the block whose shared memory an address lies in, as `block` sees it.
    pub fn rank_at(&self, block: u32, offset: u32) -> u32 {
        owner(offset).unwrap_or_else(|| self.rank(block))
    }

    /// Whether an address of shared memory lies in the block's own.
    pub fn is_own(&self, block: u32, offset: u32) -> bool {
        owner(offset).is_none_or(|rank| rank == self.rank(block))
    }
}

/// The rank that an address of shared memory names; none for the accessing block's own.
pub(super) fn owner(offset: u32) -> Option<u32> {
    (offset >> PEER_BITS).checked_sub(1)
}

/// Where in its owner's memory it lies.
pub fn within(offset: u32) -> u32 {
    offset & (PEER_BYTES - 1)
}

/// The shared memories of the blocks of a cluster, by rank, while one of them has its turn.
#[derive(Debug, Default)]
pub struct Peers(Vec<Peer>);

/// One of them.
#[derive(Debug)]
pub(super) struct Peer {
    /// Something that stands for it, where it is not lent: the running block's own.
    pub(super) memory: SharedMemory,
    /// The asynchronous copies into it.
    pub(super) copies: Copies,
    /// All threads of its block have left the kernel.
    pub(super) has_left: bool,
}

impl Clone for Peers {
    /// Nobody has a turn where memory is copied.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Peers {
    /// The one of that rank.
    pub(super) fn peer(&mut self, rank: u32) -> &mut Peer {
        let rank = rank as usize;
        if self.0.len() <= rank {
            let empty = || Peer {
                memory: SharedMemory::new(Arc::default()),
                copies: Copies::default(),
                has_left: false,
            };
            self.0.resize_with(rank + 1, empty);
        }
        &mut self.0[rank]
    }

    /// The same to look at, if it is lent.
    pub(super) fn look(&self, rank: u32) -> Option<&SharedMemory> {
        self.0.get(rank as usize).map(|peer| &peer.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::Tiling;

    #[test]
    fn every_block_has_its_place_in_a_cluster() {
        let tiling = Tiling::new([4, 6, 2], [2, 3, 1]);
        assert_eq!(tiling.blocks(), 6);
        let mut seen = Vec::new();
        for cluster in 0..8 {
            for rank in 0..6 {
                let block = tiling.block(cluster, rank);
                assert_eq!((tiling.cluster_of(block), tiling.rank(block)), (cluster, rank));
                assert_eq!(tiling.nth(6 * cluster + rank), block);
                seen.push(block);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..48).collect::<Vec<_>>());
        // (3, 4, 1): the second in x and y of its cluster.
        let block = 3 + 4 * (4 + 6);
        assert_eq!((tiling.rank(block), tiling.cluster_of(block)), (1 + 2, 1 + 2 * (1 + 2)));
    }

    #[test]
    fn an_address_names_its_owner() {
        let tiling = Tiling::new([4, 1, 1], [4, 1, 1]);
        let theirs = tiling.in_memory_of(1, 3, 0x40);
        assert_eq!((tiling.rank_at(1, theirs), tiling.is_own(1, theirs)), (3, false));
        assert!(tiling.is_own(3, theirs), "a pointer that was handed over");
        assert_eq!(tiling.in_memory_of(1, 1, 0x40), 0x40);
        assert_eq!((tiling.rank_at(1, 0x40), tiling.is_own(1, 0x40)), (1, true));
        // Mapped once more, and to nobody.
        assert_eq!(tiling.in_memory_of(1, 2, theirs), tiling.in_memory_of(1, 2, 0x40));
        assert!(!tiling.is_own(1, tiling.in_memory_of(1, u32::MAX, 0x40)));
    }
}
