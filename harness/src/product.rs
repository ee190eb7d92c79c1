//! Whether a matrix is the product of two others: all of it on the host where it is small, and by
//! Freivalds' test where it is large.
//!
//! **Small**: every element is computed in double precision. A sum of k products of which each step errs by
//! at most a relative `u` is off by at most γ·Σ|a·b| with γ = (k+1)u / (1 − (k+1)u), in any order of
//! summation (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., §3.1). Products that are zero
//! round nothing: k is the number of the others. So no right kernel is refused, and a wrong element is named.
//!
//! **Large** (Freivalds, *Fast probabilistic algorithms*, MFCS 1979): the columns are cut into groups
//! of [`GROUP`]; with secret random weights x the group's residual (C·x) − A·(B·x) of each row is
//! computed in double precision, for m·k·n/[`GROUP`] products instead of m·n·k. What a right kernel's
//! residuals may be follows from how floats are rounded, as far as A's and B's values are random
//! ([`Bounds`]). The weights are ±(1 … 2), so that a single wrong element shows in its group with its
//! whole error at least, whatever the weights.
//!
//! Pure: bytes and moments in, bounds and mismatches out.

use half::{bf16, f16};
use rayon::prelude::*;

use crate::plan::{Buffer, Element, Fill, Product};

/// Columns that share a residual.
pub const GROUP: usize = 64;
/// Independent sets of weights. Two wrong elements of one group may hide each other for one set, if their
/// errors happen to be as the weights.
pub const ROUNDS: u64 = 2;

/// Mean of the squares of the weights ±(1 … 2): ∫₁² x² dx.
const WEIGHT_SQUARE: f64 = 7.0 / 3.0;
/// A residual may be this many times the root mean square that a right product's have. Errors of elements are
/// not quite normal (they grow with partial sums, which wander): one in 10⁹ is 19 times the root mean square,
/// and of a group's sum less.
const LARGEST: f64 = 20.0;
/// The root mean square of all residuals may be this many times what it is if every product is
/// added to one sum in order.
const TYPICAL: f64 = 3.0;

/// Element `index` as `f64`; integers are not asked for.
fn float(element: Element, bytes: &[u8], index: usize) -> f64 {
    let at = index * element.bytes()..(index + 1) * element.bytes();
    match element {
        Element::F16 => bytemuck::pod_read_unaligned::<f16>(&bytes[at]).to_f64(),
        Element::Bf16 => bytemuck::pod_read_unaligned::<bf16>(&bytes[at]).to_f64(),
        Element::F32 => bytemuck::pod_read_unaligned::<f32>(&bytes[at]).into(),
        _ => bytemuck::pod_read_unaligned::<f64>(&bytes[at]),
    }
}

fn floats(element: Element, bytes: &[u8]) -> Vec<f64> {
    (0..bytes.len() / element.bytes()).into_par_iter().map(|index| float(element, bytes, index)).collect()
}

/// Half a unit in the last place of 1.
fn rounding(element: Element) -> f64 {
    match element {
        Element::F16 => 0.5f64.powi(11),
        Element::Bf16 => 0.5f64.powi(8),
        Element::F32 => 0.5f64.powi(24),
        _ => 0.5f64.powi(53),
    }
}

/// Every element of the product in double precision, and by how much a right kernel may differ from it.
pub struct Exact {
    /// Elements, row by row.
    pub values: Vec<f64>,
    /// The greatest error of each.
    pub tolerances: Vec<f64>,
}

/// Multiplies.
pub fn exact(product: &Product, a: (Element, &[u8]), b: (Element, &[u8]), c: Element) -> Exact {
    let [m, n, k] = product.extents;
    let (a, b) = (floats(a.0, a.1), floats(b.0, b.1));
    let rounded = rounding(c);
    // Rows of no elements are rows, too: their sums are 0.
    let rows: Vec<(Vec<f64>, Vec<f64>)> = (0..m)
        .into_par_iter()
        .map(|number| {
            let row = &a[number * k..(number + 1) * k];
            let (mut sums, mut magnitudes) = (vec![0.0; n], vec![0.0; n]);
            let factors = row.iter().filter(|&&factor| factor != 0.0).count();
            let steps = (factors + 1) as f64 * product.unit;
            let gamma = steps / (1.0 - steps);
            for (&factor, row) in row.iter().zip(b.chunks(n.max(1))) {
                for ((sum, magnitude), &value) in sums.iter_mut().zip(&mut magnitudes).zip(row) {
                    *sum += factor * value;
                    *magnitude += (factor * value).abs();
                }
            }
            // What is stored is rounded once more where C's type is narrower than the sum's.
            for (magnitude, sum) in magnitudes.iter_mut().zip(&sums) {
                *magnitude = gamma * *magnitude + rounded * sum.abs();
            }
            (sums, magnitudes)
        })
        .collect();
    let (values, tolerances): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    Exact { values: values.concat(), tolerances: tolerances.concat() }
}

/// One element of A·B in double precision, from the first contents of the two; `extents` are n and
/// k. 0 where there are none.
pub fn element(a: &Buffer, b: &Buffer, [row, column]: [usize; 2], [n, k]: [usize; 2]) -> f64 {
    let value = |buffer: &Buffer, index: usize| crate::fill::element(buffer, index).unwrap_or(0.0);
    (0..k).map(|p| value(a, row * k + p) * value(b, p * n + column)).sum()
}

/// Mean and mean square of a buffer's first contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Mean.
    pub mean: f64,
    /// Mean of the squares.
    pub square: f64,
}

impl Moments {
    /// From the recipe, or from the contents where there is none; nothing where there are no contents.
    pub fn of(buffer: &Buffer) -> Option<Self> {
        match buffer.fill {
            Fill::Random { low, high, .. } => Some(Moments {
                mean: f64::midpoint(low, high),
                square: (low * low + low * high + high * high) / 3.0,
            }),
            Fill::Whole { low, high, .. } => {
                let (mean, count) = (f64::midpoint(low, high), high - low + 1.0);
                Some(Moments { mean, square: mean * mean + (count * count - 1.0) / 12.0 })
            }
            _ => {
                let contents = floats(buffer.element, &crate::fill::contents(buffer)?);
                let count = contents.len().max(1) as f64;
                let sum: f64 = contents.iter().sum();
                let squares: f64 = contents.iter().map(|value| value * value).sum();
                Some(Moments { mean: sum / count, square: squares / count })
            }
        }
    }
}

/// What the residuals of a right product may be.
///
/// Adding products one after the other, step p errs by at most `u` times the partial sum, evenly spread: by
/// u/√3 of it as root mean square. Independent values have partial sums of mean square p·v + p²·μ², where μ
/// is the product of the means and v that of the mean squares less μ². Over k steps the squares add up to
/// e² = u²/3 · (v·k²/2 + μ²·k³/3). No other order of summation is worse. A group of [`GROUP`] columns errs
/// by √(7/3 · columns) · e.
///
/// For 4096 × 4096 × 4096 with values evenly in −1 … 1, whose product has elements of about 21: e =
/// 3·10⁻⁵; one element that is wrong by 0.017 is caught wherever it is ([`Bounds::caught`]). Inputs
/// rounded to TF32 err by 4·10⁻³ in every element and those rounded to bf16 by 3·10⁻²: 50 and 400 times
/// what the root mean square of all residuals may be. What adds up corrected TF32 products to single
/// precision is right, and passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// No residual may be greater.
    pub largest: f64,
    /// Nor may the root mean square of all.
    pub typical: f64,
}

impl Bounds {
    /// The bounds of a product of random values.
    pub fn of(product: &Product, a: Moments, b: Moments, c: Element) -> Self {
        let [_, n, k] = product.extents;
        let (columns, k) = (n.min(GROUP) as f64, k as f64);
        let mean_square = (a.mean * b.mean).powi(2);
        let square = a.square * b.square;
        let partial_sums = (square - mean_square).max(0.0) * k * k / 2.0 + mean_square * k.powi(3) / 3.0;
        let sum = square * k + mean_square * k * k;
        // A rounding of every product, too, where the kernel does not fuse; and of what is stored.
        let error = (product.unit.powi(2) * (partial_sums + square * k) + rounding(c).powi(2) * sum) / 3.0;
        let residual = (WEIGHT_SQUARE * columns * error).sqrt();
        Bounds { largest: LARGEST * residual, typical: TYPICAL * residual }
    }

    /// An element that is wrong by more than this is always caught: it leaves its residual too large, even
    /// where everything else in its group errs the other way.
    pub fn caught(&self) -> f64 {
        2.0 * self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fill,
        plan::{BufferId, Bytes, SINGLE},
    };

    const M: usize = 16;
    const N: usize = 128;
    const K: usize = 4096;

    fn product() -> Product {
        Product { a: BufferId(0), b: BufferId(1), extents: [M, N, K], unit: SINGLE }
    }

    fn operands(seed: u64) -> (Vec<f32>, Vec<f32>) {
        (fill::values(M * K, seed, -1.0, 1.0), fill::values(K * N, seed + 1, -1.0, 1.0))
    }

    /// The product as a kernel computes it, with inputs changed by `rounded` first.
    fn multiply(a: &[f32], b: &[f32], rounded: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
        let (a, b): (Vec<f32>, Vec<f32>) =
            (a.iter().map(|&v| rounded(v)).collect(), b.iter().map(|&v| rounded(v)).collect());
        let row = |row: &[f32]| -> Vec<f32> {
            let mut sums = vec![0.0f32; N];
            for (&factor, row) in row.iter().zip(b.chunks(N)) {
                sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum = factor.mul_add(value, *sum));
            }
            sums
        };
        a.par_chunks(K).flat_map_iter(row).collect()
    }

    /// Keeps so many bits of the mantissa.
    fn cut(bits: u32) -> impl Fn(f32) -> f32 {
        move |value| {
            let unit = 1u32 << (23 - bits);
            f32::from_bits((value.to_bits() + unit / 2) & !(unit - 1))
        }
    }

    /// The residuals as the GPU computes them: the greatest, and the root mean square.
    fn residuals(a: &[f32], b: &[f32], c: &[f32], seed: u64) -> (f64, f64) {
        let weights: Vec<f64> = (0..N as u64)
            .map(|column| {
                let hash = fill::hash(seed, column);
                let size = 1.0 + (hash >> 12) as f64 / (1u64 << 52) as f64;
                if hash & 1 == 0 { size } else { -size }
            })
            .collect();
        let project = |matrix: &[f32]| -> Vec<f64> {
            let group = |(values, weights): (&[f32], &[f64])| -> f64 {
                values.iter().zip(weights).map(|(&value, weight)| f64::from(value) * weight).sum()
            };
            matrix
                .chunks(N)
                .flat_map(|row| row.chunks(GROUP).zip(weights.chunks(GROUP)).map(group).collect::<Vec<_>>())
                .collect()
        };
        let groups = N / GROUP;
        let (y, z) = (project(b), project(c));
        let (mut largest, mut squares) = (0.0f64, 0.0);
        for (row, z) in a.chunks(K).zip(z.chunks(groups)) {
            for (group, z) in z.iter().enumerate() {
                let ay: f64 =
                    row.iter().enumerate().map(|(p, &a)| f64::from(a) * y[p * groups + group]).sum();
                largest = largest.max((z - ay).abs());
                squares += (z - ay).powi(2);
            }
        }
        (largest, (squares / (M * groups) as f64).sqrt())
    }

    fn bounds() -> Bounds {
        let moments = Moments { mean: 0.0, square: 1.0 / 3.0 };
        Bounds::of(&product(), moments, moments, Element::F32)
    }

    #[test]
    fn single_precision_stays_far_inside_the_bounds_and_less_does_not() {
        let bounds = bounds();
        for seed in 0..4 {
            let (a, b) = operands(10 * seed);
            let (largest, typical) = residuals(&a, &b, &multiply(&a, &b, |value| value), seed);
            assert!(largest < bounds.largest / 4.0, "{largest} {bounds:?}");
            assert!(typical < bounds.typical / 2.0, "{typical} {bounds:?}");
            // The bound is not idle either.
            assert!(typical > bounds.typical / 10.0, "{typical} {bounds:?}");
            let (_, typical) = residuals(&a, &b, &multiply(&a, &b, cut(10)), seed);
            assert!(typical > 30.0 * bounds.typical, "TF32: {typical} {bounds:?}");
            let (_, typical) = residuals(&a, &b, &multiply(&a, &b, cut(7)), seed);
            assert!(typical > 200.0 * bounds.typical, "bf16: {typical} {bounds:?}");
        }
    }

    #[test]
    fn one_wrong_element_anywhere_is_caught() {
        let bounds = bounds();
        assert!(bounds.caught() < 0.017, "{bounds:?}");
        let (a, b) = operands(3);
        let right = multiply(&a, &b, |value| value);
        for place in (0..M * N).step_by(97) {
            let mut wrong = right.clone();
            wrong[place] += if place % 2 == 0 { 1.01 } else { -1.01 } * bounds.caught() as f32;
            let (largest, _) = residuals(&a, &b, &wrong, place as u64);
            assert!(largest > bounds.largest, "at {place}: {largest} {bounds:?}");
        }
    }

    #[test]
    fn recipes_and_contents_have_the_same_moments() {
        for fill in
            [Fill::Random { seed: 1, low: -1.0, high: 3.0 }, Fill::Whole { seed: 1, low: -4.0, high: 9.0 }]
        {
            let buffer =
                |fill| Buffer { name: String::new(), element: Element::F32, shape: vec![1 << 16], fill };
            let recipe = buffer(fill);
            let contents = fill::contents(&recipe).expect("it has some").into_owned();
            let listed = buffer(Fill::Data(Bytes(contents.into())));
            let (recipe, listed) = (Moments::of(&recipe).expect("some"), Moments::of(&listed).expect("some"));
            assert!((recipe.mean - listed.mean).abs() < 0.05, "{recipe:?} {listed:?}");
            assert!((recipe.square / listed.square - 1.0).abs() < 0.02, "{recipe:?} {listed:?}");
        }
    }

    #[test]
    fn products_with_zero_round_nothing() {
        let product = Product { extents: [1, 1, 100], ..product() };
        let bytes = |values: &[f32]| bytemuck::cast_slice::<f32, u8>(values).to_vec();
        let mut a = [0.0f32; 100];
        a[70] = 1.5;
        let b = [0.7f32; 100];
        let one = exact(&product, (Element::F32, &bytes(&a)), (Element::F32, &bytes(&b)), Element::F32);
        assert!(one.tolerances[0] < 4.0 * SINGLE * one.values[0]);
    }

    #[test]
    fn small_products_are_exact_and_their_tolerance_is_for_any_order() {
        let product = Product { extents: [2, 2, 3], ..product() };
        let (a, b) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0f32, 8.0, 9.0, 10.0, 11.0, 12.0]);
        let bytes = |values: &[f32]| bytemuck::cast_slice::<f32, u8>(values).to_vec();
        let exact = exact(&product, (Element::F32, &bytes(&a)), (Element::F32, &bytes(&b)), Element::F32);
        assert_eq!(exact.values, [58.0, 64.0, 139.0, 154.0]);
        assert!(
            exact
                .tolerances
                .iter()
                .zip(&exact.values)
                .all(|(t, v)| *t > 4.0 * SINGLE * v && *t < 6.0 * SINGLE * v)
        );
    }
}
