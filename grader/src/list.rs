//! `grader list`: the exercises and how far the learner is.

use comfy_table::Cell;
use harness::{exercise::Exercise, report::SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    cli::{Format, List},
    course::Course,
    exit::{Exit, Result},
    files,
    folder::{CourseFolder, content_hash, current_directory, renames},
    hints,
    progress::LearnerProgress,
    table,
    terminal::{Terminal, remark_name},
    visible::shown,
};

/// How far an exercise is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No file, or still the stub.
    New,
    /// Edited, not passed as it is now.
    Begun,
    /// The file as it is now passed.
    Passed,
    /// It passed; its speed was not measured.
    PassedSpeedUnmeasured,
}

/// What `list` writes.
#[derive(Serialize, JsonSchema)]
pub struct ExerciseList<'a> {
    /// The version of this format.
    schema: u32,
    /// The course folder, which need not exist yet; none where no folder of a course is near.
    folder: Option<String>,
    /// The exercises in their order.
    exercises: Vec<Listed<'a>>,
}

/// One exercise of a list.
#[derive(Serialize, JsonSchema)]
pub struct Listed<'a> {
    /// Its id, `NN-name`.
    id: &'a str,
    /// Its title.
    title: &'a str,
    /// How far it is.
    state: State,
    /// The solution was seen before anything passed.
    gave_up: bool,
    /// How many of the general hints were shown.
    hints_seen: usize,
    /// How many general hints there are.
    hints: usize,
}

/// Runs it.
///
/// # Errors
/// Where the progress can't be read.
pub fn run(course: Course<'_>, list: &List, terminal: Terminal) -> Result<Exit> {
    let folder = CourseFolder::find(&current_directory()?);
    let mut progress = match &folder {
        Some(folder) => {
            let progress = LearnerProgress::load(&folder.path)?;
            if renames::are_due(&folder.path, course, &progress) {
                folder.complete(course)?;
            }
            LearnerProgress::load(&folder.path)?
        }
        None => LearnerProgress::default(),
    };
    let rows: Vec<Listed<'_>> = course
        .exercises
        .iter()
        .map(|exercise| Listed {
            id: exercise.id(),
            title: exercise.about().title,
            state: state(*exercise, folder.as_ref(), &mut progress),
            gave_up: progress.of(exercise.id()).gave_up,
            hints_seen: progress.of(exercise.id()).hints.min(hints::general(exercise.about().hints)),
            hints: hints::general(exercise.about().hints),
        })
        .collect();
    if list.format == Format::Json {
        let folder = folder.as_ref().map(|folder| shown(&folder.path));
        crate::print_json(&ExerciseList { schema: SCHEMA, folder, exercises: rows })?;
        return Ok(Exit::Passed);
    }
    let mut out = table::new(terminal, &["Exercise", "", "State", "Hints"]);
    for row in &rows {
        out.add_row([
            Cell::new(row.id),
            Cell::new(row.title),
            state_cell(row.state, row.gave_up, terminal),
            table::right(format!("{} of {}", row.hints_seen, row.hints)),
        ]);
    }
    table::keep_whole(&mut out, 1);
    crate::print(&format!("{}\n", table::text(&out, terminal)));
    let place = match &folder {
        Some(folder) if folder.path.is_dir() => match shown(&folder.path).as_str() {
            "." => "Your kernels are in this folder.".to_owned(),
            place => format!("Your kernels are in {place}."),
        },
        Some(folder) => format!("The first `grader check` makes {}.", shown(&folder.path)),
        None => "`grader init DIR` makes a folder for your kernels.".to_owned(),
    };
    crate::print(&format!("{place}\n"));
    remark_name();
    Ok(Exit::Passed)
}

/// Whether the kernel as it is now has passed.
pub fn is_passed(exercise: &dyn Exercise, folder: &CourseFolder, progress: &mut LearnerProgress) -> bool {
    matches!(state(exercise, Some(folder), progress), State::Passed | State::PassedSpeedUnmeasured)
}

fn state(exercise: &dyn Exercise, folder: Option<&CourseFolder>, progress: &mut LearnerProgress) -> State {
    let text = folder.and_then(|folder| files::read_kernel(&folder.kernel(exercise)).ok());
    let Some(text) = text else {
        return State::New;
    };
    let hash = content_hash(&text);
    let progress = progress.of(exercise.id());
    match progress.pass_of(&hash) {
        Some(pass) if pass.speed_unmeasured => State::PassedSpeedUnmeasured,
        Some(_) => State::Passed,
        None if text == exercise.about().stub || progress.stub.as_ref() == Some(&hash) => State::New,
        None => State::Begun,
    }
}

fn state_cell(state: State, gave_up: bool, terminal: Terminal) -> Cell {
    use comfy_table::{Attribute, Color};
    let seen = if gave_up { ", solution seen before" } else { "" };
    let passed = if terminal.plain { "passed" } else { "✓ passed" };
    let cell = |words: &str| Cell::new(format!("{words}{seen}"));
    match state {
        State::New => cell("new").add_attribute(Attribute::Dim),
        State::Begun => cell("begun").fg(Color::Yellow),
        State::Passed => cell(passed).fg(Color::Green),
        State::PassedSpeedUnmeasured => cell(&format!("{passed}, speed unmeasured")).fg(Color::Green),
    }
}
