//! Runs all kernels of exercises and says what is wrong with what became of them: for every command that judges
//! a course, and not one kernel.

mod baseline;

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Instant,
};

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
    until: Option<Instant>,
}

/// An exercise, its kernels, and what is wrong with it, kernels included.
pub struct Proved {
    pub exercise: &'static str,
    pub kernels: Vec<Judged>,
    pub problems: Vec<String>,
    /// Kernels that were not begun for lack of time: see [`Prover::begin_until`].
    pub not_begun: usize,
}

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
        Ok(Prover { root, choice: choice.clone(), devices, toolchain, pool, until: None })
    }

    /// From then on no kernel is begun any more.
    pub fn begin_until(&mut self, end: Instant) {
        self.until = Some(end);
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
        if self.devices.gpu.is_some() {
            // What is timed must have the machine for itself: everything else is done before.
            let judged = self.judge(exercises);
            return exercises
                .iter()
                .zip(judged)
                .try_for_each(|(one, judged)| each(*one, self.timed(*one, judged)));
        }
        self.judge_each(exercises, |exercise, judged| each(exercise, self.timed(exercise, judged)))
    }

    /// Judges the kernels of some exercises in everything but speed, side by side.
    pub fn judge(&self, exercises: &[&dyn Exercise]) -> Vec<Proved> {
        let mut all = Vec::new();
        let kept = self.judge_each(exercises, |_, judged| {
            all.push(judged);
            Ok(())
        });
        debug_assert!(kept.is_ok(), "keeping what was judged cannot fail");
        all
    }

    /// The same, and hands over each exercise as soon as it and all before it are judged. Kernels of all exercises stand in one
    /// queue, so that no core waits for the slowest of an exercise.
    fn judge_each(
        &self,
        exercises: &[&dyn Exercise],
        mut each: impl FnMut(&dyn Exercise, Proved) -> Result<()>,
    ) -> Result<()> {
        let (all, candidates): (Vec<Proved>, Vec<Vec<Candidate>>) =
            exercises.iter().map(|exercise| self.inspected(*exercise)).unzip();
        let (is_over, (judged, hear)) = (AtomicBool::new(false), mpsc::channel());
        self.pool.in_place_scope_fifo(|scope| {
            let mut waiting: VecDeque<Waiting<'_>> = VecDeque::new();
            for ((exercise, proved), candidates) in exercises.iter().zip(all).zip(candidates) {
                waiting.push_back(Waiting { exercise: *exercise, proved, left: candidates.len() });
                for (place, candidate) in candidates.into_iter().enumerate() {
                    let (judged, is_over) = (judged.clone(), &is_over);
                    scope.spawn_fifo(move |_| {
                        if is_over.load(Ordering::Relaxed) {
                            return;
                        }
                        let in_time = self.until.is_none_or(|end| Instant::now() < end);
                        let its = in_time.then(|| {
                            let report = self.check(*exercise, &candidate, |options| {
                                options.skip_speed = true;
                                options.threads = 1;
                            });
                            (candidate, report, Vec::new())
                        });
                        // Where it is not heard, an exercise before it has ended all.
                        let _ = judged.send((exercise.id(), place, its));
                    });
                }
            }
            drop(judged);
            let told = hand_over(waiting, &hear, &mut each);
            is_over.store(true, Ordering::Relaxed);
            told
        })
    }

    /// An exercise before its kernels are judged, with what is wrong with it anyway; and its kernels.
    fn inspected(&self, exercise: &dyn Exercise) -> (Proved, Vec<Candidate>) {
        let mut problems = Vec::new();
        let candidates = contract::inspect(&self.root, exercise, &mut problems);
        problems.extend(contract::timed_problems(exercise));
        problems.extend(value_problems(exercise));
        problems.extend(ModelThresholds::shipped().problems(exercise.id(), &exercise.about().speed_goals));
        (Proved { exercise: exercise.id(), kernels: Vec::new(), problems, not_begun: 0 }, candidates)
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
        let is_comparable = self.choice == DeviceChoice::Simulator(None) && self.toolchain.is_pinned();
        if !is_comparable || proved.not_begun > 0 {
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

/// An exercise, some of whose kernels are not judged yet.
struct Waiting<'a> {
    exercise: &'a dyn Exercise,
    proved: Proved,
    left: usize,
}

/// What was heard of a kernel: its exercise, its place among that one's kernels, and what became of it, if it was begun.
type Heard = (&'static str, usize, Option<Judged>);

/// Hands over exercises in their order, each when its kernels have all been heard of.
fn hand_over(
    mut waiting: VecDeque<Waiting<'_>>,
    judged: &mpsc::Receiver<Heard>,
    each: &mut impl FnMut(&dyn Exercise, Proved) -> Result<()>,
) -> Result<()> {
    let mut places: BTreeMap<&str, Vec<(usize, Judged)>> = BTreeMap::new();
    loop {
        while waiting.front().is_some_and(|first| first.left == 0) {
            let Some(mut done) = waiting.pop_front() else { break };
            let mut kernels = places.remove(done.proved.exercise).unwrap_or_default();
            kernels.sort_by_key(|(place, _)| *place);
            done.proved.kernels = kernels.into_iter().map(|(_, judged)| judged).collect();
            each(done.exercise, done.proved)?;
        }
        let Ok((id, place, judged)) = judged.recv() else { return Ok(()) };
        if let Some(its) = waiting.iter_mut().find(|one| one.proved.exercise == id) {
            its.left -= 1;
            its.proved.not_begun += usize::from(judged.is_none());
        }
        places.entry(id).or_default().extend(judged.map(|judged| (place, judged)));
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
    use crate::sample::{self, Named};

    fn candidate(file: &str) -> Candidate {
        Candidate {
            role: Role::Step,
            file: file.into(),
            source: String::new(),
            fails: BTreeSet::new(),
            may_fail: BTreeSet::new(),
        }
    }

    #[test]
    fn exercises_come_in_order_with_their_kernels_in_order_whichever_is_judged_first() {
        let (judged, hear) = mpsc::channel();
        for (id, place) in [("01", 1), ("02", 0), ("00", 0), ("01", 0)] {
            let kernel = candidate(&format!("{id}/{place}.cu"));
            judged.send((id, place, Some((kernel, sample::passed(), Vec::new())))).unwrap();
        }
        judged.send(("02", 1, None)).unwrap();
        drop(judged);
        let exercises = ["00", "01", "02", "03"].map(Named);
        let waiting = |left: [usize; 4]| -> VecDeque<Waiting<'_>> {
            let of = |(exercise, left)| {
                let exercise: &Named = exercise;
                let (kernels, problems) = (Vec::new(), Vec::new());
                let proved = Proved { exercise: exercise.0, kernels, problems, not_begun: 0 };
                Waiting { exercise, proved, left }
            };
            exercises.iter().zip(left).map(of).collect()
        };
        let mut told = Vec::new();
        hand_over(waiting([1, 2, 2, 0]), &hear, &mut |exercise, proved| {
            let files = proved.kernels.iter().map(|(candidate, _, _)| candidate.file.display().to_string());
            let files = files.collect::<Vec<_>>().join(" ");
            told.push((exercise.id().to_owned(), files, proved.not_begun));
            Ok(())
        })
        .unwrap();
        let told: Vec<(&str, &str, usize)> =
            told.iter().map(|(id, files, not_begun)| (&**id, &**files, *not_begun)).collect();
        assert_eq!(
            told,
            [("00", "00/0.cu", 0), ("01", "01/0.cu 01/1.cu", 0), ("02", "02/0.cu", 1), ("03", "", 0)]
        );
    }

    #[test]
    fn a_kernel_that_could_not_be_judged_is_named() {
        let unjudged = Report { judge_error: Some("no answer".to_owned()), ..sample::failed() };
        let kernels = vec![
            (candidate("a.cu"), sample::passed(), Vec::new()),
            (candidate("b.cu"), unjudged, Vec::new()),
        ];
        let proved = Proved { exercise: "03-reduction", kernels, problems: Vec::new(), not_begun: 0 };
        assert_eq!(proved.unjudged().collect::<Vec<_>>(), ["b.cu: no answer"]);
    }
}
