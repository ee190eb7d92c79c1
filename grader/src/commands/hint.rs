//! `grader hint`: one hint at a time, from a nudge to nearly the answer; after passing, why it works and what to try
//! next. Passing is what `check` recorded: a kernel that is then changed and fails doesn't take it back.

use colored::Colorize;
use harness::exercise::Exercise;

use crate::{
    cli::Hint,
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::{CourseFolder, current_directory},
    progress::Progress,
    terminal::{Terminal, remark},
};

/// Runs it.
///
/// # Errors
/// An unknown name, or progress that can't be kept.
pub fn run(course: Course<'_>, hint: &Hint, terminal: Terminal) -> Result<Exit> {
    let exercise = course.find(&hint.name)?;
    let hints = exercise.hints();
    let folder = CourseFolder::find(&current_directory()?).filter(|folder| folder.path.is_dir());
    let mut progress = match &folder {
        Some(folder) => Progress::load(&folder.path)?,
        None => Progress::default(),
    };
    let passed = !progress.of(exercise.id()).passed.is_empty();
    let seen = progress.of(exercise.id()).hints.min(hints.len());
    if passed {
        if hint.again {
            show(&hints[..seen], 0, hints.len(), terminal);
        }
        explain(exercise, terminal);
        return Ok(Exit::Passed);
    }
    let shown = if hint.again { seen } else { (seen + 1).min(hints.len()) };
    let first = if hint.again || seen == hints.len() { 0 } else { shown.saturating_sub(1) };
    if shown == 0 {
        let next = format!("`grader hint {}` shows the first of {}", exercise.id(), hints.len());
        return Err(Trouble::usage("no hint was shown yet", next));
    }
    show(&hints[first..shown], first, hints.len(), terminal);
    if shown == hints.len() && seen == hints.len() {
        crate::print(
            "These are all the hints. The chapter of the book has the solution, folded away at its end.\n",
        );
    } else if shown < hints.len() && !hint.again {
        crate::print(&format!("One more? `grader hint {}`\n", exercise.id()));
    }
    match &folder {
        Some(folder) => Progress::update(&folder.path, |progress| progress.of(exercise.id()).hints = shown)?,
        None => remark("there is no course folder here, so the next hint will be this one again"),
    }
    Ok(Exit::Passed)
}

/// Prints hints; `first` is the position of the first of them among `all`.
fn show(hints: &[&str], first: usize, all: usize, terminal: Terminal) {
    for (index, text) in (first + 1..).zip(hints) {
        let number = format!("Hint {index} of {all}").bold();
        crate::print(&format!("{number}\n{}\n\n", textwrap::fill(text.trim(), terminal.width)));
    }
}

/// What only those see who no longer need a hint.
fn explain(exercise: &dyn Exercise, terminal: Terminal) {
    crate::print(&format!("{}\n", format!("You passed {}", exercise.id()).bold()));
    let texts: Vec<String> =
        exercise.after_passing().iter().map(|text| textwrap::fill(text.trim(), terminal.width)).collect();
    crate::print(&format!("{}\n", texts.join("\n\n")));
}
