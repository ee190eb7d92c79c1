//! 03-reduction: the maximum of n floats, a shared-memory tree in every block, relaunched until one value is left.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/reduce_max.cu`: neighbours in pairs, lanes idle from the first round on |
//! | counters | global sectors once; shared loads of a tree whose idle warps stay idle; no bank conflicts |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! NaN: ignored, as `fmaxf` does; no input is nothing but NaN. A block's partial maximum over nothing but NaN may be
//! NaN or −∞ (both vanish in the next level), so partials are compared only where the input has no NaN.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Expected, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Reduction = Reduction;

/// Finds the maximum of n floats.
pub struct Reduction;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// The baseline's and the stub's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
const FLOATS_PER_SECTOR: usize = 8;
const LANES: usize = 32;
/// Largest magnitude of a random element.
const MAGNITUDE: f64 = 1.0e6;

/// What the elements are.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    Mixed,
    AllNegative,
    AllNegativeInfinity,
    LargestFirst,
    LargestLast,
    /// Whole blocks of NaN, and single ones between numbers.
    SomeNan,
}

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// One more than two launches can reduce to one.
    ThreeLevels,
}

use Size::{Elements, ThreeLevels};

/// Name, size, values, where.
const CASES: &[(&str, Size, Values, On)] = &[
    ("one element, negative", Elements(1), Values::AllNegative, On::Everywhere),
    ("n = 20, less than a warp, all negative", Elements(20), Values::AllNegative, On::Everywhere),
    ("n = 255, the largest last", Elements(255), Values::LargestLast, On::Everywhere),
    ("n = 257, nothing but -infinity", Elements(257), Values::AllNegativeInfinity, On::Everywhere),
    ("n = 1023, the largest first", Elements(1023), Values::LargestFirst, On::Everywhere),
    ("n = 1025, all negative", Elements(1025), Values::AllNegative, On::Everywhere),
    ("n = 4096, full blocks", Elements(4096), Values::Mixed, On::Everywhere),
    ("n = 5000, some NaN", Elements(5000), Values::SomeNan, On::Everywhere),
    ("three launch levels, the largest last", ThreeLevels, Values::LargestLast, On::Everywhere),
    ("n = 16 777 217, the largest last", Elements((1 << 24) + 1), Values::LargestLast, On::Gpu),
    ("n = 134 217 728, timed", Elements(1 << 27), Values::Mixed, On::GpuTimed),
];

impl Exercise for Reduction {
    fn id(&self) -> &'static str {
        "03-reduction"
    }
    fn title(&self) -> &'static str {
        "Reduction: the maximum of n floats"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["reduce_max"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 }]
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, constants.get(BLOCK_SIZE) as usize)
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        let levels = levels(elements(case, block_size), block_size);
        // Blocks start at multiples of 32 elements, so no sector is shared by two warps.
        let sectors: usize = levels.iter().map(|n| n.div_ceil(FLOATS_PER_SECTOR)).sum();
        let blocks: usize = levels.iter().map(|n| n.div_ceil(block_size)).sum();
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: sectors as u64,
                why: "each sector of each level's input is read once".to_owned(),
            },
            CounterBound {
                counter: Counter::GlobalStoreSectors,
                at_least: 0,
                at_most: blocks as u64,
                why: "each block writes one float".to_owned(),
            },
            CounterBound {
                counter: Counter::SharedLoadRequests,
                at_least: 0,
                at_most: (blocks * tree_loads(block_size)) as u64,
                why: format!(
                    "{blocks} blocks × {} loads: two for each warp that still has a thread at work in a round, and the result",
                    tree_loads(block_size)
                ),
            },
            CounterBound {
                counter: Counter::SharedBankConflicts,
                at_least: 0,
                at_most: 0,
                why: "the working threads of a warp can always read neighbouring words".to_owned(),
            },
        ]
    }
    /// Measured on an H200 (`solutions/measured/h200.json`): the tree in this shape is 1.03 times as fast as the
    /// baseline's, too little for a pass; finishing the last warp with shuffles gives 1.34.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_speedup: Some(1.25), ..SpeedGoals::default() }
    }
    fn recompute(&self, _: &Case, _: &Constants, inputs: &Inputs<'_>, _: &str, _: usize) -> Option<f64> {
        let n = inputs.0.buffers.iter().find(|buffer| buffer.name == "in")?.len();
        Some(inputs.values("in", 0..n).fold(f64::NEG_INFINITY, f64::max))
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/reduce_max.cu"),
            plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE),
        })
    }
}

/// Shared loads (warp-level) of one block's tree: each round halves the values, and a warp takes part only while one
/// of its threads does; the result is read once more.
fn tree_loads(block_size: usize) -> usize {
    let mut loads = 1;
    let mut values = block_size;
    while values > 1 {
        let kept = values.div_ceil(2);
        loads += 2 * kept.div_ceil(LANES);
        values = kept;
    }
    loads
}

/// The number of elements that each launch reads.
fn levels(n: usize, block_size: usize) -> Vec<usize> {
    let mut levels = vec![n];
    let mut left = n.div_ceil(block_size);
    while left > 1 {
        levels.push(left);
        left = left.div_ceil(block_size);
    }
    levels
}

fn elements(case: &Case, block_size: usize) -> usize {
    match CASES[case.index].1 {
        Elements(n) => n,
        ThreeLevels => block_size * block_size + 1,
    }
}

/// The elements of a case.
fn input(n: usize, values: Values, seed: u64) -> Vec<f32> {
    let mut input: Vec<f32> = match values {
        Values::AllNegative => fill::values(n, seed, -MAGNITUDE, -1.0),
        _ => fill::values(n, seed, -MAGNITUDE, MAGNITUDE),
    };
    match values {
        Values::Mixed | Values::AllNegative => {}
        Values::AllNegativeInfinity => input.fill(f32::NEG_INFINITY),
        Values::LargestFirst => input[0] = 2.0 * MAGNITUDE as f32,
        Values::LargestLast => input[n - 1] = 2.0 * MAGNITUDE as f32,
        Values::SomeNan => {
            // 1024 at the start are a whole block of any size; later every third element.
            for (i, value) in input.iter_mut().enumerate() {
                if i < 1024 || i % 3 == 0 {
                    *value = f32::NAN;
                }
            }
        }
    }
    input
}

/// The maximum of every block's elements. `f32::max` ignores NaN like `fmaxf`.
fn maxima(input: &[f32], block_size: usize) -> Vec<f32> {
    input.chunks(block_size).map(|block| block.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect()
}

fn plan(case: &Case, seed: u64, block_size: usize) -> Plan {
    let (_, _, values, on) = CASES[case.index];
    let n = elements(case, block_size);
    let seed = fill::hash(seed, case.index as u64);
    // A timed case leaves its values to the judge: new ones for each run.
    let input = if on == On::GpuTimed { Vec::new() } else { input(n, values, seed) };
    let contents = match values {
        // Large inputs stay a recipe: the device's side makes the same numbers.
        Values::Mixed => Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE },
        _ => Fill::Data(Bytes::of(&input)),
    };

    let mut plan = Plan::new();
    let mut from = plan.buffer("in", Element::F32, &[n], contents);
    let mut to_check = Vec::new();
    let mut expected = input;
    for (level, n) in levels(n, block_size).into_iter().enumerate() {
        let blocks = n.div_ceil(block_size);
        let name =
            if blocks == 1 { "maximum".to_owned() } else { format!("partials of launch {}", level + 1) };
        let to = plan.buffer(&name, Element::F32, &[blocks], Fill::Uninitialized);
        plan.launch(Launch {
            kernel: "reduce_max".to_owned(),
            grid: [blocks as u32, 1, 1],
            block: [block_size as u32, 1, 1],
            dynamic_shared: 0,
            arguments: vec![Argument::buffer(from), Argument::buffer(to), Argument::scalar(n as i32)],
            cooperative: false,
        });
        expected = maxima(&expected, block_size);
        let expected = match on {
            On::GpuTimed => Expected::Reference { tolerance: Tolerance::Exact },
            _ => Expected::Elements { values: Bytes::of(&expected), tolerance: Tolerance::Exact },
        };
        if blocks == 1 || (values != Values::SomeNan && on != On::GpuTimed) {
            to_check.push((to, expected));
        }
        from = to;
    }
    for (buffer, expected) in to_check {
        plan.expect_that(buffer, expected);
    }
    plan.minimum_bytes = 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_level_case_has_three_levels_for_every_block_size() {
        for block_size in (64..=1024).step_by(32) {
            let case = Case { name: String::new(), index: 8, on: On::Everywhere };
            assert_eq!(levels(elements(&case, block_size), block_size).len(), 3, "{block_size}");
        }
    }

    #[test]
    fn a_tree_of_256_reads_25_times() {
        // Rounds of 128, 64, 32, 16, 8, 4, 2, 1 threads: 4 + 2 + 6 × 1 warps, two reads each, and the result.
        assert_eq!(tree_loads(256), 25);
    }

    #[test]
    fn nan_is_ignored_and_never_everything() {
        let input = input(5000, Values::SomeNan, 1);
        let maxima = maxima(&input, 256);
        assert_eq!(maxima[0], f32::NEG_INFINITY);
        assert!(maxima[19].is_finite());
    }
}
