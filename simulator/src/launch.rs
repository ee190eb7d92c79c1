//! A launch as data, and what it gives back.

use serde::{Deserialize, Serialize};

use crate::{
    counters::{Counters, LineCounters},
    finding::Finding,
    occupancy::Occupancy,
    requests::WorstRequest,
};

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Argument {
    /// A scalar or a struct by value: its little-endian bytes.
    Bytes(Vec<u8>),
    /// The address of memory from `Simulator::allocate`, plus an offset in bytes.
    Pointer {
        /// The allocation's base address.
        base: u64,
        /// Offset in bytes.
        offset: u64,
    },
}

/// A kernel launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Launch {
    /// The entry's name in the PTX.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Registers per thread, as the hardware's assembler counts them for the kernel; with `None`
    /// registers limit nothing.
    pub registers: Option<u32>,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Blocks of a cluster in x, y, z; with `None` those that the kernel was compiled for, or else each block is one by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// A cooperative launch: all blocks must be resident, `grid.sync()` is allowed.
    pub cooperative: bool,
    /// Warp-level instructions after which the launch is stopped as unfinished.
    pub budget: u64,
}

impl Launch {
    /// Warp-level instructions that a launch from [`Launch::new`] may take: some minutes of one core.
    pub const BUDGET: u64 = 10_000_000_000;

    /// A plain launch: no dynamic shared memory, registers not known, not cooperative, with the
    /// budget [`Launch::BUDGET`], in the clusters that the kernel was compiled for.
    pub fn new(kernel: &str, grid: [u32; 3], block: [u32; 3], arguments: Vec<Argument>) -> Launch {
        Launch {
            kernel: kernel.to_owned(),
            grid,
            block,
            dynamic_shared: 0,
            registers: None,
            arguments,
            cluster: None,
            cooperative: false,
            budget: Launch::BUDGET,
        }
    }

    /// The same with as many bytes of dynamic shared memory.
    #[must_use]
    pub fn with_dynamic_shared(self, bytes: u32) -> Launch {
        Launch { dynamic_shared: bytes, ..self }
    }

    /// The same with as many registers per thread; `None`: not known.
    #[must_use]
    pub fn with_registers(self, registers: Option<u32>) -> Launch {
        Launch { registers, ..self }
    }

    /// The same with clusters of so many blocks; `None`: as the kernel was compiled.
    #[must_use]
    pub fn with_cluster(self, cluster: Option<[u32; 3]>) -> Launch {
        Launch { cluster, ..self }
    }

    /// The same as a cooperative launch, or not.
    #[must_use]
    pub fn with_cooperative(self, cooperative: bool) -> Launch {
        Launch { cooperative, ..self }
    }

    /// The same with another budget: warp-level instructions after which it is stopped.
    #[must_use]
    pub fn with_budget(self, budget: u64) -> Launch {
        Launch { budget, ..self }
    }
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchStatus {
    /// Every thread ran to its end.
    Finished,
    /// A fault stopped it: out of bounds, misaligned, trap, assertion, stack overflow.
    Faulted,
    /// A deadlock or the instruction budget stopped it.
    Unfinished,
    /// It needs something that the simulator lacks; the finding names it.
    Unsupported,
}

/// What a launch gave back besides the memory it changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaunchReport {
    /// How it ended.
    pub status: LaunchStatus,
    /// Findings, errors first, then by place.
    pub findings: Vec<Finding>,
    /// Totals.
    pub counters: Counters,
    /// Per source line, in source order.
    pub lines: Vec<LineCounters>,
    /// Of each source line with bank conflicts the request to shared memory with most of them, in source order; empty unless
    /// `Simulator::with_worst_requests` asked for it.
    #[serde(default)]
    pub worst_requests: Vec<WorstRequest>,
    /// What `printf` wrote, in a deterministic order.
    pub printf: String,
    /// How much of a multiprocessor it could use at once, and what limited that.
    pub occupancy: Occupancy,
    /// Blocks resident at once on the profile's whole GPU.
    pub resident_blocks: u32,
    /// Orders of warps and blocks that it was run in ([`crate::Schedules`]).
    pub schedules: u64,
}
