//! 16-double-buffering: the tiled matrix product, loading the next tile while it multiplies this one; in two
//! steps.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/multiply_tiled.cu`: the tiled kernel of 08-matmul, 32 × 32, two barriers per tile |
//! | counters | one barrier per tile and one more; global sectors of one pass over each block's tiles; no bank conflicts |
//! | pass speedup, expert | none: on an H200 other blocks hide the latency already; the measured gain is a few percent, or a loss |
//!
//! The second step's cases need compute capability 8.0, and are unmeasured below. Elements are random; the
//! judge verifies a product with the error bound of any order of summation, so nothing is listed here.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        Permits, ValueClass, digits, picking_factors, shorter,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan},
    published_steps,
    report::{Failure, Goal, number_of},
    traffic::{LANES, WORDS_PER_SECTOR, matrix_sectors, most_sectors},
};

/// The exercise.
pub static EXERCISE: DoubleBuffering = DoubleBuffering;

/// Multiplies two matrices, twice.
pub struct DoubleBuffering;

const TILE: &str = "TILE";
/// The baseline's own choice.
const BASELINE_TILE: usize = 32;
/// Asynchronous copies need it.
const CAPABILITY_OF_STEP_2: u32 = 80;

/// The kernels.
const STEP_1: &str = "multiply";
const STEP_2: &str = "multiply_async";

/// Words of the largest copy, and of a line of the cache.
const WORDS: usize = 4;
const WORDS_PER_LINE: usize = 32;

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

/// As many stages of two tiles of 32 × 32 floats, and no more, fit into a block's 48 KiB of static shared memory.
const MOST_STAGES: usize = 6;

/// Name; kernel; m, n and k, for `c` has m rows of n, `a` m rows of k, `b` k rows of n elements; of what; where. 65,
/// 100 and 140 are three tiles of 32 with a tail, four and five; 96 is exactly three. A row of whole vectors has a multiple of 4
/// floats: a kernel may copy 16 bytes at a time there, and has its own guards for that.
type Row = (&'static str, &'static str, [usize; 3], Factors, On);
const CASES: &[Row] = &[
    ("1: 1 × 1 times 1 × 1", STEP_1, [1, 1, 1], Random, On::Everywhere),
    ("1: 37 × 1 times 1 × 45, k = 1", STEP_1, [37, 45, 1], Random, On::Everywhere),
    ("1: 20 × 3 times 3 × 43, k less than a tile", STEP_1, [20, 43, 3], Random, On::Everywhere),
    ("1: 32 × 96 times 96 × 64, an odd number of full tiles", STEP_1, [32, 64, 96], Random, On::Everywhere),
    ("1: 33 × 65 times 65 × 17, one more than full tiles", STEP_1, [33, 17, 65], Random, On::Everywhere),
    ("1: 45 × 140 times 140 × 70", STEP_1, [45, 70, 140], Random, On::Everywhere),
    (
        "1: 45 × 100 times 100 × 70, single factors, huge and tiny",
        STEP_1,
        [45, 70, 100],
        Picking,
        On::Everywhere,
    ),
    ("2: 1 × 1 times 1 × 1", STEP_2, [1, 1, 1], Random, On::Everywhere),
    ("2: 37 × 1 times 1 × 45, k = 1", STEP_2, [37, 45, 1], Random, On::Everywhere),
    ("2: 20 × 3 times 3 × 43, k less than a tile", STEP_2, [20, 43, 3], Random, On::Everywhere),
    ("2: 32 × 96 times 96 × 64, an odd number of full tiles", STEP_2, [32, 64, 96], Random, On::Everywhere),
    ("2: 33 × 65 times 65 × 17, one more than full tiles", STEP_2, [33, 17, 65], Random, On::Everywhere),
    ("2: 45 × 140 times 140 × 70", STEP_2, [45, 70, 140], Random, On::Everywhere),
    (
        "2: 45 × 100 times 100 × 70, single factors, huge and tiny",
        STEP_2,
        [45, 70, 100],
        Picking,
        On::Everywhere,
    ),
    ("1: 1001 × 517 times 517 × 703", STEP_1, [1001, 703, 517], Random, On::Gpu),
    ("2: 1001 × 517 times 517 × 703", STEP_2, [1001, 703, 517], Random, On::Gpu),
    ("1: 2048 × 2048 times 2048 × 2048, timed", STEP_1, [2048, 2048, 2048], Random, On::GpuTimed),
    ("2: 2048 × 2048 times 2048 × 2048, timed", STEP_2, [2048, 2048, 2048], Random, On::GpuTimed),
    ("1: 5 × 0 times 0 × 7, k = 0: c is zeros", STEP_1, [5, 7, 0], Random, On::Everywhere),
    ("2: 5 × 0 times 0 × 7, k = 0: c is zeros", STEP_2, [5, 7, 0], Random, On::Everywhere),
    (
        "1: 65 601 × 1 times 1 × 32, more elements than 21 bits count",
        STEP_1,
        [65_601, 32, 1],
        Random,
        On::Large,
    ),
    (
        "2: 65 601 × 1 times 1 × 32, more elements than 21 bits count",
        STEP_2,
        [65_601, 32, 1],
        Random,
        On::Large,
    ),
    ("1: 2 × 65 601 times 65 601 × 3", STEP_1, [2, 3, 65_601], Random, On::Gpu),
    ("2: 2 × 65 601 times 65 601 × 3", STEP_2, [2, 3, 65_601], Random, On::Gpu),
    ("1: 3 × 1 times 1 × 65 601", STEP_1, [3, 65_601, 1], Random, On::Gpu),
    ("2: 3 × 1 times 1 × 65 601", STEP_2, [3, 65_601, 1], Random, On::Gpu),
    ("1: 45 × 44 times 44 × 36, rows of whole vectors", STEP_1, [45, 36, 44], Random, On::Everywhere),
    (
        "1: 9 × 12 times 12 × 20, rows of whole vectors, one block",
        STEP_1,
        [9, 20, 12],
        Random,
        On::Everywhere,
    ),
    (
        "1: 36 × 45 times 45 × 44, only b has rows of whole vectors",
        STEP_1,
        [36, 44, 45],
        Random,
        On::Everywhere,
    ),
    (
        "1: 36 × 44 times 44 × 45, only a has rows of whole vectors",
        STEP_1,
        [36, 45, 44],
        Random,
        On::Everywhere,
    ),
    ("2: 45 × 44 times 44 × 36, rows of whole vectors", STEP_2, [45, 36, 44], Random, On::Everywhere),
    (
        "2: 9 × 12 times 12 × 20, rows of whole vectors, one block",
        STEP_2,
        [9, 20, 12],
        Random,
        On::Everywhere,
    ),
    (
        "2: 36 × 45 times 45 × 44, only b has rows of whole vectors",
        STEP_2,
        [36, 44, 45],
        Random,
        On::Everywhere,
    ),
    (
        "2: 36 × 44 times 44 × 45, only a has rows of whole vectors",
        STEP_2,
        [36, 45, 44],
        Random,
        On::Everywhere,
    ),
    (
        "1: 32 × 416 times 416 × 32, more full tiles than stages",
        STEP_1,
        [32, 32, 416],
        Random,
        On::Everywhere,
    ),
    (
        "2: 32 × 416 times 416 × 32, more full tiles than stages",
        STEP_2,
        [32, 32, 416],
        Random,
        On::Everywhere,
    ),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, kernel, ..), n| (name, kernel, tiny_extents(n), Digits, On::Everywhere))
}

impl Exercise for DoubleBuffering {
    fn about(&self) -> About {
        About {
            id: "16-double-buffering",
            title: "Double buffering: load while you multiply",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/16-double-buffering/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/16-double-buffering/steps":
                "0-naive", "1-two-barriers", "3-four-stages", "4-sixteen-bytes",
            ),
            hints: include_str!("../hints.md"),
            kernels: &[STEP_1, STEP_2],
            stub_fails: &[
                Failure::CORRECT,
                Failure::Goal(Goal::Counter(Counter::SharedLoadRequestsDuringCopies)),
            ],
            constants: &[ConstantBound { name: TILE, at_least: 8, at_most: 32, multiple_of: 8 }],
            // The second step's copies are given as PTX.
            permits: Permits { inline_ptx: true, ..Permits::default() },
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/multiply_tiled.cu"),
                plan: |case, seed| plan(case, seed, STEP_1, BASELINE_TILE),
            }),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let [m, n, k] = tiny_extents(n);
        Ok(like.as_tiny(
            format!("{}: {m} × {k} times {k} × {n}", if setting(like).1 == STEP_1 { 1 } else { 2 }),
            n,
        ))
    }
    fn case_compute_capability(&self, case: &Case) -> u32 {
        match setting(case).1 {
            STEP_2 => CAPABILITY_OF_STEP_2,
            _ => self.about().minimum_compute_capability,
        }
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, setting(case).1, constants.get(TILE) as usize)
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            HugeAndTiny | Fraction | AllBits | LargeIndex | OneElement | NoElement | Ragged => Declared::Here,
            Infinity | NegativeInfinity | Nan | NegativeNan => {
                Declared::Not("the bound of a product's errors is for finite numbers")
            }
            NegativeZero | Denormal | NegativeOnly | EqualNeighbours | Crowded => {
                Declared::Not("sums of products do not depend on it beyond what random numbers show")
            }
            LongDimension => Declared::Not(
                "m is long; n and k are so on a GPU and in 08: tiles of 32 × 32 would take more than all other cases",
            ),
            Least | Greatest => Declared::Not("floats have infinities instead"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let [m, n, k] = setting(case).2;
        let tile = constants.get(TILE) as usize;
        let (across, down, rounds) = (n.div_ceil(tile), m.div_ceil(tile), k.div_ceil(tile));
        let warps = (tile * tile).div_ceil(LANES);
        let runs = rounds * 2 * tile;
        let tiles = number_of(rounds, "tile");
        let seams = match setting(case).1 {
            STEP_2 if k.is_multiple_of(WORDS) && n.is_multiple_of(WORDS) => {
                across * seams(m, k, tile) + down * seams(k, n, tile)
            }
            _ => 0,
        };
        let vectors = match seams {
            0 => String::new(),
            seams => format!("; {seams} more where copies of {WORDS} words cross a line of the cache"),
        };
        let mut bounds = vec![
            Counter::Barriers.at_most(
                across * down * warps * (rounds + 1),
                format!("blocks × warps × tiles and one more: {across} × {down} × {warps} × {}", rounds + 1),
            ),
            Counter::GlobalLoadSectors.at_most(
                across * run_sectors(m, k, tile) + down * run_sectors(k, n, tile) + seams,
                format!(
                    "{across} × {down} blocks read {tiles} each of a and b, in runs of at most {tile} words along the \
                     rows{vectors}"
                ),
            ),
            Counter::BusiestBlockLoadSectors.at_most(
                most_sectors(runs * tile, runs * if LANES.is_multiple_of(tile) { 1 } else { 2 }),
                format!(
                    "a block reads {tiles} each of a and b, {runs} runs of {tile} words, which may begin and end \
                     inside a sector"
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(0, "each element of c is the work of one thread"),
        ];
        if setting(case).1 == STEP_2 && rounds > 1 {
            // Two reads for each multiply-add, or a quarter of that where they are vectors.
            bounds.push(Counter::SharedLoadRequestsDuringCopies.at_least(
                across * down * warps * (rounds - 1) * tile / 2,
                format!(
                    "{across} × {down} blocks × {warps} warps × {}, each multiplied while the next tile's copies are \
                     under way, with at least {tile} / 2 reads",
                    number_of(rounds - 1, "tile")
                ),
            ));
        }
        // Copies that bring nothing would be under way, too. Where a tile is not full, its zeros may be stores of their own.
        let are_full = [m, n, k].iter().all(|extent| extent.is_multiple_of(tile));
        if setting(case).1 == STEP_2 && rounds > 1 && are_full {
            bounds.push(Counter::SharedStoreRequests.at_most(
                across * down * warps * 2 * (rounds + MOST_STAGES),
                format!(
                    "{across} × {down} blocks × {warps} warps × 2 × {}: each tile is copied once, a word for each thread; beyond                      the last tile a ring of stages may go on with empty ones",
                    rounds + MOST_STAGES
                ),
            ));
        }
        // An asynchronous copy takes turns at the banks for what it reads of global memory, too: none for a run
        // of 32 words, some where a warp copies several shorter ones.
        if setting(case).1 == STEP_1 || tile == LANES {
            bounds.push(Counter::SharedBankConflicts.at_most(
                0,
                "a warp reads neighbours of a row of b, and one word of each row of a that it works on; copies count, too",
            ));
        }
        bounds
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

/// Sectors that copies of 16 bytes, past L1, take beyond [`run_sectors`]: two such copies fill 32 bytes of shared memory, and count
/// as two sectors where a line of the cache ends between them.
fn seams(rows: usize, columns: usize, tile: usize) -> usize {
    let runs = (0..rows).flat_map(|row| (0..columns).step_by(tile).map(move |first| (row, first)));
    runs.filter(|&(row, first)| {
        let begin = row * columns + first;
        let last = begin + tile.min(columns - first) - 1;
        !begin.is_multiple_of(WORDS_PER_SECTOR) && begin / WORDS_PER_LINE != last / WORDS_PER_LINE
    })
    .count()
}

fn plan(case: &Case, seed: u64, kernel: &str, tile: usize) -> Plan {
    let (_, _, [m, n, k], factors, _) = setting(case);
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
    let launch = Launch::new(kernel, [n.div_ceil(tile), m.div_ceil(tile)], [tile, tile]);
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
    fn only_the_second_step_needs_asynchronous_copies() {
        for (case, (name, ..)) in EXERCISE.cases().iter().zip(CASES) {
            let needed = if name.starts_with("2:") { 80 } else { 75 };
            assert_eq!(EXERCISE.case_compute_capability(case), needed, "{name}");
        }
    }

    #[test]
    fn both_steps_have_the_same_cases() {
        let of = |step: &str| -> Vec<&str> {
            CASES.iter().filter_map(|(name, ..)| name.strip_prefix(step)).collect()
        };
        assert_eq!(of("1: "), of("2: "));
        assert!(!of("1: ").is_empty());
    }

    #[test]
    fn runs_pay_for_the_sectors_that_they_touch() {
        // 2 rows of 16 aligned words: 4 sectors. Rows of 9 words: 0–8 touch two, 9–17 two.
        assert_eq!(run_sectors(2, 16, 16), 4);
        assert_eq!(run_sectors(2, 9, 16), 4);
    }

    #[test]
    fn copies_of_16_bytes_pay_for_lines_that_end_between_two_of_them() {
        // Rows of 20 words: those that begin at word 20, 60, 180 and 220 lie across a line, half a sector off.
        assert_eq!(seams(12, 20, 32), 4);
        // Rows of 24 words begin where sectors do.
        assert_eq!(seams(12, 24, 32), 0);
    }
}
