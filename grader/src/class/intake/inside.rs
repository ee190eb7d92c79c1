//! What a thing in a student's hand-in is: a kernel, an archive of kernels, something known, or nobody knows what.
//!
//! Decided by names, before anything is read; only a kernel whose folder has no exercise's name is asked by its text.

use std::fmt;

use super::{
    junk,
    layout::{Exercises, Layout},
    source::{Format, Kind, READ_FORMATS, format_of},
};
use crate::{progress::RECORD, stub, submit};

/// What a thing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A kernel to be read.
    Kernel(Place),
    /// No file, where a kernel of this exercise should be.
    Barred(String, String),
    /// An archive to be read.
    Archive,
    /// An archive that can't be.
    Unread(String),
    /// What `grader submit` says of the kernels beside it.
    About,
    /// A course folder's record.
    Record,
    /// Known to be none.
    Junk(&'static str),
    /// A folder on the way to something.
    Way,
    /// Nobody knows what it is, and what to do about it.
    Unknown(String, Next),
    /// What no honest packer writes: nothing of this hand-in is taken.
    Hostile(String),
}

/// What an instructor can do about something that was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    /// A file that may be a kernel.
    NameTheExercise,
    /// A folder.
    Rename,
    /// A student that the roster doesn't have.
    MendTheRoster,
    /// A change by hand.
    MendTheOverride,
    /// Kernels of one exercise.
    KeepOne,
    /// A name that no layout has.
    ChooseTheLayout,
    /// Anything else.
    Remove,
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Next::NameTheExercise => {
                "put it into a folder with the exercise's name, begin it with the stub's first line, or say \
                 --exercise NN-name where all files are of one exercise"
            }
            Next::Rename => "give the folder the exercise's name, as `grader list` shows it",
            Next::MendTheRoster => "add the student to the roster, or mend the id or name there",
            Next::MendTheOverride => "write student and exercise in the assignment as the gradebook has them",
            Next::KeepOne => {
                "leave one of them there, give times in the roster or the metadata, or take the best: `attempts = \"best\"`"
            }
            Next::ChooseTheLayout => "choose the layout with --layout, or take it away",
            Next::Remove => "look whether it matters; take it away, or go on without it by --lenient",
        })
    }
}

/// Where a kernel lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its path in the hand-in.
    pub label: String,
    /// The exercise that its folder is named after.
    pub folder: Option<String>,
    /// The exercise that the file is named after.
    pub named: Option<String>,
    /// The attempt, as the names say: `kernel-2.cu`, as Canvas has it, or `attempt-2/`.
    pub number: u32,
}

/// What is known about the hand-in as a whole.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The course.
    pub exercises: Exercises<'a>,
    /// How the class's are laid out.
    pub layout: Layout,
    /// Whether this is an archive of the hand-in already.
    pub in_archive: bool,
    /// Whether the hand-in is a whole course folder.
    pub is_course_folder: bool,
}

/// Says what it is. `has_more` of a folder: that something lies below it. `within` says whether a link's target is of
/// the same hand-in.
pub fn part(path: &[String], kind: &Kind, has_more: bool, within: bool, around: Around<'_>) -> Part {
    match kind {
        Kind::Hostile(what) => return Part::Hostile(what.clone()),
        Kind::Full(what) if junk::kind(path).is_none() => return Part::Hostile(what.clone()),
        _ => {}
    }
    let Some(name) = path.last() else {
        return match kind {
            // Whatever a link leads to, it may be a classmate's work.
            Kind::Link(_) => {
                Part::Hostile("the student's folder is a link, not a folder of its own".to_owned())
            }
            Kind::Other(why) => Part::Hostile(format!("the student's folder {why}")),
            _ => Part::Way,
        };
    };
    let is_repository = around.layout == Layout::GitHub;
    if let Some(junk) = junk::kind(path).or_else(|| junk::of_repository(path).filter(|_| is_repository)) {
        return Part::Junk(junk);
    }
    let is_file = *kind == Kind::File || (matches!(kind, Kind::Link(Some(_))) && within);
    if *kind == Kind::Folder && !(is_kernels_name(name) && above(path, around).is_some()) {
        let leads_on = has_more || around.exercises.named(name).is_some() || name == "learn";
        return match leads_on {
            true => Part::Way,
            false => Part::Unknown("an empty folder, and no exercise has its name".to_owned(), Next::Rename),
        };
    }
    if let Some((format, _)) = format_of(name)
        && is_file
    {
        return match format {
            Format::Unread(ending) => Part::Unread(format!("is a {ending}; only {READ_FORMATS} are read")),
            _ if around.in_archive => Part::Unread("is not read: it lies in another archive".to_owned()),
            // What `submit` packed of the kernels that lie beside it.
            _ if around.is_course_folder && name == submit::NAME => Part::Junk("of the course folder"),
            _ => Part::Archive,
        };
    }
    if name.to_ascii_lowercase().ends_with(".cu") {
        return kernel(path, name, kind, is_file, around);
    }
    match name.as_str() {
        submit::ABOUT if is_file => Part::About,
        RECORD if is_file => Part::Record,
        _ => Part::Unknown(
            match kind {
                Kind::Other(why) => format!("it {why}"),
                Kind::Link(_) => "a link".to_owned(),
                _ => "no kernel, and nothing else that this program knows".to_owned(),
            },
            Next::Remove,
        ),
    }
}

fn kernel(path: &[String], name: &str, kind: &Kind, is_file: bool, around: Around<'_>) -> Part {
    let stem = name.get(..name.len() - ".cu".len()).unwrap_or(name);
    let (stem, number) = match stem.rsplit_once('-') {
        Some((before, digits)) if around.exercises.named(stem).is_none() => match digits.parse() {
            Ok(number) if digits.bytes().all(|byte| byte.is_ascii_digit()) => (before, Some(number)),
            _ => (stem, None),
        },
        _ => (stem, None),
    };
    let mut attempts = path.iter().filter_map(|folder| {
        let rest = folder.to_ascii_lowercase();
        rest.strip_prefix("attempt")?.trim_start_matches(['-', '_', ' ']).parse().ok()
    });
    let place = Place {
        label: path.join("/"),
        folder: above(path, around),
        named: around.exercises.named(stem).map(str::to_owned),
        number: attempts.next_back().or(number).unwrap_or(0),
    };
    if is_file {
        return Part::Kernel(place);
    }
    let why = match kind {
        Kind::Folder => "is a folder, not a file",
        Kind::Other(why) => why,
        _ => "is a link that leads out of the submission",
    };
    match place.folder.or(place.named) {
        Some(exercise) => Part::Barred(exercise, format!("{} {why}", place.label)),
        None => Part::Unknown(format!("it {why}"), Next::Remove),
    }
}

/// The exercise whose folder this lies in.
fn above(path: &[String], around: Around<'_>) -> Option<String> {
    let folder = path.len().checked_sub(2).and_then(|at| path.get(at))?;
    around.exercises.named(folder).map(str::to_owned)
}

fn is_kernels_name(name: &str) -> bool {
    name == "kernel.cu"
}

/// The exercise of a kernel, and what is odd about it.
///
/// # Errors
/// Why nobody knows.
pub fn exercise_of(
    place: &Place,
    text: Option<&str>,
    exercises: Exercises<'_>,
    asked: Option<&str>,
) -> Result<(String, Option<String>), String> {
    let line = text.and_then(stub::id_line);
    let said = line.as_ref().and_then(|line| exercises.named(line.id));
    let of_name = place.folder.as_deref().or(place.named.as_deref());
    match (of_name, said) {
        (Some(name), Some(said)) if name != said => {
            let odd = format!("its first lines say {said}, and it is judged as {name} by its name");
            Ok((name.to_owned(), Some(odd)))
        }
        (Some(name), _) => Ok((name.to_owned(), None)),
        (None, Some(said)) => Ok((said.to_owned(), None)),
        (None, None) => match (asked, line) {
            (Some(asked), _) => Ok((asked.to_owned(), None)),
            (None, Some(line)) => {
                Err(format!("its first lines say {}, and no exercise has that name", line.id))
            }
            (None, None) => Err("nothing says of which exercise it is".to_owned()),
        },
    }
}
