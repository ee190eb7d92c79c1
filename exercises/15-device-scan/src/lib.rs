//! 15-device-scan: an exclusive scan of any size in three phases, and stream compaction as its use.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/compaction.cu`: the same phases, Hillis and Steele, one element for each thread |
//! | counters | global sectors of each phase once |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! A case scans random numbers, and then compacts them by a scan of marks. Everything is exact. What `compact` leaves beyond
//! the last kept element is not looked at; how many are kept is.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, BufferId, Bytes, Element, Expectation, Expected, Fill, Launch, Plan, Step, Tolerance},
};

/// The exercise.
pub static EXERCISE: DeviceScan = DeviceScan;

/// Scans and compacts.
pub struct DeviceScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";
const INTS_PER_SECTOR: usize = 8;
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// How the elements are cut.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    segment: usize,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { block: 256, segment: 256 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let block = constants.get(BLOCK_SIZE) as usize;
        Shape { block, segment: block * constants.get(ITEMS_PER_THREAD) as usize }
    }
    fn elements(self, case: &Case) -> usize {
        match CASES[case.index].1 {
            Elements(n) => n,
            Segments(segments, more) => (segments * self.segment).saturating_add_signed(more),
            ThreeLevels => self.segment * self.segment + 1,
        }
    }
    /// The elements that each level of a scan has: the input, its segments' sums, theirs, until one segment is left.
    fn levels(self, n: usize) -> Vec<usize> {
        let mut levels = vec![n];
        while levels[levels.len() - 1] > self.segment {
            levels.push(levels[levels.len() - 1].div_ceil(self.segment));
        }
        levels
    }
}

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// So many segments, and so many elements more (or fewer).
    Segments(usize, isize),
    /// One more than two levels of sums can hold.
    ThreeLevels,
}

use Size::{Elements, Segments, ThreeLevels};

/// Which elements are positive, and so kept.
#[derive(Clone, Copy)]
enum Values {
    About,
    None,
    All,
}

impl Values {
    fn range(self) -> (f64, f64) {
        match self {
            Values::About => (-MAGNITUDE, MAGNITUDE),
            Values::None => (-MAGNITUDE, 0.0),
            Values::All => (1.0, MAGNITUDE),
        }
    }
}

/// Name, size, which elements are kept, where.
const CASES: &[(&str, Size, Values, On)] = &[
    ("n = 1, kept", Elements(1), Values::All, On::Everywhere),
    ("n = 20, less than a segment", Elements(20), Values::About, On::Everywhere),
    ("one full segment, none kept", Segments(1, 0), Values::None, On::Everywhere),
    ("one segment and one element, all kept", Segments(1, 1), Values::All, On::Everywhere),
    ("seven segments less one element", Segments(7, -1), Values::About, On::Everywhere),
    ("three levels of sums", ThreeLevels, Values::About, On::Everywhere),
    ("n = 5 000 011", Elements(5_000_011), Values::About, On::Gpu),
    ("compaction of 67 108 864, about half kept, timed", Elements(1 << 26), Values::About, On::GpuTimed),
];

impl Exercise for DeviceScan {
    fn id(&self) -> &'static str {
        "15-device-scan"
    }
    fn title(&self) -> &'static str {
        "Device scan: three phases, and compaction"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["scan_segments", "add_offsets", "mark", "compact"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 32, at_most: 512, multiple_of: 32 },
            ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 4, multiple_of: 1 },
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
        let n = shape.elements(case);
        let sectors = |elements: usize| elements.div_ceil(INTS_PER_SECTOR);
        let levels = shape.levels(n);
        let segments = |n: usize| n.div_ceil(shape.segment);
        // Scanned, and on all levels but the last read and written once more.
        let added = &levels[..levels.len() - 1];
        let scanned: usize = levels.iter().map(|&n| sectors(n)).sum();
        let added_sectors: usize = added.iter().map(|&n| sectors(n)).sum();
        // Every warp of a segment's block reads the offset.
        let offsets: usize = added.iter().map(|&n| segments(n) * shape.block / 32).sum();
        let sums: usize = levels.iter().map(|&n| segments(n)).sum();
        let scan_loads = scanned + added_sectors + offsets;
        let scan_stores = scanned + added_sectors + sums;
        let warps = n.div_ceil(32);
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: (2 * scan_loads + 3 * sectors(n) + 2) as u64,
                why: format!("two scans over {} levels, and the inputs of mark and compact", levels.len()),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                // What a warp keeps goes to neighbouring places, which may begin and end inside a sector.
                at_most: (2 * scan_stores + sectors(n) + (sectors(n) + 2 * warps) + 1) as u64,
                why: format!("two scans over {} levels, the marks, and what is kept", levels.len()),
            },
        ]
    }
    /// Measured on an H200: the work-efficient scan is no faster than the baseline's, which has more rounds but no conflicts to avoid, so
    /// nothing is asked for a pass. A scan in registers gives 1.33.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_speedup: Some(1.2), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/compaction.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
    fn recompute(
        &self,
        case: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        output: &str,
        index: usize,
    ) -> Option<f64> {
        let n = Shape::of(constants).elements(case);
        let mut kept = inputs.values("in", 0..n).filter(|&value| value > 0.0);
        match output {
            "count" => Some(kept.count() as f64),
            _ => kept.nth(index),
        }
    }
    fn instruction_budget(&self) -> u64 {
        40_000_000
    }
}

/// Makes plans of one shape.
struct Planner {
    plan: Plan,
    shape: Shape,
}

impl Planner {
    fn buffer(&mut self, name: &str, n: usize) -> BufferId {
        self.plan.buffer(name, Element::I32, &[n], Fill::Uninitialized)
    }

    fn launch(&mut self, kernel: &str, buffers: &[BufferId], n: usize, elements_per_block: usize) {
        let mut arguments: Vec<Argument> = buffers.iter().map(|&buffer| Argument::buffer(buffer)).collect();
        arguments.push(Argument::scalar(n as i32));
        self.plan.launch(Launch {
            kernel: kernel.to_owned(),
            grid: [n.div_ceil(elements_per_block) as u32, 1, 1],
            block: [self.shape.block as u32, 1, 1],
            dynamic_shared: 0,
            arguments,
            cooperative: false,
        });
    }

    /// The exclusive scan of a buffer.
    fn scan(&mut self, what: &str, from: BufferId, n: usize) -> BufferId {
        let segment = self.shape.segment;
        let segments = n.div_ceil(segment);
        let out = self.buffer(&format!("scan of {what}"), n);
        let sums = self.buffer(&format!("segment sums of {what}"), segments);
        self.launch("scan_segments", &[from, out, sums], n, segment);
        if segments > 1 {
            let offsets = self.scan(&format!("the sums of {what}"), sums, segments);
            self.launch("add_offsets", &[out, offsets], n, segment);
        }
        out
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, _, values, on) = CASES[case.index];
    let n = shape.elements(case);
    let seed = fill::hash(seed, case.index as u64);
    let (low, high) = values.range();
    let mut planner = Planner { plan: Plan::new(), shape };
    let input = planner.plan.buffer("in", Element::I32, &[n], Fill::Random { seed, low, high });
    let sums = (on != On::GpuTimed).then(|| planner.scan("in", input, n));
    let keep = planner.buffer("keep", n);
    planner.launch("mark", &[input, keep], n, shape.block);
    let positions = planner.scan("keep", keep, n);
    let out = planner.plan.buffer("out", Element::I32, &[n], Fill::Zeros);
    let count = planner.buffer("count", 1);
    planner.launch("compact", &[input, positions, out, count], n, shape.block);
    let mut plan = planner.plan;

    let Some(sums) = sums else {
        plan.expect_reference(count, Tolerance::Exact);
        plan.expect_reference(out, Tolerance::Exact);
        // As a library does it: every element is read once, about half of them are written.
        plan.minimum_bytes = 6 * n as u64;
        return plan;
    };
    let values: Vec<i32> = fill::values(n, seed, low, high);
    plan.expect(sums, Bytes::of(&exclusive_sums(&values)), Tolerance::Exact);
    let kept: Vec<i32> = values.into_iter().filter(|&value| value > 0).collect();
    plan.expect(count, Bytes::of(&[kept.len() as i32]), Tolerance::Exact);
    if !kept.is_empty() {
        plan.steps.push(Step::ReadBack(out));
        plan.expectations.push(Expectation {
            buffer: out,
            range: Some(0..kept.len()),
            expected: Expected::Elements { values: Bytes::of(&kept), tolerance: Tolerance::Exact },
        });
    }
    plan
}

fn exclusive_sums(values: &[i32]) -> Vec<i32> {
    values
        .iter()
        .scan(0, |sum, value| {
            let before = *sum;
            *sum += value;
            Some(before)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_level_case_has_three_levels_for_every_segment() {
        let case = Case { name: String::new(), index: 5, on: On::Everywhere };
        for segment in [32, 96, 512, 2048] {
            let shape = Shape { block: 32, segment };
            assert_eq!(shape.levels(shape.elements(&case)).len(), 3, "{segment}");
        }
    }

    #[test]
    fn sums_are_of_what_comes_before() {
        assert_eq!(exclusive_sums(&[3, 1, 7]), [0, 3, 4]);
    }
}
