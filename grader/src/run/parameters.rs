//! What a kernel's parameters are called and how large they are: for whoever passes one by its bytes.
//!
//! PTX knows sizes; what the learner calls a parameter stands only in the source. The source is read as text, and where it
//! cannot be told, the name is the PTX's.

use warpsim::Outline;

/// A parameter of the kernel to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// As the source calls it, or the PTX.
    pub name: String,
    /// The name is the source's.
    pub in_source: bool,
    /// Size in bytes.
    pub bytes: usize,
}

/// Of a kernel by its names in the PTX and in the source, if there is one.
pub fn of(outline: &Outline, kernel: &str, entry: &str, source: Option<&str>) -> Vec<Parameter> {
    let declared = outline.signatures.get(kernel).map_or(&[][..], Vec::as_slice);
    let names = source.map(|source| names(source, entry)).filter(|names| names.len() == declared.len());
    let parameter = |(index, declared): (usize, &warpsim::DeclaredParameter)| Parameter {
        name: names.as_ref().map_or(&declared.name, |names| &names[index]).clone(),
        in_source: names.is_some(),
        bytes: usize::try_from(declared.bytes).unwrap_or(usize::MAX),
    };
    declared.iter().enumerate().map(parameter).collect()
}

/// The parameters' names in a kernel's declaration; none where the text has no such kernel.
fn names(source: &str, entry: &str) -> Vec<String> {
    let plain = entry.split('<').next().unwrap_or(entry);
    let plain = plain.rsplit("::").next().unwrap_or(plain);
    source.split("__global__").skip(1).find_map(|kernel| parameters(kernel, plain)).unwrap_or_default()
}

/// The same of the text behind `__global__`, if that is the kernel's.
fn parameters(text: &str, kernel: &str) -> Option<Vec<String>> {
    let is_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
    let at = text.match_indices(kernel).map(|(at, _)| at).find(|&at| {
        !text[..at].ends_with(is_of_a_word) && text[at + kernel.len()..].trim_start().starts_with('(')
    })?;
    // A body before it belongs to another kernel.
    if text[..at].contains(['{', ';']) {
        return None;
    }
    let open = at + text[at..].find('(')?;
    let (mut depth, mut names, mut from) = (0, Vec::new(), open + 1);
    for (at, c) in text[open..].char_indices().map(|(at, c)| (open + at, c)) {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && c == ',' {
            let declared = text[from..at].split(['=', '[']).next().unwrap_or_default().trim_end();
            let name = declared.rsplit(|c| !is_of_a_word(c)).next().unwrap_or_default();
            if !name.is_empty() {
                names.push(name.to_owned());
            }
            from = at + 1;
        }
        if depth == 0 {
            return Some(names);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_declaration() {
        let source = "struct P { float x; };\n__global__ void other(int n) { kernel(n); }\n\
                      template <int N> __global__ void __launch_bounds__(256, 2)\n  kernel(const P p, float *__restrict__ out,\n\
                      Pair<int, float> pair, int (n))\n{ }\nextern \"C\" __global__ void none() {}\n";
        assert_eq!(names(source, "kernel<16>"), ["p", "out", "pair"]);
        assert_eq!(names(source, "other"), ["n"]);
        assert!(names(source, "none").is_empty() && names(source, "missing").is_empty());
        assert!(names("__global__ void k(int a, float", "k").is_empty());
    }
}
