//! What a kernel's parameters are called, how large they are and what fits them: for whoever passes one by its bytes, or
//! too few of them.
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

/// An argument that fits each parameter of a kernel: what the parameter is called, and what to write behind `--arg`.
pub fn examples(outline: &Outline, kernel: &str, entry: &str, source: Option<&str>) -> Vec<(String, String)> {
    let types = outline.parameters.get(kernel).map_or(&[][..], Vec::as_slice);
    let declared = source.map(|source| declared(source, entry)).filter(|known| known.len() == types.len());
    let of_parameter = |(index, parameter): (usize, Parameter)| {
        let text = declared.as_ref().map(|declared| declared[index].text.as_str());
        let scalar = types.get(index).map_or("", String::as_str);
        let example = text.and_then(by_declaration).unwrap_or_else(|| by_type(scalar, parameter.bytes));
        (parameter.name, example)
    };
    of(outline, kernel, entry, source).into_iter().enumerate().map(of_parameter).collect()
}

/// What fits a parameter as the source declares it; none where its type says too little.
fn by_declaration(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let has = |word: &str| words.contains(&word);
    if has("cudaTextureObject_t") {
        return Some("texture:f32:32x32=random:1".to_owned());
    }
    if has("cudaSurfaceObject_t") {
        return Some("surface:f32:32x32".to_owned());
    }
    if has("CUtensorMap") {
        return Some("tensormap:16x16:in:f32:64x64=random:1".to_owned());
    }
    let unsigned = has("unsigned");
    let counts = |word: &str| words.iter().filter(|known| **known == word).count();
    let element = match () {
        () if has("float") || has("float2") || has("float4") => "f32",
        () if has("double") || has("double2") => "f64",
        () if has("half") || has("__half") || has("half2") || has("__half2") => "f16",
        () if has("__nv_bfloat16") || has("__nv_bfloat162") => "bf16",
        () if has("uint8_t") || has("bool") || unsigned && has("char") => "u8",
        () if has("int8_t") || has("char") => "i8",
        () if has("uint16_t") || unsigned && has("short") => "u16",
        () if has("int16_t") || has("short") => "i16",
        () if has("uint64_t") || has("size_t") || unsigned && counts("long") > 0 => "u64",
        () if has("int64_t") || counts("long") > 0 => "i64",
        () if has("uint32_t") || has("uint") || unsigned => "u32",
        () if has("int32_t") || has("int") => "i32",
        () => return None,
    };
    if !text.contains(['*', '[']) {
        let is_vector = VECTORS.iter().any(|vector| has(vector));
        let value = if element.contains('f') { "1.0" } else { "1" };
        return (!is_vector && !text.contains(['<', '&'])).then(|| format!("{element}:{value}"));
    }
    let is_read = has("const") && text.find("const") < text.find(['*', '[']);
    Some(match is_read {
        true => format!("in:{element}:1024=random:1"),
        false => format!("inout:{element}:1024=zeros"),
    })
}

/// What fits a parameter of a PTX type.
fn by_type(scalar: &str, bytes: usize) -> String {
    match (scalar, bytes) {
        ("f32" | "f64", _) => format!("{scalar}:1.0"),
        // Only of pointers: an integer of that size has no name of its own.
        ("u64" | "s64" | "b64", _) => "inout:f32:1024=zeros (or i64:1 of an integer)".to_owned(),
        ("u32" | "s32" | "b32", _) => "i32:1".to_owned(),
        ("u16" | "s16" | "b16", _) => "i16:1".to_owned(),
        ("u8" | "s8", _) => "u8:1".to_owned(),
        (_, bytes) if bytes <= MOST_BYTES_SHOWN => format!("bytes:{}", "00".repeat(bytes)),
        (_, bytes) => format!("bytes:@FILE (of {bytes} bytes)"),
    }
}

/// Types that a value of one number does not fit.
const VECTORS: [&str; 6] = ["float2", "float4", "double2", "half2", "__half2", "__nv_bfloat162"];
/// A larger structure comes from a file.
const MOST_BYTES_SHOWN: usize = 16;

/// A parameter as the source declares it.
struct Declared {
    name: String,
    text: String,
}

/// The parameters' names in a kernel's declaration; none where the text has no such kernel.
fn names(source: &str, entry: &str) -> Vec<String> {
    declared(source, entry).into_iter().map(|parameter| parameter.name).collect()
}

/// The parameters in a kernel's declaration; none where the text has no such kernel.
fn declared(source: &str, entry: &str) -> Vec<Declared> {
    let plain = entry.split('<').next().unwrap_or(entry);
    let plain = plain.rsplit("::").next().unwrap_or(plain);
    source.split("__global__").skip(1).find_map(|kernel| parameters(kernel, plain)).unwrap_or_default()
}

/// The same of the text behind `__global__`, if that is the kernel's.
fn parameters(text: &str, kernel: &str) -> Option<Vec<Declared>> {
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
                names.push(Declared { name: name.to_owned(), text: text[from..at].to_owned() });
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

    #[test]
    fn every_example_is_one_that_run_takes() {
        for (declared, example) in [
            ("const float *__restrict__ in", "in:f32:1024=random:1"),
            ("float *const out", "inout:f32:1024=zeros"),
            ("unsigned long long *counts", "inout:u64:1024=zeros"),
            ("volatile int flags[]", "inout:i32:1024=zeros"),
            ("const __half *h", "in:f16:1024=random:1"),
            ("int n", "i32:1"),
            ("unsigned n", "u32:1"),
            ("size_t n", "u64:1"),
            ("const double scale", "f64:1.0"),
            ("cudaTextureObject_t image", "texture:f32:32x32=random:1"),
            ("cudaSurfaceObject_t image", "surface:f32:32x32"),
            ("const __grid_constant__ CUtensorMap map", "tensormap:16x16:in:f32:64x64=random:1"),
        ] {
            assert_eq!(by_declaration(declared).as_deref(), Some(example), "{declared}");
            let taken = example.parse::<launch_options::Specification>();
            assert!(taken.is_ok(), "{example}: {taken:?}");
        }
        for untold in ["T *data", "Particle p", "Pair<int, float> pair", "float4 v"] {
            assert_eq!(by_declaration(untold), None, "{untold}");
        }
        for (scalar, bytes) in [("f32", 4), ("u32", 4), ("u16", 2), ("u8", 1), ("f64", 8), ("b8", 12)] {
            let example = by_type(scalar, bytes);
            let taken = example.parse::<launch_options::Specification>();
            assert!(taken.is_ok(), "{example}: {taken:?}");
        }
    }
}
