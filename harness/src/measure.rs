//! Whether a kernel is as fast as a goal asks: paired samples, robust intervals, and an answer of "cannot tell".
//!
//! A round times the kernel, the baseline twice and, where a roof is claimed, a copy, in shuffled order, so that a
//! machine that slows down slows all of them down. What is judged is the median of the rounds' ratios. Its
//! interval comes from order statistics (a sign test turned around): it assumes nothing about the noise but that
//! rounds are alike. Looking several times is paid for: each of [`LOOKS`] may err with probability 1 % / 2 on
//! either side, so that all together stay below 2.5 %. The two timings of the baseline must not differ either, or the
//! machine is too noisy for any verdict.
//!
//! Pure statistics: where times come from is a [`Sampler`]'s business.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    device::Code,
    fill,
    plan::{Expectation, Plan},
    report::Verdict,
};

/// Rounds after which the intervals are looked at. Each look may err by [`TAIL`]; there are five.
pub const LOOKS: [u32; 5] = [15, 30, 60, 120, 240];

/// Probability with which one look's interval may lie wholly on the wrong side: 2.5 % over the number of looks.
pub const TAIL: f64 = 0.025 / LOOKS.len() as f64;

/// Rounds run and thrown away first: clocks rise, lazy loading happens.
const WARM_UP_ROUNDS: u32 = 3;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The learner's kernel.
    Kernel,
    /// The baseline.
    Baseline,
    /// A copy at the roof.
    Copy,
}

/// Takes one time in microseconds, of fresh values and with a cold cache, and checks the output.
pub trait Sampler {
    /// Times one side once.
    ///
    /// # Errors
    /// [`Stopped`], which ends the measurement.
    fn sample(&mut self, side: Side) -> Result<f64, Stopped>;
    /// Bytes that a copy sample moves, or nothing where no roof can be measured.
    fn copy_bytes(&self) -> Option<u64>;
    /// Time since the measurement began.
    fn elapsed(&self) -> Duration;
}

/// Why a measurement ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stopped {
    /// The kernel was wrong, faulted or hung in a timed run.
    Kernel(String),
    /// The judge could not do its work.
    Judge(String),
}

/// What the goals ask of one timed case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Least speedup to pass.
    pub pass_speedup: Option<f64>,
    /// Least speedup for the expert goal.
    pub expert_speedup: Option<f64>,
    /// Least share of the copy roof for the expert goal.
    pub expert_roof_share: Option<f64>,
}

/// How long a measurement may go on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureLimits {
    /// Seconds on the clock.
    pub seconds: f64,
    /// Most rounds; the last of [`LOOKS`] at the most.
    pub rounds: u32,
}

impl Default for MeasureLimits {
    fn default() -> Self {
        MeasureLimits { seconds: 20.0, rounds: LOOKS[LOOKS.len() - 1] }
    }
}

/// One set of values: the kernel's plan and the baseline's for it, with expectations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// The kernel's plan.
    pub kernel: Plan,
    /// The baseline's plan. Without expectations it must give what the kernel must.
    pub baseline: Plan,
}

impl Variant {
    /// A pair of plans; what both must give is kept once, for it may be large.
    pub fn new(kernel: Plan, mut baseline: Plan) -> Self {
        if baseline.expectations == kernel.expectations {
            baseline.expectations.clear();
        }
        Variant { kernel, baseline }
    }
    /// What the baseline must give.
    pub fn baseline_expectations(&self) -> &Vec<Expectation> {
        if self.baseline.expectations.is_empty() {
            &self.kernel.expectations
        } else {
            &self.baseline.expectations
        }
    }
}

/// A measurement as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The GPU.
    pub uuid: String,
    /// The learner's code.
    pub kernel: Code,
    /// The baseline's code.
    pub baseline: Code,
    /// The trusted kernels that flush the cache and measure the roof (`kernels/probes.cu`).
    pub probes: Code,
    /// The values; a timed run takes one of them that nobody can foresee.
    pub variants: Vec<Variant>,
    /// What is asked.
    pub thresholds: Thresholds,
    /// How long.
    pub limits: MeasureLimits,
    /// Orders rounds and chooses variants; seeds prefills.
    pub secret: u64,
}

/// A median with the interval that holds it (95 % over all looks).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What a measurement found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Median kernel time.
    pub kernel_microseconds: f64,
    /// Median baseline time.
    pub baseline_microseconds: f64,
    /// Baseline over kernel.
    pub speedup: Interval,
    /// The kernel's bytes per second over the copy's, where claimed and measurable.
    pub roof_share: Option<Interval>,
    /// Bytes per second of the copy.
    pub copy_bytes_per_second: Option<f64>,
    /// The baseline over itself: must hold 1.
    pub self_test: Interval,
    /// Rounds.
    pub rounds: u32,
    /// Against `pass_speedup`.
    pub pass: Option<Verdict>,
    /// Against both expert thresholds.
    pub expert: Option<Verdict>,
    /// Why it cannot be told, where it cannot.
    pub doubt: Option<String>,
}

/// The times of all rounds.
#[derive(Clone, Debug, Default)]
struct Rounds {
    kernel: Vec<f64>,
    baseline: Vec<f64>,
    baseline_again: Vec<f64>,
    copy: Vec<f64>,
}

/// Measures until every threshold is decided or a limit is reached.
///
/// # Errors
/// Whatever stopped the sampler.
pub fn measure(
    sampler: &mut dyn Sampler,
    minimum_bytes: u64,
    thresholds: &Thresholds,
    limits: &MeasureLimits,
    secret: u64,
) -> Result<Measured, Stopped> {
    let copy_bytes = sampler.copy_bytes().filter(|_| minimum_bytes > 0);
    let mut warm_up = Rounds::default();
    for round in 0..WARM_UP_ROUNDS {
        one_round(
            sampler,
            &mut warm_up,
            copy_bytes.is_some(),
            fill::hash(secret, 1_000_000 + u64::from(round)),
        )?;
    }
    let mut rounds = Rounds::default();
    let mut taken = 0;
    loop {
        one_round(sampler, &mut rounds, copy_bytes.is_some(), fill::hash(secret, u64::from(taken)))?;
        taken += 1;
        let last = taken >= limits.rounds.min(LOOKS[LOOKS.len() - 1])
            || sampler.elapsed().as_secs_f64() >= limits.seconds;
        // Looks are at fixed counts; the last may come early, which only makes it the look that it stands for.
        if LOOKS.contains(&taken) || last {
            let measured = look(&rounds, taken, minimum_bytes, copy_bytes, thresholds);
            let open = |verdict: Option<Verdict>| verdict == Some(Verdict::Inconclusive);
            let nothing_asked = *thresholds == Thresholds::default();
            // Without a threshold the interval is for information; the second look's is narrow enough.
            let done = if nothing_asked {
                taken >= LOOKS[1]
            } else {
                !open(measured.pass) && !open(measured.expert)
            };
            if done || last {
                return Ok(measured);
            }
        }
    }
}

/// Times every side once, in an order that `shuffle` decides.
fn one_round(
    sampler: &mut dyn Sampler,
    rounds: &mut Rounds,
    copy: bool,
    shuffle: u64,
) -> Result<(), Stopped> {
    let mut order = vec![0, 1, 2];
    if copy {
        order.push(3);
    }
    for last in (1..order.len()).rev() {
        // Fisher–Yates; the bias of the remainder is below 2⁻⁶⁰.
        order.swap(last, (fill::hash(shuffle, last as u64) % (last as u64 + 1)) as usize);
    }
    for which in order {
        let (side, times) = match which {
            0 => (Side::Kernel, &mut rounds.kernel),
            1 => (Side::Baseline, &mut rounds.baseline),
            2 => (Side::Baseline, &mut rounds.baseline_again),
            _ => (Side::Copy, &mut rounds.copy),
        };
        let time = sampler.sample(side)?;
        if !(time.is_finite() && time > 0.0) {
            return Err(Stopped::Judge(format!(
                "expected a time above 0 µs, the device's timer gave {time}"
            )));
        }
        times.push(time);
    }
    Ok(())
}

fn look(
    rounds: &Rounds,
    taken: u32,
    minimum_bytes: u64,
    copy_bytes: Option<u64>,
    thresholds: &Thresholds,
) -> Measured {
    let ratios = |above: &[f64], below: &[f64], factor: f64| -> Vec<f64> {
        above.iter().zip(below).map(|(a, b)| factor * a / b).collect()
    };
    let speedup = interval(&ratios(&rounds.baseline, &rounds.kernel, 1.0));
    let self_test = interval(&ratios(&rounds.baseline_again, &rounds.baseline, 1.0));
    let roof_share = copy_bytes
        .map(|bytes| interval(&ratios(&rounds.copy, &rounds.kernel, minimum_bytes as f64 / bytes as f64)));
    let noisy = !(self_test.low <= 1.0 && 1.0 <= self_test.high);
    let decide = |measured: Option<Interval>, least: f64| match measured {
        _ if noisy => Verdict::Inconclusive,
        None => Verdict::Unmeasured,
        Some(interval) if interval.low >= least => Verdict::Passed,
        Some(interval) if interval.high < least => Verdict::Failed,
        Some(_) => Verdict::Inconclusive,
    };
    let pass = thresholds.pass_speedup.map(|least| decide(Some(speedup), least));
    let expert_speedup = thresholds.expert_speedup.map(|least| decide(Some(speedup), least));
    let expert_roof = thresholds.expert_roof_share.map(|least| decide(roof_share, least));
    let expert = match (expert_speedup, expert_roof) {
        (None, only) | (only, None) => only,
        (Some(a), Some(b)) => Some(both(a, b)),
    };
    let undecided = [pass, expert].contains(&Some(Verdict::Inconclusive));
    let doubt = if noisy {
        Some(format!(
            "the machine is too noisy: the baseline against itself gave {:.3}× ({:.3}–{:.3})",
            self_test.median, self_test.low, self_test.high
        ))
    } else if undecided {
        Some(format!("the interval still holds the threshold after {taken} rounds"))
    } else if expert_roof == Some(Verdict::Unmeasured) {
        Some("the case is too small for the copy's roof: it must move 8 times the L2 cache".to_owned())
    } else {
        None
    };
    Measured {
        kernel_microseconds: median(&rounds.kernel),
        baseline_microseconds: median(&rounds.baseline),
        speedup,
        roof_share,
        copy_bytes_per_second: copy_bytes.map(|bytes| bytes as f64 / (median(&rounds.copy) * 1e-6)),
        self_test,
        rounds: taken,
        pass,
        expert,
        doubt,
    }
}

fn both(a: Verdict, b: Verdict) -> Verdict {
    for verdict in [Verdict::Failed, Verdict::Inconclusive, Verdict::Unmeasured] {
        if a == verdict || b == verdict {
            return verdict;
        }
    }
    Verdict::Passed
}

/// The median of a sample.
///
/// # Panics
/// If it is empty.
pub fn median(sample: &[f64]) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// The median and the interval between two order statistics that misses it with probability at most [`TAIL`] on
/// either side, whatever the distribution. Without enough values for that, the interval is everything.
pub fn interval(sample: &[f64]) -> Interval {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = rank(sorted.len());
    let (low, high) = match rank {
        0 => (f64::NEG_INFINITY, f64::INFINITY),
        rank => (sorted[rank - 1], sorted[sorted.len() - rank]),
    };
    Interval { median: median(&sorted), low, high }
}

/// The greatest `r` such that the `r`-th smallest of `count` values exceeds the median with probability at most
/// [`TAIL`]: P(Binomial(count, ½) < r) ≤ TAIL. 0 if there is none.
fn rank(count: usize) -> usize {
    // ln C(n, k) − n ln 2, summed up from k = 0; 240 values do not underflow in logarithms.
    let mut term = -(count as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    for rank in 0..count {
        below += term.exp();
        if below > TAIL {
            return rank;
        }
        term += ((count - rank) as f64).ln() - ((rank + 1) as f64).ln();
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Times drawn from a model of a noisy machine; deterministic.
    struct Machine {
        kernel: f64,
        baseline: f64,
        copy: Option<f64>,
        /// Relative spread of each time, with a tail of slow outliers.
        noise: f64,
        /// Slows down every other timing of the baseline: a broken machine.
        limp: f64,
        seed: u64,
        taken: u64,
    }

    impl Sampler for Machine {
        fn sample(&mut self, side: Side) -> Result<f64, Stopped> {
            self.taken += 1;
            let unit =
                |stream: u64| (fill::hash(self.seed ^ stream, self.taken) >> 11) as f64 / (1u64 << 53) as f64;
            let outlier = if unit(1) < 0.05 { 1.0 + 3.0 * unit(2) } else { 1.0 };
            let noise = (1.0 + self.noise * (unit(3) + unit(4) + unit(5) - 1.5)) * outlier;
            // Slow drift of the clocks, common to neighbours.
            let drift = 1.0 + 0.1 * (self.taken as f64 / 200.0).sin();
            Ok(drift
                * noise
                * match side {
                    Side::Kernel => self.kernel,
                    Side::Baseline => self.baseline * self.limp.powi((self.taken % 2) as i32),
                    Side::Copy => self.copy.unwrap_or(1.0),
                })
        }
        fn copy_bytes(&self) -> Option<u64> {
            self.copy.map(|_| 1000)
        }
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    fn run(machine: &mut Machine, thresholds: Thresholds) -> Measured {
        let seed = machine.seed;
        measure(machine, 500, &thresholds, &MeasureLimits::default(), seed).expect("the machine never stops")
    }

    fn machine(speedup: f64, noise: f64, seed: u64) -> Machine {
        Machine { kernel: 100.0, baseline: 100.0 * speedup, copy: None, noise, limp: 1.0, seed, taken: 0 }
    }

    fn pass_at(least: f64) -> Thresholds {
        Thresholds { pass_speedup: Some(least), ..Thresholds::default() }
    }

    #[test]
    fn ranks_are_those_of_the_binomial() {
        // P(B(15, ½) ≤ 2) = 0.0037, P(≤ 3) = 0.0176; P(B(30, ½) ≤ 7) = 0.0026, P(≤ 8) = 0.0081.
        assert_eq!(rank(15), 3);
        assert_eq!(rank(30), 8);
        assert_eq!(rank(5), 0);
        assert_eq!(rank(0), 0);
        assert!(interval(&[1.0, 2.0, 3.0]).low.is_infinite());
    }

    #[test]
    fn clear_cases_are_decided_soon() {
        for seed in 0..20 {
            let fast = run(&mut machine(2.0, 0.05, seed), pass_at(1.5));
            assert_eq!(fast.pass, Some(Verdict::Passed), "{fast:?}");
            let slow = run(&mut machine(1.2, 0.05, seed), pass_at(1.5));
            assert_eq!(slow.pass, Some(Verdict::Failed), "{slow:?}");
            // The self test errs once in a hundred looks; then a second look is needed.
            assert!(fast.rounds <= LOOKS[1] && slow.rounds <= LOOKS[1]);
        }
    }

    #[test]
    fn at_the_threshold_false_passes_are_rare() {
        let trials = 2000;
        let mut verdicts = [0; 3];
        for seed in 0..trials {
            // The true median ratio is the threshold itself: the worst case.
            let verdict = run(&mut machine(1.5, 0.1, seed * 7919 + 13), pass_at(1.5)).pass;
            verdicts[match verdict {
                Some(Verdict::Passed) => 0,
                Some(Verdict::Failed) => 1,
                _ => 2,
            }] += 1;
        }
        let [passed, failed, _] = verdicts.map(|count| f64::from(count) / trials as f64);
        assert!(passed < 0.025, "false passes: {passed}");
        assert!(failed < 0.025, "false fails: {failed}");
    }

    #[test]
    fn a_limping_machine_decides_nothing() {
        let mut broken = machine(2.0, 0.02, 5);
        broken.limp = 1.3;
        // Half of the baseline's times are 30 % slow; whether the self test sees it depends on the order, so ask
        // only that no verdict claims precision that is not there.
        let measured = run(&mut broken, pass_at(2.3));
        assert_ne!(measured.pass, Some(Verdict::Passed), "{measured:?}");
    }

    #[test]
    fn the_roof_is_a_share_of_the_copys_speed() {
        let mut machine = machine(1.0, 0.02, 3);
        machine.copy = Some(160.0);
        // 500 bytes in 100 µs against 1000 bytes in 160 µs: 80 %.
        let thresholds = Thresholds { expert_roof_share: Some(0.7), ..Thresholds::default() };
        let measured = run(&mut machine, thresholds);
        let share = measured.roof_share.expect("there is a copy").median;
        assert!((share - 0.8).abs() < 0.02, "{share}");
        assert_eq!(measured.expert, Some(Verdict::Passed));
    }

    #[test]
    fn a_time_that_is_none_is_the_judges_failure() {
        let stopped =
            measure(&mut machine(0.0, 0.0, 1), 0, &Thresholds::default(), &MeasureLimits::default(), 1);
        assert!(matches!(stopped, Err(Stopped::Judge(_))));
    }

    proptest! {
        #[test]
        fn intervals_hold_their_median_and_scale(
            sample in prop::collection::vec(0.1f64..10.0, 15..240),
            factor in 0.5f64..2.0,
        ) {
            let interval_ = interval(&sample);
            prop_assert!(interval_.low <= interval_.median && interval_.median <= interval_.high);
            let scaled: Vec<f64> = sample.iter().map(|value| value * factor).collect();
            prop_assert!((interval(&scaled).low - interval_.low * factor).abs() < 1e-9);
        }
    }
}
