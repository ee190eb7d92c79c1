//! 13-fences: a sum in one launch; every block publishes a partial, and the last to arrive adds them up.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/fences.cu`: two launches, the kernel boundary between them |
//! | counters | global sectors of input and partials once; a share of them for each block; one global atomic for each block |
//! | pass speedup, expert | none: what one launch less saves is hardly more than the noise (measured on an H200) |
//!
//! The launches of a case share counter and partials, as the launch before left them. Sums are exact. The
//! three ways that the chapter compares are values of one constant, so that each of them can be judged and
//! timed.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement,
        Size::{self, Elements, Pieces as Blocks},
        ValueClass, digits, need_bits_everywhere, reach_for_the_ends,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, Goal},
    traffic::sectors,
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
/// Largest magnitude of an element.
const MAGNITUDE: f64 = 1000.0;

/// Magnitude of the few large elements of a timed case, of which there are some 256: their sum is 20 times as
/// large only once in a universe, and still fits into an `int`.
const STRAY: f64 = 5.0e6;
/// Fewer blocks than this would leave nobody to wait for.
const LEAST_BLOCKS: i64 = 32;

/// The first element: it and the sums are more than a float holds exactly.
const FIRST: i32 = (1 << 30) + 1;
/// No case of the simulator has many more elements than this.
const MOST_SIMULATED: usize = 1 << 20;
/// So many elements for each thread, where that is not more: two times sixteen at once, less one, so that the first
/// few threads have sixteen elements again where the others' last fifteen go one by one.
const MOST_ROUNDS: usize = 31;
/// Elements that a thread takes at once, at most: sixteen vectors of four.
const MOST_AT_ONCE: usize = 64;
/// Sectors that a block loads while it waits at the grid's barrier, at most: four times what was counted.
const GRID_BARRIER_SECTORS: usize = 512;
/// Sectors that a launch may read twice, where the first or the last elements go by themselves.
const RAGGED_SECTORS: usize = 4;

/// What is added up.
#[derive(Clone, Copy)]
enum Sums {
    /// One launch for each size, after each other.
    Of(&'static [Size]),
    /// Zeros.
    OfZeros(Size),
    /// More elements than there are threads, several times where the threads are few.
    OfRounds,
    /// The greatest int among negative ones, then the least among positive ones.
    OfEnds(usize),
    /// Nothing but one negative number.
    OfOneNumber(usize),
    /// Numbers of one digit.
    OfDigits(usize),
}

use Sums::{Of, OfDigits, OfEnds, OfOneNumber, OfRounds, OfZeros};

/// Name, what is added up, where. Of the H200's 132 multiprocessors each holds at most 8 blocks of
/// 256 threads.
type Row = (&'static str, Sums, On);
const CASES: &[Row] = &[
    ("n = 1", Of(&[Elements(1)]), On::Everywhere),
    ("n = 20, one block", Of(&[Elements(20)]), On::Everywhere),
    // Any block may be the last to arrive: in one of these grids it is the last block, in another the middle one, in
    // whatever order of blocks the simulator takes (the usual one is that block 0 comes last).
    (
        "the same counter for twelve to two blocks, the last full or of one element",
        Of(&[
            Blocks(12, 0),
            Blocks(9, 1),
            Blocks(8, 0),
            Blocks(6, 1),
            Blocks(5, 0),
            Blocks(3, 1),
            Blocks(3, 0),
            Blocks(1, 1),
        ]),
        On::Everywhere,
    ),
    (
        "n = 5003, then 20, then three blocks, then 5003: the same counter",
        Of(&[Elements(5003), Elements(20), Blocks(2, 1), Elements(5003)]),
        On::Everywhere,
    ),
    ("1200 blocks, more than run at once", Of(&[Blocks(1200, 1)]), On::Everywhere),
    ("n = 5003, nothing but zeros", OfZeros(Elements(5003)), On::Everywhere),
    ("n = 5003 twice, the greatest int, then the least", OfEnds(5003), On::Everywhere),
    ("n = 70 001, one negative number", OfOneNumber(70_001), On::Everywhere),
    ("rounds of all threads, and 17 elements more", OfRounds, On::Large),
    (
        "n = 16 777 217, then 1000, then 3 000 001",
        Of(&[Elements((1 << 24) + 1), Elements(1000), Elements(3_000_001)]),
        On::Gpu,
    ),
    ("n = 16 777 216, timed", Of(&[Elements(1 << 24)]), On::GpuTimed),
    (
        "n = 20, then 0, then two blocks: the same counter",
        Of(&[Elements(20), Elements(0), Blocks(2, 0)]),
        On::Everywhere,
    ),
    ("n = 2 097 421, more than 21 bits count", Of(&[Elements(2_097_421)]), On::Large),
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
        let get = |name| constants.get(name) as usize;
        Shape { block: get(BLOCK_SIZE), most_blocks: get(MOST_BLOCKS), way: constants.get(WAY) }
    }
    fn blocks(self, n: usize) -> usize {
        // Of no element there is a sum, too.
        n.div_ceil(self.block).clamp(1, self.most_blocks)
    }
    /// Elements of the block that has most of them.
    fn share(self, n: usize) -> usize {
        let each = MOST_AT_ONCE * self.block;
        n.min(each * n.div_ceil(each * self.blocks(n)))
    }
}

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, OfDigits(n), On::Everywhere))
}

impl Exercise for Fences {
    fn about(&self) -> About {
        About {
            id: "13-fences",
            blocks_in_any_order: true,
            title: "Fences: the last block finishes",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/13-fences/kernel.cu"),
            steps: published_steps!("../../../solutions/13-fences/steps": "2-acquire-release", "3-grid-sync"),
            hints: include_str!("../hints.md"),
            kernels: &["sum"],
            stub_fails: &[Failure::CORRECT, Failure::Goal(Goal::Counter(Counter::GlobalAtomicRequests))],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: MOST_BLOCKS, at_least: LEAST_BLOCKS, at_most: 4096, multiple_of: 1 },
                // Two launches are the baseline's way, and not what is asked for.
                ConstantBound { name: WAY, at_least: 0, at_most: COOPERATIVE, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/fences.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
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
        let sizes = sizes(case, shape);
        let blocks: Vec<usize> = sizes.iter().map(|&n| shape.blocks(n)).collect();
        // Blocks that wait at the grid's barrier look at its counter, as often as the simulator lets them.
        let (looks, looking) = match shape.way {
            COOPERATIVE => (
                GRID_BARRIER_SECTORS,
                format!("; {GRID_BARRIER_SECTORS} more while a block waits at the grid's barrier"),
            ),
            _ => (0, String::new()),
        };
        let loads = Counter::GlobalLoadSectors.at_most(
            sizes.iter().chain(&blocks).map(|&n| sectors(0..n) + RAGGED_SECTORS).sum::<usize>()
                + blocks.iter().map(|blocks| blocks * (1 + looks)).sum::<usize>(),
            format!(
                "each sector of the input is read once, and each sector of the partials once, by the last block; \
                 {RAGGED_SECTORS} of each once more, where the first or the last elements are read by themselves; an \
                 atomic is a load, too: one for each arrival{looking}"
            ),
        );
        let busiest = Counter::BusiestBlockLoadSectors.at_most(
            sizes
                .iter()
                .zip(&blocks)
                .map(|(&n, &blocks)| {
                    sectors(0..shape.share(n)) + sectors(0..blocks) + 2 * RAGGED_SECTORS + 1 + looks
                })
                .sum(),
            format!(
                "the blocks share the input: in each round of all threads, a thread takes at most {MOST_AT_ONCE} elements; \
                 the last block also reads the partials; one sector more for the arrival, and {RAGGED_SECTORS} at either \
                 end{looking}"
            ),
        );
        let arrivals = Counter::GlobalAtomicRequests
            .exactly(blocks.iter().sum(), "one arrival for each block of each launch");
        vec![loads, busiest, arrivals]
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(sum(&asked.inputs, &asked.output.replace("out", "in")))
    }
}

fn sizes(case: &Case, shape: Shape) -> Vec<usize> {
    match setting(case).1 {
        Of(sizes) => sizes.iter().map(|size| size.elements(shape.block)).collect(),
        OfZeros(size) => vec![size.elements(shape.block)],
        OfEnds(n) => vec![n; 2],
        OfOneNumber(n) | OfDigits(n) => vec![n],
        OfRounds => {
            let threads = (shape.block * shape.most_blocks).min(MOST_SIMULATED);
            vec![threads * (MOST_SIMULATED / threads).min(MOST_ROUNDS) + 17]
        }
    }
}

/// What the sum of this input must give.
fn sum(inputs: &Inputs<'_>, input: &str) -> f64 {
    inputs.values(input, 0..inputs.len(input)).sum()
}

/// Launches one sum after the other, with the same counter and partials.
fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let seed = fill::hash(seed, case.index as u64);
    let sizes = sizes(case, shape);
    let most_blocks = sizes.iter().map(|&n| shape.blocks(n)).max().unwrap_or(1);
    let mut plan = Plan::new();
    let partials = plan.buffer("partials", Element::I32, &[most_blocks], Fill::Uninitialized);
    let arrived = plan.buffer("arrived", Element::U32, &[1], Fill::Zeros);
    let launch = |from, partials, out, n, blocks| {
        let launch =
            Launch::new("sum", blocks, shape.block).buffers([from, partials, arrived, out]).ints([n]);
        Launch { cooperative: shape.way == COOPERATIVE, ..launch }
    };
    let mut outputs = Vec::new();
    for (number, &n) in (1..).zip(&sizes) {
        let contents = contents(case, number, n, fill::hash(seed, number as u64));
        let name = |parameter: &str| match sizes.len() {
            1 => parameter.to_owned(),
            _ => plan.of_next_launch(parameter),
        };
        let (from, to) = (name("in"), name("out"));
        let input = plan.buffer(&from, Element::I32, &[n], contents);
        let out = plan.buffer(&to, Element::I32, &[1], Fill::Uninitialized);
        let blocks = shape.blocks(n);
        plan.launch(launch(input, partials, out, n, blocks));
        if shape.way == TWO_LAUNCHES {
            plan.launch(launch(partials, out, out, blocks, 1));
        }
        outputs.push((from, out));
    }
    for (input, out) in outputs {
        plan.expect_values(case, out, Tolerance::Exact, |inputs| vec![sum(inputs, &input)]);
    }
    plan.minimum_bytes = 4 * sizes.iter().sum::<usize>() as u64;
    plan
}

/// What launch `number` adds up.
fn contents(case: &Case, number: usize, n: usize, seed: u64) -> Fill {
    let (low, high) = (-MAGNITUDE, MAGNITUDE);
    match setting(case) {
        (_, OfZeros(_), _) => Fill::Zeros,
        (_, OfDigits(_), _) => digits(seed),
        (_, OfOneNumber(_), _) => Fill::Repeated(Bytes::of(&[-7i32])),
        (_, OfEnds(_), _) => {
            // The first of two pieces has the greatest int, the second the least: each launch has one of them.
            let mut elements: Vec<i32> = fill::values(2 * n, seed, low, high);
            reach_for_the_ends(&mut elements, n);
            Fill::Data(Bytes::of(&elements[(number - 1) * n..number * n]))
        }
        (_, _, On::GpuTimed) => {
            let (most, strays) = ((low, high), (-STRAY, STRAY));
            Fill::Strays(Strays { seed, most, strays, one_in: 1 << 16, unit: 1.0 })
        }
        (_, _, On::Everywhere | On::Large) => {
            let mut elements = fill::values(n, seed, low, high);
            need_bits_everywhere(&mut elements);
            elements.iter_mut().take(1).for_each(|first| *first = FIRST);
            Fill::Data(Bytes::of(&elements))
        }
        _ => Fill::Random { seed, low, high },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_case_has_more_blocks_than_an_h200_holds() {
        let resident = 132 * (2048 / BASELINE.block);
        let most =
            EXERCISE.cases().iter().flat_map(|case| sizes(case, BASELINE)).map(|n| BASELINE.blocks(n)).max();
        assert!(most > Some(resident), "{most:?}");
    }
}
