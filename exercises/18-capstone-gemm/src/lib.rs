//! 18-capstone-gemm: the product of two matrices, as fast as the learner can.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply_tiled.cu`: the tiled kernel of 08-matmul, 32 × 32 |
//! | counters | global sectors of one pass over each block's tiles; eight multiply-adds per shared load; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Elements are random. The judge verifies a product with the error bound of any order of summation, so
//! nothing is listed here.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        Permits, SpeedGoals, ValueClass, digits, picking_factors, shorter,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan},
    published_steps,
    report::Failure,
    traffic::{LANES, WORDS_PER_SECTOR, matrix_sectors, wavefronts},
};

/// The exercise.
pub static EXERCISE: Gemm = Gemm;

/// Multiplies two matrices.
pub struct Gemm;

const BLOCK_ROWS: &str = "BLOCK_ROWS";
const BLOCK_COLUMNS: &str = "BLOCK_COLUMNS";
const DEPTH: &str = "DEPTH";
const THREADS: &str = "THREADS";
const SHARED_BYTES: &str = "SHARED_BYTES";
/// Neighbours along k that a warp reads of a row of `a` at the least: whole sectors, where rows are aligned.
const RUN_OF_A: usize = WORDS_PER_SECTOR;
/// Multiply-adds that each shared load must serve, both counted by warps. Tiles of 4 × 4 read as vectors of 4
/// just do.
const PRODUCTS_PER_LOAD: usize = 8;
/// What every GPU from compute capability 7.5 on gives a block.
const MOST_SHARED_BYTES: i64 = 64 << 10;

/// How the work is divided: the part of `c` that a block computes, and its threads.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
    block: [usize; 2],
    dynamic_shared: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { rows: 32, columns: 32, block: [32, 32], dynamic_shared: 0 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape {
            rows: get(BLOCK_ROWS),
            columns: get(BLOCK_COLUMNS),
            block: [get(THREADS), 1],
            dynamic_shared: get(SHARED_BYTES),
        }
    }
}

/// What the factors are made of.
#[derive(Clone, Copy, PartialEq)]
enum Factors {
    /// From −1 to 1.
    Random,
    /// One number in each row of `a`, huge and tiny ones in `b`, and zeros: nothing is added, so every bit shows.
    Picking,
    /// Numbers of one digit.
    Digits,
}

use Factors::{Digits, Picking, Random};

/// m, n and k of a tiny case: all three differ where there is room for that.
fn tiny_extents(n: usize) -> [usize; 3] {
    [shorter(n), n, shorter(n) + 1]
}

/// Of so many neighbours of `b` one is 0 where a product picks: no divisor of n, so that every column has zeros.
const BETWEEN_ZEROS: usize = 11;

/// Name; m, n and k, for `c` has m rows of n, `a` m rows of k, `b` k rows of n elements; of what;
/// where.
type Row = (&'static str, [usize; 3], Factors, On);
const CASES: &[Row] = &[
    ("1 × 1 times 1 × 1", [1, 1, 1], Random, On::Everywhere),
    ("37 × 1 times 1 × 45, k = 1", [37, 45, 1], Random, On::Everywhere),
    ("20 × 3 times 3 × 43, k less than a tile", [20, 43, 3], Random, On::Everywhere),
    ("128 × 64 times 64 × 256, full tiles", [128, 256, 64], Random, On::Everywhere),
    ("129 × 65 times 65 × 131, rows begin anywhere", [129, 131, 65], Random, On::Everywhere),
    ("45 × 104 times 104 × 70", [45, 70, 104], Random, On::Everywhere),
    ("200 × 44 times 44 × 140, aligned rows, ragged tiles", [200, 140, 44], Random, On::Everywhere),
    ("45 × 104 times 104 × 70, single factors, huge and tiny", [45, 70, 104], Picking, On::Everywhere),
    ("5 × 40 times 40 × 24, a single block, single factors", [5, 24, 40], Picking, On::Everywhere),
    ("65 601 × 1 times 1 × 33, more elements than 21 bits count", [65_601, 33, 1], Random, On::Large),
    ("3 × 1 times 1 × 65 601", [3, 65_601, 1], Random, On::Large),
    ("1001 × 517 times 517 × 703", [1001, 703, 517], Random, On::Gpu),
    ("4096 × 4096 times 4096 × 4096, timed", [4096, 4096, 4096], Random, On::GpuTimed),
    ("5 × 0 times 0 × 7, k = 0: c is zeros", [5, 7, 0], Random, On::Everywhere),
    ("2 × 65 601 times 65 601 × 3", [2, 3, 65_601], Random, On::Gpu),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, tiny_extents(n), Digits, On::Everywhere))
}

impl Exercise for Gemm {
    fn about(&self) -> About {
        About {
            id: "18-capstone-gemm",
            title: "Capstone: matrix multiplication at full speed",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/18-capstone-gemm/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/18-capstone-gemm/steps":
                "0-tiled", "1-register-tile", "3-pointers", "4-vectors", "5-asynchronous", "6-z-order",
                "7-more-sums", "8-small-blocks", "9-deeper",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["multiply"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_ROWS, at_least: 32, at_most: 256, multiple_of: 32 },
                ConstantBound { name: BLOCK_COLUMNS, at_least: 32, at_most: 256, multiple_of: 32 },
                ConstantBound { name: DEPTH, at_least: 8, at_most: 32, multiple_of: 8 },
                ConstantBound { name: THREADS, at_least: 32, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: SHARED_BYTES, at_least: 0, at_most: MOST_SHARED_BYTES, multiple_of: 1 },
            ],
            // Asynchronous copies are PTX.
            permits: Permits { inline_ptx: true, ..Permits::default() },
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/multiply_tiled.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200 at 4096 × 4096: 8 × 8 sums in registers with vector reads are 3.3 times as
            // fast as the tile of 08. The last step is 5.5 times as fast, and 0.95 of
            // cuBLAS; 5.2 is 0.89 of it.
            speed_goals: SpeedGoals {
                pass_speedup: Some(2.0),
                expert_speedup: Some(5.2),
                ..SpeedGoals::default()
            },
            yardstick: Some("9-deeper"),
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
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            HugeAndTiny | Fraction | AllBits | LargeIndex | OneElement | NoElement | Ragged => Declared::Here,
            LongDimension => Declared::Not(
                "m and n are long somewhere; k is so on a GPU and in 08: a large tile over it would take minutes",
            ),
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
        let Shape { rows, columns, .. } = Shape::of(constants);
        let depth = constants.get(DEPTH) as usize;
        let (across, down, rounds) = (n.div_ceil(columns), m.div_ceil(rows), k.div_ceil(depth));
        let products = across * down * rounds * depth * rows * columns / LANES;
        // Asynchronous copies of single words turn the tile of a round; they take turns for what they read.
        let turns = wavefronts((0..LANES).map(|lane| lane / RUN_OF_A * k + lane % RUN_OF_A)) - 1;
        // Rows of no elements take none.
        let sectors_of_a = if k == 0 { 0 } else { matrix_sectors(m, k, RUN_OF_A) };
        let copies = across * down * rounds * depth * rows / LANES;
        vec![
            Counter::GlobalLoadSectors.at_most(
                across * sectors_of_a + down * (matrix_sectors(k, n, LANES) + k * across),
                format!(
                    "{across} × {down} blocks read their part of a once in runs of {RUN_OF_A} words, and of b in runs of {LANES}; one \
                     sector more for each row of a tile of b, where vectors begin inside a sector"
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(0, "each element of c is the work of one thread"),
            Counter::SharedLoadRequests.at_most(
                products / PRODUCTS_PER_LOAD,
                format!(
                    "blocks × rounds × multiply-adds: {across} × {down} × {rounds} × {depth} × {rows} × {columns}, {LANES} at a \
                     time, and at least {PRODUCTS_PER_LOAD} multiply-adds for each load"
                ),
            ),
            Counter::ExchangeRequests.at_most(
                products / PRODUCTS_PER_LOAD,
                format!("an exchange between lanes counts like a shared load: at least {PRODUCTS_PER_LOAD} multiply-adds for each"),
            ),
            Counter::SharedBankConflicts.at_most(
                copies * turns,
                format!(
                    "neighbouring threads can read and write neighbouring vectors, or the same; {turns} for each asynchronous \
                     copy of {RUN_OF_A} words of a of each of {} rows",
                    LANES / RUN_OF_A
                ),
            ),
        ]
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, [m, n, k], factors, _) = setting(case);
    let random = |number| Fill::Random { seed: fill::hash(seed, number), low: -1.0, high: 1.0 };
    let [of_a, of_b] = match factors {
        Random => [random(0), random(1)],
        Digits => [0, 1].map(|number| digits(fill::hash(seed, number))),
        Picking => {
            let [a, mut b] = picking_factors([m, n, k], seed);
            b.iter_mut().step_by(BETWEEN_ZEROS).for_each(|value| *value = 0.0);
            [a, b].map(|values| Fill::Data(Bytes::of(&values)))
        }
    };

    let mut plan = Plan::new();
    let left = plan.buffer("a", Element::F32, &[m, k], of_a);
    let right = plan.buffer("b", Element::F32, &[k, n], of_b);
    let to = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    let grid = [n.div_ceil(shape.columns), m.div_ceil(shape.rows)];
    let launch = Launch::new("multiply", grid, shape.block).dynamic_shared(shape.dynamic_shared);
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
        // 4 rows of 16 aligned words in runs of 8: 8 sectors. Rows of 9 words: 0–7 | 8, 9–16 | 17.
        assert_eq!(matrix_sectors(4, 16, RUN_OF_A), 8);
        assert_eq!(matrix_sectors(2, 9, RUN_OF_A), 1 + 1 + 2 + 1);
        // A row of b, 100 words from word 100 on: 100–131 five sectors, 132–163 five, 164–195 five, 196–199
        // one.
        assert_eq!(matrix_sectors(2, 100, LANES), 4 + 4 + 4 + 1 + 5 + 5 + 5 + 1);
    }
}
