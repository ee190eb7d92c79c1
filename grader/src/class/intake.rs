//! What a class has handed in: gathered, joined with the roster, and understood as a whole before anything is judged.
//!
//! Nothing is ignored without a word. Everything in the folder or archive is a kernel of a student's, or known to be
//! none, or listed with the reason; and then scoring does not begin, unless `--lenient`. What is wrong inside one
//! student's hand-in costs that student's rows only. Nothing is unpacked to the disk, and nothing is judged here.

pub mod begin;
mod github;
mod gradescope;
mod hand_in;
#[cfg(test)]
mod hostile;
mod inside;
mod junk;
pub mod layout;
pub mod roster;
mod source;
mod student;
mod told;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use self::{
    hand_in::{Found, HandIn, Placed, Submitter},
    layout::{Exercises, Layout, Whose, recognise, whose},
    roster::{IdOf, Joined, Listed, Roster},
    source::{Budget, Item, Source, printable},
    student::put_in_order,
};
pub use self::{
    inside::Next,
    student::{Student, Submission},
};
use crate::{
    assignment::class::Attempts,
    course::Course,
    exit::{Result, Trouble},
    visible::{one_line, shown},
};

/// What a class has handed in.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    /// How it is laid out.
    pub layout: Option<Layout>,
    /// Everybody who handed something in or is in the roster, by id.
    pub students: Vec<Student>,
    /// What was not understood.
    pub not_understood: Vec<NotUnderstood>,
    /// Known to be no kernels: how many of which kind.
    pub junk: BTreeMap<&'static str, usize>,
    /// What is odd, and changes nothing.
    pub notes: Vec<String>,
    /// Kernels of exercises that don't count.
    pub not_asked: usize,
}

/// Something that was handed in and not understood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotUnderstood {
    /// Its path there, or the student's name.
    pub place: String,
    /// Why.
    pub why: String,
    /// What to do.
    pub next: Next,
}

/// How to gather.
#[derive(Clone, Copy)]
pub struct Wishes<'a> {
    /// The exercises that count.
    pub course: Course<'a>,
    /// All exercises, by whose names and stubs kernels are told.
    pub known: Course<'a>,
    /// The layout, where it is not to be recognised.
    pub layout: Option<Layout>,
    /// The exercise of kernels that don't say it.
    pub exercise: Option<&'a str>,
    /// Who is in the class.
    pub roster: Option<&'a Roster>,
    /// Which of several attempts counts.
    pub attempts: Attempts,
    /// The roster and the assignment, which may lie beside what was handed in.
    pub own: &'a [PathBuf],
}

impl Intake {
    /// Gathers what lies in a folder or an archive.
    ///
    /// # Errors
    /// Wrong usage where that can't be read at all, or has nothing in it. What is wrong with parts of it is in the
    /// intake.
    pub fn gather(submissions: &Path, wishes: Wishes<'_>) -> Result<Self> {
        let place = shown(submissions);
        let unreadable = |why: String| {
            Trouble::usage(
                format!("{place} {why}"),
                "name the folder or the archive that has what the class handed in",
            )
        };
        let mut source = Source::open(submissions, Budget::CLASS).map_err(unreadable)?;
        let is_own = |path: &[String]| wishes.own.iter().any(|own| is_at(submissions, path, own));
        let aside = |path: &[String]| junk::kind(path).is_some() || is_own(path);
        let mut items = source.items(&aside).map_err(unreadable)?;
        for item in &mut items {
            // Beside what was handed in, as a person keeps a class together: without a name it is nobody's.
            if is_own(&item.path) {
                item.path.clear();
            }
        }
        let exercises = Exercises(wishes.known);
        let Some(recognised) = recognise(&items, exercises, wishes.layout) else {
            let next = "it should have one folder or archive per student, each with NN-name/kernel.cu, or what an LMS makes";
            let why = items.iter().find_map(|item| match &item.kind {
                source::Kind::Hostile(why) => Some(format!(": {why}")),
                _ => None,
            });
            let why = why.unwrap_or_default();
            return Err(Trouble::usage(format!("{place} has nothing in it that was handed in{why}"), next));
        };
        let mut intake = Intake { layout: Some(recognised.0), ..Intake::default() };
        let single = name_of(submissions);
        let (mut hand_ins, metadata) = intake.sort(&items, recognised, &single, exercises, wishes);
        let metadata = intake.read(&mut source, &mut hand_ins, metadata).map_err(unreadable)?;
        if recognised.0 == Layout::Gradescope {
            intake.take_metadata(&mut hand_ins, &metadata, exercises);
        }
        if recognised.0 == Layout::GitHub {
            let above = items.iter().find_map(|item| item.path.get(recognised.1.checked_sub(1)?));
            github::name_users(&mut hand_ins, above.unwrap_or(&single), wishes.roster);
        }
        for hand_in in hand_ins.values_mut() {
            hand_in.finish();
        }
        intake.join(hand_ins.into_values().collect(), wishes);
        intake.not_understood.sort();
        intake.notes.sort();
        Ok(intake)
    }

    /// Sorts items by whose they are, and looks at what each is.
    fn sort<'a>(
        &mut self,
        items: &[Item],
        recognised: layout::Recognised,
        single: &str,
        exercises: Exercises<'a>,
        wishes: Wishes<'a>,
    ) -> (BTreeMap<String, HandIn<'a>>, Option<usize>) {
        let mut metadata = None;
        let mut nobodys: BTreeMap<(String, &str), usize> = BTreeMap::new();
        let mut of: BTreeMap<String, (layout::Who, Vec<Placed<'_>>)> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let junk = junk::kind(&item.path[..item.path.len().min(recognised.1 + 1)]);
            if let Some(junk) = junk {
                self.list_hostile(item, single);
                *self.junk.entry(junk).or_default() += usize::from(item.kind == source::Kind::File);
                continue;
            }
            match whose(recognised, item, single, exercises) {
                Whose::HandIn(who, path) => {
                    of.entry(who.key.clone())
                        .or_insert_with(|| (who, Vec::new()))
                        .1
                        .push((index, path, item));
                }
                Whose::Metadata => metadata = Some(index),
                Whose::Above => self.list_hostile(item, single),
                Whose::Nobody(_) if item.kind.is_hostile() => self.list_hostile(item, single),
                Whose::Nobody(why) => {
                    let top = item.path[..item.path.len().min(recognised.1 + 1)].join("/");
                    *nobodys.entry((top, why)).or_insert(0) += usize::from(item.kind != source::Kind::Folder);
                }
            }
        }
        self.not_understood.extend(nobodys.into_iter().map(|((top, why), files)| NotUnderstood {
            place: if files > 1 { format!("{top} ({files} files)") } else { top },
            why: why.to_owned(),
            next: Next::ChooseTheLayout,
        }));
        let hand_ins = of.into_iter().map(|(key, (who, items))| {
            let place = match recognised.0 {
                Layout::Single => single.to_owned(),
                _ => items.first().map_or(key.clone(), |(_, _, item)| {
                    item.path[..item.path.len().min(recognised.1 + 1)].join("/")
                }),
            };
            let mut hand_in = HandIn::new(&who, place, exercises, recognised.0, wishes.exercise);
            hand_in.look(&items);
            (key, hand_in)
        });
        (hand_ins.collect(), metadata)
    }

    /// Lists a name that no honest packer writes, of which nobody knows whose it is.
    fn list_hostile(&mut self, item: &Item, place: &str) {
        if let source::Kind::Hostile(why) = &item.kind {
            let (place, why) = (place.to_owned(), why.clone());
            self.not_understood.push(NotUnderstood { place, why, next: Next::Remove });
        }
    }

    /// Reads all that is wanted, and gives Gradescope's metadata.
    fn read(
        &mut self,
        source: &mut Source,
        hand_ins: &mut BTreeMap<String, HandIn<'_>>,
        metadata: Option<usize>,
    ) -> Result<String, String> {
        let mut of: BTreeMap<usize, String> = BTreeMap::new();
        for (key, hand_in) in hand_ins.iter() {
            of.extend(hand_in.wanted().map(|index| (index, key.clone())));
        }
        let wanted: BTreeSet<usize> = of.keys().copied().chain(metadata).collect();
        let mut text = String::new();
        source.read(&wanted, &mut |index, from| {
            if Some(index) == metadata {
                let mut bytes = Vec::new();
                let read = from.and_then(|from| from.take(gradescope::GREATEST).read_to_end(&mut bytes));
                // What can't be read is told where it is parsed.
                text = read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            } else if let Some(hand_in) = of.get(&index).and_then(|key| hand_ins.get_mut(key)) {
                hand_in.take(index, from);
            }
        })?;
        Ok(text)
    }

    fn take_metadata<'a>(
        &mut self,
        hand_ins: &mut BTreeMap<String, HandIn<'a>>,
        text: &str,
        exercises: Exercises<'a>,
    ) {
        let all = match gradescope::read(text) {
            Ok(all) => all,
            Err(why) => {
                self.not_understood.push(NotUnderstood {
                    place: gradescope::METADATA.to_owned(),
                    why: format!("it can't be read: {}", one_line(why.lines().next().unwrap_or_default())),
                    next: Next::Remove,
                });
                return;
            }
        };
        for hand_in in hand_ins.values().filter(|hand_in| !all.contains_key(folder_of(hand_in))) {
            self.not_understood.push(NotUnderstood {
                place: hand_in.place.clone(),
                why: format!("{} doesn't say whose it is", gradescope::METADATA),
                next: Next::Remove,
            });
        }
        for (folder, handed_in) in all {
            let is_new = !hand_ins.contains_key(&folder);
            let hand_in = hand_ins.entry(folder.clone()).or_insert_with(|| {
                let who = layout::Who {
                    key: folder.clone(),
                    id: folder.clone(),
                    name: folder.clone(),
                    late: false,
                };
                HandIn::new(&who, folder.clone(), exercises, Layout::Gradescope, None)
            });
            if is_new {
                let why = format!("{} has it, and there is no such folder", gradescope::METADATA);
                hand_in.refused.push(format!("{folder}: {why}"));
                self.not_understood.push(NotUnderstood { place: folder.clone(), why, next: Next::Remove });
            }
            hand_in.at = handed_in.at;
            let submitters: Vec<Submitter> = handed_in
                .submitters
                .into_iter()
                .filter_map(|submitter| {
                    let id = submitter.sid.clone().filter(|sid| !sid.is_empty());
                    let id = id.or(submitter.email.clone()).or(submitter.name.clone())?;
                    Some(Submitter {
                        name: submitter.name.unwrap_or_else(|| id.clone()),
                        id,
                        email: submitter.email,
                    })
                })
                .collect();
            if !submitters.is_empty() {
                hand_in.submitters = submitters;
            }
        }
    }

    /// Finds out whose each hand-in is, and what is whose.
    fn join(&mut self, hand_ins: Vec<HandIn<'_>>, wishes: Wishes<'_>) {
        let mut students: BTreeMap<String, Student> = BTreeMap::new();
        for listed in wishes.roster.iter().flat_map(|roster| &roster.students) {
            students.insert(listed.id.clone(), student_of(listed));
        }
        for mut hand_in in hand_ins {
            for (kind, count) in &hand_in.junk {
                *self.junk.entry(kind).or_default() += count;
            }
            self.notes.append(&mut hand_in.notes);
            for submitter in &hand_in.submitters {
                let listed = self.find(submitter, &hand_in.place, wishes.roster);
                let id = match listed {
                    Some(listed) => listed.id.clone(),
                    // Whose id a classmate has in the roster does not come into the classmate's rows.
                    None if wishes.roster.is_some_and(|roster| roster.has(&submitter.id)) => {
                        format!("{} ({})", submitter.id, submitter.name)
                    }
                    None => submitter.id.clone(),
                };
                let student = students.entry(id.clone()).or_insert_with(|| Student {
                    id,
                    name: submitter.name.clone(),
                    email: submitter.email.clone(),
                    ..Student::default()
                });
                student.refused.extend(hand_in.refused.iter().cloned());
                student.handed_in |= !hand_in.is_empty();
                let at = hand_in.at.or(listed.and_then(|listed| listed.handed_in));
                let submissions = hand_in.found.iter().map(|found| submission(found, at, hand_in.late));
                student.submissions.extend(submissions);
            }
            self.not_understood.append(&mut hand_in.not_understood);
        }
        let is_asked = |exercise: &str| wishes.course.exercises.iter().any(|asked| asked.id() == exercise);
        for student in students.values_mut() {
            let all = student.submissions.len();
            student.submissions.retain(|submission| is_asked(&submission.exercise));
            self.not_asked += all - student.submissions.len();
            for exercise in wishes.course.exercises {
                put_in_order(&mut student.submissions, exercise.id());
                if wishes.attempts == Attempts::Last
                    && student.attempts(exercise.id()) > 1
                    && let Err(why) = student.kernels(exercise.id(), Attempts::Last)
                {
                    let place = format!("{}, {}", student.id, exercise.id());
                    self.not_understood.push(NotUnderstood { place, why, next: Next::KeepOne });
                }
            }
        }
        self.students = students.into_values().collect();
    }

    fn find<'r>(
        &mut self,
        submitter: &Submitter,
        place: &str,
        roster: Option<&'r Roster>,
    ) -> Option<&'r Listed> {
        let id_of = match self.layout {
            Some(Layout::Moodle) => IdOf::Participant,
            _ => IdOf::Anything,
        };
        let Submitter { id, name, email } = submitter;
        let why = match roster?.join(id, id_of, name, email.as_deref()) {
            Joined::One(listed) => return Some(listed),
            Joined::Contradicted(listed) => format!("{id} is {} in the roster, and {name} here", listed.name),
            Joined::Ambiguous(some) => format!("it could be {} of the roster", some.join(" or ")),
            Joined::Nobody => "the roster has no such id, address or name".to_owned(),
        };
        let who = if name == id { id.clone() } else { format!("{name} ({id})") };
        let place = format!("{who}, who handed in {place}");
        self.not_understood.push(NotUnderstood { place, why, next: Next::MendTheRoster });
        None
    }
}

/// Whether a file lies at this path in a folder.
fn is_at(folder: &Path, path: &[String], file: &Path) -> bool {
    let [name] = path else { return false };
    file.file_name().is_some_and(|known| printable(known.as_encoded_bytes()) == *name)
        && file.parent().and_then(|above| above.canonicalize().ok()) == folder.canonicalize().ok()
}

/// The folder's own name.
fn folder_of<'h>(hand_in: &'h HandIn<'_>) -> &'h str {
    hand_in.place.rsplit('/').next().unwrap_or_default()
}

fn student_of(listed: &Listed) -> Student {
    Student {
        id: listed.id.clone(),
        name: listed.name.clone(),
        email: listed.email.clone(),
        ..Student::default()
    }
}

fn submission(found: &Found, handed_in: Option<Timestamp>, called_late: bool) -> Submission {
    Submission {
        exercise: found.exercise.clone(),
        kernel: found.kernel.clone(),
        origin: found.origin.clone(),
        handed_in,
        called_late,
        // The number that its name has; what it comes to among the others is found out later.
        attempt: Some(found.number),
        course: found.course.clone(),
    }
}

/// A folder's name, or an archive's without its ending.
fn name_of(submissions: &Path) -> String {
    let path = submissions.canonicalize().unwrap_or_else(|_| submissions.to_owned());
    let name = path.file_name().map(|name| printable(name.as_encoded_bytes())).unwrap_or_default();
    let is_folder = path.is_dir();
    source::format_of(&name).filter(|_| !is_folder).map_or(name.clone(), |(_, stem)| stem.to_owned())
}
