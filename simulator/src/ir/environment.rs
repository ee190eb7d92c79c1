//! What the machine and the CUDA runtime provide: special registers, functions, and whom a call calls.

use super::{FunctionIndex, Pair};

/// Registers that the machine provides. `x`, `y`, `z` are 0, 1, 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    /// `threadIdx`
    Tid(u8),
    /// `blockDim`
    Ntid(u8),
    /// `blockIdx`
    Ctaid(u8),
    /// `gridDim`
    Nctaid(u8),
    /// Lane in the warp.
    LaneId,
    /// Warp in the block.
    WarpId,
    /// Warps that fit the multiprocessor.
    NWarpId,
    /// Multiprocessor.
    SmId,
    /// Multiprocessors.
    NSmId,
    /// The grid's number (64-bit form exists).
    GridId,
    /// Lanes equal to this one.
    LaneMaskEq,
    /// Lanes below or equal.
    LaneMaskLe,
    /// Lanes below.
    LaneMaskLt,
    /// Lanes above or equal.
    LaneMaskGe,
    /// Lanes above.
    LaneMaskGt,
    /// Low 32 bits of the cycle counter.
    Clock,
    /// High 32 bits of the cycle counter.
    ClockHi,
    /// The cycle counter.
    Clock64,
    /// Nanoseconds.
    GlobalTimer,
    /// Low 32 bits of the nanoseconds.
    GlobalTimerLo,
    /// High 32 bits of the nanoseconds.
    GlobalTimerHi,
    /// Shared memory of the block, static and dynamic, in bytes.
    TotalSharedSize,
    /// Dynamic shared memory of the block in bytes.
    DynamicSharedSize,
    /// All shared memory used, reserved included, in bytes.
    AggregateSharedSize,
    /// Block in its cluster.
    ClusterCtaid(u8),
    /// Blocks of a cluster.
    ClusterNctaid(u8),
    /// Cluster in the grid.
    ClusterId(u8),
    /// Clusters in the grid.
    NClusterId(u8),
    /// Linear rank of the block in its cluster.
    ClusterCtaRank,
    /// Blocks of a cluster.
    ClusterNctaRank,
    /// Whether the launch or the kernel says how many (1 or 0; a predicate in PTX).
    IsExplicitCluster,
    /// `%envregN`; some hold cooperative-grid addresses.
    Environment(u8),
}

impl SpecialRegister {
    /// True if it tells the time.
    pub fn is_clock(self) -> bool {
        use SpecialRegister as R;
        matches!(
            self,
            R::Clock | R::ClockHi | R::Clock64 | R::GlobalTimer | R::GlobalTimerLo | R::GlobalTimerHi
        )
    }
}

/// Functions that the CUDA runtime provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `vprintf(format: u64, arguments: u64) -> i32`
    Vprintf,
    /// `malloc(bytes: u64) -> u64`
    Malloc,
    /// `free(pointer: u64)`
    Free,
    /// `__assertfail(message: u64, file: u64, line: u32, function: u64, char_size: u64)`
    AssertFail,
    /// `cudaCGGetIntrinsicHandle(scope: u32) -> u64`: the grid's workspace, for a grid barrier.
    CooperativeHandle,
    /// `cudaCGSynchronize(handle: u64, flags: u32) -> u32`
    CooperativeSynchronize,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program.
    Function(FunctionIndex),
    /// The function whose address ([`Program::function_at`]) the pair holds, lane by lane.
    Indirect(Pair),
    /// A function of the runtime.
    Builtin(Builtin),
}
