//! Single- and double-precision arithmetic.

use super::function::Lowering;
use crate::{
    ir::{Alu, Float1, Float2, FloatMode, Pair2, Rounding, Word2},
    ptx::ParsedInstruction,
};

/// Rounding, flushing and saturation as the modifiers say.
pub fn mode(i: &ParsedInstruction<'_>) -> FloatMode {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    let rounding = if has("rz") || has("rzi") {
        Rounding::Zero
    } else if has("rm") || has("rmi") {
        Rounding::Down
    } else if has("rp") || has("rpi") {
        Rounding::Up
    } else if has("rna") {
        Rounding::NearestAway
    } else {
        Rounding::Nearest
    };
    FloatMode { rounding, ftz: has("ftz"), sat: has("sat"), other_last_bit: false }
}

/// Operations of two operands, `min` and `max` included.
pub fn float2(i: &ParsedInstruction<'_>) -> Option<Float2> {
    let has = |modifier: &str| i.modifiers.contains(&modifier);
    Some(match i.opcode {
        "add" => Float2::Add,
        "sub" => Float2::Sub,
        "mul" => Float2::Mul,
        "div" if has("approx") => Float2::DivApprox,
        "div" if has("full") => Float2::DivFull,
        "div" => Float2::Div,
        "min" => match (has("NaN"), has("xorsign")) {
            (false, false) => Float2::Min,
            (true, false) => Float2::MinNan,
            (false, true) => Float2::MinXorsign,
            (true, true) => Float2::MinNanXorsign,
        },
        "max" => match (has("NaN"), has("xorsign")) {
            (false, false) => Float2::Max,
            (true, false) => Float2::MaxNan,
            (false, true) => Float2::MaxXorsign,
            (true, true) => Float2::MaxNanXorsign,
        },
        _ => return None,
    })
}

/// Operations of one operand.
pub fn float1(i: &ParsedInstruction<'_>) -> Option<Float1> {
    let approx = i.modifiers.contains(&"approx");
    let flushes = i.modifiers.contains(&"ftz");
    let double = i.modifiers.contains(&"f64");
    Some(match i.opcode {
        "neg" => Float1::Neg,
        "abs" => Float1::Abs,
        "rcp" if approx && double && flushes => Float1::RcpApproxF64,
        "rcp" if approx => Float1::RcpApprox,
        "rcp" => Float1::Rcp,
        "sqrt" if approx => Float1::SqrtApprox,
        "sqrt" => Float1::Sqrt,
        "rsqrt" if double && flushes => Float1::RsqrtApproxF64,
        "rsqrt" => Float1::RsqrtApprox,
        "sin" => Float1::SinApprox,
        "cos" => Float1::CosApprox,
        "lg2" => Float1::Lg2Approx,
        "ex2" => Float1::Ex2Approx,
        "tanh" => Float1::TanhApprox,
        _ => return None,
    })
}

/// Lowers an instruction on `f32` or `f64`.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let double = match *i.modifiers.last()? {
        "f32" => false,
        "f64" => true,
        _ => return None,
    };
    let mode = mode(i);
    match (&i.operands[..], double) {
        ([d, a], false) => {
            let (op, d, a) = (float1(i)?, l.d_word(d)?, l.float(a)?);
            l.alu(Alu::Float1 { op, mode, d, a })
        }
        ([d, a], true) => {
            let (op, d, a) = (float1(i)?, l.d_pair(d)?, l.double(a)?);
            l.alu(Alu::Double1 { op, mode, d, a })
        }
        ([d, a, b], false) => {
            let (d, a, b) = (l.d_word(d)?, l.float(a)?, l.float(b)?);
            if i.opcode == "copysign" {
                return l.alu(Alu::Word2 { op: Word2::CopysignF32, d, a, b });
            }
            let op = float2(i)?;
            l.alu(Alu::Float2 { op, mode, d, a, b })
        }
        ([d, a, b], true) => {
            let (d, a, b) = (l.d_pair(d)?, l.double(a)?, l.double(b)?);
            if i.opcode == "copysign" {
                return l.alu(Alu::Pair2 { op: Pair2::CopysignF64, d, a, b });
            }
            let op = float2(i)?;
            l.alu(Alu::Double2 { op, mode, d, a, b })
        }
        ([d, a, b, c], false) if matches!(i.opcode, "fma" | "mad") => {
            let (d, a, b, c) = (l.d_word(d)?, l.float(a)?, l.float(b)?, l.float(c)?);
            l.alu(Alu::FloatFma { mode, d, a, b, c })
        }
        ([d, a, b, c], true) if matches!(i.opcode, "fma" | "mad") => {
            let (d, a, b, c) = (l.d_pair(d)?, l.double(a)?, l.double(b)?, l.double(c)?);
            l.alu(Alu::DoubleFma { mode, d, a, b, c })
        }
        _ => None,
    }
}
