//! Classes of values and sizes that a right kernel must cope with, and which of them a plan holds.
//!
//! An exercise declares every class: its cases have it, or it says why not. What a plan holds is read from
//! its buffers, not from the names of its cases.

use std::collections::{BTreeMap, BTreeSet};

use strum::VariantArray;

use super::{Constants, Exercise};
use crate::{
    fill,
    plan::{Argument, Buffer, BufferId, Element, Expected, Plan, Step},
};

/// A class of values or sizes that kernels get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray)]
pub enum ValueClass {
    /// −0.
    NegativeZero,
    /// +∞.
    Infinity,
    /// −∞.
    NegativeInfinity,
    /// NaN whose sign bit is clear.
    Nan,
    /// NaN whose sign bit is set.
    NegativeNan,
    /// Numbers nearer to 0 than any normal one.
    Denormal,
    /// 10⁻⁹ and less beside 7·10⁴ and more: no half holds both, and no bfloat their digits.
    HugeAndTiny,
    /// A buffer of nothing but negative numbers.
    NegativeOnly,
    /// Two neighbours that are equal.
    EqualNeighbours,
    /// Numbers that are not whole.
    Fraction,
    /// Numbers that need every bit of their type: an `int` above 2³⁰, a `float` of 24 digits, a bfloat of 8.
    AllBits,
    /// The least number of an integer type.
    Least,
    /// The greatest number of an integer type.
    Greatest,
    /// More than 2¹⁶ elements of one value.
    Crowded,
    /// Each dimension longer than 2¹⁶ in some case.
    LongDimension,
    /// A buffer of more than 2²¹ elements.
    LargeIndex,
    /// No element at all.
    NoElement,
    /// One element.
    OneElement,
    /// Each dimension no multiple of a warp in some case.
    Ragged,
    /// Data that do not begin at a multiple of 16 bytes.
    Misaligned,
}

/// Whether an exercise's cases have a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Some case on the simulator has it.
    Here,
    /// None can have it, for this reason.
    Not(&'static str),
    /// Nothing was said, which the contract refuses.
    Missing,
}

/// More than so many elements are a long dimension, or a crowd.
const LONG: usize = 1 << 16;
/// More than so many are a large index.
const LARGE: usize = 1 << 21;
/// What no dimension is to be a multiple of.
const WARP: usize = 32;

/// What is wrong with an exercise's declared classes: sentences. A class that it declares must be in some case
/// of the simulator with the stub's constants, and what it says nothing of is missing.
pub fn value_problems(exercise: &dyn Exercise) -> Vec<String> {
    let constants = Constants::of_source(exercise.about().stub);
    let cases = exercise.cases();
    let plans = cases.iter().filter(|case| case.on.is_simulated());
    let held = held_by_all(plans.map(|case| exercise.plan(case, 1, &constants)));
    let problem = |class: &ValueClass| match exercise.value_class(*class) {
        Declared::Here if !held.contains(class) => {
            Some(format!("no case of the simulator has values of the class {class:?}, which is declared"))
        }
        Declared::Not(_) if held.contains(class) && !BY_THE_WAY.contains(class) => {
            Some(format!("some case has values of the class {class:?}, which is declared impossible"))
        }
        Declared::Missing => Some(format!("nothing is said of values of the class {class:?}")),
        Declared::Here | Declared::Not(_) => None,
    };
    ValueClass::VARIANTS.iter().filter_map(problem).collect()
}

/// Classes that random values and other buffers may have where nobody needs them.
const BY_THE_WAY: [ValueClass; 6] = [
    ValueClass::EqualNeighbours,
    ValueClass::AllBits,
    ValueClass::Fraction,
    ValueClass::NegativeOnly,
    ValueClass::Ragged,
    ValueClass::OneElement,
];

/// The classes that some of the plans hold.
pub fn held<'a>(plans: impl IntoIterator<Item = &'a Plan>) -> BTreeSet<ValueClass> {
    held_by_all(plans.into_iter().cloned())
}

/// The classes that some of the plans hold.
fn held_by_all(plans: impl IntoIterator<Item = Plan>) -> BTreeSet<ValueClass> {
    let mut held = BTreeSet::new();
    // By the number of dimensions, for each dimension: whether it is long somewhere, and ragged somewhere.
    let mut dimensions: BTreeMap<usize, Vec<[bool; 2]>> = BTreeMap::new();
    let mut extents = [[false; 2]; 3];
    let mut products = false;
    for plan in plans {
        for buffer in &plan.buffers {
            if buffer.is_empty() {
                held.insert(ValueClass::NoElement);
            }
            if buffer.len() > LARGE {
                held.insert(ValueClass::LargeIndex);
            }
        }
        for id in inputs(&plan) {
            let buffer = &plan.buffers[id];
            of_contents(buffer, &mut held);
            let known =
                dimensions.entry(buffer.shape.len()).or_insert_with(|| vec![[false; 2]; buffer.shape.len()]);
            for (known, &extent) in known.iter_mut().zip(&buffer.shape) {
                note(known, extent);
            }
        }
        for expectation in &plan.expectations {
            if let Expected::Product(product) = &expectation.expected {
                products = true;
                extents.iter_mut().zip(product.extents).for_each(|(known, extent)| note(known, extent));
            }
        }
        if arguments(&plan.steps)
            .filter(|&(id, _)| plan.is_input(BufferId(id)))
            .any(|(id, offset)| !(offset * plan.buffers[id].element.bytes()).is_multiple_of(16))
        {
            held.insert(ValueClass::Misaligned);
        }
    }
    let all: Vec<[bool; 2]> =
        dimensions.into_values().flatten().chain(extents.into_iter().filter(|_| products)).collect();
    for (which, class) in [ValueClass::LongDimension, ValueClass::Ragged].into_iter().enumerate() {
        if !all.is_empty() && all.iter().all(|known| known[which]) {
            held.insert(class);
        }
    }
    held
}

fn note(known: &mut [bool; 2], extent: usize) {
    known[0] |= extent > LONG;
    known[1] |= !extent.is_multiple_of(WARP);
}

/// The buffers that hold something before the first step and are only read.
fn inputs(plan: &Plan) -> impl Iterator<Item = usize> + '_ {
    (0..plan.buffers.len()).filter(|&id| plan.is_input(BufferId(id)))
}

fn arguments(steps: &[Step]) -> Box<dyn Iterator<Item = (usize, usize)> + '_> {
    Box::new(steps.iter().flat_map(|step| -> Box<dyn Iterator<Item = (usize, usize)>> {
        match step {
            Step::Launch(launch) => Box::new(launch.arguments.iter().filter_map(|argument| match argument {
                Argument::Buffer { buffer, offset } => Some((buffer.0, *offset)),
                Argument::TensorMap { buffer, .. }
                | Argument::Texture { buffer, .. }
                | Argument::Surface { buffer, .. } => Some((buffer.0, 0)),
                Argument::Scalar(_) | Argument::Null => None,
            })),
            Step::Repeat { steps, .. } => arguments(steps),
            Step::SetGlobal { .. } | Step::ReadGlobal { .. } | Step::ReadBack(_) => {
                Box::new(std::iter::empty())
            }
        }
    }))
}

/// One element as its bits and, where it is a float, as a number.
fn elements(buffer: &Buffer, bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(buffer.element.bytes())
        .map(|element| {
            let mut bits = [0; 8];
            bits[..element.len()].copy_from_slice(element);
            u64::from_le_bytes(bits)
        })
        .collect()
}

fn of_contents(buffer: &Buffer, held: &mut BTreeSet<ValueClass>) {
    let Some(bytes) = fill::contents(buffer) else { return };
    let elements = elements(buffer, &bytes);
    if elements.len() == 1 {
        held.insert(ValueClass::OneElement);
    }
    if elements.windows(2).any(|pair| pair[0] == pair[1]) {
        held.insert(ValueClass::EqualNeighbours);
    }
    if !held.contains(&ValueClass::Crowded) && is_crowded(&elements) {
        held.insert(ValueClass::Crowded);
    }
    match buffer.element {
        Element::F32 => of_floats(&elements, 0, held),
        // The upper half of a float.
        Element::Bf16 => of_floats(&elements, 16, held),
        Element::F16 | Element::F64 => {}
        integer => of_integers(integer, &elements, held),
    }
}

/// Whether more than [`LONG`] elements are equal.
fn is_crowded(elements: &[u64]) -> bool {
    // So many fill a window of the sorted elements, which has its place only among more than that.
    let mut sorted = if elements.len() > LONG { elements.to_vec() } else { Vec::new() };
    sorted.sort_unstable();
    sorted.windows(LONG + 1).any(|window| window.first() == window.last())
}

/// Floats of which so many of the last bits are left out.
fn of_floats(elements: &[u64], left_out: u32, held: &mut BTreeSet<ValueClass>) {
    let values = || elements.iter().map(|&bits| f32::from_bits((bits as u32) << left_out));
    let mut add = |class, any: &dyn Fn(f32) -> bool| {
        if !held.contains(&class) && values().any(any) {
            held.insert(class);
        }
    };
    add(ValueClass::NegativeZero, &|value| value == 0.0 && value.is_sign_negative());
    add(ValueClass::Infinity, &|value| value == f32::INFINITY);
    add(ValueClass::NegativeInfinity, &|value| value == f32::NEG_INFINITY);
    add(ValueClass::Nan, &|value| value.is_nan() && value.is_sign_positive());
    add(ValueClass::NegativeNan, &|value| value.is_nan() && value.is_sign_negative());
    add(ValueClass::Denormal, &f32::is_subnormal);
    add(ValueClass::Fraction, &|value| value.is_finite() && value.fract() != 0.0);
    // The last digit is not 0.
    add(ValueClass::AllBits, &|value| value.is_normal() && value.to_bits() >> left_out & 1 == 1);
    let tiny = |value: f32| value != 0.0 && value.abs() <= 1e-9;
    if values().any(tiny) && values().any(|value| value.is_finite() && value.abs() >= 7e4) {
        held.insert(ValueClass::HugeAndTiny);
    }
    if elements.len() > 1 && values().all(|value| value.is_nan() || value < 0.0) {
        held.insert(ValueClass::NegativeOnly);
    }
}

/// Elements that a kernel may treat each in its own way: those of the longest vectors, or of a round of reads.
const PLACES: usize = 8;

fn of_integers(element: Element, elements: &[u64], held: &mut BTreeSet<ValueClass>) {
    let bits = 8 * element.bytes() as u32;
    let signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    let shift = 64 - bits;
    let value = |&element: &u64| match signed {
        true => i128::from((element << shift) as i64 >> shift),
        false => i128::from(element),
    };
    let greatest = (1i128 << (bits - u32::from(signed))) - 1;
    let least = if signed { -greatest - 1 } else { 0 };
    let values = || elements.iter().map(value);
    if values().any(|value| value == least) {
        held.insert(ValueClass::Least);
    }
    if values().any(|value| value == greatest) {
        held.insert(ValueClass::Greatest);
    }
    // Beyond half of the range, and not only its ends; odd, so that the last bit counts, too.
    let wide = |value: i128| (value > greatest / 2 || value < least / 2) && value % 2 != 0;
    let is_somewhere = values().any(|value| wide(value) && value != least && value != greatest);
    // Bits may be lost of every eighth element alone, as in one of a vector's.
    let many = |value: i128| (value > greatest / 32 || value < least / 32) && value % 2 != 0;
    let is_everywhere = elements.len() < 8 * PLACES
        || (0..PLACES).all(|place| values().skip(place).step_by(PLACES).any(many));
    if is_somewhere && is_everywhere {
        held.insert(ValueClass::AllBits);
    }
    if elements.len() > 1 && values().all(|value| value < 0) {
        held.insert(ValueClass::NegativeOnly);
    }
}

/// Puts a float of each kind among others, over and over: zeros, infinities and NaN of both signs, denormals,
/// huge and tiny numbers, equal neighbours.
pub fn sprinkle(values: &mut [f32]) {
    const SPECIAL: [f32; 12] = [
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        -f32::NAN,
        1.0e-40,
        -1.0e-40,
        1.0e-9,
        -3.0e-10,
        7.0e4,
        -3.0e38,
        0.0,
    ];
    for (at, value) in values.iter_mut().enumerate().filter(|(at, _)| at % 3 == 1) {
        *value = SPECIAL[at / 3 % SPECIAL.len()];
    }
    if let [first, second, ..] = values {
        *first = *second;
    }
}

/// The factors of a product that shows every bit: `a` has one number in each row, whose places `b`'s rows fill
/// with huge and tiny numbers and fractions of both signs. Nothing is added to them, so nothing
/// hides a lost bit.
pub fn picking_factors([m, n, k]: [usize; 3], seed: u64) -> [Vec<f32>; 2] {
    let factors: Vec<f32> = fill::values(m, fill::hash(seed, 1), 0.5, 2.0);
    let mut a = vec![0.0; m * k];
    for (row, factor) in factors.into_iter().enumerate() {
        a[row * k + (fill::hash(fill::hash(seed, 2), row as u64) % k as u64) as usize] = factor;
    }
    let mut b: Vec<f32> = fill::values(k * n, fill::hash(seed, 3), -1.0, 1.0);
    let scales = [1.0, 1.0e-9, 7.0e5, 1.0e-3, 1.0e9];
    b.iter_mut().enumerate().for_each(|(at, value)| *value *= scales[at % scales.len()]);
    [a, b]
}

/// The factors of a product whose sums cancel: positive numbers in the first half of k, so that sums grow. The second
/// half of a's rows is the first once more, and that of b's rows takes back what the first gave, but for a few
/// units. All are whole numbers of eight bits at most.
pub fn cancelling_factors([m, n, k]: [usize; 3], seed: u64) -> [Vec<f32>; 2] {
    let half = k / 2;
    let mut a: Vec<f32> = fill::whole_values(m * k, fill::hash(seed, 1), 64.0, 127.0);
    let mut b: Vec<f32> = fill::whole_values(k * n, fill::hash(seed, 2), 64.0, 127.0);
    let units: Vec<f32> = fill::whole_values(half * n, fill::hash(seed, 3), -3.0, 3.0);
    for row in a.chunks_exact_mut(k) {
        row.copy_within(..half, half);
    }
    let (first, second) = b.split_at_mut(half * n);
    for ((second, first), unit) in second.iter_mut().zip(first).zip(units) {
        *second = unit - *first;
    }
    [a, b]
}

/// Puts the ends of `int` into sums that fit all the same, in any order of additions: of each whole piece of so
/// many elements the middle one becomes the greatest `int` and no other is positive, or the least and no other
/// is negative, or a number that needs all bits. Pieces times the largest element must stay below 2³⁰.
pub fn reach_for_the_ends(values: &mut [i32], piece: usize) {
    for (number, piece) in values.chunks_exact_mut(piece).enumerate() {
        let (end, sign) = [(i32::MAX, -1), (i32::MIN, 1), ((1 << 30) + 1, 1)][number % 3];
        piece.iter_mut().for_each(|value| *value = sign * value.abs());
        piece[piece.len() / 2] = end;
    }
}

/// Puts numbers that need 27 bits, odd ones, into every place modulo eight: each beside its negative, so that sums stay as
/// they are. All of one sign are less than 2³⁰ together. Fewer elements than 200 stay as they are.
pub fn need_bits_everywhere(values: &mut [i32]) {
    const BEFORE: usize = 2 * PLACES;
    if values.len() < 200 {
        return;
    }
    let apart = (values.len() - 2 * BEFORE) / PLACES / PLACES * PLACES;
    for place in 0..PLACES {
        let at = BEFORE + place * apart + place;
        let many = (1 << 26) + 1 + 2 * place as i32;
        values[at] = -many;
        values[at + 1] = many;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Bytes, Fill, Launch};

    #[test]
    fn bits_are_needed_in_every_place() {
        for count in [200, 1000, 4097, 70_001] {
            let mut values: Vec<i32> = fill::values(count, 1, -1e3, 1e3);
            let before = values.clone();
            need_bits_everywhere(&mut values);
            for place in 0..PLACES {
                let there = || values.iter().skip(place).step_by(PLACES);
                assert!(
                    there().any(|&value| value > 1 << 26) && there().any(|&value| value < -(1 << 26)),
                    "{count}"
                );
            }
            // As few as that, a float keeps none of them, in no place.
            let lost = |place: usize, step: usize| -> i64 {
                let there = values.iter().skip(place).step_by(step);
                there.map(|&value| i64::from(value as f32 as i32) - i64::from(value)).sum()
            };
            for step in [2, 4, 8] {
                assert!((0..step).all(|place| lost(place, step) != 0), "{count}, every {step}");
            }
            let changed = before.iter().zip(&values).filter(|(before, after)| before != after).count();
            assert!(changed <= 2 * PLACES);
            let sum_of = |sign: i64| -> i64 {
                let many =
                    values.iter().map(|&value| i64::from(value)).filter(|value| value * sign > 1 << 20);
                many.sum::<i64>() * sign
            };
            assert!(sum_of(1) < 1 << 30 && sum_of(1) == sum_of(-1));
        }
    }

    #[test]
    fn sums_with_the_ends_of_int_fit_in_any_order() {
        let mut values: Vec<i32> = fill::values(1000, 1, -1e6, 1e6);
        reach_for_the_ends(&mut values, 100);
        for piece in values.chunks(100) {
            let sum = |sign: i64| -> i64 {
                piece.iter().map(|&value| i64::from(value)).filter(|value| value * sign > 0).sum()
            };
            assert!(sum(1) <= i64::from(i32::MAX) && sum(-1) >= i64::from(i32::MIN));
        }
        assert!(
            values.contains(&i32::MAX) && values.contains(&i32::MIN) && values.contains(&((1 << 30) + 1))
        );
    }

    fn plan<T: bytemuck::NoUninit>(element: Element, values: &[T], offset: usize) -> Plan {
        let mut plan = Plan::new();
        let id = plan.buffer("in", element, &[values.len()], Fill::Data(Bytes::of(values)));
        plan.launch(Launch::new("k", 1, 1).argument(Argument::Buffer { buffer: id, offset }));
        plan
    }

    #[test]
    fn sprinkled_floats_are_of_every_kind() {
        let mut values: Vec<f32> = fill::values(100, 1, -1.0, 1.0);
        sprinkle(&mut values);
        let held = held([&plan(Element::F32, &values, 1)]);
        use ValueClass::*;
        for class in [
            NegativeZero,
            Infinity,
            NegativeInfinity,
            Nan,
            NegativeNan,
            Denormal,
            HugeAndTiny,
            EqualNeighbours,
            Fraction,
            AllBits,
            Ragged,
            Misaligned,
        ] {
            assert!(held.contains(&class), "{class:?}");
        }
        for class in
            [NegativeOnly, Least, Greatest, Crowded, LongDimension, LargeIndex, NoElement, OneElement]
        {
            assert!(!held.contains(&class), "{class:?}");
        }
    }

    #[test]
    fn bfloats_are_floats_of_fewer_bits() {
        use ValueClass::*;
        let of = |values: &[f32]| {
            let bits: Vec<u16> = values.iter().map(|value| (value.to_bits() >> 16) as u16).collect();
            held([&plan(Element::Bf16, &bits, 0)])
        };
        assert!(of(&[1.0e-10, 1.0e5]).contains(&HugeAndTiny) && !of(&[1.0, 1.0e5]).contains(&HugeAndTiny));
        // 1 + 2⁻⁷ and 1 + 2⁻⁶.
        assert!(of(&[1.007_812_5]).contains(&AllBits) && !of(&[1.015_625]).contains(&AllBits));
        assert!(of(&[-1.5, -2.0]).contains(&NegativeOnly) && of(&[0.5]).contains(&Fraction));
    }

    #[test]
    fn integers_have_ends_and_bits() {
        let of = |values: &[i32]| held([&plan(Element::I32, values, 0)]);
        assert!(of(&[i32::MIN, 5]).contains(&ValueClass::Least));
        assert!(of(&[i32::MAX, 5]).contains(&ValueClass::Greatest));
        assert!(!of(&[i32::MAX, i32::MIN, 5]).contains(&ValueClass::AllBits));
        assert!(of(&[(1 << 30) + 1, 5]).contains(&ValueClass::AllBits));
        assert!(of(&[-1, -2]).contains(&ValueClass::NegativeOnly));
        let bytes = held([&plan(Element::U8, &[129u8; (1 << 16) + 1], 0)]);
        assert!(bytes.contains(&ValueClass::AllBits) && bytes.contains(&ValueClass::Crowded));
        assert!(bytes.contains(&ValueClass::LongDimension));
    }
}
