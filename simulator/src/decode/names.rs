//! The names of a module: variables and functions.

use std::collections::HashMap;

use crate::{
    ir::{Builtin, FunctionIndex, SymbolIndex},
    ptx::{ParsedFunction, ParsedModule},
};

/// What a call may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallTarget {
    /// A function with a body.
    Defined(FunctionIndex),
    /// A function of the runtime.
    Builtin(Builtin),
    /// Declared, defined nowhere.
    Missing,
}

/// The names of a module.
pub struct Names<'m, 'a> {
    definitions: Vec<&'m ParsedFunction<'a>>,
    functions: HashMap<&'a str, CallTarget>,
    symbols: HashMap<&'a str, SymbolIndex>,
    /// `.file`s by number.
    pub files: &'m HashMap<u32, String>,
}

impl<'m, 'a> Names<'m, 'a> {
    /// Collects the functions; variables are added as they are declared.
    pub fn new(module: &'m ParsedModule<'a>) -> Names<'m, 'a> {
        let mut functions = HashMap::new();
        let mut definitions = Vec::new();
        for function in &module.functions {
            if function.body.is_some() {
                functions.insert(function.name, CallTarget::Defined(FunctionIndex(definitions.len() as u32)));
                definitions.push(function);
            } else {
                let target = builtin(function.name).map_or(CallTarget::Missing, CallTarget::Builtin);
                functions.entry(function.name).or_insert(target);
            }
        }
        for (alias, name) in &module.aliases {
            if let Some(&target) = functions.get(name) {
                functions.insert(alias, target);
            }
        }
        Names { definitions, functions, symbols: HashMap::new(), files: &module.files }
    }

    /// Functions with a body, in order of their index.
    pub fn definitions(&self) -> Vec<&'m ParsedFunction<'a>> {
        self.definitions.clone()
    }

    /// A function.
    pub fn function(&self, name: &str) -> Option<CallTarget> {
        self.functions.get(name).copied()
    }

    /// The declaration of a function with a body.
    pub fn definition(&self, index: FunctionIndex) -> &'m ParsedFunction<'a> {
        self.definitions[index.0 as usize]
    }

    /// A module variable.
    pub fn symbol(&self, name: &str) -> Option<SymbolIndex> {
        self.symbols.get(name).copied()
    }

    /// Names a module variable.
    pub fn add_symbol(&mut self, name: &'a str, index: SymbolIndex) {
        self.symbols.insert(name, index);
    }

    /// All module variables.
    pub fn symbols(&self) -> impl Iterator<Item = (&'a str, SymbolIndex)> {
        self.symbols.iter().map(|(&name, &index)| (name, index))
    }
}
/// Functions of the CUDA runtime that are executed, by their names in PTX.
pub const BUILTINS: &[(&str, Builtin)] = &[
    ("vprintf", Builtin::Vprintf),
    ("malloc", Builtin::Malloc),
    ("free", Builtin::Free),
    ("__assertfail", Builtin::AssertFail),
    ("cudaCGGetIntrinsicHandle", Builtin::CooperativeHandle),
    ("cudaCGSynchronize", Builtin::CooperativeSynchronize),
];

fn builtin(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|&(_, builtin)| builtin)
}
