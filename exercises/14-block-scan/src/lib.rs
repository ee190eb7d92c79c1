//! 14-block-scan: exclusive and inclusive scan of a block's segment, work-efficient and without bank conflicts.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/block_scan.cu`: Hillis and Steele |
//! | counters | global sectors once; the shared loads of one tree up and down; the conflicts that padding leaves |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Integers are compared exactly. Floats are positive, so that every prefix has a bounded relative error whatever the
//! order of additions: at most n · 2⁻²⁴ for a segment of n.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, Reference,
        SpeedGoals,
    },
    fill,
    plan::{Argument, BufferId, Bytes, Element, Expected, Fill, Launch, Plan, Step, Tolerance},
};

/// The exercise.
pub static EXERCISE: BlockScan = BlockScan;

/// Scans segments.
pub struct BlockScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";
const LANES: usize = 32;
const BANKS: usize = 32;
const WORDS_PER_SECTOR: usize = 8;

/// A segment and the block that scans it.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    segment: usize,
}

/// Threads in a block of the reference kernel.
const REFERENCE_BLOCK: usize = 128;

/// The baseline's own choice.
const BASELINE: Shape = Shape { block: 256, segment: 512 };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let block = constants.get(BLOCK_SIZE) as usize;
        Shape { block, segment: block * constants.get(ITEMS_PER_THREAD) as usize }
    }
}

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// So many segments, and so many elements more (or fewer).
    Segments(usize, isize),
}

use Size::{Elements, Segments};

impl Size {
    fn elements(self, shape: Shape) -> usize {
        match self {
            Elements(n) => n,
            Segments(segments, more) => (segments * shape.segment).saturating_add_signed(more),
        }
    }
}

/// Name, size, where.
const CASES: &[(&str, Size, On)] = &[
    ("n = 1", Elements(1), On::Everywhere),
    ("n = 20, less than the block", Elements(20), On::Everywhere),
    ("one segment less one element", Segments(1, -1), On::Everywhere),
    ("one full segment", Segments(1, 0), On::Everywhere),
    ("three segments and 17 elements", Segments(3, 17), On::Everywhere),
    ("n = 5 000 011", Elements(5_000_011), On::Gpu),
    ("n = 67 108 864, timed", Elements(1 << 26), On::GpuTimed),
];

/// One of the four kernels.
struct Scan {
    kernel: &'static str,
    element: Element,
    inclusive: bool,
}

const SCANS: [Scan; 4] = [
    Scan { kernel: "exclusive_scan_int", element: Element::I32, inclusive: false },
    Scan { kernel: "inclusive_scan_int", element: Element::I32, inclusive: true },
    Scan { kernel: "exclusive_scan_float", element: Element::F32, inclusive: false },
    Scan { kernel: "inclusive_scan_float", element: Element::F32, inclusive: true },
];

impl Exercise for BlockScan {
    fn id(&self) -> &'static str {
        "14-block-scan"
    }
    fn title(&self) -> &'static str {
        "Block scan: running sums, work-efficient"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["exclusive_scan_int", "inclusive_scan_int", "exclusive_scan_float", "inclusive_scan_float"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 32, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 8, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let (_, size, on) = CASES[case.index];
        let n = size.elements(shape);
        let launches = scans(on).len();
        let blocks = launches * n.div_ceil(shape.segment);
        // Segments are multiples of 32 elements: no two warps share a sector.
        let sectors = (launches * n.div_ceil(WORDS_PER_SECTOR)) as u64;
        let conflicts = padded_conflicts(shape.segment);
        let bound = |counter, at_most, why: String| CounterBound { counter, at_least: 0, at_most, why };
        vec![
            bound(
                Counter::GlobalLoadSectors,
                sectors,
                format!("{launches} scans, each reads every sector of its input once"),
            ),
            bound(
                Counter::GlobalStoreSectors,
                sectors,
                format!("{launches} scans, each writes every sector of its output once"),
            ),
            bound(
                Counter::SharedLoadRequests,
                (blocks * tree_loads(shape.segment)) as u64,
                format!(
                    "{blocks} segments × {} loads: for each warp with a pair at each distance two on the way up and three \
                     on the way down, and the result",
                    tree_loads(shape.segment)
                ),
            ),
            bound(
                Counter::SharedBankConflicts,
                (blocks * conflicts) as u64,
                format!("{blocks} segments × {conflicts}: what is left when element i lies at i + i / 32"),
            ),
        ]
    }
    /// Measured on an H200 (`solutions/measured/h200.json`): the work-efficient scan is 1.85 times as fast as Hillis and
    /// Steele's; one that scans in registers and shuffles between the lanes of a warp, 4.1 times.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(1.4), expert_speedup: Some(3.0), ..SpeedGoals::default() }
    }
    fn reference(&self) -> Option<Reference> {
        let source = include_str!("../../../kernels/references/block_scan.cu");
        Some(Reference { source, plan: reference })
    }
    fn recompute(
        &self,
        _: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let segment = Shape::of(constants).segment;
        Some(inputs.values("integers", index / segment * segment..index).sum())
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/block_scan.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
}

/// The scans that a case launches: all four, or for time the first.
fn scans(on: On) -> &'static [Scan] {
    if on == On::GpuTimed { &SCANS[..1] } else { &SCANS }
}

/// The distances of a tree over a segment, each with its number of pairs.
fn distances(segment: usize) -> impl Iterator<Item = (usize, usize)> {
    std::iter::successors(Some(1), |distance| Some(2 * distance))
        .take_while(move |&distance| distance < segment)
        .map(move |distance| (distance, segment.div_ceil(2 * distance)))
}

/// Shared loads (warp-level) of one segment: at every distance each warp with a pair reads two nodes on the way up and
/// on the way down two, or three where `+=` reads the right one again; in the end every element is read once.
fn tree_loads(segment: usize) -> usize {
    let pairs: usize = distances(segment).map(|(_, pairs)| pairs.div_ceil(LANES)).sum();
    5 * pairs + segment.div_ceil(LANES)
}

/// Bank conflicts of one segment whose element i lies at word i + i / 32, with pair t at each distance in thread t.
///
/// Up reads left and right and writes right; down reads and writes both: left nodes are accessed three times, right
/// nodes four times. Loads and stores of consecutive elements have no conflicts.
fn padded_conflicts(segment: usize) -> usize {
    let beyond_one = |nodes: &[usize]| {
        let mut in_bank = [0; BANKS];
        nodes.iter().for_each(|&node| in_bank[(node + node / BANKS) % BANKS] += 1);
        in_bank.into_iter().max().unwrap_or(1usize).saturating_sub(1)
    };
    distances(segment)
        .map(|(distance, pairs)| {
            let rights: Vec<usize> = (1..=pairs).map(|pair| 2 * distance * pair - 1).collect();
            let lefts: Vec<usize> = rights.iter().map(|right| right - distance).collect();
            3 * lefts.chunks(LANES).map(beyond_one).sum::<usize>()
                + 4 * rights.chunks(LANES).map(beyond_one).sum::<usize>()
        })
        .sum()
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, on) = CASES[case.index];
    let n = size.elements(shape);
    let mut plan = Plan::new();
    let ints = Input::new(&mut plan, "integers", Element::I32, n, fill::hash(seed, 0), (-1000.0, 1000.0));
    let floats = (on != On::GpuTimed)
        .then(|| Input::new(&mut plan, "floats", Element::F32, n, fill::hash(seed, 1), (0.0, 1.0)));
    let mut outputs = Vec::new();
    for scan in scans(on) {
        let out = plan.buffer(scan.kernel, scan.element, &[n], Fill::Uninitialized);
        let input = match (scan.element, &floats) {
            (Element::F32, Some(floats)) => floats,
            _ => &ints,
        };
        plan.launch(Launch {
            kernel: scan.kernel.to_owned(),
            grid: [n.div_ceil(shape.segment) as u32, 1, 1],
            block: [shape.block as u32, 1, 1],
            dynamic_shared: 0,
            arguments: vec![
                Argument::buffer(input.buffer),
                Argument::buffer(out),
                Argument::scalar(n as i32),
            ],
            cooperative: false,
        });
        outputs.push(match on {
            On::GpuTimed => (out, Expected::Reference { tolerance: Tolerance::Exact }),
            _ => (out, input.scanned(shape.segment, scan.inclusive)),
        });
    }
    for (out, expected) in outputs {
        plan.expect_that(out, expected);
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

/// What the timed case must give: each segment added up by one thread. The baseline's segments may be others.
fn reference(case: &Case, seed: u64, constants: &Constants) -> Plan {
    let shape = Shape::of(constants);
    let mut plan = plan(case, seed, shape);
    let n = plan.buffers[0].len();
    for step in &mut plan.steps {
        if let Step::Launch(launch) = step {
            launch.grid = [n.div_ceil(shape.segment).div_ceil(REFERENCE_BLOCK) as u32, 1, 1];
            launch.block = [REFERENCE_BLOCK as u32, 1, 1];
            launch.arguments.push(Argument::scalar(shape.segment as i32));
        }
    }
    plan
}

/// An input buffer and the recipe of its elements.
struct Input {
    buffer: BufferId,
    element: Element,
    n: usize,
    seed: u64,
    range: (f64, f64),
}

impl Input {
    fn new(plan: &mut Plan, name: &str, element: Element, n: usize, seed: u64, range: (f64, f64)) -> Self {
        let buffer = plan.buffer(name, element, &[n], Fill::Random { seed, low: range.0, high: range.1 });
        Input { buffer, element, n, seed, range }
    }

    /// What scanning every segment gives, and how closely.
    fn scanned(&self, segment: usize, inclusive: bool) -> Expected {
        let &Input { n, seed, range: (low, high), .. } = self;
        if self.element == Element::I32 {
            let values: Vec<i32> = fill::values(n, seed, low, high);
            let sums = segment_scan(&values, segment, inclusive, |sum: i32, &value| sum + value);
            Expected::Elements { values: Bytes::of(&sums), tolerance: Tolerance::Exact }
        } else {
            let values: Vec<f32> = fill::values(n, seed, low, high);
            let sums = segment_scan(&values, segment, inclusive, |sum: f64, &value| sum + f64::from(value));
            let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
            let relative = segment.min(n) as f64 * f64::from(f32::EPSILON) / 2.0;
            // One rounding more: the expected value itself is rounded to f32.
            let tolerance = Tolerance::Close { absolute: 0.0, relative: relative + f64::from(f32::EPSILON) };
            Expected::Elements { values: Bytes::of(&sums), tolerance }
        }
    }
}

/// The running sums of every segment.
fn segment_scan<T, S: Copy + Default>(
    values: &[T],
    segment: usize,
    inclusive: bool,
    add: impl Fn(S, &T) -> S,
) -> Vec<S> {
    let mut sums = Vec::with_capacity(values.len());
    for segment in values.chunks(segment) {
        let mut sum = S::default();
        for value in segment {
            let with = add(sum, value);
            sums.push(if inclusive { with } else { sum });
            sum = with;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_over_512_reads_116_times() {
        // Pairs: 256, 128, 64, 32, 16, 8, 4, 2, 1, so 8 + 4 + 2 + 6 × 1 warps; five reads each, and 16 for the result.
        assert_eq!(tree_loads(512), 116);
    }

    #[test]
    fn padding_leaves_conflicts_only_in_long_segments() {
        assert_eq!(padded_conflicts(512), 0);
        assert_eq!(padded_conflicts(1024), 0);
        assert!(padded_conflicts(2048) > 0);
    }

    #[test]
    fn segments_start_anew() {
        let values = [1, 2, 3, 4, 5];
        let add = |sum: i32, value: &i32| sum + value;
        assert_eq!(segment_scan(&values, 3, false, add), [0, 1, 3, 0, 4]);
        assert_eq!(segment_scan(&values, 3, true, add), [1, 3, 6, 4, 9]);
    }
}
