//! Whether a kernel is as fast as a goal asks: paired samples, robust intervals, and an
//! answer of "cannot tell".
//!
//! A round times every size of an exercise: the kernel, the baseline and, where a roof is claimed, a copy, in
//! shuffled order, so that a machine that slows down slows all of them down. What is judged is the median of
//! the rounds' log-ratios, each the mean over the sizes (of several sizes: the geometric mean). Its interval
//! comes from order statistics (a sign test turned around): it assumes nothing about the noise but that
//! rounds are alike. The looks are fixed, and the error is spent over them: each of [`LOOKS`] may err with
//! probability [`TAIL`] on either side, so that all together stay below 2.5 %. What a look has decided stays
//! decided; measuring goes on only for what is open.
//!
//! There is no timing of the baseline against itself: in shuffled order the two would be alike whatever the
//! machine does, so that it could show nothing. A machine that is too noisy shows in the width of the
//! interval, and ends without a decision.
//!
//! Pure statistics: where times come from is a [`Sampler`]'s business.

mod statistics;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    fill,
    report::{Samples, Verdict},
};
use statistics::rank;

pub use statistics::{Interval, geometric_mean, interval, median, quantile};

/// Rounds after which the intervals are looked at. Each look may err by [`TAIL`]; there are five.
pub const LOOKS: [u32; 5] = [8, 15, 30, 60, 120];

/// Probability with which one look's interval may lie wholly on the wrong side: 2.5 %
/// over the number of looks.
pub const TAIL: f64 = 0.025 / LOOKS.len() as f64;

/// Rounds that are taken however long they last.
const LEAST_ROUNDS: u32 = 3;
/// Where the time is over before the first look, all of the few ratios must lie beyond the threshold by this
/// factor, on the same side. Then the machine would have to be wrong by half in each of them.
const CLEAR: f64 = 1.5;
/// Rounds run and thrown away first: clocks rise, lazy loading happens.
const WARM_UP_ROUNDS: u32 = 3;
/// Share of the time that warming up may take.
const WARM_UP_SHARE: f64 = 0.1;
/// A kernel that moves its bytes faster than this many times the copy's speed is not believed:
/// reading alone is up to a tenth faster than copying, and of a footprint of 8 L2 caches an eighth
/// may still lie in the cache.
pub const INCREDIBLE_ROOF_SHARE: f64 = 1.25;

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

/// One time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Microseconds, without what the clock itself takes.
    pub microseconds: f64,
    /// Why the GPU was slowed down meanwhile, if it was.
    pub throttled: Option<String>,
}

/// Takes one time, of fresh values and with a cold cache, and checks the output.
pub trait Sampler {
    /// Times one side of one case once.
    ///
    /// # Errors
    /// [`MeasurementStop`], which ends the measurement.
    fn sample(&mut self, case: usize, side: Side) -> Result<Timing, MeasurementStop>;
    /// Time since the measurement began.
    fn elapsed(&self) -> Duration;
}

/// Why a measurement ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasurementStop {
    /// The kernel was wrong, faulted or hung in a timed run.
    Kernel(String),
    /// The judge could not do its work.
    Judge(String),
}

/// What the goals ask of an exercise's timed cases together.
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
    /// Seconds on the clock for all cases of an exercise together. A few rounds are taken in any case.
    pub seconds: f64,
    /// Most rounds; the last of [`LOOKS`] at the most.
    pub rounds: u32,
    /// Most rounds that are taken again because the GPU was slowed down in them.
    pub redone: u32,
    /// The greatest share of a copy's speed that is believed.
    pub roof_share: f64,
}

impl Default for MeasureLimits {
    fn default() -> Self {
        MeasureLimits {
            seconds: 5.0,
            rounds: LOOKS[LOOKS.len() - 1],
            redone: 10,
            roof_share: INCREDIBLE_ROOF_SHARE,
        }
    }
}

/// The roof of one timed case. No time is believed that lies far below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roof {
    /// Bytes that the kernel must move at least.
    pub kernel_bytes: u64,
    /// Bytes that the copy moves.
    pub copy_bytes: u64,
    /// Whether a share of it may be claimed: not where the copy is so small that part of it stays in the cache.
    pub may_be_claimed: bool,
}

/// What a measurement found in one case.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCase {
    /// Every time of every round that counts.
    pub samples: Samples,
    /// Baseline over kernel.
    pub speedup: Interval,
    /// The kernel's bytes per second over the copy's, where there is a roof.
    pub roof_share: Option<Interval>,
    /// Bytes per second of the copy.
    pub copy_bytes_per_second: Option<f64>,
}

/// What a measurement found.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Each case.
    pub cases: Vec<MeasuredCase>,
    /// Baseline over kernel, the geometric mean of the cases.
    pub speedup: Interval,
    /// Share of the roof, the geometric mean of the cases, where all have one.
    pub roof_share: Option<Interval>,
    /// Rounds that count.
    pub rounds: u32,
    /// Rounds that were taken again because the GPU was slowed down.
    pub redone: u32,
    /// Against `pass_speedup`.
    pub pass: Option<Verdict>,
    /// Against both expert thresholds.
    pub expert: Option<Verdict>,
    /// Why it cannot be told, where it cannot.
    pub doubt: Option<String>,
}

/// Measures until every threshold is decided or a limit is reached. `roofs` has one entry for each case.
///
/// # Errors
/// Whatever stopped the sampler.
pub fn measure(
    sampler: &mut dyn Sampler,
    roofs: &[Option<Roof>],
    thresholds: &Thresholds,
    limits: &MeasureLimits,
    secret: u64,
) -> Result<Measured, MeasurementStop> {
    for round in 0..WARM_UP_ROUNDS {
        one_round(sampler, roofs, fill::hash(secret, 1_000_000 + u64::from(round)))?;
        if sampler.elapsed().as_secs_f64() >= WARM_UP_SHARE * limits.seconds {
            break;
        }
    }
    let mut rounds = Rounds::new(roofs);
    let mut decided = Decided::default();
    let mut order = 0;
    let (mut redone, mut held) = (0, false);
    let most = limits.rounds.clamp(LEAST_ROUNDS, LOOKS[LOOKS.len() - 1]);
    loop {
        order += 1;
        let (samples, throttled) = one_round(sampler, roofs, fill::hash(secret, order))?;
        if let Some(why) = throttled {
            if redone == limits.redone && rounds.taken() == 0 {
                // Not one round counts; what there is is shown, and decides nothing.
                rounds.add(samples);
            }
            if redone == limits.redone {
                let why = format!(
                    "the GPU was slowed down ({why}) in more than {redone} rounds; let it cool, or give it more power"
                );
                return Ok(rounds.result(redone, &decided.left_open(thresholds), Some(why)));
            }
            redone += 1;
            continue;
        }
        rounds.add(samples);
        let taken = rounds.taken();
        let late = sampler.elapsed().as_secs_f64() >= limits.seconds && taken >= LEAST_ROUNDS;
        let last = taken >= most || late;
        // Looks are at fixed counts; the last may come early, which only makes it the
        // look that it stands for.
        if !LOOKS.contains(&taken) && !last {
            continue;
        }
        // Faster than memory.
        if rounds.greatest_share() > limits.roof_share {
            let why = format!(
                "held for review: it moves its bytes at {:.2} times the speed of a copy of as many, which no memory does",
                rounds.greatest_share()
            );
            if held {
                return Ok(rounds.result(redone, &Decided::default().left_open(thresholds), Some(why)));
            }
            // Once may be the machine's mistake.
            held = true;
            rounds = Rounds::new(roofs);
            decided = Decided::default();
            continue;
        }
        decided.look(&rounds, thresholds);
        // Without a threshold the interval is for information; the second look's is narrow enough.
        let asked = *thresholds != Thresholds::default();
        let done = if asked { decided.all(thresholds) } else { taken >= LOOKS[1] };
        if done || last {
            let open = decided.left_open(thresholds);
            let doubt = (!done && asked)
                .then(|| format!("the interval still holds the threshold after {taken} rounds"))
                .or_else(|| {
                    (open.expert_roof == Some(Verdict::Unmeasured)).then(|| {
                        "the case is too small for the copy's roof: it must move 8 times the L2 cache"
                            .to_owned()
                    })
                });
            return Ok(rounds.result(redone, &open, doubt));
        }
    }
}

/// Times every side of every case once, in an order that `shuffle` decides. Also tells whether
/// the GPU was slowed down.
fn one_round(
    sampler: &mut dyn Sampler,
    roofs: &[Option<Roof>],
    shuffle: u64,
) -> Result<(Vec<[f64; 3]>, Option<String>), MeasurementStop> {
    let mut order: Vec<(usize, Side)> = Vec::new();
    for (case, roof) in roofs.iter().enumerate() {
        order.extend([(case, Side::Kernel), (case, Side::Baseline)]);
        order.extend(roof.map(|_| (case, Side::Copy)));
    }
    for last in (1..order.len()).rev() {
        // Fisher–Yates; the bias of the remainder is below 2⁻⁵⁰.
        order.swap(last, (fill::hash(shuffle, last as u64) % (last as u64 + 1)) as usize);
    }
    let mut samples = vec![[0.0; 3]; roofs.len()];
    let mut throttled = None;
    for (case, side) in order {
        let timing = sampler.sample(case, side)?;
        let time = timing.microseconds;
        if !(time.is_finite() && time > 0.0) {
            return Err(MeasurementStop::Judge(format!(
                "expected a time above 0 µs, the device's timer gave {time}"
            )));
        }
        samples[case][side as usize] = time;
        throttled = throttled.or(timing.throttled);
    }
    Ok((samples, throttled))
}

/// The times of all rounds that count.
struct Rounds<'a> {
    roofs: &'a [Option<Roof>],
    cases: Vec<Samples>,
}

impl<'a> Rounds<'a> {
    fn new(roofs: &'a [Option<Roof>]) -> Self {
        Rounds { roofs, cases: vec![Samples::default(); roofs.len()] }
    }

    fn add(&mut self, samples: Vec<[f64; 3]>) {
        for ((case, [kernel, baseline, copy]), roof) in self.cases.iter_mut().zip(samples).zip(self.roofs) {
            case.kernel.push(kernel);
            case.baseline.push(baseline);
            case.copy.extend(roof.map(|_| copy));
        }
    }

    fn taken(&self) -> u32 {
        self.cases.first().map_or(0, |case| case.kernel.len() as u32)
    }

    /// For each round the geometric mean over the cases of a ratio.
    fn means(&self, ratios: impl Fn(&Samples, usize) -> Vec<f64>) -> Vec<f64> {
        let cases: Vec<Vec<f64>> = self.cases.iter().enumerate().map(|(at, case)| ratios(case, at)).collect();
        (0..self.taken() as usize)
            .filter_map(|round| geometric_mean(cases.iter().map(|case| case[round])))
            .collect()
    }

    fn speedups(&self) -> Vec<f64> {
        self.means(|case, _| quotients(&case.baseline, &case.kernel, 1.0))
    }

    fn roof_shares(&self) -> Option<Vec<f64>> {
        let claimed = |roof: &Option<Roof>| roof.filter(|roof| roof.may_be_claimed).map(Roof::factor);
        let factors: Vec<f64> = self.roofs.iter().map(claimed).collect::<Option<_>>()?;
        Some(self.means(|case, at| quotients(&case.copy, &case.kernel, factors[at])))
    }

    fn roof_share(&self) -> Option<Interval> {
        self.roof_shares().map(|shares| interval(&shares))
    }

    /// The greatest share of a copy's speed that any case reaches, large or small.
    fn greatest_share(&self) -> f64 {
        let shares = self.cases.iter().zip(self.roofs).filter_map(|(case, roof)| {
            roof.map(|roof| interval(&quotients(&case.copy, &case.kernel, roof.factor())).median)
        });
        shares.fold(0.0, f64::max)
    }

    fn result(&self, redone: u32, decided: &Decided, doubt: Option<String>) -> Measured {
        let claimed = |roof: &Option<Roof>| roof.filter(|roof| roof.may_be_claimed);
        let roofs = self.roofs.iter().map(claimed);
        let cases = self.cases.iter().zip(roofs).map(|(case, roof)| MeasuredCase {
            samples: case.clone(),
            speedup: interval(&quotients(&case.baseline, &case.kernel, 1.0)),
            roof_share: roof.map(|roof| interval(&quotients(&case.copy, &case.kernel, roof.factor()))),
            copy_bytes_per_second: roof.map(|roof| roof.copy_bytes as f64 / (1e-6 * median(&case.copy))),
        });
        Measured {
            cases: cases.collect(),
            speedup: interval(&self.speedups()),
            roof_share: self.roof_share(),
            rounds: self.taken(),
            redone,
            pass: decided.pass,
            expert: match (decided.expert_speedup, decided.expert_roof) {
                (None, only) | (only, None) => only,
                (Some(a), Some(b)) => Some(both(a, b)),
            },
            doubt,
        }
    }
}

impl Roof {
    fn factor(self) -> f64 {
        self.kernel_bytes as f64 / self.copy_bytes as f64
    }
}

fn quotients(above: &[f64], below: &[f64], factor: f64) -> Vec<f64> {
    above.iter().zip(below).map(|(a, b)| factor * a / b).collect()
}

/// What has been decided; it stays.
#[derive(Clone, Debug, Default)]
struct Decided {
    pass: Option<Verdict>,
    expert_speedup: Option<Verdict>,
    expert_roof: Option<Verdict>,
}

impl Decided {
    fn look(&mut self, rounds: &Rounds<'_>, thresholds: &Thresholds) {
        let speedups = rounds.speedups();
        let shares = rounds.roof_shares();
        let decide = |decided: &mut Option<Verdict>, ratios: Option<&[f64]>, least: Option<f64>| {
            if let (None, Some(least)) = (&decided, least) {
                *decided = ratios.map_or(Some(Verdict::Unmeasured), |ratios| decision(ratios, least));
            }
        };
        decide(&mut self.pass, Some(&speedups), thresholds.pass_speedup);
        decide(&mut self.expert_speedup, Some(&speedups), thresholds.expert_speedup);
        decide(&mut self.expert_roof, shares.as_deref(), thresholds.expert_roof_share);
    }

    fn all(&self, thresholds: &Thresholds) -> bool {
        let pairs = [
            (self.pass, thresholds.pass_speedup),
            (self.expert_speedup, thresholds.expert_speedup),
            (self.expert_roof, thresholds.expert_roof_share),
        ];
        pairs.iter().all(|(decided, asked)| decided.is_some() || asked.is_none())
    }

    /// With what is asked and not decided as inconclusive.
    fn left_open(&self, thresholds: &Thresholds) -> Decided {
        let open =
            |decided: Option<Verdict>, asked: Option<f64>| decided.or(asked.map(|_| Verdict::Inconclusive));
        Decided {
            pass: open(self.pass, thresholds.pass_speedup),
            expert_speedup: open(self.expert_speedup, thresholds.expert_speedup),
            expert_roof: open(self.expert_roof, thresholds.expert_roof_share),
        }
    }
}

/// Whether the median of the ratios surely is at least so much, surely is not, or neither.
fn decision(ratios: &[f64], least: f64) -> Option<Verdict> {
    let Interval { low, high, .. } = interval(ratios);
    // Too few for an interval: only what is clear beyond any noise.
    let clear = if rank(ratios.len()) == 0 { CLEAR } else { 1.0 };
    if ratios.len() < LEAST_ROUNDS as usize {
        None
    } else if low >= clear * least {
        Some(Verdict::Passed)
    } else if high < least / clear {
        Some(Verdict::Failed)
    } else {
        None
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Times drawn from a model of a noisy machine; deterministic.
    struct Machine {
        /// Microseconds of kernel and baseline for each case.
        cases: Vec<(f64, f64)>,
        copy: f64,
        /// Relative spread of each time, with a tail of slow outliers.
        noise: f64,
        /// Every so many samples the GPU is slowed down.
        throttles_every: Option<u64>,
        /// Seconds that a sample takes.
        seconds: f64,
        seed: u64,
        taken: u64,
    }

    impl Sampler for Machine {
        fn sample(&mut self, case: usize, side: Side) -> Result<Timing, MeasurementStop> {
            self.taken += 1;
            let unit =
                |stream: u64| (fill::hash(self.seed ^ stream, self.taken) >> 11) as f64 / (1u64 << 53) as f64;
            let outlier = if unit(1) < 0.05 { 1.0 + 3.0 * unit(2) } else { 1.0 };
            let noise = (1.0 + self.noise * (unit(3) + unit(4) + unit(5) - 1.5)) * outlier;
            // Slow drift of the clocks, common to neighbours.
            let drift = 1.0 + 0.1 * (self.taken as f64 / 200.0).sin();
            let throttled = self.throttles_every.is_some_and(|every| self.taken.is_multiple_of(every));
            let time = match side {
                Side::Kernel => self.cases[case].0,
                Side::Baseline => self.cases[case].1,
                Side::Copy => self.copy,
            };
            Ok(Timing {
                microseconds: drift * noise * time * if throttled { 3.0 } else { 1.0 },
                throttled: throttled.then(|| "too hot".to_owned()),
            })
        }
        fn elapsed(&self) -> Duration {
            Duration::from_secs_f64(self.seconds * self.taken as f64)
        }
    }

    fn run(machine: &mut Machine, thresholds: Thresholds) -> Measured {
        let seed = machine.seed;
        let roofs = vec![None; machine.cases.len()];
        measure(machine, &roofs, &thresholds, &MeasureLimits::default(), seed)
            .expect("the machine never stops")
    }

    fn machine(speedup: f64, noise: f64, seed: u64) -> Machine {
        Machine {
            cases: vec![(100.0, 100.0 * speedup)],
            copy: 1.0,
            noise,
            throttles_every: None,
            seconds: 0.0,
            seed,
            taken: 0,
        }
    }

    fn pass_at(least: f64) -> Thresholds {
        Thresholds { pass_speedup: Some(least), ..Thresholds::default() }
    }

    #[test]
    fn clear_cases_are_decided_soon() {
        let mut rounds = Vec::new();
        for seed in 0..20 {
            let fast = run(&mut machine(2.5, 0.02, seed), pass_at(1.2));
            let slow = run(&mut machine(1.2, 0.02, seed), pass_at(2.5));
            assert_eq!((fast.pass, slow.pass), (Some(Verdict::Passed), Some(Verdict::Failed)), "{fast:?}");
            rounds.extend([fast.rounds, slow.rounds]);
        }
        rounds.sort_unstable();
        // One outlier in eight rounds asks for a second look, three in fifteen for a third.
        assert!(rounds[10] == LOOKS[0] && rounds[30] <= LOOKS[1] && rounds[39] <= LOOKS[2], "{rounds:?}");
    }

    #[test]
    fn at_the_threshold_wrong_verdicts_are_rare() {
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
    fn five_percent_away_no_verdict_flips() {
        for (speedup, right) in [(1.575, Verdict::Passed), (1.425, Verdict::Failed)] {
            for seed in 0..500 {
                // Times that spread by 2 %, and a twentieth of them far slower.
                let measured = run(&mut machine(speedup, 0.02 / 0.5, seed * 31 + 7), pass_at(1.5));
                assert_eq!(measured.pass, Some(right), "{measured:?}");
            }
        }
    }

    #[test]
    fn what_one_look_decided_stays_decided() {
        // Decided for `pass` at the first look; `expert` at the threshold keeps it going to the end.
        let mut undecided = 0;
        for seed in 0..50 {
            let thresholds =
                Thresholds { pass_speedup: Some(1.2), expert_speedup: Some(1.5), expert_roof_share: None };
            let measured = run(&mut machine(1.5, 0.1, seed), thresholds);
            assert_eq!(measured.pass, Some(Verdict::Passed));
            undecided += u32::from(measured.expert == Some(Verdict::Inconclusive));
        }
        assert!(undecided > 40);
        let mut decided = Decided { pass: Some(Verdict::Failed), ..Decided::default() };
        let mut rounds = Rounds::new(&[None]);
        (0..20).for_each(|_| rounds.add(vec![[1.0, 9.0, 0.0]]));
        decided.look(&rounds, &pass_at(1.5));
        assert_eq!(decided.pass, Some(Verdict::Failed), "a later look must not turn it");
    }

    #[test]
    fn a_slow_kernel_ends_with_a_verdict_and_soon() {
        // Two seconds a sample: the time is over after the first round.
        for (speedup, verdict) in
            [(0.2, Verdict::Failed), (4.0, Verdict::Passed), (1.4, Verdict::Inconclusive)]
        {
            let mut slow = Machine { seconds: 2.0, ..machine(speedup, 0.02, 4) };
            let measured = run(&mut slow, pass_at(1.5));
            assert_eq!(measured.pass, Some(verdict), "{measured:?}");
            assert_eq!((measured.rounds, slow.taken), (3, 2 * 4));
        }
    }

    #[test]
    fn several_sizes_are_judged_by_their_geometric_mean() {
        let two = |slower: f64| Machine {
            cases: vec![(100.0, 400.0), (100.0, 100.0 * slower)],
            ..machine(1.0, 0.02, 9)
        };
        let measured = run(&mut two(1.0), pass_at(1.9));
        assert!((measured.speedup.median - 2.0).abs() < 0.05, "{:?}", measured.speedup);
        assert_eq!(measured.pass, Some(Verdict::Passed));
        assert!((measured.cases[1].speedup.median - 1.0).abs() < 0.05);
        assert_eq!(run(&mut two(0.8), pass_at(1.9)).pass, Some(Verdict::Failed));
    }

    #[test]
    fn slowed_down_rounds_are_taken_again_and_too_many_end_it() {
        let mut sometimes = Machine { throttles_every: Some(40), ..machine(2.0, 0.02, 1) };
        let measured = run(&mut sometimes, Thresholds::default());
        assert_eq!((measured.rounds, measured.doubt), (15, None));
        assert!(measured.redone > 0 || sometimes.taken < 40);
        let mut always = Machine { throttles_every: Some(1), ..machine(2.0, 0.02, 1) };
        let measured = run(&mut always, pass_at(1.5));
        assert_eq!(measured.pass, Some(Verdict::Inconclusive));
        assert!(measured.doubt.expect("it says why").contains("too hot"));
        assert_eq!(measured.redone, MeasureLimits::default().redone);
    }

    #[test]
    fn the_roof_is_a_share_of_the_copys_speed() {
        let mut machine = Machine { copy: 160.0, ..machine(1.0, 0.02, 3) };
        // 500 bytes in 100 µs against 1000 bytes in 160 µs: 80 %.
        let roofs = [Some(Roof { kernel_bytes: 500, copy_bytes: 1000, may_be_claimed: true })];
        let thresholds = Thresholds { expert_roof_share: Some(0.7), ..Thresholds::default() };
        let measured =
            measure(&mut machine, &roofs, &thresholds, &MeasureLimits::default(), 3).expect("it does");
        let share = measured.roof_share.expect("there is a copy").median;
        assert!((share - 0.8).abs() < 0.02, "{share}");
        assert_eq!(measured.expert, Some(Verdict::Passed));
        let none = run(&mut machine, thresholds);
        assert_eq!(none.expert, Some(Verdict::Unmeasured));
        assert!(none.doubt.expect("it says why").contains("too small"));
    }

    #[test]
    fn faster_than_memory_is_measured_again_and_held_for_review() {
        let roofs = [Some(Roof { kernel_bytes: 500, copy_bytes: 1000, may_be_claimed: true })];
        let mut machine = Machine { copy: 300.0, ..machine(3.0, 0.02, 3) };
        let measured =
            measure(&mut machine, &roofs, &pass_at(1.5), &MeasureLimits::default(), 3).expect("it does");
        assert_eq!(measured.pass, Some(Verdict::Inconclusive));
        assert!(measured.doubt.expect("it says why").contains("held for review"));
        assert_eq!(machine.taken, 3 * u64::from(WARM_UP_ROUNDS + 2 * LOOKS[0]), "measured twice");
    }

    #[test]
    fn a_small_case_claims_no_share_and_is_not_faster_than_memory_either() {
        // The second of two cases is too fast, in less than the cache holds.
        let small = |kernel_bytes| Some(Roof { kernel_bytes, copy_bytes: 1000, may_be_claimed: false });
        for (bytes, verdict) in [(200, Verdict::Passed), (500, Verdict::Inconclusive)] {
            let mut machine = Machine {
                cases: vec![(900.0, 2700.0), (100.0, 300.0)],
                copy: 300.0,
                ..machine(3.0, 0.02, 3)
            };
            let roofs = [small(900), small(bytes)];
            let measured =
                measure(&mut machine, &roofs, &pass_at(1.5), &MeasureLimits::default(), 3).expect("it does");
            assert_eq!((measured.pass, measured.roof_share), (Some(verdict), None), "{bytes}");
            let held = measured.doubt.is_some_and(|doubt| doubt.contains("held for review"));
            assert_eq!(held, verdict == Verdict::Inconclusive);
        }
    }

    #[test]
    fn a_time_that_is_none_is_the_judges_failure() {
        let mut broken = Machine { cases: vec![(0.0, 1.0)], ..machine(1.0, 0.0, 1) };
        let stopped = measure(&mut broken, &[None], &Thresholds::default(), &MeasureLimits::default(), 1);
        assert!(matches!(stopped, Err(MeasurementStop::Judge(_))));
    }
}
