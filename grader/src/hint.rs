//! `grader hint`: one hint at a time, first for what the last check found wrong, then in general from a nudge
//! to nearly the answer; after passing, why it works and what to try next. Passing is what `check` recorded:
//! a kernel that is then changed and fails doesn't take it back.

pub mod speeds;

use std::ops::Range;

use colored::Colorize;
use harness::exercise::Exercise;

use crate::{
    cli::Hint,
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::{CourseFolder, current_directory},
    hints::{self, Ladder},
    progress::{ExerciseProgress, LearnerProgress},
    terminal::{Terminal, remark},
};

/// Runs it.
///
/// # Errors
/// An unknown name, or progress that can't be kept.
pub fn run(course: Course<'_>, hint: &Hint, terminal: Terminal) -> Result<Exit> {
    let exercise = course.find(&hint.name)?;
    let folder = CourseFolder::find(&current_directory()?).filter(|folder| folder.path.is_dir());
    crate::print(&told(exercise, folder.as_ref(), hint.again, terminal)?);
    if folder.is_none() {
        remark("there is no course folder here, so the next hint will be this one again");
    }
    Ok(Exit::Passed)
}

/// The next hint of an exercise.
///
/// # Errors
/// Where the progress can't be kept.
pub fn next(exercise: &dyn Exercise, folder: &CourseFolder, terminal: Terminal) -> Result<String> {
    told(exercise, Some(folder), false, terminal)
}

fn told(
    exercise: &dyn Exercise,
    folder: Option<&CourseFolder>,
    again: bool,
    terminal: Terminal,
) -> Result<String> {
    let mut progress = match &folder {
        Some(folder) => LearnerProgress::load(&folder.path)?,
        None => LearnerProgress::default(),
    };
    let known = progress.of(exercise.id());
    let ladder = hints::ladder(exercise.about().hints, &known.failures, &known.wrong_cases);
    let seen = Seen::of(known, &ladder);
    // Who passed and then broke it was offered hints for that by the last check.
    if !known.passed.is_empty() && ladder.topic.is_none() {
        let before = if again { show(&ladder, 0..seen.all(&ladder), terminal) } else { String::new() };
        return Ok(before + &explain(exercise, terminal)?);
    }
    let (seen, count) = (seen.all(&ladder), ladder.hints.len());
    if again && seen == 0 {
        let next = format!("`grader hint {}` shows the first of {count}", exercise.id());
        return Err(Trouble::usage("no hint was shown yet", next));
    }
    let shown = if again { seen } else { (seen + 1).min(count) };
    let first = if again || seen == count { 0 } else { shown.saturating_sub(1) };
    let mut text = show(&ladder, first..shown, terminal);
    if seen == count {
        text.push_str(
            "These are all the hints. The chapter of the book has the solution, folded away at its end.\n",
        );
    } else if shown < count && !again {
        text.push_str(&format!("One more? `grader hint {}`\n", exercise.id()));
    }
    if let Some(folder) = folder {
        LearnerProgress::update(&folder.path, |progress| {
            Seen::up_to(shown, &ladder).keep(progress.of(exercise.id()), &ladder);
        })?;
    }
    Ok(text)
}

/// How many hints of a ladder's two parts were shown. The general part is the same for every failure: what
/// was shown of it for one is not shown again for the next.
struct Seen {
    special: usize,
    general: usize,
}

impl Seen {
    fn of(known: &ExerciseProgress, ladder: &Ladder) -> Self {
        let special = ladder.topic.as_ref().and_then(|topic| known.hints_for.get(&topic.to_string()));
        Seen {
            special: special.copied().unwrap_or(0).min(ladder.special),
            general: known.hints.min(ladder.hints.len() - ladder.special),
        }
    }

    fn up_to(shown: usize, ladder: &Ladder) -> Self {
        Seen { special: shown.min(ladder.special), general: shown.saturating_sub(ladder.special) }
    }

    /// The ladder's first hints that are known: general ones seen before count once those for
    /// the failure are seen, too.
    fn all(&self, ladder: &Ladder) -> usize {
        if self.special < ladder.special { self.special } else { self.special + self.general }
    }

    fn keep(&self, known: &mut ExerciseProgress, ladder: &Ladder) {
        if let Some(topic) = &ladder.topic {
            known.hints_for.insert(topic.to_string(), self.special);
        }
        known.hints = known.hints.max(self.general);
    }
}

/// Some of a ladder's hints.
fn show(ladder: &Ladder, range: Range<usize>, terminal: Terminal) -> String {
    let all = ladder.hints.len();
    let hint = |index: usize| {
        let what = match &ladder.topic {
            Some(topic) if index < ladder.special => format!(", for {}", topic.in_words()),
            _ => String::new(),
        };
        let number = format!("Hint {} of {all}{what}", index + 1).bold();
        format!("{number}\n{}\n\n", textwrap::fill(&ladder.hints[index], terminal.width))
    };
    range.map(hint).collect()
}

/// What only those see who no longer need a hint.
fn explain(exercise: &dyn Exercise, terminal: Terminal) -> Result<String> {
    let filled_in = |text: String| speeds::filled_in(&text, exercise.id());
    let texts: Vec<String> = hints::passed(exercise.about().hints)
        .into_iter()
        .map(|text| Ok(textwrap::fill(&filled_in(text)?, terminal.width)))
        .collect::<Result<_>>()?;
    let passed = format!("You passed {}", exercise.id()).bold();
    Ok(format!("{passed}\n{}\n", texts.join("\n\n")))
}
