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
enum ModifierKind {
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
    kind(modifier) == ModifierKind::Operation
}

fn kind(modifier: &str) -> ModifierKind {
    match modifier {
        "1d" | "2d" | "3d" | "4d" | "5d" | "a1d" | "a2d" => ModifierKind::Geometry,
        "trap" | "clamp" | "zero" => ModifierKind::Beyond,
        "sync" => ModifierKind::Sync,
        "aligned" => ModifierKind::Aligned,
        "x1" | "x2" | "x4" | "v2" | "v4" | "v8" => ModifierKind::Count,
        "row" | "col" => ModifierKind::Layout,
        "trans" => ModifierKind::Transposed,
        "shared" | "shared::cta" | "shared::cluster" | "global" | "local" | "const" | "param"
        | "param::entry" | "param::func" => ModifierKind::Space,
        "tile" | "im2col" => ModifierKind::Mode,
        "rn" | "rz" | "rm" | "rp" | "rna" | "rni" | "rzi" | "rmi" | "rpi" => ModifierKind::Rounding,
        "ftz" | "noftz" => ModifierKind::Flush,
        "sat" | "satfinite" | "relu" => ModifierKind::Saturation,
        "and" | "or" | "xor" | "popc" => ModifierKind::Combination,
        "mbarrier::complete_tx::bytes" | "bulk_group" => ModifierKind::Completion,
        "multicast::cluster" => ModifierKind::Multicast,
        _ if modifier.starts_with("L1::") || modifier.starts_with("L2::") => ModifierKind::CachePolicy,
        _ if is_type(modifier) => ModifierKind::Type,
        _ if is_shape(modifier) => ModifierKind::Shape,
        _ => ModifierKind::Operation,
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
