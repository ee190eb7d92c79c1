//! 15-device-scan: an exclusive scan of any size in three phases, and stream compaction as its use.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/compaction.cu`: the same phases, Hillis and Steele, one element for each thread |
//! | counters | global sectors of each phase once; the shared loads and exchanges of a scan that works side by side |
//! | pass speedup, expert | see `speed_goals` |
//!
//! `WAY` says how the compaction goes: with a mark for each element, as the exercise asks; with a count for each
//! segment; or in one pass. The chapter's steps compare the three.
//!
//! A case scans random numbers, and then compacts them by a scan of marks. Everything is exact. What
//! `compact` leaves beyond the last kept element is not looked at; how many are kept is.

mod bounds;

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, CounterBound, Declared, Exercise, Inputs, On,
        OutputElement,
        Size::{self, Elements, Pieces as Segments, ThreeLevels},
        SpeedGoals, ValueClass, digits, need_bits_everywhere,
    },
    fill,
    plan::{BufferId, Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
};

/// The exercise.
pub static EXERCISE: DeviceScan = DeviceScan;

/// Scans and compacts.
pub struct DeviceScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";
/// How the compaction goes.
const WAY: &str = "WAY";
/// No case of the simulator has more elements: three levels of segments of 2048.
const MOST_SIMULATED: usize = 2048 * 2048 + 1;
/// More than 2¹⁶ segments of 1024: an index of 16 bits does not do.
const TIMED: usize = 67_200_000;
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// How a compaction goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A mark and a position for each element.
    Marks,
    /// A count for each segment: how many it keeps, and how many are kept before it.
    Counts,
    /// No scan: `mark` clears what segments tell each other in `compact`.
    OnePass,
}

impl Way {
    const ALL: [Way; 3] = [Way::Marks, Way::Counts, Way::OnePass];
}

/// How the elements are cut, and how the compaction goes.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    segment: usize,
    way: Way,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { block: 256, segment: 256, way: Way::Marks };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let block = constants.get(BLOCK_SIZE) as usize;
        let segment = block * constants.get(ITEMS_PER_THREAD) as usize;
        Shape { block, segment, way: Way::ALL[constants.get(WAY) as usize] }
    }
    fn elements(self, case: &Case) -> usize {
        let (_, size, _, on) = setting(case);
        let n = size.elements(self.segment);
        if on.is_simulated() { n.min(MOST_SIMULATED) } else { n }
    }
    /// Segments of n elements. Of no element there is one, too, whose sum is 0.
    fn segments(self, n: usize) -> usize {
        n.div_ceil(self.segment).max(1)
    }
    /// Ints that segments tell each other in one pass: two each, and two for the ticket.
    fn told(self, n: usize) -> usize {
        2 * (self.segments(n) + 1)
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
/// More than a float holds exactly, and so are all sums behind it, and the last one.
const LARGE_FIRST: Values = |n, seed| {
    let mut values = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
    need_bits_everywhere(&mut values);
    values[n - 1] = (1 << 24) + 1;
    values[0] = (1 << 30) + 1;
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
/// The last one, too, is the least that is kept.
const ONES: Values = |_, _| Fill::Repeated(Bytes::of(&[1i32]));
/// All sums before the last are 0, and none is kept.
const ZEROS_FIRST: Values = |n, _| {
    let mut values = vec![0; n];
    values[n - 1] = -7;
    Fill::Data(Bytes::of(&values))
};
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
    ("n = 70 003, one negative number", Elements(70_003), ONE_NEGATIVE, On::Everywhere),
    ("three levels of sums", ThreeLevels, ABOUT_HALF, On::Large),
    ("n = 5 000 011", Elements(5_000_011), ABOUT_HALF, On::Gpu),
    ("compaction of 67 200 000, about half kept, timed", Elements(TIMED), WITH_STRAYS, On::GpuTimed),
    ("n = 0, nothing to keep", Elements(0), ABOUT_HALF, On::Everywhere),
    ("n = 2 110 007, more than 21 bits count, nearly all kept", Elements(2_110_007), NEARLY_ALL, On::Large),
    ("n = 3, two zeros and a negative number", Elements(3), ZEROS_FIRST, On::Everywhere),
    ("n = 6, ones", Elements(6), ONES, On::Everywhere),
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
            steps: published_steps!(
                "../../../solutions/15-device-scan/steps":
                "1-work-efficient", "3-counts", "4-one-pass",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["scan_segments", "add_offsets", "mark", "compact"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 32, at_most: 512, multiple_of: 32 },
                ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 32, multiple_of: 1 },
                ConstantBound { name: WAY, at_least: 0, at_most: 2, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/compaction.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H100: a scan in registers earns a fifth, and the work-efficient one nothing, so
            // nothing is asked for a pass. What pays is to move fewer bytes: one pass is more than five times as
            // fast as the baseline, and near the library.
            speed_goals: SpeedGoals { expert_speedup: Some(4.0), ..SpeedGoals::default() },
            yardstick: Some("4-one-pass"),
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
        bounds::of(shape, shape.elements(case))
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let mut kept = kept(&asked.inputs);
        if asked.output == "count" { Some(kept.count() as f64) } else { kept.nth(asked.index) }
    }
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
        let segments = self.shape.segments(n);
        let [out, sums] = ["out", "sums"].map(|parameter| self.plan.of_next_launch(parameter));
        let (out, sums) = (self.buffer(&out, n), self.buffer(&sums, segments));
        self.launch("scan_segments", [from, out, sums], n, segment);
        if segments > 1 {
            let [offsets, _] = self.scan(sums, segments);
            self.launch("add_offsets", [out, offsets], n, segment);
        }
        [out, sums]
    }

    /// What `compact` needs to know of n elements: of each, or of each segment, or nothing yet.
    fn positions(&mut self, input: BufferId, n: usize) -> BufferId {
        let Shape { block, segment, way } = self.shape;
        match way {
            Way::Marks => {
                let keep = self.buffer("keep", n);
                self.launch("mark", [input, keep], n, block);
                let [positions, _] = self.scan(keep, n);
                positions
            }
            Way::Counts => {
                let segments = self.shape.segments(n);
                let keep = self.buffer("keep", segments);
                self.launch("mark", [input, keep], n, segment);
                let [positions, _] = self.scan(keep, segments);
                positions
            }
            Way::OnePass => {
                let told = self.shape.told(n);
                let keep = self.buffer("keep", told);
                self.launch("mark", [input, keep], told, block);
                keep
            }
        }
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, _, values, on) = setting(case);
    let n = shape.elements(case);
    let contents = values(n, fill::hash(seed, case.index as u64));
    let mut planner = Planner { plan: Plan::new(), shape };
    let input = planner.plan.buffer("in", Element::I32, &[n], contents);
    let scanned = (on != On::GpuTimed).then(|| planner.scan(input, n));
    let positions = planner.positions(input, n);
    let out = planner.plan.buffer("compact's out", Element::I32, &[n], Fill::Zeros);
    // Where nothing is there no thread has the last element, which knows how many are kept.
    let before = if n == 0 { Fill::Zeros } else { Fill::Uninitialized };
    let count = planner.plan.buffer("count", Element::I32, &[1], before);
    let per_block = if shape.way == Way::Marks { shape.block } else { shape.segment };
    planner.launch("compact", [input, positions, out, count], n, per_block);
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
            let shape = Shape { block: 32, segment, way: Way::Marks };
            assert_eq!(shape.levels(ThreeLevels.elements(segment).min(MOST_SIMULATED)).len(), 3, "{segment}");
        }
    }

    #[test]
    fn sums_are_of_what_comes_before() {
        assert_eq!(exclusive_sums([3.0, 1.0, 7.0].into_iter()), [0.0, 3.0, 4.0]);
    }
}
