//! `grader submit`: packs kernels as `score` takes them, into a file that is the same for the same kernels.
//!
//! `submission.json` says what they were written for. It has no time and no name: who hands in, and when, the place
//! knows where it is handed in.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
};

use harness::exercise::Exercise;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use crate::{
    assignment::Assignment,
    cli::Submit,
    course::Course,
    exit::{Exit, Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    folder::{CourseFolder, VERSION, content_hash},
    list,
    outputs::Output,
    progress::LearnerProgress,
    terminal::{in_lines, remark},
    visible::{shown, visible},
    zipped,
};

/// The file in the archive that says what the kernels were written for.
pub const ABOUT: &str = "submission.json";
/// The archive's own name.
pub const NAME: &str = "submission.zip";
const SCHEMA: u32 = 1;

/// What the kernels were written for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    schema: u32,
    /// The version of the course.
    pub course: String,
    /// The assignment, where one is installed.
    pub assignment: Option<SubmittedAssignment>,
    /// What is packed, by the exercise's id.
    pub exercises: BTreeMap<String, SubmittedKernel>,
}

/// An assignment that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedAssignment {
    /// What it is called.
    pub title: String,
    /// The hash of its file.
    pub blake3: String,
}

/// A kernel that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedKernel {
    /// The hash of its text.
    pub blake3: String,
    /// The hash of the stub that it began with, where that is known.
    pub stub: Option<String>,
}

/// Runs it.
///
/// # Errors
/// Wrong usage where nothing was begun, or a kernel can't be packed; then nothing is written.
pub fn run(course: Course<'_>, submit: &Submit) -> Result<Exit> {
    let folder = CourseFolder::current()?;
    if !folder.path.is_dir() {
        return Err(Trouble::usage(
            format!("{} does not exist yet, so there is nothing to hand in", shown(&folder.path)),
            "`grader init` makes it; write your kernels there",
        ));
    }
    let assignment = Assignment::of(&folder.path, course)?;
    let mut progress = LearnerProgress::load(&folder.path)?;
    let wanted = wanted(course, submit, assignment.as_ref())?;
    let mut packed = Vec::new();
    let (mut untouched, mut unsure) = (Vec::new(), Vec::new());
    for exercise in wanted {
        let (id, path) = (exercise.id(), folder.kernel(exercise));
        let text = read(&path, id)?;
        if list::state(exercise, Some(&folder), &mut progress) == list::State::New {
            untouched.push(id);
            continue;
        }
        if !list::is_passed(exercise, &folder, &mut progress) {
            unsure.push(id);
        }
        packed.push((id, text));
    }
    refuse_stubs(&untouched, &packed, submit, assignment.as_ref())?;
    let about = Submission {
        schema: SCHEMA,
        course: VERSION.to_owned(),
        assignment: assignment.as_ref().map(|assignment| SubmittedAssignment {
            title: assignment.title.clone(),
            blake3: assignment.hash.clone(),
        }),
        exercises: packed
            .iter()
            .map(|(id, text)| {
                let stub = progress.of(id).stub.clone();
                ((*id).to_owned(), SubmittedKernel { blake3: content_hash(text), stub })
            })
            .collect(),
    };
    let out = submit.out.clone().unwrap_or_else(|| folder.path.join(NAME));
    write(&out, &archive(&about, &packed)?)?;
    let ids: Vec<&str> = packed.iter().map(|(id, _)| *id).collect();
    crate::print(&in_lines(&format!("{}: {}", shown(&out), ids.join(", "))));
    if !untouched.is_empty() {
        remark(&format!("left out, for they are the stubs as they came: {}", untouched.join(", ")));
    }
    if !unsure.is_empty() {
        remark(&format!("not passed as they are now, and packed all the same: {}", unsure.join(", ")));
    }
    let due = assignment.and_then(|assignment| assignment.due());
    let due = due.map_or(String::new(), |due| format!(", until {due}"));
    crate::print(&in_lines(&format!("next: hand the file in where your course collects kernels{due}")));
    Ok(Exit::Passed)
}

/// The exercises to pack.
fn wanted<'a>(
    course: Course<'a>,
    submit: &Submit,
    assignment: Option<&Assignment>,
) -> Result<Vec<&'a dyn Exercise>> {
    let counts = |exercise: &dyn Exercise| {
        assignment.is_none_or(|assignment| assignment.worth(exercise.id()).is_some())
    };
    let mut wanted: Vec<&dyn Exercise> = Vec::new();
    for exercise in course.named(&submit.names)? {
        if !counts(exercise) {
            if submit.names.is_empty() {
                continue;
            }
            let title = assignment.map_or("", |assignment| &assignment.title);
            return Err(Trouble::usage(
                format!("{} is not part of {}", exercise.id(), visible(title)),
                "leave it out; `grader list` shows what counts",
            ));
        }
        if wanted.iter().all(|known| known.id() != exercise.id()) {
            wanted.push(exercise);
        }
    }
    wanted.sort_by_key(|exercise| exercise.id());
    Ok(wanted)
}

/// A kernel's text: what `check` would judge, or why it can't be packed.
fn read(path: &Path, id: &str) -> Result<String> {
    let place = shown(path);
    let text = files::read_kernel(path).map_err(|error| match error {
        Unreadable::Missing if fs::symlink_metadata(path).is_ok() => Trouble::usage(
            format!("{place} is a link to nothing"),
            format!("put the kernel's file there, or the stub by `grader reset {id}`. Nothing was packed"),
        ),
        Unreadable::Missing => Trouble::usage(
            format!("{place} does not exist"),
            "`grader init` puts the stub back; `grader submit NAME …` packs others alone. Nothing was packed",
        ),
        Unreadable::Unusable(found, next) => {
            let next = files::or_reset(&next, path);
            Trouble::usage(format!("{place}: {found}"), format!("{next}. Nothing was packed"))
        }
        Unreadable::Refused(why) => Trouble::usage(
            format!("could not read {place}: {why}"),
            format!("{MAKE_READABLE}. Nothing was packed"),
        ),
    })?;
    if let Ok(target) = fs::read_link(path) {
        remark(&format!("{place} is a link: what it leads to is packed, {}", shown(target)));
    }
    Ok(text)
}

/// Refuses to pack stubs that nobody has written in: those that were named, or all.
fn refuse_stubs(
    untouched: &[&str],
    packed: &[(&str, String)],
    submit: &Submit,
    assignment: Option<&Assignment>,
) -> Result<()> {
    let next = "write your kernel, or name only what you have begun";
    match untouched {
        [] => Ok(()),
        [only] if !submit.names.is_empty() => {
            Err(Trouble::usage(format!("{only} is the stub as it came: there is nothing to hand in"), next))
        }
        some if !submit.names.is_empty() => Err(Trouble::usage(
            format!("these are the stubs as they came, with nothing to hand in: {}", some.join(", ")),
            next,
        )),
        _ if packed.is_empty() => {
            let of =
                assignment.map_or(String::new(), |assignment| format!(" of {}", visible(&assignment.title)));
            Err(Trouble::usage(
                format!("every kernel{of} is the stub as it came: there is nothing to hand in"),
                "write one; `grader watch` begins with the first",
            ))
        }
        _ => Ok(()),
    }
}

/// The archive's bytes: the same for the same kernels, wherever and whenever.
fn archive(about: &Submission, packed: &[(&str, String)]) -> Result<Vec<u8>> {
    let bug = |error: &dyn std::fmt::Display| {
        Trouble::judge(format!("could not pack the kernels: {error}"), "report this as a bug")
    };
    let mut about = serde_json::to_string_pretty(about).map_err(|error| bug(&error))?;
    about.push('\n');
    let kernels: Vec<(String, &str)> =
        packed.iter().map(|(id, text)| (format!("{id}/kernel.cu"), text.as_str())).collect();
    let kernels = kernels.iter().map(|(name, text)| (name.as_str(), text.as_bytes()));
    zipped::zip([(ABOUT, about.as_bytes())].into_iter().chain(kernels)).map_err(|error| bug(&error))
}

/// Writes it, over an earlier submission, but over nothing else.
fn write(out: &Path, bytes: &[u8]) -> Result<()> {
    let output = Output { option: "--out", path: out, what: "submission" };
    output.require_folder()?;
    output.require_free(|path| {
        let archive = File::open(path).ok().and_then(|file| ZipArchive::new(file).ok());
        archive.is_some_and(|archive| archive.index_for_name(ABOUT).is_some())
    })?;
    files::write_atomically(out, bytes).map_err(|error| {
        Trouble::judge(
            format!("could not write {}: {}", shown(out), files::explain(&error)),
            "make room there, make the folder writable, or write elsewhere: `grader submit --out FILE.zip`",
        )
    })
}
