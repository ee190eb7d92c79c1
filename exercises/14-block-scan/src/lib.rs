//! 14-block-scan: exclusive and inclusive scan of a block's segment, work-efficient and without bank
//! conflicts.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/block_scan.cu`: Hillis and Steele |
//! | counters | global sectors once; the shared loads of one tree up and down; the conflicts that padding leaves |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Integers are compared exactly. Floats are positive, so that every prefix has a bounded relative error
//! whatever the order of additions: at most n · 2⁻²⁴ for a segment of n.

mod tree;

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement, Reference,
        Size::{self, Elements, Pieces as Segments},
        SpeedGoals, ValueClass, digits, last_digit, need_bits_everywhere, reach_for_the_ends,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Step, Strays, Tolerance},
    published_steps,
    report::{Failure, number_of},
    traffic::{LANES, RAGGED_SECTORS, sectors},
};

/// The exercise.
pub static EXERCISE: BlockScan = BlockScan;

/// Scans segments.
pub struct BlockScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";

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

/// More than a float holds exactly, in the middle of the integers.
const LARGE_INTEGER: i32 = (1 << 30) + 1;
/// In the middle of the floats: whoever adds it and takes it off again has lost what was there.
const LARGE_FLOAT: f32 = 1.0e8;

/// Magnitude of the few large integers of a timed case: 60 of them in one segment still fit into an `int`.
const STRAY: f64 = 3.0e7;

/// What is done to random integers, which segments of so many are cut from.
type Values = fn(&mut [i32], usize);
/// The first two take each other off: both scans have a 0 among their sums.
const LARGE_IN_THE_MIDDLE: Values = |integers, _| {
    need_bits_everywhere(integers);
    if let [first, second, ..] = integers {
        *second = -*first;
    }
    integers[integers.len() / 2] = LARGE_INTEGER;
};
const ENDS: Values = |integers, segment| reach_for_the_ends(integers, segment);
const ONE_NEGATIVE: Values = |integers, _| integers.fill(-7);

const DIGITS: Values = |integers, _| last_digit(integers);

/// Name, size, integers, where.
type Row = (&'static str, Size, Values, On);
const CASES: &[Row] = &[
    ("n = 1", Elements(1), LARGE_IN_THE_MIDDLE, On::Everywhere),
    ("n = 20, less than the block", Elements(20), LARGE_IN_THE_MIDDLE, On::Everywhere),
    ("one segment less one element", Segments(1, -1), LARGE_IN_THE_MIDDLE, On::Everywhere),
    ("one full segment", Segments(1, 0), LARGE_IN_THE_MIDDLE, On::Everywhere),
    (
        "three segments and 17 elements, from the least int to the greatest",
        Segments(3, 17),
        ENDS,
        On::Everywhere,
    ),
    ("n = 70 001, one negative integer", Elements(70_001), ONE_NEGATIVE, On::Everywhere),
    ("n = 5 000 011", Elements(5_000_011), LARGE_IN_THE_MIDDLE, On::Gpu),
    ("n = 67 108 864, timed", Elements(1 << 26), LARGE_IN_THE_MIDDLE, On::GpuTimed),
    ("n = 0, no element", Elements(0), ENDS, On::Everywhere),
    ("n = 2 097 421, more than 21 bits count", Elements(2_097_421), LARGE_IN_THE_MIDDLE, On::Large),
];

/// The kernels, whose names say what is scanned and how.
const KERNELS: &[&str] =
    &["exclusive_scan_int", "inclusive_scan_int", "exclusive_scan_float", "inclusive_scan_float"];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, Elements(n), DIGITS, On::Everywhere))
}

impl Exercise for BlockScan {
    fn about(&self) -> About {
        About {
            id: "14-block-scan",
            title: "Block scan: running sums, work-efficient",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/14-block-scan/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/14-block-scan/steps":
                "1-hillis-steele", "2-conflicting", "4-warps",
            ),
            hints: include_str!("../hints.md"),
            kernels: KERNELS,
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 32, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 8, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/block_scan.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            reference: Some(Reference {
                source: include_str!("../../../kernels/references/block_scan.cu"),
                plan: reference,
            }),
            // Measured on an H200 (`solutions/measured/h200.json`): the work-efficient scan is 1.8 times as
            // fast as Hillis and Steele's; one that scans in registers and shuffles between the lanes of a
            // warp, 4.3 times.
            speed_goals: SpeedGoals {
                pass_speedup: Some(1.4),
                expert_speedup: Some(3.0),
                ..SpeedGoals::default()
            },
            yardstick: Some("4-warps"),
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
            Denormal | HugeAndTiny | NegativeOnly | EqualNeighbours | Fraction | AllBits | Least
            | Greatest | Crowded | LongDimension | LargeIndex | OneElement | NoElement | Ragged => {
                Declared::Here
            }
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan => {
                Declared::Not("floats are positive, so that every prefix has a bounded error")
            }
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let (_, size, _, on) = setting(case);
        let n = size.elements(shape.segment);
        let launches = kernels(on).len();
        let blocks = launches * n.div_ceil(shape.segment).max(1);
        let segments = number_of(blocks, "segment");
        // A segment of another size may be scanned as if it went on to the next power of two.
        let tree = shape.segment.next_power_of_two();
        let loads = tree::loads(tree);
        // Threads that scan neighbours of their own exchange them through a tile, whose rows have an odd length:
        // one more turn for 32 elements that pass from one row to the next, on their way in and on their way out.
        let conflicts = tree::padded_conflicts(tree).max(2 * shape.segment.div_ceil(LANES));
        // Segments are multiples of 32 elements: no two warps share a sector.
        let sectors = launches * (sectors(0..n) + RAGGED_SECTORS);
        let ragged = format!(", and {RAGGED_SECTORS} of the last sectors once more");
        let scan = if launches == 1 { "the scan".to_owned() } else { format!("each of {launches} scans") };
        vec![
            Counter::GlobalLoadSectors
                .at_most(sectors, format!("{scan} reads every sector of its input once{ragged}")),
            Counter::GlobalStoreSectors
                .at_most(sectors, format!("{scan} writes every sector of its output once{ragged}")),
            Counter::SharedLoadRequests.at_most(
                blocks * loads,
                format!(
                    "{segments} × {loads} loads: at each distance a warp that has a pair makes two on the way up and \
                     three on the way down; then it reads the result"
                ),
            ),
            Counter::ExchangeRequests.at_most(
                blocks * exchanges(shape.segment),
                format!(
                    "{segments} × {} exchanges: eight for each {LANES} elements, where five halvings and the neighbour's \
                     value take six, and eight for each {LANES} of the warps' sums",
                    exchanges(shape.segment)
                ),
            ),
            Counter::SharedBankConflicts.at_most(
                blocks * conflicts,
                format!(
                    "{segments} × {conflicts}: as many as are left when element i lies at i + i / {LANES}, or two for each \
                     {LANES} elements that pass through a padded tile, one on their way in and one on their way out"
                ),
            ),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let segment = Shape::of(asked.constants).segment;
        Some(asked.inputs.values(INTEGERS, asked.index / segment * segment..asked.index).sum())
    }
}

/// Exchanges between lanes that one segment's scan can need.
fn exchanges(segment: usize) -> usize {
    const FOR_A_WARP: usize = 8;
    let warps = segment.div_ceil(LANES);
    FOR_A_WARP * (warps + warps.div_ceil(LANES) + 1)
}

/// What is scanned, as reports call it: the parameter of the first kernel that takes it.
const INTEGERS: &str = "exclusive_scan_int's in";
const FLOATS: &str = "exclusive_scan_float's in";

/// The kernels that a case launches: all four, or for time the first.
fn kernels(on: On) -> &'static [&'static str] {
    if on == On::GpuTimed { &KERNELS[..1] } else { KERNELS }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, size, values, on) = setting(case);
    let n = size.elements(shape.segment);
    let mut plan = Plan::new();
    let integers = integers(n, fill::hash(seed, 0), on, |integers| values(integers, shape.segment));
    let integers = plan.buffer(INTEGERS, Element::I32, &[n], integers);
    let floats = match on {
        On::GpuTimed => integers,
        _ if case.tiny.is_some() => plan.buffer(FLOATS, Element::F32, &[n], digits(fill::hash(seed, 1))),
        _ => plan.buffer(FLOATS, Element::F32, &[n], floats(n, fill::hash(seed, 1))),
    };
    let mut outputs = Vec::new();
    for &kernel in kernels(on) {
        let float = kernel.ends_with("float");
        let (from, element) = if float { (floats, Element::F32) } else { (integers, Element::I32) };
        let out = plan.buffer(&format!("{kernel}'s out"), element, &[n], Fill::Uninitialized);
        let launch = Launch::new(kernel, n.div_ceil(shape.segment).max(1), shape.block);
        plan.launch(launch.buffers([from, out]).ints([n]));
        outputs.push((kernel, out));
    }
    for (kernel, out) in outputs {
        let (name, tolerance) = match kernel.ends_with("float") {
            true => (FLOATS, tolerance(shape.segment.min(n))),
            false => (INTEGERS, Tolerance::Exact),
        };
        plan.expect_values(case, out, tolerance, |inputs| {
            segment_scan(inputs.values(name, 0..n), shape.segment, kernel.starts_with("inclusive"))
        });
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

fn integers(n: usize, seed: u64, on: On, change: impl Fn(&mut [i32])) -> Fill {
    let (low, high) = (-1000.0, 1000.0);
    if on == On::GpuTimed {
        let (most, strays) = ((low, high), (-STRAY, STRAY));
        return Fill::Strays(Strays { seed, most, strays, one_in: 1 << 10, unit: 1.0 });
    }
    let mut values = fill::values(n, seed, low, high);
    change(&mut values);
    Fill::Data(Bytes::of(&values))
}

/// The first are so small that only a relative error shows what is lost of them.
fn floats(n: usize, seed: u64) -> Fill {
    const TINY: [f32; 4] = [1.0e-40, 3.0e-40, 5.0e-10, 0.0];
    let mut values = fill::values(n, seed, 0.0, 1.0);
    values.iter_mut().zip(TINY).for_each(|(value, tiny)| *value = tiny);
    values.iter_mut().skip(n / 2).take(1).for_each(|middle| *middle = LARGE_FLOAT);
    Fill::Data(Bytes::of(&values))
}

/// A rounding of relative size 2⁻²⁴ for each addition, and as much as two more for the expected value's own.
fn tolerance(additions: usize) -> Tolerance {
    let rounding = f64::from(f32::EPSILON) / 2.0;
    Tolerance::Close { absolute: 0.0, relative: (additions + 2) as f64 * rounding }
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

/// The running sums of every segment.
fn segment_scan(values: impl Iterator<Item = f64>, segment: usize, inclusive: bool) -> Vec<f64> {
    let mut sum = 0.0;
    let running = |(index, value): (usize, f64)| {
        let before = if index.is_multiple_of(segment) { 0.0 } else { sum };
        sum = before + value;
        if inclusive { sum } else { before }
    };
    values.enumerate().map(running).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_start_anew() {
        let scanned = |inclusive| segment_scan([1.0, 2.0, 3.0, 4.0, 5.0].into_iter(), 3, inclusive);
        assert_eq!(scanned(false), [0.0, 1.0, 3.0, 0.0, 4.0]);
        assert_eq!(scanned(true), [1.0, 3.0, 6.0, 4.0, 9.0]);
    }
}
