//! Lowers parsed PTX to the operation set of `ir`, once per module.
//!
//! One file per family of instructions maps opcode and modifiers to an operation. What no table knows becomes
//! [`Op::Unsupported`], which only matters if it is executed.
//!
//! [`Op::Unsupported`]: crate::ir::Op::Unsupported

mod allocate;
mod asynchronous;
mod bulk;
mod control;
mod convert;
mod copies;
mod float;
mod flow;
mod function;
mod half;
mod integer;
mod lacking;
mod matrix;
mod memory;
mod moves;
mod names;
mod opcodes;
mod predicate;
mod texture;
mod unused;
mod variables;
mod warp;
mod warpgroup;
mod words;

#[cfg(test)]
mod tests;

use crate::{
    ir::{FunctionIndex, Op, Program},
    ptx::{self, ParsedModule},
};

use names::Names;

pub use lacking::{LACKING, Lacking};
pub use names::BUILTINS;
pub use opcodes::{FAMILIES, OPCODES};

/// Why a module cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The text is not PTX.
    #[error(transparent)]
    Parse(#[from] ptx::ParseError),
    /// A name that nothing declares.
    #[error("PTX line {line}: {name} is not declared")]
    Undeclared {
        /// Line of the PTX text.
        line: u32,
        /// The name.
        name: String,
    },
    /// Limits of a launch.
    #[error(
        "PTX line {line}: {function} has more than {limit} {what}, which no GPU takes; pass a pointer to a buffer"
    )]
    TooMany {
        /// Line of the PTX text.
        line: u32,
        /// The function.
        function: String,
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
}

impl DecodeError {
    /// Line of the PTX text, and the column where it is known.
    pub fn position(&self) -> (u32, Option<u32>) {
        match self {
            DecodeError::Parse(error) => (error.line, Some(error.column)),
            DecodeError::Undeclared { line, .. } | DecodeError::TooMany { line, .. } => (*line, None),
        }
    }
}

/// Decodes PTX text.
pub fn decode(text: &str) -> Result<Program, DecodeError> {
    lower(&ptx::parse(text)?)
}

/// Decodes a parsed module.
pub fn lower(module: &ParsedModule<'_>) -> Result<Program, DecodeError> {
    let mut program = Program { target: module.target, ..Program::default() };
    let mut names = Names::new(module);
    variables::declare(module, &mut names, &mut program)?;
    let mut functions = Vec::new();
    for function in names.definitions() {
        functions.push(function::lower(function, &mut names, &mut program)?);
    }
    program.symbol_by_name.extend(names.symbols().map(|(name, index)| (name.to_owned(), index)));
    let has_barrier = with_barriers(&functions);
    for function in &mut functions {
        unused::drop_results(function);
        flow::arrange(function, &has_barrier);
        allocate::allocate(function);
    }
    program.functions = functions.into_iter().map(|lowered| lowered.function).collect();
    program.find_ends();
    for (index, function) in program.functions.iter().enumerate() {
        program.function_by_name.insert(function.name.clone(), FunctionIndex(index as u32));
    }
    for &(alias, name) in &module.aliases {
        if let Some(&index) = program.function_by_name.get(name) {
            program.function_by_name.insert(alias.to_owned(), index);
        }
    }
    Ok(program)
}

/// Which functions execute a block-wide barrier, themselves or through calls.
fn with_barriers(functions: &[function::Lowered]) -> Vec<bool> {
    use crate::ir::Callee;
    let mut found: Vec<bool> = functions
        .iter()
        .map(|lowered| lowered.function.code.iter().any(|i| matches!(i.op, Op::Barrier { .. })))
        .collect();
    loop {
        let before = found.clone();
        for (index, lowered) in functions.iter().enumerate() {
            found[index] = found[index]
                || lowered.function.code.iter().any(|i| {
                    matches!(i.op, Op::Call { callee: Callee::Function(callee), .. } if found[callee.0 as usize])
                });
        }
        if found == before {
            return found;
        }
    }
}
