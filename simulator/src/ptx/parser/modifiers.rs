//! Modifiers in one order, whatever the text's.
//!
//! An assembler reads them as a set: `ldmatrix.sync.aligned.m8n8.x4.shared.b16` and CUTLASS's
//! `ldmatrix.sync.aligned.x4.m8n8.shared.b16` are one instruction. Order tells apart modifiers of one kind only: to
//! and from which type, to and from which space. So kinds are sorted, and modifiers of one kind stay as they stand.

/// Sorts the modifiers of an instruction.
pub fn sort(modifiers: &mut [&str]) {
    // Nearly always they are sorted, or there is one.
    if modifiers.len() > 1 && !modifiers.is_sorted_by_key(|modifier| kind(modifier)) {
        modifiers.sort_by_key(|modifier| kind(modifier));
    }
}

/// Kinds of modifiers, in the order that instructions are lowered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// What the instruction does: `add`, `lt`, `bulk`, `arrive`, and everything not named below.
    Operation,
    /// `2d`, `a1d`.
    Geometry,
    /// What a surface does beyond its edge, and a shift beyond its width.
    Beyond,
    Sync,
    Aligned,
    /// `m16n8k16`.
    Shape,
    /// `x4`, `v2`.
    Count,
    /// `row`, `col`.
    Layout,
    Transposed,
    Space,
    /// `tile`, `im2col`.
    Mode,
    Rounding,
    Flush,
    Saturation,
    /// What becomes of two predicates, or of two bits.
    Combination,
    /// Who is told that a copy has come.
    Completion,
    Multicast,
    CachePolicy,
    Type,
}

/// True of modifiers that may be words of what an instruction does, not of how.
pub fn names_an_operation(modifier: &str) -> bool {
    kind(modifier) == Kind::Operation
}

fn kind(modifier: &str) -> Kind {
    match modifier {
        "1d" | "2d" | "3d" | "4d" | "5d" | "a1d" | "a2d" => Kind::Geometry,
        "trap" | "clamp" | "zero" => Kind::Beyond,
        "sync" => Kind::Sync,
        "aligned" => Kind::Aligned,
        "x1" | "x2" | "x4" | "v2" | "v4" | "v8" => Kind::Count,
        "row" | "col" => Kind::Layout,
        "trans" => Kind::Transposed,
        "shared" | "shared::cta" | "shared::cluster" | "global" | "local" | "const" | "param"
        | "param::entry" | "param::func" => Kind::Space,
        "tile" | "im2col" => Kind::Mode,
        "rn" | "rz" | "rm" | "rp" | "rna" | "rni" | "rzi" | "rmi" | "rpi" => Kind::Rounding,
        "ftz" | "noftz" => Kind::Flush,
        "sat" | "satfinite" | "relu" => Kind::Saturation,
        "and" | "or" | "xor" | "popc" => Kind::Combination,
        "mbarrier::complete_tx::bytes" | "bulk_group" => Kind::Completion,
        "multicast::cluster" => Kind::Multicast,
        _ if modifier.starts_with("L1::") || modifier.starts_with("L2::") => Kind::CachePolicy,
        _ if is_type(modifier) => Kind::Type,
        _ if is_shape(modifier) => Kind::Shape,
        _ => Kind::Operation,
    }
}

fn is_type(modifier: &str) -> bool {
    crate::ptx::scalar_bytes(modifier) > 0
        || matches!(modifier, "pred" | "b1" | "u2" | "s2" | "u4" | "s4" | "b128" | "b1024")
}

fn is_shape(modifier: &str) -> bool {
    let Some((m, rest)) = modifier.strip_prefix('m').and_then(|rest| rest.split_once('n')) else {
        return false;
    };
    let (n, k) = rest.split_once('k').unwrap_or((rest, "1"));
    [m, n, k].iter().all(|side| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit()))
}
