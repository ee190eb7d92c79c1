//! The operations that kernels are mostly made of, where all lanes of a warp execute.
//!
//! Compiled apart from all others, they are a function that is quickly entered and left; with all of
//! them it costs more than most of the operations do. What they mean is said once, by the handlers
//! that [`super::execute`] has.

use super::{compare, convert, float, integer, lanes::Lanes};
use crate::{
    exec::registers::Registers,
    ir::{
        Alu, Combine, CompareKind, Constants, ConvertKind, FULL, Float2, FloatMode, Pair2, PairShift, Word2,
        Word3,
    },
};

/// Executes `alu` in all lanes, if it is one of these and no operand is poisoned. If
/// not, nothing has been done.
#[inline(always)]
#[must_use]
pub fn execute_common(alu: &Alu, registers: &mut Registers, constants: &Constants) -> bool {
    let mut l = Lanes { registers, constants, mask: FULL, poisoned: false };
    match *alu {
        Alu::MoveWord { d, a } => l.w1(d, a, |a| a),
        Alu::MovePair { d, a } => l.p1(d, a, |a| a),
        Alu::Word2 { op: Word2::Add, d, a, b } => integer::word2(&mut l, Word2::Add, d, a, b),
        Alu::Word2 { op: Word2::MulLo, d, a, b } => integer::word2(&mut l, Word2::MulLo, d, a, b),
        Alu::Word3 { op: Word3::MadLo, d, a, b, c } => integer::word3(&mut l, Word3::MadLo, d, a, b, c),
        Alu::Pair2 { op: Pair2::Add, d, a, b } => integer::pair2(&mut l, Pair2::Add, d, a, b),
        Alu::PairShift { op: PairShift::Shl, d, a, b } => {
            integer::pair_shift(&mut l, PairShift::Shl, d, a, b);
        }
        Alu::MulWide { signed: true, d, a, b } => integer::mul_wide(&mut l, true, d, a, b),
        Alu::Convert {
            to: ConvertKind::S64,
            from: ConvertKind::S32,
            mode: FloatMode { sat: false, ftz: false, .. },
            d,
            a,
            ..
        } => convert::convert(&mut l, ConvertKind::S64, ConvertKind::S32, FloatMode::NEAREST, false, d, a),
        Alu::Float2 { op: Float2::Add, mode: FloatMode::NEAREST, d, a, b } => {
            float::float2(&mut l, Float2::Add, FloatMode::NEAREST, d, a, b);
        }
        Alu::Float2 { op: Float2::Mul, mode: FloatMode::NEAREST, d, a, b } => {
            float::float2(&mut l, Float2::Mul, FloatMode::NEAREST, d, a, b);
        }
        Alu::FloatFma { mode: FloatMode::NEAREST, d, a, b, c } => {
            float::float_fma(&mut l, FloatMode::NEAREST, d, a, b, c);
        }
        Alu::SetPredicate { kind, compare, combine: Combine::And, c, negated, d, e, a, b }
            if !c.is_some() && !e.is_some() =>
        {
            let combined = (Combine::And, negated, c);
            match kind {
                CompareKind::S32 => {
                    compare::set_predicate(&mut l, CompareKind::S32, compare, combined, d, e, a, b);
                }
                CompareKind::U32 => {
                    compare::set_predicate(&mut l, CompareKind::U32, compare, combined, d, e, a, b);
                }
                _ => return false,
            }
        }
        Alu::PredicateNot { d, a } => {
            let (value, poison) = l.predicate(a);
            l.set_predicate(d, !value, poison);
        }
        _ => return false,
    }
    !l.poisoned
}
