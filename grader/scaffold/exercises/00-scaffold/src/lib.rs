//! 00-scaffold: HOLE: one sentence on what the learner writes.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/scaffold.cu`: HOLE: the honest naive kernel in a few words |
//! | counters | HOLE: which, in a few words. Global sectors: every sector once |
//! | pass speedup, expert | HOLE: none before `grader measure` has measured them |

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, Reference,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Scaffold = Scaffold;

/// HOLE: what its kernel does, in the third person.
pub struct Scaffold;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
const FLOATS_PER_SECTOR: usize = 8;
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// Name, number of elements, where. HOLE: the sizes that break a kernel which was lucky so far: 1, less than a warp, one more
/// than a block, no multiple of anything.
const CASES: &[(&str, usize, On)] = &[
    ("n = 1", 1, On::Everywhere),
    ("n = 20, less than a warp", 20, On::Everywhere),
    ("n = 257, one more than a block", 257, On::Everywhere),
    ("n = 4096, full blocks", 4096, On::Everywhere),
    ("n = 5001, not a multiple of anything", 5001, On::Everywhere),
    ("n = 10 000 019", 10_000_019, On::Gpu),
    ("n = 67 108 864, timed", 1 << 26, On::GpuTimed),
];

impl Exercise for Scaffold {
    fn id(&self) -> &'static str {
        "00-scaffold"
    }
    fn title(&self) -> &'static str {
        "HOLE: a title"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["scaffold"]
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
        (0..).zip(CASES).map(|(index, &(name, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, constants.get(BLOCK_SIZE) as usize)
    }
    /// HOLE: computed from sizes, tile and alignment, never a slogan.
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        // Blocks start at multiples of 32 elements, so no sector is shared by two warps.
        let sectors = CASES[case.index].1.div_ceil(FLOATS_PER_SECTOR) as u64;
        let once = |counter, of: &str, verb: &str| CounterBound {
            counter,
            at_least: 0,
            at_most: sectors,
            why: format!("each 32-byte sector of `{of}` is {verb} once"),
        };
        vec![
            once(Counter::GlobalLoadSectors, "in", "read"),
            once(Counter::GlobalStoreSectors, "out", "written"),
        ]
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/scaffold.cu"),
            plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE),
        })
    }
    /// The baseline in blocks of the learner's size, on which the output depends; without one, the baseline as it is timed.
    fn reference(&self) -> Option<Reference> {
        Some(Reference {
            source: include_str!("../../../kernels/baselines/scaffold.cu"),
            plan: |case, seed, constants| plan(case, seed, constants.get(BLOCK_SIZE) as usize),
        })
    }
    /// HOLE: one element of the output from the inputs.
    fn recompute(
        &self,
        case: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        index: usize,
    ) -> Option<f64> {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        let first = index / block_size * block_size;
        let end = (first + block_size).min(CASES[case.index].1);
        let from = first + end - 1 - index;
        inputs.values("in", from..from + 1).next()
    }
}

/// What the kernel must give.
fn expected(input: &[f32], block_size: usize) -> Vec<f32> {
    input.chunks(block_size).flat_map(|block| block.iter().rev().copied()).collect()
}

fn plan(case: &Case, seed: u64, block_size: usize) -> Plan {
    let (_, n, on) = CASES[case.index];
    let seed = fill::hash(seed, case.index as u64);

    let mut plan = Plan::new();
    let contents = Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
    let input = plan.buffer("in", Element::F32, &[n], contents);
    let out = plan.buffer("out", Element::F32, &[n], Fill::Uninitialized);
    plan.launch(Launch {
        kernel: "scaffold".to_owned(),
        grid: [n.div_ceil(block_size) as u32, 1, 1],
        block: [block_size as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![Argument::buffer(input), Argument::buffer(out), Argument::scalar(n as i32)],
        cooperative: false,
    });
    // HOLE: exact, or a tolerance derived from n and the type, with the derivation in this place.
    let tolerance = Tolerance::Exact;
    if on == On::GpuTimed {
        plan.expect_reference(out, tolerance);
    } else {
        let values: Vec<f32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
        plan.expect(out, Bytes::of(&expected(&values, block_size)), tolerance);
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_turns_round_what_it_has() {
        assert_eq!(expected(&[1.0, 2.0, 3.0, 4.0, 5.0], 3), [3.0, 2.0, 1.0, 5.0, 4.0]);
    }
}
