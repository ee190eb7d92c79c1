//! How undefined bits spread through logic, sums, shifts, fields, selections and comparisons.

use crate::ir::{Combine, Compare};

/// An operand of one lane: its bits, and those of them that are undefined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) bits: u64,
    pub(super) undefined: u64,
}

impl Value {
    /// The low bits only.
    pub(super) fn low(self, width: u64) -> Value {
        Value { bits: self.bits & width, undefined: self.undefined & width }
    }

    /// Bits that are certainly 1.
    pub(super) fn ones(self) -> u64 {
        self.bits & !self.undefined
    }

    /// Bits that may be 1.
    pub(super) fn may_be_one(self) -> u64 {
        self.bits | self.undefined
    }

    /// Bits that may be 0.
    pub(super) fn may_be_zero(self) -> u64 {
        !self.bits | self.undefined
    }

    pub(super) fn is_defined(self) -> bool {
        self.undefined == 0
    }

    pub(super) fn is_zero(self) -> bool {
        self.may_be_one() == 0
    }

    /// From the low 32 bits to 64, by their sign or not.
    pub(super) fn extend(self, signed: bool) -> Value {
        if !signed {
            return self.low(W);
        }
        Value {
            bits: self.bits as i32 as i64 as u64,
            // An undefined sign makes all its copies undefined.
            undefined: self.undefined as i32 as i64 as u64,
        }
    }
}

pub(super) const W: u64 = 0xFFFF_FFFF;
pub(super) const H: u64 = 0xFFFF;

/// All of `width` if anything is undefined.
pub(super) fn all(undefined: u64, width: u64) -> u64 {
    if undefined == 0 { 0 } else { width }
}

/// From the lowest undefined bit upwards.
pub(super) fn upwards(undefined: u64) -> u64 {
    undefined | undefined.wrapping_neg()
}

/// Each half for itself.
pub(super) fn by_halves(undefined: u64, f: impl Fn(u64) -> u64) -> u64 {
    (f(undefined >> 16 & H) & H) << 16 | f(undefined & H) & H
}

pub(super) fn and(a: Value, b: Value) -> u64 {
    a.undefined & b.may_be_one() | b.undefined & a.may_be_one()
}

pub(super) fn or(a: Value, b: Value) -> u64 {
    a.undefined & b.may_be_zero() | b.undefined & a.may_be_zero()
}

pub(super) fn sum(a: Value, b: Value) -> u64 {
    upwards(a.undefined | b.undefined)
}

/// A product's low bits: an undefined bit of one side comes no lower than the other
/// side's certain zeros lift it.
pub(super) fn product(a: Value, b: Value) -> u64 {
    let lifted = |undefined: u64, other: Value| {
        if undefined == 0 || other.is_zero() {
            64
        } else {
            undefined.trailing_zeros() + other.may_be_one().trailing_zeros()
        }
    };
    let lowest = lifted(a.undefined, b).min(lifted(b.undefined, a));
    if lowest < 64 { u64::MAX << lowest } else { 0 }
}

/// `p ? a : b`
pub(super) fn select(p: Value, a: Value, b: Value) -> u64 {
    match (p.is_defined(), p.bits & 1 == 1) {
        (false, _) => a.undefined | b.undefined | (a.bits ^ b.bits),
        (true, true) => a.undefined,
        (true, false) => b.undefined,
    }
}

/// The truth of a comparison; of integers of one width, `sign` being the bit that orders them last or 0.
pub(super) fn compares(compare: Compare, a: Value, b: Value, sign: u64) -> Value {
    let shifted =
        |value: Value| (value.ones(), value.may_be_one(), value.undefined & sign, value.bits & sign);
    // With the sign's bit turned over, signed order is unsigned order.
    let range = |value: Value| {
        let (low, high, sign_undefined, sign_bits) = shifted(value);
        if sign == 0 {
            (low, high)
        } else if sign_undefined != 0 {
            (low & !sign, high | sign)
        } else {
            (low & !sign | (sign & !sign_bits), high & !sign | (sign & !sign_bits))
        }
    };
    let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
    let less = |low: u64, high: u64, than_low: u64, than_high: u64| {
        if high < than_low {
            Some(true)
        } else if low >= than_high {
            Some(false)
        } else {
            None
        }
    };
    let equal = || {
        if (a.bits ^ b.bits) & !(a.undefined | b.undefined) != 0 {
            Some(false)
        } else {
            (a.is_defined() && b.is_defined()).then_some(true)
        }
    };
    let truth = match compare {
        Compare::Eq => equal(),
        Compare::Ne => equal().map(|equal| !equal),
        Compare::Lt => less(a_low, a_high, b_low, b_high),
        Compare::Ge => less(a_low, a_high, b_low, b_high).map(|less| !less),
        Compare::Gt => less(b_low, b_high, a_low, a_high),
        Compare::Le => less(b_low, b_high, a_low, a_high).map(|less| !less),
        _ => (a.is_defined() && b.is_defined()).then_some(false),
    };
    truth_value(truth)
}

pub(super) fn truth_value(truth: Option<bool>) -> Value {
    Value { bits: truth.map_or(0, u64::from), undefined: truth.is_none().into() }
}

pub(super) fn not(p: Value) -> Value {
    Value { bits: !p.bits & 1, ..p }
}

pub(super) fn combine(op: Combine, a: Value, b: Value) -> u64 {
    1 & match op {
        Combine::And => and(a, b),
        Combine::Or => or(a, b),
        Combine::Xor => a.undefined | b.undefined,
    }
}

/// Bits `shift .. shift + width` of 64, by their sign or not; works on undefined bits too,
/// whose sign spreads likewise.
pub(super) fn field(bits: u64, shift: u32, width: u32, signed: bool) -> u64 {
    if width == 0 {
        return 0;
    }
    let moved = bits << (64 - shift - width);
    if signed { (moved as i64 >> (64 - width)) as u64 } else { moved >> (64 - width) }
}

pub(super) fn shl(a: u64, by: u64) -> u64 {
    if by < 64 { a << by } else { 0 }
}

pub(super) fn shr(a: u64, by: u64) -> u64 {
    if by < 64 { a >> by } else { 0 }
}

/// A shift of an operand of `width` bits.
pub(super) fn shift(a: Value, by: Value, width: u32, f: impl Fn(u64, u64) -> u64) -> u64 {
    let all_bits = u64::MAX >> (64 - width);
    if a.is_zero() {
        0
    } else if by.is_defined() {
        f(a.undefined, by.bits)
    } else {
        all_bits
    }
}

/// The bytes of `{b, a}` that selectors choose; a copied sign is undefined where the sign is.
pub(super) fn permute(a: Value, b: Value, selectors: [u64; 4]) -> u64 {
    let undefined = b.undefined << 32 | a.undefined & W;
    (0..4).fold(0, |result, i| {
        let byte = (undefined >> (8 * (selectors[i] & 7))) as u8;
        let byte = if selectors[i] & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
        result | u64::from(byte) << (8 * i)
    })
}

pub(super) fn bit_field_extract(a: Value, position: Value, length: Value, width: u32, signed: bool) -> u64 {
    // The 64-bit forms take all of both.
    let counts = if width == 64 { W } else { 0xFF };
    let (position, length) = (position.low(counts), length.low(counts));
    if !position.is_defined() || !length.is_defined() {
        return if a.is_zero() { 0 } else { u64::MAX };
    }
    let (position, length) = (position.bits, length.bits);
    if length == 0 {
        return 0;
    }
    if signed {
        let wide = field(a.undefined, 0, width, true) as i64;
        let moved = (wide >> position.min(63)) as u64;
        field(moved, 0, length.min(64) as u32, true)
    } else {
        shr(a.undefined & (u64::MAX >> (64 - width)), position) & !shl(u64::MAX, length)
    }
}

pub(super) fn bit_field_insert(a: Value, b: Value, position: Value, length: Value, width: u32) -> u64 {
    // The 64-bit forms take all of both.
    let counts = if width == 64 { W } else { 0xFF };
    let (position, length) = (position.low(counts), length.low(counts));
    if !position.is_defined() || !length.is_defined() {
        return u64::MAX;
    }
    let whole = u64::MAX >> (64 - width);
    let taken = shl(!shl(u64::MAX, length.bits), position.bits) & whole;
    shl(a.undefined, position.bits) & taken | b.undefined & !taken
}

/// Leading zeros, if the certain bits tell.
pub(super) fn leading(a: Value) -> Option<u32> {
    let (most, least) = (a.ones().leading_zeros(), a.may_be_one().leading_zeros());
    (most == least).then_some(most)
}

/// The selector of `slct.ftz`.
pub(super) fn flushed(c: Value) -> Value {
    if c.bits & 0x7F80_0000 == 0 { Value { bits: c.bits & 0x8000_0000, ..c } } else { c }
}

/// Whether `slct` chooses its first operand.
pub(super) fn selector(c: Value, float: bool) -> Value {
    const SIGN: u64 = 1 << 31;
    match float {
        // NaN and −0 make more than the sign count.
        true if !c.is_defined() => truth_value(None),
        true => truth_value(Some(f32::from_bits(c.bits as u32) >= 0.0)),
        false if c.undefined & SIGN != 0 => truth_value(None),
        false => truth_value(Some(c.bits & SIGN == 0)),
    }
}
