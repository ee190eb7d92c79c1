//! Runs all kernels of exercises and says what is wrong with what became of them: for every command that judges
//! a course, and not one kernel.

mod baseline;

use std::{fs, path::PathBuf};

use grader::{
    checkout::root,
    devices,
    exit::{Result, Trouble},
    kernels::{Candidate, Role},
    thresholds::{ModelThresholds, demand::Here},
    toolchains,
};
use harness::{
    device::{DeviceChoice, Devices},
    exercise::{Exercise, value_problems},
    judge::{self, CheckOptions, Kernel},
    report::{Goal, Report, Verdict},
    toolchain::Toolchain,
};
use rayon::prelude::*;

use self::baseline::OfBaseline;
use crate::{contract, counts};

/// A kernel, what was found, and what is wrong with that.
pub type Judged = (Candidate, Report, Vec<String>);

/// The exercises, of which there must be some.
///
/// # Errors
/// Wrong usage where nothing would be proved.
pub fn some<'a, 'b>(exercises: &'b [&'a dyn Exercise]) -> Result<&'b [&'a dyn Exercise]> {
    if exercises.is_empty() {
        return Err(Trouble::usage(
            "this course has no exercises: nothing was proved",
            "add them to `workshop::main`",
        ));
    }
    Ok(exercises)
}

/// What it takes to run an exercise's kernels.
pub struct Prover {
    pub root: PathBuf,
    choice: DeviceChoice,
    pub devices: Devices,
    toolchain: Toolchain,
    pool: rayon::ThreadPool,
}

/// An exercise, its kernels, and what is wrong with it, kernels included.
pub struct Proved {
    pub exercise: &'static str,
    pub kernels: Vec<Judged>,
    pub problems: Vec<String>,
}

/// Exercises whose kernels are judged together.
const SIDE_BY_SIDE: usize = 4;

impl Prover {
    /// Looks for course, devices and compiler.
    ///
    /// # Errors
    /// Wrong usage outside a checkout, no such device, or no compiler.
    pub fn new(choice: &DeviceChoice) -> Result<Self> {
        let root = root()?;
        let devices = devices::resolve(choice)?;
        let toolchain = toolchains::resolve(None, devices.gpu.as_ref())?;
        let pool = rayon::ThreadPoolBuilder::new().build();
        let pool =
            pool.map_err(|error| Trouble::judge(format!("no threads: {error}"), "end other programs"))?;
        Ok(Prover { root, choice: choice.clone(), devices, toolchain, pool })
    }

    /// Runs the exercises' kernels, compares what became of them with the contract, and hands over one
    /// exercise after the other.
    ///
    /// # Errors
    /// What `each` says.
    pub fn prove(
        &self,
        exercises: &[&dyn Exercise],
        mut each: impl FnMut(&dyn Exercise, Proved) -> Result<()>,
    ) -> Result<()> {
        // Kernels of several exercises go side by side, so that cores wait for the slowest less often; of all where there
        // is a GPU, for there the cores outnumber an exercise's kernels. Without one, what is known is told meanwhile.
        let at_once = if self.devices.gpu.is_some() { exercises.len() } else { SIDE_BY_SIDE };
        for some in exercises.chunks(at_once.max(1)) {
            for (exercise, judged) in some.iter().zip(self.judge(some)) {
                each(*exercise, self.timed(*exercise, judged))?;
            }
        }
        Ok(())
    }

    /// Judges the kernels of some exercises in everything but speed, side by side.
    pub fn judge(&self, exercises: &[&dyn Exercise]) -> Vec<Proved> {
        let mut all: Vec<Proved> = Vec::new();
        let mut candidates = Vec::new();
        for (at, exercise) in exercises.iter().enumerate() {
            let mut problems = Vec::new();
            let inspected = contract::inspect(&self.root, *exercise, &mut problems);
            candidates.extend(inspected.into_iter().map(|candidate| (at, candidate)));
            problems.extend(contract::timed_problems(*exercise));
            problems.extend(value_problems(*exercise));
            problems
                .extend(ModelThresholds::shipped().problems(exercise.id(), &exercise.about().speed_goals));
            all.push(Proved { exercise: exercise.id(), kernels: Vec::new(), problems });
        }
        let judged: Vec<(usize, Candidate, Report)> = self.pool.install(|| {
            let candidates = candidates.into_par_iter().with_max_len(1);
            let judge = |(at, candidate): (usize, Candidate)| {
                let report = self.check(exercises[at], &candidate, |options| {
                    options.skip_speed = true;
                    options.threads = 1;
                });
                (at, candidate, report)
            };
            candidates.map(judge).collect()
        });
        for (at, candidate, report) in judged {
            all[at].kernels.push((candidate, report, Vec::new()));
        }
        all
    }

    /// Times what must be fast, one kernel after the other: a GPU that times must have nothing else to do,
    /// nor the machine. Then says what became of all kernels.
    pub fn timed(&self, exercise: &dyn Exercise, mut proved: Proved) -> Proved {
        proved.kernels = proved.kernels.into_iter().map(|judged| self.finished(exercise, judged)).collect();
        proved.kernels.sort_by_key(|(candidate, _, _)| candidate.role);
        for (candidate, _, found) in &proved.kernels {
            let file = candidate.file.display();
            proved.problems.extend(found.iter().map(|problem| format!("{file}: {problem}")));
        }
        proved
    }

    fn finished(&self, exercise: &dyn Exercise, (candidate, mut report, _): Judged) -> Judged {
        let right = report.judge_error.is_none()
            && report.goals.iter().any(|goal| goal.goal == Goal::Correct && goal.verdict == Verdict::Passed);
        let mut unmeasured = None;
        let has_timed_case = exercise.cases().iter().any(|case| !case.on.is_simulated());
        if self.devices.gpu.is_some() && right && has_timed_case && is_timed(&candidate) {
            let gpu = self.devices.gpu.as_ref();
            let here = Here { gpu, toolchain: &self.toolchain, again: false };
            let asked = here.asked(exercise);
            unmeasured = asked.broken.clone();
            let timed = self.check(exercise, &candidate, |options| {
                options.only_speed = true;
                asked.set(options);
            });
            report = report.with_speed(timed);
        }
        let mut problems = contract::judge(&candidate, &report);
        problems.extend(unmeasured);
        problems.extend(contract::without_hint(exercise, &candidate, &report));
        problems.extend(contract::beyond_reach(&exercise.about(), &candidate, &report));
        problems.extend(contract::width::problem(&report));
        problems.extend(contract::sums::problem(&report));
        (candidate, report, problems)
    }

    fn check(
        &self,
        exercise: &dyn Exercise,
        candidate: &Candidate,
        change: impl FnOnce(&mut CheckOptions),
    ) -> Report {
        let mut options = CheckOptions {
            device: self.choice.clone(),
            toolchain: Some(self.toolchain.clone()),
            ..CheckOptions::default()
        };
        change(&mut options);
        let kernel = Kernel { path: candidate.file.display().to_string(), source: candidate.source.clone() };
        match OfBaseline::new(exercise).filter(|_| candidate.role == Role::Baseline) {
            Some(exercise) => judge::check(&exercise, &kernel, &options, &|_| {}),
            None => judge::check(exercise, &kernel, &options, &|_| {}),
        }
    }

    /// Judges any kernel of an exercise, as `grader check` does.
    pub fn report(&self, exercise: &dyn Exercise, kernel: &Kernel) -> Report {
        let options = CheckOptions {
            device: self.choice.clone(),
            toolchain: Some(self.toolchain.clone()),
            threads: 1,
            ..CheckOptions::default()
        };
        judge::check(exercise, kernel, &options, &|_| {})
    }

    /// Runs something whose parallel parts are to share the cores with nothing else.
    pub fn together<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Why the counts are not those committed. They are the default simulator's and the pinned compiler's.
    pub fn changed_counts(&self, exercise: &dyn Exercise, proved: &Proved) -> Option<String> {
        if self.choice != DeviceChoice::Simulator(None) || !self.toolchain.is_pinned() {
            return None;
        }
        let path = counts::path(exercise);
        let was = fs::read_to_string(self.root.join(&path)).unwrap_or_default();
        (was != proved.counts()).then(|| {
            format!(
                "{} is not what was counted: `cargo workshop bless {}` shows the difference",
                path.display(),
                exercise.id()
            )
        })
    }
}

impl Proved {
    /// The kernels that could not be judged, with the reason. What was not judged was not counted either.
    pub fn unjudged(&self) -> impl Iterator<Item = String> {
        self.kernels.iter().filter_map(|(candidate, report, _)| {
            let why = report.judge_error.as_ref()?;
            Some(format!("{}: {why}", candidate.file.display()))
        })
    }
    /// What the simulator counted, as it is committed.
    pub fn counts(&self) -> String {
        counts::text(self.kernels.iter().map(|(candidate, report, _)| (candidate, report)))
    }
}

/// Only what must be fast is timed.
fn is_timed(candidate: &Candidate) -> bool {
    matches!(candidate.role, Role::Solution | Role::Step)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sample;

    #[test]
    fn a_kernel_that_could_not_be_judged_is_named() {
        let candidate = |file: &str| Candidate {
            role: Role::Step,
            file: file.into(),
            source: String::new(),
            fails: BTreeSet::new(),
            may_fail: BTreeSet::new(),
        };
        let unjudged = Report { judge_error: Some("no answer".to_owned()), ..sample::failed() };
        let kernels = vec![
            (candidate("a.cu"), sample::passed(), Vec::new()),
            (candidate("b.cu"), unjudged, Vec::new()),
        ];
        let proved = Proved { exercise: "03-reduction", kernels, problems: Vec::new() };
        assert_eq!(proved.unjudged().collect::<Vec<_>>(), ["b.cu: no answer"]);
    }
}
