//! Which instructions are executed, and which parts of PTX are not: the decoder's own tables.
//!
//! Single forms of instructions, with their modifiers, are in `tests/hardware/COVERAGE.md`: that list
//! is made from the table of forms that are compared with a GPU's results, and a test holds it to
//! what the decoder decodes.

use crate::decode;

pub use crate::decode::Lacking;

/// The families of instructions, each with the mnemonics (the part before the first dot) of
/// which some form is executed.
pub fn families() -> &'static [(&'static str, &'static [&'static str])] {
    decode::FAMILIES
}

/// The mnemonics of all families.
pub fn mnemonics() -> &'static [&'static str] {
    decode::OPCODES
}

/// The functions of the CUDA runtime that are executed when a kernel calls them, by their names in PTX: what
/// `printf`, `malloc`, `assert` and the grid barrier of cooperative groups are compiled to.
pub fn functions() -> impl Iterator<Item = &'static str> {
    decode::BUILTINS.iter().map(|&(name, _)| name)
}

/// The parts of PTX and CUDA that are not executed. A kernel that reaches one gets a finding of the kind
/// [`Unsupported`](crate::FindingKind::Unsupported), which names the part, the instruction and its source line;
/// nothing is said about the rest of the kernel.
pub fn lacking() -> &'static [Lacking] {
    decode::LACKING
}
