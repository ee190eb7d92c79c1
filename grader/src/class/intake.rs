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
mod told;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
    path::Path,
};

use jiff::Timestamp;

pub use self::inside::Next;
use self::{
    hand_in::{Found, HandIn, Submitter},
    layout::{Exercises, Layout, Whose, recognise, whose},
    roster::{Joined, Listed, Roster},
    source::{Budget, Item, Source, printable},
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

/// A student, and what the student handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Student {
    /// The id that results go by, as printable text; different ids stay different.
    pub id: String,
    /// The name, or the id once more.
    pub name: String,
    /// The address, where it is known.
    pub email: Option<String>,
    /// The kernels, in the course's order, and of each exercise the latest last.
    pub submissions: Vec<Submission>,
    /// Why nothing, or not all, of what was handed in could be read.
    pub refused: Vec<String>,
    /// Whether anything was handed in, be it understood or not.
    pub handed_in: bool,
}

/// A student's kernel of an exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The exercise's id.
    pub exercise: String,
    /// The text, or why it is not gradable.
    pub kernel: Result<String, String>,
    /// Its path in what was handed in.
    pub origin: String,
    /// When it was handed in, where the roster or the metadata says so.
    pub handed_in: Option<Timestamp>,
    /// Whether the place that collected it calls it late.
    pub called_late: bool,
    /// Which attempt it is, from 1, where that is known.
    pub attempt: Option<u32>,
    /// The version of the course that its stub is of, where that is known.
    pub course: Option<String>,
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
}

impl Submission {
    /// Whether it came after the cutoff, or the place that collected it calls it late.
    pub fn is_late(&self, cutoff: Option<Timestamp>) -> bool {
        match (self.handed_in, cutoff) {
            (Some(at), Some(cutoff)) => at > cutoff,
            _ => self.called_late,
        }
    }
}

impl Student {
    /// The kernels of an exercise that are to be judged: one, or all attempts, of which the best counts.
    ///
    /// # Errors
    /// Why there is none.
    pub fn kernels(&self, exercise: &str, attempts: Attempts) -> Result<Vec<&Submission>, String> {
        let all: Vec<&Submission> =
            self.submissions.iter().filter(|submission| submission.exercise == exercise).collect();
        match (&all[..], attempts) {
            ([], _) if self.refused.is_empty() => Err(format!("no {exercise}/kernel.cu")),
            ([], _) => Err(self.refused.join("; ")),
            ([only], _) => Ok(vec![*only]),
            (_, Attempts::Best) => {
                let readable: Vec<&Submission> =
                    all.iter().copied().filter(|submission| submission.kernel.is_ok()).collect();
                Ok(if readable.is_empty() { all } else { readable })
            }
            ([.., last], Attempts::Last) if last.attempt.is_some() => Ok(vec![*last]),
            (some, Attempts::Last) => {
                let places: Vec<&str> = some.iter().map(|submission| submission.origin.as_str()).collect();
                Err(format!("nothing says which was handed in last: {}", places.join(", ")))
            }
        }
    }

    /// How many kernels of an exercise there are.
    pub fn attempts(&self, exercise: &str) -> usize {
        self.submissions.iter().filter(|submission| submission.exercise == exercise).count()
    }

    /// Whether the student handed in nothing at all.
    pub fn is_absent(&self) -> bool {
        !self.handed_in
    }
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
        let items = source.items().map_err(unreadable)?;
        let exercises = Exercises(wishes.known);
        let Some(recognised) = recognise(&items, exercises, wishes.layout) else {
            let next = "it should have one folder or archive per student, each with NN-name/kernel.cu, or what an LMS makes";
            return Err(Trouble::usage(format!("{place} has nothing in it that was handed in"), next));
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
        let mut of: BTreeMap<String, (layout::Who, Vec<(usize, Vec<String>, &Item)>)> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let junk = junk::kind(&item.path[..item.path.len().min(recognised.1 + 1)]);
            if let Some(junk) = junk {
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
                Whose::Above => {
                    if let source::Kind::Hostile(why) = &item.kind {
                        self.not_understood.push(NotUnderstood {
                            place: single.to_owned(),
                            why: why.clone(),
                            next: Next::Remove,
                        });
                    }
                }
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
                let id = listed.map_or(&submitter.id, |listed| &listed.id);
                let student = students.entry(id.clone()).or_insert_with(|| Student {
                    id: submitter.id.clone(),
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
        let why = match roster?.join(&submitter.id, &submitter.name, submitter.email.as_deref()) {
            Joined::One(listed) => return Some(listed),
            Joined::Ambiguous(some) => format!("it could be {} of the roster", some.join(" or ")),
            Joined::Nobody => "the roster has no such id, address or name".to_owned(),
        };
        let who = if submitter.name == submitter.id {
            submitter.id.clone()
        } else {
            format!("{} ({})", submitter.name, submitter.id)
        };
        let place = format!("{who}, who handed in {place}");
        self.not_understood.push(NotUnderstood { place, why, next: Next::MendTheRoster });
        None
    }
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

/// Puts the attempts at an exercise in order and numbers them, where times or names tell the order, or it doesn't matter.
fn put_in_order(submissions: &mut [Submission], exercise: &str) {
    // By exercise, as they come from hand-ins; so those of one are neighbours after this.
    submissions.sort_by(|one, other| one.exercise.cmp(&other.exercise));
    let begin = submissions.partition_point(|one| one.exercise.as_str() < exercise);
    let end = submissions.partition_point(|one| one.exercise.as_str() <= exercise);
    let all = &mut submissions[begin..end];
    let times: BTreeSet<Option<Timestamp>> = all.iter().map(|one| one.handed_in).collect();
    let numbers: BTreeSet<Option<u32>> = all.iter().map(|one| one.attempt).collect();
    let same = all.windows(2).all(|pair| pair[0].kernel.is_ok() && pair[0].kernel == pair[1].kernel);
    let is_known = match () {
        () if times.len() == all.len() && !times.contains(&None) => {
            all.sort_by_key(|one| one.handed_in);
            true
        }
        // One hand-in has one time; its names tell.
        () if numbers.len() == all.len() && times.len() == 1 => {
            all.sort_by_key(|one| one.attempt);
            true
        }
        () => same,
    };
    for (index, one) in all.iter_mut().enumerate() {
        one.attempt = is_known.then_some(index as u32 + 1);
    }
}

/// A folder's name, or an archive's without its ending.
fn name_of(submissions: &Path) -> String {
    let path = submissions.canonicalize().unwrap_or_else(|_| submissions.to_owned());
    let name = path.file_name().map(|name| printable(name.as_encoded_bytes())).unwrap_or_default();
    let is_folder = path.is_dir();
    source::format_of(&name).filter(|_| !is_folder).map_or(name.clone(), |(_, stem)| stem.to_owned())
}
