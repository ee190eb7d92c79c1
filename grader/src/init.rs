//! `grader init`: makes a course folder, or mends one.

use std::path::{Path, absolute};

use harness::report::number_of;

use crate::{
    assignment::{ASSIGNMENT, Assignment},
    cli::Init,
    course::Course,
    exit::{Exit, Result, Trouble},
    files,
    folder::{CourseFolder, VERSION, current_directory, is_checkout, renames::Renamed},
    settings::Settings,
    terminal::{in_lines, remark_name, remark_name_in, typed, typed_in},
    visible::{quoted, shown, visible},
};

/// Runs it.
///
/// # Errors
/// Where the folder can't be made.
pub fn run(course: Course<'_>, init: &Init) -> Result<Exit> {
    let here = current_directory()?;
    let asked = init.folder.as_deref().unwrap_or(Path::new("."));
    let mut path = absolute(asked)
        .map_err(|error| Trouble::usage(format!("{}: {error}", shown(asked)), "name a folder"))?;
    if path.exists() && !path.is_dir() {
        return Err(Trouble::usage(format!("{} is a file, not a folder", shown(&path)), "name a folder"));
    }
    // As the links say that are there.
    path = path.canonicalize().unwrap_or(path);
    // A checkout's own folders are no place for kernels: it has one for them.
    let checkout = path.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned);
    if let Some(checkout) = checkout
        && (init.folder.is_none() || is_checkout(&path))
    {
        path = checkout.join("learn");
    }
    // Within a course folder it is that one's turn.
    if init.folder.is_none()
        && let Some(outer) = CourseFolder::find(&path)
    {
        path = outer.path;
    }
    not_within_another(&path)?;
    // Before anything is made: a file that can't be taken is the instructor's to mend.
    let assignment = init.assignment.as_deref().map(|file| handed_out(file, course)).transpose()?;
    let folder = CourseFolder { path };
    let made = folder.mend(course)?;
    let kept = course.exercises.len() - made.stubs.len() - made.renewed.len();
    let mut said = vec![format!("{} written", number_of(made.stubs.len(), "stub"))];
    if !made.renewed.is_empty() {
        said.push(format!("{} that were untouched made new", made.renewed.len()));
    }
    if kept > 0 {
        said.push(format!("{kept} there already, left as they are"));
    }
    crate::print(&in_lines(&format!("{}: {}", shown(&folder.path), said.join("; "))));
    if let Some(before) = &made.version_before {
        crate::print(&format!("from version {} of the course to {VERSION}\n", visible(before)));
    }
    renamed(&made.renamed, true).lines().for_each(|line| crate::print(&in_lines(line)));
    if !made.edited.is_empty() {
        crate::print(&in_lines(&format!(
            "not as this program writes them, so left as they are: {}",
            made.edited.join(", ")
        )));
    }
    if let Some((assignment, text)) = assignment {
        install(&folder, &assignment, &text)?;
    }
    // The folder is whole; what its settings say is the learner's to mend.
    Settings::of(&folder.path)?;
    let is_here = here.starts_with(&folder.path) || CourseFolder::find(&here).as_ref() == Some(&folder);
    let next = if is_here {
        remark_name();
        format!("{} watch", typed())
    } else {
        remark_name_in(&folder.path);
        format!("cd {} && {} watch", quoted(&folder.path), typed_in(&folder.path))
    };
    crate::print(&format!("next: {next}\n"));
    Ok(Exit::Passed)
}

/// Whether a course folder may begin at this path.
pub fn takes(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    (!path.exists() || path.is_dir()) && not_within_another(&path).is_ok()
}

/// A course within a course would hide the outer one, with its kernels, from those who work there.
fn not_within_another(path: &Path) -> Result<()> {
    // What is there of the way says where it leads: `..` may leave a course.
    let way = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
    let Some(outer) = way.as_deref().and_then(CourseFolder::find).filter(|outer| outer.path != path) else {
        return Ok(());
    };
    let (place, of) = (shown(path), shown(&outer.path));
    let is_beside = outer.path.parent().is_some_and(is_checkout) && !path.starts_with(&outer.path);
    let found = match is_beside {
        true => format!("{place} is inside a checkout of the course, which has a folder for kernels: {of}"),
        false => format!("{place} is inside another course, whose folder is {of}"),
    };
    let (init, outside) = (format!("{} init", typed()), if is_beside { "the checkout" } else { "it" });
    let next = format!(
        "`{init}` makes or mends that one; for another, name a folder outside {outside}, as in `{init} ~/course`"
    );
    Err(Trouble::usage(found, next))
}

/// What became of folders with earlier names, a line each; those that stay beside a new one only where `all` is told.
pub fn renamed(renamed: &[Renamed], all: bool) -> String {
    let told = renamed.iter().filter(|each| each.moved || all);
    told.map(|Renamed { from, to, moved }| match moved {
        true => format!("{from} is {to} now: your folder has the new name, and what you passed counts on\n"),
        false => format!(
            "{from} is {to} now, and both folders are there: compare them and keep your kernel in {to}\n"
        ),
    })
    .collect()
}

/// Reads an assignment for learners.
fn handed_out(file: &Path, course: Course<'_>) -> Result<(Assignment, String)> {
    let (assignment, text) = Assignment::read(file, course)?;
    if assignment.class.is_some() {
        return Err(Trouble::usage(
            format!("{} has the class's own table `[class]`, which no learner may see", shown(file)),
            "ask your instructor for the file without it; nothing was installed",
        ));
    }
    Ok((assignment, text))
}

fn install(folder: &CourseFolder, assignment: &Assignment, text: &str) -> Result<()> {
    let path = folder.path.join(ASSIGNMENT);
    files::save(&path, text.as_bytes())?;
    let due = assignment.due().map_or(String::new(), |due| format!(", due {due}"));
    let exercises = number_of(assignment.exercises.len(), "exercise");
    let (title, points) = (visible(&assignment.title), number_of(assignment.total(), "point"));
    crate::print(&in_lines(&format!(
        "assignment {title}: {exercises}, {points}{due}; `grader check` and `grader list` count them"
    )));
    Ok(())
}
