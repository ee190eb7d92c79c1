//! The operations: what an instruction does, and the variants of what it may do.
//!
//! What is in registers only is in [`Alu`], copies in the background and the barriers in shared memory in
//! [`Asynchronous`], [`Bulk`] and [`Mbarrier`], what a warp does with matrices in [`Matrix`].

use strum::EnumString;

use super::{
    Address, AddressSpace, Alu, Asynchronous, Bulk, Callee, List, Matrix, Mbarrier, Memory, Order, Pc,
    Predicate, Scope, SpecialRegister, TextureAccess, Warpgroup, Word,
};

/// What an atomic does with old and operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `old & b`
    And,
    /// `old | b`
    Or,
    /// `old ^ b`
    Xor,
    /// `b`
    Exchange,
    /// `old == b ? c : old`
    CompareAndSwap,
    /// `old + b`
    Add,
    /// `old + 1` in shared memory, the old value unused: the hardware counts the lanes of a word at once.
    Count,
    /// `old >= b ? 0 : old + 1`
    Increment,
    /// `old == 0 || old > b ? b : old - 1`
    Decrement,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

/// Type of an atomic's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum AtomicType {
    /// 16 untyped bits (compare-and-swap, exchange); in a word.
    B16,
    /// 32 untyped bits.
    B32,
    /// 64 untyped bits.
    B64,
    /// 128 untyped bits (compare-and-swap, exchange); in two pairs.
    B128,
    /// Unsigned 32 bits.
    U32,
    /// Signed 32 bits.
    S32,
    /// Unsigned 64 bits.
    U64,
    /// Signed 64 bits.
    S64,
    /// IEEE half; in a word.
    F16,
    /// Two halves, each atomic by itself.
    F16x2,
    /// bfloat16; in a word.
    Bf16,
    /// Two bfloat16.
    Bf16x2,
    /// Single precision. `atom.add.f32` flushes subnormals in global memory, not in shared memory.
    F32,
    /// Double precision.
    F64,
}

impl AtomicType {
    /// Two values in a word, each atomic by itself.
    pub fn is_packed(self) -> bool {
        matches!(self, AtomicType::F16x2 | AtomicType::Bf16x2)
    }

    /// Width in bytes.
    pub fn bytes(self) -> u8 {
        match self {
            AtomicType::B16 | AtomicType::F16 | AtomicType::Bf16 => 2,
            AtomicType::B64 | AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            AtomicType::B128 => 16,
            _ => 4,
        }
    }

    /// True when the value lives in pairs.
    pub fn is_wide(self) -> bool {
        self.bytes() >= 8
    }

    /// True for the floating-point formats.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            AtomicType::F16
                | AtomicType::F16x2
                | AtomicType::Bf16
                | AtomicType::Bf16x2
                | AtomicType::F32
                | AtomicType::F64
        )
    }
}

/// What a block-wide barrier instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    /// Wait for the others.
    Sync,
    /// Count as arrived and go on.
    Arrive,
    /// Wait, and give the number of threads whose predicate is true (a word).
    Popcount,
    /// Wait, and say whether all predicates are true (a predicate).
    And,
    /// Wait, and say whether any predicate is true (a predicate).
    Or,
    /// Of the whole cluster: count as arrived and go on.
    ClusterArrive {
        /// What the thread did before is made known only where it was fenced.
        relaxed: bool,
    },
    /// Of the whole cluster: wait until all have arrived.
    ClusterWait,
}

/// What a fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceKind {
    /// `fence.acq_rel`, and what is taken for it (`fence.acquire`, `fence.release`, `fence.mbarrier_init`): the accesses before it, with
    /// the strong ones of its own thread behind it.
    AcquireRelease,
    /// `fence.sc`, `membar`: also with strong accesses of other threads, to which a barrier passes on that the fence was executed.
    SequentiallyConsistent,
}

/// How a shuffle chooses its source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// lane − b
    Up,
    /// lane + b
    Down,
    /// lane ^ b
    Butterfly,
    /// b
    Index,
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    /// All predicates true (result: predicate).
    All,
    /// Any predicate true (result: predicate).
    Any,
    /// All predicates equal (result: predicate).
    Uniform,
    /// The mask of lanes whose predicate is true (result: word).
    Ballot,
}

/// What `redux.sync` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduxOp {
    /// Sum, wrapping.
    Add,
    /// Smallest, unsigned.
    MinU,
    /// Largest, unsigned.
    MaxU,
    /// Smallest, signed.
    MinS,
    /// Largest, signed.
    MaxS,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// What an instruction does. Everything but [`Op::Alu`] concerns more than registers
/// and is the machine's work.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Register to register: `exec::alu` executes it.
    Alu(Alu),
    /// The same, of integers by a divisor that may be zero.
    Divide(Alu),

    /// Loads `memory.count` elements into `d` (each a pair or a word as `memory.element.wide`
    /// says; `u16::MAX` is a sink).
    Load {
        /// Space, type, order.
        memory: Memory,
        /// Destination register indices.
        d: [u16; 4],
        /// The address.
        address: Address,
    },
    /// Stores `memory.count` elements from `a`.
    Store {
        /// Space, type, order.
        memory: Memory,
        /// Source register (or constant) indices.
        a: [u16; 4],
        /// The address.
        address: Address,
    },
    /// `atom`, or `red` when `d` is [`UNUSED`]. Registers come in twos, of which only 128 bits need
    /// the second, the upper one.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// Type of value and operands: pairs when [`AtomicType::is_wide`].
        kind: AtomicType,
        /// The state space named.
        space: AddressSpace,
        /// Its order.
        order: Order,
        /// Its scope.
        scope: Scope,
        /// Receives the old value.
        d: [u16; 2],
        /// The address.
        address: Address,
        /// Operand.
        b: [u16; 2],
        /// Second operand of compare-and-swap.
        c: [u16; 2],
    },

    /// `cp.async`.
    Asynchronous(Asynchronous),
    /// `cp.async.bulk`, `fence.proxy.async`.
    Bulk(Bulk),
    /// `mbarrier`.
    Mbarrier(Mbarrier),
    /// `tex`, `tld4`, `txq`, `suld`, `sust`, `suq`.
    Texture(TextureAccess),
    /// `ldmatrix`, `stmatrix`, `movmatrix`, `mma`, `wmma`, `wgmma.mma_async`.
    Matrix(Matrix),
    /// The rest of `wgmma`.
    Warpgroup(Warpgroup),

    /// Goes to `target`; conditional when the instruction has a guard.
    Branch {
        /// Where to.
        target: Pc,
        /// Immediate post-dominator of this block, or [`NO_JOIN`].
        join: Pc,
    },
    /// `brx.idx`: goes to entry `index` of `targets`.
    BranchIndexed {
        /// Selects, lane by lane; beyond the table is undefined behaviour.
        index: Word,
        /// Entries of [`Function::targets`].
        targets: List,
        /// Immediate post-dominator, or [`NO_JOIN`].
        join: Pc,
    },
    /// Calls. Word i of `arguments` is copied to the callee's word i; on return the callee's words
    /// `Function::result_words` are copied to `results`. Builtins take their arguments as words, low word
    /// first; a 64-bit argument takes two.
    Call {
        /// Whom.
        callee: Callee,
        /// Entries of [`Function::lists`] (registers or constants of the caller).
        arguments: List,
        /// Entries of [`Function::lists`].
        results: List,
    },
    /// Returns to the caller; from an entry it ends the thread.
    Return,
    /// Ends the thread.
    Exit,
    /// Aborts the launch.
    Trap,
    /// A breakpoint; does nothing.
    Breakpoint,
    /// Marks that its lanes have run past barrier site `site` of this function. Not
    /// counted as an instruction.
    PastBarrier {
        /// Index into [`Function::barriers`].
        site: u16,
    },

    /// Marks that its lanes are at the head of the loop that holds barrier site `site` of this function,
    /// behind which nothing but the end of the kernel comes. Not counted as an instruction.
    BarrierLoop {
        /// Index into [`Function::barriers`].
        site: u16,
    },

    /// Marks that its lanes are about to choose whether they execute barrier site `site` of this function now
    /// or, if at all, in another round of a loop. Not counted as an instruction.
    BarrierChoice {
        /// Index into [`Function::barriers`].
        site: u16,
    },

    /// `bar`, `barrier.cta`, `barrier.cluster` (of which there is one, without a number).
    Barrier {
        /// What it does.
        kind: BarrierKind,
        /// Which of the 16 barriers.
        id: Word,
        /// Number of threads that take part; `Word::NONE`: all of the block.
        count: Word,
        /// Result of a reduction: a word for popcount, else a predicate.
        d: u16,
        /// What is reduced.
        predicate: Predicate,
        /// It is negated first.
        negated: bool,
        /// Index into [`Function::barriers`].
        site: u16,
    },
    /// `bar.warp.sync`.
    WarpSync {
        /// Lanes named.
        mask: Word,
    },
    /// `membar`, `fence`.
    Fence {
        /// Its scope.
        scope: Scope,
        /// Its order.
        kind: FenceKind,
    },

    /// `shfl.sync`.
    Shuffle {
        /// How the source lane is chosen.
        mode: ShuffleMode,
        /// Result.
        d: Word,
        /// Whether the source lane was in range; may be `NONE`.
        in_range: Predicate,
        /// The value offered.
        a: Word,
        /// Lane or distance.
        b: Word,
        /// Clamp (bits 0–4) and segment mask (bits 8–12).
        c: Word,
        /// Lanes named; `Word::NONE` for the old form without `.sync` (all lanes that execute it).
        mask: Word,
    },
    /// `vote.sync`.
    Vote {
        /// The question.
        mode: VoteMode,
        /// A word for ballot, else a predicate.
        d: u16,
        /// What is asked.
        predicate: Predicate,
        /// It is negated first.
        negated: bool,
        /// Lanes named; `Word::NONE` for the old form without `.sync`.
        mask: Word,
    },
    /// `match.any.sync`, `match.all.sync`.
    Match {
        /// `.all`: gives the mask only when all values are equal.
        all: bool,
        /// The value compared is a pair.
        wide: bool,
        /// Lanes with the same value.
        d: Word,
        /// `.all`: whether all are equal; may be `NONE`.
        equal: Predicate,
        /// A word or a pair.
        a: u16,
        /// Lanes named.
        mask: Word,
    },
    /// `redux.sync` on words.
    Redux {
        /// What is computed.
        op: ReduxOp,
        /// Result.
        d: Word,
        /// The value offered.
        a: Word,
        /// Lanes named.
        mask: Word,
    },
    /// `activemask`.
    ActiveMask {
        /// Lanes that execute it together.
        d: Word,
    },
    /// `elect.sync`: the lowest lane of `mask`.
    Elect {
        /// That lane's number; may be `NONE`.
        d: Word,
        /// True in that lane only.
        elected: Predicate,
        /// Lanes named.
        mask: Word,
    },

    /// Reads a special register.
    Special {
        /// Which.
        register: SpecialRegister,
        /// `d` is a pair.
        wide: bool,
        /// Result.
        d: u16,
    },
    /// Address, in the local space, of byte `offset` of this frame's local variables.
    LocalAddress {
        /// `d` is a pair.
        wide: bool,
        /// Result.
        d: u16,
        /// Bytes from the frame's first local byte.
        offset: u32,
    },
    /// `cvta`: between an address of `space` and a generic one.
    ConvertAddress {
        /// The space.
        space: AddressSpace,
        /// From generic to `space` (`cvta.to`), else from `space` to generic.
        to_space: bool,
        /// Registers are pairs.
        wide: bool,
        /// Result.
        d: u16,
        /// The address.
        a: u16,
    },
    /// `isspacep`.
    IsSpace {
        /// The space asked for.
        space: AddressSpace,
        /// Result.
        d: Predicate,
        /// The generic address is a pair.
        wide: bool,
        /// The generic address.
        a: u16,
    },
    /// `mapa`: where an address of shared memory lies in that of another block of the cluster.
    MapRank {
        /// The addresses are generic, else of shared memory.
        generic: bool,
        /// Registers are pairs.
        wide: bool,
        /// Result.
        d: u16,
        /// The address.
        a: u16,
        /// The block's rank in the cluster.
        rank: Word,
    },
    /// `getctarank`: whose shared memory an address lies in.
    RankOf {
        /// The address is generic, else of shared memory.
        generic: bool,
        /// The address is a pair.
        wide: bool,
        /// Result.
        d: Word,
        /// The address.
        a: u16,
    },
    /// `alloca`: takes bytes from the thread's stack; the address is in the local space.
    StackAllocate {
        /// Registers are pairs.
        wide: bool,
        /// Result.
        d: u16,
        /// Bytes.
        bytes: u16,
        /// A power of two.
        align: u16,
    },
    /// `stacksave`.
    StackSave {
        /// Registers are pairs.
        wide: bool,
        /// Result.
        d: u16,
    },
    /// `stackrestore`.
    StackRestore {
        /// Registers are pairs.
        wide: bool,
        /// What `stacksave` gave.
        a: u16,
    },
    /// A hint without effect: `nanosleep`, `prefetch`, `discard`, … Counted. `sleeps` invites
    /// the scheduler to switch.
    Hint {
        /// It is `nanosleep`.
        sleeps: bool,
    },
    /// Not implemented; executing it is an error that names [`Program::unsupported`] at `text`.
    Unsupported {
        /// Index of the instruction's text.
        text: u32,
    },
}
