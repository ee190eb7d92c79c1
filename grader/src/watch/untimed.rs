//! A pass that is shown while its speed is still measured. A learner who goes on before the speed is known keeps it.

use harness::{exercise::Exercise, report::Report};

use crate::{
    check,
    exit::Result,
    folder::CourseFolder,
    progress::{ExerciseProgress, LearnerProgress},
};

/// The pass that is shown and not kept yet; at most one.
#[derive(Debug, Default)]
pub struct Untimed(Option<Box<Report>>);

impl Untimed {
    /// A report is shown. A pass that lacks its speed waits here; any other report takes the place of what waited.
    pub fn shown(&mut self, report: &Report, timing: bool) {
        self.0 = (timing && check::passed(report)).then(|| Box::new(report.clone()));
    }

    /// Whether the kernel with this hash is the one whose pass waits: a new check of it decides again.
    pub fn is_of(&self, kernel_hash: &str) -> bool {
        self.0.as_ref().is_some_and(|report| report.kernel_hash == kernel_hash)
    }

    /// Keeps the pass as one without a speed, because its speed will not be known.
    ///
    /// # Errors
    /// Where the folder can't be written to.
    pub fn keep(&mut self, folder: &CourseFolder, exercise: &dyn Exercise) -> Result<()> {
        let Some(report) = self.0.take() else { return Ok(()) };
        let mut progress = LearnerProgress::load(&folder.path)?;
        match tells_more(&report, progress.of(&report.exercise)) {
            true => check::remember(folder, exercise, &report),
            false => Ok(()),
        }
    }
}

/// Whether a pass without a speed tells more than what is kept. A whole check of the same kernel decided more: the pass
/// must neither replace its pass nor outlast its failure.
fn tells_more(report: &Report, kept: &ExerciseProgress) -> bool {
    let is_judged = kept.judged.as_ref().is_some_and(|judged| judged.kernel == report.kernel_hash);
    let is_timed = kept.pass_of(&report.kernel_hash).is_some_and(|pass| !pass.speed_unmeasured);
    !is_judged && !is_timed
}

#[cfg(test)]
mod tests {
    use harness::report::{Goal, Verdict};

    use super::*;
    use crate::sample::{self, Named};

    const EXERCISE: Named = Named("03-reduction");

    struct Learner {
        folder: CourseFolder,
        untimed: Untimed,
        _place: tempfile::TempDir,
    }

    impl Learner {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            let folder = CourseFolder { path: place.path().to_owned() };
            Learner { folder, untimed: Untimed::default(), _place: place }
        }

        /// What watch does with a report.
        fn sees(&mut self, report: &Report, timing: bool) {
            self.untimed.shown(report, timing);
            if !timing {
                check::remember(&self.folder, &EXERCISE, report).unwrap();
            }
        }

        fn goes_on(&mut self) -> ExerciseProgress {
            self.untimed.keep(&self.folder, &EXERCISE).unwrap();
            LearnerProgress::load(&self.folder.path).unwrap().of("03-reduction").clone()
        }
    }

    /// A pass whose speed is being measured.
    fn passed_but_for_speed() -> Report {
        let mut report = sample::passed();
        report.speed_unmeasured = true;
        for goal in report.goals.iter_mut().filter(|goal| matches!(goal.goal, Goal::Speedup | Goal::Expert)) {
            goal.verdict = Verdict::Unmeasured;
        }
        report
    }

    /// The whole check of the same kernel: it is too slow.
    fn too_slow() -> Report {
        let mut report = sample::passed();
        report.verdict = Verdict::Failed;
        for goal in report.goals.iter_mut().filter(|goal| goal.goal == Goal::Speedup) {
            goal.verdict = Verdict::Failed;
        }
        report
    }

    /// Of each kernel that passed: its hash, and whether its speed is unmeasured.
    fn passes(progress: &ExerciseProgress) -> Vec<(&str, bool)> {
        progress.passed.iter().map(|pass| (&*pass.kernel, pass.speed_unmeasured)).collect()
    }

    #[test]
    fn a_pass_that_is_shown_is_kept_though_its_speed_never_comes() {
        let mut learner = Learner::new();
        let report = passed_but_for_speed();
        learner.sees(&report, true);
        assert!(learner.untimed.is_of(&report.kernel_hash) && !learner.untimed.is_of("another"));
        let kept = learner.goes_on();
        assert_eq!((passes(&kept), kept.checks), (vec![("0123abcd", true)], 1));
        // Once.
        assert_eq!(learner.goes_on().checks, 1);
    }

    #[test]
    fn what_the_speed_decides_stands() {
        for (whole, expected) in [(too_slow(), vec![]), (sample::passed(), vec![("0123abcd", false)])] {
            let mut learner = Learner::new();
            learner.sees(&passed_but_for_speed(), true);
            learner.sees(&whole, false);
            let kept = learner.goes_on();
            assert_eq!((passes(&kept), kept.checks), (expected.clone(), 1));
            // The same kernel again, and on before its speed is known: nothing new is known.
            learner.sees(&passed_but_for_speed(), true);
            let kept = learner.goes_on();
            assert_eq!((passes(&kept), kept.checks), (expected, 1));
            assert_eq!(kept.judged.unwrap().goals["speedup"], whole.goals[3].verdict);
        }
    }

    #[test]
    fn a_timed_pass_outlasts_another_kernels_check() {
        let mut learner = Learner::new();
        learner.sees(&sample::passed(), false);
        let other = Report { kernel_hash: "another".to_owned(), ..sample::failed() };
        learner.sees(&other, false);
        learner.sees(&passed_but_for_speed(), true);
        assert_eq!(passes(&learner.goes_on()), [("0123abcd", false)]);
    }

    #[test]
    fn nothing_but_a_pass_is_kept() {
        let mut learner = Learner::new();
        learner.sees(&sample::failed(), true);
        let broken = Report { judge_error: Some("the GPU went away".to_owned()), ..passed_but_for_speed() };
        learner.sees(&broken, true);
        assert_eq!(learner.goes_on(), ExerciseProgress::default());
    }
}
