//! 08-matmul: the product of two matrices, through square tiles in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply.cu`: one thread per element, rows and columns straight from global memory |
//! | counters | global sectors of one pass over each block's tiles; two shared loads per multiply-add; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Elements are random. The judge verifies a product with the error bound of any order of summation, so
//! nothing is listed here.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        SpeedGoals, ValueClass, digits, picking_factors, shorter,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan},
    published_steps,
    report::{Failure, number_of},
    traffic::{LANES, matrix_sectors},
};

/// The exercise.
pub static EXERCISE: Matmul = Matmul;

/// Multiplies two matrices.
pub struct Matmul;

const TILE: &str = "TILE";
/// The baseline's own choice: on an H200 it is faster with blocks of 32 × 32 than of 16 × 16.
const BASELINE_TILE: usize = 32;
/// Of the numbers that are picked one in so many is 0, and then the product is.
const ZERO_IN: usize = 11;
/// What the factors are made of.
#[derive(Clone, Copy, PartialEq)]
enum Factors {
    /// From −1 to 1.
    Random,
    /// One number in each row of `a`, huge and tiny ones and zeros in `b`: nothing is added, so every bit shows.
    Picking,
    /// Numbers of one digit.
    Digits,
}

use Factors::{Digits, Picking, Random};

/// m, n and k of a tiny case: all three differ where there is room for that.
fn tiny_extents(n: usize) -> [usize; 3] {
    [shorter(n), n, shorter(n) + 1]
}

/// Name; m, n and k, for `c` has m rows of n, `a` m rows of k, `b` k rows of n elements; of what;
/// where.
type Row = (&'static str, [usize; 3], Factors, On);
const CASES: &[Row] = &[
    ("1 × 1 times 1 × 1", [1, 1, 1], Random, On::Everywhere),
    ("37 × 1 times 1 × 45, k = 1", [37, 45, 1], Random, On::Everywhere),
    ("20 × 3 times 3 × 43, k less than a tile", [20, 43, 3], Random, On::Everywhere),
    ("1 × 50 times 50 × 37, one row", [1, 37, 50], Random, On::Everywhere),
    ("50 × 37 times 37 × 1, one column", [50, 1, 37], Random, On::Everywhere),
    ("32 × 96 times 96 × 64, full tiles", [32, 64, 96], Random, On::Everywhere),
    ("33 × 65 times 65 × 17, one more than full tiles", [33, 17, 65], Random, On::Everywhere),
    ("45 × 100 times 100 × 70", [45, 70, 100], Random, On::Everywhere),
    ("45 × 100 times 100 × 70, single factors, huge, tiny and 0", [45, 70, 100], Picking, On::Everywhere),
    ("65 601 × 1 times 1 × 33, more elements than 21 bits count", [65_601, 33, 1], Random, On::Large),
    ("3 × 1 times 1 × 65 601", [3, 65_601, 1], Random, On::Large),
    ("2 × 65 601 times 65 601 × 3", [2, 3, 65_601], Random, On::Large),
    ("1001 × 517 times 517 × 703", [1001, 703, 517], Random, On::Gpu),
    ("1024 × 1024 times 1024 × 1024, timed", [1024, 1024, 1024], Random, On::GpuTimed),
    ("5 × 0 times 0 × 7, k = 0: c is zeros", [5, 7, 0], Random, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, tiny_extents(n), Digits, On::Everywhere))
}

impl Exercise for Matmul {
    fn about(&self) -> About {
        About {
            id: "08-matmul",
            title: "Matrix multiplication: tiles used TILE times",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/08-matmul/kernel.cu"),
            steps: published_steps!("../../../solutions/08-matmul/steps": "1-naive", "3-tile-32"),
            hints: include_str!("../hints.md"),
            kernels: &["multiply"],
            stub_fails: &[Failure::CORRECT],
            constants: &[ConstantBound { name: TILE, at_least: 8, at_most: 32, multiple_of: 8 }],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/multiply.cu"),
                plan: |case, seed| plan(case, seed, BASELINE_TILE),
            }),
            // Measured on an H200 at 1024 × 1024: the 16 × 16 tile is 1.24 times as fast as the cache alone,
            // a 32 × 32 tile 1.40 times. Half of what the smaller tile earns is asked for a pass. How much
            // faster a product can be is 18's matter.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.12),
                expert_speedup: Some(1.3),
                ..SpeedGoals::default()
            },
            yardstick: Some("3-tile-32"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let [m, n, k] = tiny_extents(n);
        Ok(like.as_tiny(format!("{m} × {k} times {k} × {n}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, constants.get(TILE) as usize)
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            HugeAndTiny | Fraction | AllBits | LongDimension | LargeIndex | OneElement | NoElement
            | Ragged => Declared::Here,
            Infinity | NegativeInfinity | Nan | NegativeNan => {
                Declared::Not("the bound of a product's errors is for finite numbers")
            }
            NegativeZero | Denormal | NegativeOnly | EqualNeighbours | Crowded => {
                Declared::Not("sums of products do not depend on it beyond what random numbers show")
            }
            Least | Greatest => Declared::Not("floats have infinities instead"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let [m, n, k] = setting(case).1;
        let tile = constants.get(TILE) as usize;
        let blocks_across = n.div_ceil(tile);
        let blocks = blocks_across * m.div_ceil(tile);
        let rounds = k.div_ceil(tile);
        let warps = (tile * tile).div_ceil(LANES);
        vec![
            Counter::GlobalLoadSectors.at_most(
                blocks_across * run_sectors(m, k, tile) + m.div_ceil(tile) * run_sectors(k, n, tile),
                format!(
                    "{} with {} each of a and of b, in runs of at most {tile} words along the rows",
                    number_of(blocks, "block"),
                    number_of(rounds, "tile")
                ),
            ),
            Counter::GlobalStoreSectors.at_most(
                run_sectors(m, n, tile),
                format!("c is written once, in runs of at most {tile} words along the rows"),
            ),
            Counter::SharedLoadRequests.at_most(
                blocks * rounds * warps * 2 * tile,
                format!(
                    "blocks × rounds × warps × multiply-adds: {blocks} × {rounds} × {warps} × {tile}, two reads each; the sum \
                     is in a register"
                ),
            ),
            Counter::SharedBankConflicts
                .at_most(0, "a warp reads neighbours of a row of b, and one word of each row of a that it works on"),
        ]
    }
}

/// Sectors that a matrix takes when it is read once in runs of `tile` words along its rows, each run by
/// itself.
fn run_sectors(rows: usize, columns: usize, tile: usize) -> usize {
    if columns == 0 {
        return 0;
    }
    // A run that is cut in the middle of a warp may ask for the sector at the cut twice.
    let cuts = if LANES.is_multiple_of(tile) { 0 } else { rows * columns.div_ceil(tile) };
    matrix_sectors(rows, columns, tile) + cuts
}

fn plan(case: &Case, seed: u64, tile: usize) -> Plan {
    let (_, [m, n, k], factors, _) = setting(case);
    let random = |number| Fill::Random { seed: fill::hash(seed, number), low: -1.0, high: 1.0 };
    let [of_a, of_b] = match factors {
        Random => [random(0), random(1)],
        Digits => [0, 1].map(|number| digits(fill::hash(seed, number))),
        Picking => {
            let [a, mut b] = picking_factors([m, n, k], seed);
            b.iter_mut().step_by(ZERO_IN).for_each(|value| *value = 0.0);
            [a, b].map(|values| Fill::Data(Bytes::of(&values)))
        }
    };

    let mut plan = Plan::new();
    let left = plan.buffer("a", Element::F32, &[m, k], of_a);
    let right = plan.buffer("b", Element::F32, &[k, n], of_b);
    let to = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    let launch = Launch::new("multiply", [n.div_ceil(tile), m.div_ceil(tile)], [tile, tile]);
    plan.launch(launch.buffers([left, right, to]).ints([m, n, k]));
    plan.expect_product(to, left, right, [m, n, k]);
    plan.minimum_bytes = 4 * (m * k + k * n + m * n) as u64;
    plan.is_compute_bound = true;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_pay_for_the_sectors_that_they_touch() {
        // 2 rows of 16 aligned words: 4 sectors. Rows of 9 words: 0–8 touch two, 9–17 two.
        assert_eq!(run_sectors(2, 16, 16), 4);
        assert_eq!(run_sectors(2, 9, 16), 4);
        // A 24-wide tile may be cut by a warp.
        assert_eq!(run_sectors(1, 24, 24), 4);
    }
}
