//! 21-clusters: how often each of many values occurs, counted in the shared memory of a cluster of blocks.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/histogram_ranges.cu`: each block counts a range of the bins, and all elements are read once for each range |
//! | counters | global sectors once; global atomics only to merge, once for each bin and cluster |
//! | pass speedup, expert | none: on an H200 the solution has 0.13 and 0.06 times the baseline's speed, for atomics in other blocks' shared memory are slow |
//!
//! 2¹⁸ bins take a MiB, and no block has so much shared memory: even counts of 8 bits would not fit. A cluster of eight
//! blocks has room for them all.
//!
//! Counts are exact.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, SpeedGoals, ValueClass,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, WORDS_PER_SECTOR},
};

/// The exercise.
pub static EXERCISE: Clusters = Clusters;

/// Counts elements.
pub struct Clusters;

const THREADS: &str = "THREADS";
const BLOCKS_PER_CLUSTER: &str = "BLOCKS_PER_CLUSTER";
const BINS_PER_BLOCK: &str = "BINS_PER_BLOCK";
const MOST_CLUSTERS: &str = "MOST_CLUSTERS";
/// Clusters of more blocks are not allowed on every GPU that has clusters.
const MOST_BLOCKS: i64 = 8;
/// The least that a block may keep: eight blocks of so many keep all.
const LEAST_BINS: i64 = 1 << 15;
/// What a GPU of capability 9.0 gives a block, 227 KiB.
const GREATEST_BINS: i64 = (227 << 10) / 4;
/// Bins of the largest case.
const BINS: usize = 1 << 18;
/// Elements for each thread, as far as the clusters go; the stub's comment says so too.
const ELEMENTS_PER_THREAD: usize = 16;
/// Threads of a block where several clusters are wanted for few elements.
const FEW_THREADS: usize = 64;
/// Clusters need it.
const CAPABILITY: u32 = 90;

/// Clusters of a case.
#[derive(Clone, Copy)]
enum Launched {
    /// The learner's choice.
    Chosen,
    /// Of so many blocks of few threads.
    Of(usize),
}

use Launched::{Chosen, Of};

/// What the elements are, from their number, the number of bins and a seed.
type Values = fn(usize, usize, u64) -> Fill;
const UNIFORM: Values = |_, bins, seed| Fill::Random { seed, low: 0.0, high: last(bins) };
/// Every bin as often as any other.
const COUNTING: Values = |_, _, _| Fill::Counting;
/// Nothing but the last bin.
const ONE_VALUE: Values = |_, bins, _| Fill::Repeated(Bytes::of(&[bins as u32 - 1]));
/// The same bin with others in secret places: who samples the input does not know how many.
const ALMOST_ONE_VALUE: Values = |_, bins, seed| {
    let most = (last(bins), last(bins));
    Fill::Strays(Strays { seed, most, strays: (0.0, last(bins)), one_in: 1 << 10, unit: 1.0 })
};
/// Half of them in so few neighbouring bins that one block has them all.
const CROWDED: Values = |_, bins, seed| {
    let first = (bins / 4) as f64;
    let most = (first, first + 255.0);
    Fill::Strays(Strays { seed, most, strays: (0.0, last(bins)), one_in: 2, unit: 1.0 })
};
const SORTED: Values = |n, bins, seed| {
    let mut values: Vec<u32> = fill::values(n, seed, 0.0, last(bins));
    values.sort_unstable();
    Fill::Data(Bytes::of(&values))
};

const DIGITS: Values = |_, _, seed| Fill::Whole { seed, low: 0.0, high: 9.0 };

fn last(bins: usize) -> f64 {
    (bins - 1) as f64
}

/// Name, elements, bins, values, clusters, where.
type Row = (&'static str, usize, usize, Values, Launched, On);
const CASES: &[Row] = &[
    ("n = 1, a single bin", 1, 1, UNIFORM, Chosen, On::Everywhere),
    ("n = 20, 5 bins, fewer than blocks", 20, 5, UNIFORM, Chosen, On::Everywhere),
    ("n = 1000, 300 bins, one block", 1000, 300, UNIFORM, Of(1), On::Everywhere),
    ("n = 3001, 1000 bins, clusters of one block", 3001, 1000, SORTED, Of(1), On::Everywhere),
    ("n = 2100, 33 001 bins, clusters of two blocks", 2100, 33_001, UNIFORM, Of(2), On::Everywhere),
    ("n = 4001, 70 001 bins, clusters of three blocks", 4001, 70_001, SORTED, Of(3), On::Everywhere),
    ("n = 300, 100 003 bins, blocks without an element", 300, 100_003, UNIFORM, Chosen, On::Everywhere),
    ("n = 20 021, 70 003 bins, blocks without a bin", 20_021, 70_003, CROWDED, Chosen, On::Everywhere),
    // More than 16 bits count.
    ("n = 70 001, 40 000 bins, one value only", 70_001, 40_000, ONE_VALUE, Chosen, On::Everywhere),
    ("n = 20 000, 262 144 bins", 20_000, BINS, UNIFORM, Chosen, On::Everywhere),
    ("n = 2 097 229, 40 001 bins", (1 << 21) + 77, 40_001, UNIFORM, Chosen, On::Large),
    (
        "n = 2 097 229, 250 001 bins, almost one value only",
        (1 << 21) + 77,
        250_001,
        ALMOST_ONE_VALUE,
        Chosen,
        On::Gpu,
    ),
    ("n = 30 000 001, 262 144 bins", 30_000_001, BINS, UNIFORM, Chosen, On::Gpu),
    ("n = 134 217 728, 262 144 bins, uniform, timed", 1 << 27, BINS, UNIFORM, Chosen, On::GpuTimed),
    ("n = 134 217 728, 262 144 bins, crowded, timed", 1 << 27, BINS, CROWDED, Chosen, On::GpuTimed),
    ("n = 0, no element", 0, 1000, UNIFORM, Chosen, On::Everywhere),
    // The first and the last bin of every part.
    ("n = 70 003, 70 003 bins, each value once", 70_003, 70_003, COUNTING, Chosen, On::Everywhere),
];

/// Clusters, and what they are made of.
#[derive(Clone, Copy)]
struct Shape {
    threads: usize,
    /// Blocks of a cluster.
    blocks: usize,
    /// Of a block.
    bins: usize,
    most_clusters: usize,
}

/// The baseline's own choice: blocks by themselves, one for each multiprocessor of an H100.
const BASELINE: Shape = Shape { threads: 1024, blocks: 1, bins: GREATEST_BINS as usize, most_clusters: 132 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let get = |name| constants.get(name) as usize;
        Shape {
            threads: get(THREADS),
            blocks: get(BLOCKS_PER_CLUSTER),
            bins: get(BINS_PER_BLOCK),
            most_clusters: get(MOST_CLUSTERS),
        }
    }
    /// What this case launches.
    fn launched(self, launched: Launched) -> Self {
        match launched {
            Chosen => self,
            Of(blocks) => Shape { threads: FEW_THREADS, blocks, ..self },
        }
    }
    fn clusters(self, n: usize) -> usize {
        n.div_ceil(self.threads * self.blocks * ELEMENTS_PER_THREAD).clamp(1, self.most_clusters)
    }
}

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, 10, DIGITS, Chosen, On::Everywhere))
}

impl Exercise for Clusters {
    fn about(&self) -> About {
        About {
            id: "21-clusters",
            title: "Clusters: a histogram in the shared memory of several blocks",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/21-clusters/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/21-clusters/steps":
                "1-global", "2-ranges", "4-vectors", "5-interleaved",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["histogram"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: THREADS, at_least: 64, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: BLOCKS_PER_CLUSTER, at_least: 1, at_most: MOST_BLOCKS, multiple_of: 1 },
                ConstantBound {
                    name: BINS_PER_BLOCK,
                    at_least: LEAST_BINS,
                    at_most: GREATEST_BINS,
                    multiple_of: 32,
                },
                // With one cluster there would be nothing to merge.
                ConstantBound { name: MOST_CLUSTERS, at_least: 2, at_most: 1024, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/histogram_ranges.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // The solution is slower than the baseline, on an H100 and on an H200: counters gate the pass.
            speed_goals: SpeedGoals::default(),
            instruction_budget: 10_000_000,
            minimum_compute_capability: CAPABILITY,
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
            EqualNeighbours | Least | Crowded | LongDimension | LargeIndex | OneElement | NoElement
            | Ragged => Declared::Here,
            AllBits | Greatest => {
                Declared::Not("an element is the number of a bin, of which there are at most 2¹⁸")
            }
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | Fraction | NegativeOnly => Declared::Not("elements are whole and not negative"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, n, bins, _, launched, _) = setting(case);
        let shape = Shape::of(constants).launched(launched);
        let Shape { threads, blocks, .. } = shape;
        let clusters = shape.clusters(n);
        // Where the compiler unrolls a loop over single elements, lanes of the warp in which the input ends may be a
        // round ahead of the others all the way.
        let rounds = n.div_ceil(threads * blocks * clusters);
        let merges = bins.div_ceil(LANES) + blocks;
        // A block's part of the bins may begin anywhere, and so may what a warp adds.
        let merged_sectors = bins.div_ceil(WORDS_PER_SECTOR) + merges;
        vec![
            Counter::GlobalLoadSectors.at_most(
                n.div_ceil(WORDS_PER_SECTOR) + 1 + rounds + clusters * merged_sectors,
                format!(
                    "each sector of `in` is read once; one sector more where the last elements are read by themselves, and \
                     one in each round ({rounds}) of the warp that reads them; an atomic is a load, too: {merged_sectors} \
                     sectors of `counts` for each cluster ({clusters})"
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(
                clusters * merges,
                format!(
                    "clusters × merges: {clusters} × {merges}; each count ({bins} in all) is added once, {LANES} by a warp at a time; \
                     the last atomics of each block ({blocks}) may add fewer"
                ),
            ),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let all = asked.inputs.values("in", 0..asked.inputs.len("in"));
        Some(all.filter(|&value| value == asked.index as f64).count() as f64)
    }
}

/// How often each bin's value occurs.
fn counts(bins: usize, inputs: &Inputs<'_>) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    inputs.values("in", 0..inputs.len("in")).for_each(|value| counts[value as usize] += 1.0);
    counts
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, n, bins, values, launched, _) = setting(case);
    let shape = shape.launched(launched);
    let mut plan = Plan::new();
    let input = plan.buffer("in", Element::U32, &[n], values(n, bins, fill::hash(seed, case.index as u64)));
    let to = plan.buffer("counts", Element::U32, &[bins], Fill::Zeros);
    let launch = Launch::new("histogram", shape.blocks * shape.clusters(n), shape.threads)
        .dynamic_shared(4 * shape.bins)
        .buffers([input, to])
        .ints([n, bins]);
    plan.launch(Launch { cluster: Some([shape.blocks as u32, 1, 1]), ..launch });
    plan.expect_values(case, to, Tolerance::Exact, |inputs| counts(bins, inputs));
    plan.minimum_bytes = 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_every_case_have_room_for_its_bins() {
        let least = Shape { threads: 1024, blocks: 8, bins: LEAST_BINS as usize, most_clusters: 2 };
        for &(name, _, bins, _, launched, _) in CASES {
            let Shape { blocks, bins: of_block, .. } = least.launched(launched);
            assert!(blocks * of_block >= bins, "{name}");
        }
    }

    #[test]
    fn some_cases_have_several_clusters_of_several_blocks_and_bins_in_each() {
        let shape = Shape { threads: 1024, blocks: 8, bins: LEAST_BINS as usize, most_clusters: 16 };
        let several = |&&(_, n, bins, _, launched, on): &&Row| {
            let shape = shape.launched(launched);
            on == On::Everywhere && shape.clusters(n) > 1 && shape.blocks > 1 && bins > shape.bins
        };
        assert_eq!(CASES.iter().filter(several).count(), 2);
    }
}
