//! How much arithmetic an operation is: what arithmetic intensity and rates are made from.

use super::{Alu, Float1, Float2, HalfKind, Op};

impl Op {
    /// Floating-point operations of one lane, as roofline models count them: 1 for an addition,
    /// subtraction, multiplication, division, root or approximated function, 2 for a fused multiply-add,
    /// twice that for two packed halves. Comparisons, minima, signs and conversions are none, nor is what
    /// an atomic does at the memory.
    pub fn floating_point_operations(&self) -> u8 {
        let Op::Alu(alu) = self else { return 0 };
        match *alu {
            Alu::Float1 { op, .. } | Alu::Double1 { op, .. } => one(op),
            Alu::Float2 { op, .. } | Alu::Double2 { op, .. } => two(op),
            Alu::FloatFma { .. } | Alu::DoubleFma { .. } => 2,
            Alu::Half1 { op, kind, .. } => one(op) * halves(kind),
            Alu::Half2 { op, kind, .. } => two(op) * halves(kind),
            Alu::HalfFma { kind, .. } => 2 * halves(kind),
            _ => 0,
        }
    }
}

fn one(op: Float1) -> u8 {
    match op {
        Float1::Neg | Float1::Abs => 0,
        _ => 1,
    }
}

fn two(op: Float2) -> u8 {
    match op {
        Float2::Add | Float2::Sub | Float2::Mul | Float2::Div | Float2::DivApprox | Float2::DivFull => 1,
        _ => 0,
    }
}

fn halves(kind: HalfKind) -> u8 {
    match kind {
        HalfKind::F16 | HalfKind::Bf16 => 1,
        HalfKind::F16x2 | HalfKind::Bf16x2 => 2,
    }
}
