//! `cvt`.

use std::str::FromStr;

use super::{
    float::mode,
    function::{Lowering, NamedRegister},
};
use crate::{
    ir::{Alu, ByteFormat, ConvertKind, Rounding, Word},
    ptx::{Operand, ParsedInstruction},
};

/// Lowers a conversion.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    if has("pack") {
        return pack(l, i);
    }
    let [.., to, from] = i.modifiers[..] else { return None };
    let mode = mode(i);
    let (relu, finite) = (has("relu"), has("satfinite"));
    if let Some(lowered) = narrow(l, i, (to, from), relu) {
        return lowered;
    }
    match (to, from, &i.operands[..]) {
        ("f16x2" | "bf16x2", "f32", [d, a, b]) => {
            let (d, a, b) = (l.d_word(d)?, l.float(a)?, l.float(b)?);
            return l.alu(Alu::ConvertX2 { bf16: to == "bf16x2", mode, relu, finite, d, a, b });
        }
        // One is two of which the upper one does not matter.
        ("f16" | "bf16", "f32", [d, b]) if relu || finite => {
            let (d, a, b) = (l.d_word(d)?, l.word_bits(0), l.float(b)?);
            return l.alu(Alu::ConvertX2 { bf16: to == "bf16", mode, relu, finite, d, a, b });
        }
        _ if relu || finite => return None,
        _ => {}
    }
    let [d, a] = &i.operands[..] else { return None };
    let (to, from) = (ConvertKind::from_str(to).ok()?, ConvertKind::from_str(from).ok()?);
    let a = match (from, from.is_wide()) {
        (ConvertKind::F32, _) => l.float(a)?.0,
        (ConvertKind::F64, _) => l.double(a)?.0,
        (_, true) => l.pair(a)?.0,
        (_, false) => l.word(a)?.0,
    };
    let integral = ["rni", "rzi", "rmi", "rpi"].iter().any(|m| has(m));
    // Integer to integer has no rounding; the mode's default keeps equal conversions equal.
    let mode = if to.is_float() || from.is_float() {
        mode
    } else {
        crate::ir::FloatMode { rounding: Rounding::Nearest, ..mode }
    };
    // The destination may be wider than the type: then it is sign- or zero-extended.
    match (l.register(d), to.is_wide()) {
        (Some(NamedRegister::Pair(d)), false) => {
            let low = l.new_word();
            l.alu(Alu::Convert { to, from, mode, integer: integral, d: low.0, a })?;
            let extended = if to.is_signed() { ConvertKind::S32 } else { ConvertKind::U32 };
            l.alu(Alu::Convert {
                to: if to.is_signed() { ConvertKind::S64 } else { ConvertKind::U64 },
                from: extended,
                mode: crate::ir::FloatMode::NEAREST,
                integer: false,
                d: d.0,
                a: low.0,
            })
        }
        (_, true) => {
            let d = l.d_pair(d)?.0;
            l.alu(Alu::Convert { to, from, mode, integer: integral, d, a })
        }
        (_, false) => {
            let d = l.d_word(d)?.0;
            l.alu(Alu::Convert { to, from, mode, integer: integral, d, a })
        }
    }
}

/// Conversions to and from the formats of tensor cores; nothing for others.
fn narrow(
    l: &mut Lowering<'_, '_, '_>,
    i: &ParsedInstruction<'_>,
    (to, from): (&str, &str),
    relu: bool,
) -> Option<Option<()>> {
    let format = |name: &str| match name {
        "e4m3x2" => Some(ByteFormat::E4m3),
        "e5m2x2" => Some(ByteFormat::E5m2),
        _ => None,
    };
    let rounding = match () {
        () if i.modifiers.contains(&"rna") => Rounding::NearestAway,
        () if i.modifiers.contains(&"rz") => Rounding::Zero,
        () => Rounding::Nearest,
    };
    let lower = || {
        let alu = match (to, from, &i.operands[..]) {
            ("tf32", "f32", [d, a]) if !i.modifiers.contains(&"satfinite") => {
                Alu::ConvertTf32 { rounding, relu, d: l.d_word(d)?, a: l.float(a)? }
            }
            ("f16x2", from, [d, a]) => {
                Alu::ConvertFromBytes { format: format(from)?, relu, d: l.d_word(d)?, a: l.word(a)? }
            }
            (to, "f32", [d, a, b]) => {
                let (format, d, a, b) = (format(to)?, l.d_word(d)?, l.float(a)?, l.float(b)?);
                Alu::ConvertToBytes { format, from_halves: false, relu, d, a, b }
            }
            (to, "f16x2", [d, b]) => {
                let (format, d, a, b) = (format(to)?, l.d_word(d)?, l.word_bits(0), l.word(b)?);
                Alu::ConvertToBytes { format, from_halves: true, relu, d, a, b }
            }
            _ => return None,
        };
        l.alu(alu)
    };
    let is_narrow = to == "tf32" || format(to).is_some() || format(from).is_some();
    is_narrow.then(lower)
}

/// `cvt.pack.sat.to.from{.b32} d, a, b{, c}`.
fn pack(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let ["pack", "sat", to, from, ..] = i.modifiers[..] else { return None };
    let (bits, to_signed) = match to {
        "u16" => (16, false),
        "s16" => (16, true),
        "u8" => (8, false),
        "s8" => (8, true),
        "u4" => (4, false),
        "s4" => (4, true),
        "u2" => (2, false),
        "s2" => (2, true),
        _ => return None,
    };
    if from != "s32" {
        return None;
    }
    let (d, a, b, c): (Word, Word, Word, Word) = match &i.operands[..] {
        [d, a, b] if bits == 16 => (l.d_word(d)?, l.word(a)?, l.word(b)?, l.word(&Operand::Integer(0))?),
        [d, a, b, c] if bits < 16 => (l.d_word(d)?, l.word(a)?, l.word(b)?, l.word(c)?),
        _ => return None,
    };
    l.alu(Alu::ConvertPack { bits, to_signed, d, a, b, c })
}
