//! `workshop flips`: grades the same kernels again and again against the course's thresholds, and counts
//! how often the verdict differs. Kernels far from every threshold show nothing, so solutions are also slowed
//! down until they sit close to one.

mod slowed;
pub mod study;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use grader::{
    checkout::root,
    course::Course,
    devices,
    exit::{Exit, Result, Trouble},
    files,
    kernels::{self, Candidate, Role},
    terminal::remark,
    thresholds::demand::Here,
    toolchains,
};
use harness::{
    exercise::{Exercise, On, SpeedGoals},
    judge::{self, CheckOptions},
    measure::{Measured, MeasuredCase, Thresholds, geometric_mean, median},
    report::Verdict,
};

use self::{
    slowed::Slowed,
    study::{DISTANCES, Delay, Goal, Kernel, Name, Study, label},
};
use crate::cli::Flips;

/// Regradings that share a pair of processes. Starting one costs more than grading does; what can differ
/// between two processes (where memory lies, how the driver starts up) differs often enough this way.
const TOGETHER: usize = 4;
/// Measurements from which a delay is made.
const CALIBRATIONS: usize = 2;

/// A kernel that could be graded.
struct Planned<'a> {
    exercise: &'a dyn Exercise,
    goals: SpeedGoals,
    file: PathBuf,
    source: String,
    /// Percent above the pass threshold where it is to sit; as it is where there is none.
    percent: Option<i32>,
}

impl Planned<'_> {
    fn label(&self) -> String {
        label(&self.file.display().to_string(), self.percent)
    }
}

/// Runs it.
///
/// # Errors
/// Wrong usage outside a checkout; a judge error without a GPU, or where a kernel cannot be timed.
pub fn run(course: Course<'_>, options: &Flips) -> Result<Exit> {
    let Some(out) = &options.out else {
        for planned in planned(course, options, None)? {
            grader::print(&format!("{}\n", planned.label()));
        }
        return Ok(Exit::Passed);
    };
    if !options.join.is_empty() {
        return join(&options.join, out);
    }
    let devices = devices::resolve(&options.device)?;
    let Some(gpu) = &devices.gpu else {
        return Err(Trouble::judge("no GPU here, and speed is measured on one", "run it where a GPU is"));
    };
    let toolchain = toolchains::resolve(None, Some(gpu))?;
    let bench = Bench {
        check: CheckOptions {
            device: options.device.clone(),
            toolchain: Some(toolchain.clone()),
            ..CheckOptions::default()
        },
        regrades: options.regrades,
    };
    let mut study = Study {
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        device: gpu.title(),
        compiler: format!("NVRTC {}", toolchain.version),
        kernels: Vec::new(),
    };
    if let Some(known) = Study::read(out)? {
        study.join(known).map_err(|why| Trouble::usage(why, "name another file"))?;
    }
    let here = Here { gpu: Some(gpu), toolchain: &toolchain, again: false };
    let goals = |exercise: &dyn Exercise| {
        let asked = here.asked(exercise);
        if asked.is_known() { asked.goals } else { Some(SpeedGoals::default()) }
    };
    let begun = Instant::now();
    let mut calibrated: Option<(PathBuf, Calibration)> = None;
    for planned in planned(course, options, Some(&goals))? {
        if begun.elapsed() > Duration::from_secs_f64(options.seconds) {
            remark(&format!("{}: not graded, the time is over", planned.label()));
            continue;
        }
        let delay = match planned.percent {
            None => None,
            Some(percent) => {
                if calibrated.as_ref().is_none_or(|(file, _)| *file != planned.file) {
                    calibrated = Some((planned.file.clone(), bench.calibrate(&planned)?));
                }
                let known = calibrated.as_ref().and_then(|(_, known)| known.cycles(&planned, percent));
                let Some(cycles) = known else {
                    remark(&format!("{}: it is too slow to sit there", planned.label()));
                    continue;
                };
                Some(Delay { percent, cycles })
            }
        };
        match bench.grade(&planned, delay) {
            Ok(kernel) => {
                grader::print(&line(&kernel));
                study.keep(kernel);
                // After each: what was measured must survive what comes after.
                files::save_json(out, &study)?;
            }
            Err(why) => remark(&format!("{}: {why}", planned.label())),
        }
    }
    grader::print(&study.table(&out.display().to_string()));
    Ok(Exit::Passed)
}

/// Puts records together that were made one after the other.
fn join(records: &[PathBuf], out: &Path) -> Result<Exit> {
    let mut all = Study::default();
    for record in records {
        let missing = || Trouble::usage(format!("there is no {}", record.display()), "name records that are");
        let study = Study::read(record)?.ok_or_else(missing)?;
        all.join(study).map_err(|why| Trouble::usage(why, "join records of one GPU and one compiler"))?;
    }
    files::save_json(out, &all)?;
    grader::print(&all.table(&out.display().to_string()));
    Ok(Exit::Passed)
}

/// The goals of an exercise on this GPU, where they are not its own.
type Goals<'a> = &'a dyn Fn(&dyn Exercise) -> Option<SpeedGoals>;

/// All kernels that are asked for: each that must be right, and each solution at all distances from
/// the speed that it needs.
fn planned<'a>(course: Course<'a>, options: &Flips, goals: Option<Goals<'_>>) -> Result<Vec<Planned<'a>>> {
    let root = root()?;
    let mut all = Vec::new();
    for exercise in course.named(&options.names)? {
        let timed = exercise.cases().iter().any(|case| case.on == On::GpuTimed);
        if exercise.about().baseline.is_none() || !timed {
            continue;
        }
        let goals = goals.and_then(|goals| goals(exercise)).unwrap_or_else(|| exercise.about().speed_goals);
        if goals == SpeedGoals::default() {
            continue;
        }
        for candidate in kernels::of(&root, exercise, &mut Vec::new()) {
            let Candidate { role, file, source, .. } = candidate;
            if matches!(role, Role::Stub | Role::Right | Role::Wrong) {
                continue;
            }
            let planned = |percent| {
                let (file, source) = (file.clone(), source.clone());
                Planned { exercise, goals, file, source, percent }
            };
            all.push(planned(None));
            if role == Role::Solution && goals.pass_speedup.is_some() {
                all.extend(DISTANCES.map(|percent| planned(Some(percent))));
            }
        }
    }
    let wanted =
        |label: &str| options.only.is_empty() || options.only.iter().any(|text| label.ends_with(text));
    all.retain(|planned| wanted(&planned.label()));
    if all.is_empty() {
        return Err(Trouble::usage(
            "no kernel of a timed exercise with a speed goal has such a label",
            "cargo workshop flips --list says which there are",
        ));
    }
    Ok(all)
}

struct Bench {
    check: CheckOptions,
    regrades: usize,
}

impl Bench {
    /// Grades a kernel again and again; what stops it, in words.
    fn grade(&self, planned: &Planned<'_>, delay: Option<Delay>) -> std::result::Result<Kernel, String> {
        let thresholds = Thresholds::from(planned.goals);
        let begun = Instant::now();
        let mut all: Vec<Measured> = Vec::new();
        while all.len() < self.regrades {
            let count = TOGETHER.min(self.regrades - all.len());
            all.extend(self.measured(planned, delay.map(|delay| delay.cycles), &vec![thresholds; count])?);
        }
        let goal = |name, found: fn(&Thresholds, &Measured) -> Option<Found>| {
            let found: Vec<Found> = all.iter().filter_map(|measured| found(&thresholds, measured)).collect();
            Some(Goal {
                name,
                threshold: found.first()?.threshold,
                medians: found.iter().map(|found| found.median).collect(),
                verdicts: found.iter().map(|found| found.verdict).collect(),
            })
        };
        Ok(Kernel {
            exercise: planned.exercise.id().to_owned(),
            file: planned.file.display().to_string(),
            delay,
            together: TOGETHER.min(self.regrades),
            rounds: all.iter().map(|measured| measured.rounds).collect(),
            seconds: begun.elapsed().as_secs_f64() / all.len().max(1) as f64,
            goals: goal(Name::Pass, Found::pass)
                .into_iter()
                .chain(goal(Name::Expert, Found::expert))
                .collect(),
        })
    }

    /// Measures once for each set of thresholds, in a new pair of processes.
    fn measured(
        &self,
        planned: &Planned<'_>,
        cycles: Option<u64>,
        thresholds: &[Thresholds],
    ) -> std::result::Result<Vec<Measured>, String> {
        let path = planned.file.display().to_string();
        match cycles {
            None => {
                let kernel = judge::Kernel { path, source: planned.source.clone() };
                judge::regrade(planned.exercise, &kernel, &self.check, thresholds)
            }
            Some(cycles) => {
                let kernel = judge::Kernel { path, source: slowed::source(&planned.source) };
                let slowed = Slowed { exercise: planned.exercise, cycles };
                judge::regrade(&slowed, &kernel, &self.check, thresholds)
            }
        }
    }

    /// Finds out how long a kernel with a delay of no cycles takes, and how long a cycle.
    fn calibrate(&self, planned: &Planned<'_>) -> Result<Calibration> {
        let measured = |cycles: u64| -> Result<Vec<Times>> {
            let thresholds = [Thresholds::default(); CALIBRATIONS];
            let measured = self.measured(planned, Some(cycles), &thresholds).map_err(|why| {
                Trouble::judge(
                    format!("{} could not be timed: {why}", planned.file.display()),
                    "grader check --kernel FILE says more",
                )
            })?;
            let cases = measured.first().map_or(0, |first| first.cases.len());
            let times = |case: usize| {
                let all = |times: fn(&MeasuredCase) -> &[f64]| -> f64 {
                    let all: Vec<f64> =
                        measured.iter().flat_map(|each| times(&each.cases[case])).copied().collect();
                    median(&all)
                };
                Times {
                    kernel: all(|case| &case.samples.kernel),
                    baseline: all(|case| &case.samples.baseline),
                }
            };
            Ok((0..cases).map(times).collect())
        };
        let cases = measured(0)?;
        // A first guess of how many cycles there are to a microsecond; then what it gave,
        // close to where it matters.
        let guess = Calibration { cases, cycles_per_microsecond: 1500.0 };
        let cycles = guess.cycles(planned, 0).unwrap_or(100_000).max(10_000);
        let slower = measured(cycles)?;
        let more: f64 = slower.iter().zip(&guess.cases).map(|(slow, fast)| slow.kernel - fast.kernel).sum();
        let microseconds = more / guess.cases.len().max(1) as f64;
        if microseconds <= 0.0 {
            return Err(Trouble::judge(
                format!("a delay of {cycles} cycles makes {} no slower", planned.file.display()),
                "report this as a bug",
            ));
        }
        Ok(Calibration { cycles_per_microsecond: cycles as f64 / microseconds, ..guess })
    }
}

/// A measurement held against one threshold.
struct Found {
    threshold: f64,
    median: f64,
    verdict: Verdict,
}

impl Found {
    fn pass(thresholds: &Thresholds, measured: &Measured) -> Option<Self> {
        let (threshold, median) = (thresholds.pass_speedup?, measured.speedup.median);
        Some(Found { threshold, median, verdict: measured.pass? })
    }

    fn expert(thresholds: &Thresholds, measured: &Measured) -> Option<Self> {
        let speedup = measured.speedup.median;
        let share = measured.roof_share.map(|share| share.median);
        let (threshold, median) = match (thresholds.expert_speedup, thresholds.expert_roof_share) {
            (Some(least), None) => (least, speedup),
            (None, Some(least)) => (least, share?),
            // Both are asked for: the nearer one decides.
            (Some(least), Some(roof)) => (1.0, (speedup / least).min(share? / roof)),
            (None, None) => return None,
        };
        Some(Found { threshold, median, verdict: measured.expert? })
    }
}

/// Microseconds of one case.
struct Times {
    kernel: f64,
    baseline: f64,
}

/// What is known of a kernel that can be slowed down.
struct Calibration {
    cases: Vec<Times>,
    cycles_per_microsecond: f64,
}

impl Calibration {
    /// The delay with which the kernel sits so many percent above what a pass needs; none
    /// if it is slower as it is.
    fn cycles(&self, planned: &Planned<'_>, percent: i32) -> Option<u64> {
        let wanted = planned.goals.pass_speedup? * (1.0 + f64::from(percent) / 100.0);
        if self.speedup(0.0)? <= wanted {
            return None;
        }
        // The speedup falls as the delay grows. Sixty halvings are exact to a cycle.
        let (mut short, mut long) = (0.0, 1e9);
        for _ in 0..60 {
            let middle = (short + long) / 2.0;
            if self.speedup(middle)? > wanted { short = middle } else { long = middle }
        }
        Some((short * self.cycles_per_microsecond).round() as u64)
    }

    /// The geometric mean over the cases, with a delay of so many microseconds.
    fn speedup(&self, delay: f64) -> Option<f64> {
        geometric_mean(self.cases.iter().map(|case| case.baseline / (case.kernel + delay)))
    }
}

/// What became of a kernel.
fn line(kernel: &Kernel) -> String {
    let goals = kernel.goals.iter().map(|goal| {
        let (wrong, inconclusive) = goal.wrong_and_inconclusive();
        format!(
            "{:?} {:.3} ({:+.1} %): {} verdicts, {wrong} wrong, {inconclusive} inconclusive",
            goal.name,
            goal.threshold,
            goal.distance(),
            goal.verdicts.len(),
        )
    });
    let goals: Vec<String> = goals.collect();
    format!("{}: {}; {:.2} s each\n", kernel.label(), goals.join("; "), kernel.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Named;

    fn planned(pass: f64) -> Planned<'static> {
        Planned {
            exercise: &Named("03-reduction"),
            goals: SpeedGoals { pass_speedup: Some(pass), ..SpeedGoals::default() },
            file: "kernel.cu".into(),
            source: String::new(),
            percent: None,
        }
    }

    #[test]
    fn a_delay_puts_a_kernel_where_it_is_to_sit() {
        // Twice as fast as the baseline, 2000 cycles to a microsecond; 1.2 times as fast at 166⅔ µs.
        let known = Calibration {
            cases: vec![Times { kernel: 100.0, baseline: 200.0 }],
            cycles_per_microsecond: 2000.0,
        };
        assert_eq!(known.cycles(&planned(1.2), 0), Some(133_333));
        let at = |percent| known.cycles(&planned(1.2), percent).expect("it is fast enough") as f64 / 2000.0;
        for percent in DISTANCES {
            let speedup = 200.0 / (100.0 + at(percent));
            assert!((speedup / 1.2 - 1.0 - f64::from(percent) / 100.0).abs() < 1e-4, "{percent}");
        }
        assert_eq!(known.cycles(&planned(1.9), 10), None, "it would have to be faster than it is");
    }

    #[test]
    fn several_cases_meet_a_threshold_together() {
        let times = |kernel, baseline| Times { kernel, baseline };
        let known = Calibration {
            cases: vec![times(100.0, 400.0), times(400.0, 400.0)],
            cycles_per_microsecond: 1.0,
        };
        let cycles = known.cycles(&planned(1.5), 0).expect("it is at 2") as f64;
        assert!((known.speedup(cycles).expect("there are cases") - 1.5).abs() < 0.01);
    }
}
