//! `grader list`: the exercises and how far the learner is. A pass is never forgotten; whether it is the kernel's that is
//! there now is said beside it.

use std::path::Path;

use comfy_table::Cell;
use harness::{
    exercise::Exercise,
    report::{SCHEMA, number_of},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    assignment::{Assignment, points::Earned},
    check,
    cli::{Format, List},
    course::Course,
    exit::{Exit, Result},
    files::{self, Unreadable},
    folder::{CourseFolder, content_hash, current_directory, renames},
    hints,
    progress::LearnerProgress,
    stub, table,
    terminal::{Terminal, in_lines, remark_name},
    visible::{shown, visible},
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
    /// Something is there that can't be read as a kernel.
    Unreadable,
}

/// What `list` writes.
#[derive(Serialize, JsonSchema)]
pub struct ExerciseList<'a> {
    /// The version of this format.
    schema: u32,
    /// The course folder, which need not exist yet; none where no folder of a course is near.
    folder: Option<String>,
    /// The course folder's assignment.
    assignment: Option<ListedAssignment>,
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
    /// A kernel of it has passed, whatever is there now.
    ever_passed: bool,
    /// Why there is no kernel that can be read, in words.
    #[serde(skip)]
    unreadable: Option<String>,
    /// The solution was seen before anything passed.
    gave_up: bool,
    /// How many of the general hints were shown.
    hints_seen: usize,
    /// How many general hints there are.
    hints: usize,
    /// What the kernel as it is earns; none where the exercise is not part of the course folder's assignment, or where the
    /// kernel was not checked as it is.
    points: Option<ListedPoints>,
}

/// Points of an exercise, or of an assignment.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct ListedPoints {
    /// What is earned.
    earned: f64,
    /// What is open, because speed was not measured or nothing could be decided.
    pending: f64,
    /// All that could be earned.
    of: f64,
}

/// A course folder's assignment.
#[derive(Serialize, JsonSchema)]
pub struct ListedAssignment {
    /// What it is called.
    title: String,
    /// Until when it is to be handed in.
    deadline: Option<String>,
    /// The same in words.
    #[serde(skip)]
    due: Option<String>,
    /// Of all its exercises; kernels that were not checked as they are earn nothing yet.
    points: ListedPoints,
}

/// Runs it.
///
/// # Errors
/// Where the progress can't be read.
pub fn run(course: Course<'_>, list: &List, terminal: Terminal) -> Result<Exit> {
    let folder = CourseFolder::find(&current_directory()?);
    let mut progress = match &folder {
        Some(folder) => {
            let mut progress = LearnerProgress::load(&folder.path)?;
            if renames::are_due(&folder.path, course, &mut progress) {
                folder.complete(course)?;
            }
            LearnerProgress::load(&folder.path)?
        }
        None => LearnerProgress::default(),
    };
    let assignment = folder.as_ref().and_then(|folder| check::installed(folder, course));
    let earned = |exercise: &dyn Exercise, progress: &mut LearnerProgress| {
        earned(exercise, assignment.as_ref()?, folder.as_ref()?, progress)
    };
    let rows: Vec<Listed<'_>> = course
        .exercises
        .iter()
        .map(|exercise| Listed {
            id: exercise.id(),
            title: exercise.about().title,
            state: state(*exercise, folder.as_ref(), &mut progress),
            ever_passed: has_passed(*exercise, &mut progress),
            unreadable: folder.as_ref().and_then(|folder| unreadable(&folder.kernel(*exercise))),
            gave_up: progress.of(exercise.id()).gave_up,
            hints_seen: progress.of(exercise.id()).hints.min(hints::general(exercise.about().hints)),
            hints: hints::general(exercise.about().hints),
            points: earned(*exercise, &mut progress).map(|earned| ListedPoints::of(&earned)),
        })
        .collect();
    let assignment = assignment.map(|assignment| ListedAssignment::of(&assignment, &rows));
    if list.format == Format::Json {
        let folder = folder.as_ref().map(|folder| shown(&folder.path));
        crate::print_json(&ExerciseList { schema: SCHEMA, folder, assignment, exercises: rows })?;
        return Ok(Exit::Passed);
    }
    let header = ["Exercise", "", "State", "Hints", "Points"];
    let columns = if assignment.is_some() { 5 } else { 4 };
    let mut out = table::new(terminal, &header[..columns]);
    for row in &rows {
        let cells = [
            Cell::new(row.id),
            Cell::new(row.title),
            state_cell(row, terminal),
            table::right(format!("{} of {}", row.hints_seen, row.hints)),
            table::right(row.points.map(ListedPoints::in_words).unwrap_or_default()),
        ];
        out.add_row(cells.into_iter().take(columns));
    }
    table::keep_whole(&mut out, 1);
    crate::print(&format!("{}\n", table::text(&out, terminal)));
    if let Some(ListedAssignment { title, due, points, .. }) = &assignment {
        let due = due.as_ref().map_or(String::new(), |due| format!("; due {due}"));
        let ListedPoints { earned, pending, of } = points;
        let pending = if *pending > 0.0 { format!(", {pending} pending") } else { String::new() };
        crate::print(&in_lines(&format!(
            "{}: {earned} of {}{pending}{due}",
            visible(title),
            number_of(of, "point")
        )));
    }
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

impl ListedPoints {
    fn of(earned: &Earned) -> Self {
        let [earned, pending, of] =
            [earned.points(), earned.pending(), earned.of()].map(|points| points.number());
        ListedPoints { earned, pending, of }
    }
    fn in_words(self) -> String {
        let ListedPoints { earned, pending, of } = self;
        if pending > 0.0 {
            format!("{earned} of {of}, {pending} pending")
        } else {
            format!("{earned} of {of}")
        }
    }
}

impl ListedAssignment {
    fn of(assignment: &Assignment, rows: &[Listed<'_>]) -> Self {
        let sum = |part: fn(&ListedPoints) -> f64| {
            let hundredths =
                rows.iter().filter_map(|row| row.points.as_ref()).map(|points| part(points) * 100.0);
            hundredths.sum::<f64>().round() / 100.0
        };
        ListedAssignment {
            title: assignment.title.clone(),
            deadline: assignment.deadline.clone(),
            due: assignment.due(),
            points: ListedPoints {
                earned: sum(|points| points.earned),
                pending: sum(|points| points.pending),
                of: assignment.total().number(),
            },
        }
    }
}

/// What the kernel as it is earns, by what the last check found; none where that judged another one.
fn earned(
    exercise: &dyn Exercise,
    assignment: &Assignment,
    folder: &CourseFolder,
    progress: &mut LearnerProgress,
) -> Option<Earned> {
    let worth = assignment.worth(exercise.id())?;
    if matches!(state(exercise, Some(folder), progress), State::New | State::Unreadable) {
        return Some(worth.nothing());
    }
    let text = files::read_kernel(&folder.kernel(exercise)).ok()?;
    let judged = progress.of(exercise.id()).judged.as_ref();
    let judged = judged.filter(|judged| judged.kernel == content_hash(&text))?;
    Some(worth.earned(&judged.verdicts(), assignment.unmeasured_speed))
}

/// Whether the kernel as it is now has passed.
pub fn is_passed(exercise: &dyn Exercise, folder: &CourseFolder, progress: &mut LearnerProgress) -> bool {
    matches!(state(exercise, Some(folder), progress), State::Passed | State::PassedSpeedUnmeasured)
}

/// Whether a kernel of the exercise has passed, whatever is there now.
pub fn has_passed(exercise: &dyn Exercise, progress: &mut LearnerProgress) -> bool {
    !progress.of(exercise.id()).passed.is_empty()
}

pub(crate) fn state(
    exercise: &dyn Exercise,
    folder: Option<&CourseFolder>,
    progress: &mut LearnerProgress,
) -> State {
    let text = match folder.map(|folder| files::read_kernel(&folder.kernel(exercise))) {
        Some(Ok(text)) => text,
        None | Some(Err(Unreadable::Missing)) => return State::New,
        Some(Err(_)) => return State::Unreadable,
    };
    let hash = content_hash(&text);
    let progress = progress.of(exercise.id());
    match progress.pass_of(&hash) {
        Some(pass) if pass.speed_unmeasured => State::PassedSpeedUnmeasured,
        Some(_) => State::Passed,
        None if stub::is_untouched(&text, exercise.about().stub) || progress.stub.as_ref() == Some(&hash) => {
            State::New
        }
        None => State::Begun,
    }
}

/// Why there is no kernel that can be read, in words.
fn unreadable(kernel: &Path) -> Option<String> {
    let why = match files::read_kernel(kernel).err()? {
        Unreadable::Missing => "no file".to_owned(),
        Unreadable::Unusable(found, _) => format!("no kernel: {found}"),
        Unreadable::Refused(why) => format!("can't be read: {why}"),
    };
    Some(why)
}

fn state_cell(row: &Listed<'_>, terminal: Terminal) -> Cell {
    use comfy_table::{Attribute, Color};
    let passed = if terminal.plain { "passed" } else { "✓ passed" };
    let now = match row.state {
        State::New if row.ever_passed => row.unreadable.as_deref().unwrap_or("the stub again"),
        State::New => "new",
        State::Begun if row.ever_passed => "changed since",
        State::Begun => "begun",
        State::Passed => "",
        State::PassedSpeedUnmeasured => "speed unmeasured",
        State::Unreadable => row.unreadable.as_deref().unwrap_or("can't be read"),
    };
    let seen = if row.gave_up { "solution seen before" } else { "" };
    let passed = if row.ever_passed { passed } else { "" };
    let words: Vec<&str> = [passed, now, seen].into_iter().filter(|part| !part.is_empty()).collect();
    let cell = Cell::new(visible(&words.join(", ")));
    match row.state {
        State::Unreadable => cell.fg(Color::Red),
        _ if row.ever_passed => cell.fg(Color::Green),
        State::New => cell.add_attribute(Attribute::Dim),
        _ => cell.fg(Color::Yellow),
    }
}
