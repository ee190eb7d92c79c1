//! 02-stencil: sums over a sliding window of a radius known at run time, tile and halo in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/stencil.cu`: every thread reads its whole window, the L1 cache does the rest |
//! | counters | global sectors of one tile load; every sector of the output once; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Elements are whole numbers that all differ from their neighbours and whose sums fit into an `int`: exact
//! everywhere.

use std::ops::Range;

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement,
        Size::{self, Elements, Pieces as Blocks},
        SpeedGoals, ValueClass, digits, need_bits_everywhere, reach_for_the_ends,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, most_sectors, pieces, sectors},
};

/// The exercise.
pub static EXERCISE: Stencil = Stencil;

/// Sums over a sliding window.
pub struct Stencil;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const OUTPUTS_PER_THREAD: &str = "OUTPUTS_PER_THREAD";
/// Largest magnitude of an element; a window has at most 129 of them.
const MAGNITUDE: f64 = 1.0e6;

/// Magnitude of the few large elements of a timed case: 64 of them in one window still fit into an `int`.
const STRAY: f64 = 3.0e7;
/// Where the ends of `int` are, they are so far apart that no window sees two, nor what is around two.
const APART: usize = 600;

/// What the array holds, from its number of elements and a seed.
type Values = fn(usize, u64) -> Fill;
const RANDOM: Values = |_, seed| Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
const WITH_STRAYS: Values = |_, seed| {
    let (most, strays) = ((-MAGNITUDE, MAGNITUDE), (-STRAY, STRAY));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 10, unit: 1.0 })
};
const BITS_EVERYWHERE: Values = |n, seed| {
    let mut values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    need_bits_everywhere(&mut values);
    values[3] = (1 << 30) + 1;
    Fill::Data(Bytes::of(&values))
};
const ONE_NEGATIVE: Values = |_, _| Fill::Repeated(Bytes::of(&[-70_001i32]));
const ENDS: Values = |n, seed| {
    let mut values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    reach_for_the_ends(&mut values, APART);
    Fill::Data(Bytes::of(&values))
};

const DIGITS: Values = |_, seed| digits(seed);
/// Of a tiny case.
const TINY_RADIUS: usize = 1;

/// A block's threads and how many elements it computes.
#[derive(Clone, Copy)]
struct Shape {
    threads: usize,
    outputs: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { threads: 256, outputs: 256 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let threads = constants.get(BLOCK_SIZE) as usize;
        Shape { threads, outputs: threads * constants.get(OUTPUTS_PER_THREAD) as usize }
    }
}

/// Name, size, radius, values, where.
type Row = (&'static str, Size, usize, Values, On);
const CASES: &[Row] = &[
    ("n = 1, radius 3", Elements(1), 3, RANDOM, On::Everywhere),
    ("n = 20, radius 64: less than the radius", Elements(20), 64, RANDOM, On::Everywhere),
    ("n = 1000, radius 0", Elements(1000), 0, RANDOM, On::Everywhere),
    ("n = 1000, radius 1", Elements(1000), 1, BITS_EVERYWHERE, On::Everywhere),
    ("four full blocks, radius 8", Blocks(4, 0), 8, RANDOM, On::Everywhere),
    ("two blocks but for 4, radius 3", Blocks(2, -4), 3, RANDOM, On::Everywhere),
    ("two blocks but for 7, radius 6", Blocks(2, -7), 6, RANDOM, On::Everywhere),
    (
        "two blocks and 5 more, radius 31: larger than the tail",
        Blocks(2, 5),
        31,
        BITS_EVERYWHERE,
        On::Everywhere,
    ),
    ("n = 3001, radius 64, from the least int to the greatest", Elements(3001), 64, ENDS, On::Everywhere),
    ("n = 70 001, radius 5, one negative number", Elements(70_001), 5, ONE_NEGATIVE, On::Everywhere),
    ("n = 2 097 229, radius 1: more than 21 bits count", Elements((1 << 21) + 77), 1, RANDOM, On::Large),
    ("n = 10 000 019, radius 17", Elements(10_000_019), 17, ENDS, On::Gpu),
    ("n = 134 217 728, radius 3, timed", Elements(1 << 27), 3, WITH_STRAYS, On::GpuTimed),
    ("n = 134 217 728, radius 32, timed", Elements(1 << 27), 32, WITH_STRAYS, On::GpuTimed),
    ("n = 0, radius 3: no element", Elements(0), 3, RANDOM, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, Elements(n), TINY_RADIUS, DIGITS, On::Everywhere))
}

impl Exercise for Stencil {
    fn about(&self) -> About {
        About {
            id: "02-stencil",
            title: "Stencil: sums over a sliding window",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/02-stencil/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/02-stencil/steps":
                "1-naive", "3-sliding", "4-chunks",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["stencil"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 },
                ConstantBound { name: OUTPUTS_PER_THREAD, at_least: 1, at_most: 16, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/stencil.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200: the tile alone is slower than the cache at radius 3 and hardly faster at
            // radius 32, so nothing is asked for a pass; several outputs for each thread are two and five
            // times as fast as the baseline.
            speed_goals: SpeedGoals { expert_speedup: Some(2.5), ..SpeedGoals::default() },
            yardstick: Some("3-sliding"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("n = {n}, radius {TINY_RADIUS}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
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
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let (n, radius) = (setting(case).1.elements(shape.outputs), setting(case).2);
        vec![
            Counter::GlobalLoadSectors.at_most(
                load_sectors(n, radius, shape.outputs),
                format!(
                    "each block reads its {} elements and a halo of {radius} on either side once, in runs that may begin and \
                     end inside a sector",
                    shape.outputs
                ),
            ),
            // Blocks start at multiples of 32 elements.
            Counter::GlobalStoreSectors.at_most(sectors(0..n), "each sector of `out` is written once"),
            Counter::SharedBankConflicts
                .at_most(0, "the threads of a warp can always load and sum neighbouring words"),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let n = asked.inputs.len("in");
        Some(asked.inputs.values("in", window(asked.index, setting(case).2, n)).sum())
    }
}

/// Sectors that all blocks' tiles take. A warp's run of 32 elements may begin and end in the middle of a
/// sector, and so may the two ends of the array's part of the tile.
fn load_sectors(n: usize, radius: usize, outputs: usize) -> usize {
    let tile = |block: Range<usize>| {
        let words = (block.start + outputs + radius).min(n) - block.start.saturating_sub(radius);
        // The halo may be read apart from the rest: two more runs, and one more for each that a warp cuts.
        most_sectors(words, words.div_ceil(LANES) + if radius == 0 { 0 } else { 3 })
    };
    pieces(0..n, outputs).map(tile).sum()
}

/// The elements around element i, as far as there are any.
fn window(i: usize, radius: usize, n: usize) -> Range<usize> {
    i.saturating_sub(radius)..(i + radius + 1).min(n)
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, radius, values, _) = setting(case);
    let n = size.elements(shape.outputs);
    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::I32, &[n], values(n, seed));
    let to = plan.buffer("out", Element::I32, &[n], Fill::Uninitialized);
    let launch = Launch::new("stencil", n.div_ceil(shape.outputs).max(1), shape.threads);
    plan.launch(launch.buffers([from, to]).ints([n, radius]));
    plan.expect_values(case, to, Tolerance::Exact, |inputs| {
        let elements: Vec<f64> = inputs.values("in", 0..n).collect();
        (0..n).map(|i| elements[window(i, radius, n)].iter().sum()).collect()
    });
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_where_the_array_does() {
        let windows = |radius| [0, 2, 4].map(|i| window(i, radius, 5));
        assert_eq!(windows(0), [0..1, 2..3, 4..5]);
        assert_eq!(windows(1), [0..2, 1..4, 3..5]);
        assert_eq!(windows(64), [0..5, 0..5, 0..5]);
    }

    #[test]
    fn sums_fit() {
        let widest = CASES.iter().map(|(_, _, radius, ..)| 2 * radius + 1).max().expect("there are cases");
        assert!(widest as f64 * MAGNITUDE < f64::from(1 << 30));
        assert!(widest < APART / 2);
        assert!(64.0 * STRAY + widest as f64 * MAGNITUDE < f64::from(i32::MAX));
    }

    #[test]
    fn without_a_halo_runs_may_still_begin_inside_a_sector() {
        // 64 elements: 8 sectors, and room for two runs.
        assert_eq!(load_sectors(64, 0, 64), (64 + 28) / 8);
        // Reading whole windows of radius 1 takes three times as much, which is over the bound.
        assert!(load_sectors(1024, 1, 256) < 3 * 1024 / 8);
    }
}
