//! 19-tensor-cores: the product of two matrices of bfloat16 by tensor cores.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply_wmma.cu`: wmma on tiles in shared memory, neither padded nor swizzled |
//! | counters | global sectors of one pass over each block's tiles, and one of c; full wavefronts into the tiles; 1024 multiply-adds per wavefront of shared loads; no bank conflicts |
//! | pass speedup | 2.0 |
//! | expert | speedup 6.0 |
//!
//! Tensor cores cut off where they add, and the judge allows for that (`TENSOR`). Where all numbers are whole and
//! sums have room in a float, there is nothing to cut off: there the sums are exact.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        Permits, SpeedGoals, ValueClass, cancelling_factors, digits, picking_factors, shorter,
    },
    fill,
    plan::{Bytes, Element, Expected, Fill, Launch, Plan, Product, TENSOR, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, matrix_sectors},
};

/// The exercise.
pub static EXERCISE: TensorCores = TensorCores;

/// Multiplies two matrices.
pub struct TensorCores;

const BLOCK_ROWS: &str = "BLOCK_ROWS";
const BLOCK_COLUMNS: &str = "BLOCK_COLUMNS";
const DEPTH: &str = "DEPTH";
const THREADS: &str = "THREADS";
const SHARED_BYTES: &str = "SHARED_BYTES";
/// Rows begin at multiples of 16 bytes: n and k are multiples of so many numbers.
const CHUNK: usize = 8;
/// Numbers in a word.
const PER_WORD: usize = 2;
/// Floats in a sector.
const FLOATS_PER_SECTOR: usize = 8;
/// Bytes of a wavefront.
const WAVEFRONT: usize = 128;
/// Multiply-adds that each wavefront of shared loads must serve. Warps with 32 × 32 sums just do.
const PRODUCTS_PER_WAVEFRONT: usize = 1024;
/// Rounds of zeros that a pipeline may copy where it runs ahead of the last round.
const ROUNDS_AHEAD: usize = 3;
/// What every GPU from compute capability 8.0 on gives a block: 99 KiB.
const MOST_SHARED_BYTES: i64 = 99 << 10;
/// `mma` of bfloat16 needs it.
const CAPABILITY: u32 = 80;

/// How the work is divided: the part of `c` that a block computes, and its threads.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
    threads: usize,
    dynamic_shared: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { rows: 128, columns: 128, threads: 256, dynamic_shared: 0 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape {
            rows: get(BLOCK_ROWS),
            columns: get(BLOCK_COLUMNS),
            threads: get(THREADS),
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
    /// Whole numbers of seven bits: a float has room for every sum, so that all of them are exact.
    Whole,
    /// Whole numbers of which the second half of k takes nearly all back that the first half gave.
    Cancelling,
    /// Nothing but ones.
    Ones,
    /// `a` has nothing but zeros.
    Zeros,
    /// Numbers of one digit.
    Digits,
}

use Factors::{Cancelling, Digits, Ones, Picking, Random, Whole, Zeros};

/// m, n and k of a tiny case: all three differ.
fn tiny_extents(n: usize) -> [usize; 3] {
    let columns = n.next_multiple_of(CHUNK);
    [shorter(n), columns, if columns > CHUNK { columns - CHUNK } else { 2 * CHUNK }]
}

/// Of so many neighbours of `b` one is 0 where a product picks: no divisor of n, so that every column has zeros.
const BETWEEN_ZEROS: usize = 11;

/// Name; m, n and k, for `c` has m rows of n, `a` m rows of k, `b` k rows of n elements; of what;
/// where.
type Row = (&'static str, [usize; 3], Factors, On);
const CASES: &[Row] = &[
    ("1 × 8 times 8 × 8", [1, 8, 8], Random, On::Everywhere),
    ("16 × 16 times 16 × 8, a single mma", [16, 8, 16], Random, On::Everywhere),
    ("37 × 24 times 24 × 40, ones", [37, 40, 24], Ones, On::Everywhere),
    ("20 × 8 times 8 × 48, zeros", [20, 48, 8], Zeros, On::Everywhere),
    ("128 × 64 times 64 × 256, full tiles", [128, 256, 64], Random, On::Everywhere),
    ("129 × 72 times 72 × 136, a little more than tiles hold", [129, 136, 72], Random, On::Everywhere),
    ("200 × 136 times 136 × 264, ragged tiles", [200, 264, 136], Random, On::Everywhere),
    ("96 × 520 times 520 × 80, many rounds", [96, 80, 520], Random, On::Everywhere),
    ("70 × 168 times 168 × 56, whole numbers", [70, 56, 168], Whole, On::Everywhere),
    ("45 × 144 times 144 × 72, sums that cancel", [45, 72, 144], Cancelling, On::Everywhere),
    ("45 × 104 times 104 × 72, single factors, huge and tiny", [45, 72, 104], Picking, On::Everywhere),
    ("5 × 40 times 40 × 24, a single block, single factors", [5, 24, 40], Picking, On::Everywhere),
    ("65 601 × 8 times 8 × 40, more elements than 21 bits count", [65_601, 40, 8], Random, On::Large),
    ("3 × 8 times 8 × 65 608", [3, 65_608, 8], Random, On::Large),
    ("1001 × 520 times 520 × 704", [1001, 704, 520], Random, On::Gpu),
    ("8192 × 8192 times 8192 × 8192, timed", [8192, 8192, 8192], Random, On::GpuTimed),
    ("5 × 0 times 0 × 8, k = 0: c is zeros", [5, 8, 0], Random, On::Everywhere),
    ("2 × 65 608 times 65 608 × 8", [2, 8, 65_608], Random, On::Gpu),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, tiny_extents(n), Digits, On::Everywhere))
}

impl Exercise for TensorCores {
    fn about(&self) -> About {
        About {
            id: "19-tensor-cores",
            title: "Tensor cores: a warp multiplies fragments",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/19-tensor-cores/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/19-tensor-cores/steps":
                "0-wmma", "1-ldmatrix", "3-asynchronous", "4-square-warps", "5-pointers", "6-larger-tile",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["multiply"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_ROWS, at_least: 32, at_most: 256, multiple_of: 32 },
                ConstantBound { name: BLOCK_COLUMNS, at_least: 32, at_most: 256, multiple_of: 32 },
                ConstantBound { name: DEPTH, at_least: 16, at_most: 64, multiple_of: 16 },
                ConstantBound { name: THREADS, at_least: 32, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: SHARED_BYTES, at_least: 0, at_most: MOST_SHARED_BYTES, multiple_of: 1 },
            ],
            // `ldmatrix`, `mma` and asynchronous copies are PTX.
            permits: Permits { inline_ptx: true, ..Permits::default() },
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/multiply_wmma.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H100 at 8192 × 8192 × 8192: swizzled tiles are 3.2 times as fast as wmma's on plain
            // ones, and conflicts cost the rest: without the swizzle it is 0.9.
            speed_goals: SpeedGoals {
                pass_speedup: Some(2.0),
                expert_speedup: Some(6.0),
                ..SpeedGoals::default()
            },
            yardstick: Some("6-larger-tile"),
            minimum_compute_capability: CAPABILITY,
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let [m, n_of_case, k] = tiny_extents(n);
        Ok(like.as_tiny(format!("{m} × {k} times {k} × {n_of_case}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            HugeAndTiny | Fraction | AllBits | LargeIndex | NoElement | Ragged => Declared::Here,
            OneElement => Declared::Not("n and k are multiples of 8, so that 8 elements are the least"),
            LongDimension => Declared::Not(
                "m and n are long somewhere; k is so on a GPU: a large tile over it would take minutes",
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
        let blocks = across * down;
        let per_round = depth * rows * columns / PRODUCTS_PER_WAVEFRONT;
        // Warps read 32 numbers of a row at once, or as many as a tile has.
        let run = depth.min(LANES);
        // Rows of no elements take none.
        let sectors_of_a = if k == 0 { 0 } else { matrix_sectors(m, k / PER_WORD, run / PER_WORD) };
        let sectors_of_b = matrix_sectors(k, n / PER_WORD, LANES / PER_WORD);
        let per_tiles = PER_WORD * depth * (rows + columns) / WAVEFRONT;
        // What passes through shared memory of c, in words by warps.
        let sums = blocks * rows * columns / LANES;
        vec![
            Counter::GlobalLoadSectors.at_most(
                across * (sectors_of_a + m * rounds) + down * (sectors_of_b + k * across),
                format!(
                    "{across} × {down} blocks read their part of a once in runs of {run} numbers, and of b in runs of {LANES}; \
                     one sector more for each row of a tile, where rows of tiles begin inside a sector"
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(0, "each element of c is the work of one warp"),
            Counter::GlobalStoreSectors.at_most(
                m * n / FLOATS_PER_SECTOR,
                format!("{m} × {n} floats, each sector of {FLOATS_PER_SECTOR} at once"),
            ),
            Counter::SharedLoadWavefronts.at_most(
                blocks * rounds * per_round + sums,
                format!(
                    "blocks × rounds × wavefronts: {blocks} × {rounds} × {per_round}, at least {PRODUCTS_PER_WAVEFRONT} \
                     multiply-adds for each, and {sums} for c"
                ),
            ),
            Counter::ExchangeRequests.at_most(
                blocks * rounds * per_round,
                format!(
                    "blocks × rounds × exchanges: {blocks} × {rounds} × {per_round}; an exchange between lanes counts like a \
                     wavefront of reads"
                ),
            ),
            Counter::SharedStoreWavefronts.at_most(
                blocks * (rounds + ROUNDS_AHEAD) * per_tiles + 2 * sums,
                format!(
                    "blocks × rounds × wavefronts: {blocks} × {} × {per_tiles}, {ROUNDS_AHEAD} of these rounds ahead, \
                     {WAVEFRONT} bytes of tiles for each, and {} for c",
                    rounds + ROUNDS_AHEAD,
                    2 * sums
                ),
            ),
            Counter::SharedBankConflicts.at_most(
                sums,
                "rows of tiles that are swizzled or padded to fit go through different banks; where c passes through shared \
                 memory, two lanes may meet in a bank",
            ),
        ]
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, [m, n, k], factors, _) = setting(case);
    let random = |number| Fill::Random { seed: fill::hash(seed, number), low: -1.0, high: 1.0 };
    let listed = |values: Vec<f32>| {
        let bytes = fill::rounded(Element::Bf16, values.len(), &|index| values[index].into());
        Fill::Data(Bytes(bytes.into()))
    };
    let [of_a, of_b] = match factors {
        Random => [random(0), random(1)],
        Digits => [0, 1].map(|number| digits(fill::hash(seed, number))),
        Whole => {
            [0, 1].map(|number| Fill::Whole { seed: fill::hash(seed, number), low: -127.0, high: 127.0 })
        }
        Ones => [m * k, k * n].map(|count| listed(vec![1.0; count])),
        Zeros => [Fill::Zeros, random(1)],
        Picking => {
            let [a, mut b] = picking_factors([m, n, k], seed);
            b.iter_mut().step_by(BETWEEN_ZEROS).for_each(|value| *value = 0.0);
            [a, b].map(listed)
        }
        Cancelling => cancelling_factors([m, n, k], seed).map(listed),
    };

    let mut plan = Plan::new();
    let left = plan.buffer("a", Element::Bf16, &[m, k], of_a);
    let right = plan.buffer("b", Element::Bf16, &[k, n], of_b);
    let to = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    let grid = [n.div_ceil(shape.columns), m.div_ceil(shape.rows)];
    let launch = Launch::new("multiply", grid, shape.threads).dynamic_shared(shape.dynamic_shared);
    plan.launch(launch.buffers([left, right, to]).ints([m, n, k]));
    match factors {
        Whole | Cancelling => plan.expect_each(case, to, Tolerance::Exact, |inputs, index| {
            let (row, column) = (index / n, index % n);
            (0..k).map(|i| inputs.value("a", row * k + i) * inputs.value("b", i * n + column)).sum()
        }),
        _ => {
            let product = Product { a: left, b: right, extents: [m, n, k], unit: TENSOR };
            plan.expect_that(to, Expected::Product(product));
        }
    }
    plan.minimum_bytes = (PER_WORD * (m * k + k * n) + 4 * m * n) as u64;
    plan.is_compute_bound = true;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_at_multiples_of_16_bytes_and_matrices_have_the_size_that_is_said() {
        for (name, [m, n, k], ..) in CASES {
            assert!(n.is_multiple_of(CHUNK) && k.is_multiple_of(CHUNK), "{name}");
            assert!([m * k, k * n, m * n].into_iter().all(|elements| elements <= 1 << 30), "{name}");
        }
        for n in 1..=32 {
            let [m, n, k] = tiny_extents(n);
            assert!(n.is_multiple_of(CHUNK) && k.is_multiple_of(CHUNK), "{n} {k}");
            assert!(m != n && n != k, "{m} {n} {k}");
        }
    }

    #[test]
    fn exact_sums_have_room_in_a_float_and_those_that_cancel_do() {
        for &(name, [m, n, k], factors, _) in CASES {
            let largest = match factors {
                Whole => 127 * 127 * k,
                Cancelling => 127 * 127 * k / 2,
                _ => continue,
            };
            assert!(largest < 1 << 24, "{name}");
            if factors == Cancelling {
                let [a, b] = cancelling_factors([m, n, k], 1);
                let whole = a.iter().chain(&b).all(|value| value.fract() == 0.0 && value.abs() <= 256.0);
                assert!(whole, "a bfloat16 has eight bits");
                let sum = |from: usize, to: usize| -> f32 { (from..to).map(|i| a[i] * b[i * n]).sum() };
                assert!(sum(0, k / 2) > 200_000.0 && sum(0, k).abs() < 20_000.0);
            }
        }
    }

    #[test]
    fn rows_of_tiles_pay_for_the_sectors_that_they_touch() {
        // Rows of 32 numbers, 16 words, from a sector's edge: 2 sectors; from its middle: 3.
        assert_eq!(matrix_sectors(1, 16, 16), 2);
        assert_eq!(matrix_sectors(2, 20, 16), (2 + 1) + (3 + 1));
    }
}
