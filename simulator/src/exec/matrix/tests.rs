//! Fragments hold every number once, products of whole numbers are exact, and what is undefined is followed.

use proptest::prelude::*;

use super::{Held, MOST_WORDS, all_defined, multiply::multiply};
use crate::{
    exec::{dispatch, undefined::Undefined},
    ir::{Fragment, LANES, List, MatrixShape, MatrixType, Multiply, Words},
};

use MatrixType::{B1, Bf16, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};

/// Every product that the decoder makes, but for the types of A and B, of which only equal ones are here.
fn products() -> Vec<Multiply> {
    let mut products = Vec::new();
    let mut add = |is_wmma, shapes: &[(u16, u16, u16)], kinds: &[(MatrixType, MatrixType)]| {
        for &(m, n, k) in shapes {
            for &(a, c) in kinds {
                for flag in [false, true] {
                    let shape = MatrixShape { m, n, k };
                    let (saturates, is_and, registers) = (flag, flag, List::default());
                    products.push(Multiply {
                        shape,
                        a,
                        b: a,
                        c,
                        d: c,
                        is_wmma,
                        is_group: false,
                        saturates,
                        is_and,
                        registers,
                    });
                }
            }
        }
    };
    let of_wmma = [(16, 16, 16), (32, 8, 16), (8, 32, 16)];
    add(false, &[(16, 8, 8), (16, 8, 16)], &[(F16, F16), (F16, F32), (Bf16, F32)]);
    add(true, &of_wmma, &[(F16, F16), (F16, F32), (Bf16, F32), (U8, S32), (S8, S32)]);
    add(false, &[(16, 8, 4), (16, 8, 8)], &[(Tf32, F32)]);
    add(true, &[(16, 16, 8)], &[(Tf32, F32)]);
    add(false, &[(16, 8, 16), (16, 8, 32)], &[(E4m3, F16), (E4m3, F32), (E5m2, F16), (E5m2, F32), (U8, S32)]);
    add(false, &[(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)], &[(F64, F64)]);
    add(true, &[(8, 8, 4)], &[(F64, F64)]);
    add(false, &[(8, 8, 16)], &[(S8, S32)]);
    add(false, &[(8, 8, 32), (16, 8, 32), (16, 8, 64)], &[(U4, S32), (S4, S32)]);
    add(true, &[(8, 8, 32)], &[(S4, S32)]);
    add(false, &[(8, 8, 128), (16, 8, 128), (16, 8, 256)], &[(B1, S32)]);
    products
}

/// Words of an operand that a lane holds.
fn words(fragment: Fragment) -> usize {
    fragment.registers() * if fragment.kind.is_wide() { 2 } else { 1 }
}

#[test]
fn a_fragment_holds_every_number_once() {
    for product in products() {
        for fragment in product.fragments() {
            let (rows, columns) = fragment.sides();
            let mut seen = vec![0; rows * columns];
            fragment.numbers(|at, register, bit, lane| {
                let (row, column) = fragment.place(register, bit / fragment.kind.bits(), lane);
                assert_eq!(at, row * columns + column, "{fragment:?}");
                seen[at] += 1;
            });
            assert!(seen.iter().all(|&times| times == 1), "{fragment:?}");
            assert!(fragment.registers().is_multiple_of(fragment.distinct_registers()), "{fragment:?}");
        }
    }
}

/// How a small whole number is written; the same value is read back from what a product gives.
fn encode(kind: MatrixType, value: i64) -> u64 {
    let x = value as f64;
    match kind {
        F64 => x.to_bits(),
        F32 | Tf32 => u64::from((x as f32).to_bits()),
        Bf16 => u64::from((x as f32).to_bits() >> 16),
        F16 => half::f16::from_f64(x).to_bits().into(),
        // Of whole numbers these are the upper halves of halves, or shifted by a bit.
        E5m2 => u64::from(half::f16::from_f64(x).to_bits() >> 8),
        E4m3 => {
            let bits = half::f16::from_f64(x.abs() / 256.0).to_bits() >> 7;
            u64::from(bits) | u64::from(value < 0) << 7
        }
        S32 => u64::from(value as u32),
        _ => value as u64 & ((1 << kind.bits()) - 1),
    }
}

/// Puts matrices into fragments.
fn held(product: &Multiply, of: [&dyn Fn(usize) -> i64; 3]) -> Held {
    let mut held = Held::new();
    let [_, operands @ ..] = product.fragments();
    let mut first = 0;
    for (fragment, value) in operands.into_iter().zip(of) {
        fragment.numbers(|at, register, bit, lane| {
            let bits = encode(fragment.kind, value(at));
            if fragment.kind.is_wide() {
                held.words[first + 2 * register][lane] = bits as u32;
                held.words[first + 2 * register + 1][lane] = (bits >> 32) as u32;
            } else {
                held.words[first + register][lane] |= (bits as u32) << bit;
            }
        });
        first += words(fragment);
    }
    held
}

#[test]
fn products_of_small_whole_numbers_are_exact() {
    for product in products() {
        let MatrixShape { m, n, k } = product.shape;
        let (m, n, k) = (usize::from(m), usize::from(n), usize::from(k));
        let is_signed = !matches!(product.a, U8 | U4 | B1);
        let most = if product.a == B1 { 2 } else { 3 };
        let number = move |seed: usize| {
            let value = (seed * 7 % 11 % most) as i64;
            if is_signed && seed.is_multiple_of(3) { -value } else { value }
        };
        let (a, b) = (move |at: usize| number(at + 1), move |at: usize| number(3 * at + 2));
        let c = |at: usize| (at % 5) as i64 - 2;
        let given = dispatch::multiply(&product, &held(&product, [&a, &b, &c]));
        let [d, ..] = product.fragments();
        d.numbers(|at, register, bit, lane| {
            let (row, column) = (at / n, at % n);
            let sum: i64 = (0..k)
                .map(|k_at| {
                    let (x, y) = (a(row * k + k_at), b(k_at * n + column));
                    match (product.a, product.is_and) {
                        (B1, true) => x & y,
                        (B1, false) => x ^ y,
                        _ => x * y,
                    }
                })
                .sum();
            let expected = encode(d.kind, sum + c(at));
            let got = if d.kind.is_wide() {
                u64::from(given.words[2 * register][lane])
                    | u64::from(given.words[2 * register + 1][lane]) << 32
            } else {
                u64::from(given.words[register][lane] >> bit) & (u64::MAX >> (64 - d.kind.bits()))
            };
            assert_eq!(got, expected, "{product:?}: row {row} of {m}, column {column}");
        });
    }
}

fn any_words() -> impl Strategy<Value = Vec<Words>> {
    prop::collection::vec(prop::array::uniform32(any::<u32>()), MOST_WORDS)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_instruction_set_gives_the_same(words in any_words()) {
        for product in products() {
            let mut held = Held::new();
            held.words.copy_from_slice(&words);
            prop_assert_eq!(multiply(&product, &held).words, dispatch::multiply(&product, &held).words, "{:?}", product);
        }
    }

    /// What is undefined may be anything: no number changes that is not said to be undefined.
    #[test]
    fn nothing_defined_depends_on_what_is_undefined(
        words in any_words(),
        register in 0..8usize,
        lane in 0..LANES,
        bits in 1..u32::MAX,
        other in any::<u32>(),
    ) {
        for product in products() {
            let [_, operands @ ..] = product.fragments();
            let in_use: usize = operands.into_iter().map(self::words).sum();
            let register = register % in_use;
            let mut held = Held::new();
            held.words.copy_from_slice(&words);
            let mut undefined = all_defined(MOST_WORDS);
            undefined[register][lane] = Undefined { bits: bits.into(), ..Undefined::NONE };
            held.undefined = Some(undefined);
            let first = multiply(&product, &held);
            held.words[register][lane] ^= bits & other;
            let second = multiply(&product, &held);
            let said = first.undefined.expect("an operand is undefined");
            for (word, (first, second)) in first.words.iter().zip(&second.words).enumerate() {
                for lane in 0..LANES {
                    let changed = first[lane] ^ second[lane];
                    prop_assert_eq!(u64::from(changed) & !said[word][lane].bits, 0, "{:?}: word {}, lane {}", product, word, lane);
                }
            }
        }
    }
}
