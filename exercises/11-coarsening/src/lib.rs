//! 11-coarsening: the maximum of n floats in two launches, several elements for each thread, 16 bytes for each load.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | `kernels/baselines/coarsening.cu`: the tree of 03-reduction, one element for each thread |
//! | counters | global requests of 16-byte loads; every sector once |
//! | pass speedup, expert | see [`Exercise::speed_goals`] |
//!
//! Where `in` does not start at the buffer's first element, the elements before it are larger than any input: a kernel
//! that reads its first vector from the aligned address below gives them as the maximum. Behind the input lies nothing.
//!
//! NaN: ignored, as `fmaxf` does; no input is nothing but NaN.

use harness::{
    exercise::{
        Baseline, Case, ConstantBound, Constants, Counter, CounterBound, Exercise, Inputs, On, SpeedGoals,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Tolerance},
};

/// The exercise.
pub static EXERCISE: Coarsening = Coarsening;

/// Finds the maximum of n floats.
pub struct Coarsening;

const BLOCK_SIZE: &str = "BLOCK_SIZE";
const MOST_BLOCKS: &str = "MOST_BLOCKS";
/// The baseline's own choice.
const BASELINE_BLOCK_SIZE: usize = 256;
const LANES: usize = 32;
const FLOATS_PER_SECTOR: usize = 8;
/// Floats in a 16-byte load.
const VECTOR: usize = 4;
/// Floats for each thread of the first launch, as far as the blocks go; the stub's comment says so too.
const FLOATS_PER_THREAD: usize = 16;
/// Largest magnitude of a random element.
const MAGNITUDE: f64 = 1.0e6;

/// Requests more than there must be, where an unrolled loop ends in another round for some lanes of a warp.
const UNEVEN: u64 = 16;

/// What lies before an input that starts in the middle of a sector: more than any element.
const BEFORE_THE_INPUT: f32 = 3.0 * MAGNITUDE as f32;

/// What the elements are.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    Mixed,
    AllNegative,
    AllNegativeInfinity,
    LargestFirst,
    LargestLast,
    /// Every third one NaN.
    SomeNan,
}

/// Name, elements, floats before the first one in its sector, values, where.
const CASES: &[(&str, usize, usize, Values, On)] = &[
    ("one element, negative", 1, 0, Values::AllNegative, On::Everywhere),
    ("n = 2, misaligned by 1", 2, 1, Values::AllNegative, On::Everywhere),
    ("n = 20, misaligned by 1, all negative", 20, 1, Values::AllNegative, On::Everywhere),
    ("n = 257, nothing but -infinity", 257, 0, Values::AllNegativeInfinity, On::Everywhere),
    ("n = 1023, misaligned by 2, the largest first", 1023, 2, Values::LargestFirst, On::Everywhere),
    ("n = 4096, the largest last", 4096, 0, Values::LargestLast, On::Everywhere),
    ("n = 5001, some NaN", 5001, 0, Values::SomeNan, On::Everywhere),
    ("n = 70 002, misaligned by 1, the largest last", 70_002, 1, Values::LargestLast, On::Everywhere),
    ("n = 70 003, misaligned by 3, all negative", 70_003, 3, Values::AllNegative, On::Everywhere),
    ("n = 16 777 217, misaligned by 3, the largest last", (1 << 24) + 1, 3, Values::LargestLast, On::Gpu),
    ("n = 268 435 456, timed", 1 << 28, 0, Values::Mixed, On::GpuTimed),
];

impl Exercise for Coarsening {
    fn id(&self) -> &'static str {
        "11-coarsening"
    }
    fn title(&self) -> &'static str {
        "Coarsening: the maximum at the speed of memory"
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
        &[
            ConstantBound { name: BLOCK_SIZE, at_least: 64, at_most: 1024, multiple_of: 32 },
            ConstantBound { name: MOST_BLOCKS, at_least: 1, at_most: 65_535, multiple_of: 1 },
        ]
    }
    fn cases(&self) -> Vec<Case> {
        (0..)
            .zip(CASES)
            .map(|(index, &(name, _, _, _, on))| Case { name: name.to_owned(), index, on })
            .collect()
    }
    fn plan(&self, case: &Case, seed: u64, constants: &Constants) -> Plan {
        let block_size = constants.get(BLOCK_SIZE) as usize;
        plan(case, seed, block_size, &[blocks(CASES[case.index].1, constants), 1])
    }
    fn counter_bounds(&self, case: &Case, constants: &Constants) -> Vec<CounterBound> {
        let (_, n, offset, _, _) = CASES[case.index];
        let partials = blocks(n, constants);
        let first = Share::of(n, offset);
        let second = Share::of(partials, 0);
        vec![
            CounterBound {
                counter: Counter::GlobalLoadRequests,
                at_least: 0,
                at_most: first.requests() + second.requests() + UNEVEN,
                why: format!(
                    "{} + {} vectors of 4 floats, {LANES} to a request; one more for what is left at each end, and {UNEVEN} \
                     where lanes of a warp end in different rounds",
                    first.vectors, second.vectors
                ),
            },
            CounterBound {
                counter: Counter::GlobalLoadSectors,
                at_least: 0,
                at_most: first.sectors() + second.sectors() + UNEVEN,
                why: "each sector of both launches' input once; once more where two requests share one"
                    .to_owned(),
            },
        ]
    }
    /// Measured on an H200: one element for each thread is the baseline; many with 4-byte loads are 2.84 times as fast, with 16-byte loads
    /// 4.6 times, which is what a pass takes. The last step reads faster than a copy reads and writes, and than CUB's reduction.
    fn speed_goals(&self) -> SpeedGoals {
        SpeedGoals { pass_speedup: Some(3.6), expert_roof_share: Some(0.98), ..SpeedGoals::default() }
    }
    fn baseline(&self) -> Option<Baseline> {
        Some(Baseline {
            source: include_str!("../../../kernels/baselines/coarsening.cu"),
            plan: |case, seed| plan(case, seed, BASELINE_BLOCK_SIZE, &tree_launches(CASES[case.index].1)),
        })
    }
    fn recompute(&self, case: &Case, _: &Constants, inputs: &Inputs<'_>, _: &str, _: usize) -> Option<f64> {
        let (_, n, offset, _, _) = CASES[case.index];
        Some(inputs.values("in", offset..offset + n).fold(f64::NEG_INFINITY, f64::max))
    }
}

/// Blocks of the first launch.
fn blocks(n: usize, constants: &Constants) -> usize {
    let threads = constants.get(BLOCK_SIZE) as usize;
    n.div_ceil(FLOATS_PER_THREAD * threads).min(constants.get(MOST_BLOCKS) as usize)
}

/// Blocks of the baseline's launches: each reduces the results of the one before.
fn tree_launches(n: usize) -> Vec<usize> {
    let mut launches = vec![n.div_ceil(BASELINE_BLOCK_SIZE)];
    while launches[launches.len() - 1] > 1 {
        launches.push(launches[launches.len() - 1].div_ceil(BASELINE_BLOCK_SIZE));
    }
    launches
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
    fn ends(&self) -> u64 {
        u64::from(self.head > 0) + u64::from(self.tail > 0)
    }
    fn requests(&self) -> u64 {
        self.vectors.div_ceil(LANES) as u64 + self.ends()
    }
    fn sectors(&self) -> u64 {
        // A misaligned run of 32 vectors begins in the middle of a sector, which the run before it has read, too.
        let cut = match (self.offset + self.head).is_multiple_of(FLOATS_PER_SECTOR) {
            true => 0,
            false => self.vectors.div_ceil(LANES),
        };
        ((self.offset + self.n).div_ceil(FLOATS_PER_SECTOR) + cut) as u64 + self.ends()
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
        Values::SomeNan => input.iter_mut().step_by(3).for_each(|value| *value = f32::NAN),
    }
    input
}

/// Launches over the input and then over each launch's results, with so many blocks in each; the last has one.
fn plan(case: &Case, seed: u64, block_size: usize, launches: &[usize]) -> Plan {
    let (_, elements, offset, values, on) = CASES[case.index];
    let seed = fill::hash(seed, case.index as u64);
    let input = (on != On::GpuTimed).then(|| input(elements, values, seed));
    let contents = match &input {
        None => Fill::Random { seed, low: -MAGNITUDE, high: MAGNITUDE },
        Some(input) => {
            let before = vec![BEFORE_THE_INPUT; offset];
            Fill::Data(Bytes::of(&[&before[..], input].concat()))
        }
    };

    let mut plan = Plan::new();
    let mut from = plan.buffer("in", Element::F32, &[offset + elements], contents);
    let mut argument = Argument::Buffer { buffer: from, offset };
    let mut n = elements;
    for (level, &blocks) in (1..).zip(launches) {
        let last = level == launches.len();
        let name = if last { "maximum".to_owned() } else { format!("partials of launch {level}") };
        let to = plan.buffer(&name, Element::F32, &[blocks], Fill::Uninitialized);
        plan.launch(Launch {
            kernel: "reduce_max".to_owned(),
            grid: [blocks as u32, 1, 1],
            block: [block_size as u32, 1, 1],
            dynamic_shared: 0,
            arguments: vec![argument, Argument::buffer(to), Argument::scalar(n as i32)],
            cooperative: false,
        });
        (from, argument, n) = (to, Argument::buffer(to), blocks);
    }
    match input {
        None => plan.expect_reference(from, Tolerance::Exact),
        // `f32::max` ignores NaN like `fmaxf`.
        Some(input) => {
            let maximum = input.into_iter().fold(f32::NEG_INFINITY, f32::max);
            plan.expect(from, Bytes::of(&[maximum]), Tolerance::Exact);
        }
    }
    plan.minimum_bytes = 4 * elements as u64;
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
