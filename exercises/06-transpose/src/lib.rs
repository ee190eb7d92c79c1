//! 06-transpose: rows become columns, through a tile in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/transpose.cu`: reads along rows, writes down columns |
//! | counters | global sectors of runs along the rows, on both sides; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, SpeedGoals, ValueClass, digits, shorter, sprinkle,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Tolerance},
    published_steps,
    report::Failure,
    traffic::{most_row_sectors, pieces},
};

/// The exercise.
pub static EXERCISE: Transpose = Transpose;

/// Transposes a matrix.
pub struct Transpose;

const TILE_SIDE: &str = "TILE_SIDE";
const BLOCK_WIDTH: &str = "BLOCK_WIDTH";
const BLOCK_HEIGHT: &str = "BLOCK_HEIGHT";

/// A block's tile and threads.
#[derive(Clone, Copy)]
struct Shape {
    tile: usize,
    width: usize,
    height: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { tile: 32, width: 32, height: 8 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape { tile: get(TILE_SIDE), width: get(BLOCK_WIDTH), height: get(BLOCK_HEIGHT) }
    }
}

/// What `in` holds, from its number of elements and a seed.
type Values = fn(usize, u64) -> Fill;
const RANDOM: Values = |_, seed| Fill::Random { seed, low: -1000.0, high: 1000.0 };
/// Elements are moved, not computed: any bits must come through.
const EVERY_KIND: Values = |n, seed| {
    let mut values = fill::values(n, seed, -1000.0, 1000.0);
    sprinkle(&mut values);
    Fill::Data(Bytes::of(&values))
};
const ALL_NEGATIVE: Values = |_, seed| Fill::Random { seed, low: -1000.0, high: -1.0 };

const DIGITS: Values = |_, seed| digits(seed);

/// Name, height and width of `in`, values, where.
type Row = (&'static str, [usize; 2], Values, On);
const CASES: &[Row] = &[
    ("1 × 1", [1, 1], RANDOM, On::Everywhere),
    ("1 × 200, a single row", [1, 200], RANDOM, On::Everywhere),
    ("200 × 1, a single column", [200, 1], RANDOM, On::Everywhere),
    // Smaller than a tile. Of 16 bytes only one side is a multiple.
    ("15 × 4, multiples of 15 and 4", [15, 4], RANDOM, On::Everywhere),
    ("4 × 15, multiples of 4 and 15", [4, 15], RANDOM, On::Everywhere),
    ("128 × 64, full tiles", [128, 64], RANDOM, On::Everywhere),
    ("65 × 33, one more than full tiles", [65, 33], RANDOM, On::Everywhere),
    ("100 × 72, multiples of 4", [100, 72], ALL_NEGATIVE, On::Everywhere),
    ("51 × 131", [51, 131], EVERY_KIND, On::Everywhere),
    // Ten of the largest tiles in a row.
    ("68 × 580, more elements than 15 bits count", [68, 580], RANDOM, On::Everywhere),
    ("2 × 70 001", [2, 70_001], RANDOM, On::Large),
    ("70 001 × 31, more elements than 21 bits count", [70_001, 31], RANDOM, On::Large),
    ("5003 × 3001", [5003, 3001], RANDOM, On::Gpu),
    ("16 384 × 16 384, timed", [16384, 16384], RANDOM, On::GpuTimed),
    ("0 × 5, no row", [0, 5], RANDOM, On::Everywhere),
    ("5 × 0, no column", [5, 0], RANDOM, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, [shorter(n), n], DIGITS, On::Everywhere))
}

impl Exercise for Transpose {
    fn about(&self) -> About {
        About {
            id: "06-transpose",
            title: "Transpose: rows become columns",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/06-transpose/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/06-transpose/steps":
                "1-naive", "2-tiled", "4-swizzled", "5-vectors",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["transpose"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: TILE_SIDE, at_least: 16, at_most: 64, multiple_of: 16 },
                ConstantBound { name: BLOCK_WIDTH, at_least: 8, at_most: 32, multiple_of: 8 },
                ConstantBound { name: BLOCK_HEIGHT, at_least: 1, at_most: 32, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/transpose.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200: the padded tile is more than four times as fast as the baseline; 16-byte
            // accesses reach nine tenths of a copy's speed.
            speed_goals: SpeedGoals {
                pass_speedup: Some(2.0),
                expert_roof_share: Some(0.9),
                ..SpeedGoals::default()
            },
            yardstick: Some("5-vectors"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("{} × {n}", shorter(n)), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | NegativeOnly | EqualNeighbours | Fraction | AllBits | LongDimension | LargeIndex
            | OneElement | NoElement | Ragged => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
            Crowded => Declared::Not("how often a value occurs changes nothing where it is only moved"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, [height, width], _, on) = setting(case);
        if !on.is_simulated() {
            return Vec::new();
        }
        let shape = Shape::of(constants);
        let run = shape.width.min(shape.tile);
        vec![
            Counter::GlobalLoadSectors.at_most(
                run_sectors(height, width, shape),
                format!("`in` is read once, in runs of {run} words along its rows of {width}"),
            ),
            Counter::GlobalStoreSectors.at_most(
                run_sectors(width, height, shape),
                format!("`out` is written once, in runs of {run} words along its rows of {height}"),
            ),
            Counter::GlobalAtomicRequests.at_most(0, "each element is moved by one thread"),
            Counter::SharedBankConflicts.at_most(
                0,
                "rows and columns of a tile that is padded or swizzled to fit go through different banks",
            ),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(transposed(&asked.inputs, setting(case).1, asked.index))
    }
}

/// Sectors of a matrix that is read or written once, tile by tile, in runs as wide as the block along its
/// rows.
fn run_sectors(rows: usize, columns: usize, shape: Shape) -> usize {
    // Of no columns there are no runs.
    pieces(0..rows * columns, columns.max(1))
        .flat_map(|row| pieces(row, shape.tile))
        .flat_map(|tile| pieces(tile, shape.width))
        .map(|run| most_row_sectors(run, shape.width))
        .sum()
}

/// Element `index` of a matrix whose rows are the columns of `in`.
fn transposed(inputs: &Inputs<'_>, [height, width]: [usize; 2], index: usize) -> f64 {
    inputs.value("in", index % height * width + index / height)
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, [height, width], values, _) = setting(case);
    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::F32, &[height, width], values(height * width, seed));
    let to = plan.buffer("out", Element::F32, &[width, height], Fill::Uninitialized);
    let grid = [width, height].map(|side| side.div_ceil(shape.tile).max(1));
    let launch = Launch::new("transpose", grid, [shape.width, shape.height]);
    plan.launch(launch.buffers([from, to]).ints([width, height]));
    // A move rounds nothing: exact to the bit.
    plan.expect_each(case, to, Tolerance::Exact, |inputs, index| transposed(inputs, [height, width], index));
    plan.minimum_bytes = 2 * 4 * (width * height) as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut plan = Plan::new();
        plan.buffer("in", Element::F32, &[2, 3], Fill::Counting);
        let all = [0, 1, 2, 3, 4, 5].map(|index| transposed(&Inputs::of(&plan), [2, 3], index));
        assert_eq!(all, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    }

    #[test]
    fn aligned_rows_take_each_sector_once() {
        assert_eq!(run_sectors(128, 64, BASELINE), 128 * 64 / 8);
        // Rows of 33: a run of 32 and a run of 1; the first row's run begins at a sector, the second row's
        // does not.
        assert_eq!(run_sectors(2, 33, BASELINE), (4 + 1) + (5 + 1));
    }
}
