//! 07-convolution: a filter of odd size applied to an image, tile and halo in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/convolve.cu`: every thread reads what it needs, the cache does the rest |
//! | counters | global sectors of one tile load; no bank conflicts beyond one for each load that turns a row |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Pixels and weights are whole numbers small enough that every sum is exact in `f32`, whatever the order. The part of
//! the constant array that the filter does not use is NaN.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Step, Tolerance},
};
use rayon::prelude::*;

/// The exercise.
pub static EXERCISE: Convolution = Convolution;

/// Applies a filter to an image.
pub struct Convolution;

const BLOCK_WIDTH: &str = "BLOCK_WIDTH";
const BLOCK_HEIGHT: &str = "BLOCK_HEIGHT";
const ROWS_PER_THREAD: &str = "ROWS_PER_THREAD";
/// Elements of the constant array, 15 × 15.
const FILTER_CAPACITY: usize = 15 * 15;
const LANES: usize = 32;
const FLOATS_PER_SECTOR: usize = 8;
/// Whole numbers from 0 to this; 225 × 255 × 16 stays below 2²⁴.
const LARGEST_PIXEL: f64 = 255.0;
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

/// An image and a filter.
#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
    filter: usize,
}

const fn size(width: usize, height: usize, filter: usize) -> Size {
    Size { width, height, filter }
}

/// Name, size, where.
const CASES: &[(&str, Size, On)] = &[
    ("1 × 1 image, 15 × 15 filter", size(1, 1, 15), On::Everywhere),
    ("5 × 3 image, smaller than a tile, 7 × 7 filter", size(5, 3, 7), On::Everywhere),
    ("1 × 37 image, one column, 3 × 3 filter", size(1, 37, 3), On::Everywhere),
    ("64 × 32 image, 1 × 1 filter", size(64, 32, 1), On::Everywhere),
    ("33 × 17 image, 3 × 3 filter", size(33, 17, 3), On::Everywhere),
    ("70 × 45 image, 5 × 5 filter", size(70, 45, 5), On::Everywhere),
    ("64 × 32 image, full blocks, 9 × 9 filter", size(64, 32, 9), On::Everywhere),
    ("45 × 21 image, 11 × 11 filter", size(45, 21, 11), On::Everywhere),
    ("40 × 30 image, 13 × 13 filter", size(40, 30, 13), On::Everywhere),
    ("65 × 33 image, 15 × 15 filter", size(65, 33, 15), On::Everywhere),
    ("132 × 35 image, rows of whole vectors, 3 × 3 filter", size(132, 35, 3), On::Everywhere),
    ("36 × 21 image, rows of whole vectors, 5 × 5 filter", size(36, 21, 5), On::Everywhere),
    ("44 × 12 image, rows of whole vectors, 7 × 7 filter", size(44, 12, 7), On::Everywhere),
    ("28 × 37 image, rows of whole vectors, 11 × 11 filter", size(28, 37, 11), On::Everywhere),
    ("68 × 18 image, rows of whole vectors, 15 × 15 filter", size(68, 18, 15), On::Everywhere),
    ("1921 × 1083 image, 7 × 7 filter", size(1921, 1083, 7), On::Gpu),
    ("8192 × 8192 image, 9 × 9 filter, timed", size(8192, 8192, 9), On::GpuTimed),
];

impl Exercise for Convolution {
    fn id(&self) -> &'static str {
        "07-convolution"
    }
    fn title(&self) -> &'static str {
        "Convolution: a filter over an image"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["convolve"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_WIDTH, at_least: 8, at_most: 128, multiple_of: 8 },
            ConstantBound { name: BLOCK_HEIGHT, at_least: 1, at_most: 32, multiple_of: 1 },
            ConstantBound { name: ROWS_PER_THREAD, at_least: 1, at_most: 16, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let size = CASES[case.index].1;
        let shape = Shape::of(constants);
        let traffic = Traffic::of(size, shape);
        let radius = size.filter / 2;
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: traffic.load_sectors,
                why: format!(
                    "tiles of {} × {} pixels, each pixel read once, in runs along the rows that may begin and end inside \
                     a sector",
                    shape.width + 2 * radius,
                    shape.height + 2 * radius
                ),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                at_most: traffic.store_sectors,
                why: format!(
                    "each row of a block's {} pixels is written once, neighbouring threads writing neighbours",
                    shape.width
                ),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: traffic.turns,
                why: "one for each warp whose part of the tile turns from one row into the next while loading; the sums \
                      need none"
                    .to_owned(),
            },
        ]
    }
    /// Measured on an H200 (`solutions/measured/h200.json`): the tile is 1.41 times as fast as the cache alone for a
    /// 9 × 9 filter; several rows for each thread, 5.5 times; vectors and four columns beside that, ten times.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(1.2), expert_speedup: Some(4.00), ..SpeedGoals::default() }
    }
    fn recompute(
        &self,
        case: &Case,
        _: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let Size { width, height, filter } = CASES[case.index].1;
        let radius = filter / 2;
        // The filter is a device variable: the same for all runs of a plan.
        let weights = inputs.0.steps.iter().find_map(|step| match step {
            Step::SetGlobal { bytes, .. } => Some(bytes.0.chunks_exact(4)),
            _ => None,
        })?;
        let weights: Vec<f64> =
            weights.map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
        let (y, x) = (index / width, index % width);
        let mut sum = 0.0;
        for (at, weight) in weights[..filter * filter].iter().enumerate() {
            let (row, column) =
                ((y + at / filter).checked_sub(radius), (x + at % filter).checked_sub(radius));
            if let (Some(row), Some(column)) = (row, column)
                && row < height
                && column < width
            {
                sum += weight * inputs.value("image", row * width + column);
            }
        }
        Some(sum)
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/convolve.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
}

/// What all blocks together may cost.
#[derive(Default)]
struct Traffic {
    load_sectors: u64,
    store_sectors: u64,
    turns: u64,
}

impl Traffic {
    fn of(size: Size, shape: Shape) -> Self {
        let radius = size.filter / 2;
        let tile_width = shape.width + 2 * radius;
        let tile_height = shape.height + 2 * radius;
        let mut traffic = Traffic::default();
        for top in (0..size.height).step_by(shape.height) {
            for left in (0..size.width).step_by(shape.width) {
                // The part of the tile that lies inside the image; elsewhere nothing is read.
                let columns = (left + shape.width + radius).min(size.width) - left.saturating_sub(radius);
                let rows = (top + shape.height + radius).min(size.height) - top.saturating_sub(radius);
                // A row is read in runs: as wide as the block, or 32 long where the tile is swept in one go, when a row
                // may also begin and end in the middle of a warp.
                let runs = rows * tile_width.div_ceil(shape.width).max(columns.div_ceil(LANES) + 1);
                // A run of k words touches at most (k + 14) / 8 sectors, rounded down.
                traffic.load_sectors +=
                    ((rows * columns + 2 * (FLOATS_PER_SECTOR - 1) * runs) / FLOATS_PER_SECTOR) as u64;
                traffic.turns += (tile_width * tile_height).div_ceil(LANES) as u64;
                for row in top..(top + shape.height).min(size.height) {
                    // Warps write a row piece by piece; two may share the sector between them.
                    let end = row * size.width + (left + shape.width).min(size.width);
                    for first in (row * size.width + left..end).step_by(LANES) {
                        let last = (first + LANES).min(end) - 1;
                        traffic.store_sectors +=
                            (last / FLOATS_PER_SECTOR - first / FLOATS_PER_SECTOR + 1) as u64;
                    }
                }
            }
        }
        traffic
    }
}

/// Whole numbers as floats.
fn whole(n: usize, seed: u64, least: f64, most: f64) -> Vec<f32> {
    fill::whole_values(n, seed, least, most)
}

/// A filter that equals neither its transpose nor its mirror images (a 1 × 1 filter has none, but is not 1 either).
fn weights(size: usize, seed: u64) -> Vec<f32> {
    let mut weights = whole(size * size, seed, -LARGEST_WEIGHT, LARGEST_WEIGHT);
    // Four corners that differ settle it, whatever the seed.
    weights[0] = 7.0;
    if size > 1 {
        weights[size - 1] = -5.0;
        weights[size * (size - 1)] = 11.0;
        weights[size * size - 1] = -13.0;
    }
    weights
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, on) = CASES[case.index];
    let Size { width, height, filter } = size;
    let image_seed = fill::hash(seed, 0);
    let weights = weights(filter, fill::hash(seed, 1));

    let mut plan = Plan::new();
    let pixels = Fill::Whole { seed: image_seed, low: 0.0, high: LARGEST_PIXEL };
    let from = plan.buffer("image", Element::F32, &[height, width], pixels);
    let to = plan.buffer("result", Element::F32, &[height, width], Fill::Uninitialized);
    let mut constant = weights.clone();
    constant.resize(FILTER_CAPACITY, f32::NAN);
    plan.set_global("filter", Bytes::of(&constant));
    plan.launch(Launch {
        kernel: "convolve".to_owned(),
        grid: [width.div_ceil(shape.width) as u32, height.div_ceil(shape.height) as u32, 1],
        block: [shape.width as u32, shape.threads_high as u32, 1],
        dynamic_shared: 0,
        arguments: vec![
            Argument::buffer(from),
            Argument::buffer(to),
            Argument::scalar(width as i32),
            Argument::scalar(height as i32),
            Argument::scalar(filter as i32),
        ],
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(to, Tolerance::Exact);
    } else {
        let image = whole(width * height, image_seed, 0.0, LARGEST_PIXEL);
        plan.expect(to, Bytes::of(&convolve(&image, size, &weights)), Tolerance::Exact);
    }
    plan.minimum_bytes = 2 * 4 * (width * height) as u64;
    plan
}

/// The result, row by row: each weight adds a shifted row of the image.
fn convolve(image: &[f32], Size { width, height, filter }: Size, weights: &[f32]) -> Vec<f32> {
    let radius = filter / 2;
    let mut result = vec![0.0; width * height];
    result.par_chunks_mut(width).enumerate().for_each(|(y, sums)| {
        for (j, row_weights) in weights.chunks(filter).enumerate() {
            let Some(image_y) = (y + j).checked_sub(radius).filter(|&image_y| image_y < height) else {
                continue;
            };
            let row = &image[image_y * width..(image_y + 1) * width];
            for (i, &weight) in row_weights.iter().enumerate() {
                // Result x takes pixel x + i - radius, where there is one.
                let first = radius.saturating_sub(i);
                let shift = i.saturating_sub(radius);
                let (Some(sums), Some(pixels)) = (sums.get_mut(first..), row.get(shift..)) else { continue };
                sums.iter_mut().zip(pixels).for_each(|(sum, pixel)| *sum += weight * pixel);
            }
        }
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum as the chapter writes it.
    fn by_definition(image: &[f32], Size { width, height, filter }: Size, weights: &[f32]) -> Vec<f32> {
        let radius = (filter / 2) as isize;
        let mut result = Vec::new();
        for y in 0..height as isize {
            for x in 0..width as isize {
                let mut sum = 0.0;
                for j in 0..filter as isize {
                    for i in 0..filter as isize {
                        let (v, u) = (y + j - radius, x + i - radius);
                        if (0..height as isize).contains(&v) && (0..width as isize).contains(&u) {
                            sum += weights[(j * filter as isize + i) as usize]
                                * image[(v * width as isize + u) as usize];
                        }
                    }
                }
                result.push(sum);
            }
        }
        result
    }

    #[test]
    fn the_quick_reference_is_the_definition() {
        for &(name, size, on) in CASES {
            if on == On::Everywhere {
                let image = whole(size.width * size.height, 1, 0.0, LARGEST_PIXEL);
                let weights = weights(size.filter, 2);
                assert_eq!(convolve(&image, size, &weights), by_definition(&image, size, &weights), "{name}");
            }
        }
    }

    #[test]
    fn sums_are_exact_in_single_precision() {
        assert!(FILTER_CAPACITY as f64 * LARGEST_PIXEL * LARGEST_WEIGHT < f64::from(1 << 24));
    }

    #[test]
    fn a_tile_without_a_radius_is_read_sector_by_sector() {
        // 64 × 32 pixels, blocks of 32 × 8, no halo: 256 sectors of image, and room for two runs a row.
        let traffic = Traffic::of(size(64, 32, 1), BASELINE);
        assert_eq!(traffic.store_sectors, 256);
        assert_eq!(traffic.load_sectors, (256 + 2 * 14 * 64 / 8) as u64);
    }
}
