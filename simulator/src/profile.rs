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
