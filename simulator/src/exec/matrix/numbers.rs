//! The numbers in matrices: from the bits of a register to what is multiplied, and back.

use crate::ir::{Fragment, LANES, MatrixType, Words};

/// Most numbers of a matrix of floating-point numbers.
pub const MOST: usize = 512;

/// A matrix of floating-point numbers, row by row.
pub struct Numbers {
    /// Exactly; what is not finite, too.
    pub values: [f64; MOST],
    /// 2 to the exponent that a number is written with, for subnormals the smallest; 0 of zero.
    pub powers: [f64; MOST],
    /// One is infinite, or no number.
    pub any_special: bool,
}

/// How a floating-point number is written.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    mantissa: u32,
    /// The largest exponent has one value that is no number, and no infinity.
    is_finite: bool,
}

impl Format {
    /// Value, power, and whether it is infinite or no number.
    #[inline(always)]
    fn decode(self, bits: u32) -> (f64, f64, bool) {
        let Format { exponent: width, mantissa, is_finite } = self;
        let exponent = bits >> mantissa & ((1 << width) - 1);
        let fraction = bits & ((1 << mantissa) - 1);
        let bias = (1u64 << (width - 1)) - 1;
        let power = f64::from_bits((u64::from(exponent.max(1)) + 1023 - bias) << 52);
        let unit = f64::from_bits((1023 - u64::from(mantissa)) << 52);
        let significand = fraction | u32::from(exponent != 0) << mantissa;
        let largest = exponent == (1 << width) - 1;
        let special = largest && (!is_finite || fraction == (1 << mantissa) - 1);
        let magnitude = match (special, fraction == 0) {
            (false, _) => f64::from(significand) * unit * power,
            (true, true) => f64::INFINITY,
            (true, false) => f64::NAN,
        };
        let value = if bits >> (width + mantissa) & 1 == 0 { magnitude } else { -magnitude };
        (value, if significand == 0 { 0.0 } else { power }, special)
    }
}

impl Fragment {
    /// Calls `each` with the place of every number in the matrix, row by row, and the register, bit and lane that it is at.
    #[inline(always)]
    pub fn numbers(self, mut each: impl FnMut(usize, usize, usize, usize)) {
        let (_, columns) = self.sides();
        let at = |register: usize, part: usize, lane: usize| {
            let (row, column) = self.place(register, part, lane);
            row * columns + column
        };
        // Lanes are four in a group, and places grow evenly with both.
        let (in_group, group) = (at(0, 0, 1) - at(0, 0, 0), at(0, 0, 4) - at(0, 0, 0));
        for register in 0..self.distinct_registers() {
            for part in 0..self.kind.per_register() {
                let first = at(register, part, 0);
                for lane in 0..LANES {
                    each(
                        first + lane / 4 * group + lane % 4 * in_group,
                        register,
                        part * self.kind.bits(),
                        lane,
                    );
                }
            }
        }
    }

    #[inline(always)]
    fn unpack_as(self, words: &[Words], shift: u32, format: Format, to: &mut Numbers) {
        self.numbers(|at, register, bit, lane| {
            let (value, power, special) = format.decode(words[register][lane] >> bit >> shift);
            to.values[at] = value;
            to.powers[at] = power;
            to.any_special |= special;
        });
    }

    /// Its matrix, for a product of floating-point numbers up to 32 bits.
    #[inline(always)]
    pub fn unpack(self, words: &[Words], to: &mut Numbers) {
        let format = |exponent, mantissa| Format { exponent, mantissa, is_finite: false };
        match self.kind {
            MatrixType::F16 => self.unpack_as(words, 0, format(5, 10), to),
            MatrixType::Bf16 => self.unpack_as(words, 0, format(8, 7), to),
            // The lower 13 bits play no part.
            MatrixType::Tf32 => self.unpack_as(words, 13, format(8, 10), to),
            MatrixType::E4m3 => self.unpack_as(words, 0, Format { is_finite: true, ..format(4, 3) }, to),
            MatrixType::E5m2 => self.unpack_as(words, 0, format(5, 2), to),
            _ => self.unpack_as(words, 0, format(8, 23), to),
        }
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { values: [0.0; MOST], powers: [0.0; MOST], any_special: false }
    }
}

/// 2 to the exponent that `x`, a single, is written with; 0 of zero.
#[inline(always)]
pub fn power_of_single(x: f64) -> f64 {
    const SMALLEST: f64 = f64::from_bits((1023 - 126) << 52);
    let power = f64::from_bits(x.to_bits() & 0x7FF << 52);
    if x == 0.0 {
        0.0
    } else if power < SMALLEST {
        SMALLEST
    } else {
        power
    }
}

/// The single that is next to `x` on the way to zero, and beyond the largest one infinity.
#[inline(always)]
pub fn toward_zero(x: f64) -> f64 {
    const SMALLEST: f64 = f64::from_bits((1023 - 126) << 52);
    const SUBNORMALS: f64 = f64::from_bits((1023 + 149) << 52);
    if x.abs() < SMALLEST {
        (x * SUBNORMALS).trunc() / SUBNORMALS
    } else {
        f64::from(f64::from_bits(x.to_bits() & !((1 << 29) - 1)) as f32)
    }
}
