//! Comparisons that give predicates or masks.

use super::{
    float::flush,
    half::{self, BF16, F16, widen},
    lanes::{Lanes, test2},
};
use crate::ir::{Class, Combine, Compare, CompareKind, Pair, Predicate, Word};

/// Lanes of two integer operands that compare so.
#[inline(always)]
fn order<T: Copy + PartialOrd>(compare: Compare, a: &[T; 32], b: &[T; 32]) -> u32 {
    match compare {
        Compare::Eq => test2(a, b, |a, b| a == b),
        Compare::Ne => test2(a, b, |a, b| a != b),
        Compare::Lt => test2(a, b, |a, b| a < b),
        Compare::Le => test2(a, b, |a, b| a <= b),
        Compare::Gt => test2(a, b, |a, b| a > b),
        Compare::Ge => test2(a, b, |a, b| a >= b),
        // Only floats have these.
        _ => 0,
    }
}

/// Lanes of two float operands that compare so. `ne` is false when one is NaN.
#[inline(always)]
fn order_floats<T: Copy + PartialOrd>(compare: Compare, a: &[T; 32], b: &[T; 32]) -> u32 {
    #[expect(clippy::eq_op, reason = "NaN is not equal to itself")]
    let unordered = || test2(a, b, |a, b| a != a || b != b);
    match compare {
        Compare::Ne => test2(a, b, |a, b| a != b) & !unordered(),
        Compare::Equ => order(Compare::Eq, a, b) | unordered(),
        Compare::Neu => test2(a, b, |a, b| a != b),
        Compare::Ltu => order(Compare::Lt, a, b) | unordered(),
        Compare::Leu => order(Compare::Le, a, b) | unordered(),
        Compare::Gtu => order(Compare::Gt, a, b) | unordered(),
        Compare::Geu => order(Compare::Ge, a, b) | unordered(),
        Compare::Num => !unordered(),
        Compare::Nan => unordered(),
        _ => order(compare, a, b),
    }
}

#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the fields of one operation")]
pub fn set_predicate(
    l: &mut Lanes<'_>,
    kind: CompareKind,
    compare: Compare,
    (combine, negated, c): (Combine, bool, Predicate),
    d: Predicate,
    e: Predicate,
    a: u16,
    b: u16,
) {
    let (wa, wb, pa, pb) = (Word(a), Word(b), Pair(a), Pair(b));
    let wide = matches!(kind, CompareKind::S64 | CompareKind::U64 | CompareKind::F64);
    macro_rules! words {
        ($order:ident, $f:expr) => {{
            let (a, b) = (super::lanes::map1(l.word(wa), $f), super::lanes::map1(l.word(wb), $f));
            $order(compare, &a, &b)
        }};
    }
    macro_rules! pairs {
        ($order:ident, $f:expr) => {{
            let (a, b) = (super::lanes::map1(l.pair(pa), $f), super::lanes::map1(l.pair(pb), $f));
            $order(compare, &a, &b)
        }};
    }
    let found = match kind {
        CompareKind::S32 => words!(order, |a| a as i32),
        CompareKind::U32 => words!(order, |a| a),
        CompareKind::S16 => words!(order, |a| a as i16),
        CompareKind::U16 => words!(order, |a| a as u16),
        CompareKind::F32 => words!(order_floats, f32::from_bits),
        CompareKind::F32Ftz => words!(order_floats, |a| flush(f32::from_bits(a))),
        CompareKind::F16 => words!(order_floats, |a| widen(F16, a as u16)),
        CompareKind::F16Ftz => words!(order_floats, |a| widen(F16, half::flush(F16, a as u16))),
        CompareKind::Bf16 => words!(order_floats, |a| widen(BF16, a as u16)),
        CompareKind::S64 => pairs!(order, |a| a as i64),
        CompareKind::U64 => pairs!(order, |a| a),
        CompareKind::F64 => pairs!(order_floats, f64::from_bits),
    };
    let mut poison = if wide {
        l.registers.pair_poison(pa) | l.registers.pair_poison(pb)
    } else {
        l.registers.word_poison(wa) | l.registers.word_poison(wb)
    };
    // Without a third predicate: and with true.
    let (mut other, mut other_poison) = (u32::MAX, 0);
    if c.is_some() {
        (other, other_poison) = l.predicate(c);
        if negated {
            other = !other;
        }
    }
    poison |= other_poison;
    let combined = |found: u32| match combine {
        Combine::And => found & other,
        Combine::Or => found | other,
        Combine::Xor => found ^ other,
    };
    l.set_predicate(d, combined(found), poison);
    if e.is_some() {
        l.set_predicate(e, combined(!found), poison);
    }
}

/// Both halves compared: lanes of the low ones, lanes of the upper ones.
fn compare_x2(l: &Lanes<'_>, kind: CompareKind, compare: Compare, a: Word, b: Word) -> (u32, u32) {
    let value = |bits: u16| match kind {
        CompareKind::Bf16 => widen(BF16, bits),
        CompareKind::F16Ftz => widen(F16, half::flush(F16, bits)),
        _ => widen(F16, bits),
    };
    let half = |word: Word, shift: u32| super::lanes::map1(l.word(word), |a| value((a >> shift) as u16));
    (order_floats(compare, &half(a, 0), &half(b, 0)), order_floats(compare, &half(a, 16), &half(b, 16)))
}

#[inline(never)]
pub fn set_predicate_x2(
    l: &mut Lanes<'_>,
    kind: CompareKind,
    compare: Compare,
    d: Predicate,
    e: Predicate,
    a: Word,
    b: Word,
) {
    let (low, high) = compare_x2(l, kind, compare, a, b);
    let poison = l.registers.word_poison(a) | l.registers.word_poison(b);
    l.set_predicate(d, low, poison);
    l.set_predicate(e, high, poison);
}

#[inline(never)]
pub fn set_x2(l: &mut Lanes<'_>, kind: CompareKind, compare: Compare, mask: bool, d: Word, a: Word, b: Word) {
    let (low, high) = compare_x2(l, kind, compare, a, b);
    let yes: u32 = match (mask, kind) {
        (true, _) => 0xFFFF,
        (false, CompareKind::Bf16) => 0x3F80,
        (false, _) => 0x3C00,
    };
    let poison = l.registers.word_poison(a) | l.registers.word_poison(b);
    let value = std::array::from_fn(|lane| (yes * (low >> lane & 1)) | ((yes * (high >> lane & 1)) << 16));
    l.set_word(d, &value, poison);
}

#[inline(never)]
pub fn test_class(l: &mut Lanes<'_>, class: Class, double: bool, d: Predicate, a: u16) {
    let (found, poison) = if double {
        let a = Pair(a);
        let test = |x: f64| match class {
            Class::Finite => x.is_finite(),
            Class::Infinite => x.is_infinite(),
            Class::Number => !x.is_nan(),
            Class::NotANumber => x.is_nan(),
            // Zeros too, in spite of the name: so GPUs do.
            Class::Normal => x.is_normal() || x == 0.0,
            Class::Subnormal => x.is_subnormal(),
        };
        let value = l.pair(a);
        (test2(value, value, |a, _| test(f64::from_bits(a))), l.registers.pair_poison(a))
    } else {
        let a = Word(a);
        let test = |x: f32| match class {
            Class::Finite => x.is_finite(),
            Class::Infinite => x.is_infinite(),
            Class::Number => !x.is_nan(),
            Class::NotANumber => x.is_nan(),
            // Zeros too, in spite of the name: so GPUs do.
            Class::Normal => x.is_normal() || x == 0.0,
            Class::Subnormal => x.is_subnormal(),
        };
        let value = l.word(a);
        (test2(value, value, |a, _| test(f32::from_bits(a))), l.registers.word_poison(a))
    };
    l.set_predicate(d, found, poison);
}
