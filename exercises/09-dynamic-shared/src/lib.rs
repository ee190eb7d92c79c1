//! 09-dynamic-shared: the softmax of every row, the row and a double for each thread in one pool of shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/softmax.cu`: three passes over global memory, one for each of maximum, sum, quotient |
//! | counters | every row's global sectors once in and once out; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! The pool is what the rows need, at most 64 KiB, which every GPU from compute capability 7.5 on gives by opt-in.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};
use rayon::prelude::*;

/// The exercise.
pub static EXERCISE: DynamicShared = DynamicShared;

/// Computes the softmax of rows.
pub struct DynamicShared;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 512;
const LANES: usize = 32;
const FLOATS_PER_SECTOR: usize = 8;

/// What the elements are.
#[derive(Clone, Copy)]
enum Values {
    /// From −10 to 10.
    Moderate,
    /// From −10 000 to 10 000: one or two elements of a row get everything.
    Large,
    /// About −10 000, all within 20 of each other.
    FarBelowZero,
    /// All the same.
    Equal,
}

use Values::{Equal, FarBelowZero, Large, Moderate};

/// Name, rows, columns, values, where.
const CASES: &[(&str, usize, usize, Values, On)] = &[
    ("1 × 1", 1, 1, Moderate, On::Everywhere),
    ("3 rows of 31, less than a warp", 3, 31, Moderate, On::Everywhere),
    ("2 rows of 32", 2, 32, Large, On::Everywhere),
    ("4 rows of 257, all far below zero", 4, 257, FarBelowZero, On::Everywhere),
    ("3 rows of 513, all equal", 3, 513, Equal, On::Everywhere),
    ("3 rows of 1001, large magnitudes", 3, 1001, Large, On::Everywhere),
    ("2 rows of 4096, aligned", 2, 4096, Moderate, On::Everywhere),
    ("2 rows of 12 801 (50 KiB)", 2, 12_801, Moderate, On::Everywhere),
    ("1 row of 15 359 (60 KiB), large magnitudes", 1, 15_359, Large, On::Everywhere),
    ("700 rows of 15 001", 700, 15_001, Moderate, On::Gpu),
    ("5000 rows of 14 000 (55 KiB), timed", 5000, 14_000, Moderate, On::GpuTimed),
];

impl Exercise for DynamicShared {
    fn id(&self) -> &'static str {
        "09-dynamic-shared"
    }
    fn title(&self) -> &'static str {
        "Dynamic shared memory: softmax of long rows"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["softmax"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 }]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, .., on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        plan(case, seed, block_size, pool_bytes(CASES[case.index].2, block_size))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, rows, columns, ..) = CASES[case.index];
        // The lanes of the warp in which a row ends have different numbers of elements; a compiler that unrolls the loop may
        // serve them apart, and then a sector of theirs is wanted twice in each round.
        let apart = rows * columns.div_ceil(constants.get(BLOCK_SIZE) as usize);
        let at_most = (row_sectors(rows, columns) + apart) as u64;
        let why = |what: &str| {
            format!(
                "{rows} rows of {columns} floats, {what} once, 32 neighbours at a time, and one sector twice in each \
                 round of the warp in which a row ends"
            )
        };
        let bound = |counter, at_most, why| CounterBound { counter, at_least: 0, at_most, why };
        vec![
            bound(Counter::GlobalLoadSectors, at_most, why("read")),
            bound(Counter::GlobalStoreSectors, at_most, why("written")),
            bound(
                Counter::SharedBankConflicts,
                0,
                "neighbouring threads can always work on neighbouring elements and partial results"
                    .to_owned(),
            ),
        ]
    }
    fn recompute(
        &self,
        case: &Case,
        _: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let columns = CASES[case.index].2;
        let first = index - index % columns;
        let row = || inputs.values("in", first..first + columns);
        let maximum = row().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row().map(|x| (x - maximum).exp()).sum();
        Some((inputs.value("in", index) - maximum).exp() / sum)
    }
    /// Measured on an H200: with the row in the pool the kernel is 1.22 times as fast as with three passes over global memory.
    /// The step in one pass reaches 88 % of a copy's speed, the library's softmax of such rows 68 %.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(1.1), expert_roof_share: Some(0.83), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/softmax.cu"),
            plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE, 0),
        })
    }
}

/// The pool: the row, rounded up so that doubles may follow, and a double for each thread.
fn pool_bytes(columns: usize, block_size: usize) -> usize {
    (columns * size_of::<f32>()).next_multiple_of(size_of::<f64>()) + block_size * size_of::<f64>()
}

/// Sectors of all rows, read or written once by warps that take 32 neighbours from the row's start on.
fn row_sectors(rows: usize, columns: usize) -> usize {
    let run = |first: usize, last: usize| last / FLOATS_PER_SECTOR - first / FLOATS_PER_SECTOR + 1;
    let row = |row: usize| -> usize {
        (0..columns)
            .step_by(LANES)
            .map(|from| run(row * columns + from, row * columns + (from + LANES).min(columns) - 1))
            .sum()
    };
    (0..rows).map(row).sum()
}

/// Least and greatest element.
fn range(values: Values) -> (f64, f64) {
    match values {
        Moderate => (-10.0, 10.0),
        Large => (-10_000.0, 10_000.0),
        FarBelowZero => (-10_010.0, -9_990.0),
        Equal => (-3.0e38, -3.0e38),
    }
}

/// The softmax of every row, in double precision.
fn softmax(input: &[f32], columns: usize) -> Vec<f32> {
    let mut output = vec![0.0; input.len()];
    output.par_chunks_mut(columns).zip(input.par_chunks(columns)).for_each(|(output, row)| {
        let maximum = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let power = |x: f32| (f64::from(x) - maximum).exp();
        let sum: f64 = row.iter().map(|&x| power(x)).sum();
        for (output, &x) in output.iter_mut().zip(row) {
            *output = (power(x) / sum) as f32;
        }
    });
    output
}

/// Roundings, each of relative size 2⁻²⁴ at most, that a result can show: the difference to the maximum is rounded, and as
/// an exponent that counts as often as the difference is large; beyond 104 the result is 0. `expf`, sum and quotient add some.
/// Where a kernel's result is what is right, both may be off.
fn tolerance(kernels: u32) -> Tolerance {
    Tolerance::Close {
        absolute: f64::from(f32::MIN_POSITIVE),
        relative: f64::from(kernels * (104 + 8)) / f64::from(1 << 24),
    }
}

fn plan(case: &Case, seed: u64, block_size: usize, dynamic_shared: usize) -> Plan {
    let (_, rows, columns, values, on) = CASES[case.index];
    let (low, high) = range(values);
    let seed = fill::hash(seed, case.index as u64);

    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::F32, &[rows, columns], Fill::Random { seed, low, high });
    let to = plan.buffer("out", Element::F32, &[rows, columns], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "softmax".to_owned(),
        grid: [rows as u32, 1, 1],
        block: [block_size as u32, 1, 1],
        dynamic_shared: dynamic_shared as u32,
        arguments: vec![Argument::buffer(from), Argument::buffer(to), Argument::scalar(columns as i32)],
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(to, tolerance(2));
    } else {
        let input = fill::values(rows * columns, seed, low, high);
        plan.expect(to, Bytes::of(&softmax(&input, columns)), tolerance(1));
    }
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
        let (low, high) = range(Large);
        let input = fill::values(2 * 257, 1, low, high);
        let output = softmax(&input, 257);
        for (output, input) in output.chunks(257).zip(input.chunks(257)) {
            assert!((output.iter().sum::<f32>() - 1.0).abs() < 1.0e-5);
            let largest = |values: &[f32]| (0..257).max_by(|&i, &j| values[i].total_cmp(&values[j]));
            assert_eq!(largest(output), largest(input));
        }
    }

    #[test]
    fn rows_that_begin_inside_a_sector_cost_one_more() {
        assert_eq!(row_sectors(1, 64), 8);
        // The second row begins at element 33: 33–64 touch five sectors, 65 one.
        assert_eq!(row_sectors(2, 33), 4 + 1 + 5 + 1);
    }
}
