//! Bulk copies (`cp.async.bulk`), which one thread begins and the asynchronous proxy carries out. PTX ISA, "Data Movement and
//! Conversion Instructions: Bulk copy", "Async proxy", and "Memory Consistency Model: Proxies".

use super::{Address, AtomicOp, AtomicType, List, Word};

/// `cp.async.bulk` and what orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    /// Begins to copy from global memory to the shared memory of a block of the cluster; an mbarrier there counts the bytes
    /// that have come.
    In {
        /// Where to, in the shared space.
        to: Address,
        /// Where from, in the global space.
        from: Address,
        /// How many: a multiple of 16.
        bytes: Word,
        /// The mbarrier, in the shared space.
        barrier: Address,
        /// A bit for each rank of the cluster whose block gets them, at the same place (`.multicast::cluster`); `NONE`: the
        /// block that the addresses name.
        ranks: Word,
    },
    /// Begins to copy from the block's shared memory to that of a block of the cluster, where an mbarrier counts the bytes.
    Across {
        /// Where to, in the shared space.
        to: Address,
        /// Where from, in the shared space.
        from: Address,
        /// How many: a multiple of 16.
        bytes: Word,
        /// The mbarrier, in the shared space.
        barrier: Address,
    },
    /// Begins to copy from the block's shared memory to global memory, as one of the thread's next bulk group.
    Out {
        /// Where to, in the global space.
        to: Address,
        /// Where from, in the shared space.
        from: Address,
        /// How many: a multiple of 16.
        bytes: Word,
        /// What is there is updated, not overwritten (`cp.reduce.async.bulk`).
        reduces: Option<(AtomicOp, AtomicType)>,
    },
    /// Begins to copy a box of a tensor from or to global memory; else as [`Bulk::In`] or [`Bulk::Out`].
    Tensor {
        /// To shared memory.
        comes: bool,
        /// Where the tensor map is, as a generic address.
        map: Address,
        /// Entries of [`Function::lists`](super::Function::lists): the box's place in the shared space, the mbarrier's where it
        /// comes, and the coordinates, the innermost first.
        words: List,
        /// What is there is updated, not overwritten; the type is the tensor's.
        reduces: Option<AtomicOp>,
        /// As in [`Bulk::In`].
        ranks: Word,
    },
    /// Ends the bulk group of what each thread has begun since its last one.
    Commit,
    /// Waits until at most so many of each thread's last bulk groups are still under way.
    Wait {
        /// How many may be.
        groups: u32,
        /// It is enough that they have read what they copy (`.read`).
        read: bool,
    },
    /// `fence.proxy.async`: what a thread knows of is handed over between the generic and the asynchronous proxy.
    Fence,
}
