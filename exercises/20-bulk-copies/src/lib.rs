//! 20-bulk-copies: the product of two matrices of bfloat16, whose tiles come by bulk copies.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply_asynchronous.cu`: 19's ring of stages, which every thread fills by `cp.async` |
//! | counters | bytes of bulk copies of one pass over each tile's boxes, no other global loads; c's sectors once; 1024 multiply-adds per wavefront of shared loads; no bank conflicts; no block-wide barrier in the loop |
//! | pass speedup | 1.1 |
//! | expert | speedup 1.8 |
//!
//! Kernels get tensor maps and no pointers to the factors, so that copies are the only way to them. The target is `sm_90a`,
//! because the last steps multiply by `wgmma`, which only GPUs of capability 9.0 have.
//!
//! Tensor cores cut off where they add, and the judge allows for that (`TENSOR`). Where all numbers are whole and
//! sums have room in a float, there is nothing to cut off: there the sums are exact.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        Permits, SpeedGoals, ValueClass, cancelling_factors, digits, picking_factors, shorter,
    },
    fill,
    plan::{
        Argument, BufferId, Bytes, Element, Expected, Fill, Launch, Plan, Product, TENSOR, TensorTile,
        Tolerance,
    },
    published_steps,
    report::Failure,
    traffic::LANES,
};

/// The exercise.
pub static EXERCISE: BulkCopies = BulkCopies;

/// Multiplies two matrices.
pub struct BulkCopies;

const BLOCK_ROWS: &str = "BLOCK_ROWS";
const BLOCK_COLUMNS: &str = "BLOCK_COLUMNS";
const THREADS: &str = "THREADS";
const SHARED_BYTES: &str = "SHARED_BYTES";
const BLOCKS: &str = "BLOCKS";
/// Rows begin at multiples of 16 bytes: n and k are multiples of so many numbers.
const CHUNK: usize = 8;
/// Numbers in a row of a box: 128 bytes, the span of the swizzle. A round takes so many steps along k.
const DEPTH: usize = 64;
/// Bytes of a number.
const BYTES: usize = 2;
/// Floats in a sector.
const FLOATS_PER_SECTOR: usize = 8;
/// Multiply-adds that each wavefront of shared loads must serve. Warps with 32 × 32 sums just do.
const PRODUCTS_PER_WAVEFRONT: usize = 1024;
/// `__syncthreads()` that a tile may take: one that shows barriers, and some where c passes through shared memory.
const BARRIERS_PER_TILE: usize = 4;
/// What a GPU of capability 9.0 gives a block, 227 KiB, but for a KiB of barriers and alignment.
const MOST_SHARED_BYTES: i64 = 226 << 10;
/// Tensor maps and barriers that count bytes need it; `wgmma` has no other.
const CAPABILITY: u32 = 90;

/// How the work is divided: the tile of `c` that is computed at once, blocks and their threads.
#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
    threads: usize,
    dynamic_shared: usize,
    most_blocks: usize,
}

/// The baseline's own choice.
const BASELINE: Shape =
    Shape { rows: 128, columns: 128, threads: 256, dynamic_shared: 98_304, most_blocks: 0 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape {
            rows: get(BLOCK_ROWS),
            columns: get(BLOCK_COLUMNS),
            threads: get(THREADS),
            dynamic_shared: get(SHARED_BYTES),
            most_blocks: get(BLOCKS),
        }
    }
    /// Tiles of a product, and the blocks that share them. Small products have too few tiles for all blocks: there each
    /// block gets two, so that the simulator sees what follows a block's first tile.
    fn tiles_and_blocks(self, m: usize, n: usize) -> (usize, usize) {
        let tiles = m.div_ceil(self.rows) * n.div_ceil(self.columns);
        match self.most_blocks {
            0 => (tiles, tiles),
            most => (tiles, tiles.div_ceil(2).min(most)),
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
    ("1 × 8 times 8 × 8, a single stage", [1, 8, 8], Random, On::Everywhere),
    ("16 × 16 times 16 × 8, a single mma", [16, 8, 16], Random, On::Everywhere),
    ("37 × 24 times 24 × 40, ones", [37, 40, 24], Ones, On::Everywhere),
    ("20 × 8 times 8 × 48, zeros", [20, 48, 8], Zeros, On::Everywhere),
    ("128 × 64 times 64 × 256, full tiles", [128, 256, 64], Random, On::Everywhere),
    ("129 × 72 times 72 × 136, a little more than tiles hold", [129, 136, 72], Random, On::Everywhere),
    ("200 × 136 times 136 × 264, ragged tiles", [200, 264, 136], Random, On::Everywhere),
    ("136 × 520 times 520 × 80, two blocks and a last partial stage", [136, 80, 520], Random, On::Everywhere),
    ("40 × 704 times 704 × 72, several turns of the ring", [40, 72, 704], Random, On::Everywhere),
    ("70 × 168 times 168 × 56, whole numbers", [70, 56, 168], Whole, On::Everywhere),
    ("45 × 144 times 144 × 72, sums that cancel", [45, 72, 144], Cancelling, On::Everywhere),
    ("45 × 104 times 104 × 72, single factors, huge and tiny", [45, 72, 104], Picking, On::Everywhere),
    ("5 × 40 times 40 × 24, a single block, single factors", [5, 24, 40], Picking, On::Everywhere),
    ("65 601 × 8 times 8 × 40, more elements than 21 bits count", [65_601, 40, 8], Random, On::Large),
    ("3 × 8 times 8 × 65 608", [3, 65_608, 8], Random, On::Large),
    ("2200 × 8 times 8 × 520, many rows and columns of tiles", [2200, 520, 8], Random, On::Large),
    ("1001 × 520 times 520 × 704", [1001, 704, 520], Random, On::Gpu),
    ("8192 × 8192 times 8192 × 8192, timed", [8192, 8192, 8192], Random, On::GpuTimed),
    ("5 × 0 times 0 × 8, k = 0: c is zeros", [5, 8, 0], Random, On::Everywhere),
    ("2 × 65 608 times 65 608 × 8", [2, 8, 65_608], Random, On::Gpu),
    (
        "1 × 8 times 8 × 6 300 000, more columns of tiles than 15 bits count",
        [1, 6_300_000, 8],
        Random,
        On::Gpu,
    ),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, tiny_extents(n), Digits, On::Everywhere))
}

impl Exercise for BulkCopies {
    fn about(&self) -> About {
        About {
            id: "20-bulk-copies",
            title: "Bulk copies: producer and consumer warps",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/20-bulk-copies/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/20-bulk-copies/steps":
                "1-one-stage", "3-wgmma", "4-order", "5-persistent",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["multiply"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_ROWS, at_least: 64, at_most: 256, multiple_of: 64 },
                ConstantBound { name: BLOCK_COLUMNS, at_least: 64, at_most: 256, multiple_of: 64 },
                ConstantBound { name: THREADS, at_least: 64, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: SHARED_BYTES, at_least: 0, at_most: MOST_SHARED_BYTES, multiple_of: 1 },
                ConstantBound { name: BLOCKS, at_least: 0, at_most: 1024, multiple_of: 1 },
            ],
            // Barriers, copies and products are PTX.
            permits: Permits { inline_ptx: true, ..Permits::default() },
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/multiply_asynchronous.cu"),
                plan: |case, seed| plan_of_baseline(case, seed),
            }),
            // Timed at 8192 × 8192 × 8192 against the baseline on an H100 and an H200: the ring with mma 1.4 and 1.5, wgmma
            // 1.4 and 2.3, its blocks in order 2.3 and 2.4, persistent 2.4 on both.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.1),
                expert_speedup: Some(1.8),
                ..SpeedGoals::default()
            },
            yardstick: Some("5-persistent"),
            minimum_compute_capability: CAPABILITY,
            is_specific: true,
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
            HugeAndTiny | Fraction | AllBits | LargeIndex | Ragged => Declared::Here,
            NoElement => {
                Declared::Not("no tensor map has rows of no numbers: where k = 0, the maps are of more")
            }
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
        let shape = Shape::of(constants);
        let Shape { rows, columns, threads, .. } = shape;
        let (tiles, _) = shape.tiles_and_blocks(m, n);
        let rounds = k.div_ceil(DEPTH);
        let boxes = BYTES * DEPTH * (rows + columns);
        let per_round = DEPTH * rows * columns / PRODUCTS_PER_WAVEFRONT;
        let warps = threads / LANES;
        // What passes through shared memory of c, in words by warps.
        let sums = tiles * rows * columns / LANES;
        vec![
            Counter::BulkLoadBytes.at_most(
                tiles * rounds * boxes,
                format!(
                    "tiles × rounds × bytes: {tiles} × {rounds} × {boxes}, {rows} rows of a and {columns} columns of b, \
                     {DEPTH} of k at once, {BYTES} bytes each"
                ),
            ),
            Counter::GlobalLoadRequests.at_most(0, "only copies read global memory"),
            Counter::GlobalAtomicRequests.at_most(0, "each element of c is the work of one warp"),
            Counter::GlobalStoreSectors.at_most(
                m * n / FLOATS_PER_SECTOR,
                format!("{m} × {n} floats, each sector of {FLOATS_PER_SECTOR} at once"),
            ),
            Counter::Barriers.at_most(
                tiles * BARRIERS_PER_TILE * warps,
                format!(
                    "tiles × barriers × warps: {tiles} × {BARRIERS_PER_TILE} × {warps}; where a stage passes from one warp to \
                     another, its own two barriers order them"
                ),
            ),
            Counter::SharedLoadWavefronts.at_most(
                tiles * rounds * per_round + sums,
                format!(
                    "tiles × rounds × wavefronts: {tiles} × {rounds} × {per_round}, at least {PRODUCTS_PER_WAVEFRONT} \
                     multiply-adds for each, and {sums} for c"
                ),
            ),
            Counter::ExchangeRequests.at_most(
                tiles * (rounds * per_round + warps),
                format!(
                    "tiles × rounds × exchanges: {tiles} × {rounds} × {per_round}, and one more for each of {warps} warps in \
                     each tile; an exchange between lanes counts like a wavefront of reads"
                ),
            ),
            Counter::SharedStoreWavefronts.at_most(2 * sums, format!("{} for c, and no tile", 2 * sums)),
            Counter::SharedBankConflicts.at_most(
                sums,
                "chunks are read where the swizzle has put them; where c passes through shared memory, two lanes may meet in a bank",
            ),
        ]
    }
}

/// Buffers, what they hold, and what is to come out.
fn data(case: &Case, seed: u64) -> (Plan, [BufferId; 3]) {
    let (_, [m, n, k], factors, _) = setting(case);
    // No map has rows of no numbers.
    let depth = k.max(CHUNK);
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
        Ones => [m * depth, depth * n].map(|count| listed(vec![1.0; count])),
        Zeros => [Fill::Zeros, random(1)],
        Picking => {
            let [a, mut b] = picking_factors([m, n, k], seed);
            b.iter_mut().step_by(BETWEEN_ZEROS).for_each(|value| *value = 0.0);
            [a, b].map(listed)
        }
        Cancelling => cancelling_factors([m, n, k], seed).map(listed),
    };

    let mut plan = Plan::new();
    let left = plan.buffer("map_a", Element::Bf16, &[m, depth], of_a);
    let right = plan.buffer("map_b", Element::Bf16, &[depth, n], of_b);
    let to = plan.buffer("c", Element::F32, &[m, n], Fill::Uninitialized);
    plan.minimum_bytes = (BYTES * (m * k + k * n) + 4 * m * n) as u64;
    plan.is_compute_bound = true;
    (plan, [left, right, to])
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let [m, n, k] = setting(case).1;
    let (mut plan, [left, right, to]) = data(case, seed);
    let (_, blocks) = shape.tiles_and_blocks(m, n);
    let map = |buffer, rows: usize| Argument::TensorMap {
        buffer,
        tile: TensorTile {
            extents: vec![rows as u32, DEPTH as u32],
            dims: None,
            steps: None,
            swizzle: (BYTES * DEPTH) as u32,
            nan: false,
        },
    };
    let launch = Launch::new("multiply", blocks, shape.threads).dynamic_shared(shape.dynamic_shared);
    let launch = launch.argument(map(left, shape.rows)).argument(map(right, DEPTH));
    plan.launch(launch.buffers([to]).ints([m, n, k]));
    expect(&mut plan, case, [left, right, to]);
    plan
}

/// The same product by a kernel that takes pointers.
fn plan_of_baseline(case: &Case, seed: u64) -> Plan {
    let [m, n, k] = setting(case).1;
    let (mut plan, buffers) = data(case, seed);
    let Shape { rows, columns, threads, dynamic_shared, .. } = BASELINE;
    let grid = [n.div_ceil(columns), m.div_ceil(rows)];
    let launch = Launch::new("multiply", grid, threads).dynamic_shared(dynamic_shared);
    plan.launch(launch.buffers(buffers).ints([m, n, k]));
    expect(&mut plan, case, buffers);
    plan
}

fn expect(plan: &mut Plan, case: &Case, [left, right, to]: [BufferId; 3]) {
    let (_, [m, n, k], factors, _) = setting(case);
    match factors {
        Whole | Cancelling => plan.expect_each(case, to, Tolerance::Exact, |inputs, index| {
            let (row, column) = (index / n, index % n);
            (0..k).map(|i| inputs.value("map_a", row * k + i) * inputs.value("map_b", i * n + column)).sum()
        }),
        _ if k == 0 => plan.expect_each(case, to, Tolerance::Exact, |_, _| 0.0),
        _ => {
            let product = Product { a: left, b: right, extents: [m, n, k], unit: TENSOR };
            plan.expect_that(to, Expected::Product(product));
        }
    }
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
}
