//! 17-capstone-scan: the running sums of n ints in one pass, by decoupled look-back.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/device_scan.cu`: three phases, every element read and written twice |
//! | counters | every sector read and written once, a tile by each block; a few status words for each tile |
//! | pass speedup, expert | see `speed_goals` |
//!
//! How often a tile's status is looked at depends on who waits for whom; the bounds on loads leave room for several
//! times what was counted in the simulator's usual order. Sums are exact.

mod launches;

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, On,
        OutputElement, Outputs, Permits,
        Size::{self, Elements, Pieces as Tiles},
        SpeedGoals, ValueClass, last_digit, need_bits_everywhere,
    },
    fill,
    plan::{Bytes, Element, Fill, Plan, Strays, Tolerance},
    published_steps,
    report::{Failure, number_of},
    traffic::sectors,
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
/// Sectors that a tile may write besides its results: ticket, sum, prefix and their flags.
const SECTORS_PER_TILE: usize = 8;
/// Sectors that a tile may read besides its elements: ticket and statuses. A warp that looks at 32 of them needs 16, and
/// looks again while it waits.
const SECTORS_PER_LOOK_BACK: usize = 64;
/// The same for each tile that will never publish more than its sum: flag and sum, and half of them once more.
const SECTORS_PER_SUM: usize = 3;
/// The tile that looks back furthest may take so many times as much.
const LONGEST_LOOK_BACK: usize = 8;
/// Sectors that the last tile may write twice, where an unrolled loop ends in another round for some lanes of
/// a warp.
const RAGGED_SECTORS: usize = 64;
/// Elements of a vector of 16 bytes.
const VECTOR: usize = 4;
/// Largest magnitude of an element: sums of 2²⁸ random ones stay far below 2³¹.
const MAGNITUDE: f64 = 1000.0;
/// Magnitude of the few large elements of a timed case, of which there are some 256.
const STRAY: f64 = 5.0e6;

/// What is done to random elements on the simulator.
type Values = fn(&mut [i32]);
/// It and the sums are more than a float holds exactly.
const LARGE_FIRST: Values = |values| {
    need_bits_everywhere(values);
    values[0] = (1 << 30) + 1;
};
/// The sums come down from the greatest int.
const FROM_THE_GREATEST: Values = |values| {
    values.iter_mut().for_each(|value| *value = -value.abs());
    values[0] = i32::MAX;
};
/// The sums rise from the least int.
const FROM_THE_LEAST: Values = |values| {
    values.iter_mut().for_each(|value| *value = value.abs());
    values[0] = i32::MIN;
};
const ONE_NEGATIVE: Values = |values| values.fill(-7);
/// Of three neighbours the last takes off what the others add, so that every third sum is 0.
const SOME_SUMS_OF_ZERO: Values =
    |values| values.chunks_exact_mut(3).for_each(|three| three[2] = -three[0] - three[1]);
const DIGITS: Values = last_digit;
/// No case of the simulator that begins at the first tile has more elements.
const MOST_SIMULATED: usize = 1100 * 4096 - 3;
/// Nor has any that begins further on.
const MOST_FROM_THE_MIDDLE: usize = 4100 * 4096;
/// Nor has any of a GPU's, but for the timed one.
const MOST_LISTED: usize = 65_540 * 4096;

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
        let (_, size, done, _, on) = setting(case);
        let n = size.elements(self.tile);
        let whole_tiles = |most: usize| most / self.tile * self.tile;
        match on {
            On::GpuTimed => n,
            // Only tiles that have published a prefix can be cut away.
            On::Gpu => n.min(whole_tiles(MOST_LISTED).max(n - done[0] * self.tile)),
            On::Everywhere | On::Large if done == NOTHING => n.min(MOST_SIMULATED),
            On::Everywhere | On::Large => n.min(whole_tiles(MOST_FROM_THE_MIDDLE)),
        }
    }
    /// Where the elements are cut, fewer tiles have published a prefix; as many are left.
    fn done(self, case: &Case) -> Done {
        let (_, size, [prefixes, sums], ..) = setting(case);
        let gone = size.elements(self.tile).div_ceil(self.tile) - self.elements(case).div_ceil(self.tile);
        [prefixes.saturating_sub(gone), sums]
    }
}

/// Tiles that were done before the launch: the first have published their prefix, so many more only their
/// sum, and they never will publish more. Without this, a simulator whose blocks take turns would see a
/// prefix before every tile.
type Done = [usize; 2];
const NOTHING: Done = [0, 0];

/// Name, size, what was done before, values, where. An H200 holds at most 132 × 8 blocks of 256 threads at once.
type Row = (&'static str, Size, Done, Values, On);
const CASES: &[Row] = &[
    ("n = 1", Elements(1), NOTHING, LARGE_FIRST, On::Everywhere),
    ("n = 20, less than a warp", Elements(20), NOTHING, LARGE_FIRST, On::Everywhere),
    (
        "one tile less one element, every third sum is 0",
        Tiles(1, -1),
        NOTHING,
        SOME_SUMS_OF_ZERO,
        On::Everywhere,
    ),
    ("one full tile", Tiles(1, 0), NOTHING, LARGE_FIRST, On::Everywhere),
    ("two tiles and one element", Tiles(2, 1), NOTHING, LARGE_FIRST, On::Everywhere),
    (
        "three tiles less three elements, down from the greatest int",
        Tiles(3, -3),
        NOTHING,
        FROM_THE_GREATEST,
        On::Everywhere,
    ),
    (
        "three tiles less two elements, up from the least int",
        Tiles(3, -2),
        NOTHING,
        FROM_THE_LEAST,
        On::Everywhere,
    ),
    ("n = 70 001, one negative number", Elements(70_001), NOTHING, ONE_NEGATIVE, On::Everywhere),
    (
        "9 tiles, from the third: one prefix, one sum before it",
        Tiles(9, 0),
        [1, 1],
        LARGE_FIRST,
        On::Everywhere,
    ),
    (
        "100 tiles and 17 elements, from tile 80: the last 70 have only sums",
        Tiles(100, 17),
        [10, 70],
        LARGE_FIRST,
        On::Everywhere,
    ),
    ("two tiles less five elements, from the second", Tiles(2, -5), [1, 0], LARGE_FIRST, On::Everywhere),
    ("1100 tiles less 3 elements, more than run at once", Tiles(1100, -3), NOTHING, LARGE_FIRST, On::Large),
    (
        "4100 tiles, from the last but one: 4097 prefixes, one sum",
        Tiles(4100, 0),
        [4097, 1],
        LARGE_FIRST,
        On::Large,
    ),
    (
        "10 000 tiles and 5 elements, from tile 500: 450 sums",
        Tiles(10_000, 5),
        [50, 450],
        LARGE_FIRST,
        On::Gpu,
    ),
    (
        "65 540 tiles, from tile 65 538: 65 537 prefixes, one sum",
        Tiles(65_540, 0),
        [65_537, 1],
        LARGE_FIRST,
        On::Gpu,
    ),
    ("n = 268 435 456, timed", Elements(1 << 28), NOTHING, LARGE_FIRST, On::GpuTimed),
    ("n = 0, an empty tile", Elements(0), NOTHING, ONE_NEGATIVE, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, Elements(n), NOTHING, DIGITS, On::Everywhere))
}

impl Exercise for CapstoneScan {
    fn about(&self) -> About {
        About {
            id: "17-capstone-scan",
            blocks_in_any_order: true,
            title: "Capstone: scan in one pass",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/17-capstone-scan/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/17-capstone-scan/steps":
                "1-one-thread", "2-larger-tiles", "4-one-word", "5-rows-in-registers", "6-sum-first",
                "7-largest-tiles",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["inclusive_scan"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: ITEMS_PER_THREAD, at_least: 1, at_most: 32, multiple_of: 1 },
                ConstantBound { name: WAY, at_least: 0, at_most: THREE_PHASES, multiple_of: 1 },
            ],
            permits: Permits { inline_ptx: true, ..Permits::default() },
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/device_scan.cu"),
                plan: |case, seed| plan(case, seed, BASELINE),
            }),
            // Measured on an H100: one pass is slower than three phases where one thread looks back, and hardly
            // faster where a warp does, so nothing is asked for a pass. With flag and value in one word and rows in
            // registers it is faster than CUB's scan.
            speed_goals: SpeedGoals { expert_roof_share: Some(0.69), ..SpeedGoals::default() },
            yardstick: Some("7-largest-tiles"),
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
        let n = shape.elements(case) - shape.done(case).iter().sum::<usize>() * shape.tile;
        let tiles = n.div_ceil(shape.tile).max(1);
        // A tile that isn't full may go word by word by threads that have four neighbours each.
        let last = sectors(0..n % shape.tile) * (VECTOR - 1);
        let [_, sums] = shape.done(case);
        let looks = SECTORS_PER_LOOK_BACK + SECTORS_PER_SUM * sums;
        let told = number_of(tiles, "tile");
        let tile = sectors(0..n.min(shape.tile)).max(sectors(0..n % shape.tile) + last);
        vec![
            Counter::GlobalLoadSectors.at_most(
                sectors(0..n) + tiles * looks + RAGGED_SECTORS + last,
                format!(
                    "each sector of `in` is read once; each of {told} reads at most {looks} sectors for its ticket and \
                     the statuses that it looks at; {RAGGED_SECTORS} more where lanes of a warp end in different rounds, \
                     and {last} where the last tile is read word by word"
                ),
            ),
            Counter::BusiestBlockLoadSectors.at_most(
                tile + LONGEST_LOOK_BACK * looks + RAGGED_SECTORS,
                format!(
                    "a block reads one tile; at most {} sectors more for the ticket and the statuses that it looks at, and \
                     {RAGGED_SECTORS} where lanes of a warp end in different rounds",
                    LONGEST_LOOK_BACK * looks
                ),
            ),
            Counter::GlobalStoreSectors.at_most(
                sectors(0..n) + tiles * SECTORS_PER_TILE + RAGGED_SECTORS + last,
                format!(
                    "each sector of `out` is written once; each of {told} writes at most {SECTORS_PER_TILE} sectors for \
                     its ticket and its status; {RAGGED_SECTORS} more where lanes of a warp end in different rounds, and \
                     {last} where the last tile is written word by word"
                ),
            ),
        ]
    }
    fn check_outputs(&self, case: &Case, _: u64, outputs: &Outputs) -> Vec<String> {
        // Nothing is read back of three phases, and of what is timed.
        if !outputs.0.contains_key(launches::STATUS) {
            return Vec::new();
        }
        let (_, size, done, ..) = setting(case);
        // The sum of nothing is 0.
        let total = outputs.elements::<i32>("out").last().copied().or(Some(0));
        let launched = match size {
            Tiles(tiles, more) => tiles + usize::from(more > 0) - done.iter().sum::<usize>(),
            _ => usize::MAX,
        };
        launches::unpublished(&outputs.elements(launches::STATUS), done[1], launched, total)
            .into_iter()
            .collect()
    }
    fn recompute(&self, _: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(asked.inputs.values("in", 0..asked.index + 1).sum())
    }
}

fn plan(case: &Case, seed: u64, shape: Shape) -> Plan {
    let (.., change, on) = setting(case);
    let (n, done) = (shape.elements(case), shape.done(case));
    let mut plan = Plan::new();
    let seed = fill::hash(seed, case.index as u64);
    let listed = if on == On::GpuTimed { 0 } else { n };
    let mut values: Vec<i32> = fill::values(listed, seed, -MAGNITUDE, MAGNITUDE);
    let (most, strays) = ((-MAGNITUDE, MAGNITUDE), (-STRAY, STRAY));
    let mut contents = match on {
        On::GpuTimed => Fill::Strays(Strays { seed, most, strays, one_in: 1 << 20, unit: 1.0 }),
        _ => Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE },
    };
    if on.is_simulated() {
        change(&mut values);
        contents = Fill::Data(Bytes::of(&values));
    }
    let input = plan.buffer("in", Element::I32, &[n], contents);
    let out = plan.buffer("out", Element::I32, &[n], Fill::Uninitialized);
    let sums = running_sums(&values);
    if shape.way == THREE_PHASES {
        launches::three_phases(&mut plan, input, out, n, shape);
    } else {
        launches::one_pass(&mut plan, [input, out], (&values, &sums), done, shape);
    }
    if on == On::GpuTimed {
        plan.expect_reference(out, Tolerance::Exact);
    } else {
        // Tiles that were done before have written their results elsewhere.
        let first = done.iter().sum::<usize>() * shape.tile;
        plan.expect_range(out, first..n, Bytes::of(&sums[first..]), Tolerance::Exact);
    }
    plan.minimum_bytes = 2 * 4 * n as u64;
    plan
}

fn running_sums(values: &[i32]) -> Vec<i32> {
    let next = |sum: &mut i32, value: &i32| {
        *sum += value;
        Some(*sum)
    };
    values.iter().scan(0, next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The case of that size.
    fn case(size: Size) -> Case {
        let index = CASES.iter().position(|&(_, of, ..)| of == size).expect("there is one");
        Case { name: String::new(), index, on: On::Everywhere, tiny: None }
    }

    #[test]
    fn three_phases_of_many_tiles_take_a_level_for_each_factor() {
        let plan = plan(&case(Tiles(1100, -3)), 1, BASELINE);
        // 1100 tiles, whose sums are one tile: scan, scan, add.
        assert_eq!(plan.timed.len(), 3);
    }

    #[test]
    fn large_tiles_do_not_make_large_cases() {
        let shape = Shape { block: 1024, tile: 32 * 1024, way: 0 };
        assert_eq!(shape.elements(&case(Tiles(1100, -3))), MOST_SIMULATED);
        // However large its tiles are, a case launches as many as it says.
        for (index, &(name, size, done, _, on)) in
            CASES.iter().enumerate().filter(|(_, case)| case.2 != NOTHING)
        {
            let case = Case { name: name.to_owned(), index, on, tiny: None };
            let launched =
                shape.elements(&case).div_ceil(shape.tile) - shape.done(&case).iter().sum::<usize>();
            assert_eq!(
                launched,
                size.elements(shape.tile).div_ceil(shape.tile) - done.iter().sum::<usize>(),
                "{name}"
            );
        }
        // One that begins in the middle has all its tiles, or there would be no middle.
        let case = case(Tiles(100, 17));
        assert_eq!(shape.elements(&case).div_ceil(shape.tile), 101);
        plan(&case, 1, shape);
    }
}
