//! 11-coarsening: the maximum of n floats in two launches, several elements for each thread, 16 bytes for
//! each load.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/coarsening.cu`: the tree of 03-reduction, one element for each thread |
//! | counters | global requests of 16-byte loads; every sector once |
//! | pass speedup, expert | see `speed_goals` |
//!
//! Where `in` does not start at the buffer's first element, the elements before it are larger than any input:
//! a kernel that reads its first vector from the aligned address below gives them as the maximum. Behind the
//! input lies nothing.
//!
//! Timed, the largest elements are strays in secret places. One element decides a run, and nobody knows which
//! block saw it; so before anything is timed, the kernel must be right in `PROOFS` runs.
//!
//! NaN: ignored, as `fmaxf` does; no input is nothing but NaN.

use harness::{
    exercise::{
        About, Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Declared, Exercise, Inputs,
        On, OutputElement, SpeedGoals, ValueClass, last_digit_of_floats, sprinkle,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    published_steps,
    report::Failure,
    traffic::{LANES, WORDS_PER_SECTOR},
};

/// The exercise.
pub static EXERCISE: Coarsening = Coarsening;

/// Finds the maximum of n floats.
pub struct Coarsening;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const MOST_BLOCKS: &str = "MOST_BLOCKS";
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
/// Floats in a 16-byte load.
const VECTOR: usize = 4;
/// Floats for each thread of the first launch, as far as the blocks go; the stub's comment says so too.
const FLOATS_PER_THREAD: usize = 16;
/// Largest magnitude of a random element.
const MAGNITUDE: f64 = 1.0e6;
const LARGEST: f32 = 2.0 * MAGNITUDE as f32;

/// Requests more than there must be, where an unrolled loop ends in another round for some lanes of the one
/// warp in which the input ends. Those lanes may be a round ahead of the others all the way, so that each of
/// its requests fetches parts of two runs.
const UNEVEN: usize = 16;

/// Who leaves a twentieth of the input unread is right in one of so many runs with a probability of 0.95, and
/// in all of them with one of 0.04.
const PROOFS: u32 = 64;
/// Fewer blocks than this would leave one of them the work, and the second launch none.
const LEAST_BLOCKS: i64 = 32;

/// What lies before an input that starts in the middle of a sector: more than any element.
const BEFORE_THE_INPUT: f32 = 3.0 * MAGNITUDE as f32;

/// What is done to random elements, where the first launch has so many threads.
type Values = fn(&mut [f32], usize);
const MIXED: Values = |_, _| {};
const ALL_NEGATIVE: Values = |input, _| input.iter_mut().for_each(|value| *value = -value.abs() - 1.0);
const ALL_NEGATIVE_INFINITY: Values = |input, _| input.fill(f32::NEG_INFINITY);
const INFINITY_FIRST: Values = |input, _| input[0] = f32::INFINITY;
const LARGEST_LAST: Values = |input, _| input[input.len() - 1] = LARGEST;
const LARGEST_THIRD: Values = |input, _| input[2] = LARGEST;
/// The last element of a run of any power of two up to 2^16: what an unrolled loop takes last.
const LARGEST_AT_65_535: Values = |input, _| input[65_535] = LARGEST;
const LARGEST_THIRD_FROM_LAST: Values = |input, _| input[input.len() - 3] = LARGEST;
/// The largest last.
const ALL_NEGATIVE_AND_RISING: Values = |input, _| {
    ALL_NEGATIVE(input, 0);
    input.sort_unstable_by(f32::total_cmp);
};
/// Three words lie behind the last vector, and the vector behind whole rounds of four for each thread of 1056
/// blocks of 256.
const LARGEST_IN_THE_LAST_VECTOR: Values = |input, _| input[input.len() - 5] = LARGEST;
/// Whoever takes a NaN for a 0 has a maximum that is none.
const SOME_NAN: Values = |input, _| {
    ALL_NEGATIVE(input, 0);
    input.iter_mut().step_by(3).for_each(|value| *value = f32::NAN);
};

/// One number and otherwise NaN, misaligned by 1, so that three words lie before the first vector. All comparisons
/// that the number meets must ignore NaN, and nothing that a thread has must be forgotten. It is the first word of
/// the first vector, which thread 0 takes before anything else.
const ALONE_AT_FIRST: Values = |input, _| alone(input, 3, -2.5);
/// The second of a vector that the 17th lane takes.
const ALONE_IN_LANE_16: Values = |input, _| alone(input, 3 + 4 * 16 + 1, -2.5);
/// The second of the first vector behind as many as a block has threads, …
const ALONE_BEHIND_A_BLOCK: Values = |input, threads| alone(input, 3 + 4 * (threads / FEW) + 1, -2.5);
/// … the third behind as many as there are threads, …
const ALONE_BEHIND_ALL: Values = |input, threads| alone(input, 3 + 4 * threads + 2, -2.5);
/// … the last behind four times as many, …
const ALONE_BEHIND_FOUR: Values = |input, threads| alone(input, 3 + 4 * 4 * threads + 3, f32::INFINITY);
/// … and behind eight times as many.
const ALONE_BEHIND_EIGHT: Values = |input, threads| alone(input, 3 + 4 * 8 * threads, -2.5);
/// The first word behind as many as there are threads.
const ALONE_BEHIND_WORDS: Values = |input, threads| alone(input, threads, -2.5);

fn alone(input: &mut [f32], at: usize, number: f32) {
    input.fill(f32::NAN);
    input[at] = number;
}

/// Of every kind, but none above a denormal: the maximum is one, and who flushes it to zero has another.
const UP_TO_A_DENORMAL: Values = |input, _| {
    sprinkle(input);
    input.iter_mut().for_each(|value| *value = if *value == 0.0 { -1.0e-44 } else { -value.abs() });
    input.iter_mut().filter(|value| value.is_nan()).step_by(2).for_each(|value| *value = f32::NAN);
};
const ONE_NUMBER: Values = |input, _| input.fill(-2.5);
/// Both zeros and nothing above.
const ZEROS_ON_TOP: Values = |input, _| {
    ALL_NEGATIVE(input, 0);
    input.iter_mut().step_by(3).for_each(|value| *value = -0.0);
    input.iter_mut().skip(1).step_by(7).for_each(|value| *value = 0.0);
};

const DIGITS: Values = |input, _| last_digit_of_floats(input);

/// As many blocks in the first launch as `MOST_BLOCKS` says.
const MANY: usize = usize::MAX;
/// So few that every thread goes round often.
const FEW: usize = 2;

/// Name, elements, floats before the first one in its sector, values, blocks at most, where.
type Row = (&'static str, usize, usize, Values, usize, On);
const CASES: &[Row] = &[
    ("one element, negative", 1, 0, ALL_NEGATIVE, MANY, On::Everywhere),
    ("n = 2, misaligned by 1", 2, 1, ALL_NEGATIVE, MANY, On::Everywhere),
    // Of these two n is a multiple of 4, and what is left behind the last whole vector is not nothing.
    ("n = 20, misaligned by 1, negative and rising", 20, 1, ALL_NEGATIVE_AND_RISING, MANY, On::Everywhere),
    (
        "n = 24, misaligned by 3, the largest third from last",
        24,
        3,
        LARGEST_THIRD_FROM_LAST,
        MANY,
        On::Everywhere,
    ),
    ("n = 257, nothing but -infinity", 257, 0, ALL_NEGATIVE_INFINITY, MANY, On::Everywhere),
    ("n = 1023, misaligned by 2, infinity first", 1023, 2, INFINITY_FIRST, MANY, On::Everywhere),
    // Fewer vectors than threads, and nothing behind the last one.
    ("n = 1000, the largest last", 1000, 0, LARGEST_LAST, MANY, On::Everywhere),
    ("n = 1000, misaligned by 1, the largest third", 1000, 1, LARGEST_THIRD, MANY, On::Everywhere),
    ("n = 4096, the largest last", 4096, 0, LARGEST_LAST, MANY, On::Everywhere),
    ("n = 5001, some NaN, the rest negative", 5001, 0, SOME_NAN, MANY, On::Everywhere),
    (
        "n = 3001, misaligned by 1, negative and down to denormals, some NaN",
        3001,
        1,
        UP_TO_A_DENORMAL,
        MANY,
        On::Everywhere,
    ),
    ("n = 777, zeros of both signs on top", 777, 0, ZEROS_ON_TOP, MANY, On::Everywhere),
    ("n = 70 001, one negative number", 70_001, 0, ONE_NUMBER, MANY, On::Everywhere),
    (
        "n = 2 097 229, misaligned by 2, more than 21 bits count, the largest third from last",
        (1 << 21) + 77,
        2,
        LARGEST_THIRD_FROM_LAST,
        MANY,
        On::Large,
    ),
    (
        "n = 8 650 829, misaligned by 2, more than 21 bits count vectors, the largest in the last one",
        8_650_829,
        2,
        LARGEST_IN_THE_LAST_VECTOR,
        MANY,
        On::Large,
    ),
    (
        "n = 65 533, one vector less than whole runs, the largest last",
        65_533,
        0,
        LARGEST_LAST,
        MANY,
        On::Everywhere,
    ),
    ("n = 70 002, the largest at 65 535", 70_002, 0, LARGEST_AT_65_535, MANY, On::Everywhere),
    ("n = 70 002, misaligned by 1, the largest last", 70_002, 1, LARGEST_LAST, MANY, On::Everywhere),
    ("n = 70 003, misaligned by 3, all negative", 70_003, 3, ALL_NEGATIVE, MANY, On::Everywhere),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, first",
        70_002,
        1,
        ALONE_AT_FIRST,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, in lane 16",
        70_002,
        1,
        ALONE_IN_LANE_16,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, behind a vector for each of a block",
        70_002,
        1,
        ALONE_BEHIND_A_BLOCK,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, behind a vector for each thread",
        70_002,
        1,
        ALONE_BEHIND_ALL,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, infinity among NaN, behind four",
        70_002,
        1,
        ALONE_BEHIND_FOUR,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, behind eight",
        70_002,
        1,
        ALONE_BEHIND_EIGHT,
        FEW,
        On::Everywhere,
    ),
    (
        "two blocks, n = 70 002, misaligned by 1, one negative number among NaN, behind a word for each",
        70_002,
        1,
        ALONE_BEHIND_WORDS,
        FEW,
        On::Everywhere,
    ),
    ("n = 16 777 217, misaligned by 3, the largest last", (1 << 24) + 1, 3, LARGEST_LAST, MANY, On::Gpu),
    ("n = 268 435 456, timed", 1 << 28, 0, MIXED, MANY, On::GpuTimed),
    ("n = 0, no element", 0, 0, MIXED, MANY, On::Everywhere),
    ("n = 0, misaligned by 1", 0, 1, MIXED, MANY, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, ..), n| (name, n, 0, DIGITS, MANY, On::Everywhere))
}

impl Exercise for Coarsening {
    fn about(&self) -> About {
        About {
            id: "11-coarsening",
            title: "Coarsening: the maximum at the speed of memory",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/11-coarsening/kernel.cu"),
            steps: published_steps!(
                "../../../solutions/11-coarsening/steps":
                "1-blocked", "2-grid-stride", "4-shuffles", "5-runs",
            ),
            hints: include_str!("../hints.md"),
            kernels: &["reduce_max"],
            stub_fails: &[Failure::CORRECT],
            constants: &[
                ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
                ConstantBound { name: MOST_BLOCKS, at_least: LEAST_BLOCKS, at_most: 65_535, multiple_of: 1 },
            ],
            baseline: Some(Baseline {
                source: include_str!("../../../kernels/baselines/coarsening.cu"),
                plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE, &tree_launches(setting(case).1)),
            }),
            // Measured on an H200: one element for each thread is the baseline; many with 4-byte loads are
            // 2.8 times as fast, with 16-byte loads 4.6 times, which is what a pass takes. The last step
            // reads faster than a copy reads and writes, and than CUB's reduction.
            speed_goals: SpeedGoals {
                pass_speedup: Some(3.6),
                expert_roof_share: Some(0.98),
                ..SpeedGoals::default()
            },
            yardstick: Some("5-runs"),
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
        let block_size = constants.get(BLOCK_SIZE) as usize;
        plan(case, seed, block_size, &[blocks(case, constants), 1])
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | NegativeOnly | EqualNeighbours | Fraction | AllBits | Crowded | LongDimension | LargeIndex
            | OneElement | NoElement | Ragged | Misaligned => Declared::Here,
            Least | Greatest => Declared::Not("floats have infinities instead"),
        }
    }
    fn proofs(&self, _: &Case) -> u32 {
        PROOFS
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, n, offset, ..) = setting(case);
        let partials = blocks(case, constants);
        let (first, second) = (Share::of(n, offset), Share::of(partials, 0));
        let rounds = first.vectors.div_ceil(partials * constants.get(BLOCK_SIZE) as usize);
        vec![
            Counter::GlobalLoadRequests.at_most(
                first.requests() + second.requests() + UNEVEN,
                format!(
                    "{} + {} vectors of 4 floats, {LANES} to a request; one request more for the floats at each end, and \
                     {UNEVEN} where lanes of a warp end in different rounds",
                    first.vectors, second.vectors
                ),
            ),
            Counter::GlobalLoadSectors.at_most(
                first.sectors() + second.sectors() + UNEVEN + rounds,
                "each sector of both launches' input is read once, and once more where two requests share it; the warp \
                 in which the input ends may read one sector more in each round",
            ),
            Counter::GlobalStoreSectors.at_most(partials + 1, "each block writes one float, in both launches"),
        ]
    }
    fn recompute(&self, case: &Case, asked: &OutputElement<'_>) -> Option<f64> {
        Some(maximum(&asked.inputs, setting(case).2))
    }
}

/// `f64::max` ignores NaN like `fmaxf`.
fn maximum(inputs: &Inputs<'_>, offset: usize) -> f64 {
    inputs.values("in", offset..inputs.len("in")).fold(f64::NEG_INFINITY, f64::max)
}

/// Blocks of the first launch.
fn blocks(case: &Case, constants: &Constants) -> usize {
    let (_, n, _, _, most, _) = setting(case);
    let threads = constants.get(BLOCK_SIZE) as usize;
    n.div_ceil(FLOATS_PER_THREAD * threads).max(1).min(constants.get(MOST_BLOCKS) as usize).min(most)
}

/// Blocks of the baseline's launches: each reduces the results of the one before.
fn tree_launches(n: usize) -> Vec<usize> {
    let next = |n: usize| n.div_ceil(BASELINE_BLOCK_SIZE).max(1);
    std::iter::successors(Some(next(n)), |&blocks| (blocks > 1).then(|| next(blocks))).collect()
}

/// How n floats fall into whole aligned vectors and what is left before and after them.
struct Share {
    n: usize,
    offset: usize,
    head: usize,
    vectors: usize,
    tail: usize,
}

impl Share {
    /// Of n floats, the first of which is the `offset`th of a sector.
    fn of(n: usize, offset: usize) -> Self {
        let head = (offset.next_multiple_of(VECTOR) - offset).min(n);
        let vectors = (n - head) / VECTOR;
        Share { n, offset, head, vectors, tail: n - head - VECTOR * vectors }
    }
    fn ends(&self) -> usize {
        usize::from(self.head > 0) + usize::from(self.tail > 0)
    }
    fn requests(&self) -> usize {
        self.vectors.div_ceil(LANES) + self.ends()
    }
    fn sectors(&self) -> usize {
        // A misaligned run of 32 vectors begins in the middle of a sector, which the run before it has read,
        // too.
        let aligned = (self.offset + self.head).is_multiple_of(WORDS_PER_SECTOR);
        let cut = if aligned { 0 } else { self.vectors.div_ceil(LANES) };
        (self.offset + self.n).div_ceil(WORDS_PER_SECTOR) + cut + self.ends()
    }
}

/// Launches over the input and then over each launch's results, with so many blocks in each; the last has
/// one.
fn plan(case: &Case, seed: u64, block_size: usize, launches: &[usize]) -> Plan {
    let (_, n, offset, change, most, on) = setting(case);
    let (seed, low, high) = (fill::hash(seed, case.index as u64), -MAGNITUDE, MAGNITUDE);
    let strays = (LARGEST.into(), 2.0 * f64::from(LARGEST));
    let mut contents = Fill::Strays(Strays { seed, most: (low, high), strays, one_in: 1 << 18, unit: 0.0 });
    if on != On::GpuTimed {
        let mut elements = fill::values(n, seed, low, high);
        change(&mut elements, launches[0].min(most) * block_size);
        contents = Fill::Data(Bytes::of(&[&vec![BEFORE_THE_INPUT; offset], &elements[..]].concat()));
    }

    let mut plan = Plan::new();
    let mut output = plan.buffer("in", Element::F32, &[offset + n], contents);
    let mut from = (Argument::Buffer { buffer: output, offset }, n);
    for (left, &blocks) in (1..=launches.len()).rev().zip(launches) {
        // The baseline has more launches, and its last results have the same name.
        let name = if left == 1 { "out".to_owned() } else { plan.of_next_launch("out") };
        output = plan.buffer(&name, Element::F32, &[blocks], Fill::Uninitialized);
        let launch = Launch::new("reduce_max", blocks, block_size).argument(from.0);
        plan.launch(launch.buffers([output]).ints([from.1]));
        from = (Argument::buffer(output), blocks);
    }
    plan.expect_values(case, output, Tolerance::Exact, |inputs| vec![maximum(inputs, offset)]);
    plan.minimum_bytes = 4 * n as u64;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_cut_at_multiples_of_16_bytes() {
        let cut = |n, offset| {
            let Share { head, vectors, tail, .. } = Share::of(n, offset);
            (head, vectors, tail)
        };
        assert_eq!(cut(3, 3), (1, 0, 2));
        assert_eq!(cut(1, 1), (1, 0, 0));
        assert_eq!(cut(20, 1), (3, 4, 1));
        assert_eq!(cut(5001, 0), (0, 1250, 1));
    }

    #[test]
    fn runs_of_vectors_that_begin_inside_a_sector_read_it_twice() {
        // 128 floats from the fourth of a sector: one request over 17 sectors.
        assert_eq!(Share::of(128, 4).sectors(), 18);
        assert_eq!(Share::of(128, 0).sectors(), 16);
    }

    #[test]
    fn the_trees_launches_end_with_one_block() {
        assert_eq!(tree_launches(1), [1]);
        assert_eq!(tree_launches(70_002), [274, 2, 1]);
    }
}
