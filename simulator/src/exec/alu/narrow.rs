//! Conversions to and from the formats that only tensor cores compute with: tf32, and numbers of eight bits (Micikevicius et al.,
//! "FP8 formats for deep learning", 2022).

use super::{
    half::{F16, narrow, widen},
    lanes::Lanes,
};
use crate::ir::{ByteFormat, Rounding, Word};

/// `cvt.rna.tf32.f32` and its kin.
#[inline(never)]
pub fn to_tf32(l: &mut Lanes<'_>, rounding: Rounding, relu: bool, d: Word, a: Word) {
    const DROPPED: u32 = 13;
    const INFINITY: u32 = 0x7F80_0000;
    l.w1(d, a, |bits| {
        let (sign, magnitude) = (bits & 1 << 31, bits & !(1 << 31));
        if magnitude > INFINITY {
            // What is no number stays what it is where halves are rounded away.
            return if rounding == Rounding::NearestAway { bits >> DROPPED << DROPPED } else { 0x7FFF_E000 };
        }
        if relu && sign != 0 {
            return 0;
        }
        let added = match rounding {
            Rounding::Zero => 0,
            Rounding::NearestAway => 1 << (DROPPED - 1),
            _ => (1 << (DROPPED - 1)) - 1 + (magnitude >> DROPPED & 1),
        };
        // A carry runs into the exponent, where it belongs.
        sign | (magnitude + added) >> DROPPED << DROPPED
    });
}

impl ByteFormat {
    /// Bits of the mantissa, the exponent's bias, the largest number's bits, and what stands for no number.
    fn parameters(self) -> (u32, i32, u8, u8) {
        match self {
            ByteFormat::E4m3 => (3, 7, 0x7E, 0x7F),
            ByteFormat::E5m2 => (2, 15, 0x7B, 0x7F),
        }
    }

    /// The nearest number, of two alike the even one; the largest for what is beyond it.
    fn encode(self, x: f64) -> u8 {
        let (mantissa, bias, largest, nan) = self.parameters();
        if x.is_nan() {
            return nan;
        }
        let sign = if x.is_sign_negative() { 0x80 } else { 0 };
        let magnitude = x.abs().min(self.decode(largest));
        let smallest = 1 - bias;
        // Zero and the doubles' own subnormals are far below.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(smallest);
        let unit = f64::from_bits(((1023 + exponent - mantissa as i32) as u64) << 52);
        let significand = (magnitude / unit).round_ties_even() as u32;
        // A carry out of the mantissa runs into the exponent, where it belongs.
        let encoded = (((exponent + bias) as u32) << mantissa) + significand - (1 << mantissa);
        sign | encoded.min(largest.into()) as u8
    }

    /// The value, exactly.
    fn decode(self, bits: u8) -> f64 {
        let (mantissa, bias, _, nan) = self.parameters();
        let magnitude = bits & 0x7F;
        let exponent = i32::from(magnitude >> mantissa);
        let fraction = f64::from(magnitude & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
        let value = match self {
            ByteFormat::E4m3 if magnitude == nan => f64::NAN,
            ByteFormat::E5m2 if magnitude > 0x7C => f64::NAN,
            ByteFormat::E5m2 if magnitude == 0x7C => f64::INFINITY,
            _ if exponent == 0 => fraction * 2f64.powi(1 - bias),
            _ => (1.0 + fraction) * 2f64.powi(exponent - bias),
        };
        if bits & 0x80 == 0 { value } else { -value }
    }
}

/// `cvt.rn.satfinite.e4m3x2.f32` and its kin.
#[inline(never)]
pub fn to_bytes(
    l: &mut Lanes<'_>,
    format: ByteFormat,
    from_halves: bool,
    relu: bool,
    d: Word,
    a: Word,
    b: Word,
) {
    let one = |x: f64| u32::from(format.encode(if relu && x <= 0.0 { 0.0 } else { x }));
    if from_halves {
        l.w2(d, a, b, |_, b| one(widen(F16, (b >> 16) as u16)) << 8 | one(widen(F16, b as u16)));
    } else {
        let single = |bits: u32| f64::from(f32::from_bits(bits));
        l.w2(d, a, b, |a, b| one(single(a)) << 8 | one(single(b)));
    }
}

/// `cvt.rn.f16x2.e4m3x2` and its kin.
#[inline(never)]
pub fn from_bytes(l: &mut Lanes<'_>, format: ByteFormat, relu: bool, d: Word, a: Word) {
    let one = |bits: u32| {
        let x = format.decode(bits as u8);
        let x = if relu && x <= 0.0 { 0.0 } else { x };
        u32::from(narrow(F16, x, Rounding::Nearest))
    };
    l.w1(d, a, |bits| one(bits >> 8) << 16 | one(bits));
}
