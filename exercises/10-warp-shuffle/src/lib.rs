//! 10-warp-shuffle: the sum of each block's elements, handed from lane to lane.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/block_sums.cu`: chapter 03's tree in shared memory |
//! | counters | global sectors once; one shared load for each block; one barrier |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Elements are whole numbers whose sums fit into an `int`: exact, whatever the order.

use harness::{
    exercise::{Baseline, Case, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals},
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: WarpShuffle = WarpShuffle;

/// Sums a block's elements.
pub struct WarpShuffle;

const LANES: usize = 32;
const INTS_PER_SECTOR: usize = 8;
/// Largest magnitude of an element; a block has at most 1024 of them.
const MAGNITUDE: f64 = 1.0e6;

/// How many elements, in blocks of how many threads.
#[derive(Clone, Copy)]
struct Size {
    n: usize,
    threads: usize,
}

const fn size(n: usize, threads: usize) -> Size {
    Size { n, threads }
}

impl Size {
    fn blocks(self) -> usize {
        self.n.div_ceil(self.threads)
    }
}

/// Name, size, where.
const CASES: &[(&str, Size, On)] = &[
    ("blocks of 1 thread, n = 3", size(3, 1), On::Everywhere),
    ("blocks of 20 threads, less than a warp, n = 50", size(50, 20), On::Everywhere),
    ("blocks of 32 threads, one warp, n = 100", size(100, 32), On::Everywhere),
    ("blocks of 48 threads, n = 480", size(480, 48), On::Everywhere),
    ("blocks of 100 threads, n = 1000", size(1000, 100), On::Everywhere),
    ("blocks of 256 threads, n = 4096", size(4096, 256), On::Everywhere),
    ("blocks of 993 threads, the last lane alone, n = 3001", size(3001, 993), On::Everywhere),
    ("blocks of 1024 threads, n = 5000", size(5000, 1024), On::Everywhere),
    ("blocks of 1000 threads, n = 10 000 019", size(10_000_019, 1000), On::Gpu),
    ("blocks of 256 threads, n = 134 217 728, timed", size(1 << 27, 256), On::GpuTimed),
];

impl Exercise for WarpShuffle {
    fn id(&self) -> &'static str {
        "10-warp-shuffle"
    }
    fn title(&self) -> &'static str {
        "Warp shuffle: a block's sum from lane to lane"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["block_sums"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        plan(case, seed)
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let (_, size, on) = CASES[case.index];
        if on != On::Everywhere {
            return Vec::new();
        }
        let (blocks, warps) = (size.blocks() as u64, size.threads.div_ceil(LANES) as u64);
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: load_sectors(size),
                why: format!(
                    "each warp reads its own 32 elements once, beginning where its block of {} begins",
                    size.threads
                ),
            },
            CounterBound {
                counter: Counter::SharedLoadRequests,
                at_least: 0,
                at_most: blocks,
                why: format!(
                    "one warp of each of the {blocks} blocks reads the sums of all warps in one request"
                ),
            },
            CounterBound {
                counter: Counter::Barriers,
                at_least: 0,
                at_most: blocks * warps,
                why: format!("{blocks} blocks × {warps} warps, one barrier for each"),
            },
        ]
    }
    /// Measured on an H200: shuffles are 1.4 times as fast as the tree, the warp's own reduction 1.7 times.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(1.2), expert_speedup: Some(1.5), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline { source: include_str!("../../../kernels/baselines/block_sums.cu"), plan })
    }
    fn recompute(
        &self,
        case: &Case,
        _: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let Size { n, threads } = CASES[case.index].1;
        Some(inputs.values("in", index * threads..((index + 1) * threads).min(n)).sum())
    }
}

/// Sectors of `in` that warps touch: a block of any size begins anywhere, and each warp asks for itself.
fn load_sectors(Size { n, threads }: Size) -> u64 {
    let warp = |block: usize, first: usize| {
        let from = block + first;
        let to = (block + (first + LANES).min(threads)).min(n);
        if from < to { ((to - 1) / INTS_PER_SECTOR - from / INTS_PER_SECTOR + 1) as u64 } else { 0 }
    };
    (0..n)
        .step_by(threads)
        .flat_map(|block| (0..threads).step_by(LANES).map(move |first| warp(block, first)))
        .sum()
}

fn plan(case: &Case, seed: u64) -> Plan {
    let (_, size, on) = CASES[case.index];
    let (low, high) = (-MAGNITUDE, MAGNITUDE);

    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::I32, &[size.n], Fill::Random { seed, low, high });
    let to = plan.buffer("out", Element::I32, &[size.blocks()], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "block_sums".to_owned(),
        grid: [size.blocks() as u32, 1, 1],
        block: [size.threads as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![Argument::buffer(from), Argument::buffer(to), Argument::scalar(size.n as i32)],
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(to, Tolerance::Exact);
    } else {
        let elements: Vec<i32> = fill::values(size.n, seed, low, high);
        let sums: Vec<i32> = elements.chunks(size.threads).map(|block| block.iter().sum()).collect();
        plan.expect(to, Bytes::of(&sums), Tolerance::Exact);
    }
    plan.minimum_bytes = 4 * (size.n + size.blocks()) as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_of_odd_blocks_begin_inside_sectors() {
        assert_eq!(load_sectors(size(64, 32)), 8);
        // Elements 0–19 touch three sectors, 20–39 three, 40–49 two.
        assert_eq!(load_sectors(size(50, 20)), 8);
    }

    #[test]
    fn sums_fit() {
        let largest = CASES.iter().map(|(_, size, _)| size.threads).max().expect("there are cases");
        assert!(largest as f64 * MAGNITUDE < f64::from(i32::MAX));
    }
}
