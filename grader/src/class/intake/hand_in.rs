//! One hand-in: everything that came from one student at once, and the kernels found in it.
//!
//! Whatever is wrong with it costs that student's rows and nothing else: neither memory nor time beyond [`Budget::STUDENT`],
//! [`MOST_ITEMS`], [`MOST_ARCHIVES`] and [`MOST_BYTES`]. All of them are for the whole hand-in, however many archives it has.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
};

use jiff::Timestamp;
use serde::Deserialize;

use super::{
    NotUnderstood,
    inside::{Around, Next, Part, Place, exercise_of, part},
    layout::{Exercises, Layout, Who},
    source::{Budget, Item, Kind, MOST_ITEMS, Rationed, Source},
};
use crate::{
    files::{self, Unreadable},
    json,
    progress::RECORD,
    stub,
    submit::{self, Submission as About},
};

/// All kernels of one hand-in together; twenty solutions have a thirtieth of it.
pub const MOST_BYTES: usize = 8 << 20;
/// An exercise each, and some to spare.
pub const MOST_ARCHIVES: usize = 32;
/// What is read of a record or of what `submit` says.
const GREATEST_RECORD: u64 = 1 << 20;

/// A student of a hand-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submitter {
    /// The id there.
    pub id: String,
    /// The name.
    pub name: String,
    /// The address, where the metadata has one.
    pub email: Option<String>,
}

/// A kernel that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The exercise's id.
    pub exercise: String,
    /// The text, or why it is not gradable.
    pub kernel: Result<String, String>,
    /// Its path in what was handed in.
    pub origin: String,
    /// The attempt, as names say.
    pub number: u32,
    /// The version of the course that its stub is of.
    pub course: Option<String>,
}

/// An item of a hand-in: its place in the source, its path in the hand-in, and the item.
pub type Placed<'i> = (usize, Vec<String>, &'i Item);

/// One hand-in.
pub struct HandIn<'a> {
    /// Who handed it in: one, or a group.
    pub submitters: Vec<Submitter>,
    /// When.
    pub at: Option<Timestamp>,
    /// Whether the place that collected it calls it late.
    pub late: bool,
    /// Its place in what was handed in.
    pub place: String,
    /// What was found.
    pub found: Vec<Found>,
    /// Why nothing, or not all, of it was read.
    pub refused: Vec<String>,
    /// What was not understood.
    pub not_understood: Vec<NotUnderstood>,
    /// What is odd, and changes nothing.
    pub notes: Vec<String>,
    /// Known to be no kernels: how many of which kind.
    pub junk: BTreeMap<&'static str, usize>,
    around: Around<'a>,
    asked: Option<&'a str>,
    wanted: BTreeMap<usize, Wanted>,
    bytes: usize,
    /// How many files and folders it has so far, in its archives too.
    items: usize,
    /// How many bytes of it may still be read.
    left: u64,
    /// How many bytes came out of its archives.
    unpacked: u64,
    /// By the folder that it lies in.
    about: BTreeMap<String, About>,
    record: Option<String>,
}

/// What is to be read of an item, and its path from the class's top.
#[derive(Clone, Debug)]
enum Wanted {
    Kernel(Place, String),
    Archive(String),
    About(String),
    Record,
}

/// What is read of a course folder's record.
#[derive(Deserialize)]
struct Record {
    course: Option<String>,
}

impl<'a> HandIn<'a> {
    /// A hand-in of which nothing was looked at yet.
    pub fn new(
        who: &Who,
        place: String,
        exercises: Exercises<'a>,
        layout: Layout,
        asked: Option<&'a str>,
    ) -> Self {
        HandIn {
            submitters: vec![Submitter { id: who.id.clone(), name: who.name.clone(), email: None }],
            at: None,
            late: who.late,
            place,
            found: Vec::new(),
            refused: Vec::new(),
            not_understood: Vec::new(),
            notes: Vec::new(),
            junk: BTreeMap::new(),
            around: Around { exercises, layout, in_archive: false, is_course_folder: false },
            asked,
            wanted: BTreeMap::new(),
            bytes: 0,
            items: 0,
            left: Budget::STUDENT.unpacked,
            unpacked: 0,
            about: BTreeMap::new(),
            record: None,
        }
    }

    /// Looks at the names of what is in it: each with its place in the source, its path here, and the item.
    pub fn look(&mut self, items: &[Placed<'_>]) {
        let paths: Vec<(usize, &[String], &Item)> =
            items.iter().map(|(index, path, item)| (*index, path.as_slice(), *item)).collect();
        let all = self.parts(&paths, false);
        self.wanted = all.unwrap_or_default();
    }

    /// The items of it that are to be read.
    pub fn wanted(&self) -> impl Iterator<Item = usize> {
        self.wanted.keys().copied()
    }

    /// Takes what was read of one of them.
    pub fn take(&mut self, index: usize, from: io::Result<&mut dyn Read>) {
        let Some(wanted) = self.wanted.remove(&index) else { return };
        let opened = match from {
            Ok(from) => {
                let over = format!("this hand-in has more than {} MiB", Budget::STUDENT.unpacked >> 20);
                let mut from = Rationed::new(from, self.left, over);
                let opened = self.take_file(wanted, Ok(&mut from));
                self.left = from.left();
                opened
            }
            Err(error) => self.take_file(wanted, Err(error)),
        };
        if let Some(Opened { name, bytes }) = opened {
            self.open(&name, bytes);
        }
    }

    fn parts(
        &mut self,
        items: &[(usize, &[String], &Item)],
        in_archive: bool,
    ) -> Option<BTreeMap<usize, Wanted>> {
        let around = Around {
            in_archive,
            is_course_folder: items
                .iter()
                .any(|(_, path, _)| path.last().is_some_and(|name| name == "course.toml" || name == RECORD)),
            ..self.around
        };
        let parents: BTreeSet<&[String]> =
            items.iter().filter_map(|(_, path, _)| path.split_last()).map(|(_, above)| above).collect();
        let files: BTreeSet<&[String]> = items
            .iter()
            .filter(|(_, _, item)| item.kind == Kind::File)
            .map(|(_, _, item)| item.path.as_slice())
            .collect();
        let is_within = |target: &[String]| files.contains(target);
        let parts: Vec<(usize, &Item, Part)> = items
            .iter()
            .map(|(index, path, item)| {
                let within = matches!(&item.kind, Kind::Link(Some(target)) if is_within(target));
                (*index, *item, part(path, &item.kind, parents.contains(path), within, around))
            })
            .collect();
        let counted = parts.iter().filter(|(_, _, part)| !matches!(part, Part::Junk(_))).count();
        self.items += counted;
        if self.items > MOST_ITEMS {
            let with_others = if counted > MOST_ITEMS { "" } else { " together with what came before it" };
            self.refused.push(format!("{} has more than {MOST_ITEMS} files{with_others}", self.place));
            return None;
        }
        if parts.iter().filter(|(_, _, part)| *part == Part::Archive).count() > MOST_ARCHIVES {
            self.refused.push(format!("{} has more than {MOST_ARCHIVES} archives", self.place));
            return None;
        }
        if let Some((_, _, Part::Hostile(what))) =
            parts.iter().find(|(_, _, part)| matches!(part, Part::Hostile(_)))
        {
            let place = self.place.clone();
            self.refused.push(if what.starts_with('`') { format!("{place}: {what}") } else { what.clone() });
            return None;
        }
        let mut wanted = BTreeMap::new();
        for (index, item, part) in parts {
            let origin = match in_archive {
                true => format!("{}/{}", self.place, item.path.join("/")),
                false => item.path.join("/"),
            };
            match part {
                Part::Kernel(place) => _ = wanted.insert(index, Wanted::Kernel(place, origin)),
                Part::Archive => _ = wanted.insert(index, Wanted::Archive(origin)),
                Part::About => _ = wanted.insert(index, Wanted::About(above(&origin).to_owned())),
                Part::Record => _ = wanted.insert(index, Wanted::Record),
                Part::Barred(exercise, why) => {
                    let kernel = Err(why);
                    self.found.push(Found { exercise, kernel, origin, number: 0, course: None });
                }
                Part::Unread(why) => self.refused.push(format!("{origin} {why}")),
                Part::Junk(kind) => {
                    *self.junk.entry(kind).or_default() += usize::from(item.kind == Kind::File)
                }
                Part::Unknown(why, next) => {
                    self.not_understood.push(NotUnderstood { place: origin, why, next });
                }
                Part::Way | Part::Hostile(_) => {}
            }
        }
        Some(wanted)
    }

    fn take_file(&mut self, wanted: Wanted, from: io::Result<&mut dyn Read>) -> Option<Opened> {
        match wanted {
            Wanted::Kernel(place, origin) => self.take_kernel(&place, origin, from),
            Wanted::Archive(name) => match bytes(from, Budget::STUDENT.packed) {
                Ok(bytes) => return Some(Opened { name, bytes }),
                Err(why) => self.refused.push(format!("{name} {why}")),
            },
            Wanted::About(folder) => {
                let read = bytes(from, GREATEST_RECORD);
                let about = read.and_then(|bytes| {
                    let damaged = |error| format!("is damaged: {}", json::in_words(&bytes, &error));
                    serde_json::from_slice(&bytes).map_err(damaged)
                });
                match about {
                    Ok(about) => _ = self.about.insert(folder, about),
                    Err(why) => self.notes.push(format!("{}: {} {why}", self.place, submit::ABOUT)),
                }
            }
            // Nothing depends on it but the version that it says.
            Wanted::Record => {
                let record = bytes(from, GREATEST_RECORD).ok();
                let record = record.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
                self.record = record.and_then(|record| record.course).or(self.record.take());
            }
        }
        None
    }

    fn take_kernel(&mut self, place: &Place, origin: String, from: io::Result<&mut dyn Read>) {
        let label = &place.label;
        let read = match from {
            Ok(from) => files::read_kernel_from(from),
            Err(error) => Err(Unreadable::Refused(files::explain(&error))),
        };
        let kernel = read.map_err(|error| match error {
            Unreadable::Missing => format!("no {label}"),
            Unreadable::Unusable(found, _) => format!("{label} is {found}"),
            Unreadable::Refused(why) => format!("{label} can't be read: {why}"),
        });
        let kernel = kernel.and_then(|text| {
            self.bytes += text.len();
            if self.bytes > MOST_BYTES {
                return Err(format!("the kernels of {} have more than {} MiB", self.place, MOST_BYTES >> 20));
            }
            Ok(text)
        });
        let text = kernel.as_deref().ok();
        match exercise_of(place, text, self.around.exercises, self.asked) {
            Ok((exercise, odd)) => {
                self.notes.extend(odd.map(|odd| format!("{origin}: {odd}")));
                let line = text.and_then(stub::id_line);
                let course = line.and_then(|line| line.course).map(str::to_owned);
                self.found.push(Found { exercise, kernel, origin, number: place.number, course });
            }
            Err(why) => {
                let why = kernel.err().unwrap_or(why);
                self.not_understood.push(NotUnderstood { place: origin, why, next: Next::NameTheExercise });
            }
        }
    }

    /// Looks into an archive and reads what is in it.
    fn open(&mut self, name: &str, bytes: Vec<u8>) {
        let file = name.rsplit('/').next().unwrap_or(name);
        // What is said of its contents names the archive.
        let place = std::mem::replace(&mut self.place, name.to_owned());
        let budget = Budget { spent: self.unpacked, ..Budget::STUDENT };
        let opened = Source::of_bytes(file, bytes, budget).and_then(|mut source| {
            let read = self.take_all(&mut source);
            self.unpacked += source.unpacked();
            read
        });
        if let Err(why) = opened {
            // What was read of it before is not all of it.
            let inside = format!("{name}/");
            self.found.retain(|found| !found.origin.starts_with(&inside));
            self.not_understood.retain(|thing| !thing.place.starts_with(&inside));
            self.refused.push(format!("{name} {why}"));
        }
        self.place = place;
    }

    /// Takes what is wanted of an archive.
    fn take_all(&mut self, source: &mut Source) -> Result<(), String> {
        let items = source.items(&|_| false)?;
        let paths: Vec<(usize, &[String], &Item)> =
            items.iter().enumerate().map(|(index, item)| (index, item.path.as_slice(), item)).collect();
        let Some(mut wanted) = self.parts(&paths, true) else { return Ok(()) };
        let indices = wanted.keys().copied().collect();
        source.read(&indices, &mut |index, from| {
            if let Some(wanted) = wanted.remove(&index) {
                // An archive in an archive is never wanted.
                self.take_file(wanted, from);
            }
        })
    }

    /// Whether nothing at all is in it, not even something strange.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.refused.is_empty() && self.not_understood.is_empty()
    }

    /// Says of each kernel for which version of the course it was written, where something beside it says so.
    pub fn finish(&mut self) {
        for found in &mut self.found {
            let folder = above(above(&found.origin));
            let about = self.about.get(folder).or_else(|| self.about.get(above(&found.origin)));
            let about = about.filter(|about| about.exercises.contains_key(&found.exercise));
            let beside = about.map(|about| about.course.clone()).or_else(|| self.record.clone());
            // A version is a few letters; what is more is somebody's joke.
            let beside = beside.filter(|version| version.len() <= 40);
            found.course = found.course.take().or(beside);
        }
        self.found.sort_by(|one, other| (&one.exercise, &one.origin).cmp(&(&other.exercise, &other.origin)));
    }
}

/// An archive that was read.
struct Opened {
    name: String,
    bytes: Vec<u8>,
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

fn bytes(from: io::Result<&mut dyn Read>, most: u64) -> Result<Vec<u8>, String> {
    let explained = |error: io::Error| format!("can't be read: {}", files::explain(&error));
    let mut bytes = Vec::new();
    from.map_err(explained)?.take(most + 1).read_to_end(&mut bytes).map_err(explained)?;
    match bytes.len() as u64 > most {
        true => Err(format!("has more than {} MiB", most >> 20)),
        false => Ok(bytes),
    }
}
