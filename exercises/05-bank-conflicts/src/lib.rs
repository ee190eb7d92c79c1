//! 05-bank-conflicts: a detector. Predict the wavefronts of a strided shared-memory read, and time it.
//!
//! | goal | asked |
//! |---|---|
//! | baseline | none: the kernel is an instrument, not a computation |
//! | counters | shared-load wavefronts: exactly what one read of that stride takes; no second read, and no formula in place of the first |
//! | pass speedup, expert | none |
//!
//! Four independent witnesses: the prediction is compared with this crate's own count over lanes and banks; the
//! values read, which change with the seed, must be those of the stride asked for; the wavefronts must be those of
//! these reads, no more and no fewer; the cycles must grow with them. One case for each
//! stride and element size, so that a case's counters are those of that stride.

use harness::{
    exercise::{
        Case, CaseRun, Constants, Counter, CounterBound, Exercise, On, Outputs, Permits, SecretClock,
    },
    fill,
    plan::{Argument, BufferId, Bytes, Element, Fill, Launch, Plan, Step, Tolerance},
    report::{Plot, Series},
};

/// The exercise.
pub static EXERCISE: BankConflicts = BankConflicts;

/// Predicts and measures bank conflicts.
pub struct BankConflicts;

const LANES: usize = 32;
const BANKS: usize = 32;
/// Strides 0 … 33.
const STRIDES: usize = 34;
/// `ELEMENTS` of the stub: what the lanes reach with the greatest stride.
const ELEMENTS: usize = (LANES - 1) * (STRIDES - 1) + 1;
/// `ROUNDS` of the stub: reads of the same stride in one launch.
const ROUNDS: u64 = 4;
/// Element sizes in bytes and the kernels that read them.
const SIZES: [(usize, &str); 2] = [(4, "measure_4_bytes"), (8, "measure_8_bytes")];
/// The case with the predictions; the strides follow, first of 4, then of 8 bytes.
const PREDICTION: usize = 0;

/// A measured read must take at least this many cycles more for each wavefront more, less the slack. The simulator's
/// clock adds exactly one; a GPU's adds one or two.
const LEAST_CYCLES_PER_WAVEFRONT: f64 = 0.75;
/// And at most this many, plus the slack.
const MOST_CYCLES_PER_WAVEFRONT: f64 = 4.0;
/// Cycles by which two readings of the clock may differ for other reasons.
const SLACK_CYCLES: f64 = 8.0;

impl Exercise for BankConflicts {
    fn id(&self) -> &'static str {
        "05-bank-conflicts"
    }
    fn title(&self) -> &'static str {
        "Bank conflicts: predict them, then measure them"
    }
    fn stub(&self) -> &'static str {
        include_str!("../kernel.cu")
    }
    fn kernels(&self) -> &'static [&'static str] {
        &["predict", "measure_4_bytes", "measure_8_bytes"]
    }
    fn hints(&self) -> &'static str {
        include_str!("../hints.md")
    }
    fn stub_fails(&self) -> &'static [&'static str] {
        &["correct", "shared_load_wavefronts"]
    }
    fn permits(&self) -> Permits {
        Permits { clocks: true, ..Permits::default() }
    }
    fn cases(&self) -> Vec<Case> {
        let prediction = ("predictions for strides 0 to 33".to_owned(), PREDICTION);
        let strides = SIZES.iter().enumerate().flat_map(|(size, (bytes, _))| {
            (0..STRIDES).map(move |stride| {
                (format!("stride {stride}, {bytes}-byte elements"), 1 + size * STRIDES + stride)
            })
        });
        std::iter::once(prediction)
            .chain(strides)
            .map(|(name, index)| Case { name, index, on: On::Everywhere })
            .collect()
    }
    fn plan(&self, case: &Case, seed: u64, _: &Constants) -> Plan {
        match reading(case) {
            None => prediction_plan(),
            Some(reading) => measuring_plan(reading, seed),
        }
    }
    fn counter_bounds(&self, case: &Case, _: &Constants) -> Vec<CounterBound> {
        let Some(Reading { size, stride }) = reading(case) else { return Vec::new() };
        let (bytes, _) = SIZES[size];
        let (reference, this) = (wavefronts(1, bytes), wavefronts(stride, bytes));
        vec![CounterBound {
            counter: Counter::SharedLoadWavefronts,
            at_least: ROUNDS * (reference + this),
            at_most: ROUNDS * (reference + this),
            why: format!(
                "{ROUNDS} rounds of one read with stride 1 ({reference}) and one with stride {stride} ({this})"
            ),
        }]
    }
    fn check_outputs(&self, case: &Case, _: u64, outputs: &Outputs) -> Vec<String> {
        let Some(Reading { size, stride }) = reading(case) else { return Vec::new() };
        let (bytes, _) = SIZES[size];
        let (reference, this) = (wavefronts(1, bytes), wavefronts(stride, bytes));
        let [reference_cycles, cycles] = cycles(outputs);
        let more = cycles - reference_cycles;
        let more_wavefronts = this as f64 - reference as f64;
        let least = LEAST_CYCLES_PER_WAVEFRONT * more_wavefronts.max(0.0) - SLACK_CYCLES;
        let most = MOST_CYCLES_PER_WAVEFRONT * more_wavefronts.max(0.0) + SLACK_CYCLES;
        let mut complaints = Vec::new();
        if reference_cycles <= 0.0 {
            complaints.push(format!(
                "a read with stride 1 was said to take {reference_cycles} cycles; it takes some"
            ));
        }
        if more < least || more > most {
            complaints.push(format!(
                "stride {stride} takes {this} wavefronts and stride 1 takes {reference}, but the time measured went from \
                 {reference_cycles} to {cycles} cycles; expected {least:+} to {most:+}"
            ));
        }
        complaints
    }
    fn check_secret_clock(&self, case: &Case, run: &SecretClock<'_>) -> Vec<String> {
        let Some(Reading { size, stride }) = reading(case) else { return Vec::new() };
        let (bytes, _) = SIZES[size];
        let (reference, this) = (wavefronts(1, bytes), wavefronts(stride, bytes));
        let mut complaints = Vec::new();
        let (as_written, once_optimised) = (run.counters, run.optimised_counters);
        let written = (as_written.shared_load_requests, as_written.shared_load_wavefronts);
        let optimised = (once_optimised.shared_load_requests, once_optimised.shared_load_wavefronts);
        // What is counted is the optimised code; what is timed here must be the same reads.
        if written != optimised {
            complaints.push(format!(
                "compiled as it is written the kernel reads shared memory {} times, in {} wavefronts, and {} times, in {}, once it \
                 is optimised. Read data[lane * stride] once a round, and nothing else",
                written.0, written.1, optimised.0, optimised.1
            ));
        }
        let [reference_cycles, cycles] = cycles(run.outputs);
        let more = cycles - reference_cycles;
        let beyond = |launch, wavefronts| run.load_cycles(launch, wavefronts) as f64;
        let expected = beyond(1, this) - beyond(0, reference);
        if (more - expected).abs() > SLACK_CYCLES {
            complaints.push(format!(
                "the time of stride {stride} does not follow the clock: with one on which its {this} wavefronts take \
                 {expected:+} cycles against stride 1, it went from {reference_cycles} to {cycles} cycles. Return the \
                 difference of two readings of the clock around the read"
            ));
        }
        complaints
    }
    fn plots(&self, runs: &[CaseRun<'_>]) -> Vec<Plot> {
        SIZES.iter().enumerate().filter_map(|(size, &(bytes, _))| plot(runs, size, bytes)).collect()
    }
}

/// What a case reads.
#[derive(Clone, Copy)]
struct Reading {
    /// Index into [`SIZES`].
    size: usize,
    stride: usize,
}

fn reading(case: &Case) -> Option<Reading> {
    let position = case.index.checked_sub(1)?;
    Some(Reading { size: position / STRIDES, stride: position % STRIDES })
}

/// The wavefronts of a warp's read of `data[lane * stride]`: for each group of lanes served together, the largest
/// number of different words wanted from one bank. 8-byte reads are served by half-warps, unless all lanes want the
/// same element.
fn wavefronts(stride: usize, element_bytes: usize) -> u64 {
    let words = element_bytes / 4;
    let together = if stride == 0 { LANES } else { LANES / words };
    (0..LANES)
        .step_by(together)
        .map(|first| {
            let mut wanted: Vec<usize> = (first..first + together)
                .flat_map(|lane| (0..words).map(move |part| lane * stride * words + part))
                .collect();
            wanted.sort_unstable();
            wanted.dedup();
            let in_bank = |bank| wanted.iter().filter(|&&word| word % BANKS == bank).count();
            (0..BANKS).map(in_bank).max().unwrap_or(0) as u64
        })
        .sum()
}

fn prediction_plan() -> Plan {
    let mut plan = Plan::new();
    for (bytes, _) in SIZES {
        let name = format!("wavefronts predicted for {bytes}-byte elements");
        let degrees = plan.buffer(&name, Element::I32, &[STRIDES], Fill::Uninitialized);
        plan.launch(Launch {
            kernel: "predict".to_owned(),
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 0,
            arguments: vec![
                Argument::buffer(degrees),
                Argument::scalar(STRIDES as i32),
                Argument::scalar(bytes as i32),
            ],
            cooperative: false,
        });
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
    let (low, high) = (-1e6, 1e6);
    let contents =
        plan.buffer("contents of shared memory", element, &[ELEMENTS], Fill::Random { seed, low, high });
    let mut values: Vec<(BufferId, usize)> = Vec::new();
    for (position, stride) in [1, stride].into_iter().enumerate() {
        let name = if position == 0 { "values read with stride 1" } else { "values read" };
        let read = plan.buffer(name, element, &[LANES], Fill::Uninitialized);
        plan.launch(Launch {
            kernel: kernel.to_owned(),
            grid: [1, 1, 1],
            block: [LANES as u32, 1, 1],
            dynamic_shared: 0,
            arguments: vec![
                Argument::Buffer { buffer: cycles, offset: position },
                Argument::buffer(read),
                Argument::buffer(contents),
                Argument::scalar(stride as i32),
            ],
            cooperative: false,
        });
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

/// Cycles of stride 1 and of the case's stride.
fn cycles(outputs: &Outputs) -> [f64; 2] {
    let cycles: Vec<i64> = outputs.elements("cycles");
    [cycles[0] as f64, cycles[1] as f64]
}

/// Predicted wavefronts as the kernel under test predicted them, and for each device the wavefronts that its clock
/// shows: those of stride 1 and the cycles beyond it.
fn plot(runs: &[CaseRun<'_>], size: usize, bytes: usize) -> Option<Plot> {
    let mut series = Vec::new();
    if let Some(run) = runs.iter().find(|run| run.case.index == PREDICTION) {
        let name = format!("wavefronts predicted for {bytes}-byte elements");
        let degrees: Vec<i32> = run.outputs.elements(&name);
        let points =
            degrees.iter().enumerate().map(|(stride, &degree)| (stride as f64, f64::from(degree))).collect();
        series.push(Series { name: "predicted wavefronts".to_owned(), points });
    }
    let mut devices: Vec<&str> = runs.iter().map(|run| run.device).collect();
    devices.sort_by_key(|device| (!device.starts_with("sim"), *device));
    devices.dedup();
    for device in devices {
        let points: Vec<(f64, f64)> = runs
            .iter()
            .filter(|run| run.device == device)
            .filter_map(|run| {
                let reading = reading(run.case).filter(|reading| reading.size == size)?;
                let [reference, cycles] = cycles(run.outputs);
                Some((reading.stride as f64, wavefronts(1, bytes) as f64 + cycles - reference))
            })
            .collect();
        let name = if device.starts_with("sim") {
            "simulated wavefronts".to_owned()
        } else {
            format!("cycles beyond stride 1, measured on {device}")
        };
        if !points.is_empty() {
            series.push(Series { name, points });
        }
    }
    (!series.is_empty()).then(|| Plot {
        title: format!("Bank conflicts of data[lane * stride], {bytes}-byte elements"),
        x_label: "stride (elements)".to_owned(),
        y_label: "wavefronts, or cycles beyond a conflict-free read".to_owned(),
        series,
    })
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
            assert_eq!(wavefronts(stride, 4), gcd(stride, 32) as u64, "{stride}");
            assert_eq!(wavefronts(stride, 8), 2 * gcd(stride, 16) as u64, "{stride}");
        }
    }

    #[test]
    fn every_case_finds_its_stride() {
        let cases = EXERCISE.cases();
        assert_eq!(cases.len(), 1 + 2 * STRIDES);
        let last = reading(cases.last().expect("there are cases")).expect("the last case reads");
        assert_eq!((last.size, last.stride), (1, 33));
    }
}
