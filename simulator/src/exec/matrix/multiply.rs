//! D = A × B + C.
//!
//! PTX leaves open in which order products are added, and how sums are rounded. What is done here is what Hopper GPUs do, found
//! out by measuring (`tests/hardware`: every bit of some 6000 results of each form): for halves, bfloat16 and tf32 all
//! products of a sum, and C, are shifted to the largest of their exponents, cut off 25 bits below it, and added up exactly; the
//! sum is cut off to a single, or rounded to a half. Fasi, Higham, Mikaitis, Pranesh: "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 2021) found
//! the same scheme with fewer bits and shorter sums in older GPUs. Numbers of eight bits are multiplied as halves in
//! two steps, and C is added last; a warpgroup (`wgmma`) multiplies them as they are, keeps 13 bits below the largest exponent, C's
//! too, and cuts the sum off to 13 bits behind the point, which a single then holds, or rounds it to a half. Doubles are added by fused multiply-adds in order, whole numbers exactly.

use super::{
    Given, Held, common,
    numbers::{MOST, Numbers, power_of_single, toward_zero},
};
use crate::{
    exec::alu::{
        float::or_nan_of,
        half::{F16, narrow},
    },
    ir::{Fragment, LANES, MatrixType, Multiply, Rounding, Words},
};

/// Sums of singles are computed for so many columns at a time.
const COLUMNS: usize = 8;
/// Bits below the largest exponent that are added up.
const KEPT: f64 = (1 << 25) as f64;
/// The same of numbers of eight bits that a warpgroup multiplies.
const KEPT_OF_BYTES: f64 = (1 << 13) as f64;
/// The last bits of a single that their sum does not have.
const CUT_OF_BYTES: u64 = (1 << (52 - 13)) - 1;

/// Computes a product. Compiled for several instruction sets.
#[inline(always)]
pub fn multiply(multiply: &Multiply, held: &Held) -> Given {
    let mut given = Given::default();
    match multiply.d {
        MatrixType::S32 if multiply.a == MatrixType::B1 => bits(multiply, held, &mut given.words),
        MatrixType::S32 => integers(multiply, held, &mut given.words),
        MatrixType::F64 => doubles(multiply, held, &mut given.words),
        _ => floats(multiply, held, &mut given.words),
    }
    if let Some(undefined) = &held.undefined {
        given.undefined = Some(super::undefined::of_product(multiply, undefined));
    }
    given
}

/// The words of A, B and C.
#[inline(always)]
fn operands<'h>(multiply: &Multiply, held: &'h Held) -> [(Fragment, &'h [Words]); 3] {
    let [_, a, b, c] = multiply.fragments();
    let words = if multiply.d.is_wide() { 2 } else { 1 };
    let (of_a, of_b) = (words * a.registers(), words * b.registers());
    [(a, &held.words[..]), (b, &held.words[of_a..]), (c, &held.words[of_a + of_b..])]
}

#[inline(always)]
fn floats(multiply: &Multiply, held: &Held, words: &mut [Words]) {
    let operands = operands(multiply, held);
    let [d, ..] = multiply.fragments();
    let mut sums = [0.0; MOST];
    if !common::sums(multiply, operands, &mut sums) {
        general(multiply, operands, &mut sums);
    }
    d.numbers(|at, register, bit, lane| {
        let number = match d.kind {
            MatrixType::F16 => u32::from(half_bits(sums[at])),
            _ => single_bits(sums[at]),
        };
        words[register][lane] |= number << bit;
    });
}

/// Of any numbers.
#[cold]
fn general(multiply: &Multiply, operands: [(Fragment, &[Words]); 3], sums: &mut [f64; MOST]) {
    let [(a, a_words), (b, b_words), (c, c_words)] = operands;
    let (mut left, mut right, mut added) = (Numbers::default(), Numbers::default(), Numbers::default());
    a.unpack(a_words, &mut left);
    b.unpack(b_words, &mut right);
    c.unpack(c_words, &mut added);
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    let to_halves = multiply.d == MatrixType::F16;
    if a.kind.bits() == 8 && multiply.is_group {
        *sums = added.values;
        let steps = 0..depth;
        add_products::<true>(&left, &right, sums, (rows, columns, depth), steps, to_halves);
    } else if a.kind.bits() == 8 {
        for first in [0, 2] {
            let of_step = (0..depth).filter(|k| k % 4 / 2 * 2 == first);
            add_products::<false>(&left, &right, sums, (rows, columns, depth), of_step, to_halves);
        }
        for (sum, c) in sums.iter_mut().zip(&added.values) {
            // The sum of two halves is exact in a double.
            *sum = if to_halves { *sum + c } else { f64::from(*sum as f32 + *c as f32) };
        }
    } else {
        *sums = added.values;
        add_products::<false>(&left, &right, sums, (rows, columns, depth), 0..depth, to_halves);
    }
    if left.any_special || right.any_special || added.any_special {
        with_specials(&left, &right, &added, sums, (rows, columns, depth));
    }
}

/// Adds products to sums that are singles or halves, all in one step. `OF_BYTES`: as a warpgroup does with numbers of eight bits.
#[inline(always)]
fn add_products<const OF_BYTES: bool>(
    a: &Numbers,
    b: &Numbers,
    sums: &mut [f64; MOST],
    (rows, columns, depth): (usize, usize, usize),
    steps: impl Iterator<Item = usize> + Clone,
    to_halves: bool,
) {
    let kept = if OF_BYTES { KEPT_OF_BYTES } else { KEPT };
    for row in 0..rows {
        for first in (0..columns).step_by(COLUMNS) {
            let sums: &mut [f64; COLUMNS] =
                (&mut sums[row * columns + first..][..COLUMNS]).try_into().expect("so many columns");
            let of_b = |from: &[f64; MOST], k: usize| -> [f64; COLUMNS] {
                from[k * columns + first..][..COLUMNS].try_into().expect("so many columns")
            };
            let mut most = sums.map(power_of_single);
            for k in steps.clone() {
                let (power, powers) = (a.powers[row * depth + k], of_b(&b.powers, k));
                for column in 0..COLUMNS {
                    let product = power * powers[column];
                    most[column] = if product > most[column] { product } else { most[column] };
                }
            }
            let scale = most.map(|most| if most == 0.0 { 0.0 } else { kept / most });
            let mut total: [f64; COLUMNS] =
                std::array::from_fn(|column| (sums[column] * scale[column]).trunc());
            for k in steps.clone() {
                let (value, values) = (a.values[row * depth + k], of_b(&b.values, k));
                for column in 0..COLUMNS {
                    total[column] += (value * values[column] * scale[column]).trunc();
                }
            }
            for column in 0..COLUMNS {
                let sum = total[column] * (most[column] / kept);
                let sum = match (to_halves, OF_BYTES) {
                    (true, _) => as_half(sum),
                    (false, true) => toward_zero(f64::from_bits(sum.to_bits() & !CUT_OF_BYTES)),
                    (false, false) => toward_zero(sum),
                };
                // What was no finite number stays what it was.
                sums[column] = if sums[column].is_finite() { sum } else { sums[column] };
            }
        }
    }
}

/// Sets the sums that infinities or what is no number take part in.
#[cold]
fn with_specials(
    a: &Numbers,
    b: &Numbers,
    c: &Numbers,
    sums: &mut [f64; MOST],
    (rows, columns, depth): (usize, usize, usize),
) {
    for row in 0..rows {
        for column in 0..columns {
            let at = row * columns + column;
            let sum = (0..depth)
                .map(|k| a.values[row * depth + k] * b.values[k * columns + column])
                .fold(c.values[at], |sum, product| sum + product);
            if !sum.is_finite() {
                sums[at] = sum;
            }
        }
    }
}

/// The half next to a number.
fn half_bits(x: f64) -> u16 {
    narrow(F16, x, Rounding::Nearest)
}

fn as_half(x: f64) -> f64 {
    half::f16::from_bits(half_bits(x)).to_f64()
}

/// A single; what is no number is written as tensor cores do.
fn single_bits(x: f64) -> u32 {
    if x.is_nan() { 0x7FFF_FFFF } else { (x as f32).to_bits() }
}

#[inline(always)]
fn doubles(multiply: &Multiply, held: &Held, words: &mut [Words]) {
    let [(a, a_words), (b, b_words), (c, c_words)] = operands(multiply, held);
    let unpack = |fragment: Fragment, words: &[Words]| {
        let mut numbers = [0.0; MOST];
        fragment.numbers(|at, register, _, lane| {
            let (low, high) = (words[2 * register][lane], words[2 * register + 1][lane]);
            numbers[at] = f64::from_bits(u64::from(low) | u64::from(high) << 32);
        });
        numbers
    };
    let (left, right, mut sums) = (unpack(a, a_words), unpack(b, b_words), unpack(c, c_words));
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    for row in 0..rows {
        for column in 0..columns {
            let sum = &mut sums[row * columns + column];
            for k in 0..depth {
                let (a, b, c) = (left[row * depth + k], right[k * columns + column], *sum);
                *sum = or_nan_of([b, c, a], a.mul_add(b, c));
            }
        }
    }
    let [d, ..] = multiply.fragments();
    d.numbers(|at, register, _, lane| {
        let bits = sums[at].to_bits();
        words[2 * register][lane] = bits as u32;
        words[2 * register + 1][lane] = (bits >> 32) as u32;
    });
}

/// Most numbers of a matrix of whole numbers.
const MOST_INTEGERS: usize = 1024;

#[inline(always)]
fn integers(multiply: &Multiply, held: &Held, words: &mut [Words]) {
    let [(a, a_words), (b, b_words), (c, c_words)] = operands(multiply, held);
    let unpack = |fragment: Fragment, words: &[Words]| {
        let mut numbers = [0; MOST_INTEGERS];
        let unused = 32 - fragment.kind.bits();
        let is_signed = matches!(fragment.kind, MatrixType::S8 | MatrixType::S4);
        fragment.numbers(|at, register, bit, lane| {
            let value = words[register][lane] >> bit << unused;
            numbers[at] = if is_signed { value as i32 >> unused } else { (value >> unused) as i32 };
        });
        numbers
    };
    let (left, right) = (unpack(a, a_words), unpack(b, b_words));
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    let mut sums = [0i32; MOST];
    for row in 0..rows {
        let sums = &mut sums[row * columns..][..columns];
        for k in 0..depth {
            let (value, values) = (left[row * depth + k], &right[k * columns..][..columns]);
            for (sum, other) in sums.iter_mut().zip(values) {
                *sum += value * other;
            }
        }
    }
    whole(multiply, c, c_words, &sums, words);
}

#[inline(always)]
fn bits(multiply: &Multiply, held: &Held, words: &mut [Words]) {
    let [(a, a_words), (b, b_words), (c, c_words)] = operands(multiply, held);
    let (rows, depth) = a.sides();
    let (_, columns) = b.sides();
    let depth = depth / 32;
    // A register is 32 numbers that follow each other along K.
    let mut left = [0u32; MOST];
    let mut right = [0u32; MOST];
    for register in 0..a.registers() {
        for lane in 0..LANES {
            let (row, k) = a.place(register, 0, lane);
            left[row * depth + k / 32] = a_words[register][lane];
        }
    }
    for register in 0..b.registers() {
        for lane in 0..LANES {
            let (k, column) = b.place(register, 0, lane);
            right[k / 32 * columns + column] = b_words[register][lane];
        }
    }
    let mut sums = [0i32; MOST];
    for row in 0..rows {
        for column in 0..columns {
            sums[row * columns + column] = (0..depth)
                .map(|k| {
                    let (x, y) = (left[row * depth + k], right[k * columns + column]);
                    (if multiply.is_and { x & y } else { x ^ y }).count_ones() as i32
                })
                .sum();
        }
    }
    whole(multiply, c, c_words, &sums, words);
}

/// Adds C.
#[inline(always)]
fn whole(multiply: &Multiply, c: Fragment, c_words: &[Words], sums: &[i32; MOST], words: &mut [Words]) {
    c.numbers(|at, register, _, lane| {
        let sum = i64::from(c_words[register][lane] as i32) + i64::from(sums[at]);
        let sum = if multiply.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
        words[register][lane] = sum as u32;
    });
}
