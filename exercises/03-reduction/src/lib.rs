//! 03-reduction: the maximum of n floats, a shared-memory tree in every block, relaunched until one value is
//! left.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/reduce_max.cu`: neighbours in pairs, lanes idle from the first round on |
//! | counters | global sectors once; shared loads of a tree whose idle warps stay idle; no bank conflicts |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Timed, the largest elements are strays in secret places, and every block's maximum of the first launch is
//! compared: who has not read an element does not know its block's maximum.
//!
//! NaN: ignored, as `fmaxf` does; no input is nothing but NaN. A block's partial maximum over nothing but NaN
//! may be NaN or −∞ (both vanish in the next level), so partials are compared only where the input has no
//! NaN.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement, Reference,
        Size::{self, Elements, ThreeLevels},
        SpeedGoals, ValueClass, last_digit_of_floats, sprinkle,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, sectors},
};

/// The exercise.
pub static EXERCISE: Reduction = Reduction;

/// Finds the maximum of n floats.
pub struct Reduction;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// The baseline's and the stub's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
/// Largest magnitude of a random element.
const MAGNITUDE: f64 = 1.0e6;
const LARGEST: f32 = 2.0 * MAGNITUDE as f32;

/// What is done to random elements.
type Values = fn(&mut [f32]);
const MIXED: Values = |_| {};
const ALL_NEGATIVE: Values = |input| input.iter_mut().for_each(|value| *value = -value.abs() - 1.0);
const ALL_NEGATIVE_INFINITY: Values = |input| input.fill(f32::NEG_INFINITY);
const INFINITY_FIRST: Values = |input| input[0] = f32::INFINITY;
const LARGEST_LAST: Values = |input| input[input.len() - 1] = LARGEST;
/// 1024 NaN at the start, which are a whole block of any size; later every third element. Whoever takes one
/// for a 0 has a maximum that is none.
const SOME_NAN: Values = |input| {
    ALL_NEGATIVE(input);
    input
        .iter_mut()
        .enumerate()
        .filter(|(i, _)| *i < 1024 || i % 3 == 0)
        .for_each(|(_, value)| *value = f32::NAN);
};

/// One number and otherwise NaN. Its place in a tree is now in front of its partner and now behind, whatever is
/// paired: whoever takes NaN for the larger of two on either side has lost it.
const ONE_AMONG_NAN: Values = |input| {
    input.fill(f32::NAN);
    input[0b10_1010_1010] = -2.5;
};
/// Of every kind, but none above a denormal: the maximum is one, and who flushes it to zero has another.
const UP_TO_A_DENORMAL: Values = |input| {
    sprinkle(input);
    input.iter_mut().for_each(|value| *value = if *value == 0.0 { -0.0 } else { -value.abs() });
    input.iter_mut().filter(|value| **value == 0.0).for_each(|value| *value = -1.0e-44);
    input.iter_mut().filter(|value| value.is_nan()).step_by(2).for_each(|value| *value = f32::NAN);
};
const ONE_NUMBER: Values = |input| input.fill(-2.5);
/// Both zeros and nothing above.
const ZEROS_ON_TOP: Values = |input| {
    ALL_NEGATIVE(input);
    input.iter_mut().step_by(3).for_each(|value| *value = -0.0);
    input.iter_mut().skip(1).step_by(7).for_each(|value| *value = 0.0);
};

const DIGITS: Values = last_digit_of_floats;

/// Name, size, values, where.
type Row = (&'static str, Size, Values, On);
const CASES: &[Row] = &[
    ("one element, negative", Elements(1), ALL_NEGATIVE, On::Everywhere),
    ("n = 20, less than a warp, all negative", Elements(20), ALL_NEGATIVE, On::Everywhere),
    ("n = 255, the largest last", Elements(255), LARGEST_LAST, On::Everywhere),
    ("n = 257, nothing but -infinity", Elements(257), ALL_NEGATIVE_INFINITY, On::Everywhere),
    ("n = 1023, infinity first", Elements(1023), INFINITY_FIRST, On::Everywhere),
    ("n = 1025, all negative", Elements(1025), ALL_NEGATIVE, On::Everywhere),
    ("n = 4096, full blocks", Elements(4096), MIXED, On::Everywhere),
    ("n = 5000, some NaN, the rest negative", Elements(5000), SOME_NAN, On::Everywhere),
    ("n = 1000, one negative number among NaN", Elements(1000), ONE_AMONG_NAN, On::Everywhere),
    ("n = 3001, negative and down to denormals, some NaN", Elements(3001), UP_TO_A_DENORMAL, On::Everywhere),
    ("n = 777, zeros of both signs on top", Elements(777), ZEROS_ON_TOP, On::Everywhere),
    ("n = 70 001, one negative number", Elements(70_001), ONE_NUMBER, On::Everywhere),
    ("n = 2 097 229, more than 21 bits count", Elements((1 << 21) + 77), MIXED, On::Large),
    ("three launch levels, the largest last", ThreeLevels, LARGEST_LAST, On::Everywhere),
    ("n = 16 777 217, the largest last", Elements((1 << 24) + 1), LARGEST_LAST, On::Gpu),
    ("n = 134 217 728, timed", Elements(1 << 27), MIXED, On::GpuTimed),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, Elements(n), DIGITS, On::Everywhere))
}

impl Exercise for Reduction {
    fn about(&self) -> About {
        About {
            id: "03-reduction",
            title: "Reduction: the maximum of n floats",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/03-reduction/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/03-reduction/steps":
                "1-divergent", "2-conflicting", "4-last-warp",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["reduce_max"],
            stub_fails: &[Failure::CORRECT],
            constants: &[ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 }],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/reduce_max.cu"),
                plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE),
            }),
            // Blocks of the learner's size, so that their maxima can be compared.
            reference: Some(Reference {
                source: include_str!("../../../kernels/references/block_maxima.cu"),
                plan: |case, seed, constants| plan(case, seed, constants.get(BLOCK_SIZE) as usize),
            }),
            // Measured on an H200 (`solutions/measured/h200.json`): the tree in this shape is hardly faster
            // than the baseline's, too little for a pass; finishing the last warp with shuffles gives 1.4.
            speed_goals: SpeedGoals { expert_speedup: Some(1.25), ..SpeedGoals::default() },
            yardstick: Some("4-last-warp"),
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
        plan(case, seed, constants.get(BLOCK_SIZE) as usize)
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | NegativeOnly | EqualNeighbours | Fraction | AllBits | Crowded | LongDimension | LargeIndex
            | OneElement | Ragged => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
            NoElement => Declared::Not("no element takes no block, and a launch has at least one"),
            Misaligned => Declared::Not("arrays begin where allocations do"),
        }
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        let levels = || levels(setting(case).1.elements(block_size), block_size);
        let blocks: usize = levels().map(|n| n.div_ceil(block_size)).sum();
        let loads = tree_loads(block_size);
        vec![
            // Blocks start at multiples of 32 elements, so no sector is shared by two warps.
            Counter::GlobalLoadSectors
                .at_most(levels().map(|n| sectors(0..n)).sum(), "each sector of each level's input is read once"),
            Counter::GlobalStoreSectors.at_most(blocks, "each block writes one float"),
            Counter::SharedLoadRequests.at_most(
                blocks * loads,
                format!(
                    "blocks × loads: {blocks} × {loads}; in each round two for each warp that still has a thread at work, and one for the result"
                ),
            ),
            Counter::SharedBankConflicts.at_most(
                0,
                "the working threads of a warp can always read neighbouring words; atomics that meet at a word count, too",
            ),
            Counter::ExchangeRequests.at_most(
                blocks * exchanges(block_size),
                format!(
                    "blocks × exchanges: {blocks} × {}; one for each halving of a warp's values, and of the warps' maxima",
                    exchanges(block_size)
                ),
            ),
        ]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        let (inputs, n) = (asked.inputs, asked.inputs.len("in"));
        let block_size = asked.constants.get(BLOCK_SIZE) as usize;
        let last = levels(n, block_size).count();
        let share = match asked.output == output(last, last) {
            true => 0..n,
            false => asked.index * block_size..((asked.index + 1) * block_size).min(n),
        };
        Some(inputs.values("in", share).fold(f64::NEG_INFINITY, f64::max))
    }
}

/// What reports call the output of a launch, of so many.
fn output(launch: usize, last: usize) -> String {
    if last == 1 { "out".to_owned() } else { format!("launch {launch}'s out") }
}

/// Exchanges between the lanes of a warp that one block can need: each halves the values that a warp has, and
/// the warps' own maxima once more. With one to spare for each warp.
fn exchanges(block_size: usize) -> usize {
    const HALVINGS: usize = LANES.ilog2() as usize;
    (block_size / LANES + 1) * (HALVINGS + 1)
}

/// Shared loads (warp-level) of one block's tree: each round halves the values, and a warp takes part only
/// while one of its threads does; the result is read once more.
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
fn levels(n: usize, block_size: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(n), move |&n| (n > block_size).then(|| n.div_ceil(block_size)))
}

/// The maximum of every block's elements. `f32::max` ignores NaN like `fmaxf`.
fn maxima(input: &[f32], block_size: usize) -> Vec<f32> {
    input.chunks(block_size).map(|block| block.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect()
}

fn plan(case: &Case, seed: u64, block_size: usize) -> Plan {
    let (_, _, change, on) = setting(case);
    let (seed, low, high) = (fill::hash(seed, case.index as u64), -MAGNITUDE, MAGNITUDE);
    let n = setting(case).1.elements(block_size);
    let timed = on == On::GpuTimed;
    let mut values = Vec::new();
    let strays = (LARGEST.into(), 2.0 * f64::from(LARGEST));
    let mut contents = Fill::Strays(Strays { seed, most: (low, high), strays, one_in: 1 << 18, unit: 0.0 });
    if !timed {
        values = fill::values(n, seed, low, high);
        change(&mut values);
        contents = Fill::Data(Bytes::of(&values));
    }
    // Partial maxima that are compared: of NaN there is no telling; timed, the first launch's are enough.
    let any_nan = values.iter().any(|value| value.is_nan());

    let mut plan = Plan::new();
    let mut from = plan.buffer("in", Element::F32, &[n], contents);
    let mut expected = Vec::new();
    let last = levels(n, block_size).count();
    for (level, n) in (1..).zip(levels(n, block_size)) {
        let blocks = n.div_ceil(block_size);
        let to = plan.buffer(&output(level, last), Element::F32, &[blocks], Fill::Uninitialized);
        plan.launch(Launch::new("reduce_max", blocks, block_size).buffers([from, to]).ints([n]));
        values = maxima(&values, block_size);
        if blocks == 1 || !any_nan && (!timed || level == 1) {
            expected.push((to, values.iter().copied().map(f64::from).collect()));
        }
        from = to;
    }
    for (buffer, maxima) in expected {
        plan.expect_values(case, buffer, Tolerance::Exact, |_| maxima);
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
            let (_, three, ..) =
                CASES.iter().find(|(_, size, ..)| *size == ThreeLevels).expect("there is one");
            assert_eq!(levels(three.elements(block_size), block_size).count(), 3, "{block_size}");
        }
    }

    #[test]
    fn a_tree_of_256_reads_25_times() {
        // Rounds of 128, 64, 32, 16, 8, 4, 2, 1 threads: 4 + 2 + 6 × 1 warps, two reads each, and the result.
        assert_eq!(tree_loads(256), 25);
    }

    #[test]
    fn nan_is_ignored_and_never_everything() {
        let mut input = fill::values(5000, 1, -MAGNITUDE, MAGNITUDE);
        SOME_NAN(&mut input);
        let maxima = maxima(&input, 256);
        assert_eq!(maxima[0], f32::NEG_INFINITY);
        assert!(maxima[19].is_finite());
    }
}
