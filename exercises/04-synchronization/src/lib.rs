//! 04-synchronization: a clinic of four kernels whose synchronization is to be repaired.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | none: what is repaired here is order, not speed |
//! | counters | barriers: those that are needed, and no more; no atomics |
//! | pass speedup, expert | none |
//!
//! Each case runs one of the four, so that a report says which is still ill.

use harness::{
    exercise::{
        About, Case, Constants, Counter, CounterBound, Declared, Exercise, On, ValueClass, last_digit,
        reach_for_the_ends,
    },
    fill,
    plan::{Bytes, Element, Fill, Launch, Plan, Tolerance},
    report::{Failure, FindingKind, Goal, number_of},
    traffic::LANES,
};

/// The exercise.
pub static EXERCISE: Synchronization = Synchronization;

/// Repairs four kernels.
pub struct Synchronization;

/// `BLOCK_SIZE` and `WEIGHTS` of the stub.
const BLOCK: usize = 256;
const WEIGHTS: usize = 64;
const WARPS: usize = BLOCK / LANES;
/// Largest magnitude of an element; times a weight, or 32 times, it fits into an `int`.
const MAGNITUDE: f64 = 1.0e6;
const LARGEST_WEIGHT: f64 = 1000.0;

/// One of the four and its size.
#[derive(Clone, Copy)]
enum Patient {
    Weigh { n: usize },
    CountRises { rows: usize, width: usize },
    ReverseRuns { n: usize, blocks: usize },
    WarpSums { n: usize },
}

use Patient::{CountRises, ReverseRuns, WarpSums, Weigh};

/// What is done to random elements and weights.
type Values = fn(&mut [i32], &mut [i32]);
const RANDOM: Values = |_, _| {};
/// Numbers of all bits, next to each other, in an order in which their differences do not fit; and zeros.
const ENDS: Values = |input, _| {
    const ENDS: [i32; 6] = [i32::MIN, i32::MAX, i32::MAX, i32::MIN, (1 << 30) + 1, -(1 << 30) - 1];
    for (at, value) in input.iter_mut().enumerate().filter(|(at, _)| matches!(at % 5, 0 | 1 | 4)) {
        *value = if at % 5 == 4 { 0 } else { ENDS[at % ENDS.len()] };
    }
};
/// The same where a warp's elements are added up, and two neighbours that are equal.
const ENDS_THAT_ADD_UP: Values = |input, _| {
    reach_for_the_ends(input, LANES);
    input[1] = input[0];
};
/// The same where elements meet weights: where one has all bits the other is 1, and the other way round.
const ENDS_THAT_MULTIPLY: Values = |input, weights| {
    ENDS(input, &mut []);
    ENDS(weights, &mut []);
    let half = WEIGHTS / 2;
    input.iter_mut().enumerate().filter(|(at, _)| at % WEIGHTS < half).for_each(|(_, value)| *value = 1);
    weights[half..].fill(1);
};
/// Each element is one more than the one before it: the least rise there is, and less than floats tell apart.
const RISING_BY_ONE: Values = |input, _| (1 << 30..).zip(input).for_each(|(at, value)| *value = at);
const ONE_NEGATIVE: Values = |input, _| input.fill(-7);

const DIGITS: Values = |input, weights| {
    last_digit(input);
    last_digit(weights);
};
/// Of a tiny case.
const TINY_ROWS: usize = 2;

/// Name, patient, values, where.
type Row = (&'static str, Patient, Values, On);
const CASES: &[Row] = &[
    ("weigh, n = 1", Weigh { n: 1 }, RANDOM, On::Everywhere),
    ("weigh, n = 256", Weigh { n: 256 }, RANDOM, On::Everywhere),
    ("weigh, n = 1000", Weigh { n: 1000 }, RANDOM, On::Everywhere),
    ("weigh, n = 600, weights of all bits", Weigh { n: 600 }, ENDS_THAT_MULTIPLY, On::Everywhere),
    ("count_rises, 3 rows of 20", CountRises { rows: 3, width: 20 }, RANDOM, On::Everywhere),
    ("count_rises, 2 rows of 512", CountRises { rows: 2, width: 512 }, RANDOM, On::Everywhere),
    (
        "count_rises, 2 rows of 257, rising by one",
        CountRises { rows: 2, width: 257 },
        RISING_BY_ONE,
        On::Everywhere,
    ),
    ("count_rises, 3 rows of 1001", CountRises { rows: 3, width: 1001 }, ENDS, On::Everywhere),
    ("reverse_runs, n = 20, one block", ReverseRuns { n: 20, blocks: 1 }, RANDOM, On::Everywhere),
    ("reverse_runs, n = 1500, one block", ReverseRuns { n: 1500, blocks: 1 }, RANDOM, On::Everywhere),
    ("reverse_runs, n = 2048, two blocks", ReverseRuns { n: 2048, blocks: 2 }, RANDOM, On::Everywhere),
    ("reverse_runs, n = 2000, three blocks", ReverseRuns { n: 2000, blocks: 3 }, ENDS, On::Everywhere),
    ("warp_sums, n = 1", WarpSums { n: 1 }, RANDOM, On::Everywhere),
    ("warp_sums, n = 512", WarpSums { n: 512 }, RANDOM, On::Everywhere),
    ("warp_sums, n = 1001", WarpSums { n: 1001 }, ENDS_THAT_ADD_UP, On::Everywhere),
    ("weigh, n = 70 001, one negative number", Weigh { n: 70_001 }, ONE_NEGATIVE, On::Everywhere),
    ("weigh, n = 2 097 229, more than 21 bits count", Weigh { n: (1 << 21) + 77 }, RANDOM, On::Large),
    (
        "reverse_runs, n = 2 097 229, more than 21 bits count",
        ReverseRuns { n: (1 << 21) + 77, blocks: 64 },
        RANDOM,
        On::Large,
    ),
    ("warp_sums, n = 2 097 229, more than 21 bits count", WarpSums { n: (1 << 21) + 77 }, RANDOM, On::Large),
    ("count_rises, 1 row of 70 001", CountRises { rows: 1, width: 70_001 }, RANDOM, On::Everywhere),
    ("reverse_runs, n = 70 001, five blocks", ReverseRuns { n: 70_001, blocks: 5 }, RANDOM, On::Everywhere),
    ("warp_sums, n = 70 001", WarpSums { n: 70_001 }, RANDOM, On::Everywhere),
    ("weigh, n = 10 000 019", Weigh { n: 10_000_019 }, RANDOM, On::Gpu),
    ("count_rises, 1000 rows of 10 007", CountRises { rows: 1000, width: 10_007 }, RANDOM, On::Gpu),
    ("reverse_runs, n = 10 000 019", ReverseRuns { n: 10_000_019, blocks: 1056 }, RANDOM, On::Gpu),
    ("warp_sums, n = 10 000 019", WarpSums { n: 10_000_019 }, RANDOM, On::Gpu),
    ("weigh, n = 0, no element", Weigh { n: 0 }, RANDOM, On::Everywhere),
    ("count_rises, 2 rows of 0", CountRises { rows: 2, width: 0 }, RANDOM, On::Everywhere),
    ("reverse_runs, n = 0, two blocks", ReverseRuns { n: 0, blocks: 2 }, RANDOM, On::Everywhere),
    ("warp_sums, n = 0, no element", WarpSums { n: 0 }, RANDOM, On::Everywhere),
];

/// What a case is: its row, or for a tiny case one like it.
fn setting(case: &Case) -> Row {
    case.row(CASES, |(name, patient, ..), n| {
        let patient = match patient {
            Weigh { .. } => Weigh { n },
            CountRises { .. } => CountRises { rows: TINY_ROWS, width: n },
            ReverseRuns { .. } => ReverseRuns { n, blocks: 1 },
            WarpSums { .. } => WarpSums { n },
        };
        (name, patient, DIGITS, On::Everywhere)
    })
}

impl Exercise for Synchronization {
    fn about(&self) -> About {
        About {
            id: "04-synchronization",
            title: "Synchronization: a clinic of four kernels",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/04-synchronization/kernel.cu"),
            hints: include_str!("../hints.md"),
            kernels: &["weigh", "count_rises", "reverse_runs", "warp_sums"],
            stub_fails: &[
                Failure::CORRECT,
                Failure::Goal(Goal::Counter(Counter::Barriers)),
                Failure::Finding(FindingKind::BarrierDivergence),
                Failure::Finding(FindingKind::Race),
            ],
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        Case::list(CASES.iter().map(|&(name, .., on)| (name, on)))
    }
    fn tiny(&self, like: &Case, n: usize) -> Result<Case, &'static str> {
        let kind = match setting(like).1 {
            Weigh { .. } => format!("weigh, n = {n}"),
            CountRises { .. } => format!("count_rises, {TINY_ROWS} rows of {n}"),
            ReverseRuns { .. } => format!("reverse_runs, n = {n}, one block"),
            WarpSums { .. } => format!("warp_sums, n = {n}"),
        };
        Ok(like.as_tiny(kind, n))
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        let (_, patient, values, _) = setting(case);
        plan(patient, seed, values)
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
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let (barriers, why) = match setting(case).1 {
            Weigh { n } => (
                n.div_ceil(BLOCK).max(1),
                "one in each block, between loading the table and using it".to_owned(),
            ),
            CountRises { rows, width } => {
                // A row of nothing counts as a round: a barrier may have to be set up before it.
                let rounds = width.div_ceil(BLOCK).max(1);
                let why = format!(
                    "{} with two each for a row, and one before the counts are added up",
                    number_of(rounds, "round")
                );
                (rows * (2 * rounds + 1), why)
            }
            // Of no run, too, a barrier may have to be set up.
            ReverseRuns { n, blocks } => {
                ((2 * n.div_ceil(BLOCK)).max(blocks), "two for each run of elements".to_owned())
            }
            WarpSums { .. } => (0, "warps have nothing to do with each other".to_owned()),
        };
        let why = format!("{why}; each of {WARPS} warps counts");
        vec![
            Counter::Barriers.at_most(barriers * WARPS, why),
            Counter::GlobalAtomicRequests.at_most(0, "no block writes what another one reads or writes"),
        ]
    }
}

fn plan(patient: Patient, seed: u64, values: Values) -> Plan {
    let (kernel, blocks, elements, number, output) = match patient {
        Weigh { n } => ("weigh", n.div_ceil(BLOCK).max(1), n, n, "out"),
        CountRises { rows, width } => ("count_rises", rows, rows * width, width, "counts"),
        ReverseRuns { n, blocks } => ("reverse_runs", blocks, n, n, "out"),
        WarpSums { n } => ("warp_sums", n.div_ceil(BLOCK).max(1), n, n, "out"),
    };
    let mut input: Vec<i32> = fill::values(elements, seed, -MAGNITUDE, MAGNITUDE);
    let mut weights: Vec<i32> = fill::values(WEIGHTS, fill::hash(seed, 1), -LARGEST_WEIGHT, LARGEST_WEIGHT);
    values(&mut input, &mut weights);
    let expected = expected(patient, &input, &weights);

    let mut plan = Plan::new();
    let mut buffers = vec![plan.buffer("in", Element::I32, &[elements], Fill::Data(Bytes::of(&input)))];
    if let Weigh { .. } = patient {
        buffers.push(plan.buffer("weights", Element::I32, &[WEIGHTS], Fill::Data(Bytes::of(&weights))));
    }
    let to = plan.buffer(output, Element::I32, &[expected.len()], Fill::Uninitialized);
    buffers.push(to);
    plan.launch(Launch::new(kernel, blocks, BLOCK).buffers(buffers).ints([number]));
    plan.expect(to, Bytes::of(&expected), Tolerance::Exact);
    plan
}

/// What the kernels' comments say.
fn expected(patient: Patient, input: &[i32], weights: &[i32]) -> Vec<i32> {
    match patient {
        Weigh { .. } => {
            input.iter().zip(weights.iter().cycle()).map(|(element, weight)| element * weight).collect()
        }
        // Rows of nothing are rows all the same.
        CountRises { rows, width: 0 } => vec![0; rows],
        CountRises { width, .. } => input
            .chunks(width)
            .map(|row| row.windows(2).filter(|pair| pair[1] > pair[0]).count() as i32)
            .collect(),
        ReverseRuns { .. } => input.chunks(BLOCK).flat_map(|run| run.iter().rev()).copied().collect(),
        WarpSums { .. } => input.chunks(LANES).map(|warp| warp.iter().sum()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comments_are_meant_literally() {
        let input: Vec<i32> = (0..300).collect();
        assert_eq!(expected(Weigh { n: 300 }, &input, &[2, 3])[..4], [0, 3, 4, 9]);
        assert_eq!(expected(CountRises { rows: 2, width: 4 }, &[1, 2, 2, 3, 4, 3, 2, 1], &[]), [2, 0]);
        let reversed = expected(ReverseRuns { n: 300, blocks: 1 }, &input, &[]);
        assert_eq!((reversed[0], reversed[255], reversed[256], reversed[299]), (255, 0, 299, 256));
        assert_eq!(expected(WarpSums { n: 33 }, &input[..33], &[]), [496, 32]);
    }

    #[test]
    fn every_patient_is_seen_on_ragged_sizes() {
        let ragged = |patient: &Patient| match *patient {
            Weigh { n } | ReverseRuns { n, .. } | WarpSums { n } => !n.is_multiple_of(BLOCK),
            CountRises { width, .. } => !width.is_multiple_of(BLOCK),
        };
        let seen = CASES.iter().filter(|(_, patient, _, on)| *on == On::Everywhere && ragged(patient));
        let seen: std::collections::BTreeSet<&str> =
            seen.map(|(name, ..)| name.split(',').next().unwrap_or_default()).collect();
        assert_eq!(seen.len(), EXERCISE.about().kernels.len());
    }
}
