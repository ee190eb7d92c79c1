//! Executes register-to-register operations on whole warps. Semantics: PTX ISA 9.0, section 9.7.
//!
//! Handlers have one shape: load the operands' 32 lanes, map them, write the result under the mask. What is
//! simple is inlined into the caller, so that it is compiled for the vector instructions that the caller was;
//! what is rare or slow is not. Everything is deterministic: no function of the platform's mathematics
//! library, NaNs are those of GPUs.
//!
//! Handlers know defined values only. One that meets poison writes nothing and says so; then
//! [`with_undefined`] finds out bit by bit what of the result is undefined, and has the operation
//! executed as if all were defined.

mod common;
mod compare;
mod convert;
pub mod float;
pub mod half;
mod integer;
mod lanes;
mod narrow;
mod undefined;

#[cfg(test)]
mod tests;

use crate::{
    exec::registers::Registers,
    ir::{Alu, Combine, Constants},
};

use lanes::Lanes;

pub use common::execute_common;
pub use undefined::with_undefined;

/// Executes `alu` in the lanes of `mask`. False if an operand that counts is poisoned:
/// then nothing has been done.
#[inline(always)]
#[must_use]
pub fn execute(alu: &Alu, registers: &mut Registers, constants: &Constants, mask: u32) -> bool {
    let mut l = Lanes { registers, constants, mask, poisoned: false };
    match *alu {
        Alu::MoveWord { d, a } => l.w1(d, a, |a| a),
        Alu::MovePair { d, a } => l.p1(d, a, |a| a),
        Alu::MovePredicate { d, a } => {
            let (value, poison) = l.predicate(a);
            l.set_predicate(d, value, poison);
        }
        Alu::Word1 { op, d, a } => integer::word1(&mut l, op, d, a),
        Alu::Word2 { op, d, a, b } => integer::word2(&mut l, op, d, a, b),
        Alu::Word3 { op, d, a, b, c } => integer::word3(&mut l, op, d, a, b, c),
        Alu::Lop3 { d, a, b, c, table } => integer::lop3(&mut l, d, a, b, c, table),
        Alu::Bfi { d, a, b, c, e } => integer::bfi(&mut l, d, a, b, c, e),
        Alu::Pair1 { op, d, a } => integer::pair1(&mut l, op, d, a),
        Alu::PairToWord { op, d, a } => integer::pair_to_word(&mut l, op, d, a),
        Alu::Pair2 { op, d, a, b } => integer::pair2(&mut l, op, d, a, b),
        Alu::Pair3 { op, d, a, b, c } => integer::pair3(&mut l, op, d, a, b, c),
        Alu::PairShift { op, d, a, b } => integer::pair_shift(&mut l, op, d, a, b),
        Alu::PairBfe { signed, d, a, b, c } => integer::pair_bfe(&mut l, signed, d, a, b, c),
        Alu::PairBfi { d, a, b, c, e } => integer::pair_bfi(&mut l, d, a, b, c, e),
        Alu::PairSlct { float, ftz, d, a, b, c } => integer::pair_slct(&mut l, float, ftz, d, a, b, c),
        Alu::MulWide { signed, d, a, b } => integer::mul_wide(&mut l, signed, d, a, b),
        Alu::MadWide { signed, d, a, b, c } => integer::mad_wide(&mut l, signed, d, a, b, c),
        Alu::AddCarry { subtract, d, a, b, carry_in, carry_out } => {
            integer::add_carry(&mut l, subtract, d, a, b, carry_in, carry_out);
        }
        Alu::PairAddCarry { subtract, d, a, b, carry_in, carry_out } => {
            integer::pair_add_carry(&mut l, subtract, d, a, b, carry_in, carry_out);
        }
        Alu::Float1 { op, mode, d, a } => float::float1(&mut l, op, mode, d, a),
        Alu::Float2 { op, mode, d, a, b } => float::float2(&mut l, op, mode, d, a, b),
        Alu::FloatFma { mode, d, a, b, c } => float::float_fma(&mut l, mode, d, a, b, c),
        Alu::Double1 { op, mode, d, a } => float::double1(&mut l, op, mode, d, a),
        Alu::Double2 { op, mode, d, a, b } => float::double2(&mut l, op, mode, d, a, b),
        Alu::DoubleFma { mode, d, a, b, c } => float::double_fma(&mut l, mode, d, a, b, c),
        Alu::Half1 { op, kind, mode, d, a } => half::half1(&mut l, op, kind, mode, d, a),
        Alu::Half2 { op, kind, mode, d, a, b } => half::half2(&mut l, op, kind, mode, d, a, b),
        Alu::HalfFma { kind, mode, relu, d, a, b, c } => half::half_fma(&mut l, kind, mode, relu, d, a, b, c),
        Alu::SetPredicate { kind, compare, combine, negated, d, e, a, b, c } => {
            compare::set_predicate(&mut l, kind, compare, (combine, negated, c), d, e, a, b);
        }
        Alu::SetPredicateX2 { kind, compare, d, e, a, b } => {
            compare::set_predicate_x2(&mut l, kind, compare, d, e, a, b)
        }
        Alu::SetX2 { kind, compare, mask, d, a, b } => compare::set_x2(&mut l, kind, compare, mask, d, a, b),
        Alu::TestClass { class, double, d, a } => compare::test_class(&mut l, class, double, d, a),
        Alu::SelectWord { d, a, b, p } => {
            let (p, poisoned) = l.predicate(p);
            let value = lanes::select(l.registers.word(l.constants, a), l.registers.word(l.constants, b), p);
            let poison = l.registers.word_poison(a) & p | l.registers.word_poison(b) & !p | poisoned;
            l.set_word(d, &value, poison);
        }
        Alu::SelectPair { d, a, b, p } => {
            let (p, poisoned) = l.predicate(p);
            let value = lanes::select(l.registers.pair(l.constants, a), l.registers.pair(l.constants, b), p);
            let poison = l.registers.pair_poison(a) & p | l.registers.pair_poison(b) & !p | poisoned;
            l.set_pair(d, &value, poison);
        }
        Alu::Predicate2 { op, d, a, b } => {
            let ((a, a_poison), (b, b_poison)) = (l.predicate(a), l.predicate(b));
            let value = match op {
                Combine::And => a & b,
                Combine::Or => a | b,
                Combine::Xor => a ^ b,
            };
            l.set_predicate(d, value, a_poison | b_poison);
        }
        Alu::PredicateNot { d, a } => {
            let (value, poison) = l.predicate(a);
            l.set_predicate(d, !value, poison);
        }
        Alu::Convert { to, from, mode, integer, d, a } => {
            convert::convert(&mut l, to, from, mode, integer, d, a)
        }
        Alu::ConvertX2 { bf16, mode, relu, finite, d, a, b } => {
            convert::convert_x2(&mut l, bf16, mode, (relu, finite), d, a, b)
        }
        Alu::ConvertTf32 { rounding, relu, d, a } => narrow::to_tf32(&mut l, rounding, relu, d, a),
        Alu::ConvertToBytes { format, from_halves, relu, d, a, b } => {
            narrow::to_bytes(&mut l, format, from_halves, relu, d, a, b);
        }
        Alu::ConvertFromBytes { format, relu, d, a } => narrow::from_bytes(&mut l, format, relu, d, a),
        Alu::ConvertPack { bits, to_signed, d, a, b, c } => {
            convert::pack(&mut l, bits, to_signed, d, a, b, c)
        }
        Alu::AbsDifferences { bits, signed, sum, d, a, b, c } => {
            integer::abs_differences(&mut l, bits, signed, sum, d, a, b, c);
        }
        Alu::PackPair { d, lo, hi } => {
            let value = lanes::map2(l.word(lo), l.word(hi), |lo, hi| u64::from(hi) << 32 | u64::from(lo));
            let poison = l.registers.word_poison(lo) | l.registers.word_poison(hi);
            l.set_pair(d, &value, poison);
        }
        Alu::UnpackPair { lo, hi, a } => {
            let poison = l.registers.pair_poison(a);
            let value = *l.pair(a);
            if lo.is_some() {
                l.set_word(lo, &lanes::map1(&value, |a| a as u32), poison);
            }
            if hi.is_some() {
                l.set_word(hi, &lanes::map1(&value, |a| (a >> 32) as u32), poison);
            }
        }
        Alu::Extract { signed, shift, width, d, a } => {
            let (left, right) = (32 - u32::from(shift) - u32::from(width), 32 - u32::from(width));
            if signed {
                l.w1(d, a, |a| ((a << left) as i32 >> right) as u32);
            } else {
                l.w1(d, a, |a| a << left >> right);
            }
        }
        Alu::Insert { shift, width, d, a } => {
            let field = (u32::MAX >> (32 - u32::from(width))) << shift;
            let value = lanes::map2(l.word(d), l.word(a), |d, a| d & !field | a << shift & field);
            let poison = l.registers.word_poison(d) | l.registers.word_poison(a);
            l.set_word(d, &value, poison);
        }
    }
    !l.poisoned
}
