//! 12-histogram: how often each byte occurs, counted in shared memory and merged by atomics.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/histogram.cu`: one global atomic for each byte |
//! | counters | global sectors once; global atomics only to merge, 8 requests for each block |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Counts are exact. Timed outputs are compared with `kernels/references/histogram.cu`: the baseline takes
//! too long to be run once more for every sample.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, Reference, SpeedGoals, ValueClass,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, WORDS_PER_SECTOR},
};

/// The exercise.
pub static EXERCISE: Histogram = Histogram;

/// Counts bytes.
pub struct Histogram;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const MOST_BLOCKS: &str = "MOST_BLOCKS";
const BINS: usize = 256;
const BYTES_PER_SECTOR: usize = 32;
/// Bytes for each thread, as far as the blocks go; the stub's comment says so too.
const BYTES_PER_THREAD: usize = 16;
/// Threads of a block where fewer threads than bins are wanted.
const FEW_THREADS: usize = 64;

/// Blocks of a case.
#[derive(Clone, Copy)]
enum Blocks {
    /// The learner's choice.
    Chosen,
    /// Of few threads.
    Small,
    /// Of few threads, and two of them: each thread goes round and round.
    TwoSmall,
    /// Of few threads, and one of them.
    OneSmall,
}

use Blocks::{Chosen, OneSmall, Small, TwoSmall};

/// What the bytes are, from their number and a seed.
type Values = fn(usize, u64) -> Fill;
const UNIFORM: Values = |_, seed| Fill::Random { seed, low: 0.0, high: 255.0 };
/// Nothing but the greatest byte, which a signed index would take for −1.
const ONE_VALUE: Values = |_, _| Fill::Repeated(Bytes::of(&[u8::MAX]));
/// The same byte with others in secret places: who samples the input does not know how many.
const ALMOST_ONE_VALUE: Values = |_, seed| {
    let (most, strays) = ((255.0, 255.0), (0.0, 254.0));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 12, unit: 1.0 })
};
const SORTED: Values = |n, seed| {
    let mut bytes: Vec<u8> = fill::values(n, seed, 0.0, 255.0);
    bytes.sort_unstable();
    Fill::Data(Bytes::of(&bytes))
};

const DIGITS: Values = |_, seed| Fill::Whole { seed, low: 0.0, high: 9.0 };

/// Name, bytes, values, blocks, where.
type Row = (&'static str, usize, Values, Blocks, On);
const CASES: &[Row] = &[
    ("n = 1", 1, UNIFORM, Chosen, On::Everywhere),
    ("n = 20, less than a warp", 20, UNIFORM, Chosen, On::Everywhere),
    ("n = 1000, one value only, 64 threads", 1000, ONE_VALUE, Small, On::Everywhere),
    ("n = 16 003, sorted, two blocks of 64 threads", 16_003, SORTED, TwoSmall, On::Everywhere),
    ("n = 40 007, uniform", 40_007, UNIFORM, Chosen, On::Everywhere),
    // More than 16 bits count.
    ("n = 70 001, one value only", 70_001, ONE_VALUE, Chosen, On::Everywhere),
    ("n = 70 001, almost one value only", 70_001, ALMOST_ONE_VALUE, Chosen, On::Everywhere),
    ("n = 65 536, sorted", 65_536, SORTED, Chosen, On::Everywhere),
    ("n = 2 097 229, uniform, more than 21 bits count", (1 << 21) + 77, UNIFORM, Chosen, On::Large),
    ("n = 30 000 001, uniform", 30_000_001, UNIFORM, Chosen, On::Gpu),
    ("n = 268 435 456, uniform, timed", 1 << 28, UNIFORM, Chosen, On::GpuTimed),
    // One value but for the strays.
    ("n = 268 435 456, one value, timed", 1 << 28, ALMOST_ONE_VALUE, Chosen, On::GpuTimed),
    ("n = 0, no byte", 0, UNIFORM, Chosen, On::Everywhere),
    // More than 16 bits count: for the block, for each of its warps, and for the two threads of one lane.
    (
        "n = 2 100 001, almost one value only, one block of 64 threads",
        2_100_001,
        ALMOST_ONE_VALUE,
        OneSmall,
        On::Large,
    ),
];

/// A block and how many of them.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    most_blocks: usize,
}

/// The baseline's and the reference's own choice.
const BASELINE: Shape = Shape { block: 256, most_blocks: 1056 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        Shape { block: constants.get(BLOCK_SIZE) as usize, most_blocks: constants.get(MOST_BLOCKS) as usize }
    }
    /// Threads in a block of this case, and blocks.
    fn launch(self, n: usize, blocks: Blocks) -> (usize, usize) {
        let (threads, most_blocks) = match blocks {
            Chosen => (self.block, self.most_blocks),
            Small => (FEW_THREADS, self.most_blocks),
            TwoSmall => (FEW_THREADS, 2),
            OneSmall => (FEW_THREADS, 1),
        };
        (threads, n.div_ceil(threads * BYTES_PER_THREAD).max(1).min(most_blocks))
    }
}

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, DIGITS, Chosen, On::Everywhere))
}

impl Exercise for Histogram {
    fn about(&self) -> About {
        About {
            id: "12-histogram",
            title: "Histogram: private bins, merged by atomics",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/12-histogram/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/12-histogram/steps":
                "1-global", "3-vectors", "4-copy-per-warp", "5-column-per-lane",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["histogram"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
                // With one block there would be nothing to merge.
                ConstantBound { name: MOST_BLOCKS, at_least: 32, at_most: 4096, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/histogram.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            reference: Some(Reference {
                source: include_str!("../../../kernels/references/histogram.cu"),
                plan: |case, seed, _| plan(case, seed, BASELINE),
            }),
            // Measured on an H200, over the geometric mean of the two inputs: the solution is some 300 times
            // as fast as the baseline; 16 bytes for each load gives 1234, a column for each lane 1721.
            speed_goals: SpeedGoals {
                pass_speedup: Some(30.0),
                expert_speedup: Some(1500.0),
                ..SpeedGoals::default()
            },
            yardstick: Some("5-column-per-lane"),
            instruction_budget: 10_000_000,
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("n = {n}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            EqualNeighbours | AllBits | Least | Greatest | Crowded | LongDimension | LargeIndex
            | OneElement | NoElement | Ragged => Declared::Here,
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | Fraction | NegativeOnly => Declared::Not("elements are bytes from 0 to 255"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, n, _, blocks, _) = setting(case);
        let (threads, blocks) = Shape::of(constants).launch(n, blocks);
        // Where the compiler unrolls a loop over single bytes, lanes of the warp in which the input ends may be a
        // round ahead of the others all the way.
        let rounds = n.div_ceil(threads * blocks);
        let merges = BINS / LANES;
        vec![
            Counter::GlobalLoadSectors.at_most(
                n.div_ceil(BYTES_PER_SECTOR) + 1 + rounds + blocks * BINS / WORDS_PER_SECTOR,
                format!(
                    "each 32-byte sector of `in` is read once; one sector more where the last bytes are read by themselves, \
                     and one in each round ({rounds}) of the warp that reads them; an atomic is a load, too: {} sectors of \
                     `bins` for each block ({blocks})",
                    BINS / WORDS_PER_SECTOR
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(
                blocks * merges,
                format!(
                    "blocks × merges: {blocks} × {merges}; a block adds each of its {BINS} counts once, and a warp adds {LANES} \
                     at a time"
                ),
            ),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(counts(&asked.inputs)[asked.index])
    }
}

/// How often each byte occurs.
fn counts(inputs: &Inputs<'_>) -> Vec<f64> {
    let mut counts = vec![0.0; BINS];
    inputs.values("in", 0..inputs.len("in")).for_each(|byte| counts[byte as usize] += 1.0);
    counts
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, n, values, blocks, _) = setting(case);
    let (threads, blocks) = shape.launch(n, blocks);
    let mut plan = Plan::new();
    let input = plan.buffer("in", Element::U8, &[n], values(n, fill::hash(seed, case.index as u64)));
    let bins = plan.buffer("bins", Element::U32, &[BINS], Fill::Zeros);
    plan.launch(Launch::new("histogram", blocks, threads).buffers([input, bins]).ints([n]));
    plan.expect_values(case, bins, Tolerance::Exact, counts);
    plan.minimum_bytes = n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_cases_have_fewer_threads_than_bins_and_several_blocks() {
        let shape = Shape { block: 1024, most_blocks: 4096 };
        let small = |&&(_, n, _, blocks, _): &&(&str, usize, Values, Blocks, On)| {
            let (threads, blocks) = shape.launch(n, blocks);
            threads < BINS && blocks > 1
        };
        assert!(CASES.iter().find(small).is_some());
        assert_eq!(shape.launch(40_007, Chosen), (1024, 3));
    }

    #[test]
    fn in_some_case_each_lane_counts_more_than_16_bits_hold_of_one_byte() {
        let of_a_lane = |&(_, n, values, blocks, on): &Row| {
            let (_, blocks) = BASELINE.launch(n, blocks);
            // Of strays there is one in 4096.
            let equal = on.is_simulated() && matches!(values(n, 1), Fill::Repeated(_) | Fill::Strays(_));
            if equal { (n - n / 2048) / (LANES * blocks) } else { 0 }
        };
        assert!(CASES.iter().map(of_a_lane).max() > Some(1 << 16));
    }

    #[test]
    fn sorted_bytes_hold_every_value() {
        let Fill::Data(bytes) = SORTED(65_536, 1) else { panic!("sorted bytes are listed") };
        assert!(bytes.0.is_sorted() && bytes.0.first() == Some(&0) && bytes.0.last() == Some(&255));
    }
}
