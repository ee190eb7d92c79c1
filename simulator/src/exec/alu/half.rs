//! Arithmetic on 16-bit floats: exact in doubles, rounded once.

use super::{
    float::{approximate, extreme, sum_error, to_odd},
    lanes::Lanes,
};
use crate::ir::{Float1, Float2, FloatMode, HalfKind, Rounding, Word};

/// A 16-bit format: bits of the stored mantissa, and the exponent's bias.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Format {
    mantissa: u32,
    bias: i32,
}

/// IEEE half precision.
pub const F16: Format = Format { mantissa: 10, bias: 15 };
/// The upper half of a single.
pub const BF16: Format = Format { mantissa: 7, bias: 127 };
/// The NaN that operations produce, in both formats.
const NAN: u16 = 0x7FFF;

/// The format of a kind.
pub fn format(kind: HalfKind) -> Format {
    match kind {
        HalfKind::F16 | HalfKind::F16x2 => F16,
        HalfKind::Bf16 | HalfKind::Bf16x2 => BF16,
    }
}

/// The value, exactly.
pub fn widen(format: Format, bits: u16) -> f64 {
    if format == BF16 {
        f64::from(f32::from_bits(u32::from(bits) << 16))
    } else {
        half::f16::from_bits(bits).to_f64()
    }
}

/// Rounds to 16 bits; `x` is exact or rounded to odd.
pub fn narrow(format: Format, x: f64, rounding: Rounding) -> u16 {
    let infinity = ((1 << (15 - format.mantissa)) - 1) << format.mantissa;
    let bits = x.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    if x.is_nan() {
        return NAN;
    }
    if x.is_infinite() {
        return sign | infinity;
    }
    if x == 0.0 {
        return sign;
    }
    // A double's own subnormals are far below; 2^-1000 stands for them.
    let magnitude = x.abs().max(f64::from_bits(23 << 52));
    let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
    let significand = magnitude.to_bits() & ((1 << 52) - 1) | 1 << 52;
    // How many of the 53 bits go: more below the smallest normal exponent.
    let lowest = 1 - format.bias;
    let dropped = (52 - format.mantissa) + (lowest - exponent).clamp(0, 60) as u32;
    let (kept, rest, half) = if dropped < 64 {
        (significand >> dropped, significand & ((1 << dropped) - 1), 1u64 << (dropped - 1))
    } else {
        (0, 1, u64::MAX)
    };
    let up = match rounding {
        Rounding::Nearest => rest > half || rest == half && kept & 1 == 1,
        Rounding::NearestAway => rest >= half,
        Rounding::Zero => false,
        Rounding::Down => rest != 0 && sign != 0,
        Rounding::Up => rest != 0 && sign == 0,
    };
    let kept = kept + u64::from(up);
    // A carry out of the mantissa runs into the exponent, where it belongs.
    let biased = (exponent.max(lowest) + format.bias) as u64;
    let encoded = (biased << format.mantissa) + kept - (1 << format.mantissa);
    if encoded < u64::from(infinity) {
        return sign | encoded as u16;
    }
    let stays_finite = match rounding {
        Rounding::Zero => true,
        Rounding::Down => sign == 0,
        Rounding::Up => sign != 0,
        Rounding::Nearest | Rounding::NearestAway => false,
    };
    sign | if stays_finite { infinity - 1 } else { infinity }
}

fn is_nan(format: Format, bits: u16) -> bool {
    let infinity = ((1u16 << (15 - format.mantissa)) - 1) << format.mantissa;
    bits & 0x7FFF > infinity
}

/// Subnormals become zeros of their sign.
pub fn flush(format: Format, bits: u16) -> u16 {
    let exponent = ((1u16 << (15 - format.mantissa)) - 1) << format.mantissa;
    if bits & exponent == 0 { bits & 0x8000 } else { bits }
}

fn flush_if(format: Format, mode: FloatMode, bits: u16) -> u16 {
    if mode.ftz { flush(format, bits) } else { bits }
}

/// Rounds an operation's result. With `.ftz`, one is flushed that would be below the normal numbers had its
/// exponent no bounds: even if, as a subnormal, it would round to a normal number.
fn round(format: Format, mode: FloatMode, x: f64) -> u16 {
    let smallest = f64::from_bits(((1024 - format.bias) as u64) << 52);
    let unbounded = || widen(format, narrow(format, x * 16.0, mode.rounding)).abs() / 16.0;
    let tiny = mode.ftz && x.abs() < smallest && unbounded() < smallest;
    let x = if tiny { 0f64.copysign(x) } else { x };
    narrow(format, x, mode.rounding)
}

fn finish(format: Format, mode: FloatMode, bits: u16) -> u16 {
    let bits = flush_if(format, mode, if is_nan(format, bits) { NAN } else { bits });
    if !mode.sat {
        return bits;
    }
    let one = (format.bias as u16) << format.mantissa;
    // NaN is no number above zero: 0.
    if is_nan(format, bits) || bits & 0x8000 != 0 { 0 } else { bits.min(one) }
}

/// Applies `f` to the low half, and to the upper one where there are two.
fn each2(kind: HalfKind, a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let low = u32::from(f(a as u16, b as u16));
    match kind {
        HalfKind::F16 | HalfKind::Bf16 => low,
        HalfKind::F16x2 | HalfKind::Bf16x2 => low | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16,
    }
}

#[inline(never)]
pub fn half1(l: &mut Lanes<'_>, op: Float1, kind: HalfKind, mode: FloatMode, d: Word, a: Word) {
    let format = format(kind);
    l.w1(d, a, |a| {
        each2(kind, a, 0, |a, _| match op {
            Float1::Neg | Float1::Abs if is_nan(format, a) => NAN,
            Float1::Neg => flush_if(format, mode, a) ^ 0x8000,
            Float1::Abs => flush_if(format, mode, a) & 0x7FFF,
            _ => {
                let value = approximate(op, widen(format, flush_if(format, mode, a)));
                finish(format, mode, narrow(format, value, Rounding::Nearest))
            }
        })
    });
}

#[inline(never)]
pub fn half2(l: &mut Lanes<'_>, op: Float2, kind: HalfKind, mode: FloatMode, d: Word, a: Word, b: Word) {
    let format = format(kind);
    l.w2(d, a, b, |a, b| {
        each2(kind, a, b, |a, b| {
            let (a, b) = (flush_if(format, mode, a), flush_if(format, mode, b));
            let (x, y) = (widen(format, a), widen(format, b));
            let result = match op {
                Float2::Add | Float2::Sub => {
                    let y = if op == Float2::Sub { -y } else { y };
                    let sum = x + y;
                    to_odd(sum, sum_error(x, y, sum))
                }
                Float2::Mul => x * y,
                Float2::Div | Float2::DivApprox => {
                    let quotient = x / y;
                    let rest = (-quotient).mul_add(y, x);
                    to_odd(quotient, if y < 0.0 { -rest } else { rest })
                }
                _ => f64::from(extreme(op, x as f32, y as f32)),
            };
            finish(format, mode, round(format, mode, result))
        })
    });
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the fields of one operation")]
pub fn half_fma(
    l: &mut Lanes<'_>,
    kind: HalfKind,
    mode: FloatMode,
    relu: bool,
    d: Word,
    a: Word,
    b: Word,
    c: Word,
) {
    let format = format(kind);
    let one = |a: u16, b: u16, c: u16| {
        let [a, b, c] = [a, b, c].map(|x| widen(format, flush_if(format, mode, x)));
        let product = a * b;
        let sum = product + c;
        let result = round(format, mode, to_odd(sum, sum_error(product, c, sum)));
        let result = finish(format, mode, result);
        if relu && !is_nan(format, result) && result & 0x8000 != 0 { 0 } else { result }
    };
    l.w3(d, a, b, c, |a, b, c| {
        let low = u32::from(one(a as u16, b as u16, c as u16));
        match kind {
            HalfKind::F16 | HalfKind::Bf16 => low,
            HalfKind::F16x2 | HalfKind::Bf16x2 => {
                low | u32::from(one((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16
            }
        }
    });
}
