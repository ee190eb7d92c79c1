//! 10-warp-shuffle: the sum of each block's elements, handed from lane to lane.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/block_sums.cu`: chapter 03's tree in shared memory |
//! | counters | global sectors once; one shared load for each block; one barrier |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Elements are whole numbers whose sums fit into an `int`: exact, whatever the order.

use harness::{
    exercise::{
        About, Baseline, Case, Constants, Counter, CounterBound, Declared, Exercise, Inputs, On,
        OutputElement, SpeedGoals, ValueClass, digits, need_bits_everywhere, reach_for_the_ends, shorter,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, number_of},
    traffic::{LANES, pieces, sectors},
};

/// The exercise.
pub static EXERCISE: WarpShuffle = WarpShuffle;

/// Sums a block's elements.
pub struct WarpShuffle;

/// Largest magnitude of an element; a block has at most 1024 of them.
const MAGNITUDE: f64 = 1.0e6;

/// Magnitude of the few large elements of a timed case: 30 of them in one block still fit into an `int`.
const STRAY: f64 = 3.0e7;

/// What `in` holds, from its number of elements, a block's threads and a seed.
type Values = fn(usize, usize, u64) -> Fill;
const RANDOM: Values = |_, _, seed| Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
const WITH_STRAYS: Values = |_, _, seed| {
    let (most, strays) = ((-MAGNITUDE, MAGNITUDE), (-STRAY, STRAY));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 10, unit: 1.0 })
};
const ENDS: Values = |n, threads, seed| {
    let mut values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    reach_for_the_ends(&mut values, threads);
    Fill::Data(Bytes::of(&values))
};
/// For small blocks: a block of 1024 could not add up so many large ones.
const BITS_EVERYWHERE: Values = |n, _, seed| {
    let mut values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    need_bits_everywhere(&mut values);
    values[3] = (1 << 30) + 1;
    Fill::Data(Bytes::of(&values))
};
const ONE_NEGATIVE: Values = |_, _, _| Fill::Repeated(Bytes::of(&[-70_001i32]));

/// The elements of every other block add up to 0.
const SOME_SUMS_OF_ZERO: Values = |n, threads, seed| {
    let mut values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    let zero = values.chunks_mut(threads).skip(1).step_by(2);
    zero.flat_map(|block| block.chunks_exact_mut(2)).for_each(|pair| pair[1] = -pair[0]);
    Fill::Data(Bytes::of(&values))
};

const DIGITS: Values = |_, _, seed| digits(seed);

/// Name, elements, threads of a block, values, where.
type Row = (&'static str, usize, usize, Values, On);
const CASES: &[Row] = &[
    ("blocks of 1 thread, n = 3", 3, 1, RANDOM, On::Everywhere),
    ("blocks of 20 threads, less than a warp, n = 50", 50, 20, ENDS, On::Everywhere),
    ("blocks of 32 threads, one warp, n = 100", 100, 32, RANDOM, On::Everywhere),
    ("blocks of 48 threads, n = 480, some sums are 0", 480, 48, SOME_SUMS_OF_ZERO, On::Everywhere),
    ("blocks of 100 threads, n = 1000", 1000, 100, BITS_EVERYWHERE, On::Everywhere),
    ("blocks of 256 threads, n = 4096", 4096, 256, ENDS, On::Everywhere),
    ("blocks of 993 threads, the last lane alone, n = 3001", 3001, 993, ENDS, On::Everywhere),
    ("blocks of 1024 threads, n = 5000", 5000, 1024, RANDOM, On::Everywhere),
    ("one block of 70 threads, n = 1", 1, 70, RANDOM, On::Everywhere),
    ("blocks of 512 threads, n = 70 001, one negative number", 70_001, 512, ONE_NEGATIVE, On::Everywhere),
    (
        "blocks of 1024 threads, n = 2 097 229, more than 21 bits count",
        (1 << 21) + 77,
        1024,
        RANDOM,
        On::Large,
    ),
    ("blocks of 1 thread, n = 65 600, more than 16 bits count", 65_600, 1, RANDOM, On::Large),
    ("blocks of 1000 threads, n = 10 000 019", 10_000_019, 1000, WITH_STRAYS, On::Gpu),
    ("blocks of 256 threads, n = 134 217 728, timed", 1 << 27, 256, WITH_STRAYS, On::GpuTimed),
    ("one block of 70 threads, n = 0", 0, 70, RANDOM, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, shorter(n), DIGITS, On::Everywhere))
}

impl Exercise for WarpShuffle {
    fn about(&self) -> About {
        About {
            id: "10-warp-shuffle",
            title: "Warp shuffle: a block's sum from lane to lane",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/10-warp-shuffle/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/10-warp-shuffle/steps":
                "1-shared-tree", "3-warp-reduce",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["block_sums"],
            stub_fails: &[Failure::CORRECT],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/block_sums.cu"),
                plan,
            }),
            // Measured on an H200: shuffles are 1.4 times as fast as the tree, the warp's own reduction 1.7
            // times.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.2),
                expert_speedup: Some(1.5),
                ..SpeedGoals::default()
            },
            yardstick: Some("3-warp-reduce"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("blocks of {} threads, n = {n}", shorter(n)), n))
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        plan(case, seed)
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeOnly | EqualNeighbours | AllBits | Least | Greatest | Crowded | LongDimension
            | LargeIndex | OneElement | NoElement | Ragged => Declared::Here,
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | Fraction => Declared::Not("elements are ints"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let (_, n, threads, _, on) = setting(case);
        if !on.is_simulated() {
            return Vec::new();
        }
        let (blocks, warps) = (n.div_ceil(threads).max(1), threads.div_ceil(LANES));
        vec![
            Counter::GlobalLoadSectors.at_most(
                load_sectors(n, threads),
                format!(
                    "each warp reads its own 32 elements once, beginning where its block of {} begins",
                    number_of(threads, "thread")
                ),
            ),
            Counter::GlobalStoreSectors.at_most(blocks, "each block writes one sum, once"),
            Counter::SharedLoadRequests.at_most(
                blocks,
                format!(
                    "one warp of each block ({blocks} in all) reads the sums of all warps in one request; an atomic is a load, too"
                ),
            ),
            Counter::Barriers
                .at_most(blocks * warps, format!("blocks × warps: {blocks} × {warps}, one barrier for each warp")),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(block_sum(&asked.inputs, setting(case).2, asked.index))
    }
}

/// Sectors of `in` that warps touch: a block of any size begins anywhere, and each warp asks for itself.
fn load_sectors(n: usize, threads: usize) -> usize {
    pieces(0..n, threads).flat_map(|block| pieces(block, LANES)).map(sectors).sum()
}

fn block_sum(inputs: &Inputs<'_>, threads: usize, block: usize) -> f64 {
    inputs.values("in", block * threads..((block + 1) * threads).min(inputs.len("in"))).sum()
}

fn plan(case: &Case, seed: u64) -> Plan {
    let (_, n, threads, values, _) = setting(case);
    // Of no element there is a sum, too.
    let blocks = n.div_ceil(threads).max(1);
    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::I32, &[n], values(n, threads, seed));
    let to = plan.buffer("out", Element::I32, &[blocks], Fill::Uninitialized);
    plan.launch(Launch::new("block_sums", blocks, threads).buffers([from, to]).ints([n]));
    plan.expect_each(case, to, Tolerance::Exact, |inputs, block| block_sum(inputs, threads, block));
    plan.minimum_bytes = 4 * (n + blocks) as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_of_odd_blocks_begin_inside_sectors() {
        assert_eq!(load_sectors(64, 32), 8);
        // Elements 0–19 touch three sectors, 20–39 three, 40–49 two.
        assert_eq!(load_sectors(50, 20), 8);
    }

    #[test]
    fn sums_fit() {
        let largest = CASES.iter().map(|&(_, _, threads, ..)| threads).max().expect("there are cases");
        assert!(largest as f64 * MAGNITUDE < f64::from(1 << 30));
        assert!(largest as f64 * MAGNITUDE + 30.0 * STRAY < f64::from(i32::MAX));
    }
}
