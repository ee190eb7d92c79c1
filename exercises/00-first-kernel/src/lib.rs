//! 00-first-kernel: the sum of two vectors, one thread for each element.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/vector_add.cu`, the same kernel: there is no slower honest way |
//! | counters | global sectors: every sector once |
//! | pass speedup | none: the kernel is bound by memory whatever one writes |
//! | expert | see `speed_goals` |

use harness::{
    exercise::{
        About, Baseline, Case, Constants, Counter, CounterBound, Declared, Exercise, Inputs, On,
        OutputElement, SpeedGoals, ValueClass, digits, sprinkle,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Tolerance},
    published_steps,
    report::Failure,
    traffic::WORDS_PER_SECTOR,
};

/// The exercise.
pub static EXERCISE: FirstKernel = FirstKernel;

/// Adds two vectors.
pub struct FirstKernel;

/// Largest magnitude of a random element.
const MAGNITUDE: f64 = 1000.0;
/// Floats that a thread reads at once at most.
const VECTOR: usize = 4;
/// Threads in a block; the stub's comment says so too.
const BLOCK: usize = 256;

/// What `a` and `b` hold, from their number of elements and a seed.
type Values = fn(usize, u64) -> [Fill; 2];
const RANDOM: Values = |_, seed| [0, 1].map(|stream| random(fill::hash(seed, stream)));
const ONE_NEGATIVE: Values = |_, seed| [Fill::Repeated(Bytes::of(&[-1.5f32])), random(fill::hash(seed, 1))];
/// What is special in one array meets something random in the other; and some sums are 0, number 1008 among them.
const EVERY_KIND: Values = |n, seed| {
    let [mut a, mut b] =
        [0, 1].map(|stream| fill::values::<f32>(n, fill::hash(seed, stream), -MAGNITUDE, MAGNITUDE));
    sprinkle(&mut a);
    sprinkle(&mut b[1..]);
    a.iter().zip(&mut b).step_by(21).for_each(|(a, b)| *b = -a);
    [a, b].map(|values| Fill::Data(Bytes::of(&values)))
};

const DIGITS: Values = |_, seed| [0, 1].map(|stream| digits(fill::hash(seed, stream)));

fn random(seed: u64) -> Fill {
    Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE }
}

/// Name, number of elements, what the arrays hold, where.
type Row = (&'static str, usize, Values, On);
const CASES: &[Row] = &[
    ("n = 1", 1, RANDOM, On::Everywhere),
    ("n = 20, less than a warp", 20, RANDOM, On::Everywhere),
    ("n = 256, one full block", 256, RANDOM, On::Everywhere),
    ("n = 257, one more", 257, RANDOM, On::Everywhere),
    ("n = 1000, not a multiple of the block", 1000, RANDOM, On::Everywhere),
    ("n = 1023, not a multiple of the block by one", 1023, RANDOM, On::Everywhere),
    ("n = 1011, not a multiple of the block or of 4, floats of every kind", 1011, EVERY_KIND, On::Everywhere),
    (
        "n = 70 001, not a multiple of the block, one negative number in `a`",
        70_001,
        ONE_NEGATIVE,
        On::Everywhere,
    ),
    ("n = 2 097 229, more than 21 bits count", (1 << 21) + 77, RANDOM, On::Large),
    ("n = 10 000 019", 10_000_019, RANDOM, On::Gpu),
    ("n = 67 108 864, timed", 1 << 26, RANDOM, On::GpuTimed),
    ("n = 0, no element", 0, RANDOM, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, DIGITS, On::Everywhere))
}

impl Exercise for FirstKernel {
    fn about(&self) -> About {
        About {
            id: "00-first-kernel",
            title: "First kernel: add two vectors",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/00-first-kernel/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/00-first-kernel/steps":
                "2-idle-blocks", "3-idle-threads",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["vector_add"],
            stub_fails: &[Failure::CORRECT],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/vector_add.cu"),
                plan,
            }),
            // Measured on an H200: the baseline is this kernel, so nothing is asked for a pass. With a
            // quarter of each block's threads and four elements for each, a step moves its bytes as fast as a
            // copy does.
            speed_goals: SpeedGoals { expert_roof_share: Some(0.95), ..SpeedGoals::default() },
            yardstick: Some("3-idle-threads"),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        Ok(like.as_tiny(format!("n = {n}"), n))
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        plan(case, seed)
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | NegativeOnly | EqualNeighbours | Fraction | AllBits | Crowded | LongDimension | LargeIndex
            | OneElement | NoElement | Ragged => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        // Buffers start on a sector's edge and so does every warp's run of 32 floats: no two warps share a
        // sector; only what is left behind the last whole vector may be read one by one.
        let n = setting(case).1;
        let alone = n % VECTOR;
        let sectors = n.div_ceil(WORDS_PER_SECTOR) + alone;
        vec![
            Counter::GlobalLoadSectors
                .at_most(2 * sectors, "each 32-byte sector of `a` and of `b` is read once"),
            Counter::GlobalStoreSectors.at_most(sectors, "each 32-byte sector of `out` is written once"),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(sum(&asked.inputs, asked.index))
    }
}

fn sum(inputs: &Inputs<'_>, i: usize) -> f64 {
    f64::from(inputs.value("a", i) as f32 + inputs.value("b", i) as f32)
}

fn plan(case: &Case, seed: u64) -> Plan {
    let (_, n, values, _) = setting(case);
    let [a, b] = values(n, seed);

    let mut plan = Plan::new();
    let a = plan.buffer("a", Element::F32, &[n], a);
    let b = plan.buffer("b", Element::F32, &[n], b);
    let out = plan.buffer("out", Element::F32, &[n], Fill::Uninitialized);
    plan.launch(Launch::new("vector_add", n.div_ceil(BLOCK).max(1), BLOCK).buffers([a, b, out]).ints([n]));
    // One addition rounds once, the same way everywhere: the sum is exact to the bit.
    plan.expect_each(case, out, Tolerance::Exact, sum);
    plan.minimum_bytes = 3 * 4 * n as u64;
    plan
}
