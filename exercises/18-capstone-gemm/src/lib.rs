//! 18-capstone-gemm: the product of two matrices, as fast as the learner can.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply_tiled.cu`: the tiled kernel of 08-matmul, 32 × 32 |
//! | counters | global sectors of one pass over each block's tiles; eight multiply-adds per shared load; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Elements are random. The judge verifies a product with the error bound of any order of summation, so nothing is listed here.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, On, Permits, SpeedGoals,
    },
    fill,
    plan::{Argument, Element, Fill, Launch, Plan},
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
const LANES: usize = 32;
const FLOATS_PER_SECTOR: usize = 8;
/// Neighbours along k that a warp reads of a row of `a` at the least: whole sectors, where rows are aligned.
const RUN_OF_A: usize = FLOATS_PER_SECTOR;
/// Multiply-adds that each shared load must serve, both counted by warps. Tiles of 4 × 4 read as vectors of 4 just do.
const PRODUCTS_PER_LOAD: usize = 8;
/// What every GPU from compute capability 7.5 on gives a block.
const MOST_SHARED_BYTES: i64 = 64 << 10;

/// How the work is divided: the part of `c` that a block computes, and its threads.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
    block: [u32; 3],
    dynamic_shared: u32,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { rows: 32, columns: 32, block: [32, 32, 1], dynamic_shared: 0 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        Shape {
            rows: constants.get(BLOCK_ROWS) as usize,
            columns: constants.get(BLOCK_COLUMNS) as usize,
            block: [constants.get(THREADS) as u32, 1, 1],
            dynamic_shared: constants.get(SHARED_BYTES) as u32,
        }
    }
}

/// `c` has m rows of n, `a` m rows of k, `b` k rows of n elements.
#[derive(Clone, Copy)]
struct Size {
    m: usize,
    n: usize,
    k: usize,
}

const fn size(m: usize, n: usize, k: usize) -> Size {
    Size { m, n, k }
}

/// Name, size, where.
const CASES: &[(&str, Size, On)] = &[
    ("1 × 1 times 1 × 1", size(1, 1, 1), On::Everywhere),
    ("37 × 1 times 1 × 45, k = 1", size(37, 45, 1), On::Everywhere),
    ("20 × 3 times 3 × 43, k less than a tile", size(20, 43, 3), On::Everywhere),
    ("128 × 64 times 64 × 256, full tiles", size(128, 256, 64), On::Everywhere),
    ("129 × 65 times 65 × 131, rows begin anywhere", size(129, 131, 65), On::Everywhere),
    ("45 × 100 times 100 × 70", size(45, 70, 100), On::Everywhere),
    ("200 × 44 times 44 × 140, aligned rows, ragged tiles", size(200, 140, 44), On::Everywhere),
    ("1001 × 517 times 517 × 703", size(1001, 703, 517), On::Gpu),
    ("4096 × 4096 times 4096 × 4096, timed", size(4096, 4096, 4096), On::GpuTimed),
];

impl Exercise for Gemm {
    fn id(&self) -> &'static str {
        "18-capstone-gemm"
    }
    fn title(&self) -> &'static str {
        "Capstone: matrix multiplication at full speed"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["multiply"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_ROWS, at_least: 32, at_most: 256, multiple_of: 32 },
            ConstantBound { name: BLOCK_COLUMNS, at_least: 32, at_most: 256, multiple_of: 32 },
            ConstantBound { name: DEPTH, at_least: 8, at_most: 32, multiple_of: 8 },
            ConstantBound { name: THREADS, at_least: 32, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: SHARED_BYTES, at_least: 0, at_most: MOST_SHARED_BYTES, multiple_of: 1 },
        ]
    }
    /// Asynchronous copies are PTX.
    fn permits(&self) -> Permits {
        Permits { inline_ptx: true, ..Permits::default() }
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let Size { m, n, k } = CASES[case.index].1;
        let Shape { rows, columns, .. } = Shape::of(constants);
        let depth = constants.get(DEPTH) as usize;
        let (across, down, rounds) = (n.div_ceil(columns), m.div_ceil(rows), k.div_ceil(depth));
        let products = across * down * rounds * depth * rows * columns / LANES;
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: (across * run_sectors(m, k, RUN_OF_A) + down * run_sectors(k, n, LANES)) as u64,
                why: format!(
                    "{across} × {down} blocks read their rows of a in runs of {RUN_OF_A} words, of b in runs of {LANES}, once"
                ),
            },
            CounterBound {
                counter: Counter::SharedLoadRequests,
                at_least: 0,
                at_most: (products / PRODUCTS_PER_LOAD) as u64,
                why: format!(
                    "{across} × {down} blocks × {rounds} rounds × {depth} × {rows} × {columns} multiply-adds, {LANES} at a time, \
                     {PRODUCTS_PER_LOAD} of those for each load"
                ),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: 0,
                why: "neighbouring threads can read neighbouring vectors, or the same".to_owned(),
            },
        ]
    }
    /// Measured on an H200 at 4096 × 4096: 8 × 8 sums in registers with vector reads are 3.3 times as fast as the tile of 08. The step with
    /// asynchronous copies is 5.5 times as fast, and 0.95 of cuBLAS; 5.2 is 0.89 of it.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(2.0), expert_speedup: Some(5.2), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/multiply_tiled.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
}

/// Sectors that a matrix takes when it is read once in runs of so many words along its rows, each run by itself.
fn run_sectors(rows: usize, columns: usize, run: usize) -> usize {
    let row = |row: usize| -> usize {
        let sectors = |left: usize| {
            let first = row * columns + left;
            let last = row * columns + (left + run).min(columns) - 1;
            last / FLOATS_PER_SECTOR - first / FLOATS_PER_SECTOR + 1
        };
        (0..columns).step_by(run).map(sectors).sum()
    };
    (0..rows).map(row).sum()
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let Size { m, n, k } = CASES[case.index].1;
    let random = |number| Fill::Random { seed: fill::hash(seed, number), low: -1.0, high: 1.0 };

    let mut plan = Plan::new();
    let left = plan.buffer("a", Element::F32, &[m, k], random(0));
    let right = plan.buffer("b", Element::F32, &[k, n], random(1));
    let to = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "multiply".to_owned(),
        grid: [n.div_ceil(shape.columns) as u32, m.div_ceil(shape.rows) as u32, 1],
        block: shape.block,
        dynamic_shared: shape.dynamic_shared,
        arguments: vec![
            Argument::buffer(left),
            Argument::buffer(right),
            Argument::buffer(to),
            Argument::scalar(m as i32),
            Argument::scalar(n as i32),
            Argument::scalar(k as i32),
        ],
        cooperative: false,
    });
    plan.expect_product(to, left, right, [m, n, k]);
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_pay_for_the_sectors_that_they_touch() {
        // 4 rows of 16 aligned words in runs of 8: 8 sectors. Rows of 9 words: 0–7 | 8, 9–16 | 17.
        assert_eq!(run_sectors(4, 16, RUN_OF_A), 8);
        assert_eq!(run_sectors(2, 9, RUN_OF_A), 1 + 1 + 2 + 1);
        // A row of b, 100 words from word 100 on: 100–131 five sectors, 132–163 five, 164–195 five, 196–199 one.
        assert_eq!(run_sectors(2, 100, LANES), 4 + 4 + 4 + 1 + 5 + 5 + 5 + 1);
    }
}
