//! What a GPU would refuse to launch, and why.

use thiserror::Error;

use crate::{
    ir::Function,
    launch::{Argument, Launch},
    memory::LOCAL_LIMIT,
    profile::Profile,
};

/// A launch that a GPU would refuse.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchError {
    /// No kernel of that name.
    #[error("expected a kernel of this module ({}), found `{name}`", list(.kernels))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The kernels that there are.
        kernels: Vec<String>,
    },
    /// Too few or too many arguments.
    #[error("kernel `{kernel}` takes {expected} arguments, found {found}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters it has.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of kernel `{kernel}` takes {expected} bytes, found {found}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// Which argument, from 0.
        index: usize,
        /// Bytes of the parameter.
        expected: u32,
        /// Bytes given.
        found: usize,
    },
    /// An empty grid or block.
    #[error("grid and block need at least 1 in every dimension, found grid {grid:?} and block {block:?}")]
    Empty {
        /// The grid asked for.
        grid: [u32; 3],
        /// The block asked for.
        block: [u32; 3],
    },
    /// More threads than a block may have.
    #[error("a block has at most 1024 threads, 1024 in x and y, 64 in z; found {block:?}")]
    BlockTooBig {
        /// The block asked for.
        block: [u32; 3],
    },
    /// More blocks than a grid may have.
    #[error(
        "a grid has at most 2147483647 blocks in x, 65535 in y and z, and in the simulator 4294967295 in all; found {grid:?}"
    )]
    GridTooBig {
        /// The grid asked for.
        grid: [u32; 3],
    },
    /// The kernel was compiled for blocks of another size.
    #[error("kernel `{kernel}` was compiled for {expected}, found blocks of {found:?}")]
    BlockMismatch {
        /// The kernel.
        kernel: String,
        /// What its launch bounds say.
        expected: String,
        /// The block asked for.
        found: [u32; 3],
    },
    /// More shared memory than a block may have.
    #[error(
        "{profile} gives a block at most {most} bytes of shared memory, found {static_bytes} static + {dynamic_bytes} dynamic"
    )]
    TooMuchSharedMemory {
        /// The profile.
        profile: &'static str,
        /// What a block may have.
        most: u32,
        /// Static bytes of the kernel.
        static_bytes: u32,
        /// Dynamic bytes asked for.
        dynamic_bytes: u32,
    },
    /// More local memory than the GPU has for the threads that it could hold.
    #[error(
        "each thread has {bytes} bytes of local memory (arrays and variables of its own), and {profile} sets that aside for all \
         {threads} threads that it can hold at once, {needed} bytes of its {most}; use smaller arrays, or buffers that the host \
         allocates"
    )]
    TooMuchLocalMemory {
        /// The profile.
        profile: &'static str,
        /// Bytes of a thread, of the kernel and the functions that it calls.
        bytes: u64,
        /// Threads that the GPU can hold at once.
        threads: u64,
        /// Bytes for all of them.
        needed: u64,
        /// Device memory in bytes.
        most: u64,
    },
    /// More registers than a block may have.
    #[error(
        "a block of {threads} threads with {registers} registers each does not fit the {most} registers that {profile} gives a block; use smaller blocks, or `__launch_bounds__({threads})` so that the compiler takes fewer registers"
    )]
    TooManyRegisters {
        /// The profile.
        profile: &'static str,
        /// Registers per thread.
        registers: u32,
        /// Threads per block.
        threads: u32,
        /// What a block may have.
        most: u32,
    },
    /// The PTX needs a newer GPU.
    #[error("the PTX targets compute capability {target}, {profile} has {has}; compile for an older architecture or choose another device", target = capability(*.target), has = capability(*.has))]
    TooNew {
        /// The profile.
        profile: &'static str,
        /// Compute capability × 10 of the PTX.
        target: u32,
        /// Compute capability × 10 of the profile.
        has: u32,
    },
    /// A GPU without clusters.
    #[error("clusters of blocks need compute capability 9.0, {profile} has {has}; launch without clusters or choose another device", has = capability(*.has))]
    NoClusters {
        /// The profile.
        profile: &'static str,
        /// Its compute capability × 10.
        has: u32,
    },
    /// An empty cluster, or more blocks than a cluster may have.
    #[error("a cluster has 1 to {most} blocks; found {cluster:?}")]
    ClusterSize {
        /// Blocks that it may have, on every GPU that has clusters (16 are possible on some, and only on demand).
        most: u32,
        /// The cluster asked for.
        cluster: [u32; 3],
    },
    /// A grid that clusters do not fill.
    #[error(
        "the grid must be a multiple of the cluster in every dimension, found grid {grid:?} and clusters of {cluster:?} blocks"
    )]
    ClusterMismatch {
        /// The grid asked for.
        grid: [u32; 3],
        /// The cluster.
        cluster: [u32; 3],
    },
    /// The kernel was compiled for other clusters.
    #[error("kernel `{kernel}` was compiled for {expected}, found {found}")]
    OtherCluster {
        /// The kernel.
        kernel: String,
        /// What its `__cluster_dims__` or `__launch_bounds__` say.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// Shared memory that clusters can't address.
    #[error(
        "the simulator places {bytes} bytes of shared variables and the gaps between them; with clusters it has room for {most}"
    )]
    ClusterLayout {
        /// Bytes with gaps.
        bytes: u32,
        /// Bytes that there is room for.
        most: u32,
    },
    /// A cooperative grid that can't be resident at once.
    #[error(
        "a cooperative launch needs all its blocks resident at once: {profile} holds {resident}, found {blocks}"
    )]
    CooperativeGridTooBig {
        /// The profile.
        profile: &'static str,
        /// Blocks that fit.
        resident: u32,
        /// Blocks asked for.
        blocks: u64,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "it has none".into() } else { names.join(", ") }
}

fn capability(times_ten: u32) -> String {
    format!("{}.{}", times_ten / 10, times_ten % 10)
}

/// Threads that a block may have at most, on every GPU (CUDA C++ Programming Guide, section "Compute
/// Capabilities").
pub const MOST_THREADS_PER_BLOCK: u64 = 1024;

/// Refuses grids and blocks that no GPU runs, or that the kernel was not compiled for.
pub(crate) fn check_dimensions(launch: &Launch, function: &Function) -> Result<(), LaunchError> {
    let (grid, block) = (launch.grid, launch.block);
    if grid.contains(&0) || block.contains(&0) {
        return Err(LaunchError::Empty { grid, block });
    }
    let threads = volume(block);
    if threads > MOST_THREADS_PER_BLOCK || block[0] > 1024 || block[1] > 1024 || block[2] > 64 {
        return Err(LaunchError::BlockTooBig { block });
    }
    if grid[0] > 0x7fff_ffff || grid[1] > 65_535 || grid[2] > 65_535 || volume(grid) > u64::from(u32::MAX) {
        return Err(LaunchError::GridTooBig { grid });
    }
    let mismatch = |expected: String| LaunchError::BlockMismatch {
        kernel: launch.kernel.clone(),
        expected,
        found: block,
    };
    if let Some(required) = function.required_threads
        && required != block
    {
        return Err(mismatch(format!("blocks of exactly {required:?}")));
    }
    if let Some(most) = function.max_threads {
        let most = volume(most.map(|n| n.max(1)));
        if threads > most {
            return Err(mismatch(format!("at most {most} threads per block")));
        }
    }
    Ok(())
}

/// Blocks that a cluster may have on every GPU that has clusters (CUDA C++ Programming Guide, "Thread Block Clusters").
const MOST_BLOCKS_PER_CLUSTER: u32 = 8;

/// The blocks of a cluster, and whether anybody said how many.
///
/// # Errors
/// No GPU runs it so, or the kernel was compiled for others.
pub(crate) fn cluster_of(
    launch: &Launch,
    function: &Function,
    profile: &Profile,
) -> Result<Option<[u32; 3]>, LaunchError> {
    let other = |expected: String, found: String| LaunchError::OtherCluster {
        kernel: launch.kernel.clone(),
        expected,
        found,
    };
    let said = |cluster: [u32; 3]| format!("clusters of {cluster:?} blocks");
    let cluster = match (launch.cluster, function.required_cluster) {
        (Some(asked), Some(required)) if asked != required => {
            return Err(other(said(required), said(asked)));
        }
        (asked, required) => asked.or(required),
    };
    let Some(cluster) = cluster else {
        if function.needs_cluster {
            return Err(other("a launch with clusters".to_owned(), "one without".to_owned()));
        }
        return Ok(None);
    };
    if profile.compute_capability < 90 {
        return Err(LaunchError::NoClusters { profile: profile.name, has: profile.compute_capability });
    }
    let most = MOST_BLOCKS_PER_CLUSTER;
    if !(1..=u64::from(most)).contains(&volume(cluster)) {
        return Err(LaunchError::ClusterSize { most, cluster });
    }
    if let Some(most) = function.max_cluster
        && volume(cluster) > u64::from(most)
    {
        return Err(other(format!("clusters of at most {most} blocks"), said(cluster)));
    }
    let grid = launch.grid;
    if (0..3).any(|axis| !grid[axis].is_multiple_of(cluster[axis])) {
        return Err(LaunchError::ClusterMismatch { grid, cluster });
    }
    Ok(Some(cluster))
}

/// Blocks of a grid or threads of a block, or more than any GPU takes.
fn volume(extent: [u32; 3]) -> u64 {
    extent.iter().fold(1, |volume: u64, &n| volume.saturating_mul(u64::from(n)))
}

/// Refuses local memory that the device has no room for: it is set aside for as many threads as the GPU can
/// hold, however few are launched (CUDA C++ Programming Guide, "Local Memory" and "Call Stack").
pub(crate) fn check_local_memory(profile: &Profile, bytes: u64) -> Result<(), LaunchError> {
    let threads = u64::from(profile.threads_per_multiprocessor) * u64::from(profile.multiprocessors);
    let (needed, most) = (bytes.saturating_mul(threads), profile.memory_bytes);
    // What no thread may have on any GPU overflows its stack, which is said with the line.
    if needed > most && bytes <= LOCAL_LIMIT.into() {
        return Err(LaunchError::TooMuchLocalMemory { profile: profile.name, bytes, threads, needed, most });
    }
    Ok(())
}

/// The parameter block that the arguments make, in the kernel's own layout.
pub(crate) fn parameter_bytes(launch: &Launch, function: &Function) -> Result<Vec<u8>, LaunchError> {
    let expected = function.parameters.len();
    if launch.arguments.len() != expected {
        let found = launch.arguments.len();
        return Err(LaunchError::ArgumentCount { kernel: launch.kernel.clone(), expected, found });
    }
    let mut bytes = Vec::new();
    for (index, (parameter, argument)) in function.parameters.iter().zip(&launch.arguments).enumerate() {
        let pointer;
        let value = match argument {
            Argument::Bytes(value) => value.as_slice(),
            Argument::Pointer { base, offset } => {
                pointer = base.wrapping_add(*offset).to_le_bytes();
                &pointer[..]
            }
        };
        if value.len() != parameter.bytes as usize {
            return Err(LaunchError::ArgumentSize {
                kernel: launch.kernel.clone(),
                index,
                expected: parameter.bytes,
                found: value.len(),
            });
        }
        bytes.resize(parameter.offset as usize, 0);
        bytes.extend_from_slice(value);
    }
    Ok(bytes)
}
