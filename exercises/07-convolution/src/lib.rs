//! 07-convolution: a filter of odd size applied to an image, tile and halo in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/convolve.cu`: every thread reads what it needs, the cache does the rest |
//! | counters | global sectors of one tile load; no bank conflicts beyond one for each load that turns a row |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Pixels are quarters, weights are whole numbers, and both are small enough that every sum is exact in `f32`,
//! whatever the order. Some pixels, in secret places, are so large that a sum of 16-bit numbers has no room
//! for their quarters.
//! The part of the constant array that the filter does not use is NaN.

mod traffic;

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement, SpeedGoals, ValueClass, digits, shorter,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
};
use rayon::prelude::*;
use traffic::Traffic;

/// The exercise.
pub static EXERCISE: Convolution = Convolution;

/// Applies a filter to an image.
pub struct Convolution;

const BLOCK_WIDTH: &str = "BLOCK_WIDTH";
const BLOCK_HEIGHT: &str = "BLOCK_HEIGHT";
const ROWS_PER_THREAD: &str = "ROWS_PER_THREAD";
/// Elements of the constant array, 15 × 15.
const FILTER_CAPACITY: usize = 15 * 15;
/// Pixels are multiples of this.
const UNIT: f64 = 0.25;
/// Most pixels are from minus this to this; 225 × 255 × 16 quarters stay below 2²⁴.
const LARGEST_PIXEL: f64 = 255.0;
/// A few are from minus this to this: more than 2¹⁶ quarters, and so few that those of one window fit beside
/// the others.
const STRAY: f64 = 40_000.0;
/// Whole numbers from minus this to this.
const LARGEST_WEIGHT: f64 = 16.0;

/// A block's shape.
#[derive(Clone, Copy)]
struct Shape {
    width: usize,
    threads_high: usize,
    /// Rows of pixels that the block computes.
    height: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { width: 32, threads_high: 8, height: 8 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        let threads_high = get(BLOCK_HEIGHT);
        Shape { width: get(BLOCK_WIDTH), threads_high, height: threads_high * get(ROWS_PER_THREAD) }
    }
}

/// What the pixels are, from a seed.
type Values = fn(u64) -> Fill;
/// One stray among so many.
const FEW: Values = |seed| strays(seed, 1 << 12);
const SOME: Values = |seed| strays(seed, 1 << 8);
const ONE_NEGATIVE: Values = |_| Fill::Repeated(Bytes::of(&[-17.25f32]));

/// Of a tiny case's filter.
const TINY_SIDE: usize = 3;

fn strays(seed: u64, one_in: u64) -> Fill {
    let (most, strays) = ((-LARGEST_PIXEL, LARGEST_PIXEL), (-STRAY, STRAY));
    Fill::Strays(Strays { seed, most, strays, one_in, unit: UNIT })
}

/// Name; width and height of the image, side of the filter; pixels; where.
type Row = (&'static str, [usize; 3], Values, On);
const CASES: &[Row] = &[
    ("1 × 1 image, 15 × 15 filter", [1, 1, 15], SOME, On::Everywhere),
    ("5 × 3 image, smaller than a tile, 7 × 7 filter", [5, 3, 7], SOME, On::Everywhere),
    ("1 × 37 image, one column, 3 × 3 filter", [1, 37, 3], SOME, On::Everywhere),
    ("64 × 30 image, 1 × 1 filter", [64, 30, 1], SOME, On::Everywhere),
    ("33 × 17 image, 3 × 3 filter", [33, 17, 3], SOME, On::Everywhere),
    ("133 × 45 image, 5 × 5 filter", [133, 45, 5], SOME, On::Everywhere),
    ("64 × 32 image, full blocks, 9 × 9 filter", [64, 32, 9], SOME, On::Everywhere),
    ("45 × 24 image, 11 × 11 filter", [45, 24, 11], SOME, On::Everywhere),
    ("40 × 30 image, 13 × 13 filter", [40, 30, 13], SOME, On::Everywhere),
    ("65 × 33 image, 15 × 15 filter", [65, 33, 15], SOME, On::Everywhere),
    ("132 × 35 image, rows of whole vectors, 3 × 3 filter", [132, 35, 3], SOME, On::Everywhere),
    ("36 × 21 image, rows of whole vectors, 5 × 5 filter", [36, 21, 5], SOME, On::Everywhere),
    ("44 × 12 image, rows of whole vectors, 7 × 7 filter", [44, 12, 7], SOME, On::Everywhere),
    ("28 × 37 image, rows of whole vectors, 11 × 11 filter", [28, 37, 11], SOME, On::Everywhere),
    ("148 × 18 image, rows of whole vectors, 15 × 15 filter", [148, 18, 15], SOME, On::Everywhere),
    ("300 × 220 image, one negative number, 3 × 3 filter", [300, 220, 3], ONE_NEGATIVE, On::Large),
    ("2 × 70 001 image, 3 × 3 filter", [2, 70_001, 3], SOME, On::Large),
    ("70 001 × 31 image, more pixels than 21 bits count, 1 × 1 filter", [70_001, 31, 1], SOME, On::Large),
    ("1921 × 1083 image, 7 × 7 filter", [1921, 1083, 7], FEW, On::Gpu),
    ("8192 × 8192 image, 9 × 9 filter, timed", [8192, 8192, 9], FEW, On::GpuTimed),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, [n, shorter(n), TINY_SIDE], digits, On::Everywhere))
}

impl Exercise for Convolution {
    fn about(&self) -> About {
        About {
            id: "07-convolution",
            title: "Convolution: a filter over an image",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/07-convolution/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/07-convolution/steps":
                "1-naive", "3-rows-per-thread", "4-vectors",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["convolve"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_WIDTH, at_least: 8, at_most: 128, multiple_of: 8 },
                ConstantBound { name: BLOCK_HEIGHT, at_least: 1, at_most: 32, multiple_of: 1 },
                ConstantBound { name: ROWS_PER_THREAD, at_least: 1, at_most: 16, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/convolve.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200 (`solutions/measured/h200.json`): the tile is 1.41 times as fast as the
            // cache alone for a 9 × 9 filter; several rows for each thread, 5.5 times; vectors and four
            // columns beside that, ten times.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.2),
                expert_speedup: Some(4.00),
                ..SpeedGoals::default()
            },
            yardstick: Some("3-rows-per-thread"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("{n} × {} image, {TINY_SIDE} × {TINY_SIDE} filter", shorter(n)), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeOnly | EqualNeighbours | Fraction | Crowded | LongDimension | LargeIndex | OneElement
            | Ragged => Declared::Here,
            Infinity | NegativeInfinity | Nan | NegativeNan => {
                Declared::Not("a kernel may multiply pixels beside the window by zero")
            }
            NegativeZero | Denormal | HugeAndTiny | AllBits => {
                Declared::Not("sums are exact, whatever the order, only of numbers with few digits")
            }
            Least | Greatest => Declared::Not("floats have infinities instead"),
            NoElement => Declared::Not("no element takes no block, and a launch has at least one"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (shape, size) = (Shape::of(constants), setting(case).1);
        let (halo, Traffic { load_sectors, store_sectors, turns }) =
            (size[2] / 2 * 2, Traffic::of(size, shape));
        vec![
            Counter::GlobalLoadSectors.at_most(
                load_sectors,
                format!(
                    "tiles of {} × {} pixels, each pixel read once, in runs along the rows that may begin and end inside \
                     a sector",
                    shape.width + halo,
                    shape.height + halo
                ),
            ),
            Counter::GlobalStoreSectors.at_most(
                store_sectors,
                format!(
                    "each row of a block's {} pixels is written once, neighbouring threads writing neighbours",
                    shape.width
                ),
            ),
            Counter::SharedBankConflicts.at_most(
                turns,
                "one wherever a warp that loads 32 words of the tile passes from one row to the next; the sums need none",
            ),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let weights = asked.inputs.variable("filter");
        let pixel = |at| asked.inputs.value("image", at);
        Some(convolved(pixel, setting(case).1, &weights, asked.index))
    }
}

/// A filter that equals neither its transpose nor its mirror images (a 1 × 1 filter has none, but is not 1
/// either). Behind it NaN.
fn weights(side: usize, seed: u64) -> Vec<f32> {
    let mut weights: Vec<f32> = fill::whole_values(side * side, seed, -LARGEST_WEIGHT, LARGEST_WEIGHT);
    // Four corners that differ settle it, whatever the seed.
    for (at, weight) in [(side * side - 1, -13.0), (side * (side - 1), 11.0), (side - 1, -5.0), (0, 7.0)] {
        weights[at] = weight;
    }
    weights.resize(FILTER_CAPACITY, f32::NAN);
    weights
}

/// Pixel `index` of the result.
fn convolved(
    pixel: impl Fn(usize) -> f64,
    [width, height, side]: [usize; 3],
    weights: &[f32],
    index: usize,
) -> f64 {
    let (y, x, radius) = (index / width, index % width, side / 2);
    let weighed = |(at, &weight): (usize, &f32)| {
        // Above and to the left of the image rows and columns wrap to huge ones.
        let row = (y + at / side).wrapping_sub(radius);
        let column = (x + at % side).wrapping_sub(radius);
        let inside = row < height && column < width;
        if inside { f64::from(weight) * pixel(row * width + column) } else { 0.0 }
    };
    weights[..side * side].iter().enumerate().map(weighed).sum()
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, values, _) = setting(case);
    let [width, height, side] = size;
    let weights = weights(side, fill::hash(seed, 1));

    let mut plan = Plan::new();
    let from = plan.buffer("image", Element::F32, &[height, width], values(fill::hash(seed, 0)));
    let to = plan.buffer("result", Element::F32, &[height, width], Fill::Uninitialized);
    plan.set_global("filter", Element::F32, Bytes::of(&weights));
    let grid = [width.div_ceil(shape.width), height.div_ceil(shape.height)];
    let launch = Launch::new("convolve", grid, [shape.width, shape.threads_high]);
    plan.launch(launch.buffers([from, to]).ints(size));
    plan.expect_values(case, to, Tolerance::Exact, |inputs| {
        let image: Vec<f64> = inputs.values("image", 0..width * height).collect();
        let result = (0..image.len()).into_par_iter();
        result.map(|index| convolved(|at| image[at], size, &weights, index)).collect()
    });
    plan.minimum_bytes = 2 * 4 * (width * height) as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_neither_turned_nor_mirrored() {
        // 0 1 2
        // 3 4 5
        let weights = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
        let result = [0, 4].map(|index| convolved(|at| at as f64, [3, 2, 3], &weights, index));
        assert_eq!(result, [1e5 + 3e7 + 4e8, 10.0 + 2.0 * 100.0 + 3e3 + 4e4 + 5e5]);
    }

    #[test]
    fn sums_are_exact_in_single_precision() {
        let quarters = |pixels: f64| pixels * LARGEST_WEIGHT / UNIT;
        let room = f64::from(1 << 24);
        assert!(quarters(FILTER_CAPACITY as f64 * LARGEST_PIXEL) < room);
        // Timed, a window has 81 pixels, of which six are strays in one of 10¹⁶ windows.
        assert!(quarters(81.0 * LARGEST_PIXEL + 6.0 * STRAY) < room);
        // More than 16 bits count, sign and all.
        assert!(STRAY / UNIT > f64::from(1 << 16));
    }

    #[test]
    fn the_simulators_sums_are_exact_too() {
        for case in EXERCISE.cases().iter().filter(|case| case.on.is_simulated()) {
            let size @ [width, height, side] = setting(case).1;
            if width * height > 10_000 {
                continue;
            }
            for seed in 0..8 {
                let plan = plan(case, seed, BASELINE);
                let inputs = harness::exercise::Inputs::of(&plan);
                let image: Vec<f64> = inputs.values("image", 0..width * height).map(f64::abs).collect();
                let weights: Vec<f32> = inputs.variable("filter");
                let weights: Vec<f32> = weights[..side * side].iter().map(|weight| weight.abs()).collect();
                let largest = (0..image.len()).map(|index| convolved(|at| image[at], size, &weights, index));
                let largest = largest.fold(0.0, f64::max) / UNIT;
                assert!(largest < f64::from(1 << 24), "{}: {largest} quarters", case.name);
            }
        }
    }
}
