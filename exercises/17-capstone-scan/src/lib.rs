//! 17-capstone-scan: the running sums of n ints in one pass, by decoupled look-back.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/device_scan.cu`: three phases, every element read and written twice |
//! | counters | every sector written once; a few status words for each tile |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! How often a tile's status is looked at depends on who waits for whom, so loads have no bound. Sums are exact.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, Permits,
        SpeedGoals,
    },
    fill,
    plan::{Argument, BufferId, Bytes, Element, Expectation, Expected, Fill, Launch, Plan, Step, Tolerance},
};

/// The exercise.
pub static EXERCISE: CapstoneScan = CapstoneScan;

/// Scans any number of elements in one pass.
pub struct CapstoneScan;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const ITEMS_PER_THREAD: &str = "ITEMS_PER_THREAD";
/// How the launches go: 0 is one pass, this value the three phases.
const WAY: &str = "WAY";
const THREE_PHASES: i64 = 1;
const INTS_PER_SECTOR: usize = 8;
/// Words of a tile's status.
const STATUS_WORDS: usize = 4;
/// Sectors that a tile may write besides its results: ticket, sum, prefix and their flags.
const SECTORS_PER_TILE: usize = 8;
/// Sectors that the last tile may write twice, where an unrolled loop ends in another round for some lanes of a warp.
const RAGGED_SECTORS: usize = 64;
/// Largest magnitude of an element: sums of 2²⁸ random ones stay far below 2³¹.
const MAGNITUDE: f64 = 1000.0;
/// No case of the simulator has more elements.
const MOST_SIMULATED: usize = 1100 * 2048;

/// How the elements are cut, and how the launches go.
#[derive(Clone, Copy)]
struct Shape {
    block: usize,
    tile: usize,
    way: i64,
}

/// The baseline's own choice.
const BASELINE: Shape = Shape { block: 256, tile: 2048, way: THREE_PHASES };

impl Shape {
    fn of(constants: &Constants) -> Self {
        let block = constants.get(BLOCK_SIZE) as usize;
        let tile = block * constants.get(ITEMS_PER_THREAD) as usize;
        Shape { block, tile, way: constants.get(WAY) }
    }
    fn elements(self, case: &Case) -> usize {
        match CASES[case.index] {
            (_, Elements(n), _, _) => n,
            (_, Tiles(tiles, more), _, on) => {
                let full = tiles * self.tile;
                let full = if on == On::Everywhere { full.min(MOST_SIMULATED) } else { full };
                full.saturating_add_signed(more)
            }
        }
    }
}

/// How many elements.
#[derive(Clone, Copy)]
enum Size {
    Elements(usize),
    /// So many tiles, and so many elements more (or fewer).
    Tiles(usize, isize),
}

use Size::{Elements, Tiles};

/// What was done before the launch.
#[derive(Clone, Copy)]
enum Done {
    Nothing,
    /// The first tiles have published their prefix, so many more only their sum; they never will publish more. Without
    /// this, a simulator whose blocks take turns would see a prefix before every tile.
    Tiles {
        with_prefix: usize,
        with_sum: usize,
    },
}

use Done::Nothing;

const fn done(with_prefix: usize, with_sum: usize) -> Done {
    Done::Tiles { with_prefix, with_sum }
}

impl Done {
    fn tiles(self) -> usize {
        match self {
            Nothing => 0,
            Done::Tiles { with_prefix, with_sum } => with_prefix + with_sum,
        }
    }
}

/// Name, size, what was done before, where. An H200 holds at most 132 × 8 blocks of 256 threads at once.
const CASES: &[(&str, Size, Done, On)] = &[
    ("n = 1", Elements(1), Nothing, On::Everywhere),
    ("n = 20, less than a warp", Elements(20), Nothing, On::Everywhere),
    ("one tile less one element", Tiles(1, -1), Nothing, On::Everywhere),
    ("one full tile", Tiles(1, 0), Nothing, On::Everywhere),
    ("two tiles and one element", Tiles(2, 1), Nothing, On::Everywhere),
    ("9 tiles, from the third: one prefix, one sum before it", Tiles(9, 0), done(1, 1), On::Everywhere),
    (
        "100 tiles and 17 elements, from tile 80: the last 70 have only sums",
        Tiles(100, 17),
        done(10, 70),
        On::Everywhere,
    ),
    ("1100 tiles less 3 elements, more than run at once", Tiles(1100, -3), Nothing, On::Everywhere),
    ("10 000 tiles and 5 elements, from tile 500: 450 sums", Tiles(10_000, 5), done(50, 450), On::Gpu),
    ("n = 268 435 456, timed", Elements(1 << 28), Nothing, On::GpuTimed),
];

impl Exercise for CapstoneScan {
    fn id(&self) -> &'static str {
        "17-capstone-scan"
    }
    fn title(&self) -> &'static str {
        "Capstone: scan in one pass"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["inclusive_scan"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct"]
    }
    fn constants(&self) -> &'static [ConstantBound] {
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 32, multiple_of: 1 },
            ConstantBound { name: WAY, at_least: 0, at_most: THREE_PHASES, multiple_of: 1 },
        ]
    }
    fn permits(&self) -> Permits {
        Permits { inline_ptx: true, ..Permits::default() }
    }
    fn cases(&self) -> Vec<Case> {
        (0..).zip(CASES).map(|(index, &(name, _, _, on))| Case { name: name.to_owned(), index, on }).collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        plan(case, seed, Shape::of(constants))
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let shape = Shape::of(constants);
        let done = CASES[case.index].2.tiles();
        let n = shape.elements(case) - done * shape.tile;
        let tiles = n.div_ceil(shape.tile);
        vec![CounterBound {
            counter: Counter::GlobalStoreSectors,
            at_least: 0,
            at_most: (n.div_ceil(INTS_PER_SECTOR) + tiles * SECTORS_PER_TILE + RAGGED_SECTORS) as u64,
            why: format!(
                "each sector of `out` is written once, at most {SECTORS_PER_TILE} more for the ticket and the status of each of \
                 {tiles} tiles, and {RAGGED_SECTORS} where lanes of a warp end in different rounds"
            ),
        }]
    }
    /// Measured on an H200: one thread that looks back makes one pass slower than three phases, so nothing is asked for a pass. With a
    /// warp that looks back and rows in registers it reaches CUB's scan, at 73 % of a copy's speed.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { expert_roof_share: Some(0.69), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/device_scan.cu"),
            plan: |case, seed| plan(case, seed, BASELINE),
        })
    }
    fn recompute(&self, _: &Case, _: &Constants, inputs: &Inputs<'_>, _: &str, index: usize) -> Option<f64> {
        Some(inputs.values("in", 0..index + 1).sum())
    }
    fn instruction_budget(&self) -> u64 {
        40_000_000
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (_, _, done, on) = CASES[case.index];
    let n = shape.elements(case);
    let seed = fill::hash(seed, case.index as u64);
    let mut plan = Plan::new();
    let contents = Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE };
    let input = plan.buffer("in", Element::I32, &[n], contents);
    let out = plan.buffer("out", Element::I32, &[n], Fill::Uninitialized);
    if on == On::GpuTimed {
        launches(&mut plan, [input, out], n, Fill::Zeros, 0, shape);
        plan.expect_reference(out, Tolerance::Exact);
    } else {
        let values: Vec<i32> = fill::values(n, seed, -MAGNITUDE, MAGNITUDE);
        let sums = running_sums(&values);
        let status = Fill::Data(Bytes::of(&published(&values, &sums, done, shape)));
        let written = launches(&mut plan, [input, out], n, status, done.tiles(), shape);
        // Read back, because the kernel writes them: they are no inputs that must stay as they were.
        plan.steps.extend(written.into_iter().map(Step::ReadBack));
        // Tiles that were done before have written their results elsewhere.
        let first = done.tiles() * shape.tile;
        plan.steps.push(Step::ReadBack(out));
        plan.expectations.push(Expectation {
            buffer: out,
            range: Some(first..n),
            expected: Expected::Elements { values: Bytes::of(&sums[first..]), tolerance: Tolerance::Exact },
        });
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

/// The scan of what is not done yet, in the shape's way. Gives the buffers with contents that the kernel writes besides its output.
fn launches(
    plan: &mut Plan,
    [input, out]: [BufferId; 2],
    n: usize,
    status: Fill,
    done: usize,
    shape: Shape,
) -> Vec<BufferId> {
    if shape.way == THREE_PHASES {
        three_phases(plan, input, out, n, shape);
        return Vec::new();
    }
    let tiles = n.div_ceil(shape.tile);
    let status = plan.buffer("status", Element::U32, &[tiles, STATUS_WORDS], status);
    let ticket = match done {
        0 => Fill::Zeros,
        _ => Fill::Data(Bytes::of(&[done as u32])),
    };
    let ticket = plan.buffer("ticket", Element::U32, &[1], ticket);
    let mut launch = launch("inclusive_scan", &[input, out, status, ticket], n, shape);
    launch.grid[0] -= done as u32;
    plan.launch(launch);
    vec![status, ticket]
}

/// The status of all tiles before the launch. A prefix stands in both places, so that a kernel may keep sum and prefix in one.
fn published(values: &[i32], sums: &[i32], done: Done, shape: Shape) -> Vec<[i32; STATUS_WORDS]> {
    let mut status = vec![[0; STATUS_WORDS]; values.len().div_ceil(shape.tile)];
    if let Done::Tiles { with_prefix, with_sum } = done {
        let tiles = values.chunks(shape.tile).zip(sums.chunks(shape.tile));
        for (tile, (values, sums)) in tiles.enumerate().take(with_prefix + with_sum) {
            let prefix = sums[sums.len() - 1];
            status[tile] =
                if tile < with_prefix { [2, prefix, prefix, 0] } else { [1, values.iter().sum(), 0, 0] };
        }
    }
    status
}

/// A block for each tile.
fn launch(kernel: &str, buffers: &[BufferId], n: usize, shape: Shape) -> Launch {
    let mut arguments: Vec<Argument> = buffers.iter().map(|&buffer| Argument::buffer(buffer)).collect();
    arguments.push(Argument::scalar(n as i32));
    Launch {
        kernel: kernel.to_owned(),
        grid: [n.div_ceil(shape.tile) as u32, 1, 1],
        block: [shape.block as u32, 1, 1],
        dynamic_shared: 0,
        arguments,
        cooperative: false,
    }
}

/// Scans all tiles by themselves, scans their sums in the same way, and adds to each tile the sum of those before it.
fn three_phases(plan: &mut Plan, input: BufferId, out: BufferId, n: usize, shape: Shape) {
    let tiles = n.div_ceil(shape.tile);
    let sums = plan.buffer(&format!("sums of {tiles} tiles"), Element::I32, &[tiles], Fill::Uninitialized);
    plan.launch(launch("inclusive_scan", &[input, out, sums, sums], n, shape));
    if tiles > 1 {
        let name = format!("running sums of {tiles} tiles");
        let before = plan.buffer(&name, Element::I32, &[tiles], Fill::Uninitialized);
        three_phases(plan, sums, before, tiles, shape);
        plan.launch(launch("add_before", &[out, before], n, shape));
    }
}

fn running_sums(values: &[i32]) -> Vec<i32> {
    values
        .iter()
        .scan(0, |sum, value| {
            *sum += value;
            Some(*sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_phases_of_many_tiles_take_a_level_for_each_factor() {
        let case = Case { name: String::new(), index: 7, on: On::Everywhere };
        let plan = plan(&case, 1, BASELINE);
        // 1100 tiles, whose sums are one tile: scan, scan, add.
        assert_eq!(plan.timed.len(), 3);
    }

    #[test]
    fn sums_and_prefixes_agree() {
        let values: Vec<i32> = (1..=10).collect();
        let shape = Shape { block: 2, tile: 2, way: 0 };
        let status = published(&values, &running_sums(&values), done(2, 1), shape);
        assert_eq!(status, [[2, 3, 3, 0], [2, 10, 10, 0], [1, 11, 0, 0], [0; 4], [0; 4]]);
    }

    #[test]
    fn large_tiles_do_not_make_large_cases() {
        let case = Case { name: String::new(), index: 7, on: On::Everywhere };
        let shape = Shape { block: 1024, tile: 32 * 1024, way: 0 };
        assert_eq!(shape.elements(&case), MOST_SIMULATED - 3);
    }
}
