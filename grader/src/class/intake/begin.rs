//! What happens before a scoring judges anything: the assignment and the roster are read, what was handed in is
//! gathered and told, and where something of it was not understood, nothing begins.

use std::{
    path::{Path, PathBuf, absolute},
    time::Duration,
};

use harness::exercise::Exercise;
use jiff::Timestamp;

pub use super::told::FILE as NOT_UNDERSTOOD;
use super::{Intake, Next, NotUnderstood, Wishes, roster::Roster, told};
use crate::{
    assignment::{
        Assignment,
        class::{Attempts, Class},
    },
    class::{audit::beside, store::Store},
    cli::class::Score,
    course::Course,
    exit::{Exit, Result, Trouble},
    terminal::Terminal,
};

/// What a scoring begins with.
pub struct Begun<'a> {
    /// What was handed in.
    pub intake: Intake,
    /// The exercises that count, in the course's order.
    pub exercises: Vec<&'a dyn Exercise>,
    /// The assignment, where there is one.
    pub assignment: Option<Assignment>,
    /// Its text.
    pub text: Option<String>,
    /// Which of several attempts counts.
    pub attempts: Attempts,
    /// After which moment a kernel is late.
    pub cutoff: Option<Timestamp>,
    /// The seed of the inputs, where one is given.
    pub seed: Option<u64>,
}

/// How a call goes on.
pub enum Beginning<'a> {
    /// All is told: judge it.
    Judge(Box<Begun<'a>>),
    /// It was a dry run.
    End(Exit),
}

/// Gathers and tells what was handed in.
///
/// # Errors
/// Wrong usage, and so is what was not understood without `--lenient`.
pub fn begin<'a>(course: Course<'a>, score: &Score, terminal: Terminal) -> Result<Beginning<'a>> {
    let assignment = score.assignment.as_deref().map(|file| Assignment::read(file, course)).transpose()?;
    let (assignment, text) = assignment.unzip();
    let counts = |exercise: &dyn Exercise| {
        assignment.as_ref().is_none_or(|assignment| assignment.worth(exercise.id()).is_some())
    };
    let exercises: Vec<&dyn Exercise> =
        course.exercises.iter().copied().filter(|exercise| counts(*exercise)).collect();
    let class = assignment.as_ref().and_then(|assignment| assignment.class.clone()).unwrap_or_default();
    let roster_file = roster_of(score, &class);
    let roster = roster_file.as_deref().map(Roster::read).transpose()?;
    // As absolute paths: `sheet.toml` lies in this folder.
    let own = roster_file.iter().chain(&score.assignment).filter_map(|file| absolute(file).ok());
    let own: Vec<PathBuf> = own.collect();
    let exercise = score.exercise.as_deref().map(|name| course.find(name)).transpose()?;
    let wishes = Wishes {
        course: Course { exercises: &exercises },
        known: course,
        layout: score.layout,
        exercise: exercise.map(|exercise| exercise.id()),
        roster: roster.as_ref(),
        attempts: class.attempts,
        own: &own,
    };
    let mut intake = Intake::gather(&score.submissions, wishes)?;
    look_for_overridden(&mut intake, &class, &exercises);
    let begun = Begun {
        intake,
        exercises,
        attempts: class.attempts,
        cutoff: score.cutoff.or(class.cutoff),
        seed: score.seed.or(class.seed),
        assignment,
        text,
    };
    let refused = !begun.intake.not_understood.is_empty() && !score.lenient;
    if score.dry_run {
        crate::print(&told::dry_run(&begun, terminal));
        let exit = if refused { Exit::Usage } else { Exit::Passed };
        return Ok(Beginning::End(exit));
    }
    told::remarks(&begun);
    if refused {
        let count = begun.intake.not_understood.len();
        let things = if count == 1 { "1 thing was".to_owned() } else { format!("{count} things were") };
        return Err(Trouble::usage(
            format!(
                "{things} not understood, so nothing was judged:\n{}",
                told::not_understood(&begun.intake)
            ),
            "mend them, or go on without them by --lenient; --dry-run shows the whole class",
        ));
    }
    Ok(Beginning::Judge(Box::new(begun)))
}

/// The roster's path: an assignment's own is relative to the assignment.
fn roster_of(score: &Score, class: &Class) -> Option<PathBuf> {
    let of_class = || {
        let folder = score.assignment.as_deref()?.parent()?;
        Some(folder.join(class.roster.as_deref()?))
    };
    score.roster.clone().or_else(of_class)
}

/// A change by hand that would change nothing is a slip.
fn look_for_overridden(intake: &mut Intake, class: &Class, exercises: &[&dyn Exercise]) {
    for given in &class.overrides {
        let why = match () {
            () if intake.students.iter().all(|student| student.id != given.student) => {
                "no student has that id here"
            }
            () if exercises.iter().all(|exercise| exercise.id() != given.exercise) => {
                "the assignment doesn't have that exercise"
            }
            () => continue,
        };
        intake.not_understood.push(NotUnderstood {
            place: format!("the override of {} for {}", given.exercise, given.student),
            why: why.to_owned(),
            next: Next::MendTheOverride,
        });
    }
}

impl Begun<'_> {
    /// The kernels that are to be judged.
    pub fn kernels(&self) -> usize {
        let pairs = self.intake.students.iter().flat_map(|student| {
            self.exercises.iter().map(move |exercise| student.kernels(exercise.id(), self.attempts))
        });
        pairs.flatten().flatten().filter(|submission| submission.kernel.is_ok()).count()
    }

    /// Keeps what was not understood among the results, and says so in the log.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn keep_not_understood(&self, store: &mut Store, out: &Path) -> Result<()> {
        const BY: &str = "class score";
        let path = out.join(told::FILE);
        let was_there = path.exists();
        told::keep_not_understood(&self.intake, out)?;
        match (self.has_not_understood(), was_there) {
            (true, _) => beside::record(store, out, BY, &[path]),
            (false, true) => beside::record_removed(store, out, BY, told::FILE),
            (false, false) => Ok(()),
        }
    }

    /// Whether something was left out, and [`NOT_UNDERSTOOD`] lists it among the results.
    pub fn has_not_understood(&self) -> bool {
        !self.intake.not_understood.is_empty()
    }

    /// About how long the simulator takes, on so many cores.
    pub fn estimate(&self, cores: usize) -> Duration {
        let kernels = u32::try_from(self.kernels()).unwrap_or(u32::MAX);
        PER_KERNEL * kernels / u32::try_from(cores.max(1)).unwrap_or(u32::MAX)
    }
}

/// Of one core on the simulator, as the system counts them, two for each with hyperthreads: the processor time of a made-up class,
/// over its rows, as `solutions/measured/class.json` has them.
pub const PER_KERNEL: Duration = Duration::from_millis(2350);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_what_was_measured() {
        let record = include_str!("../../../../solutions/measured/class.json");
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        let seconds = record["cold"]["processor_seconds"].as_f64().unwrap();
        let measured = seconds / record["rows"].as_f64().unwrap();
        assert!((PER_KERNEL.as_secs_f64() / measured - 1.0).abs() < 0.05, "measured: {measured} s a row");
    }
}
