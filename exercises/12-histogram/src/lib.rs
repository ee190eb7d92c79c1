//! 12-histogram: how often each byte occurs, counted in shared memory and merged by atomics.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/histogram.cu`: one global atomic for each byte |
//! | counters | global sectors once; global atomics only to merge, 8 requests for each block |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Counts are exact. Timed outputs are compared with `kernels/references/histogram.cu`: the baseline takes too long to be
//! run once more for every sample.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, Reference,
        SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Histogram = Histogram;

/// Counts bytes.
pub struct Histogram;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const MOST_BLOCKS: &str = "MOST_BLOCKS";
const BINS: usize = 256;
const LANES: usize = 32;
const BYTES_PER_SECTOR: usize = 32;
/// Bytes for each thread, as far as the blocks go; the stub's comment says so too.
const BYTES_PER_THREAD: usize = 16;
/// Threads in a block of the cases that want fewer threads than bins.
const SMALL_BLOCK: usize = 64;

/// What the bytes are.
#[derive(Clone, Copy)]
enum Values {
    Uniform,
    /// Nothing but the greatest byte, which a signed index would take for −1.
    OneValue,
    Sorted,
}

/// Who counts.
#[derive(Clone, Copy)]
enum Block {
    /// The learner's choice of threads.
    Chosen,
    /// [`SMALL_BLOCK`] threads.
    Small,
}

use Block::{Chosen, Small};

/// Name, bytes, values, block, where.
const CASES: &[(&str, usize, Values, Block, On)] = &[
    ("n = 1", 1, Values::Uniform, Chosen, On::Everywhere),
    ("n = 20, less than a warp", 20, Values::Uniform, Chosen, On::Everywhere),
    ("n = 1000, one value only, 64 threads", 1000, Values::OneValue, Small, On::Everywhere),
    ("n = 5003, sorted, blocks of 64 threads", 5003, Values::Sorted, Small, On::Everywhere),
    ("n = 40 007, uniform", 40_007, Values::Uniform, Chosen, On::Everywhere),
    ("n = 40 007, one value only", 40_007, Values::OneValue, Chosen, On::Everywhere),
    ("n = 65 536, sorted", 65_536, Values::Sorted, Chosen, On::Everywhere),
    ("n = 30 000 001, uniform", 30_000_001, Values::Uniform, Chosen, On::Gpu),
    ("n = 268 435 456, uniform, timed", 1 << 28, Values::Uniform, Chosen, On::GpuTimed),
    ("n = 268 435 456, one value, timed", 1 << 28, Values::OneValue, Chosen, On::GpuTimed),
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
    fn launch(self, n: usize, block: Block) -> (usize, usize) {
        let threads = match block {
            Chosen => self.block,
            Small => SMALL_BLOCK,
        };
        (threads, n.div_ceil(threads * BYTES_PER_THREAD).min(self.most_blocks))
    }
}

impl Exercise for Histogram {
    fn id(&self) -> &'static str {
        "12-histogram"
    }
    fn title(&self) -> &'static str {
        "Histogram: private bins, merged by atomics"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["histogram"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: MOST_BLOCKS, at_least: 1, at_most: 4096, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..)
            .zip(CASES)
            .map(|(index, &(name, _, _, _, on))| Case { name: name.to_owned(), index, on })
            .collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, n, _, block, _) = CASES[case.index];
        let (_, blocks) = Shape::of(constants).launch(n, block);
        let merges = BINS / LANES;
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: n.div_ceil(BYTES_PER_SECTOR) as u64 + 1,
                why: "each 32-byte sector of `in` is read once; one more where the last bytes are read by themselves"
                    .to_owned(),
            },
            CounterBound {
                counter: Counter::GlobalAtomicRequests,
                at_least: 0,
                at_most: (blocks * merges) as u64,
                why: format!("{blocks} blocks × {merges}: a block adds each of its {BINS} counts once, a warp's {LANES} at a time"),
            },
        ]
    }
    /// Measured on an H200, over the geometric mean of the two inputs: the solution is 316 times as fast as the baseline;
    /// 16 bytes for each load gives 1240, a column for each lane 1756.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(30.0), expert_speedup: Some(1500.0), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/histogram.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
    fn reference(&self) -> Option<Reference> {
        Some(Reference {
            source: include_str!("../../../kernels/references/histogram.cu"),
            plan: |case, seed, _| plan(case, seed, BASELINE),
        })
    }
    fn recompute(
        &self,
        case: &Case,
        _: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let n = CASES[case.index].1;
        Some(inputs.values("in", 0..n).filter(|&value| value == index as f64).count() as f64)
    }
}

/// The first contents of `in`.
fn contents(n: usize, values: Values, seed: u64) -> Fill {
    match values {
        Values::Uniform => Fill::Random { seed, low: 0.0, high: 255.0 },
        Values::OneValue => Fill::Repeated(Bytes::of(&[u8::MAX])),
        Values::Sorted => {
            let mut bytes: Vec<u8> = fill::values(n, seed, 0.0, 255.0);
            bytes.sort_unstable();
            Fill::Data(Bytes::of(&bytes))
        }
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, n, values, block, on) = CASES[case.index];
    let (threads, blocks) = shape.launch(n, block);
    let mut plan = Plan::new();
    let input =
        plan.buffer("in", Element::U8, &[n], contents(n, values, fill::hash(seed, case.index as u64)));
    let bins = plan.buffer("bins", Element::U32, &[BINS], Fill::Zeros);
    plan.launch(Launch {
        kernel: "histogram".to_owned(),
        grid: [blocks as u32, 1, 1],
        block: [threads as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![Argument::buffer(input), Argument::buffer(bins), Argument::scalar(n as i32)],
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(bins, Tolerance::Exact);
    } else {
        let mut counts = [0u32; BINS];
        let bytes = fill::contents(&plan.buffers[input.0]).unwrap_or_default();
        bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        plan.expect(bins, Bytes::of(&counts), Tolerance::Exact);
    }
    plan.minimum_bytes = n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_cases_have_fewer_threads_than_bins_and_several_blocks() {
        let shape = Shape { block: 1024, most_blocks: 4096 };
        let small = |&&(_, n, _, block, _): &&(&str, usize, Values, Block, On)| {
            let (threads, blocks) = shape.launch(n, block);
            threads < BINS && blocks > 1
        };
        assert!(CASES.iter().find(small).is_some());
        assert_eq!(shape.launch(40_007, Chosen), (1024, 3));
    }

    #[test]
    fn sorted_bytes_hold_every_value() {
        let Fill::Data(bytes) = contents(65_536, Values::Sorted, 1) else {
            panic!("sorted bytes are listed")
        };
        assert!(bytes.0.is_sorted() && bytes.0.first() == Some(&0) && bytes.0.last() == Some(&255));
    }
}
