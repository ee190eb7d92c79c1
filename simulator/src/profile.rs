//! The GPUs that the simulator can stand in for: limits that decide residency and what a launch may ask for.
//!
//! Figures: CUDA C++ Programming Guide 13.0, "Compute Capabilities", and each GPU's published multiprocessor count.

use serde::Serialize;

/// The limits of one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The name used in `sim:NAME`.
    pub name: &'static str,
    /// Compute capability × 10, e.g. 90.
    pub compute_capability: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Most resident threads per multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Most resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// 32-bit registers per multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Shared memory per multiprocessor in bytes.
    pub shared_per_multiprocessor: u32,
    /// Shared memory per block without opting in, in bytes.
    pub shared_per_block: u32,
    /// Shared memory per block with the opt-in, in bytes.
    pub shared_per_block_optin: u32,
    /// Shared memory that the system keeps per block, in bytes.
    pub shared_reserved_per_block: u32,
}

impl Profile {
    /// NVIDIA H200 (compute capability 9.0).
    pub const H200: Profile = Profile {
        name: "h200",
        compute_capability: 90,
        multiprocessors: 132,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 228 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 227 * 1024,
        shared_reserved_per_block: 1024,
    };

    /// NVIDIA A100 (compute capability 8.0).
    pub const A100: Profile = Profile {
        name: "a100",
        compute_capability: 80,
        multiprocessors: 108,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 164 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 163 * 1024,
        shared_reserved_per_block: 1024,
    };

    /// NVIDIA GeForce RTX 4090 (compute capability 8.9).
    pub const RTX4090: Profile = Profile {
        name: "rtx4090",
        compute_capability: 89,
        multiprocessors: 128,
        threads_per_multiprocessor: 1536,
        blocks_per_multiprocessor: 24,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 100 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 99 * 1024,
        shared_reserved_per_block: 1024,
    };

    /// NVIDIA Tesla T4 (compute capability 7.5).
    pub const T4: Profile = Profile {
        name: "t4",
        compute_capability: 75,
        multiprocessors: 40,
        threads_per_multiprocessor: 1024,
        blocks_per_multiprocessor: 16,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 64 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 64 * 1024,
        shared_reserved_per_block: 0,
    };

    /// Every profile, newest first.
    pub const ALL: [&'static Profile; 4] = [&Profile::H200, &Profile::A100, &Profile::RTX4090, &Profile::T4];

    /// The profile of that name.
    pub fn by_name(name: &str) -> Option<&'static Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name == name)
    }

    /// Blocks resident at once on the whole GPU: multiprocessors × occupancy.
    ///
    /// `registers` is the compiler's count per thread, or 0 when unknown, and then registers don't limit. Registers
    /// are handed out per warp in units of 256, shared memory in units of 128 bytes per block (CUDA occupancy
    /// calculator, compute capability 7.5 and up).
    pub fn resident_blocks(&self, threads_per_block: u32, registers: u32, shared_bytes: u32) -> u32 {
        let warps = threads_per_block.div_ceil(32).max(1);
        let by_threads = (self.threads_per_multiprocessor / 32) / warps;
        let shared = shared_bytes + self.shared_reserved_per_block;
        let by_shared =
            self.shared_per_multiprocessor.checked_div(shared.next_multiple_of(128)).unwrap_or(u32::MAX);
        let by_registers = match registers {
            0 => u32::MAX,
            registers => {
                let per_warp = (registers * 32).next_multiple_of(256);
                // Warps are spread over four schedulers, each with a quarter of the registers.
                4 * (self.registers_per_multiprocessor / 4 / per_warp) / warps
            }
        };
        self.multiprocessors * by_threads.min(by_shared).min(by_registers).min(self.blocks_per_multiprocessor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_follows_the_scarcest_resource() {
        let h200 = &Profile::H200;
        assert_eq!(h200.resident_blocks(1024, 0, 0), 132 * 2);
        assert_eq!(h200.resident_blocks(256, 0, 0), 132 * 8);
        assert_eq!(h200.resident_blocks(32, 0, 0), 132 * 32);
        assert_eq!(h200.resident_blocks(256, 64, 0), 132 * 4);
        assert_eq!(h200.resident_blocks(256, 0, 48 * 1024), 132 * 4);
        assert_eq!(h200.resident_blocks(256, 0, 227 * 1024), 132);
        assert_eq!(Profile::RTX4090.resident_blocks(1024, 0, 0), 128);
        assert_eq!(Profile::T4.resident_blocks(1, 0, 64 * 1024), 40);
    }
}
