//! The names that a kernel may mean: CUDA's, C++'s, and those of its own source.

use std::collections::BTreeSet;

/// Names that need no declaration, or that `course.cuh` declares.
const KNOWN: &[&str] = &[
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__syncthreads",
    "__syncthreads_count",
    "__syncthreads_and",
    "__syncthreads_or",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__ballot_sync",
    "__any_sync",
    "__all_sync",
    "__activemask",
    "__match_any_sync",
    "__match_all_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__popc",
    "__ffs",
    "__clz",
    "__brev",
    "__ldg",
    "__ldcs",
    "__stcs",
    "__float2int_rn",
    "__int2float_rn",
    "__fmaf_rn",
    "__expf",
    "__logf",
    "__sinf",
    "__cosf",
    "__powf",
    "__fdividef",
    "atomicAdd",
    "atomicSub",
    "atomicExch",
    "atomicMin",
    "atomicMax",
    "atomicInc",
    "atomicDec",
    "atomicCAS",
    "atomicAnd",
    "atomicOr",
    "atomicXor",
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__restrict__",
    "__launch_bounds__",
    "__forceinline__",
    "__noinline__",
    "int",
    "unsigned",
    "float",
    "double",
    "bool",
    "char",
    "short",
    "long",
    "void",
    "const",
    "constexpr",
    "static",
    "extern",
    "volatile",
    "struct",
    "template",
    "typename",
    "return",
    "break",
    "continue",
    "for",
    "while",
    "if",
    "else",
    "switch",
    "case",
    "true",
    "false",
    "nullptr",
    "size_t",
    "uint3",
    "dim3",
    "float2",
    "float3",
    "float4",
    "int2",
    "int3",
    "int4",
    "uint2",
    "uint4",
    "double2",
    "make_float2",
    "make_float4",
    "make_int2",
    "make_int4",
    "printf",
    "assert",
    "clock64",
    "min",
    "max",
    "abs",
    "fabsf",
    "fminf",
    "fmaxf",
    "fmaf",
    "sqrtf",
    "rsqrtf",
    "expf",
    "logf",
    "powf",
    "sinf",
    "cosf",
    "tanhf",
    "floorf",
    "ceilf",
    "roundf",
    "fmodf",
    "INFINITY",
    "LAUNCH_CONSTANT",
    "ceil_div",
    "wait_for",
    "INT_MAX",
    "INT_MIN",
];

/// The known name that this one is most likely a misspelling of.
pub(super) fn nearest(source: &str, name: &str) -> Option<String> {
    let own =
        words(source).filter(|word| *word != name && declared(source, word).is_some()).map(str::to_owned);
    let known = KNOWN.iter().map(|known| (*known).to_owned());
    let candidates: BTreeSet<String> = own.chain(known).collect();
    // A letter in short names, two in longer ones; in names of one or two letters every other name is near.
    let most = match name.chars().count() {
        0..3 => return is_other_case(&candidates, name),
        3..6 => 1,
        _ => 2,
    };
    let distance =
        |candidate: &str| strsim::damerau_levenshtein(&candidate.to_lowercase(), &name.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (distance(&candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

fn is_other_case(candidates: &BTreeSet<String>, name: &str) -> Option<String> {
    candidates.iter().find(|candidate| candidate.eq_ignore_ascii_case(name)).cloned()
}

/// The line (from 1) where a variable or function of that name is declared, as far as a look at its line tells: a type
/// stands before it, and `=`, `;`, `(`, `[` or `,` behind it.
pub(super) fn declared(source: &str, name: &str) -> Option<u32> {
    const NO_TYPES: [&str; 7] = ["return", "else", "case", "goto", "new", "delete", "typename"];
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    (1..).zip(source.lines().map(code)).find_map(|(number, line)| {
        let declares = line.match_indices(name).any(|(at, _)| {
            let (before, behind) = (line[..at].trim_end_matches(['*', '&', ' ']), &line[at + name.len()..]);
            let is_apart = line[..at].ends_with([' ', '*', '&']) && !behind.starts_with(is_of_a_word);
            let kind = before.rsplit(|c: char| !is_of_a_word(c)).next().unwrap_or_default();
            let is_type =
                kind.starts_with(|c: char| c.is_alphabetic() || c == '_') && !NO_TYPES.contains(&kind);
            is_apart && is_type && behind.trim_start().starts_with(['=', ';', '(', '[', ',', ')', ':'])
        });
        declares.then_some(number)
    })
}

fn words(source: &str) -> impl Iterator<Item = &str> {
    source
        .split(|c: char| !is_of_a_word(c))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_found_and_another_is_not() {
        for (name, meant) in [
            ("treadIdx", "threadIdx"),
            ("__syncthread", "__syncthreads"),
            ("atomicadd", "atomicAdd"),
            ("Int", "int"),
            ("flaot", "float"),
        ] {
            assert_eq!(nearest("", name).as_deref(), Some(meant), "{name}");
        }
        assert_eq!(nearest("int index = 0;", "indx").as_deref(), Some("index"));
        assert_eq!(nearest("x16 = x17;", "x36"), None, "neither is declared");
        for name in ["i", "reduce", "tile", "x1"] {
            assert_eq!(nearest("", name), None, "{name}");
        }
    }

    #[test]
    fn a_declaration_is_a_name_behind_a_type() {
        for declares in [
            "int i = 0;",
            "a = 1;\nfor (int i = 0; ; )",
            "float *i;",
            "const float i[3];",
            "auto i = 3, j = 4;",
        ] {
            assert!(declared(declares, "i").is_some(), "{declares}");
        }
        for uses in ["return i;", "a[i] = 1;", "x = i;", "int index;", "// int i;", "else i = 1;"] {
            assert_eq!(declared(uses, "i"), None, "{uses}");
        }
        assert_eq!(declared("int a;\n\n__device__ float f(float x) {", "f"), Some(3));
    }
}
