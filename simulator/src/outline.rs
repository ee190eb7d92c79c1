//! What a PTX text declares, without a look at its instructions: for hosts that plan a launch before anything
//! is decoded, also of code that is not for the simulator.

use std::collections::BTreeMap;

use crate::{finding::Space, module::LoadError, ptx};

/// The kernels and variables of a PTX text, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// Names of the kernels (`.entry`).
    pub kernels: Vec<String>,
    /// The type of each parameter of each kernel, without its dot: `u32` of any integer of that size, `f32`, `u64` of a
    /// pointer, `b8` of a structure.
    pub parameters: BTreeMap<String, Vec<String>>,
    /// Name and size of each parameter of each kernel.
    pub signatures: BTreeMap<String, Vec<DeclaredParameter>>,
    /// Module variables.
    pub variables: Vec<Declaration>,
}

/// A kernel's parameter as the text declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredParameter {
    /// Its name in the PTX.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// A module variable as the text declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration {
    /// Its name in the PTX.
    pub name: String,
    /// Global, shared or constant.
    pub space: Space,
    /// The PTX type of one element, without its dot: `f32`, `b8`.
    pub scalar: String,
    /// Size of all elements in bytes; 0 for `extern` arrays without a length.
    pub bytes: u64,
}

impl Outline {
    /// Reads PTX text. Instructions may be any: only their form is looked at.
    ///
    /// # Errors
    /// The text is not PTX: the line, what was expected there and what was found.
    pub fn read(ptx: &str) -> Result<Outline, LoadError> {
        let module = ptx::parse(ptx).map_err(|error| LoadError::new(&error.into(), ptx))?;
        let kernels = || module.functions.iter().filter(|function| function.is_entry);
        let types = |function: &ptx::ParsedFunction<'_>| {
            function.parameters.iter().map(|parameter| parameter.kind.scalar.to_owned()).collect()
        };
        let signature = |function: &ptx::ParsedFunction<'_>| {
            let of = |parameter: &ptx::ParsedVariable<'_>| DeclaredParameter {
                name: parameter.name.to_owned(),
                bytes: parameter.bytes(),
            };
            function.parameters.iter().map(of).collect()
        };
        let declared = |variable: &ptx::ParsedVariable<'_>| {
            Some(Declaration {
                name: variable.name.to_owned(),
                space: match variable.space {
                    "global" => Space::Global,
                    "const" => Space::Constant,
                    "shared" => Space::Shared,
                    _ => return None,
                },
                scalar: variable.kind.scalar.to_owned(),
                bytes: variable.bytes(),
            })
        };
        Ok(Outline {
            kernels: kernels().map(|kernel| kernel.name.to_owned()).collect(),
            parameters: kernels().map(|kernel| (kernel.name.to_owned(), types(kernel))).collect(),
            signatures: kernels().map(|kernel| (kernel.name.to_owned(), signature(kernel))).collect(),
            variables: module.variables.iter().filter_map(declared).collect(),
        })
    }
}
