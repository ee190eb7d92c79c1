//! What `run` must know of a kernel's PTX before it can plan: the entry's full name, and
//! variables with their types.

use cpp_demangle::{DemangleOptions, Symbol};
use harness::plan::Element;
use launch_options::Specification;
use warpsim::{Outline, Space};

use super::launch::Variable;
use crate::exit::{Result, Trouble};

/// Parses PTX; instructions may be unknown.
///
/// # Errors
/// Wrong usage: the text is no PTX, and where.
pub fn parse(text: &str) -> Result<Outline> {
    Outline::read(text)
        .map_err(|error| Trouble::usage(error.to_string(), "give PTX text as a compiler wrote it"))
}

/// The entry in PTX of any compiler: its exact name, or the only one that C++ calls so, with or without namespaces and arguments of
/// a template.
///
/// # Errors
/// Wrong usage: there is none or more than one.
pub fn entry(outline: &Outline, entry: &str) -> Result<String> {
    let names: Vec<&str> = outline.kernels.iter().map(String::as_str).collect();
    if names.contains(&entry) {
        return Ok(entry.to_owned());
    }
    let wanted: String = without_spaces(entry);
    let mut candidates = names.iter().filter(|name| {
        let readable = readable(name);
        without_spaces(&readable) == wanted || plain(&readable) == entry
    });
    match (candidates.next(), candidates.next()) {
        (Some(only), None) => Ok((*only).to_owned()),
        (Some(_), Some(_)) => Err(Trouble::usage(
            format!("`{entry}` names more than one kernel"),
            format!("give the full name of one of: {}", listed(&names)),
        )),
        _ => Err(no_entry(entry, &names)),
    }
}

/// What C++ calls a function of this name in PTX, without its parameters: `reduce<int>`. Others stay as they are.
fn readable(name: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let symbol = Symbol::new(name).ok();
    symbol.and_then(|symbol| symbol.demangle_with_options(&options).ok()).unwrap_or_else(|| name.to_owned())
}

/// The same without namespaces and arguments of a template.
fn plain(readable: &str) -> &str {
    let name = readable.split('<').next().unwrap_or(readable);
    name.rsplit("::").next().unwrap_or(name)
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Names of kernels to choose from; of those that C++ calls alike the names in PTX.
fn listed(names: &[&str]) -> String {
    let readable: Vec<String> = names.iter().map(|name| readable(name)).collect();
    let of = |index: usize| {
        let alone = readable.iter().filter(|other| **other == readable[index]).count() == 1;
        if alone { &readable[index] } else { names[index] }
    };
    (0..names.len()).map(of).collect::<Vec<_>>().join(", ")
}

/// No kernel of that name.
pub fn no_entry(entry: &str, kernels: &[&str]) -> Trouble {
    let next = match kernels {
        [] => "the file has no kernel at all: a template exists only as an instance such as 'tiled<16>'"
            .to_owned(),
        kernels => format!("the kernels are: {}", listed(kernels)),
    };
    Trouble::usage(format!("there is no kernel `{entry}`"), next)
}

/// Refuses a floating-point number for a parameter that is an integer or a pointer, and the other way round: its bits would be
/// taken for another number. Only what the course's compiler wrote tells that: it declares a parameter by its type in the
/// source, where other PTX may load it as what it likes.
///
/// # Errors
/// Wrong usage: which argument, and what the kernel takes there.
pub fn check_types(outline: &Outline, kernel: &str, entry: &str, arguments: &[Specification]) -> Result<()> {
    let Some(parameters) = outline.parameters.get(kernel) else { return Ok(()) };
    for (index, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
        let Specification::Scalar { element, .. } = argument else { continue };
        let given = element.name();
        let (takes, write) = match (element, parameter.as_str()) {
            (Element::F32, "u32" | "s32") => ("an integer", "i32: or u32:"),
            (Element::F64, "u64" | "s64") => ("a pointer or an integer", "a buffer, i64: or u64:"),
            (Element::I32 | Element::U32, "f32") => ("a float", "f32:"),
            (Element::I64 | Element::U64, "f64") => ("a double", "f64:"),
            // Of another size: the launch refuses it. Half floats are structures, and their bits may be meant.
            _ => continue,
        };
        return Err(Trouble::usage(
            format!("argument {index} is {given}, but kernel `{entry}` takes {takes} there"),
            format!("write {write} instead of {given}:"),
        ));
    }
    Ok(())
}

/// A variable of the module in global or constant memory.
pub fn variable(outline: &Outline, name: &str) -> Option<Variable> {
    let reachable = |space: Space| matches!(space, Space::Global | Space::Constant);
    let variable = outline.variables.iter().find(|known| known.name == name && reachable(known.space))?;
    let element = match variable.scalar.as_str() {
        "f32" => Some(Element::F32),
        "f64" => Some(Element::F64),
        "f16" => Some(Element::F16),
        "u8" => Some(Element::U8),
        "s8" => Some(Element::I8),
        "u16" => Some(Element::U16),
        "s16" => Some(Element::I16),
        "u32" => Some(Element::U32),
        "s32" => Some(Element::I32),
        "u64" => Some(Element::U64),
        "s64" => Some(Element::I64),
        _ => None,
    };
    Some(Variable { bytes: usize::try_from(variable.bytes).ok()?, element })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                    .visible .entry _Z5saxpyfPf(\n.param .f32 a\n)\n{\nret;\n}\n.entry k ()\n{\nnew.instruction %r1;\n}\n\
                    .visible .const .align 4 .f32 scale = 0f3F800000;\n.global .align 1 .b8 table[12];\n\
                    .global\n.u32\ntwo[2][3];\n// .entry comment (\n";
        let outline = parse(text).unwrap();
        assert_eq!(entry(&outline, "saxpy").unwrap(), "_Z5saxpyfPf");
        assert_eq!(entry(&outline, "k").unwrap(), "k");
        assert_eq!(entry(&outline, "missing").unwrap_err().next, "the kernels are: saxpy, k");
        assert_eq!(variable(&outline, "scale"), Some(Variable { bytes: 4, element: Some(Element::F32) }));
        assert_eq!(variable(&outline, "table"), Some(Variable { bytes: 12, element: None }));
        assert_eq!(variable(&outline, "two"), Some(Variable { bytes: 24, element: Some(Element::U32) }));
        assert_eq!(variable(&outline, "tab"), None);
        assert!(parse("int main() {}").unwrap_err().message.starts_with("PTX line 1: "));
    }

    #[test]
    fn entries_are_named_as_in_the_source() {
        // static void step(float*); reduce0<int>, reduce0<float>; ns::tile<16, float>; two overloads of pick; an anonymous namespace's scan
        let kernels = [
            "_ZL4stepPf",
            "_Z7reduce0IiEvPT_S1_j",
            "_Z7reduce0IfEvPT_S1_j",
            "_ZN2ns4tileILi16EfEEvPT0_",
            "_Z4picki",
            "_Z4pickf",
            "_ZN12_GLOBAL__N_14scanEPi",
        ];
        let text: String =
            kernels.iter().map(|name| format!(".visible .entry {name}()\n{{\nret;\n}}\n")).collect();
        let outline = parse(&format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}")).unwrap();
        for (name, full) in [
            ("step", "_ZL4stepPf"),
            ("reduce0<int>", "_Z7reduce0IiEvPT_S1_j"),
            ("reduce0<float>", "_Z7reduce0IfEvPT_S1_j"),
            ("tile", "_ZN2ns4tileILi16EfEEvPT0_"),
            ("ns::tile<16,float>", "_ZN2ns4tileILi16EfEEvPT0_"),
            ("scan", "_ZN12_GLOBAL__N_14scanEPi"),
            ("_Z4pickf", "_Z4pickf"),
        ] {
            assert_eq!(entry(&outline, name).unwrap(), full, "{name}");
        }
        let next = |name: &str| entry(&outline, name).unwrap_err().next;
        let all = "step, reduce0<int>, reduce0<float>, ns::tile<16, float>, _Z4picki, _Z4pickf, (anonymous namespace)::scan";
        assert_eq!(next("reduce0"), format!("give the full name of one of: {all}"));
        assert_eq!(next("pick"), format!("give the full name of one of: {all}"));
        assert_eq!(next("reduce1"), format!("the kernels are: {all}"));
    }
}
