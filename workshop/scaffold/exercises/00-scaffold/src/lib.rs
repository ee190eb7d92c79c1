//! 00-scaffold: HOLE: one sentence on what the learner writes.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/scaffold.cu`: HOLE: the honest naive kernel in a few words |
//! | counters | HOLE: which, in a few words. Global sectors: every sector once |
//! | pass speedup, expert | HOLE: none before `workshop measure` has measured them |

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, Reference, ValueClass, digits,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Tolerance},
    published_steps,
    report::Failure,
    traffic::sectors,
};

/// The exercise.
pub static EXERCISE: Scaffold = Scaffold;

/// HOLE: what its kernel does, in the third person.
pub struct Scaffold;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// Name, number of elements, where. HOLE: the sizes that break a kernel which was lucky so far: 1, less than
/// a warp, one more than a block, no multiple of anything.
type Row = (&'static str, usize, On);
const CASES: &[Row] = &[
    ("n = 1", 1, On::Everywhere),
    ("n = 20, less than a warp", 20, On::Everywhere),
    ("n = 257, one more than a block", 257, On::Everywhere),
    ("n = 4096, full blocks", 4096, On::Everywhere),
    ("n = 5001, not a multiple of anything", 5001, On::Everywhere),
    ("n = 2 097 229, more than 21 bits count", (1 << 21) + 77, On::Large),
    ("n = 10 000 019", 10_000_019, On::Gpu),
    ("n = 67 108 864, timed", 1 << 26, On::GpuTimed),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, On::Everywhere))
}

impl Exercise for Scaffold {
    fn about(&self) -> About {
        About {
            id: "00-scaffold",
            title: "HOLE: a title",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/00-scaffold/kernel.cu"),
            steps: published_steps!("../../../solutions/00-scaffold/steps": "1-direct"),
            hints: include_str!("../hints.md"),
            kernels: &["scaffold"],
            stub_fails: &[Failure::CORRECT],
            constants: &[ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 }],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/scaffold.cu"),
                plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE),
            }),
            // The baseline in blocks of the learner's size, on which the output depends; without one, the
            // baseline as it is timed.
            reference: Some(Reference {
                source: include_str!("../../../kernels/baselines/scaffold.cu"),
                plan: |case, seed, constants| plan(case, seed, constants.get(BLOCK_SIZE) as usize),
            }),
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
    /// HOLE: the classes that its cases hold, and why it can hold none of the others.
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            Infinity | Fraction | AllBits | Crowded | LongDimension | LargeIndex | OneElement | Ragged => {
                Declared::Here
            }
            NegativeZero | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny | NegativeOnly
            | EqualNeighbours | Least | Greatest | NoElement | Misaligned => {
                Declared::Not("HOLE: a reason, or a case")
            }
        }
    }
    /// HOLE: computed from sizes, tile and alignment, never a slogan.
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        // Blocks start at multiples of 32 elements, so no sector is shared by two warps.
        let sectors = sectors(0..setting(case).1);
        vec![
            Counter::GlobalLoadSectors.at_most(sectors, "each 32-byte sector of `in` is read once"),
            Counter::GlobalStoreSectors.at_most(sectors, "each 32-byte sector of `out` is written once"),
        ]
    }
    /// HOLE: one element of the output from the inputs, where that is cheap.
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(reversed(&asked.inputs, asked.index, asked.constants.get(BLOCK_SIZE) as usize))
    }
}

/// HOLE: what the kernel must give: one element. Where all at once are cheaper, `expect_values` takes a list.
fn reversed(inputs: &Inputs<'_>, index: usize, block_size: usize) -> f64 {
    let first = index / block_size * block_size;
    let end = (first + block_size).min(inputs.len("in"));
    inputs.value("in", first + end - 1 - index)
}

fn plan(case: &Case, seed: u64, block_size: usize) -> Plan {
    let (_, n, on) = setting(case);
    let seed = fill::hash(seed, case.index as u64);

    let mut plan = Plan::new();
    let mut contents = Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
    if case.tiny.is_some() {
        contents = digits(seed);
    } else if on.is_simulated() {
        // HOLE: values that a lucky kernel gets wrong; `workshop mutate` says which are missing.
        let mut values: Vec<f32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
        values.iter_mut().step_by(7).for_each(|value| *value = 0.0);
        values.iter_mut().skip(3).step_by(11).for_each(|value| *value = f32::INFINITY);
        contents = Fill::Data(Bytes::of(&values));
    }
    let input = plan.buffer("in", Element::F32, &[n], contents);
    let out = plan.buffer("out", Element::F32, &[n], Fill::Uninitialized);
    plan.launch(Launch::new("scaffold", n.div_ceil(block_size), block_size).buffers([input, out]).ints([n]));
    // HOLE: exact, or a tolerance derived from n and the type, with the derivation in this place.
    let tolerance = Tolerance::Exact;
    plan.expect_each(case, out, tolerance, |inputs, index| reversed(inputs, index, block_size));
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_turns_round_what_it_has() {
        let mut plan = Plan::new();
        plan.buffer("in", Element::F32, &[5], Fill::Counting);
        let all = [0, 1, 2, 3, 4].map(|index| reversed(&Inputs::of(&plan), index, 3));
        assert_eq!(all, [2.0, 1.0, 0.0, 4.0, 3.0]);
    }
}
