//! The compact typed operation set that PTX is lowered to once and that `exec` runs warp by warp.
//!
//! A *register* is one value of all 32 lanes. There are three files: predicates (one `u32` lane mask each),
//! words (`[u32; 32]`, everything up to 32 bits) and pairs (`[u64; 32]`). Registers narrower than 32 bits
//! live in the low bits of a word; what is above them is unspecified, so every operation takes only the bits
//! that its type has. Immediates and addresses of variables are entries of the function's constant pool and
//! are named like registers (see [`Word::is_constant`]), so that handlers have one shape. Labels are resolved
//! to program counters. `.param` variables of device functions are words of the frame: a call copies words
//! into the callee's first words.
//!
//! Nothing here knows PTX text, memory, or scheduling.

mod alu;
mod asynchronous;
mod bulk;
mod division;
mod environment;
mod matrix;
mod operation;
mod program;
mod texture;
pub mod visit;
mod warpgroup;
mod work;

pub use alu::*;
pub use asynchronous::*;
pub use bulk::*;
pub use division::*;
pub use environment::*;
pub use matrix::*;
pub use operation::*;
pub use program::*;
pub use texture::*;
pub use warpgroup::*;

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

/// Index into [`crate::source::SourceMap`]; [`SourceIndex::NONE`] for instructions without a
/// `.loc` (library wrappers).
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
    pub start: u32,
    /// Number of entries.
    pub len: u16,
}

impl List {
    /// The run as a range of indices.
    #[inline(always)]
    pub fn range(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.len)
    }
}

/// The predicate that decides, lane by lane, whether an instruction is executed. For
/// [`Op::Branch`] it is the condition.
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
    /// Some branch of this function joins here: a split that arrives must look for its
    /// join before executing it.
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
    /// `.shared::cluster`: the shared memory of any block of the cluster.
    Cluster,
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
    /// A load through the read-only cache (`.nc`, `ldu`), which sees nothing of what the launch writes.
    pub read_only: bool,
}
