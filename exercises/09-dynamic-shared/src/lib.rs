//! 09-dynamic-shared: the softmax of every row, the row and a double for each thread in one pool of shared
//! memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/softmax.cu`: three passes over global memory, one for each of maximum, sum, quotient |
//! | counters | every row's global sectors once in and once out; the row kept in shared memory; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! The pool is what the rows need, at most 64 KiB, which every GPU from compute capability 7.5 on gives by
//! opt-in.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement, SpeedGoals, ValueClass, digits,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, Goal, number_of},
    traffic::{LANES, matrix_sectors},
};

/// The exercise.
pub static EXERCISE: DynamicShared = DynamicShared;

/// Computes the softmax of rows.
pub struct DynamicShared;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// Of a warp that reads 16 structs of 16 bytes, a float and a double: each of the two members takes one turn more.
const PAIR_CONFLICTS: usize = 2;
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 512;

/// What the rows hold, from the number of elements and a seed.
type Values = fn(usize, u64) -> Fill;
const MODERATE: Values = |_, seed| Fill::Random { seed, low: -10.0, high: 10.0 };
/// One or two elements of a row get everything.
const LARGE: Values = |_, seed| Fill::Random { seed, low: -10_000.0, high: 10_000.0 };
const FAR_BELOW_ZERO: Values = |_, seed| Fill::Random { seed, low: -10_010.0, high: -9_990.0 };
const EQUAL: Values = |_, _| Fill::Repeated(Bytes::of(&[-3.0e38f32]));
/// A row in 32 has no stray; the others have their maximum in secret places, so far up that an exponential of
/// anything but the distance to it is infinite, and for half of them not so far that all others vanish.
const WITH_STRAYS: Values = |_, seed| {
    let (most, strays) = ((-10.0, 10.0), (60.0, 140.0));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 12, unit: 0.0 })
};
/// Numbers of all sizes: some whose exponential is 0, and some that are all but zero.
const EVERY_SIZE: Values = |n, seed| {
    const SPECIAL: [f32; 6] = [-0.0, 1.0e-40, -1.0e-40, 5.0e-10, -7.5e4, 0.0];
    let mut values = fill::values(n, seed, -10.0, 10.0);
    for (at, value) in values.iter_mut().enumerate().filter(|(at, _)| at % 3 == 1) {
        *value = SPECIAL[at / 3 % SPECIAL.len()];
    }
    Fill::Data(Bytes::of(&values))
};

/// All but one element of a row vanish beside it: no thread may miss it. In 32 rows it is each lane's once, also of
/// the first to begin a second round; it is 0, all but the largest float, or far below 0 itself.
const PEAKS: Values = |n, seed| {
    const PEAK: [f32; 3] = [0.0, 3.0e38, -5000.0];
    let mut values: Vec<f32> = fill::values(n, seed, -10_010.0, -9_990.0);
    for (row, values) in values.chunks_mut(PEAK_COLUMNS).enumerate() {
        values[17 + 33 * row] = PEAK[row % PEAK.len()];
    }
    Fill::Data(Bytes::of(&values))
};
const PEAK_ROWS: usize = 32;
/// A multiple of 5, as no other case has, and not of 4.
const PEAK_COLUMNS: usize = 1045;

const DIGITS: Values = |_, seed| digits(seed);
/// Of a tiny case.
const TINY_ROWS: usize = 2;

/// Name, rows, columns, values, where.
type Row = (&'static str, usize, usize, Values, On);
const CASES: &[Row] = &[
    ("1 × 1", 1, 1, MODERATE, On::Everywhere),
    ("3 rows of 31, less than a warp", 3, 31, MODERATE, On::Everywhere),
    ("2 rows of 32", 2, 32, LARGE, On::Everywhere),
    ("4 rows of 257, all far below zero", 4, 257, FAR_BELOW_ZERO, On::Everywhere),
    ("3 rows of 513, all equal", 3, 513, EQUAL, On::Everywhere),
    ("3 rows of 999, of every size", 3, 999, EVERY_SIZE, On::Everywhere),
    ("50 rows of 1411, all equal", 50, 1411, EQUAL, On::Everywhere),
    (
        "32 rows of 1045, far below zero but for a peak in each",
        PEAK_ROWS,
        PEAK_COLUMNS,
        PEAKS,
        On::Everywhere,
    ),
    ("2 rows of 4096, aligned", 2, 4096, MODERATE, On::Everywhere),
    ("2 rows of 12 801 (50 KiB)", 2, 12_801, MODERATE, On::Everywhere),
    ("1 row of 15 359 (60 KiB), large magnitudes", 1, 15_359, LARGE, On::Everywhere),
    ("140 rows of 15 001, more elements than 21 bits count", 140, 15_001, WITH_STRAYS, On::Large),
    ("700 rows of 15 001", 700, 15_001, WITH_STRAYS, On::Gpu),
    ("5000 rows of 14 000 (55 KiB), timed", 5000, 14_000, WITH_STRAYS, On::GpuTimed),
    ("70 001 rows of 3", 70_001, 3, WITH_STRAYS, On::Gpu),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, TINY_ROWS, n, DIGITS, On::Everywhere))
}

impl Exercise for DynamicShared {
    fn about(&self) -> About {
        About {
            id: "09-dynamic-shared",
            title: "Dynamic shared memory: softmax of long rows",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/09-dynamic-shared/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/09-dynamic-shared/steps":
                "1-three-passes", "3-warp-partials",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["softmax"],
            stub_fails: &[
                Failure::CORRECT,
                Failure::Goal(Goal::Counter(Counter::SharedStoreWavefronts)),
                Failure::Goal(Goal::Counter(Counter::SharedLoadWavefronts)),
            ],
            constants: &[ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 }],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/softmax.cu"),
                plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE, 0),
            }),
            // Measured on an H200 and an H100: with the row in the pool the kernel is a fifth to a third faster than
            // with three passes over global memory. The step in one pass is no faster than that, so an expert
            // is asked for nothing more.
            speed_goals: SpeedGoals { pass_speedup: Some(1.1), ..SpeedGoals::default() },
            yardstick: Some("3-warp-partials"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("{TINY_ROWS} rows of {n}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        plan(case, seed, block_size, pool_bytes(setting(case).2, block_size))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Denormal | HugeAndTiny | NegativeOnly | EqualNeighbours | Fraction | AllBits
            | Crowded | LargeIndex | OneElement => Declared::Here,
            Infinity | NegativeInfinity | Nan | NegativeNan => {
                Declared::Not("the task promises finite floats")
            }
            LongDimension => {
                Declared::Not("the pool holds no such row; so many rows take a block each, and are a GPU's")
            }
            Ragged => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
            NoElement => Declared::Not("no element takes no block, and a launch has at least one"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, rows, columns, ..) = setting(case);
        // The lanes of the warp in which a row ends have different numbers of elements; a compiler that
        // unrolls the loop may serve them apart, and then a sector of theirs is wanted twice in each round.
        let apart = rows * columns.div_ceil(constants.get(BLOCK_SIZE) as usize);
        let at_most = matrix_sectors(rows, columns, LANES) + apart;
        let read = format!("{} of {}", number_of(rows, "row"), number_of(columns, "float"));
        let are = if rows == 1 { "is" } else { "are" };
        let why = |what: &str| {
            format!(
                "{read} {are} {what} once, {LANES} neighbours at a time; the warp in which a row \
                 ends may need one sector twice in each round"
            )
        };
        let pool = |what: &str| format!("{read} {are} {what} the pool, {LANES} at a time");
        vec![
            Counter::GlobalLoadSectors.at_most(at_most, why("read")),
            Counter::GlobalStoreSectors.at_most(at_most, why("written")),
            Counter::SharedStoreWavefronts.at_least(rows * (columns / LANES), pool("kept in")),
            Counter::SharedLoadWavefronts.at_least(rows * (columns / LANES), pool("read from")),
            Counter::SharedBankConflicts.at_most(
                rows * constants.get(BLOCK_SIZE) as usize / LANES * PAIR_CONFLICTS,
                format!(
                    "neighbouring threads can always work on neighbouring elements and partial results; a warp that reads \
                     all warps' results as pairs of a maximum and a sum may take {PAIR_CONFLICTS}"
                ),
            ),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let columns = setting(case).2;
        let first = asked.index - asked.index % columns;
        let row: Vec<f64> = asked.inputs.values("in", first..first + columns).collect();
        softmax(&row).nth(asked.index - first)
    }
}

/// The pool: the row, rounded up so that doubles may follow, and a double for each thread.
fn pool_bytes(columns: usize, block_size: usize) -> usize {
    (columns * size_of::<f32>()).next_multiple_of(size_of::<f64>()) + block_size * size_of::<f64>()
}

/// The softmax of a row, in double precision.
fn softmax(row: &[f64]) -> impl Iterator<Item = f64> {
    let maximum = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|x| (x - maximum).exp()).sum();
    row.iter().map(move |x| (x - maximum).exp() / sum)
}

/// Roundings, each of relative size 2⁻²⁴ at most, that a result can show: the difference to the maximum is
/// rounded, and as an exponent that counts as often as the difference is large; beyond 104 the result is 0.
/// `expf`, sum and quotient add some. Where a kernel's result is what is right, both may be off.
fn tolerance(kernels: u32) -> Tolerance {
    Tolerance::Close {
        absolute: f64::from(f32::MIN_POSITIVE),
        relative: f64::from(kernels * (104 + 8)) / f64::from(1 << 24),
    }
}

fn plan(case: &Case, seed: u64, block_size: usize, dynamic_shared: usize) -> Plan {
    let (_, rows, columns, values, on) = setting(case);
    let seed = fill::hash(seed, case.index as u64);

    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::F32, &[rows, columns], values(rows * columns, seed));
    let to = plan.buffer("out", Element::F32, &[rows, columns], Fill::Uninitialized);
    let launch = Launch::new("softmax", rows, block_size).dynamic_shared(dynamic_shared);
    plan.launch(launch.buffers([from, to]).ints([columns]));
    let kernels = if on == On::GpuTimed { 2 } else { 1 };
    plan.expect_values(case, to, tolerance(kernels), |inputs| {
        let elements: Vec<f64> = inputs.values("in", 0..rows * columns).collect();
        elements.chunks(columns).flat_map(softmax).collect()
    });
    plan.minimum_bytes = 2 * 4 * (rows * columns) as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pool_fits_the_smallest_gpu_and_some_need_the_opt_in() {
        let largest = |&(_, _, columns, ..): &(&str, usize, usize, Values, On)| pool_bytes(columns, 512);
        let pools: Vec<usize> = CASES.iter().map(largest).collect();
        assert!(pools.iter().all(|&bytes| bytes <= 64 << 10));
        assert!(pools.iter().filter(|&&bytes| bytes > 48 << 10).count() >= 2);
    }

    #[test]
    fn a_row_sums_to_one_and_the_largest_gets_most() {
        let input: Vec<f64> = fill::values(257, 1, -1.0e4, 1.0e4);
        let output: Vec<f64> = softmax(&input).collect();
        assert!((output.iter().sum::<f64>() - 1.0).abs() < 1.0e-9);
        let largest = |values: &[f64]| (0..257).max_by(|&i, &j| values[i].total_cmp(&values[j]));
        assert_eq!(largest(&output), largest(&input));
    }
}
