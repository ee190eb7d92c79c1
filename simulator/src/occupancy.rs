//! Occupancy: how many blocks a multiprocessor holds at once, and what keeps it from holding more.
//!
//! The rules are those of the CUDA toolkit's occupancy calculator (`cuda_occupancy.h`) and are held to what
//! `cudaOccupancyMaxActiveBlocksPerMultiprocessor` says on an H200: `tests/occupancy.rs`.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;

/// Registers are handed out to whole warps, in units of this many.
const REGISTER_UNIT: u32 = 256;
/// Parts of a multiprocessor, each with a scheduler and its share of the registers. A
/// warp lives in one of them.
const PARTS: u32 = 4;

/// What there is only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Threads, in whole warps.
    Threads,
    /// Blocks, however small.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

/// What one block of a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockNeeds {
    /// Threads, 1 to 1024.
    pub threads: u32,
    /// Registers of each thread, as the hardware's assembler counts them. `None` where they are not known;
    /// then they limit nothing.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory in bytes, without what the system reserves.
    pub shared_bytes: u32,
}

/// How much of a multiprocessor a kernel can use at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Occupancy {
    /// Blocks that a multiprocessor holds at once; 0 where not even one fits.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// Warps that the multiprocessor could hold.
    pub most_warps: u32,
    /// What allows no more blocks than that; more than one where they run out together.
    pub limited_by: Vec<Resource>,
    /// Registers per thread that this was made from; `None` where they were not known.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory per block in bytes that this was made from.
    pub shared_bytes: u32,
}

impl Occupancy {
    /// Resident warps as a share of those that the multiprocessor could hold, from 0 to 1.
    pub fn share(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps.max(1))
    }
}

impl Profile {
    /// How many blocks that need this a multiprocessor holds.
    pub fn occupancy(&self, block: BlockNeeds) -> Occupancy {
        let warps = block.threads.div_ceil(32).max(1);
        let most_warps = self.threads_per_multiprocessor / 32;
        let shared = u64::from(block.shared_bytes) + u64::from(self.shared_reserved_per_block);
        let shared = shared.next_multiple_of(u64::from(self.shared_unit));
        let by_shared = u64::from(self.shared_per_multiprocessor).checked_div(shared).unwrap_or(u64::MAX);
        let limits = [
            (Resource::Threads, most_warps / warps),
            (Resource::Blocks, self.blocks_per_multiprocessor),
            (Resource::Registers, self.blocks_by_registers(warps, block.registers)),
            (Resource::SharedMemory, u32::try_from(by_shared).unwrap_or(u32::MAX)),
        ];
        let blocks = limits.iter().map(|&(_, most)| most).min().unwrap_or(0);
        Occupancy {
            blocks,
            warps: blocks * warps,
            most_warps,
            limited_by: limits.iter().filter(|&&(_, most)| most == blocks).map(|&(what, _)| what).collect(),
            registers: block.registers,
            shared_bytes: block.shared_bytes,
        }
    }

    fn blocks_by_registers(&self, warps: u32, registers: Option<u32>) -> u32 {
        let Some(registers) = registers.filter(|&registers| registers > 0) else { return u32::MAX };
        let per_warp = registers.saturating_mul(32).next_multiple_of(REGISTER_UNIT);
        // A block's warps are spread over the parts as evenly as possible, and the largest share has to fit.
        if per_warp.saturating_mul(warps.next_multiple_of(PARTS)) > self.registers_per_multiprocessor {
            return 0;
        }
        PARTS * (self.registers_per_multiprocessor / PARTS / per_warp) / warps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupancy(profile: &Profile, threads: u32, registers: u32, shared_bytes: u32) -> (u32, Vec<Resource>) {
        let registers = (registers > 0).then_some(registers);
        let occupancy = profile.occupancy(BlockNeeds { threads, registers, shared_bytes });
        (occupancy.blocks, occupancy.limited_by)
    }

    #[test]
    fn the_scarcest_resource_limits_and_is_named() {
        use Resource::{Blocks, Registers, SharedMemory, Threads};
        let h200 = &Profile::H200;
        assert_eq!(occupancy(h200, 1024, 0, 0), (2, vec![Threads]));
        assert_eq!(occupancy(h200, 32, 0, 0), (32, vec![Blocks]));
        assert_eq!(occupancy(h200, 64, 0, 0), (32, vec![Threads, Blocks]));
        assert_eq!(occupancy(h200, 256, 64, 0), (4, vec![Registers]));
        assert_eq!(occupancy(h200, 256, 0, 48 * 1024), (4, vec![SharedMemory]));
        assert_eq!(occupancy(h200, 256, 0, 227 * 1024), (1, vec![SharedMemory]));
        assert_eq!(occupancy(h200, 1024, 65, 0), (0, vec![Registers]));
        assert_eq!(occupancy(&Profile::RTX4090, 1024, 0, 0), (1, vec![Threads]));
        assert_eq!(occupancy(&Profile::T4, 1, 0, 64 * 1024), (1, vec![SharedMemory]));
    }

    #[test]
    fn shared_memory_is_handed_out_in_units() {
        // 64 KiB hold 12 blocks of 5376 bytes; one byte more takes a unit more.
        assert_eq!(occupancy(&Profile::T4, 32, 0, 5376).0, 12);
        assert_eq!(occupancy(&Profile::T4, 32, 0, 5377).0, 11);
        assert_eq!(occupancy(&Profile::A100, 32, 0, 41 * 1024 - 1024).0, 4);
        assert_eq!(occupancy(&Profile::A100, 32, 0, 41 * 1024 - 1023).0, 3);
    }

    #[test]
    fn the_share_counts_warps() {
        let needs = BlockNeeds { threads: 96, registers: Some(40), shared_bytes: 0 };
        let occupancy = Profile::H200.occupancy(needs);
        assert_eq!((occupancy.blocks, occupancy.warps, occupancy.most_warps), (16, 48, 64));
        assert_eq!(occupancy.share(), 0.75);
    }
}
