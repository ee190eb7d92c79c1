//! The compact typed operation set that PTX is lowered to once and that `exec` runs warp by warp.
//!
//! A *register* is one value of all 32 lanes. There are three files: predicates (one `u32` lane mask each), words
//! (`[u32; 32]`, everything up to 32 bits) and pairs (`[u64; 32]`). Registers narrower than 32 bits live in the low bits
//! of a word; what is above them is unspecified, so every operation takes only the bits that its type has.
//! Immediates and addresses of variables are entries of the function's constant pool and are named like registers
//! (see [`Word::is_constant`]), so that handlers have one shape. Labels are resolved to program counters. `.param`
//! variables of device functions are words of the frame: a call copies words into the callee's first words.
//!
//! Nothing here knows PTX text, memory, or scheduling.

mod alu;
mod asynchronous;
mod program;
pub mod visit;
mod work;

pub use alu::*;
pub use asynchronous::*;
pub use program::*;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// The lane mask of a full warp.
pub const FULL: u32 = u32::MAX;
/// One word of every lane.
pub type Words = [u32; LANES];
/// One 64-bit value of every lane.
pub type Pairs = [u64; LANES];

/// The registers of an operand that is absent.
pub const UNUSED: [u16; 2] = [NONE; 2];

/// Index of an instruction in its function's code.
pub type Pc = u32;
/// The join of a branch whose sides meet only by leaving the function.
pub const NO_JOIN: Pc = Pc::MAX;

const CONSTANT: u16 = 0x8000;
const NONE: u16 = u16::MAX;

macro_rules! register {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u16);

        impl $name {
            /// Stands for "no register": the sink `_`, or an absent operand.
            pub const NONE: $name = $name(NONE);

            /// False for [`Self::NONE`].
            #[inline(always)]
            pub fn is_some(self) -> bool {
                self.0 != NONE
            }

            /// The register, unless it is [`Self::NONE`].
            #[inline(always)]
            #[allow(dead_code, reason = "one of the three files has no operand that asks")]
            pub fn some(self) -> Option<$name> {
                self.is_some().then_some(self)
            }

            /// True when it names an entry of the constant pool, at [`Self::index`].
            #[inline(always)]
            pub fn is_constant(self) -> bool {
                self.0 & CONSTANT != 0
            }

            /// Names entry `index` of the constant pool.
            #[inline(always)]
            pub fn constant(index: u16) -> $name {
                $name(index | CONSTANT)
            }

            /// Index in the frame's file, or in the constant pool.
            #[inline(always)]
            pub fn index(self) -> usize {
                usize::from(self.0 & !CONSTANT)
            }
        }
    };
}

register!(
    /// A 32-bit (or narrower) register, or a constant.
    Word
);
register!(
    /// A 64-bit register, or a constant.
    Pair
);
register!(
    /// A predicate register, or a constant (0 is false, 1 is true).
    Predicate
);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionIndex(pub u32);

/// Index into [`Program::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolIndex(pub u32);

/// Index into [`crate::source::SourceMap`]; [`SourceIndex::NONE`] for instructions without a `.loc` (library wrappers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceIndex(pub u32);

impl SourceIndex {
    /// No source line is known; look at the caller's.
    pub const NONE: SourceIndex = SourceIndex(0);
}

/// A run of entries in [`Function::lists`] (words) or [`Function::targets`] (program counters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    /// First entry.
    pub start: u16,
    /// Number of entries.
    pub len: u16,
}

impl List {
    /// The run as a range of indices.
    #[inline(always)]
    pub fn range(self) -> std::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.start) + usize::from(self.len)
    }
}

/// The predicate that decides, lane by lane, whether an instruction is executed. For [`Op::Branch`] it is the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// `Predicate::NONE`: always.
    pub predicate: Predicate,
    /// `@!p`.
    pub negated: bool,
}

impl Guard {
    /// Executed by every lane.
    pub const ALWAYS: Guard = Guard { predicate: Predicate::NONE, negated: false };
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Which lanes do it.
    pub guard: Guard,
    /// Some branch of this function joins here: a split that arrives must look for its join before executing it.
    pub is_join: bool,
    /// [`Op::floating_point_operations`].
    pub floating_point_operations: u8,
    /// Where it comes from.
    pub source: SourceIndex,
}

impl Instruction {
    /// An instruction at which nothing joins yet.
    pub fn new(op: Op, guard: Guard, source: SourceIndex) -> Instruction {
        let floating_point_operations = op.floating_point_operations();
        Instruction { op, guard, is_join: false, floating_point_operations, source }
    }
}

/// Type of an element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    /// Loads narrower than the register extend the sign (to the register's whole width).
    pub signed: bool,
    /// The registers are pairs (else words). Stores take the low bytes.
    pub wide: bool,
}

/// The state space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// None named: the address says which.
    Generic,
    /// `.global`
    Global,
    /// `.shared` (`::cta`)
    Shared,
    /// `.local`
    Local,
    /// `.const`
    Constant,
    /// Kernel parameters (`.param` of an entry): addresses are byte offsets in the parameter block.
    Param,
}

/// Who an ordered access or a fence synchronises with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// `.cta`
    Block,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Gpu,
    /// `.sys`
    System,
}

/// Memory-order qualifier of an access. Atomics without one are relaxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `.weak` or nothing.
    Weak,
    /// `.volatile` (acts as relaxed with system scope).
    Volatile,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
}

/// An address: a register (or constant) plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// A [`Pair`] when `wide`, else a [`Word`], which is zero-extended before the offset is added.
    pub register: u16,
    /// The register is a pair.
    pub wide: bool,
    /// Added, wrapping, in 64 bits.
    pub offset: i32,
}

/// What is common to loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The state space named.
    pub space: AddressSpace,
    /// The type of each element.
    pub element: Element,
    /// 1, 2, 4 (or 8) consecutive elements, one register each.
    pub count: u8,
    /// Its order.
    pub order: Order,
    /// Scope of a strong access.
    pub scope: Scope,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Block in its cluster (0: no clusters).
    ClusterCtaid(u8),
    /// Blocks of a cluster (1).
    ClusterNctaid(u8),
    /// Cluster in the grid (the block's index).
    ClusterId(u8),
    /// Clusters in the grid (the grid's blocks).
    NClusterId(u8),
    /// Linear rank of the block in its cluster (0).
    ClusterCtaRank,
    /// Blocks of a cluster (1).
    ClusterNctaRank,
    /// `%envregN`; some hold cooperative-grid addresses.
    Environment(u8),
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

/// What an instruction does. Everything but [`Op::Alu`] concerns more than registers and is the machine's work.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Register to register: `exec::alu` executes it.
    Alu(Alu),

    /// Loads `memory.count` elements into `d` (each a pair or a word as `memory.element.wide` says; `u16::MAX` is a sink).
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
    /// `atom`, or `red` when `d` is [`UNUSED`]. Registers come in twos, of which only 128 bits need the second, the upper one.
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
    /// `mbarrier`.
    Mbarrier(Mbarrier),

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
    /// `Function::result_words` are copied to `results`. Builtins take their arguments as words, low word first; a
    /// 64-bit argument takes two.
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
    /// Marks that its lanes have run past barrier site `site` of this function. Not counted as an instruction.
    PastBarrier {
        /// Index into [`Function::barriers`].
        site: u16,
    },

    /// Marks that its lanes are at the head of the loop that holds barrier site `site` of this function, behind which nothing
    /// but the end of the kernel comes. Not counted as an instruction.
    BarrierLoop {
        /// Index into [`Function::barriers`].
        site: u16,
    },

    /// `bar`, `barrier.cta`.
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
    /// `membar`, `fence`: of whatever order, it is taken for one that acquires and releases.
    Fence {
        /// Its scope.
        scope: Scope,
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
    /// A hint without effect: `nanosleep`, `prefetch`, `discard`, … Counted. `sleeps` invites the scheduler to switch.
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
