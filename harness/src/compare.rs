//! Whether outputs are what a plan expects, and the first element that is not.
//!
//! Pure: bytes in, mismatches out. Knows no device and no exercise.

use std::{ops::Range, sync::Arc};

use half::{bf16, f16};
use rayon::prelude::*;
use warpsim::{Place, StoredUndefined};

use crate::{
    fill,
    plan::{Buffer, Bytes, Element, Expectation, Expected, Product, Tolerance},
    product,
    report::{Content, Mismatch},
};

/// A buffer read back from a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputView<'a> {
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Byte ranges that nothing wrote or that hold uninitialised data, ascending.
    pub unwritten: &'a [Range<usize>],
    /// Those of them that were written with undefined values.
    pub undefined: &'a [StoredUndefined],
}

/// Elements of an expected output that hold no value of the kernel's, all for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The buffer's name.
    pub buffer: String,
    /// Index of the first such element, one number per dimension.
    pub index: Vec<usize>,
    /// How many there are.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// Nothing where no thread wrote them; else the store that wrote the first one with an undefined
    /// value, if its line is known.
    pub undefined: Option<Option<Place>>,
}

/// The elements of every expectation that the kernel left without a value of its own.
pub fn unwritten<'a>(
    buffers: &[Buffer],
    expectations: &[Expectation],
    output: impl Fn(usize) -> Option<OutputView<'a>>,
) -> Vec<Unwritten> {
    let mut found = Vec::new();
    for expectation in expectations {
        let buffer = &buffers[expectation.buffer.0];
        let Some(view) = output(expectation.buffer.0) else { continue };
        let size = buffer.element.bytes();
        let range = expectation.range.clone().unwrap_or(0..buffer.len());
        let stored: Vec<Range<usize>> = view.undefined.iter().map(|each| each.bytes.clone()).collect();
        let stored = elements_of(&stored, size, &range);
        let mut sides: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        let mut last = None;
        for index in elements_of(view.unwritten, size, &range).into_iter().flatten() {
            // Two ranges may share an element.
            if last.replace(index) != Some(index) {
                sides[usize::from(contains(&stored, index))].push(index);
            }
        }
        for (undefined, indices) in sides.iter().enumerate() {
            let Some(first) = indices.first().map(|first| range.start + first) else { continue };
            let place = || {
                let of_first = |each: &&StoredUndefined| {
                    each.bytes.start < (first + 1) * size && first * size < each.bytes.end
                };
                view.undefined.iter().find(of_first).and_then(|each| each.place.clone())
            };
            found.push(Unwritten {
                buffer: buffer.name.clone(),
                index: position(first, &buffer.shape),
                count: indices.len() as u64,
                of: range.len() as u64,
                undefined: (undefined == 1).then(place),
            });
        }
    }
    found
}

/// True if one of the ranges, which are in order, holds the index.
fn contains(ranges: &[Range<usize>], index: usize) -> bool {
    let after = ranges.partition_point(|each| each.end <= index);
    ranges.get(after).is_some_and(|each| each.contains(&index))
}

/// Compares every expectation with what was read back. `output` gives the buffer of an index, or
/// nothing where the plan did not get as far as reading it.
pub fn mismatches<'a>(
    buffers: &[Buffer],
    expectations: &[Expectation],
    output: impl Fn(usize) -> Option<OutputView<'a>>,
) -> Vec<Mismatch> {
    expectations
        .iter()
        .filter_map(|expectation| {
            let buffer = &buffers[expectation.buffer.0];
            match output(expectation.buffer.0) {
                Some(view) => match &expectation.expected {
                    Expected::Elements { values, tolerance } => {
                        let range = expectation.range.clone().unwrap_or(0..buffer.len());
                        elements(buffer, range, values, &view, |found, expected, _| {
                            close(buffer.element, found, expected, *tolerance)
                        })
                    }
                    Expected::Product(wanted) => multiplied(buffers, buffer, wanted, &view),
                    // Only a GPU has what it must be; there it is compared, after the kernel has ended.
                    Expected::Reference { .. } => None,
                },
                None => Some(missing(buffer, "a value", Content::NeverReadBack)),
            }
        })
        .collect()
}

/// A buffer of which nothing can be right.
fn missing(buffer: &Buffer, expected: &str, found: Content) -> Mismatch {
    Mismatch {
        buffer: buffer.name.clone(),
        index: vec![0; buffer.shape.len()],
        expected: expected.to_owned(),
        found,
        wrong: buffer.len() as u64,
        of: buffer.len() as u64,
    }
}

/// An element that was asked for, beside what came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// What it should be, as text.
    pub expected: String,
    /// What it is.
    pub found: Content,
    /// Whether that is right.
    pub right: bool,
}

/// Some elements of an expectation, each compared as [`mismatches`] compares them all; `range` counts from the first one
/// that is expected. Nothing where only a GPU's reference kernel knows what is right.
pub fn side_by_side(
    buffers: &[Buffer],
    expectation: &Expectation,
    output: Option<&OutputView<'_>>,
    range: Range<usize>,
) -> Option<Vec<Compared>> {
    let buffer = &buffers[expectation.buffer.0];
    let size = buffer.element.bytes();
    let first = expectation.range.as_ref().map_or(0, |range| range.start);
    let exact = match &expectation.expected {
        Expected::Product(wanted) => Some(exact(buffers, buffer.element, wanted)?),
        Expected::Elements { .. } | Expected::Reference { .. } => None,
    };
    let listed = match &exact {
        Some(exact) => rounded(buffer.element, &exact.values),
        None => listed(buffers, expectation)?,
    };
    let compared = |at: usize| {
        let one = Bytes(Arc::from(&listed.0[at * size..(at + 1) * size]));
        let expected = text(buffer.element, &one.0);
        let Some(view) = output else {
            return Compared { expected, found: Content::NeverReadBack, right: false };
        };
        let index = first + at;
        let is_close = |found: &[u8], expected: &[u8], _: usize| match (&exact, &expectation.expected) {
            (Some(exact), _) => within(exact, buffer.element, found, at),
            (None, Expected::Elements { tolerance, .. }) => {
                close(buffer.element, found, expected, *tolerance)
            }
            (None, _) => false,
        };
        match elements(buffer, index..index + 1, &one, view, is_close) {
            Some(wrong) => Compared { expected, found: wrong.found, right: false },
            None => {
                let found = text(buffer.element, &view.bytes[index * size..(index + 1) * size]);
                Compared { expected, found: Content::Value(found), right: true }
            }
        }
    };
    let count = listed.0.len() / size;
    Some((range.start.min(count)..range.end.min(count)).map(compared).collect())
}

/// What an expectation asks for, element by element; nothing where only a GPU's reference kernel knows.
pub fn listed(buffers: &[Buffer], expectation: &Expectation) -> Option<Bytes> {
    match &expectation.expected {
        Expected::Elements { values, .. } => Some(values.clone()),
        Expected::Product(wanted) => {
            let element = buffers[expectation.buffer.0].element;
            exact(buffers, element, wanted).map(|exact| rounded(element, &exact.values))
        }
        Expected::Reference { .. } => None,
    }
}

fn exact(buffers: &[Buffer], element: Element, wanted: &Product) -> Option<product::Exact> {
    let (a, b) = (&buffers[wanted.a.0], &buffers[wanted.b.0]);
    let contents = (fill::contents(a)?, fill::contents(b)?);
    Some(product::exact(wanted, (a.element, &contents.0), (b.element, &contents.1), element))
}

fn rounded(element: Element, values: &[f64]) -> Bytes {
    Bytes(values.iter().flat_map(|&value| bytes_of(element, value)).collect())
}

/// Compares with a product, all of it.
fn multiplied(
    buffers: &[Buffer],
    buffer: &Buffer,
    wanted: &Product,
    output: &OutputView<'_>,
) -> Option<Mismatch> {
    let Some(exact) = exact(buffers, buffer.element, wanted) else {
        let found = Content::Value("a plan without them".to_owned());
        return Some(missing(buffer, "a product of matrices that have contents", found));
    };
    let rounded = rounded(buffer.element, &exact.values);
    elements(buffer, 0..buffer.len(), &rounded, output, |found, _, index| {
        within(&exact, buffer.element, found, index)
    })
}

/// Whether an element of a product is as close as it must be.
fn within(exact: &product::Exact, element: Element, found: &[u8], index: usize) -> bool {
    // NaN is in no interval.
    (float(element, found) - exact.values[index]).abs() <= exact.tolerances[index]
}

/// A float rounded to an element type.
fn bytes_of(element: Element, value: f64) -> Vec<u8> {
    match element {
        Element::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
        Element::Bf16 => bf16::from_f64(value).to_le_bytes().to_vec(),
        Element::F32 => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

/// The first element that is not `close` to what is listed and how many are not, or nothing. `close` gets an
/// element found, the element expected and their index.
fn elements(
    buffer: &Buffer,
    range: Range<usize>,
    expected: &Bytes,
    output: &OutputView<'_>,
    close: impl Fn(&[u8], &[u8], usize) -> bool + Sync,
) -> Option<Mismatch> {
    let size = buffer.element.bytes();
    let found = output.bytes.get(range.start * size..range.end * size).unwrap_or_default();
    let expected = &*expected.0;
    if found.len() != expected.len() {
        return Some(Mismatch {
            buffer: buffer.name.clone(),
            index: position(range.start, &buffer.shape),
            expected: format!("{} elements", expected.len() / size),
            found: Content::Value(format!("{} elements", found.len() / size)),
            wrong: range.len() as u64,
            of: range.len() as u64,
        });
    }
    let unwritten: Vec<Range<usize>> = elements_of(output.unwritten, size, &range);
    let written = |index: usize| !contains(&unwritten, index);
    // Equal bytes are equal values (a NaN equals itself); most outputs end here, at memory speed.
    if unwritten.is_empty() && found == expected {
        return None;
    }
    let equal = |index: usize| {
        let at = index * size..(index + 1) * size;
        written(index)
            && (found[at.clone()] == expected[at.clone()] || close(&found[at.clone()], &expected[at], index))
    };
    let (first, wrong) = (0..range.len())
        .into_par_iter()
        .filter(|&index| !equal(index))
        .fold(|| (usize::MAX, 0u64), |(first, count), index| (first.min(index), count + 1))
        .reduce(|| (usize::MAX, 0), |a, b| (a.0.min(b.0), a.1 + b.1));
    if wrong == 0 {
        return None;
    }
    let at = first * size..(first + 1) * size;
    Some(Mismatch {
        buffer: buffer.name.clone(),
        index: position(range.start + first, &buffer.shape),
        expected: text(buffer.element, &expected[at.clone()]),
        found: if written(first) {
            Content::Value(text(buffer.element, &found[at]))
        } else {
            let stored: Vec<Range<usize>> = output.undefined.iter().map(|each| each.bytes.clone()).collect();
            let undefined = contains(&elements_of(&stored, size, &range), first);
            if undefined { Content::Undefined } else { Content::NeverWritten }
        },
        wrong,
        of: range.len() as u64,
    })
}

/// Byte ranges as element ranges relative to `range`; a partly unwritten element counts as unwritten.
fn elements_of(bytes: &[Range<usize>], size: usize, range: &Range<usize>) -> Vec<Range<usize>> {
    bytes
        .iter()
        .map(|each| (each.start / size).max(range.start)..each.end.div_ceil(size).min(range.end))
        .filter(|each| each.start < each.end)
        .map(|each| each.start - range.start..each.end - range.start)
        .collect()
}

/// An element's index along each dimension, slowest first.
pub(crate) fn position(mut index: usize, shape: &[usize]) -> Vec<usize> {
    let mut position = vec![0; shape.len()];
    for (place, &extent) in position.iter_mut().zip(shape).rev() {
        *place = index % extent.max(1);
        index /= extent.max(1);
    }
    position
}

fn close(element: Element, found: &[u8], expected: &[u8], tolerance: Tolerance) -> bool {
    if let (Some(found), Some(expected)) = (integer(element, found), integer(element, expected)) {
        return match tolerance {
            Tolerance::Exact => found == expected,
            Tolerance::Close { absolute, relative } => {
                (found - expected).unsigned_abs() as f64
                    <= absolute + relative * expected.unsigned_abs() as f64
            }
        };
    }
    is_close(float(element, found), float(element, expected), tolerance)
}

/// True if a number is as close to what is expected as asked. Infinities are close only to themselves, and
/// NaN to NaN where it is exact.
pub fn is_close(found: f64, expected: f64, tolerance: Tolerance) -> bool {
    match tolerance {
        Tolerance::Exact => found == expected || (found.is_nan() && expected.is_nan()),
        Tolerance::Close { absolute, relative } => {
            // The first comparison takes equal infinities; their difference would be NaN.
            found == expected
                || (found.is_finite()
                    && expected.is_finite()
                    && (found - expected).abs() <= absolute + relative * expected.abs())
        }
    }
}

fn integer(element: Element, bytes: &[u8]) -> Option<i128> {
    Some(match element {
        Element::U8 => bytes[0].into(),
        Element::I8 => (bytes[0] as i8).into(),
        Element::U16 => bytemuck::pod_read_unaligned::<u16>(bytes).into(),
        Element::I16 => bytemuck::pod_read_unaligned::<i16>(bytes).into(),
        Element::U32 => bytemuck::pod_read_unaligned::<u32>(bytes).into(),
        Element::I32 => bytemuck::pod_read_unaligned::<i32>(bytes).into(),
        Element::U64 => bytemuck::pod_read_unaligned::<u64>(bytes).into(),
        Element::I64 => bytemuck::pod_read_unaligned::<i64>(bytes).into(),
        Element::F16 | Element::Bf16 | Element::F32 | Element::F64 => return None,
    })
}

/// An element as a number; integers beyond 2⁵³ are rounded.
pub(crate) fn number(element: Element, bytes: &[u8]) -> f64 {
    integer(element, bytes).map_or_else(|| float(element, bytes), |integer| integer as f64)
}

pub(crate) fn float(element: Element, bytes: &[u8]) -> f64 {
    match element {
        Element::F16 => bytemuck::pod_read_unaligned::<f16>(bytes).to_f64(),
        Element::Bf16 => bytemuck::pod_read_unaligned::<bf16>(bytes).to_f64(),
        Element::F32 => bytemuck::pod_read_unaligned::<f32>(bytes).into(),
        _ => bytemuck::pod_read_unaligned::<f64>(bytes),
    }
}

/// An element as text, short but exact enough to tell neighbours apart.
pub fn text(element: Element, bytes: &[u8]) -> String {
    if let Some(integer) = integer(element, bytes) {
        return integer.to_string();
    }
    match element {
        Element::F16 => bytemuck::pod_read_unaligned::<f16>(bytes).to_string(),
        Element::Bf16 => bytemuck::pod_read_unaligned::<bf16>(bytes).to_string(),
        Element::F32 => format!("{:?}", bytemuck::pod_read_unaligned::<f32>(bytes)),
        _ => format!("{:?}", bytemuck::pod_read_unaligned::<f64>(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Bytes, Fill, Plan};

    fn check(
        found: &[f32],
        expected: &[f32],
        tolerance: Tolerance,
        unwritten: &[Range<usize>],
    ) -> Vec<Mismatch> {
        let mut plan = Plan::new();
        let buffer = plan.buffer("output", Element::F32, &[2, expected.len() / 2], Fill::Uninitialized);
        plan.expect(buffer, Bytes::of(expected), tolerance);
        mismatches(&plan.buffers, &plan.expectations, |_| {
            Some(OutputView { bytes: bytemuck::cast_slice(found), unwritten, undefined: &[] })
        })
    }

    #[test]
    fn the_first_wrong_element_is_named_by_row_and_column() {
        let wrong = check(&[1.0, 2.0, 3.0, 4.5], &[1.0, 2.0, 3.0, 4.0], Tolerance::Exact, &[]);
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].index, [1, 1]);
        assert_eq!((wrong[0].expected.as_str(), &wrong[0].found), ("4.0", &Content::Value("4.5".to_owned())));
        assert_eq!((wrong[0].wrong, wrong[0].of), (1, 4));
    }

    #[test]
    fn unwritten_elements_are_wrong_whatever_they_hold() {
        let wrong = check(&[1.0, 2.0], &[1.0, 2.0], Tolerance::Exact, std::slice::from_ref(&(5..6)));
        assert_eq!(wrong[0].found, Content::NeverWritten);
        assert_eq!(wrong[0].index, [1, 0]);
    }

    #[test]
    fn elements_without_a_value_are_counted_by_reason() {
        let mut plan = Plan::new();
        let buffer = plan.buffer("output", Element::I32, &[2, 4], Fill::Uninitialized);
        plan.expect(buffer, Bytes::of(&[0i32; 8]), Tolerance::Exact);
        let place = Some(Place { file: "kernel.cu".into(), line: 7, column: 5 });
        let undefined = [StoredUndefined::new(8..9, None), StoredUndefined::new(24..28, place.clone())];
        let view =
            OutputView { bytes: &[0; 32], unwritten: &[4..9, 16..18, 18..20, 24..28], undefined: &undefined };
        let wrong = mismatches(&plan.buffers, &plan.expectations, |_| Some(view.clone()));
        assert_eq!((&wrong[0].found, wrong[0].wrong), (&Content::NeverWritten, 4));
        let found = unwritten(&plan.buffers, &plan.expectations, |_| Some(view.clone()));
        let expected = |index: [usize; 2], undefined| Unwritten {
            buffer: "output".into(),
            index: index.into(),
            count: 2,
            of: 8,
            undefined,
        };
        assert_eq!(found, [expected([0, 1], None), expected([0, 2], Some(None))]);
        let view =
            OutputView { unwritten: std::slice::from_ref(&(24..28)), undefined: &undefined[1..], ..view };
        let wrong = mismatches(&plan.buffers, &plan.expectations, |_| Some(view.clone()));
        assert_eq!(wrong[0].found, Content::Undefined);
        let found = unwritten(&plan.buffers, &plan.expectations, |_| Some(view.clone()));
        assert_eq!((found[0].count, found[0].undefined.clone()), (1, Some(place)));
    }

    #[test]
    fn special_values() {
        let close = Tolerance::Close { absolute: 1e30, relative: 1.0 };
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        assert!(check(&[inf, -0.0], &[inf, 0.0], close, &[]).is_empty());
        assert_eq!(check(&[inf, 0.0], &[-inf, 0.0], close, &[]).len(), 1);
        assert_eq!(check(&[nan, 0.0], &[1.0, 0.0], close, &[]).len(), 1);
        assert_eq!(check(&[1.0, 0.0], &[inf, 0.0], close, &[]).len(), 1);
        assert!(check(&[-nan, -0.0], &[nan, 0.0], Tolerance::Exact, &[]).is_empty());
    }

    #[test]
    fn a_product_is_verified_and_its_first_wrong_element_named() {
        let [m, n, k] = [5, 7, 33];
        let mut plan = Plan::new();
        let random = |seed| Fill::Random { seed, low: -1.0, high: 1.0 };
        let a = plan.buffer("a", Element::F32, &[m, k], random(1));
        let b = plan.buffer("b", Element::F32, &[k, n], random(2));
        let c = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
        plan.expect_product(c, a, b, [m, n, k]);
        let (a, b): (Vec<f32>, Vec<f32>) =
            (fill::values(m * k, 1, -1.0, 1.0), fill::values(k * n, 2, -1.0, 1.0));
        // Backwards, and neither fused nor in one sum: as right as any other order.
        let element = |i: usize, j: usize| -> f32 {
            let sum = |from: usize, to: usize| -> f32 {
                (from..to).rev().map(|p| a[i * k + p] * b[p * n + j]).sum()
            };
            sum(0, 9) + sum(9, k)
        };
        let right: Vec<f32> = (0..m * n).map(|index| element(index / n, index % n)).collect();
        let check = |c: &[f32]| {
            let view = OutputView { bytes: bytemuck::cast_slice(c), unwritten: &[], undefined: &[] };
            mismatches(&plan.buffers, &plan.expectations, |_| Some(view.clone()))
        };
        assert_eq!(check(&right), []);
        for wrong_by in [1e-4, f32::NAN] {
            let mut wrong = right.clone();
            wrong[2 * n + 3] += wrong_by;
            wrong[4 * n] += wrong_by;
            let found = check(&wrong);
            assert_eq!((found[0].index.as_slice(), found[0].wrong, found[0].of), (&[2, 3][..], 2, 35));
            assert!(found[0].expected.starts_with(&format!("{}", right[2 * n + 3])[..6]), "{found:?}");
        }
    }

    #[test]
    fn side_by_side_agrees_with_the_comparison_of_all() {
        let [m, n, k] = [3, 4, 5];
        let mut plan = Plan::new();
        let random = |seed| Fill::Random { seed, low: -1.0, high: 1.0 };
        let a = plan.buffer("a", Element::F32, &[m, k], random(1));
        let b = plan.buffer("b", Element::F32, &[k, n], random(2));
        let c = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
        let list = plan.buffer("list", Element::I32, &[6], Fill::Uninitialized);
        plan.expect_product(c, a, b, [m, n, k]);
        let tolerance = Tolerance::Close { absolute: 1.0, relative: 0.0 };
        plan.expect_range(list, 2..5, Bytes::of(&[20, 30, 40]), tolerance);
        let product = listed(&plan.buffers, &plan.expectations[0]).expect("it is listed");
        let mut c: Vec<f32> = bytemuck::pod_collect_to_vec(&product.0);
        c[7] += 1e-3;
        let views =
            [bytemuck::cast_slice(&c), bytemuck::cast_slice(&[0, 0, 21, 32, 40, 0])].map(|bytes: &[u8]| {
                OutputView { bytes, unwritten: std::slice::from_ref(&(16..20)), undefined: &[] }
            });
        for (expectation, (view, wrong)) in plan.expectations.iter().zip(views.iter().zip([[4, 7], [1, 2]])) {
            let all = side_by_side(&plan.buffers, expectation, Some(view), 0..100).expect("it is listed");
            let found: Vec<usize> = (0..all.len()).filter(|&at| !all[at].right).collect();
            assert_eq!(found, wrong);
            let said = mismatches(&plan.buffers, std::slice::from_ref(expectation), |_| Some(view.clone()));
            assert_eq!((said[0].wrong, &said[0].found), (2, &all[found[0]].found));
            assert_eq!(said[0].expected, all[found[0]].expected);
        }
        let some = side_by_side(&plan.buffers, &plan.expectations[1], None, 1..2).expect("it is listed");
        let missing = Compared { expected: "30".into(), found: Content::NeverReadBack, right: false };
        assert_eq!(some, [missing]);
    }

    #[test]
    fn a_missing_output_is_wrong() {
        let mut plan = Plan::new();
        let buffer = plan.buffer("output", Element::U8, &[3], Fill::Zeros);
        plan.expect(buffer, Bytes::of(&[0u8; 3]), Tolerance::Exact);
        let found = mismatches(&plan.buffers, &plan.expectations, |_| None);
        assert_eq!(found[0].found, Content::NeverReadBack);
    }
}
