//! The GPUs that the simulator can stand in for: limits that decide residency and what a launch may ask for.
//!
//! Figures: CUDA C++ Programming Guide 13.0, "Compute Capabilities", and each GPU's
//! published multiprocessor count. Rates: each GPU's data sheet. Device memory is what `nvidia-smi` says (A100: the larger model).

use serde::Serialize;

/// The limits of one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Profile {
    /// The name used in `sim:NAME`.
    pub name: &'static str,
    /// Compute capability × 10, e.g. 90.
    pub compute_capability: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
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
    /// Shared memory is handed out to blocks in units of this many bytes.
    pub shared_unit: u32,
    /// What device memory gives at most, in gigabytes (10⁹) per second.
    pub memory_gigabytes_per_second: u32,
    /// What its cores do at most, in 10⁹ single-precision operations per second, a fused multiply-add counted as two.
    pub fp32_gigaflops: u32,
}

/// Makes each profile a constant and lists them all: a GPU is added here and nowhere else.
macro_rules! profiles {
    ($($(#[$doc:meta])* $constant:ident = $profile:expr;)+) => {
        impl Profile {
            $($(#[$doc])* pub const $constant: Profile = $profile;)+

            /// Every profile, newest first.
            pub const ALL: &'static [&'static Profile] = &[$(&Profile::$constant),+];
        }
    };
}

profiles! {
    /// NVIDIA H200 (compute capability 9.0).
    H200 = Profile {
        name: "h200",
        compute_capability: 90,
        multiprocessors: 132,
        memory_bytes: 143_771 << 20,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 228 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 227 * 1024,
        shared_reserved_per_block: 1024,
        shared_unit: 128,
        memory_gigabytes_per_second: 4800,
        fp32_gigaflops: 66_900,
    };

    /// NVIDIA A100 (compute capability 8.0).
    A100 = Profile {
        name: "a100",
        compute_capability: 80,
        multiprocessors: 108,
        memory_bytes: 81_920 << 20,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 164 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 163 * 1024,
        shared_reserved_per_block: 1024,
        shared_unit: 128,
        memory_gigabytes_per_second: 2039,
        fp32_gigaflops: 19_500,
    };

    /// NVIDIA GeForce RTX 4090 (compute capability 8.9).
    RTX4090 = Profile {
        name: "rtx4090",
        compute_capability: 89,
        multiprocessors: 128,
        memory_bytes: 24_564 << 20,
        threads_per_multiprocessor: 1536,
        blocks_per_multiprocessor: 24,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 100 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 99 * 1024,
        shared_reserved_per_block: 1024,
        shared_unit: 128,
        memory_gigabytes_per_second: 1008,
        fp32_gigaflops: 82_600,
    };

    /// NVIDIA Tesla T4 (compute capability 7.5).
    T4 = Profile {
        name: "t4",
        compute_capability: 75,
        multiprocessors: 40,
        memory_bytes: 15_360 << 20,
        threads_per_multiprocessor: 1024,
        blocks_per_multiprocessor: 16,
        registers_per_multiprocessor: 65_536,
        shared_per_multiprocessor: 64 * 1024,
        shared_per_block: 48 * 1024,
        shared_per_block_optin: 64 * 1024,
        shared_reserved_per_block: 0,
        shared_unit: 256,
        memory_gigabytes_per_second: 320,
        fp32_gigaflops: 8100,
    };
}

impl Profile {
    /// The profile of that name.
    pub fn by_name(name: &str) -> Option<&'static Profile> {
        Profile::ALL.iter().copied().find(|profile| profile.name == name)
    }
}
