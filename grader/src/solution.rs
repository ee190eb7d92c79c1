//! `grader solution`: a kernel that passes, for whoever has passed, or gives up.

use harness::exercise::{Exercise, PublishedStep};

use crate::{
    check::remark_not_kept,
    cli::Solution,
    course::Course,
    exit::{Exit, Result, Trouble},
    folder::{CourseFolder, current_directory},
    progress::LearnerProgress,
    terminal::remark,
};

/// Runs it.
///
/// # Errors
/// An unknown name, a kernel that has not passed yet, or progress that can't be read.
pub fn run(course: Course<'_>, solution: &Solution) -> Result<Exit> {
    let exercise = course.named_or_here(solution.name.as_deref(), "solution")?;
    let folder = CourseFolder::find(&current_directory()?).filter(|folder| folder.path.is_dir());
    let step = solution.step.as_deref().map(|name| step(exercise, name)).transpose()?;
    let text = shown(exercise, folder.as_ref(), solution.give_up)?;
    crate::print_whole(step.map_or(&text, |step| step.source));
    let steps = names(exercise.about().steps);
    if step.is_none() && !steps.is_empty() {
        remark(&format!("kernels on the way to it and beyond: {steps}; `--step NUMBER` shows one"));
    }
    Ok(Exit::Passed)
}

/// A step by its number or its name.
fn step(exercise: &dyn Exercise, name: &str) -> Result<&'static PublishedStep> {
    let about = exercise.about();
    let steps = about.steps;
    let numbered = || steps.iter().find(|step| step.name.split('-').next() == Some(name));
    about.step(name).or_else(numbered).ok_or_else(|| {
        let what = format!("{} has no step {name}", exercise.id());
        match steps {
            [] => Trouble::usage(what, "leave --step out for the solution"),
            _ => Trouble::usage(what, format!("name one of: {}", names(steps))),
        }
    })
}

fn names(steps: &[PublishedStep]) -> String {
    steps.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
}

/// The solution, where it may be seen.
///
/// # Errors
/// A kernel that has not passed yet, or progress that can't be read.
pub fn shown(exercise: &dyn Exercise, folder: Option<&CourseFolder>, give_up: bool) -> Result<String> {
    let id = exercise.id();
    let mut progress = match folder {
        Some(folder) => LearnerProgress::load(&folder.path)?,
        None => LearnerProgress::default(),
    };
    if progress.of(id).passed.is_empty() {
        if !give_up {
            return Err(Trouble::usage(
                format!("you have not passed {id} yet"),
                format!("`grader hint {id}` helps; `grader solution {id} --give-up` shows it all the same"),
            ));
        }
        if let Some(folder) = folder {
            match LearnerProgress::update(&folder.path, |progress| progress.of(id).gave_up = true) {
                Ok(()) => remark(&format!("`grader list` remembers that you saw it before {id} passed")),
                Err(trouble) => remark_not_kept(&trouble),
            }
        }
    }
    Ok(exercise.about().solution.to_owned())
}
