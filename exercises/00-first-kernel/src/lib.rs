//! 00-first-kernel: the sum of two vectors, one thread for each element.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/vector_add.cu`, the same kernel: there is no slower honest way |
//! | counters | global sectors: every sector once |
//! | pass speedup | none: the kernel is bound by memory whatever one writes |
//! | expert | see [`Exercise::speed_goals`] |

use harness::{
    exercise::{Baseline, Case, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals},
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: FirstKernel = FirstKernel;

/// Adds two vectors.
pub struct FirstKernel;

/// Threads in a block; the stub's comment says so too.
const BLOCK: usize = 256;
/// Floats in a 32-byte sector.
const FLOATS_PER_SECTOR: usize = 8;

/// Name, number of elements, where.
const CASES: &[(&str, usize, On)] = &[
    ("n = 1", 1, On::Everywhere),
    ("n = 20, less than a warp", 20, On::Everywhere),
    ("n = 256, one full block", 256, On::Everywhere),
    ("n = 257, one more", 257, On::Everywhere),
    ("n = 1000, not a multiple of the block", 1000, On::Everywhere),
    ("n = 10 000 019", 10_000_019, On::Gpu),
    ("n = 67 108 864, timed", 1 << 26, On::GpuTimed),
];

impl Exercise for FirstKernel {
    fn id(&self) -> &'static str {
        "00-first-kernel"
    }
    fn title(&self) -> &'static str {
        "First kernel: add two vectors"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["vector_add"]
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
        // Buffers start on a sector's edge and so does every warp's run of 32 floats: no two warps share a sector.
        let sectors = CASES[case.index].1.div_ceil(FLOATS_PER_SECTOR) as u64;
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: 2 * sectors,
                why: "each 32-byte sector of `a` and of `b` is read once".to_owned(),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                at_most: sectors,
                why: "each 32-byte sector of `out` is written once".to_owned(),
            },
        ]
    }
    /// Measured on an H200: the baseline is this kernel, so nothing is asked for a pass. With a quarter of each block's threads and
    /// four elements for each, a step moves its bytes as fast as a copy does.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_roof_share: Some(0.95), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline { source: include_str!("../../../kernels/baselines/vector_add.cu"), plan })
    }
    fn recompute(&self, _: &Case, _: &Constants, inputs: &Inputs<'_>, _: &str, i: usize) -> Option<f64> {
        Some(f64::from(inputs.value("a", i) as f32 + inputs.value("b", i) as f32))
    }
}

fn plan(case: &Case, seed: u64) -> Plan {
    let (_, n, on) = CASES[case.index];
    let [a_seed, b_seed] = [0, 1].map(|stream| fill::hash(seed, stream));
    let range = (-1000.0, 1000.0);
    let random = |seed| Fill::Random { seed, low: range.0, high: range.1 };

    let mut plan = Plan::new();
    let a = plan.buffer("a", Element::F32, &[n], random(a_seed));
    let b = plan.buffer("b", Element::F32, &[n], random(b_seed));
    let out = plan.buffer("out", Element::F32, &[n], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "vector_add".to_owned(),
        grid: [n.div_ceil(BLOCK) as u32, 1, 1],
        block: [BLOCK as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![
            Argument::buffer(a),
            Argument::buffer(b),
            Argument::buffer(out),
            Argument::scalar(n as i32),
        ],
        cooperative: false,
    });
    plan.minimum_bytes = 3 * 4 * n as u64;
    // One addition rounds once, the same way everywhere: the sum is exact to the bit.
    if on == On::GpuTimed {
        plan.expect_reference(out, Tolerance::Exact);
        return plan;
    }
    let mut expected: Vec<f32> = fill::values(n, a_seed, range.0, range.1);
    let other: Vec<f32> = fill::values(n, b_seed, range.0, range.1);
    expected.iter_mut().zip(&other).for_each(|(a, b)| *a += b);
    plan.expect(out, Bytes::of(&expected), Tolerance::Exact);
    plan
}
