//! 05-bank-conflicts: a detector. Predict the wavefronts of a strided shared-memory read, and time it.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | none: the kernel is an instrument, not a computation |
//! | counters | shared-load wavefronts: exactly what one read of that stride takes; no second read, and no formula in place of the first |
//! | pass speedup, expert | none |
//!
//! Four independent witnesses: the prediction is compared with this crate's own count over lanes and banks;
//! the values read, which change with the seed, must be those of the stride asked for; the wavefronts must be
//! those of these reads, no more and no fewer; the cycles must grow with them. One case for each stride and
//! element size, so that a case's counters are those of that stride.

mod clock;
mod plot;

use harness::{
    exercise::{
        About, Case, CaseRun, Constants, Counter, CounterBound, Declared, Exercise, On, Outputs, Permits,
        SecretClock, ValueClass, WaitsWith,
    },
    fill,
    plan::{Argument, Bytes, Element, Fill, Launch, Plan, Step, Tolerance},
    published_steps,
    report::{Failure, Goal, Plot},
    traffic::{self, LANES, pieces},
};

/// The exercise.
pub static EXERCISE: BankConflicts = BankConflicts;

/// Predicts and measures bank conflicts.
pub struct BankConflicts;

/// Strides 0 … 33.
const STRIDES: usize = 34;
/// `ELEMENTS` of the stub: what the lanes reach with the greatest stride.
const ELEMENTS: usize = (LANES - 1) * (STRIDES - 1) + 1;
/// `ROUNDS` of the stub: reads of the same stride in one launch.
const ROUNDS: usize = 4;
/// Element sizes in bytes and the kernels that read them.
const SIZES: [(usize, &str); 2] = [(4, "measure_4_bytes"), (8, "measure_8_bytes")];
/// The case with the predictions; the strides follow, first of 4, then of 8 bytes.
const PREDICTION: usize = 0;

impl Exercise for BankConflicts {
    fn about(&self) -> About {
        About {
            id: "05-bank-conflicts",
            title: "Bank conflicts: predict them, then measure them",
            stub: include_str!("../kernel.cu"),
            solution: include_str!("../../../solutions/05-bank-conflicts/kernel.cu"),
            steps: published_steps!("../../../solutions/05-bank-conflicts/steps": "1-counting"),
            hints: include_str!("../hints.md"),
            kernels: &["predict", "measure_4_bytes", "measure_8_bytes"],
            stub_fails: &[Failure::CORRECT, Failure::Goal(Goal::Counter(Counter::SharedLoadWavefronts))],
            permits: Permits { clocks: true, ..Permits::default() },
            waits_with: Some(WaitsWith {
                function: "wait_for",
                instead: "`wait_for(value)` waits until a value that was read is there: it takes no loop.",
            }),
            ..About::default()
        }
    }
    fn cases(&self) -> Vec<Case> {
        let prediction = "predictions for strides 0 to 33".to_owned();
        let strides = SIZES.iter().flat_map(|(bytes, _)| {
            (0..STRIDES).map(move |stride| format!("stride {stride}, {bytes}-byte elements"))
        });
        Case::list(std::iter::once(prediction).chain(strides).map(|name| (name, On::Everywhere)))
    }
    fn tiny(&self, _: &Case, _: usize) -> Result<Case, &'static str> {
        Err(
            "the least that it has is one warp: 32 values read with a stride, as in `--case 'stride 2, 4-byte elements'`",
        )
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        Reading::of(case).map_or_else(prediction_plan, |reading| measuring_plan(reading, seed))
    }
    fn value_class(&self, class: ValueClass) -> Declared {
        use ValueClass::*;
        match class {
            AllBits => Declared::Here,
            NegativeZero | Infinity | NegativeInfinity | Nan | NegativeNan | Denormal | HugeAndTiny
            | Fraction | NegativeOnly | EqualNeighbours | Least | Greatest | Crowded => {
                Declared::Not("values are only copied, so that it shows which were read: random ones do")
            }
            LongDimension | LargeIndex | NoElement | OneElement | Ragged | Misaligned => {
                Declared::Not("one warp reads one array of shared memory, whose size is given")
            }
        }
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let Some(reading) = Reading::of(case) else { return Vec::new() };
        let (stride, [reference, this]) = (reading.stride, reading.wavefronts());
        let why = format!(
            "{ROUNDS} rounds of one read with stride 1 ({reference}) and one with stride {stride} ({this})"
        );
        vec![Counter::SharedLoadWavefronts.exactly(ROUNDS * (reference + this), why)]
    }
    fn check_outputs(&self, case: &Case, _: u64, outputs: &Outputs) -> Vec<String> {
        Reading::of(case).map_or_else(Vec::new, |reading| clock::check(reading, outputs))
    }
    fn check_secret_clock(&self, case: &Case, run: &SecretClock<'_>) -> Vec<String> {
        Reading::of(case).map_or_else(Vec::new, |reading| clock::check_secret(reading, run))
    }
    fn has_plots(&self) -> bool {
        true
    }
    fn plots(&self, runs: &[CaseRun<'_>]) -> Vec<Plot> {
        SIZES.iter().enumerate().filter_map(|(size, &(bytes, _))| plot::plot(runs, size, bytes)).collect()
    }
}

/// What a case reads.
#[derive(Clone, Copy)]
struct Reading {
    /// Index into [`SIZES`].
    size: usize,
    stride: usize,
}

impl Reading {
    fn of(case: &Case) -> Option<Self> {
        let position = case.index.checked_sub(PREDICTION + 1)?;
        Some(Reading { size: position / STRIDES, stride: position % STRIDES })
    }
    /// Of stride 1, and of this.
    fn wavefronts(self) -> [usize; 2] {
        [1, self.stride].map(|stride| wavefronts(stride, SIZES[self.size].0))
    }
}

/// The wavefronts of a warp's read of `data[lane * stride]`. 8-byte reads are served by half-warps, and at
/// once where every lane wants what its neighbour does: of these strides, 0 alone.
fn wavefronts(stride: usize, element_bytes: usize) -> usize {
    let words = element_bytes / 4;
    let together = if stride == 0 { LANES } else { LANES / words };
    let wanted = |lane: usize| (0..words).map(move |part| lane * stride * words + part);
    pieces(0..LANES, together).map(|lanes| traffic::wavefronts(lanes.flat_map(wanted))).sum()
}

/// What reports call the wavefronts that are predicted for elements of a size: there is a launch for each.
fn predicted(size: usize) -> String {
    format!("launch {}'s degrees", size + 1)
}

fn prediction_plan() -> Plan {
    let mut plan = Plan::new();
    for (size, (bytes, _)) in SIZES.into_iter().enumerate() {
        let degrees = plan.buffer(&predicted(size), Element::I32, &[STRIDES], Fill::Uninitialized);
        plan.launch(Launch::new("predict", 1, 64).buffers([degrees]).ints([STRIDES, bytes]));
        let expected: Vec<i32> = (0..STRIDES).map(|stride| wavefronts(stride, bytes) as i32).collect();
        plan.expect(degrees, Bytes::of(&expected), Tolerance::Exact);
    }
    plan
}

/// Stride 1 as the reference, then the case's stride.
fn measuring_plan(Reading { size, stride }: Reading, seed: u64) -> Plan {
    let (bytes, kernel) = SIZES[size];
    let element = if bytes == 4 { Element::I32 } else { Element::I64 };
    let mut plan = Plan::new();
    let cycles = plan.buffer("cycles", Element::I64, &[2], Fill::Uninitialized);
    // All bits, but not the least number, which `wait_for` does not take.
    let high = if bytes == 4 { f64::from(i32::MAX) } else { (1u64 << 62) as f64 };
    let low = -high;
    let random = Fill::Random { seed, low, high };
    let contents = plan.buffer("contents", element, &[ELEMENTS], random);
    let mut values = Vec::new();
    for (position, stride) in [1, stride].into_iter().enumerate() {
        let name = plan.of_next_launch("values");
        let read = plan.buffer(&name, element, &[LANES], Fill::Uninitialized);
        let launch = Launch::new(kernel, 1, LANES);
        let launch = launch.argument(Argument::Buffer { buffer: cycles, offset: position });
        plan.launch(launch.buffers([read, contents]).ints([stride]));
        values.push((read, stride));
    }
    plan.steps.push(Step::ReadBack(cycles));
    let written = fill::bytes(element, ELEMENTS, seed, low, high);
    for (read, stride) in values {
        let expected: Vec<u8> =
            (0..LANES).flat_map(|lane| &written[lane * stride * bytes..][..bytes]).copied().collect();
        plan.expect(read, Bytes(expected.into()), Tolerance::Exact);
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }

    #[test]
    fn counting_agrees_with_the_closed_form() {
        assert_eq!((wavefronts(0, 4), wavefronts(0, 8)), (1, 1));
        for stride in 1..STRIDES {
            assert_eq!(wavefronts(stride, 4), gcd(stride, 32), "{stride}");
            assert_eq!(wavefronts(stride, 8), 2 * gcd(stride, 16), "{stride}");
        }
    }

    #[test]
    fn every_case_finds_its_stride() {
        let cases = EXERCISE.cases();
        assert_eq!(cases.len(), 1 + 2 * STRIDES);
        let last = Reading::of(cases.last().expect("there are cases")).expect("the last case reads");
        assert_eq!((last.size, last.stride), (1, 33));
    }
}
