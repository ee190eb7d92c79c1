//! `cvt`: PTX ISA 9.7.9.

use super::{
    float::{NAN, NAN64, canonical, direct, flush, saturate, to_odd, to_single},
    half::{BF16, F16, Format, narrow, widen},
    lanes::{Lanes, map1},
};
use crate::ir::{ConvertKind, FloatMode, Pair, Rounding, Word};

#[inline(always)]
pub fn convert(
    l: &mut Lanes<'_>,
    to: ConvertKind,
    from: ConvertKind,
    mode: FloatMode,
    integer: bool,
    d: u16,
    a: u16,
) {
    use ConvertKind as K;
    macro_rules! pair_from_word {
        ($f:expr) => {{
            if l.may_write_pair(Pair(d), l.registers.word_poison(Word(a))) {
                let value = map1(l.word(Word(a)), $f);
                l.registers.set_pair(Pair(d), &value, 0, l.mask);
            }
        }};
    }
    // What address arithmetic and everyday kernels use is inlined.
    match (to, from) {
        _ if mode.sat || mode.ftz => slow(l, to, from, mode, integer, d, a),
        (K::S64 | K::U64, K::S32) => pair_from_word!(|a| i64::from(a as i32) as u64),
        (K::S64 | K::U64, K::U32) => pair_from_word!(u64::from),
        (K::U32 | K::S32, K::U64 | K::S64) => {
            let value = map1(l.pair(Pair(a)), |a| a as u32);
            let poison = l.registers.pair_poison(Pair(a));
            l.set_word(Word(d), &value, poison);
        }
        (K::U32 | K::S32 | K::U16, K::U16) => l.w1(Word(d), Word(a), |a| a & 0xFFFF),
        (K::U16, K::U32 | K::S32 | K::S16) => l.w1(Word(d), Word(a), |a| a & 0xFFFF),
        (K::U32 | K::S32 | K::S16, K::S16) => l.w1(Word(d), Word(a), |a| i32::from(a as i16) as u32),
        (K::U32 | K::S32 | K::S16, K::S8) => l.w1(Word(d), Word(a), |a| i32::from(a as i8) as u32),
        (K::F32, K::S32) if mode.rounding == Rounding::Nearest => {
            l.w1(Word(d), Word(a), |a| (a as i32 as f32).to_bits());
        }
        (K::F32, K::U32) if mode.rounding == Rounding::Nearest => {
            l.w1(Word(d), Word(a), |a| (a as f32).to_bits())
        }
        (K::S32, K::F32) if mode.rounding == Rounding::Zero => {
            l.w1(Word(d), Word(a), |a| f32::from_bits(a) as i32 as u32);
        }
        (K::F64, K::F32) => {
            pair_from_word!(|a| {
                let x = f32::from_bits(a);
                if x.is_nan() { single_nan(a) } else { f64::from(x).to_bits() }
            })
        }
        (K::F32, K::F64) if mode.rounding == Rounding::Nearest => {
            let value = map1(l.pair(Pair(a)), |a| {
                let x = f64::from_bits(a);
                if x.is_nan() { nan_to_single(a) } else { (x as f32).to_bits() }
            });
            let poison = l.registers.pair_poison(Pair(a));
            l.set_word(Word(d), &value, poison);
        }
        (K::F64, K::S32) => pair_from_word!(|a| f64::from(a as i32).to_bits()),
        _ => slow(l, to, from, mode, integer, d, a),
    }
}

/// A single's NaN as a double's: its payload on top, quiet.
#[inline(always)]
fn single_nan(bits: u32) -> u64 {
    u64::from(bits & 0x8000_0000) << 32 | 0x7FF8 << 48 | u64::from(bits & 0x7F_FFFF) << 29
}

/// A double's NaN as a single's: the top of its payload, quiet.
#[inline(always)]
fn nan_to_single(bits: u64) -> u32 {
    (bits >> 32) as u32 & 0x8000_0000 | 0x7FC0_0000 | (bits >> 29) as u32 & 0x7F_FFFF
}

/// The NaN that a conversion makes of one, where the operand's payload stays: wherever a double is on either
/// side, and where a single takes the bits as they are.
fn kept_nan(to: ConvertKind, from: ConvertKind, mode: FloatMode, integer: bool, bits: u64) -> Option<u64> {
    use ConvertKind as K;
    if mode.sat || !float_value(from, false, bits).is_nan() {
        return None;
    }
    let word = bits as u32;
    Some(match (to, from) {
        (K::F64, K::F64) if integer => bits | 1 << 51,
        (K::F64, K::F64) => bits,
        (K::F64, K::F32) => single_nan(if mode.ftz { NAN.to_bits() } else { word }),
        (K::F64, K::Bf16) => single_nan(word << 16),
        (K::F64, K::F16) => u64::from(word & 0x8000) << 48 | 0x7FF8 << 48 | u64::from(word & 0x3FF) << 42,
        (K::F32, K::F64) => u64::from(nan_to_single(bits)),
        (K::Bf16, K::F64) => u64::from(nan_to_single(bits) >> 16),
        (K::F16, K::F64) => bits >> 48 & 0x8000 | 0x7E00 | bits >> 42 & 0x3FF,
        (K::F32, K::F32) if !integer && !mode.ftz => bits,
        (K::F32, K::Bf16) if !mode.ftz => u64::from(word << 16),
        _ => return None,
    })
}

#[inline(always)]
fn canonical64(x: f64) -> f64 {
    if x.is_nan() { NAN64 } else { x }
}

#[inline(never)]
fn slow(
    l: &mut Lanes<'_>,
    to: ConvertKind,
    from: ConvertKind,
    mode: FloatMode,
    integer: bool,
    d: u16,
    a: u16,
) {
    let (source, poison) = if from.is_wide() {
        (*l.pair(Pair(a)), l.registers.pair_poison(Pair(a)))
    } else {
        (map1(l.word(Word(a)), u64::from), l.registers.word_poison(Word(a)))
    };
    let value = map1(&source, |bits| lane(to, from, mode, integer, bits));
    if to.is_wide() {
        l.set_pair(Pair(d), &value, poison);
    } else {
        l.set_word(Word(d), &map1(&value, |bits| bits as u32), poison);
    }
}

/// One value; narrow results are extended to 32 bits.
fn lane(to: ConvertKind, from: ConvertKind, mode: FloatMode, integer: bool, bits: u64) -> u64 {
    match (to.is_float(), from.is_float()) {
        (false, false) => integer_to_integer(to, mode.sat, integer_value(from, bits)),
        (true, false) => from_integer(to, mode, integer_value(from, bits)),
        (false, true) => to_integer(to, from, mode, float_value(from, mode.ftz, bits)),
        (true, true) => float_to_float(to, from, mode, integer, bits),
    }
}

fn integer_value(kind: ConvertKind, bits: u64) -> i128 {
    match kind {
        ConvertKind::U8 => i128::from(bits as u8),
        ConvertKind::S8 => i128::from(bits as i8),
        ConvertKind::U16 => i128::from(bits as u16),
        ConvertKind::S16 => i128::from(bits as i16),
        ConvertKind::U32 => i128::from(bits as u32),
        ConvertKind::S32 => i128::from(bits as i32),
        ConvertKind::S64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// Exactly.
fn float_value(kind: ConvertKind, ftz: bool, bits: u64) -> f64 {
    match kind {
        ConvertKind::F16 => widen(F16, bits as u16),
        ConvertKind::Bf16 => widen(BF16, bits as u16),
        ConvertKind::F32 => {
            let x = f32::from_bits(bits as u32);
            f64::from(if ftz { flush(x) } else { x })
        }
        _ => f64::from_bits(bits),
    }
}

fn range(kind: ConvertKind) -> (i128, i128) {
    let bits = kind.bits();
    if kind.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Two's complement in the kind's width, extended to 32 (or 64) bits by its sign.
fn encode(kind: ConvertKind, value: i128) -> u64 {
    match kind {
        ConvertKind::U8 => u64::from(value as u8),
        ConvertKind::S8 => u64::from(value as i8 as i32 as u32),
        ConvertKind::U16 => u64::from(value as u16),
        ConvertKind::S16 => u64::from(value as i16 as i32 as u32),
        ConvertKind::U32 | ConvertKind::S32 => u64::from(value as u32),
        _ => value as u64,
    }
}

fn integer_to_integer(to: ConvertKind, sat: bool, value: i128) -> u64 {
    let (low, high) = range(to);
    encode(to, if sat { value.clamp(low, high) } else { value })
}

/// Nearest doubles of integers of up to 64 bits, rounded to odd: right to round once more.
fn integer_to_odd(value: i128) -> f64 {
    let nearest = value as f64;
    to_odd(nearest, (value - nearest as i128) as f64)
}

fn from_integer(to: ConvertKind, mode: FloatMode, value: i128) -> u64 {
    match to {
        ConvertKind::F64 => {
            let value = if mode.sat { value.clamp(0, 1) } else { value };
            let nearest = value as f64;
            direct(nearest, (value - nearest as i128) as f64, mode.rounding, true).to_bits()
        }
        _ => narrow_float(to, mode, integer_to_odd(value)),
    }
}

/// A double, exact or rounded to odd, to a narrower format.
fn narrow_float(to: ConvertKind, mode: FloatMode, x: f64) -> u64 {
    let half = |format: Format| -> u64 {
        let x = if mode.sat {
            f64::from(u8::from(x > 1.0)).max(if x > 0.0 { x.min(1.0) } else { 0.0 })
        } else {
            x
        };
        u64::from(narrow(format, x, mode.rounding))
    };
    match to {
        ConvertKind::F16 => half(F16),
        ConvertKind::Bf16 => half(BF16),
        ConvertKind::F32 => {
            let single = canonical(to_single(x, mode.rounding));
            let single = if mode.ftz { flush(single) } else { single };
            u64::from((if mode.sat { saturate(single) } else { single }).to_bits())
        }
        _ => {
            let x = canonical64(x);
            (if mode.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x }).to_bits()
        }
    }
}

fn round(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => x.round_ties_even(),
        Rounding::Zero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
        Rounding::NearestAway => x.round(),
    }
}

fn to_integer(to: ConvertKind, from: ConvertKind, mode: FloatMode, x: f64) -> u64 {
    if x.is_nan() {
        // 0, but for 64-bit types on either side the lone top bit of the destination's width.
        let plain = from != ConvertKind::F64 && to.bits() < 64;
        return if plain { 0 } else { encode(to, 1 << (to.bits() - 1)) };
    }
    let (low, high) = range(to);
    encode(to, (round(x, mode.rounding) as i128).clamp(low, high))
}

fn float_to_float(to: ConvertKind, from: ConvertKind, mode: FloatMode, integer: bool, bits: u64) -> u64 {
    if let Some(nan) = kept_nan(to, from, mode, integer, bits) {
        return nan;
    }
    // To a half, `.ftz` changes nothing: rounding sees the subnormal.
    let x = float_value(from, mode.ftz && to != ConvertKind::F16, bits);
    let x = if integer && !x.is_nan() { round(x, mode.rounding).copysign(x) } else { x };
    narrow_float(to, mode, x)
}

/// `cvt.f16x2.f32`, `cvt.bf16x2.f32`: `a` is the upper half.
#[inline(never)]
pub fn convert_x2(
    l: &mut Lanes<'_>,
    bf16: bool,
    mode: FloatMode,
    (relu, finite): (bool, bool),
    d: Word,
    a: Word,
    b: Word,
) {
    let (format, largest) = if bf16 { (BF16, 0x7F7F) } else { (F16, 0x7BFF) };
    let largest = widen(format, largest);
    let one = |bits: u32| {
        let x = f64::from(f32::from_bits(bits));
        // −0, too, becomes +0.
        let x = if relu && x <= 0.0 { 0.0 } else { x };
        let x = if finite { x.clamp(-largest, largest) } else { x };
        u32::from(narrow(format, x, mode.rounding))
    };
    l.w2(d, a, b, |a, b| one(a) << 16 | one(b));
}

/// `cvt.pack.sat`.
#[inline(never)]
pub fn pack(l: &mut Lanes<'_>, bits: u8, to_signed: bool, d: Word, a: Word, b: Word, c: Word) {
    let bits = u32::from(bits);
    let (low, high) =
        if to_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let one = |x: u32| (x as i32).clamp(low, high) as u32 & ((1 << bits) - 1);
    l.w3(d, a, b, c, |a, b, c| {
        let packed = one(a) << bits | one(b);
        if bits == 16 { packed } else { c << (2 * bits) | packed }
    });
}
