//! 15-device-scan: an exclusive scan of any size in three phases, and stream compaction as its use.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/compaction.cu`: the same phases, Hillis and Steele, one element for each thread |
//! | counters | global sectors of each phase once; the shared loads and exchanges of a scan that works side by side |
//! | pass speedup, expert | see `speed_goals` |
//!
//! A case scans random numbers, and then compacts them by a scan of marks. Everything is exact. What
//! `compact` leaves beyond the last kept element is not looked at; how many are kept is.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement,
        Size::{self, Elements, Pieces as Segments, ThreeLevels},
        SpeedGoals, ValueClass, digits,
    },
    fill,
    plan::{BufferId, Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, number_of},
    traffic::{LANES, RAGGED_SECTORS, sectors},
};

/// The exercise.
pub static EXERCISE: DeviceScan = DeviceScan;

/// Scans and compacts.
pub struct DeviceScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";
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
    /// The elements that each level of a scan has: the input, its segments' sums, theirs, until one segment
    /// is left.
    fn levels(self, n: usize) -> Vec<usize> {
        std::iter::successors(Some(n), |&n| (n > self.segment).then(|| n.div_ceil(self.segment))).collect()
    }
}

/// What the elements are, from their number and a seed; those that are positive are kept.
type Values = fn(usize, u64) -> Fill;
const ABOUT_HALF: Values = |_, seed| Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
const ALL: Values = |_, seed| Fill::Random { seed, low: 1.0, high: MAGNITUDE };
/// Which ones are not kept tells one place from another.
const NEARLY_ALL: Values = |_, seed| {
    let (most, strays) = ((1.0, MAGNITUDE), (-MAGNITUDE, 0.0));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 8, unit: 1.0 })
};
const NONE: Values = |_, seed| Fill::Random { seed, low: -MAGNITUDE, high: 0.0 };
/// The only one that is not kept is the number that stays negative when it is negated.
const LEAST_LAST: Values = |n, seed| {
    let mut values = fill::values(n, seed, 1.0, MAGNITUDE);
    values[n - 1] = i32::MIN;
    Fill::Data(Bytes::of(&values))
};
/// More than a float holds exactly, and so are all sums behind it. The last one is the least that is kept.
const LARGE_FIRST: Values = |n, seed| {
    let mut values = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    values[n - 1] = 1;
    values[0] = (1_i32 << 30) + 1;
    Fill::Data(Bytes::of(&values))
};
/// The only one that is kept. The last one is the greatest that is not.
const GREATEST_FIRST: Values = |n, seed| {
    let mut values = fill::values(n, seed, -MAGNITUDE, -1.0);
    values[n - 1] = 0;
    values[0] = i32::MAX;
    Fill::Data(Bytes::of(&values))
};
const ONE_NEGATIVE: Values = |_, _| Fill::Repeated(Bytes::of(&[-7i32]));
/// Magnitude of the few large elements of a timed case.
const STRAY: f64 = 2.0e9;
/// Only positions are added up, so that elements may be anything.
const WITH_STRAYS: Values = |_, seed| {
    let (most, strays) = ((-MAGNITUDE, MAGNITUDE), (-STRAY, STRAY));
    Fill::Strays(Strays { seed, most, strays, one_in: 1 << 10, unit: 1.0 })
};

const DIGITS: Values = |_, seed| digits(seed);

/// Name, size, which elements are kept, where.
type Row = (&'static str, Size, Values, On);
const CASES: &[Row] = &[
    ("n = 1, kept", Elements(1), LARGE_FIRST, On::Everywhere),
    ("n = 22, less than a segment, the least int last", Elements(22), LEAST_LAST, On::Everywhere),
    ("one full segment, none kept", Segments(1, 0), NONE, On::Everywhere),
    ("one segment and one element, all kept", Segments(1, 1), ALL, On::Everywhere),
    ("seven segments less one element, the last kept", Segments(7, -1), LARGE_FIRST, On::Everywhere),
    ("n = 4100, the greatest int first, nothing else kept", Elements(4100), GREATEST_FIRST, On::Everywhere),
    ("n = 70 001, one negative number", Elements(70_001), ONE_NEGATIVE, On::Everywhere),
    ("three levels of sums", ThreeLevels, ABOUT_HALF, On::Large),
    ("n = 5 000 011", Elements(5_000_011), ABOUT_HALF, On::Gpu),
    ("compaction of 67 108 864, about half kept, timed", Elements(1 << 26), WITH_STRAYS, On::GpuTimed),
    ("n = 0, nothing to keep", Elements(0), ABOUT_HALF, On::Everywhere),
    ("n = 2 110 007, more than 21 bits count, nearly all kept", Elements(2_110_007), NEARLY_ALL, On::Large),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, Elements(n), DIGITS, On::Everywhere))
}

impl Exercise for DeviceScan {
    fn about(&self) -> About {
        About {
            id: "15-device-scan",
            blocks_in_any_order: true,
            title: "Device scan: three phases, and compaction",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/15-device-scan/kernel.cu"),
            steps: published_steps!("../../../solutions/15-device-scan/steps": "3-registers"),
            hints: include_str!("../hints.md"),
            kernels: &["scan_segments", "add_offsets", "mark", "compact"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 32, at_most: 512, multiple_of: 32 },
                ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 4, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/compaction.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H200: the work-efficient scan is no faster than the baseline's, which has more
            // rounds but no conflicts to avoid, so nothing is asked for a pass. A scan in registers gives
            // 1.33.
            speed_goals: SpeedGoals { expert_speedup: Some(1.2), ..SpeedGoals::default() },
            yardstick: Some("3-registers"),
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
            NegativeOnly | EqualNeighbours | AllBits | Least | Greatest | Crowded | LongDimension
            | LargeIndex | OneElement | NoElement | Ragged => Declared::Here,
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | Fraction => Declared::Not("elements are ints"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let n = setting(case).1.elements(shape.segment);
        let levels = shape.levels(n);
        let segments = |n: usize| n.div_ceil(shape.segment).max(1);
        let sectors_of = |levels: &[usize]| -> usize { levels.iter().map(|&n| sectors(0..n)).sum() };
        // Scanned, and on all levels but the last read and written once more.
        let added = &levels[..levels.len() - 1];
        // Every warp of a segment's block reads the offset.
        let offsets: usize = added.iter().map(|&n| segments(n) * shape.block / LANES).sum();
        let sums: usize = levels.iter().map(|&n| segments(n)).sum();
        let scan_loads = sectors_of(&levels) + sectors_of(added) + offsets;
        let scan_stores = sectors_of(&levels) + sectors_of(added) + sums;
        let (input, warps) = (sectors(0..n), n.div_ceil(LANES));
        let launches = 2 * (levels.len() + added.len()) + 2;
        let ragged = launches * RAGGED_SECTORS;
        let scanned: usize = levels.iter().map(|&n| segments(n)).sum();
        let segments = number_of(scanned, "segment");
        let (reads, exchanges) = (shared_loads(shape.segment), exchanges(shape.segment));
        let moved = 4 * (2 * n).div_ceil(LANES);
        vec![
            Counter::SharedLoadRequests.at_most(
                2 * scanned * reads,
                format!(
                    "two scans of {segments} × {reads} reads: two for each warp at each distance, as with one that \
                     doubles, and two for the result"
                ),
            ),
            Counter::ExchangeRequests.at_most(
                2 * scanned * exchanges + moved,
                format!(
                    "two scans of {segments} × {exchanges} exchanges, eight for each 32 elements and for the warps' \
                     sums, and four for each 32 that are marked or moved"
                ),
            ),
            Counter::GlobalLoadSectors.at_most(
                2 * scan_loads + 3 * input + 2 + ragged,
                format!(
                    "two scans over {}, the inputs of mark and compact, and {RAGGED_SECTORS} more for what is left at \
                     the end of each of {launches} launches",
                    number_of(levels.len(), "level")
                ),
            ),
            Counter::GlobalAtomicRequests.at_most(0, "each element, sum and count is the work of one thread"),
            Counter::GlobalStoreSectors.at_most(
                2 * scan_stores + input + (input + 2 * warps) + 1 + ragged,
                format!(
                    "two scans over {}, the marks, what is kept, and {RAGGED_SECTORS} more for what is left at the end \
                     of each of {launches} launches",
                    number_of(levels.len(), "level")
                ),
            ),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let mut kept = kept(&asked.inputs);
        if asked.output == "count" { Some(kept.count() as f64) } else { kept.nth(asked.index) }
    }
}

/// Shared loads (warp-level) of one segment's scan: at every distance, which doubles, each warp reads two
/// elements; the result and a sum may be read, too.
fn shared_loads(segment: usize) -> usize {
    let distances = segment.next_power_of_two().ilog2() as usize;
    let warps = segment.div_ceil(LANES);
    2 * distances * warps + 2 * warps + 2
}

/// Exchanges between lanes that one segment's scan can need.
fn exchanges(segment: usize) -> usize {
    const FOR_A_WARP: usize = 8;
    let warps = segment.div_ceil(LANES);
    FOR_A_WARP * (warps + warps.div_ceil(LANES) + 1)
}

fn kept(inputs: &Inputs<'_>) -> impl Iterator<Item = f64> {
    inputs.values("in", 0..inputs.len("in")).filter(|&value| value > 0.0)
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

    fn launch<const N: usize>(&mut self, kernel: &str, buffers: [BufferId; N], n: usize, per_block: usize) {
        let launch = Launch::new(kernel, n.div_ceil(per_block).max(1), self.shape.block);
        self.plan.launch(launch.buffers(buffers).ints([n]));
    }

    /// The exclusive scan of a buffer, and the sums of its segments.
    fn scan(&mut self, from: BufferId, n: usize) -> [BufferId; 2] {
        let segment = self.shape.segment;
        // Of no element there is a sum, too.
        let segments = n.div_ceil(segment).max(1);
        let [out, sums] = ["out", "sums"].map(|parameter| self.plan.of_next_launch(parameter));
        let (out, sums) = (self.buffer(&out, n), self.buffer(&sums, segments));
        self.launch("scan_segments", [from, out, sums], n, segment);
        if segments > 1 {
            let [offsets, _] = self.scan(sums, segments);
            self.launch("add_offsets", [out, offsets], n, segment);
        }
        [out, sums]
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, values, on) = setting(case);
    let n = size.elements(shape.segment);
    let contents = values(n, fill::hash(seed, case.index as u64));
    let mut planner = Planner { plan: Plan::new(), shape };
    let input = planner.plan.buffer("in", Element::I32, &[n], contents);
    let scanned = (on != On::GpuTimed).then(|| planner.scan(input, n));
    let keep = planner.buffer("keep", n);
    planner.launch("mark", [input, keep], n, shape.block);
    let [positions, _] = planner.scan(keep, n);
    let out = planner.plan.buffer("compact's out", Element::I32, &[n], Fill::Zeros);
    // Where nothing is there no thread has the last element, which knows how many are kept.
    let before = if n == 0 { Fill::Zeros } else { Fill::Uninitialized };
    let count = planner.plan.buffer("count", Element::I32, &[1], before);
    planner.launch("compact", [input, positions, out, count], n, shape.block);
    let mut plan = planner.plan;

    if let Some([out, sums]) = scanned {
        plan.expect_values(case, out, Tolerance::Exact, |inputs| exclusive_sums(inputs.values("in", 0..n)));
        // Nothing is behind the last segment, so that its sum shows only here.
        if on.is_simulated() {
            plan.expect_values(case, sums, Tolerance::Exact, |inputs| {
                let values: Vec<f64> = inputs.values("in", 0..n).collect();
                let sums = values.chunks(shape.segment).map(|segment| segment.iter().sum());
                if n == 0 { vec![0.0] } else { sums.collect() }
            });
        }
    }
    plan.expect_values(case, count, Tolerance::Exact, |inputs| vec![kept(inputs).count() as f64]);
    if on == On::GpuTimed {
        plan.expect_reference(out, Tolerance::Exact);
        // As a library does it: every element is read once, about half of them are written.
        plan.minimum_bytes = 6 * n as u64;
        return plan;
    }
    let kept: Vec<i32> = kept(&Inputs::of(&plan)).map(|value| value as i32).collect();
    if !kept.is_empty() {
        plan.expect_range(out, 0..kept.len(), Bytes::of(&kept), Tolerance::Exact);
    }
    plan
}

fn exclusive_sums(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values.scan(0.0, |sum, value| Some(std::mem::replace(sum, *sum + value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_level_case_has_three_levels_for_every_segment() {
        for segment in [32, 96, 512, 2048] {
            let shape = Shape { block: 32, segment };
            assert_eq!(shape.levels(ThreeLevels.elements(segment)).len(), 3, "{segment}");
        }
    }

    #[test]
    fn sums_are_of_what_comes_before() {
        assert_eq!(exclusive_sums([3.0, 1.0, 7.0].into_iter()), [0.0, 3.0, 4.0]);
    }
}
