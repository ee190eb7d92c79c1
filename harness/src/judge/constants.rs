//! Launch constants: the learner's choices that the host must know, read from the kernel's PTX and bounded.
//!
//! `course.cuh`'s `LAUNCH_CONSTANT(NAME, value)` leaves an `int` variable `course_constant_NAME`
//! in the PTX, used or not. Reading it there instead of in the source means that macros,
//! arithmetic and includes just work.
//!
//! It is read line by line and not by a parser, because it happens in the judge's own process, to text of any
//! size that a kernel made the compiler write: this takes no memory to speak of.

use std::collections::BTreeMap;

use crate::exercise::{ConstantBound, Constants};

/// What the variable's name begins with.
const PREFIX: &str = "course_constant_";

/// The module's named variables and entries, as far as the judge must know them before a plan is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Interface {
    /// Launch constants by name without the prefix; two values where a name is declared twice.
    pub constants: BTreeMap<String, Vec<String>>,
    /// Kernels.
    pub kernels: Vec<String>,
    /// The sizes of a kernel's parameters in bytes.
    pub parameters: BTreeMap<String, Vec<usize>>,
    /// Global and constant variables.
    pub variables: Vec<String>,
}

impl Interface {
    /// Reads the module-scope declarations of NVRTC's PTX, one per line.
    pub fn of(ptx: &str) -> Self {
        let mut interface = Interface::default();
        let mut entry = None;
        for line in ptx.lines() {
            if let Some(kernel) = &entry
                && let Some(bytes) = parameter_bytes(line)
            {
                interface.parameters.entry(String::clone(kernel)).or_default().push(bytes);
            }
            // Module scope only: what stands in a function body is indented.
            if line.starts_with([' ', '\t']) {
                continue;
            }
            if let Some((_, rest)) = line.split_once(".entry ") {
                let kernel = rest.split(['(', ' ']).next().unwrap_or_default().to_owned();
                interface.parameters.insert(kernel.clone(), Vec::new());
                interface.kernels.push(kernel.clone());
                entry = Some(kernel);
            } else if line.starts_with([')', '{']) {
                entry = None;
            } else if line.split_whitespace().any(|word| word == ".global" || word == ".const") {
                let (declaration, value) = match line.split_once('=') {
                    Some((declaration, value)) => (declaration, value.trim().trim_end_matches(';').trim()),
                    None => (line.trim_end().trim_end_matches(';'), "0"),
                };
                let name = declaration.split_whitespace().last().unwrap_or_default();
                let name = name.split('[').next().unwrap_or_default();
                if let Some(constant) = name.strip_prefix(PREFIX) {
                    interface.constants.entry(constant.to_owned()).or_default().push(value.to_owned());
                }
                interface.variables.push(name.to_owned());
            }
        }
        interface
    }
}

/// The size of the parameter that a line of a kernel's head declares: `.param .u32 k_param_1,` or `.param
/// .align 8 .b8 k_param_2[24]`.
fn parameter_bytes(line: &str) -> Option<usize> {
    let declared = line.trim().strip_prefix(".param ")?.trim_end_matches(',');
    let bits = declared.split_whitespace().find_map(|word| match word.get(..2)? {
        ".u" | ".s" | ".b" | ".f" => word[2..].parse::<usize>().ok(),
        _ => None,
    })?;
    let count =
        declared.split_once('[').and_then(|(_, count)| count.strip_suffix(']')?.parse::<usize>().ok());
    Some(bits / 8 * count.unwrap_or(1))
}

/// The values of the declared constants, or what is wrong with them, one sentence each. `stub` has a value for
/// each.
pub(super) fn constants(
    bounds: &[ConstantBound],
    stub: &str,
    checked: &Interface,
    optimised: &Interface,
) -> Result<Constants, Vec<String>> {
    let mut values = BTreeMap::new();
    let mut problems = Vec::new();
    for bound in bounds {
        match constant(bound, stub, checked, optimised) {
            Ok(value) => {
                values.insert(bound.name.to_owned(), value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(Constants(values)) } else { Err(problems) }
}

fn constant(
    bound: &ConstantBound,
    stub: &str,
    checked: &Interface,
    optimised: &Interface,
) -> Result<i64, String> {
    let &ConstantBound { name, at_least, at_most, multiple_of } = bound;
    let multiple = if multiple_of > 1 { format!(", a multiple of {multiple_of}") } else { String::new() };
    let wanted = format!("an int from {at_least} to {at_most}{multiple}");
    let declared = |interface: &Interface| interface.constants.get(name).cloned().unwrap_or_default();
    let (checked, optimised) = (declared(checked), declared(optimised));
    if checked != optimised {
        return Err(format!(
            "the launch constant {name} changes with the compiler's optimisation: declare it once, with a plain value"
        ));
    }
    let [value] = &*optimised else {
        return Err(if optimised.is_empty() {
            let value = value_in(stub, name).map_or(at_least.to_string(), str::to_owned);
            format!(
                "expected the launch constant {name} ({wanted}), found none: \
                 write LAUNCH_CONSTANT({name}, {value}); at file scope"
            )
        } else {
            format!("expected one launch constant {name}, found {}: keep one", optimised.len())
        });
    };
    let Ok(number) = value.parse::<i64>() else {
        return Err(format!("expected the launch constant {name} to be {wanted}, found `{value}`"));
    };
    if number < at_least || number > at_most || number % multiple_of.max(1) != 0 {
        return Err(format!("expected the launch constant {name} to be {wanted}, found {number}"));
    }
    Ok(number)
}

/// `256` of a stub's `LAUNCH_CONSTANT(BLOCK_SIZE, 256);`.
fn value_in<'a>(stub: &'a str, name: &str) -> Option<&'a str> {
    stub.split("LAUNCH_CONSTANT(").skip(1).find_map(|rest| {
        let (known, value) = rest.split_once(')')?.0.split_once(',')?;
        (known.trim() == name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 9.0
.target sm_90
.global .align 4 .u32 BLOCK = 256;
.global .align 4 .u32 course_constant_BLOCK = 256;
.global .align 4 .u32 course_constant_ZERO;
.const .align 4 .b8 filter[20];
.visible .const .align 4 .b8 sc[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
.global .align 4 .u32 _ZN1a17course_constant_YE = 9;
.visible .entry k(
	.param .u64 k_param_0
)
{
	.global .align 4 .u32 course_constant_INSIDE = 1;
}";
    const STUB: &str =
        "// LAUNCH_CONSTANT says it.\nLAUNCH_CONSTANT(BLOCK, 256);\nLAUNCH_CONSTANT( ITEMS , 64 );\n";
    const BLOCK: ConstantBound =
        ConstantBound { name: "BLOCK", at_least: 32, at_most: 1024, multiple_of: 32 };

    #[test]
    fn reads_names_and_values() {
        let interface = Interface::of(PTX);
        assert_eq!(interface.kernels, ["k"]);
        assert!(interface.variables.iter().any(|name| name == "filter"));
        assert_eq!(interface.constants.keys().collect::<Vec<_>>(), ["BLOCK", "ZERO"]);
        assert_eq!(
            constants(&[BLOCK], STUB, &interface, &interface).expect("BLOCK is fine").get("BLOCK"),
            256
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let interface = Interface::of(PTX);
        let small = ConstantBound { at_most: 128, ..BLOCK };
        let odd = ConstantBound { multiple_of: 96, ..BLOCK };
        let absent = ConstantBound { name: "ITEMS", ..BLOCK };
        let unknown = ConstantBound { name: "ROWS", ..BLOCK };
        let problems = constants(&[small, odd, absent, unknown], STUB, &interface, &interface)
            .expect_err("all are wrong");
        assert_eq!(
            problems,
            [
                "expected the launch constant BLOCK to be an int from 32 to 128, a multiple of 32, found 256",
                "expected the launch constant BLOCK to be an int from 32 to 1024, a multiple of 96, found 256",
                "expected the launch constant ITEMS (an int from 32 to 1024, a multiple of 32), found none: \
                 write LAUNCH_CONSTANT(ITEMS, 64); at file scope",
                "expected the launch constant ROWS (an int from 32 to 1024, a multiple of 32), found none: \
                 write LAUNCH_CONSTANT(ROWS, 32); at file scope",
            ]
        );
        let twice = Interface::of(&PTX.replace("course_constant_ZERO", "course_constant_BLOCK"));
        assert!(
            constants(&[BLOCK], STUB, &twice, &twice).expect_err("declared twice")[0].contains("found 2")
        );
        let other = Interface::of(&PTX.replace("BLOCK = 256", "BLOCK = 512"));
        assert!(
            constants(&[BLOCK], STUB, &other, &interface).expect_err("they differ")[0]
                .contains("optimisation")
        );
    }
}
