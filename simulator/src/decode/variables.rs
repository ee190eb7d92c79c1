//! Module variables and their initial bytes.

use super::{
    DecodeError,
    names::{CallTarget, Names},
};
use crate::{
    finding::Space,
    ir::{Constant, Program, Relocation, Symbol, SymbolIndex},
    ptx::{Initial, ParsedModule, ParsedVariable},
};

/// Declares the module's variables.
pub fn declare<'a>(
    module: &ParsedModule<'a>,
    names: &mut Names<'_, 'a>,
    program: &mut Program,
) -> Result<(), DecodeError> {
    // Initial values may name variables that come later.
    let mut declared = Vec::new();
    for variable in &module.variables {
        let known = names.symbol(variable.name).filter(|_| variable.is_extern);
        if known.is_none() {
            let index = add(variable, program);
            names.add_symbol(variable.name, index);
            declared.push((variable, index));
        }
    }
    for (variable, index) in declared {
        let (initial, relocations) = initial(variable, |name| names.symbol(name), names)?;
        let symbol = &mut program.symbols[index.0 as usize];
        symbol.initial = initial;
        symbol.relocations = relocations;
    }
    Ok(())
}

/// Adds one variable, whose initial bytes are not yet known, to the program; naming it is the caller's.
pub fn add(variable: &ParsedVariable<'_>, program: &mut Program) -> SymbolIndex {
    let index = SymbolIndex(program.symbols.len() as u32);
    program.symbols.push(Symbol {
        name: variable.name.to_owned(),
        space: match variable.space {
            "shared" => Space::Shared,
            "const" => Space::Constant,
            "local" => Space::Local,
            _ => Space::Global,
        },
        bytes: variable.bytes(),
        align: variable.alignment(),
        is_extern: variable.is_extern,
        initial: Vec::new(),
        relocations: Vec::new(),
    });
    index
}

/// A variable's initial bytes; `symbols` gives the variables that can be named there.
pub fn initial(
    variable: &ParsedVariable<'_>,
    symbols: impl Fn(&str) -> Option<SymbolIndex>,
    names: &Names<'_, '_>,
) -> Result<(Vec<u8>, Vec<Relocation>), DecodeError> {
    let element = crate::ptx::scalar_bytes(variable.kind.scalar) as usize;
    let (mut bytes, mut relocations) = (Vec::new(), Vec::new());
    for value in &variable.initial {
        match value {
            Initial::Bits(bits) => bytes.extend_from_slice(&bits.to_le_bytes()[..element.min(8)]),
            Initial::Float(value) if element == 4 => bytes.extend_from_slice(&(*value as f32).to_le_bytes()),
            Initial::Float(value) => bytes.extend_from_slice(&value.to_le_bytes()[..element.min(8)]),
            Initial::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            Initial::Symbol { name, offset, generic, mask } => {
                let target = match (symbols(name), names.function(name)) {
                    (Some(symbol), _) => Constant::Address { symbol, offset: *offset },
                    (None, Some(CallTarget::Defined(function))) => Constant::Function(function),
                    _ => {
                        return Err(DecodeError::Undeclared {
                            line: variable.line,
                            name: (*name).to_owned(),
                        });
                    }
                };
                relocations.push(Relocation {
                    at: bytes.len() as u64,
                    bytes: element.min(8) as u8,
                    shift: mask.checked_ilog2().map_or(0, |_| mask.trailing_zeros() as u8),
                    target,
                    generic: *generic,
                });
                bytes.resize(bytes.len() + element, 0);
            }
        }
    }
    bytes.truncate(usize::try_from(variable.bytes()).unwrap_or(usize::MAX));
    Ok((bytes, relocations))
}
