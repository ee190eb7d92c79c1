//! Seeded contents for buffers: the same bytes on every device, machine and thread count.
//!
//! Element `i` depends on the seed and on `i` alone, so filling is parallel, and neighbours differ: a kernel that
//! reads the wrong element is seen. Not secret: whoever knows the seed knows the values. Knows no device.

use bytemuck::Pod;
use half::{bf16, f16};
use rayon::prelude::*;

use crate::plan::{Buffer, Element, Fill};

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

/// A type that fills can make.
pub trait Value: Pod + Send + Sync {
    /// A value in `low..=high` (integers) or `low..high` (floats) from 64 random bits.
    fn from_hash(hash: u64, low: f64, high: f64) -> Self;
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
        }
    )* };
}
narrow_float_values! {
    f32: |v: f64| v as f32, |v: f32| f64::from(v);
    f16: f16::from_f64, f16::to_f64;
    bf16: bf16::from_f64, bf16::to_f64
}

/// `count` values made from a seed: uniform in `low..=high` (integers) or `low..high` (floats).
pub fn values<T: Value>(count: usize, seed: u64, low: f64, high: f64) -> Vec<T> {
    let mut values = vec![T::zeroed(); count];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
        let first = (chunk * CHUNK) as u64;
        for (index, value) in (first..).zip(values) {
            *value = T::from_hash(hash(seed, index), low, high);
        }
    });
    values
}

/// The little-endian bytes of [`values`] of an element type known at run time.
pub fn bytes(element: Element, count: usize, seed: u64, low: f64, high: f64) -> Vec<u8> {
    fn of<T: Value>(count: usize, seed: u64, low: f64, high: f64) -> Vec<u8> {
        let mut bytes = vec![0u8; count * size_of::<T>()];
        bytes.par_chunks_mut(CHUNK * size_of::<T>()).enumerate().for_each(|(chunk, bytes)| {
            let first = (chunk * CHUNK) as u64;
            for (index, bytes) in (first..).zip(bytes.chunks_exact_mut(size_of::<T>())) {
                bytes.copy_from_slice(bytemuck::bytes_of(&T::from_hash(hash(seed, index), low, high)));
            }
        });
        bytes
    }
    let make = match element {
        Element::U8 => of::<u8>,
        Element::I8 => of::<i8>,
        Element::U16 => of::<u16>,
        Element::I16 => of::<i16>,
        Element::F16 => of::<f16>,
        Element::Bf16 => of::<bf16>,
        Element::U32 => of::<u32>,
        Element::I32 => of::<i32>,
        Element::F32 => of::<f32>,
        Element::U64 => of::<u64>,
        Element::I64 => of::<i64>,
        Element::F64 => of::<f64>,
    };
    make(count, seed, low, high)
}

/// The little-endian bytes of 0, 1, 2 … as elements, wrapping where the type is too small.
pub fn counting(element: Element, elements: usize) -> Vec<u8> {
    fn bytes<const N: usize>(elements: usize, value: impl Fn(usize) -> [u8; N] + Sync) -> Vec<u8> {
        let mut all = vec![0; elements * N];
        all.par_chunks_mut(CHUNK * N).enumerate().for_each(|(chunk, bytes)| {
            for (i, bytes) in (chunk * CHUNK..).zip(bytes.as_chunks_mut().0) {
                *bytes = value(i);
            }
        });
        all
    }
    match element {
        Element::U8 | Element::I8 => bytes(elements, |i| [i as u8]),
        Element::U16 | Element::I16 => bytes(elements, |i| (i as u16).to_le_bytes()),
        Element::U32 | Element::I32 => bytes(elements, |i| (i as u32).to_le_bytes()),
        Element::U64 | Element::I64 => bytes(elements, |i| (i as u64).to_le_bytes()),
        Element::F16 => bytes(elements, |i| f16::from_f64(i as f64).to_le_bytes()),
        Element::Bf16 => bytes(elements, |i| bf16::from_f64(i as f64).to_le_bytes()),
        Element::F32 => bytes(elements, |i| (i as f32).to_le_bytes()),
        Element::F64 => bytes(elements, |i| (i as f64).to_le_bytes()),
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

/// A buffer's first contents, or nothing where it starts uninitialised.
pub fn contents(buffer: &Buffer) -> Option<std::borrow::Cow<'_, [u8]>> {
    match &buffer.fill {
        Fill::Uninitialized => None,
        Fill::Zeros => Some(vec![0; buffer.bytes()].into()),
        Fill::Data(data) => Some((&*data.0).into()),
        Fill::Repeated(element) => Some(element.0.repeat(buffer.len()).into()),
        Fill::Counting => Some(counting(buffer.element, buffer.len()).into()),
        &Fill::Random { seed, low, high } => {
            Some(bytes(buffer.element, buffer.len(), seed, low, high).into())
        }
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
    fn bytes_and_values_agree_across_chunks() {
        let count = 2 * CHUNK + 17;
        let values: Vec<f32> = values(count, 7, -1.0, 1.0);
        assert_eq!(bytes(Element::F32, count, 7, -1.0, 1.0), bytemuck::cast_slice::<f32, u8>(&values));
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert_ne!(values[..100], values[CHUNK..CHUNK + 100]);
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
