//! A decoded module: its functions, their constants, and its variables.

use std::collections::HashMap;

use super::{Builtin, Callee, FunctionIndex, Instruction, LANES, Op, Pairs, Pc, SymbolIndex, Word, Words};
use crate::{environment::Windows, finding::Space, source::SourceMap};

/// What stands for the shared memory that the system keeps in every block, for cooperative groups of several
/// warps. No part of what the kernel asks for; zero where a block begins: cooperative groups count arrivals
/// there without setting them to zero first.
pub const SYSTEM_RESERVED: &str = "reserved shared memory";

/// A block-wide barrier of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierSite {
    /// The barrier instruction.
    pub pc: Pc,
    /// The [`super::Op::PastBarrier`] that only threads beyond the barrier reach, where there is one.
    pub past: Option<Pc>,
    /// The number of the one that it is a copy of; its own, mostly.
    pub original: u16,
}

/// An entry of a constant pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A value.
    Bits(u64),
    /// The address of a variable in its own state space, plus bytes.
    Address {
        /// The variable.
        symbol: SymbolIndex,
        /// Bytes added.
        offset: i64,
    },
    /// The address of a function.
    Function(FunctionIndex),
}

/// A constant pool with all addresses known: what operands with the constant bit refer to.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// Words, the same in every lane.
    pub words: Vec<Words>,
    /// Pairs, the same in every lane.
    pub pairs: Vec<Pairs>,
    /// Where the kernel sees shared and local memory, if elsewhere than usual.
    pub windows: Option<Windows>,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name in the PTX.
    pub name: String,
    /// Offset in the parameter block, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// The PTX type is a 64-bit integer without array: it may be a pointer.
    pub may_be_pointer: bool,
}

/// A function or kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the PTX.
    pub name: String,
    /// It is a kernel.
    pub is_entry: bool,
    /// A thread may leave the kernel in it, or end the launch, not only return from it ([`Program::find_ends`]).
    pub may_end: bool,
    /// Its code; execution starts at 0. Never runs past the end: the last instruction leaves or branches.
    pub code: Vec<Instruction>,
    /// Number of words in a frame; the first [`Function::argument_words`] are the arguments.
    pub words: u16,
    /// Number of pairs in a frame.
    pub pairs: u16,
    /// Number of predicates in a frame.
    pub predicates: u16,
    /// Number of argument words (0 for kernels).
    pub argument_words: u16,
    /// The words that hold the results at [`super::Op::Return`].
    pub result_words: std::ops::Range<u16>,
    /// The word constants.
    pub word_constants: Vec<Constant>,
    /// The pair constants.
    pub pair_constants: Vec<Constant>,
    /// Argument and result lists of calls, and the registers of products of matrices: words of this frame, or constants.
    pub lists: Vec<Word>,
    /// Targets of indexed branches.
    pub targets: Vec<Pc>,
    /// Block-wide barriers.
    pub barriers: Vec<BarrierSite>,
    /// Kernel parameters.
    pub parameters: Vec<Parameter>,
    /// Bytes of local variables per frame.
    pub local_bytes: u32,
    /// Alignment of the local variables.
    pub local_align: u32,
    /// It takes bytes from the stack by `alloca` besides.
    pub takes_stack: bool,
    /// Local variables: name, offset and size in bytes.
    pub locals: Vec<Local>,
    /// Registers that may be read before they are written: poisoned when the frame is made. All
    /// others need no clearing.
    pub undefined: EntryRegisters,
    /// `.reqntid`, where given.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`, where given.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`, where given.
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: it can be launched only with clusters.
    pub needs_cluster: bool,
    /// `.maxclusterrank`, where given: the most blocks of a cluster.
    pub max_cluster: Option<u32>,
}

/// Registers that are live when their function starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryRegisters {
    /// Indices of words.
    pub words: Vec<u16>,
    /// Indices of pairs.
    pub pairs: Vec<u16>,
    /// Indices of predicates.
    pub predicates: Vec<u16>,
}

/// A local variable of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name in the PTX.
    pub name: String,
    /// Offset in the frame's local bytes.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
}

impl Function {
    /// The constant pool, given the address of every variable in its own state space, and where the kernel sees
    /// shared and local memory.
    pub fn link(&self, address: impl Fn(SymbolIndex) -> u64, windows: Option<Windows>) -> Constants {
        let value = |constant: &Constant| match *constant {
            Constant::Bits(bits) => bits,
            Constant::Address { symbol, offset } => address(symbol).wrapping_add_signed(offset),
            Constant::Function(function) => Program::function_address(function),
        };
        Constants {
            words: self.word_constants.iter().map(|c| [value(c) as u32; LANES]).collect(),
            pairs: self.pair_constants.iter().map(|c| [value(c); LANES]).collect(),
            windows,
        }
    }
}

/// A module variable.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name in the PTX; static variables of functions get `function::name` only by [`Symbol::display`].
    pub name: String,
    /// Global, shared or constant.
    pub space: Space,
    /// Size in bytes; 0 for `extern __shared__ x[]`, which starts where the static shared variables end.
    pub bytes: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// `extern`: defined by the launch (dynamic shared memory) or nowhere.
    pub is_extern: bool,
    /// Initial bytes; may be shorter than `bytes`, the rest is zero.
    pub initial: Vec<u8>,
    /// Addresses to be written into the initial bytes.
    pub relocations: Vec<Relocation>,
}

impl Symbol {
    /// The name as the learner wrote it, as far as the mangled name tells: `_ZZ4tilePfE1s` is `s`.
    pub fn display(&self) -> String {
        crate::mangled::variable(&self.name)
    }
}

/// An address in the initial bytes of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where, in bytes.
    pub at: u64,
    /// How many bytes are written.
    pub bytes: u8,
    /// Right shift of the address before its low bytes are written (from `0xFF00(symbol)` masks).
    pub shift: u8,
    /// Whose address.
    pub target: Constant,
    /// The generic address, else that in the variable's own space.
    pub generic: bool,
}

/// A decoded module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Compute capability × 10 of `.target`, e.g. 90.
    pub target: u32,
    /// Functions and kernels.
    pub functions: Vec<Function>,
    /// Functions by name.
    pub function_by_name: HashMap<String, FunctionIndex>,
    /// Module variables.
    pub symbols: Vec<Symbol>,
    /// Module variables by name.
    pub symbol_by_name: HashMap<String, SymbolIndex>,
    /// What is not implemented, to be read after "The simulator lacks".
    pub unsupported: Vec<String>,
    /// Where instructions come from.
    pub sources: SourceMap,
}

impl Program {
    /// Kernel parameters take at most this many bytes (PTX ISA, Kernel Function Parameters).
    pub const PARAMETER_BYTES: u32 = 32_764;

    /// Function addresses start here, 16 bytes apart; nothing else lies there.
    pub const FUNCTION_BASE: u64 = 0x7FC0_0000_0000_0000;

    /// The address that stands for a function.
    pub fn function_address(function: FunctionIndex) -> u64 {
        Program::FUNCTION_BASE + 16 * u64::from(function.0)
    }

    /// Finds out in which functions a thread may leave the kernel, or end the launch.
    pub fn find_ends(&mut self) {
        loop {
            let ends = |function: &Function| function.code.iter().any(|i| self.may_end_at(&i.op));
            let more: Vec<usize> = (0..self.functions.len())
                .filter(|&index| !self.functions[index].may_end && ends(&self.functions[index]))
                .collect();
            if more.is_empty() {
                return;
            }
            more.into_iter().for_each(|index| self.functions[index].may_end = true);
        }
    }

    /// A thread may leave the kernel, or end the launch, by this operation or in what it calls.
    pub fn may_end_at(&self, op: &Op) -> bool {
        match *op {
            Op::Exit | Op::Trap | Op::Unsupported { .. } => true,
            Op::Call { callee: Callee::Function(function), .. } => self.function(function).may_end,
            Op::Call { callee: Callee::Indirect(_), .. } => {
                self.functions.iter().any(|function| function.may_end)
            }
            Op::Call { callee: Callee::Builtin(builtin), .. } => {
                matches!(builtin, Builtin::AssertFail | Builtin::CooperativeSynchronize)
            }
            _ => false,
        }
    }

    /// The function whose address this is.
    pub fn function_at(&self, address: u64) -> Option<FunctionIndex> {
        let offset = address.checked_sub(Program::FUNCTION_BASE)?;
        let index = usize::try_from(offset / 16).ok()?;
        (offset % 16 == 0 && index < self.functions.len()).then_some(FunctionIndex(index as u32))
    }

    /// A function.
    pub fn function(&self, index: FunctionIndex) -> &Function {
        &self.functions[index.0 as usize]
    }
}
