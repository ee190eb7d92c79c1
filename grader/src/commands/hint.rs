//! `grader hint`: one hint at a time, from a nudge to nearly the answer.

use colored::Colorize;

use crate::{
    cli::Hint,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    folder::{CourseFolder, current_directory},
    progress::{MARKER, Progress},
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
    let seen = progress.of(exercise.id()).hints.min(hints.len());
    let shown = if hint.again { seen } else { (seen + 1).min(hints.len()) };
    let first = if hint.again || seen == hints.len() { 0 } else { shown.saturating_sub(1) };
    if shown == 0 {
        let next = format!("`grader hint {}` shows the first of {}", exercise.id(), hints.len());
        return Err(Trouble::usage("no hint was shown yet", next));
    }
    for (index, text) in hints.iter().enumerate().take(shown).skip(first) {
        let number = format!("Hint {} of {}", index + 1, hints.len()).bold();
        crate::print(&format!("{number}\n{}\n\n", textwrap::fill(text.trim(), terminal.width)));
    }
    if shown == hints.len() && seen == hints.len() {
        crate::print(
            "These are all the hints. The chapter of the book has the solution, folded away at its end.\n",
        );
    } else if shown < hints.len() && !hint.again {
        crate::print(&format!("One more? `grader hint {}`\n", exercise.id()));
    }
    progress.of(exercise.id()).hints = shown;
    match &folder {
        Some(folder) => progress.save(&folder.path).map_err(|error| {
            let path = folder.path.join(MARKER);
            Trouble::judge(
                format!("could not write {}: {}", path.display(), files::explain(&error)),
                "make the course folder writable",
            )
        })?,
        None => remark("there is no course folder here, so the next hint will be this one again"),
    }
    Ok(Exit::Passed)
}
