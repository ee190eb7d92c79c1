//! 13-fences: a sum in one launch; every block publishes a partial, and the last to arrive adds them up.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/fences.cu`: two launches, the kernel boundary between them |
//! | counters | global sectors of input and partials once; one global atomic for each block |
//! | pass speedup, expert | none: what one launch less saves is hardly more than the noise (measured on an H200) |
//!
//! The launches of a case share counter and partials, as the launch before left them. Sums are exact. The three ways that
//! the chapter compares are values of one constant, so that each of them can be judged and timed.

use harness::{
    exercise::{Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On},
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Fences = Fences;

/// Sums in one launch.
pub struct Fences;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const MOST_BLOCKS: &str = "MOST_BLOCKS";
const WAY: &str = "WAY";
/// Values of the constant WAY besides 0, one launch.
const COOPERATIVE: i64 = 1;
const TWO_LAUNCHES: i64 = 2;
const INTS_PER_SECTOR: usize = 8;
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// So many full blocks and one element.
    Blocks(usize),
}

use Size::{Blocks, Elements};

/// Name, the sizes of its launches, where. Of the H200's 132 multiprocessors each holds at most 8 blocks of 256 threads.
const CASES: &[(&str, &[Size], On)] = &[
    ("n = 1", &[Elements(1)], On::Everywhere),
    ("n = 20, one block", &[Elements(20)], On::Everywhere),
    ("one block and one element", &[Blocks(1)], On::Everywhere),
    (
        "n = 5003, then 20, then 5003: the same counter",
        &[Elements(5003), Elements(20), Elements(5003)],
        On::Everywhere,
    ),
    ("1200 blocks, more than run at once, twice", &[Blocks(1200), Blocks(1200)], On::Everywhere),
    (
        "n = 16 777 217, then 1000, then 3 000 001",
        &[Elements((1 << 24) + 1), Elements(1000), Elements(3_000_001)],
        On::Gpu,
    ),
    ("n = 16 777 216, timed", &[Elements(1 << 24)], On::GpuTimed),
];

/// How a grid is cut.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    most_blocks: usize,
    way: i64,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { block: 256, most_blocks: 2048, way: TWO_LAUNCHES };

impl Shape {
    fn of(constants: &Constants) -> Self {
        Shape {
            block: constants.get(BLOCK_SIZE) as usize,
            most_blocks: constants.get(MOST_BLOCKS) as usize,
            way: constants.get(WAY),
        }
    }
    fn elements(self, size: Size) -> usize {
        match size {
            Elements(n) => n,
            Blocks(blocks) => blocks * self.block + 1,
        }
    }
    fn blocks(self, n: usize) -> usize {
        n.div_ceil(self.block).min(self.most_blocks)
    }
}

impl Exercise for Fences {
    fn id(&self) -> &'static str {
        "13-fences"
    }
    fn title(&self) -> &'static str {
        "Fences: the last block finishes"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["sum"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct", "global_atomic_requests"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: MOST_BLOCKS, at_least: 1, at_most: 4096, multiple_of: 1 },
            ConstantBound { name: WAY, at_least: 0, at_most: TWO_LAUNCHES, multiple_of: 1 },
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
        let sizes = sizes(case, shape);
        let blocks: Vec<usize> = sizes.iter().map(|&n| shape.blocks(n)).collect();
        let sectors = |elements: &[usize]| -> usize {
            elements.iter().map(|elements| elements.div_ceil(INTS_PER_SECTOR)).sum()
        };
        vec![
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: (sectors(&sizes) + sectors(&blocks)) as u64,
                why: "each sector of the input once, and each sector of the partials once, by the last block"
                    .to_owned(),
            },
            CounterBound {
                counter: Counter::GlobalAtomicRequests,
                at_least: blocks.iter().sum::<usize>() as u64,
                at_most: blocks.iter().sum::<usize>() as u64,
                why: format!("one arrival for each block of {} launches", sizes.len()),
            },
        ]
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/fences.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
    fn recompute(
        &self,
        case: &Case,
        constants: &Constants,
        inputs: &Inputs<'_>,
        _: &str,
        _: usize,
    ) -> Option<f64> {
        let n = sizes(case, Shape::of(constants))[0];
        Some(inputs.values(&input_name(1), 0..n).sum())
    }
}

fn sizes(case: &Case, shape: Shape) -> Vec<usize> {
    CASES[case.index].1.iter().map(|&size| shape.elements(size)).collect()
}

fn input_name(launch: usize) -> String {
    format!("in of launch {launch}")
}

/// Launches one sum after the other, with the same counter and partials.
fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, _, on) = CASES[case.index];
    let seed = fill::hash(seed, case.index as u64);
    let sizes = sizes(case, shape);
    let most_blocks = sizes.iter().map(|&n| shape.blocks(n)).max().unwrap_or(1);
    let mut plan = Plan::new();
    let partials = plan.buffer("partials", Element::I32, &[most_blocks], Fill::Uninitialized);
    let arrived = plan.buffer("arrived", Element::U32, &[1], Fill::Zeros);
    let launch = |from, partials, out, n: usize, blocks: usize| Launch {
        kernel: "sum".to_owned(),
        grid: [blocks as u32, 1, 1],
        block: [shape.block as u32, 1, 1],
        dynamic_shared: 0,
        arguments: vec![
            Argument::buffer(from),
            Argument::buffer(partials),
            Argument::buffer(arrived),
            Argument::buffer(out),
            Argument::scalar(n as i32),
        ],
        cooperative: shape.way == COOPERATIVE,
    };
    let mut outputs = Vec::new();
    for (number, &n) in (1..).zip(&sizes) {
        let seed = fill::hash(seed, number as u64);
        let contents = Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
        let input = plan.buffer(&input_name(number), Element::I32, &[n], contents);
        let out = plan.buffer(&format!("out of launch {number}"), Element::I32, &[1], Fill::Uninitialized);
        let blocks = shape.blocks(n);
        plan.launch(launch(input, partials, out, n, blocks));
        if shape.way == TWO_LAUNCHES {
            plan.launch(launch(partials, out, out, blocks, 1));
        }
        outputs.push((out, n, seed));
    }
    for (out, n, seed) in outputs {
        if on == On::GpuTimed {
            plan.expect_reference(out, Tolerance::Exact);
        } else {
            let sum: i32 = fill::values::<i32>(n, seed, -MAGNITUDE, MAGNITUDE).into_iter().sum();
            plan.expect(out, Bytes::of(&[sum]), Tolerance::Exact);
        }
    }
    plan.minimum_bytes = 4 * sizes.iter().sum::<usize>() as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_case_has_more_blocks_than_an_h200_holds() {
        let size = CASES[4].1[0];
        let resident = 132 * (2048 / BASELINE.block);
        assert!(BASELINE.blocks(BASELINE.elements(size)) > resident);
    }
}
