//! Arithmetic on `f16`, `bf16` and two of them in a word.

use super::{
    float::{float1, float2, mode},
    function::Lowering,
};
use crate::{
    ir::{Alu, HalfKind},
    ptx::ParsedInstruction,
};

/// Lowers an instruction on 16-bit floats.
pub fn lower(l: &mut Lowering<'_, '_, '_>, i: &ParsedInstruction<'_>) -> Option<()> {
    let kind: HalfKind = i.modifiers.last()?.parse().ok()?;
    let mode = mode(i);
    match i.operands.len() {
        2 => {
            let op = float1(i)?;
            let (d, a) = l.words2(&i.operands)?;
            l.alu(Alu::Half1 { op, kind, mode, d, a })
        }
        3 => {
            let op = float2(i)?;
            let (d, a, b) = l.words3(&i.operands)?;
            l.alu(Alu::Half2 { op, kind, mode, d, a, b })
        }
        4 if i.opcode == "fma" && !i.modifiers.contains(&"oob") => {
            let (d, a, b, c) = l.words4(&i.operands)?;
            l.alu(Alu::HalfFma { kind, mode, relu: i.modifiers.contains(&"relu"), d, a, b, c })
        }
        _ => None,
    }
}
