//! 02-stencil: sums over a sliding window of a radius known at run time, tile and halo in shared memory.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/stencil.cu`: every thread reads its whole window, the L1 cache does the rest |
//! | counters | global sectors of one tile load; every sector of the output once; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Elements are whole numbers that all differ from their neighbours and whose sums fit into an `int`: exact everywhere.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Stencil = Stencil;

/// Sums over a sliding window.
pub struct Stencil;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const OUTPUTS_PER_THREAD: &str = "OUTPUTS_PER_THREAD";
const LANES: usize = 32;
const INTS_PER_SECTOR: usize = 8;
/// Largest magnitude of an element; a window has at most 129 of them.
const MAGNITUDE: f64 = 1.0e6;

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

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// So many full blocks, and so many elements more.
    Blocks(usize, usize),
}

use Size::{Blocks, Elements};

/// Name, size, radius, where.
const CASES: &[(&str, Size, usize, On)] = &[
    ("n = 1, radius 3", Elements(1), 3, On::Everywhere),
    ("n = 20, radius 64: less than the radius", Elements(20), 64, On::Everywhere),
    ("n = 1000, radius 0", Elements(1000), 0, On::Everywhere),
    ("n = 1000, radius 1", Elements(1000), 1, On::Everywhere),
    ("four full blocks, radius 8", Blocks(4, 0), 8, On::Everywhere),
    ("two blocks and 5 more, radius 33: larger than the tail", Blocks(2, 5), 33, On::Everywhere),
    ("n = 3001, radius 64", Elements(3001), 64, On::Everywhere),
    ("n = 10 000 019, radius 17", Elements(10_000_019), 17, On::Gpu),
    ("n = 134 217 728, radius 3, timed", Elements(1 << 27), 3, On::GpuTimed),
    ("n = 134 217 728, radius 32, timed", Elements(1 << 27), 32, On::GpuTimed),
];

impl Exercise for Stencil {
    fn id(&self) -> &'static str {
        "02-stencil"
    }
    fn title(&self) -> &'static str {
        "Stencil: sums over a sliding window"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["stencil"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 512, multiple_of: 32 },
            ConstantBound { name: OUTPUTS_PER_THREAD, at_least: 1, at_most: 16, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let (n, radius) = (elements(case, shape), CASES[case.index].2);
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: load_sectors(n, radius, shape.outputs),
                why: format!(
                    "each block reads its {} elements and a halo of {radius} on either side once, in runs that may begin and \
                     end inside a sector",
                    shape.outputs
                ),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                // Blocks start at multiples of 32 elements.
                at_most: n.div_ceil(INTS_PER_SECTOR) as u64,
                why: "each sector of `out` is written once".to_owned(),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: 0,
                why: "the threads of a warp can always load and sum neighbouring words".to_owned(),
            },
        ]
    }
    /// Measured on an H200: the tile alone is slower than the cache at radius 3 and hardly faster at radius 32, so nothing is asked
    /// for a pass; several outputs for each thread are two and five times as fast as the baseline.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_speedup: Some(2.5), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/stencil.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
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
        let (_, _, radius, _) = CASES[case.index];
        let n = elements(case, BASELINE);
        Some(inputs.values("in", index.saturating_sub(radius)..(index + radius + 1).min(n)).sum())
    }
}

/// Sectors that all blocks' tiles take. A warp's run of 32 elements may begin and end in the middle of a sector, and so
/// may the two ends of the array's part of the tile: a run of k words touches at most (k + 14) / 8 sectors.
fn load_sectors(n: usize, radius: usize, outputs: usize) -> u64 {
    let tile = |first: usize| {
        let words = (first + outputs + radius).min(n) - first.saturating_sub(radius);
        // The halo may be read apart from the rest: two more runs, and one more for each that a warp cuts.
        let runs = words.div_ceil(LANES) + if radius == 0 { 0 } else { 3 };
        ((words + 2 * (INTS_PER_SECTOR - 1) * runs) / INTS_PER_SECTOR) as u64
    };
    (0..n).step_by(outputs).map(tile).sum()
}

fn elements(case: &Case, shape: Shape) -> usize {
    match CASES[case.index].1 {
        Elements(n) => n,
        Blocks(blocks, more) => blocks * shape.outputs + more,
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, _, radius, on) = CASES[case.index];
    let n = elements(case, shape);
    let (low, high) = (-MAGNITUDE, MAGNITUDE);

    let mut plan = Plan::new();
    let from = plan.buffer("in", Element::I32, &[n], Fill::Random { seed, low, high });
    let to = plan.buffer("out", Element::I32, &[n], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "stencil".to_owned(),
        grid: [n.div_ceil(shape.outputs) as u32, 1, 1],
        block: [shape.threads as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![
            Argument::buffer(from),
            Argument::buffer(to),
            Argument::scalar(n as i32),
            Argument::scalar(radius as i32),
        ],
        cooperative: false,
    });
    if on == On::GpuTimed {
        plan.expect_reference(to, Tolerance::Exact);
    } else {
        let sums = sums(&fill::values(n, seed, low, high), radius);
        plan.expect(to, Bytes::of(&sums), Tolerance::Exact);
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

/// The sum of every window: from one to the next an element enters and another leaves.
fn sums(elements: &[i32], radius: usize) -> Vec<i32> {
    let mut sum: i32 = elements.iter().take(radius).sum();
    (0..elements.len())
        .map(|i| {
            sum += elements.get(i + radius).unwrap_or(&0);
            if i > radius {
                sum -= elements[i - radius - 1];
            }
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliding_gives_the_sums_of_the_definition() {
        let elements: Vec<i32> = fill::values(50, 1, -MAGNITUDE, MAGNITUDE);
        for radius in [0, 1, 7, 49, 64] {
            let window = |i: usize| elements[i.saturating_sub(radius)..(i + radius + 1).min(50)].iter().sum();
            let by_definition: Vec<i32> = (0..50).map(window).collect();
            assert_eq!(sums(&elements, radius), by_definition, "radius {radius}");
        }
    }

    #[test]
    fn sums_fit() {
        let widest = CASES.iter().map(|(_, _, radius, _)| 2 * radius + 1).max().expect("there are cases");
        assert!(widest as f64 * MAGNITUDE < f64::from(i32::MAX));
    }

    #[test]
    fn without_a_halo_runs_may_still_begin_inside_a_sector() {
        // 64 elements: 8 sectors, and room for two runs.
        assert_eq!(load_sectors(64, 0, 64), (64 + 28) / 8);
        // Reading whole windows of radius 1 takes three times as much, which is over the bound.
        assert!(load_sectors(1024, 1, 256) < 3 * 1024 / 8);
    }
}
