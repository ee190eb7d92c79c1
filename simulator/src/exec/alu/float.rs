//! Single- and double-precision arithmetic.
//!
//! To-nearest results are the host's, which IEEE 754 fixes bit by bit. Directed rounding steps from the
//! nearest result by the sign of the exact error. The approximate functions are computed in double precision
//! by the `libm` crate and rounded: better than PTX promises, and the same everywhere. NaN results of singles
//! are canonical, `0x7FFFFFFF`, as PTX says; in doubles an operand's NaN stays, quieted, and an invalid
//! operation gives `0xFFF8000000000000`, as on GPUs.

use super::lanes::Lanes;
use crate::ir::{Float1, Float2, FloatMode, Pair, Rounding, Word};

/// The single-precision NaN that operations produce.
pub const NAN: f32 = f32::from_bits(0x7FFF_FFFF);
/// The double-precision NaN that operations produce.
pub const NAN64: f64 = f64::from_bits(0xFFF8_0000_0000_0000);

/// Told by its bits: a compiler may take any NaN for another where it sees floats.
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FFF_FFFF } else { bits })
}

/// A double's result. When it is NaN, the first operand that is one, quieted.
#[inline(always)]
pub fn or_nan_of<const N: usize>(operands: [f64; N], result: f64) -> f64 {
    let nan = operands.iter().rev().fold(NAN64.to_bits(), |nan, x| if x.is_nan() { quiet(*x) } else { nan });
    f64::from_bits(if result.is_nan() { nan } else { result.to_bits() })
}

#[inline(always)]
pub fn quiet(x: f64) -> u64 {
    x.to_bits() | 1 << 51
}

/// Subnormals become zeros of their sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & 0x8000_0000) } else { x }
}

#[inline(always)]
fn flush_if(ftz: bool, x: f32) -> f32 {
    if ftz { flush(x) } else { x }
}

/// Clamped to [0, 1]; NaN is 0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

#[inline(always)]
fn finish(mode: FloatMode, x: f32) -> f32 {
    let x = flush_if(mode.ftz, canonical(x));
    if mode.sat { saturate(x) } else { x }
}

/// The neighbour of `nearest` that directed rounding wants, given the sign of `exact − nearest`. `finite`:
/// the exact result is finite.
pub fn direct(nearest: f64, error: f64, rounding: Rounding, finite: bool) -> f64 {
    if nearest.is_infinite() && finite {
        let largest = f64::MAX.copysign(nearest);
        return match rounding {
            Rounding::Zero => largest,
            Rounding::Down if nearest > 0.0 => largest,
            Rounding::Up if nearest < 0.0 => largest,
            _ => nearest,
        };
    }
    match rounding {
        Rounding::Zero if nearest > 0.0 && error < 0.0 => nearest.next_down(),
        Rounding::Zero if nearest < 0.0 && error > 0.0 => nearest.next_up(),
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::Up if error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// A double to a single; `x` is exact, or rounded to odd from something exact.
pub fn to_single(x: f64, rounding: Rounding) -> f32 {
    let nearest = x as f32;
    if x.is_nan() || rounding == Rounding::Nearest {
        return nearest;
    }
    if nearest.is_infinite() && x.is_finite() {
        let largest = f32::MAX.copysign(nearest);
        return match rounding {
            Rounding::Zero => largest,
            Rounding::Down if nearest > 0.0 => largest,
            Rounding::Up if nearest < 0.0 => largest,
            _ => nearest,
        };
    }
    let error = if nearest.is_infinite() { 0.0 } else { x - f64::from(nearest) };
    match rounding {
        Rounding::Zero if nearest > 0.0 && error < 0.0 => nearest.next_down(),
        Rounding::Zero if nearest < 0.0 && error > 0.0 => nearest.next_up(),
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::Up if error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// Rounds to odd: an inexact result gets an odd last bit, so that rounding it once more to at most 51
/// bits is right in every mode.
pub fn to_odd(nearest: f64, error: f64) -> f64 {
    if error == 0.0 || !nearest.is_finite() || error.is_nan() || nearest.to_bits() & 1 == 1 {
        return nearest;
    }
    if error > 0.0 { nearest.next_up() } else { nearest.next_down() }
}

/// `(a + b) − fl(a + b)`, exactly (Knuth).
pub fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    let a_part = sum - b_part;
    (a - a_part) + (b - b_part)
}

/// To a single, as an operation does. With `.ftz`, a result is flushed that would be below the normal numbers
/// had its exponent no bounds: even if, as a subnormal, it would round to a normal number.
fn operation(mode: FloatMode, x: f64) -> f32 {
    const UP: f64 = (1u64 << 60) as f64;
    let tiny = mode.ftz
        && x.abs() < f64::from(f32::MIN_POSITIVE)
        && f64::from(to_single(x * UP, mode.rounding)).abs() < f64::from(f32::MIN_POSITIVE) * UP;
    to_single(if tiny { 0f64.copysign(x) } else { x }, mode.rounding)
}

/// The sign that an exact zero sum takes: −0 when rounding down.
fn zero_sum(a: f64, b: f64, sum: f64, rounding: Rounding) -> f64 {
    let cancels = sum == 0.0 && (a != 0.0 || a.is_sign_negative() != b.is_sign_negative());
    if cancels && rounding == Rounding::Down { -0.0 } else { sum }
}

/// `a + b` in singles, any rounding.
fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    let sum = a + b;
    to_single(zero_sum(a, b, to_odd(sum, sum_error(a, b, sum)), rounding), rounding)
}

/// `a × b + c` in singles, any rounding: the product is exact in a double.
fn fma(a: f32, b: f32, c: f32, mode: FloatMode) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    operation(mode, zero_sum(product, c, to_odd(sum, sum_error(product, c, sum)), mode.rounding))
}

/// `a / b` in singles, any rounding.
fn div(a: f32, b: f32, mode: FloatMode) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    operation(mode, to_odd(quotient, if b < 0.0 { -rest } else { rest }))
}

/// `div.approx`: the reciprocal of a divisor beyond 2^126 is a subnormal, and taken as zero (PTX ISA 9.7.3).
#[inline(always)]
fn divide_by_reciprocal(a: f32, b: f32, quotient: f32) -> f32 {
    const LARGEST: f32 = f32::from_bits((127 + 126) << 23);
    if b.abs() > LARGEST && b.is_finite() { a * 0f32.copysign(b) } else { quotient }
}

/// `√a` in singles, any rounding.
fn sqrt(a: f32, rounding: Rounding) -> f32 {
    let a = f64::from(a);
    let root = a.sqrt();
    to_single(to_odd(root, (-root).mul_add(root, a)), rounding)
}

/// PTX's `min` and `max`: −0 is below +0; NaN only when both are, or when `nan` asks for it.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b || a == b && a.is_sign_negative() || b.is_nan() { a } else { b }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b || a == b && a.is_sign_positive() || b.is_nan() { a } else { b }
}

#[inline(always)]
fn smaller64(a: f64, b: f64) -> f64 {
    if a < b || a == b && a.is_sign_negative() || b.is_nan() { a } else { b }
}

#[inline(always)]
fn larger64(a: f64, b: f64) -> f64 {
    if a > b || a == b && a.is_sign_positive() || b.is_nan() { a } else { b }
}

/// `min` and `max` with their modifiers.
pub fn extreme(op: Float2, a: f32, b: f32) -> f32 {
    let xorsign =
        matches!(op, Float2::MinXorsign | Float2::MaxXorsign | Float2::MinNanXorsign | Float2::MaxNanXorsign);
    let nan = matches!(op, Float2::MinNan | Float2::MaxNan | Float2::MinNanXorsign | Float2::MaxNanXorsign);
    let min = matches!(op, Float2::Min | Float2::MinNan | Float2::MinXorsign | Float2::MinNanXorsign);
    if nan && (a.is_nan() || b.is_nan()) {
        return NAN;
    }
    let (x, y) = if xorsign { (a.abs(), b.abs()) } else { (a, b) };
    let found = if min { smaller(x, y) } else { larger(x, y) };
    if found.is_nan() {
        NAN
    } else if xorsign {
        f32::from_bits(found.to_bits() & 0x7FFF_FFFF | (a.to_bits() ^ b.to_bits()) & 0x8000_0000)
    } else {
        found
    }
}

/// The functions of one operand that PTX only approximates, in double precision.
pub fn approximate(op: Float1, x: f64) -> f64 {
    match op {
        Float1::RcpApprox => 1.0 / x,
        Float1::SqrtApprox => x.sqrt(),
        Float1::RsqrtApprox => 1.0 / x.sqrt(),
        Float1::SinApprox => libm::sin(x),
        Float1::CosApprox => libm::cos(x),
        Float1::Lg2Approx => libm::log2(x),
        Float1::Ex2Approx => libm::exp2(x),
        Float1::TanhApprox => libm::tanh(x),
        // Not approximate; kept total so that callers need no proof.
        _ => x,
    }
}

/// What an approximate function gives where the last bit is to be the other one. What is short, such as a power
/// of two, is exact on a GPU too.
fn last_bit(mode: FloatMode, result: f32) -> f32 {
    const SHORT: u32 = (1 << 12) - 1;
    if mode.other_last_bit && result.is_normal() && result.to_bits() & SHORT != 0 {
        f32::from_bits(result.to_bits() ^ 1)
    } else {
        result
    }
}

#[inline(always)]
pub fn float1(l: &mut Lanes<'_>, op: Float1, mode: FloatMode, d: Word, a: Word) {
    match op {
        Float1::Neg => l.f1(d, a, |a| canonical(-flush_if(mode.ftz, a))),
        Float1::Abs => l.f1(d, a, |a| canonical(flush_if(mode.ftz, a).abs())),
        Float1::RcpApprox if !mode.other_last_bit => {
            l.f1(d, a, |a| finish(mode, 1.0 / flush_if(mode.ftz, a)))
        }
        Float1::SqrtApprox if !mode.other_last_bit => {
            l.f1(d, a, |a| finish(mode, flush_if(mode.ftz, a).sqrt()));
        }
        Float1::Rcp if mode.rounding == Rounding::Nearest => {
            l.f1(d, a, |a| finish(mode, 1.0 / flush_if(mode.ftz, a)));
        }
        Float1::Sqrt if mode.rounding == Rounding::Nearest => {
            l.f1(d, a, |a| finish(mode, flush_if(mode.ftz, a).sqrt()));
        }
        _ => float1_slow(l, op, mode, d, a),
    }
}

#[inline(never)]
fn float1_slow(l: &mut Lanes<'_>, op: Float1, mode: FloatMode, d: Word, a: Word) {
    l.f1(d, a, |a| {
        let a = flush_if(mode.ftz, a);
        let result = match op {
            Float1::Rcp => div(1.0, a, mode),
            Float1::Sqrt => sqrt(a, mode.rounding),
            _ => approximate(op, f64::from(a)) as f32,
        };
        finish(mode, last_bit(mode, result))
    });
}

#[inline(always)]
pub fn float2(l: &mut Lanes<'_>, op: Float2, mode: FloatMode, d: Word, a: Word, b: Word) {
    let plain = mode == FloatMode::NEAREST;
    match op {
        Float2::Add if plain => l.f2(d, a, b, |a, b| canonical(a + b)),
        Float2::Sub if plain => l.f2(d, a, b, |a, b| canonical(a - b)),
        Float2::Mul if plain => l.f2(d, a, b, |a, b| canonical(a * b)),
        Float2::DivApprox if plain => l.f2(d, a, b, |a, b| canonical(divide_by_reciprocal(a, b, a / b))),
        Float2::Div | Float2::DivFull if plain => l.f2(d, a, b, |a, b| canonical(a / b)),
        Float2::Min if plain => l.f2(d, a, b, |a, b| canonical(smaller(a, b))),
        Float2::Max if plain => l.f2(d, a, b, |a, b| canonical(larger(a, b))),
        _ => float2_slow(l, op, mode, d, a, b),
    }
}

#[inline(never)]
fn float2_slow(l: &mut Lanes<'_>, op: Float2, mode: FloatMode, d: Word, a: Word, b: Word) {
    l.f2(d, a, b, |a, b| {
        let (a, b) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b));
        let result = match op {
            Float2::Add => add(a, b, mode.rounding),
            Float2::Sub => add(a, -b, mode.rounding),
            Float2::Mul => operation(mode, f64::from(a) * f64::from(b)),
            Float2::Div => div(a, b, mode),
            Float2::DivApprox => divide_by_reciprocal(a, b, operation(mode, f64::from(a) / f64::from(b))),
            Float2::DivFull => operation(mode, f64::from(a) / f64::from(b)),
            _ => extreme(op, a, b),
        };
        finish(mode, last_bit(mode, result))
    });
}

#[inline(always)]
pub fn float_fma(l: &mut Lanes<'_>, mode: FloatMode, d: Word, a: Word, b: Word, c: Word) {
    let bits = f32::from_bits;
    if mode == FloatMode::NEAREST {
        l.w3(d, a, b, c, |a, b, c| canonical(bits(a).mul_add(bits(b), bits(c))).to_bits());
    } else {
        float_fma_slow(l, mode, d, a, b, c);
    }
}

#[inline(never)]
fn float_fma_slow(l: &mut Lanes<'_>, mode: FloatMode, d: Word, a: Word, b: Word, c: Word) {
    l.w3(d, a, b, c, |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| flush_if(mode.ftz, f32::from_bits(x)));
        finish(mode, fma(a, b, c, mode)).to_bits()
    });
}

#[inline(always)]
pub fn double1(l: &mut Lanes<'_>, op: Float1, mode: FloatMode, d: Pair, a: Pair) {
    match op {
        Float1::Neg => l.d1(d, a, |a| or_nan_of([a], -a)),
        Float1::Abs => l.d1(d, a, |a| or_nan_of([a], a.abs())),
        Float1::Rcp if mode.rounding == Rounding::Nearest => l.d1(d, a, |a| or_nan_of([a], 1.0 / a)),
        Float1::Sqrt if mode.rounding == Rounding::Nearest => l.d1(d, a, |a| or_nan_of([a], a.sqrt())),
        _ => double1_slow(l, op, mode, d, a),
    }
}

/// The upper word of a double, the lower one zero.
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xFFFF_FFFF_0000_0000)
}

/// A result of which there is only the upper word.
fn upper_of(x: f64) -> f64 {
    if x.is_nan() { f64::from_bits(0x7FFF_FFFF_0000_0000) } else { upper(x) }
}

/// Makes the products of what is small exact; a power of two.
const SCALE: f64 = f64::from_bits((1023 + 500) << 52);

fn flush64(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0f64.copysign(x) } else { x }
}

#[inline(never)]
fn double1_slow(l: &mut Lanes<'_>, op: Float1, mode: FloatMode, d: Pair, a: Pair) {
    l.d1(d, a, |a| {
        let result = match op {
            Float1::Rcp => double_div(1.0, a, mode.rounding),
            Float1::Sqrt => {
                let root = a.sqrt();
                // Scaled up, so that the error of the root of a small number has bits left.
                let (a, scaled) = if a < 1e-200 { (a * SCALE * SCALE, root * SCALE) } else { (a, root) };
                direct(root, (-scaled).mul_add(scaled, a), mode.rounding, a.is_finite())
            }
            Float1::RcpApproxF64 => return upper_of(flush64(1.0 / flush64(upper(a)))),
            Float1::RsqrtApproxF64 => return upper_of(1.0 / flush64(upper(a)).sqrt()),
            _ => approximate(op, a),
        };
        or_nan_of([a], result)
    });
}

fn double_div(a: f64, b: f64, rounding: Rounding) -> f64 {
    let quotient = a / b;
    let rest = if a.abs() > 1e-120 {
        (-quotient).mul_add(b, a)
    } else if quotient.abs() < b.abs() {
        (-quotient * SCALE).mul_add(b, a * SCALE)
    } else {
        (-quotient).mul_add(b * SCALE, a * SCALE)
    };
    direct(quotient, if b < 0.0 { -rest } else { rest }, rounding, a.is_finite() && b != 0.0)
}

#[inline(always)]
pub fn double2(l: &mut Lanes<'_>, op: Float2, mode: FloatMode, d: Pair, a: Pair, b: Pair) {
    let plain = mode.rounding == Rounding::Nearest;
    match op {
        Float2::Add if plain => l.d2(d, a, b, |a, b| or_nan_of([b, a], a + b)),
        Float2::Sub if plain => l.d2(d, a, b, |a, b| or_nan_of([b, a], a - b)),
        Float2::Mul if plain => l.d2(d, a, b, |a, b| or_nan_of([b, a], a * b)),
        Float2::Div | Float2::DivApprox if plain => l.d2(d, a, b, |a, b| or_nan_of([a, b], a / b)),
        Float2::Min => l.d2(d, a, b, |a, b| or_nan_of([b, a], smaller64(a, b))),
        Float2::Max => l.d2(d, a, b, |a, b| or_nan_of([b, a], larger64(a, b))),
        _ => double2_slow(l, op, mode, d, a, b),
    }
}

#[inline(never)]
fn double2_slow(l: &mut Lanes<'_>, op: Float2, mode: FloatMode, d: Pair, a: Pair, b: Pair) {
    let rounding = mode.rounding;
    l.d2(d, a, b, |a, b| {
        let finite = a.is_finite() && b.is_finite();
        let result = match op {
            Float2::Add | Float2::Sub => {
                let b = if op == Float2::Sub { -b } else { b };
                let sum = a + b;
                zero_sum(a, b, direct(sum, sum_error(a, b, sum), rounding, finite), rounding)
            }
            Float2::Mul => {
                let product = a * b;
                direct(product, product_error(a, b, product), rounding, finite)
            }
            _ => return or_nan_of([a, b], double_div(a, b, rounding)),
        };
        or_nan_of([b, a], result)
    });
}

/// The sign of `a × b − product`; scaled up first where the product is so small that
/// its error has no bits left.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    if product.abs() > 1e-250 || a == 0.0 || b == 0.0 {
        return a.mul_add(b, -product);
    }
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    // The smallest product of two doubles is 2^-2148.
    (small * SCALE * SCALE).mul_add(large * SCALE, -(product * SCALE * SCALE * SCALE))
}

#[inline(always)]
pub fn double_fma(l: &mut Lanes<'_>, mode: FloatMode, d: Pair, a: Pair, b: Pair, c: Pair) {
    let bits = f64::from_bits;
    if mode.rounding == Rounding::Nearest {
        l.p3(d, a, b, c, |a, b, c| {
            let [a, b, c] = [a, b, c].map(bits);
            or_nan_of([b, c, a], a.mul_add(b, c)).to_bits()
        });
    } else {
        double_fma_slow(l, mode, d, a, b, c);
    }
}

/// The sign of `a × b + c − nearest`, all scaled up so that the product's error has bits left.
fn small_fma_error(a: f64, b: f64, c: f64, nearest: f64) -> f64 {
    let scale = |x: f64| x * SCALE * SCALE * SCALE;
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    let (small, large) = (small * SCALE * SCALE, large * SCALE);
    let product = small * large;
    let low = small.mul_add(large, -product);
    let sum = product + scale(c);
    let lost = sum_error(product, scale(c), sum);
    let rest = low + lost;
    (sum - scale(nearest)) + to_odd(rest, sum_error(low, lost, rest))
}

#[inline(never)]
fn double_fma_slow(l: &mut Lanes<'_>, mode: FloatMode, d: Pair, a: Pair, b: Pair, c: Pair) {
    l.p3(d, a, b, c, |a, b, c| {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        let nearest = a.mul_add(b, c);
        let product = a * b;
        let finite = a.is_finite() && b.is_finite() && c.is_finite();
        let error = if !finite {
            0.0
        } else if product.abs() > 1e-250 || a == 0.0 || b == 0.0 {
            // Boldo and Muller, Exact and Approximated Error of the FMA.
            let low = a.mul_add(b, -product);
            let upper = c + low;
            let upper_error = sum_error(c, low, upper);
            let sum = product + upper;
            (sum - nearest) + sum_error(product, upper, sum) + upper_error
        } else if c.abs() > 1e-180 {
            // The product is far below the last bit of c.
            f64::MIN_POSITIVE.copysign(a) * 1f64.copysign(b)
        } else {
            small_fma_error(a, b, c, nearest)
        };
        let result = direct(nearest, error, mode.rounding, finite);
        // A rest of a product too small for a double is no zero, though it is rounded to one.
        let result = if error == 0.0 { zero_sum(product, c, result, mode.rounding) } else { result };
        or_nan_of([b, c, a], result).to_bits()
    });
}
