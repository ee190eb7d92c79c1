//! The data effect of atomics: one lane's old value and operands in, new value out.

use half::{bf16, f16};

use super::LaneWords;
use crate::ir::{AtomicOp, AtomicType};

/// The value an atomic leaves behind, or none for a compare-and-swap that fails. `flush` says that `.f32`
/// additions flush subnormals to zero, which they do in global but not in shared memory (PTX ISA, `atom`). Up
/// to 8 bytes; of 16 bytes there is [`exchange_16`].
pub fn apply(
    operation: AtomicOp,
    kind: AtomicType,
    old: u64,
    first: u64,
    second: u64,
    flush: bool,
) -> Option<u64> {
    use AtomicOp as Op;
    use AtomicType as Ty;
    let width = if kind.bytes() >= 8 { u64::MAX } else { (1u64 << (8 * u32::from(kind.bytes()))) - 1 };
    let new = match operation {
        Op::Exchange => first,
        Op::CompareAndSwap => {
            if (old ^ first) & width != 0 {
                return None;
            }
            second
        }
        Op::And => old & first,
        Op::Or => old | first,
        Op::Xor => old ^ first,
        Op::Increment => {
            let (old, limit) = (old & width, first & width);
            if old >= limit { 0 } else { old + 1 }
        }
        Op::Decrement => {
            let (old, limit) = (old & width, first & width);
            if old == 0 || old > limit { limit } else { old - 1 }
        }
        Op::Add | Op::Count => match kind {
            Ty::B16 | Ty::B32 | Ty::B64 | Ty::B128 | Ty::U32 | Ty::S32 | Ty::U64 | Ty::S64 => {
                old.wrapping_add(first)
            }
            Ty::F32 => {
                let flushed =
                    |value: f32| if flush && value.is_subnormal() { 0f32.copysign(value) } else { value };
                let sum = flushed(f32::from_bits(old as u32)) + flushed(f32::from_bits(first as u32));
                u64::from(canonical_f32(flushed(sum)))
            }
            Ty::F64 => {
                let (a, b) = (f64::from_bits(old), f64::from_bits(first));
                let sum = a + b;
                // An operand's NaN stays as it is, the new one's first (measured in global memory).
                match (b.is_nan(), a.is_nan()) {
                    (true, _) => first,
                    (_, true) => old,
                    _ if sum.is_nan() => 0xfff8_0000_0000_0000,
                    _ => sum.to_bits(),
                }
            }
            Ty::F16 | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2 => by_halves(kind, old, first, |a, b| a + b),
        },
        Op::Min | Op::Max => {
            let pick =
                |first_is_less: bool| if first_is_less == (operation == Op::Min) { first } else { old };
            match kind {
                Ty::B16 | Ty::B32 | Ty::B64 | Ty::B128 | Ty::U32 | Ty::U64 => {
                    pick(first & width < old & width)
                }
                Ty::S32 => pick((first as i32) < old as i32),
                Ty::S64 => pick((first as i64) < old as i64),
                Ty::F32 => {
                    let (a, b) = (f32::from_bits(old as u32), f32::from_bits(first as u32));
                    u64::from(canonical_f32(if operation == Op::Min { a.min(b) } else { a.max(b) }))
                }
                Ty::F64 => {
                    let (a, b) = (f64::from_bits(old), f64::from_bits(first));
                    (if operation == Op::Min { a.min(b) } else { a.max(b) }).to_bits()
                }
                Ty::F16 | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2 => {
                    // −0 is less than +0.
                    let less = |a: f64, b: f64| a < b || a == b && a.is_sign_negative();
                    by_halves(kind, old, first, |a, b| {
                        let old_is_it = b.is_nan() || !a.is_nan() && less(a, b) == (operation == Op::Min);
                        if old_is_it { a } else { b }
                    })
                }
            }
        }
    };
    Some(new & width)
}

/// What an atomic makes of undefined bits.
pub(super) struct UndefinedBits {
    /// Bits of the value left behind that are undefined.
    pub(super) bits: u64,
    /// What memory holds is used, and nothing wrote it.
    pub(super) reads_undefined: bool,
}

/// What an atomic on these (what memory holds, then the operands) leaves undefined in one lane. Bitwise
/// operations keep bits apart, so that flags of one word may be set one after another; from others, what is
/// undefined in memory is reported and then taken for defined, so that it is said once. An exchange makes
/// nothing of what memory holds: it stores, and whoever uses what it gives back is told.
pub(super) fn undefined(
    operation: AtomicOp,
    kind: AtomicType,
    [current, first, second]: [&LaneWords; 3],
    lane: usize,
) -> UndefinedBits {
    use AtomicOp as Op;
    let width = if kind.bytes() >= 8 { u64::MAX } else { (1u64 << (8 * u32::from(kind.bytes()))) - 1 };
    let of = |words: &LaneWords| (words.pair(lane), words.undefined_pair(lane) & width);
    let ((old, old_u), (value, value_u), (_, second_u)) = (of(current), of(first), of(second));
    let bitwise = matches!(operation, Op::And | Op::Or | Op::Xor | Op::Exchange);
    if old_u == width && operation != Op::Exchange || old_u != 0 && !bitwise {
        return UndefinedBits { bits: 0, reads_undefined: true };
    }
    let all = |undefined: u64| if undefined == 0 { 0 } else { width };
    let bits = match operation {
        Op::And => old_u & (value | value_u) | value_u & (old | old_u),
        Op::Or => old_u & (!value | value_u) | value_u & (!old | old_u),
        Op::Xor => old_u | value_u,
        Op::Exchange => value_u,
        Op::CompareAndSwap => {
            if value_u == 0 {
                second_u
            } else {
                all(value_u)
            }
        }
        Op::Add if !kind.is_float() => value_u | value_u.wrapping_neg(),
        _ => all(value_u),
    };
    UndefinedBits { bits: bits & width, reads_undefined: false }
}

/// The same for 16 bytes, of which there are only exchange and compare-and-swap: what is left behind, or none
/// for a compare-and-swap that fails, and whether what memory holds is used although nothing wrote it.
pub(super) fn exchange_16(
    operation: AtomicOp,
    [current, first, second]: [&LaneWords; 3],
    lane: usize,
) -> (Option<LaneWords>, bool) {
    let undefined = |value: &LaneWords| [0, 1, 2, 3].map(|word| value.undefined(word, lane));
    let swap = operation == AtomicOp::CompareAndSwap;
    let stored = if swap { second } else { first };
    if swap && (0..4).any(|word| current.words[word][lane] != first.words[word][lane]) {
        return (None, undefined(current) != [0; 4]);
    }
    let mut new = LaneWords::ZERO;
    for word in 0..4 {
        new.words[word][lane] = stored.words[word][lane];
    }
    let old = undefined(current);
    if swap && old != [0; 4] {
        return (Some(new), true);
    }
    let compared = swap && undefined(first) != [0; 4];
    for (word, bits) in undefined(stored).into_iter().enumerate() {
        if compared || bits != 0 {
            new.set_undefined(word, lane, if compared { u32::MAX } else { bits });
        }
    }
    (Some(new), false)
}

/// PTX arithmetic gives one NaN.
fn canonical_f32(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// Applies a function to each 16-bit half. The sum of two halves is exact in `f64`, so it is rounded once.
fn by_halves(kind: AtomicType, old: u64, first: u64, combine: impl Fn(f64, f64) -> f64) -> u64 {
    let one = |old: u16, first: u16| -> u16 {
        match kind {
            AtomicType::F16 | AtomicType::F16x2 => {
                let value = combine(f16::from_bits(old).to_f64(), f16::from_bits(first).to_f64());
                if value.is_nan() { 0x7fff } else { f16::from_f64(value).to_bits() }
            }
            _ => {
                let value = combine(bf16::from_bits(old).to_f64(), bf16::from_bits(first).to_f64());
                if value.is_nan() { 0x7fff } else { bf16::from_f64(value).to_bits() }
            }
        }
    };
    let low = one(old as u16, first as u16);
    if kind.bytes() == 2 {
        return u64::from(low);
    }
    u64::from(low) | u64::from(one((old >> 16) as u16, (first >> 16) as u16)) << 16
}
