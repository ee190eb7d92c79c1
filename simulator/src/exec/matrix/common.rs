//! The same sums as `multiply` has, where numbers are neither subnormal nor far from one: in singles and whole numbers, eight
//! columns at a time. Nearly all products that programs compute are such.
//!
//! A product of two significands of 11 bits is exact in a single; scaled so that 25 bits are left below the largest
//! exponent it is cut off by the conversion to a whole number, and eight of those add up in 32 bits.

use super::numbers::{MOST, toward_zero};
use crate::ir::{Fragment, MatrixType, Multiply, Words};

const COLUMNS: usize = 8;
/// Products that are added up in 32 bits: each is below 2 to the 27th.
const TOGETHER: usize = 8;
/// Bits below the largest exponent that are added up.
const KEPT: f32 = (1 << 25) as f32;

type Singles = [f32; MOST];

/// Computes the sums; false, and nothing done, where numbers are not of the common kind.
#[inline(always)]
pub fn sums(
    multiply: &Multiply,
    [(a, a_words), (b, b_words), (c, c_words)]: [(Fragment, &[Words]); 3],
    sums: &mut [f64; MOST],
) -> bool {
    let accumulates_singles = multiply.d == MatrixType::F32 && multiply.c == MatrixType::F32;
    if a.kind.bits() == 8 || !accumulates_singles {
        return false;
    }
    let (mut left, mut right, mut added) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
    if !(unpack(a, a_words, &mut left) && unpack(b, b_words, &mut right) && unpack(c, c_words, &mut added)) {
        return false;
    }
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    let mut powers = [0.0; MOST];
    for (power, value) in powers.iter_mut().zip(&right).take(depth * columns) {
        *power = power_of(*value);
    }
    for row in 0..rows {
        let left = &left[row * depth..][..depth];
        for first in (0..columns).step_by(COLUMNS) {
            let of = |from: &Singles, line: usize| -> [f32; COLUMNS] {
                from[line * columns + first..][..COLUMNS].try_into().expect("so many columns")
            };
            let added = of(&added, row);
            let mut most = added.map(power_of);
            for (k, &value) in left.iter().enumerate() {
                let (power, powers) = (power_of(value), of(&powers, k));
                for column in 0..COLUMNS {
                    let product = power * powers[column];
                    most[column] = if product > most[column] { product } else { most[column] };
                }
            }
            let scale = most.map(|most| if most == 0.0 { 0.0 } else { KEPT / most });
            let mut total: [f64; COLUMNS] =
                std::array::from_fn(|column| f64::from(whole(added[column] * scale[column])));
            for (part, values) in left.chunks(TOGETHER).enumerate() {
                let mut sum = [0i32; COLUMNS];
                for (k, &value) in values.iter().enumerate() {
                    let others = of(&right, part * TOGETHER + k);
                    for column in 0..COLUMNS {
                        sum[column] += whole(value * others[column] * scale[column]);
                    }
                }
                for column in 0..COLUMNS {
                    total[column] += f64::from(sum[column]);
                }
            }
            for column in 0..COLUMNS {
                sums[row * columns + first + column] =
                    toward_zero(total[column] * f64::from(most[column]) / f64::from(KEPT));
            }
        }
    }
    true
}

/// Cut off; below 2 to the 31st.
#[inline(always)]
fn whole(x: f32) -> i32 {
    // SAFETY: a product of two numbers below 2 is scaled to less than 2 to the 27th, and nothing here is no number.
    unsafe { x.to_int_unchecked() }
}

/// 2 to the exponent of a number that is not subnormal; 0 of zero.
#[inline(always)]
fn power_of(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7F80_0000)
}

/// The fragment's matrix, row by row; false where a number is not of the common kind.
#[inline(always)]
fn unpack(fragment: Fragment, words: &[Words], to: &mut Singles) -> bool {
    match fragment.kind {
        MatrixType::F16 => unpack_as(fragment, words, to, |bits| {
            let magnitude = bits & 0x7FFF;
            let sign = (bits & 0x8000) << 16;
            // From the exponent's bias of halves to that of singles.
            let single = if magnitude == 0 { 0 } else { (magnitude << 13) + (112 << 23) };
            let is_common = magnitude == 0 || (0x0400..0x7C00).contains(&magnitude);
            (f32::from_bits(sign | single), is_common)
        }),
        MatrixType::Bf16 => unpack_as(fragment, words, to, |bits| common(bits << 16)),
        MatrixType::Tf32 => unpack_as(fragment, words, to, |bits| common(bits >> 13 << 13)),
        _ => unpack_as(fragment, words, to, common),
    }
}

/// Whether a single is zero or near enough to one for products of three to have exponents.
#[inline(always)]
fn common(bits: u32) -> (f32, bool) {
    let exponent = bits >> 23 & 0xFF;
    (f32::from_bits(bits), bits << 1 == 0 || exponent.wrapping_sub(127 - 40) <= 80)
}

#[inline(always)]
fn unpack_as(
    fragment: Fragment,
    words: &[Words],
    to: &mut Singles,
    decode: impl Fn(u32) -> (f32, bool),
) -> bool {
    let mut all = true;
    fragment.numbers(|at, register, bit, lane| {
        let (value, is_common) = decode(words[register][lane] >> bit);
        to[at] = value;
        all &= is_common;
    });
    all
}
