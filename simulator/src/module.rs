//! A loaded module: what is in it, and why a text may be none.

use thiserror::Error;

use crate::{
    decode::DecodeError,
    finding::Space,
    ir::{Parameter, Program, SourceIndex},
};

/// PTX that cannot be run: why, and where in the text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{why}")]
#[non_exhaustive]
pub struct LoadError {
    /// What was expected and what was found, with the line, in a sentence.
    pub why: String,
    /// Line of the PTX text, from 1; `None` where the whole module is meant.
    pub line: Option<u32>,
    /// Column in characters, from 1, where one place in the line is meant.
    pub column: Option<u32>,
    /// What stands in that line: the instruction or the directive.
    pub instruction: Option<String>,
}

impl LoadError {
    pub(crate) fn new(error: &DecodeError, ptx: &str) -> LoadError {
        let (line, column) = error.position();
        let instruction = ptx.lines().nth(line.saturating_sub(1) as usize).map(|text| text.trim().to_owned());
        LoadError { why: error.to_string(), line: Some(line), column, instruction }
    }
}

/// A loaded module; immutable, to be shared by simulators.
#[derive(Debug)]
pub struct Module {
    pub(crate) program: Program,
}

/// A module's variables in global and constant memory take at most this many bytes together; more is
/// refused when it is loaded.
pub const MOST_VARIABLE_BYTES: u64 = 4 << 30;

/// The same for shared memory, of all kernels together: far more than any GPU has, and little enough that
/// addresses fit in 32 bits.
const MOST_SHARED_BYTES: u64 = 1 << 30;

/// A variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name in the PTX.
    pub name: String,
    /// Its state space.
    pub space: Space,
    /// Size in bytes.
    pub bytes: u64,
    /// Its initial bytes; addresses of other variables in it are still zero.
    pub initial: Vec<u8>,
}

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel {
    /// Its name in the PTX.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

impl Module {
    /// Reads and decodes PTX text.
    pub fn load(ptx: &str) -> Result<Module, LoadError> {
        let mut program = crate::decode::decode(ptx).map_err(|error| LoadError::new(&error, ptx))?;
        // Library code stands for the line that called it.
        for function in &mut program.functions {
            for instruction in &mut function.code {
                if program.sources.place(instruction.source).is_none() {
                    instruction.source = SourceIndex::NONE;
                }
            }
        }
        let module = Module { program };
        module.check_variables()?;
        Ok(module)
    }

    /// Refuses variables that could never be placed, before anything is allocated for them.
    fn check_variables(&self) -> Result<(), LoadError> {
        let (mut global, mut shared) = (0u64, 0u64);
        for symbol in &self.program.symbols {
            let (total, most) = match symbol.space {
                // Room for the gap between two variables, too.
                Space::Shared => (&mut shared, MOST_SHARED_BYTES),
                _ => (&mut global, MOST_VARIABLE_BYTES),
            };
            *total = total.saturating_add(symbol.bytes.max(symbol.align.into()).saturating_add(256));
            if *total > most {
                let why = format!(
                    "variable `{}` of {} bytes is too big: a module's variables in {} memory take at most {most} bytes together",
                    symbol.display(),
                    symbol.bytes,
                    if symbol.space == Space::Shared { "shared" } else { "global and constant" },
                );
                return Err(LoadError { why, line: None, column: None, instruction: None });
            }
        }
        Ok(())
    }

    /// What of the module the simulator lacks, in the words of the findings: "this instruction: `…` (tensor
    /// cores)". It matters only where it is executed; then the launch ends with
    /// [`LaunchStatus::Unsupported`](crate::LaunchStatus::Unsupported).
    pub fn unsupported(&self) -> &[String] {
        &self.program.unsupported
    }

    /// Bytes of simulated memory that the module's variables take in each context, for
    /// hosts that ration memory.
    pub fn variable_bytes(&self) -> u64 {
        let placed = self.program.symbols.iter().filter(|symbol| symbol.space != Space::Shared);
        placed.map(|symbol| symbol.bytes).sum()
    }

    /// The kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> + '_ {
        self.program
            .functions
            .iter()
            .filter(|function| function.is_entry)
            .map(|function| Kernel { name: function.name.clone(), parameters: function.parameters.clone() })
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        self.kernels().find(|kernel| kernel.name == name)
    }

    /// The module variables, in the order of the text.
    pub fn globals(&self) -> impl Iterator<Item = Variable> + '_ {
        self.program.symbols.iter().map(|symbol| {
            let mut initial = symbol.initial.clone();
            initial.resize(symbol.bytes as usize, 0);
            Variable { name: symbol.name.clone(), space: symbol.space, bytes: symbol.bytes, initial }
        })
    }

    /// The module variable of that name. Launch constants are read from its initial bytes.
    pub fn global(&self, name: &str) -> Option<Variable> {
        self.globals().find(|variable| variable.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Module;

    #[test]
    fn an_error_says_where_in_the_text_it_is() {
        let load = |line: &str| {
            let ptx = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n  {line}\n  ret;\n}}\n"
            );
            Module::load(&ptx).expect_err("no PTX")
        };
        let parse = load("add.u32 %r1 %r2;");
        assert_eq!((parse.line, parse.column), (Some(6), Some(15)), "{parse}");
        assert_eq!(parse.instruction.as_deref(), Some("add.u32 %r1 %r2;"));
        let undeclared = load("@%p1 ret;");
        assert_eq!((undeclared.line, undeclared.column), (Some(6), None), "{undeclared}");
        assert_eq!(undeclared.instruction.as_deref(), Some("@%p1 ret;"));
    }
}
