//! Seeded contents for buffers: the same bytes on every device, machine and thread count.
//!
//! Element `i` depends on the seed and on `i` alone, so filling is parallel, and neighbours differ:
//! a kernel that reads the wrong element is seen. Not secret: whoever knows the seed knows the
//! values. Knows no device.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use rayon::prelude::*;

use crate::plan::{Buffer, Element, Fill, Strays};

/// Elements that one task fills; large enough to amortise the task, small enough to spread.
const CHUNK: usize = 1 << 16;

/// The hash of position `index` under `seed` (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
#[inline(always)]
pub fn hash(seed: u64, index: u64) -> u64 {
    let mut z = finish(seed ^ 0x5851_F42D_4C95_7F2D).wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    finish(z)
}

#[inline(always)]
fn finish(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A seed from which nobody finds the secret again: kernels can read what is made from it, and
/// [`hash`] can be inverted.
pub fn one_way(secret: u64, index: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&secret.to_le_bytes()).update(&index.to_le_bytes());
    let mut seed = [0; 8];
    hasher.finalize_xof().fill(&mut seed);
    u64::from_le_bytes(seed)
}

/// A type that fills can make.
pub trait Value: Pod + Send + Sync {
    /// A value in `low..=high` (integers) or `low..high` (floats) from 64 random bits.
    fn from_hash(hash: u64, low: f64, high: f64) -> Self;
    /// A whole number in `low..=high` from 64 random bits, rounded where the type cannot hold it.
    fn whole_from_hash(hash: u64, low: f64, high: f64) -> Self;
    /// A value of a recipe with strays, from the hash of its position.
    fn with_strays(hash: u64, recipe: &Strays) -> Self {
        let (low, high) = if recipe.chosen(hash) { recipe.strays } else { recipe.most };
        match recipe.unit {
            0.0 => Self::from_hash(hash, low, high),
            unit => Self::of_multiple(hash, low, high, unit),
        }
    }
    /// A whole multiple of a power of two, in `low..=high`.
    fn of_multiple(hash: u64, low: f64, high: f64, unit: f64) -> Self;
    /// The value; integers beyond 2⁵³ are rounded.
    fn to_f64(self) -> f64;
    /// The value in the type: rounded to a float, cut off to an integer.
    fn of_f64(value: f64) -> Self;
}

macro_rules! integer_values {
    ($($type:ty),*) => { $(
        impl Value for $type {
            #[inline(always)]
            fn from_hash(hash: u64, low: f64, high: f64) -> Self {
                let low = (low as i128).clamp(<$type>::MIN as i128, <$type>::MAX as i128);
                let high = (high as i128).clamp(low, <$type>::MAX as i128);
                let span = (high - low + 1) as u128;
                (low + ((u128::from(hash) * span) >> 64) as i128) as $type
            }
            #[inline(always)]
            fn whole_from_hash(hash: u64, low: f64, high: f64) -> Self {
                Self::from_hash(hash, low, high)
            }
            #[inline(always)]
            fn of_multiple(hash: u64, low: f64, high: f64, _: f64) -> Self {
                Self::from_hash(hash, low, high)
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn of_f64(value: f64) -> Self {
                value as $type
            }
        }
    )* };
}
integer_values!(u8, i8, u16, i16, u32, i32, u64, i64);

#[inline(always)]
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

impl Value for f64 {
    #[inline(always)]
    fn from_hash(hash: u64, low: f64, high: f64) -> Self {
        let value = low + (high - low) * unit(hash);
        if value < high || high <= low { value } else { low }
    }
    #[inline(always)]
    fn whole_from_hash(hash: u64, low: f64, high: f64) -> Self {
        whole(hash, low, high)
    }
    #[inline(always)]
    fn of_multiple(hash: u64, low: f64, high: f64, unit: f64) -> Self {
        whole(hash, low / unit, high / unit) * unit
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn of_f64(value: f64) -> Self {
        value
    }
}

macro_rules! narrow_float_values {
    ($($type:ty: $from:expr, $to:expr);*) => { $(
        impl Value for $type {
            #[inline(always)]
            fn from_hash(hash: u64, low: f64, high: f64) -> Self {
                // Rounding to the narrow type may land on `high`, which is excluded.
                let value: $type = $from(f64::from_hash(hash, low, high));
                if $to(value) < high || high <= low { value } else { $from(low) }
            }
            #[inline(always)]
            fn whole_from_hash(hash: u64, low: f64, high: f64) -> Self {
                $from(whole(hash, low, high))
            }
            #[inline(always)]
            fn of_multiple(hash: u64, low: f64, high: f64, unit: f64) -> Self {
                $from(f64::of_multiple(hash, low, high, unit))
            }
            fn to_f64(self) -> f64 {
                $to(self)
            }
            fn of_f64(value: f64) -> Self {
                $from(value)
            }
        }
    )* };
}
narrow_float_values! {
    f32: |v: f64| v as f32, |v: f32| f64::from(v);
    // By way of f32, because the library's way from f64 depends on what the processor has.
    f16: |v: f64| f16::from_f32(v as f32), f16::to_f64;
    bf16: |v: f64| bf16::from_f32(v as f32), bf16::to_f64
}

/// The `i64` of a whole-number fill.
#[inline(always)]
fn whole(hash: u64, low: f64, high: f64) -> f64 {
    i64::from_hash(hash, low, high) as f64
}

/// `count` values made from a seed: uniform in `low..=high` (integers) or `low..high` (floats).
pub fn values<T: Value>(count: usize, seed: u64, low: f64, high: f64) -> Vec<T> {
    all(count, |index| T::from_hash(hash(seed, index), low, high))
}

/// `count` whole numbers made from a seed, uniform in `low..=high`: the contents of [`Fill::Whole`].
pub fn whole_values<T: Value>(count: usize, seed: u64, low: f64, high: f64) -> Vec<T> {
    all(count, |index| T::whole_from_hash(hash(seed, index), low, high))
}

fn all<T: Value>(count: usize, value_at: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let mut values = vec![T::zeroed(); count];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
        let first = (chunk * CHUNK) as u64;
        for (index, value) in (first..).zip(values) {
            *value = value_at(index);
        }
    });
    values
}

/// A recipe in the form in which `kernels/checks.cu` takes it, to make the same contents on a GPU: its
/// `Recipe`, field by field.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DeviceRecipe {
    /// The element's type, as the kernels number it.
    pub element: i32,
    /// What is made.
    pub kind: i32,
    /// The part of the hash that is the same for every index, or a repeated element's bits.
    pub base: u64,
    /// Whole numbers are multiples of this.
    pub unit: f64,
    /// An element whose hash has none of these bits is drawn from the second range.
    pub stray_mask: u64,
    /// Most elements' range and the strays'.
    pub ranges: [DeviceRange; 2],
}

/// The range that a value is drawn from, as floats and as integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DeviceRange {
    /// Least float.
    pub low: f64,
    /// Greatest float, exclusive.
    pub high: f64,
    /// Least integer's bits.
    pub least: u64,
    /// How many integers there are; 0 for 2⁶⁴.
    pub span: u64,
}

/// As `enum Kind` of the kernels.
const REPEATED: i32 = 0;
const COUNTING: i32 = 1;
const RANDOM_INTEGERS: i32 = 2;
const RANDOM_FLOATS: i32 = 3;
const WHOLE_FLOATS: i32 = 4;

impl DeviceRecipe {
    /// The recipe of a buffer's contents; nothing where they are listed or there are none.
    pub fn of(buffer: &Buffer) -> Option<Self> {
        let element = buffer.element;
        let alike = |kind, base| {
            let ranges = [DeviceRange::default(); 2];
            DeviceRecipe { element: element as i32, kind, base, unit: 1.0, stray_mask: 0, ranges }
        };
        let random = |seed, whole: bool, ranges: [(f64, f64); 2]| {
            let (kind, drawn) = match (element.is_float(), whole) {
                (false, _) => (RANDOM_INTEGERS, element),
                (true, false) => (RANDOM_FLOATS, element),
                (true, true) => (WHOLE_FLOATS, Element::I64),
            };
            let range = |(low, high)| {
                let (least, span) = integers(drawn, low, high);
                DeviceRange { low, high, least, span }
            };
            DeviceRecipe { ranges: ranges.map(range), ..alike(kind, hash_base(seed)) }
        };
        Some(match buffer.fill {
            Fill::Uninitialized | Fill::Data(_) => return None,
            Fill::Zeros => alike(REPEATED, 0),
            Fill::Repeated(ref value) => {
                let mut bits = [0; 8];
                bits[..value.0.len()].copy_from_slice(&value.0);
                alike(REPEATED, u64::from_le_bytes(bits))
            }
            Fill::Counting => alike(COUNTING, 0),
            Fill::Random { seed, low, high } => random(seed, false, [(low, high); 2]),
            Fill::Whole { seed, low, high } => random(seed, true, [(low, high); 2]),
            Fill::Strays(Strays { seed, most, strays, one_in, unit }) => {
                let whole = unit != 0.0 && element.is_float();
                let unit = if whole { unit } else { 1.0 };
                let ranges = [most, strays].map(|(low, high)| (low / unit, high / unit));
                DeviceRecipe { unit, stray_mask: one_in - 1, ..random(seed, whole, ranges) }
            }
        })
    }
}

/// The part of [`hash`] that is the same for every index, as the kernels take it.
pub fn hash_base(seed: u64) -> u64 {
    finish(seed ^ 0x5851_F42D_4C95_7F2D).wrapping_add(0x9E37_79B9_7F4A_7C15)
}

/// The least integer of a range in an element type, and how many there are.
fn integers(element: Element, low: f64, high: f64) -> (u64, u64) {
    let (least, greatest) = match element {
        Element::U8 => (0, u8::MAX.into()),
        Element::I8 => (i8::MIN.into(), i8::MAX.into()),
        Element::U16 => (0, u16::MAX.into()),
        Element::I16 => (i16::MIN.into(), i16::MAX.into()),
        Element::U32 => (0, u32::MAX.into()),
        Element::I32 => (i32::MIN.into(), i32::MAX.into()),
        Element::U64 => (0, u64::MAX.into()),
        // Floats draw no integers but whole numbers.
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let low = (low as i128).clamp(least, greatest);
    let high = (high as i128).clamp(low, greatest);
    (low as u64, (high - low + 1) as u64)
}

/// Calls a generic function for an element type known at run time.
macro_rules! for_element {
    ($element:expr, $function:ident($($argument:expr),*)) => {
        match $element {
            Element::U8 => $function::<u8>($($argument),*),
            Element::I8 => $function::<i8>($($argument),*),
            Element::U16 => $function::<u16>($($argument),*),
            Element::I16 => $function::<i16>($($argument),*),
            Element::F16 => $function::<f16>($($argument),*),
            Element::Bf16 => $function::<bf16>($($argument),*),
            Element::U32 => $function::<u32>($($argument),*),
            Element::I32 => $function::<i32>($($argument),*),
            Element::F32 => $function::<f32>($($argument),*),
            Element::U64 => $function::<u64>($($argument),*),
            Element::I64 => $function::<i64>($($argument),*),
            Element::F64 => $function::<f64>($($argument),*),
        }
    };
}

/// The little-endian bytes of [`values`] of an element type known at run time.
pub fn bytes(element: Element, count: usize, seed: u64, low: f64, high: f64) -> Vec<u8> {
    drawn(element, count, &Fill::Random { seed, low, high })
}

/// The little-endian bytes of a random fill's first elements.
fn drawn(element: Element, count: usize, fill: &Fill) -> Vec<u8> {
    match *fill {
        Fill::Random { seed, low, high } => {
            for_element!(element, bytes_of(count, seed, |hash| Value::from_hash(hash, low, high)))
        }
        Fill::Whole { seed, low, high } => {
            for_element!(element, bytes_of(count, seed, |hash| Value::whole_from_hash(hash, low, high)))
        }
        Fill::Strays(ref recipe) => {
            for_element!(element, bytes_of(count, recipe.seed, |hash| Value::with_strays(hash, recipe)))
        }
        _ => unreachable!("not random: {fill:?}"),
    }
}

fn bytes_of<T: Value>(count: usize, seed: u64, make: impl Fn(u64) -> T + Sync) -> Vec<u8> {
    let mut bytes = vec![0u8; count * size_of::<T>()];
    bytes.par_chunks_mut(CHUNK * size_of::<T>()).enumerate().for_each(|(chunk, bytes)| {
        let first = (chunk * CHUNK) as u64;
        for (index, bytes) in (first..).zip(bytes.chunks_exact_mut(size_of::<T>())) {
            bytes.copy_from_slice(bytemuck::bytes_of(&make(hash(seed, index))));
        }
    });
    bytes
}

/// The little-endian bytes of `count` elements, each computed in double precision from its index
/// and rounded to the type.
pub fn rounded(element: Element, count: usize, value: &(dyn Fn(usize) -> f64 + Sync)) -> Vec<u8> {
    fn bytes<T: Value>(count: usize, value: &(dyn Fn(usize) -> f64 + Sync)) -> Vec<u8> {
        bytemuck::cast_slice(&all(count, |index| T::of_f64(value(index as usize)))).to_vec()
    }
    for_element!(element, bytes(count, value))
}

/// The little-endian bytes of 0, 1, 2 … as elements, wrapping where the type is too small.
pub fn counting(element: Element, elements: usize) -> Vec<u8> {
    counting_from(element, 0, elements)
}

fn counting_from(element: Element, first: usize, elements: usize) -> Vec<u8> {
    fn bytes<const N: usize>(
        first: usize,
        elements: usize,
        value: impl Fn(usize) -> [u8; N] + Sync,
    ) -> Vec<u8> {
        let mut all = vec![0; elements * N];
        all.par_chunks_mut(CHUNK * N).enumerate().for_each(|(chunk, bytes)| {
            for (i, bytes) in (first + chunk * CHUNK..).zip(bytes.as_chunks_mut().0) {
                *bytes = value(i);
            }
        });
        all
    }
    match element {
        Element::U8 | Element::I8 => bytes(first, elements, |i| [i as u8]),
        Element::U16 | Element::I16 => bytes(first, elements, |i| (i as u16).to_le_bytes()),
        Element::U32 | Element::I32 => bytes(first, elements, |i| (i as u32).to_le_bytes()),
        Element::U64 | Element::I64 => bytes(first, elements, |i| (i as u64).to_le_bytes()),
        Element::F16 => bytes(first, elements, |i| f16::from_f32(i as f32).to_le_bytes()),
        Element::Bf16 => bytes(first, elements, |i| bf16::from_f32(i as f32).to_le_bytes()),
        Element::F32 => bytes(first, elements, |i| (i as f32).to_le_bytes()),
        Element::F64 => bytes(first, elements, |i| (i as f64).to_le_bytes()),
    }
}

/// Writes bytes nobody can guess without the seed over `bytes`. What guard bands and unwritten outputs hold.
pub fn scramble(bytes: &mut [u8], seed: u64) {
    bytes.par_chunks_mut(8 * CHUNK).enumerate().for_each(|(chunk, bytes)| {
        let first = (chunk * CHUNK) as u64;
        for (index, bytes) in (first..).zip(bytes.chunks_mut(8)) {
            bytes.copy_from_slice(&hash(seed, index).to_le_bytes()[..bytes.len()]);
        }
    });
}

/// One element of a buffer's first contents, or nothing where it starts uninitialised.
pub fn element(buffer: &Buffer, index: usize) -> Option<f64> {
    let size = buffer.element.bytes();
    let bytes = match &buffer.fill {
        Fill::Uninitialized => return None,
        Fill::Zeros => return Some(0.0),
        Fill::Data(data) => return Some(for_element!(buffer.element, read(&data.0[index * size..]))),
        Fill::Repeated(element) => return Some(for_element!(buffer.element, read(&element.0))),
        Fill::Counting => counting_from(buffer.element, index, 1),
        random => return Some(for_element!(buffer.element, one(random, index as u64))),
    };
    Some(for_element!(buffer.element, read(&bytes)))
}

/// Several elements, or nothing where the buffer starts uninitialised.
pub fn elements(buffer: &Buffer, range: Range<usize>) -> Option<Vec<f64>> {
    let size = buffer.element.bytes();
    match &buffer.fill {
        // Many outputs may each look at all of it.
        Fill::Data(data) => {
            let bytes = &data.0[range.start * size..range.end * size];
            Some(for_element!(buffer.element, read_each(bytes)))
        }
        _ => range.map(|index| element(buffer, index)).collect(),
    }
}

fn read_each<T: Value>(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(size_of::<T>()).map(read::<T>).collect()
}

/// One element of a random fill.
fn one<T: Value>(fill: &Fill, index: u64) -> f64 {
    let value = match *fill {
        Fill::Random { seed, low, high } => T::from_hash(hash(seed, index), low, high),
        Fill::Whole { seed, low, high } => T::whole_from_hash(hash(seed, index), low, high),
        Fill::Strays(ref recipe) => T::with_strays(hash(recipe.seed, index), recipe),
        _ => unreachable!("not random: {fill:?}"),
    };
    value.to_f64()
}

fn read<T: Value>(bytes: &[u8]) -> f64 {
    bytemuck::pod_read_unaligned::<T>(&bytes[..size_of::<T>()]).to_f64()
}

/// A buffer's first contents, or nothing where it starts uninitialised.
pub fn contents(buffer: &Buffer) -> Option<std::borrow::Cow<'_, [u8]>> {
    match &buffer.fill {
        Fill::Uninitialized => None,
        Fill::Zeros => Some(vec![0; buffer.bytes()].into()),
        Fill::Data(data) => Some((&*data.0).into()),
        Fill::Repeated(element) => Some(element.0.repeat(buffer.len()).into()),
        Fill::Counting => Some(counting(buffer.element, buffer.len()).into()),
        random => Some(drawn(buffer.element, buffer.len(), random).into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counting_goes_on_across_chunks_and_wraps() {
        let count = CHUNK + 3;
        let expected: Vec<u32> = (0..count as u32).collect();
        assert_eq!(counting(Element::U32, count), bytemuck::cast_slice::<u32, u8>(&expected));
        assert_eq!(counting(Element::I8, 258)[255..], [255, 0, 1]);
        assert_eq!(counting(Element::F64, 3), bytemuck::cast_slice::<f64, u8>(&[0.0, 1.0, 2.0]));
    }

    #[test]
    fn single_elements_are_those_of_the_contents() {
        for element in
            [Element::U8, Element::I32, Element::U64, Element::F16, Element::Bf16, Element::F32, Element::F64]
        {
            for fill in [
                Fill::Zeros,
                Fill::Repeated(crate::plan::Bytes(counting(element, 2)[element.bytes()..].into())),
                Fill::Counting,
                Fill::Random { seed: 3, low: 0.0, high: 100.0 },
                Fill::Whole { seed: 3, low: 0.0, high: 100.0 },
                Fill::Strays(Strays {
                    seed: 3,
                    most: (0.0, 9.0),
                    strays: (60.0, 99.0),
                    one_in: 4,
                    unit: 0.0,
                }),
                Fill::Strays(Strays {
                    seed: 3,
                    most: (0.0, 9.0),
                    strays: (60.0, 99.0),
                    one_in: 4,
                    unit: 0.25,
                }),
                Fill::Data(crate::plan::Bytes(counting(element, 40).into())),
            ] {
                let mut buffer = Buffer { name: String::new(), element, shape: vec![40], fill };
                let contents = contents(&buffer).expect("it has some").into_owned();
                let seen: Vec<_> = (0..40).map(|index| super::element(&buffer, index)).collect();
                buffer.fill = Fill::Data(crate::plan::Bytes(contents.into()));
                let listed: Vec<_> = (0..40).map(|index| super::element(&buffer, index)).collect();
                assert_eq!(seen, listed, "{element:?}");
            }
        }
    }

    #[test]
    fn bytes_and_values_agree_across_chunks() {
        let count = 2 * CHUNK + 17;
        let values: Vec<f32> = values(count, 7, -1.0, 1.0);
        assert_eq!(bytes(Element::F32, count, 7, -1.0, 1.0), bytemuck::cast_slice::<f32, u8>(&values));
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert_ne!(values[..100], values[CHUNK..CHUNK + 100]);
    }

    #[test]
    fn whole_numbers_are_whole_in_every_type() {
        let integers: Vec<i32> = whole_values(1000, 5, -9.0, 9.0);
        let floats: Vec<f32> = whole_values(1000, 5, -9.0, 9.0);
        let halves: Vec<f16> = whole_values(1000, 5, -9.0, 9.0);
        for ((integer, float), half) in integers.iter().zip(floats).zip(halves) {
            assert_eq!((f64::from(*integer), f64::from(*integer)), (f64::from(float), half.to_f64()));
        }
        let fill = Fill::Whole { seed: 5, low: -9.0, high: 9.0 };
        let buffer = Buffer { name: String::new(), element: Element::I32, shape: vec![1000], fill };
        assert_eq!(contents(&buffer).expect("it has some"), bytemuck::cast_slice::<i32, u8>(&integers));
        assert!(integers.contains(&9) && integers.contains(&-9));
    }

    #[test]
    fn strays_are_few_and_where_the_seed_says() {
        let count = 1 << 18;
        let recipe =
            |seed| Strays { seed, most: (-1.0, 1.0), strays: (5000.0, 6000.0), one_in: 1 << 10, unit: 0.25 };
        let places = |seed| -> Vec<usize> {
            let fill = Fill::Strays(recipe(seed));
            let buffer = Buffer { name: String::new(), element: Element::F32, shape: vec![count], fill };
            let bytes = contents(&buffer).expect("it has some").into_owned();
            let values: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
            assert!(values.iter().all(|value| (value / 0.25).fract() == 0.0));
            assert!(values.iter().all(|value| value.abs() <= 1.0 || (5000.0..=6000.0).contains(value)));
            values.iter().enumerate().filter(|(_, value)| **value > 1.0).map(|(index, _)| index).collect()
        };
        let (one, other) = (places(1), places(2));
        // 256 are expected; 16 is the standard deviation.
        assert!((160..350).contains(&one.len()) && (160..350).contains(&other.len()));
        assert!(one.iter().filter(|place| other.contains(place)).count() < 16);
    }

    #[test]
    fn one_thread_makes_the_same_bytes() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had");
        let alone = pool.install(|| bytes(Element::I16, 3 * CHUNK, 3, -5.0, 5.0));
        assert_eq!(alone, bytes(Element::I16, 3 * CHUNK, 3, -5.0, 5.0));
    }

    #[test]
    fn seeds_and_positions_matter() {
        assert_ne!(hash(1, 0), hash(2, 0));
        assert_ne!(hash(1, 0), hash(1, 1));
        let mut first = vec![0; 100];
        let mut second = vec![0; 100];
        scramble(&mut first, 1);
        scramble(&mut second, 2);
        assert_ne!(first, second);
    }

    proptest! {
        #[test]
        fn values_stay_in_range(h: u64, low in -1e6f64..1e6, span in 0.0f64..1e6) {
            let high = low + span;
            let float = f32::from_hash(h, low, high);
            prop_assert!(f64::from(float) <= high.max(f64::from(low as f32)));
            let integer = i32::from_hash(h, low, high);
            prop_assert!(integer >= low as i32 && integer <= high.max(low) as i32);
            let byte = u8::from_hash(h, 0.0, 255.0);
            prop_assert_eq!(byte, (h >> 56) as u8);
        }
    }
}
