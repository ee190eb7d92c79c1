//! Whose is what: how the places that collect kernels lay them out, and how that is recognised.
//!
//! Where the formats are described (nothing here was tried on a live LMS):
//!
//! - Canvas, "Download Submissions": flat files `NAME_[late_]USER_FILE_kernel.cu`. NAME is the sortable name in lower
//!   case, letters and digits only. Canvas' own `lib/content_zipper.rb` (`get_filename`, `add_upload_submission`) at
//!   <https://github.com/instructure/canvas-lms>. A second file of one name gets `-1` before its ending
//!   (`Attachment.make_unique_filename` there).
//! - Moodle, "Download all submissions": folders `Full Name_PARTICIPANT_assignsubmission_file/`, or, without folders,
//!   the same before each file's name; `_onlinetext` is text typed into Moodle. `mod/assign/classes/downloader.php`
//!   (`get_student_prefix`, `load_submissionplugin_filelist`) at <https://github.com/moodle/moodle>.
//! - Gradescope, "Export Submissions": see [`super::gradescope`].
//! - GitHub Classroom, `gh classroom clone student-repos`: `ASSIGNMENT-submissions/ASSIGNMENT-USER/`, each a clone.
//!   `cmd/gh-classroom/clone/student-repos` at <https://github.com/github/gh-classroom>.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::{
    junk,
    source::{Item, Kind, format_of},
};
use crate::{course::Course, submit};

/// How what was handed in is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // Documented variants would make the help page long.
pub enum Layout {
    Folders,
    Files,
    Single,
    Canvas,
    Moodle,
    Gradescope,
    #[value(name = "github")]
    GitHub,
}

impl Layout {
    /// What it is, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Layout::Folders => "a folder or an archive per student",
            Layout::Files => "a file per student",
            Layout::Single => "one student's folder or archive",
            Layout::Canvas => "Canvas' download",
            Layout::Moodle => "Moodle's download",
            Layout::Gradescope => "Gradescope's export",
            Layout::GitHub => "GitHub Classroom's clones",
        }
    }
}

/// The layout, and how many folders lie above it that hold everything else.
pub type Recognised = (Layout, usize);

/// Whose an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of a hand-in, with its path there; nothing in it is the hand-in's own folder.
    HandIn(Who, Vec<String>),
    /// Gradescope's list of who handed in what.
    Metadata,
    /// A folder above everything.
    Above,
    /// Nobody's.
    Nobody(&'static str),
}

/// A hand-in, as its name says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// What tells it from others.
    pub key: String,
    /// The student's id, as far as names tell.
    pub id: String,
    /// The student's name, as far as names tell.
    pub name: String,
    /// Whether the place that collected it calls it late.
    pub late: bool,
}

/// Which exercises folders are named after.
#[derive(Clone, Copy)]
pub struct Exercises<'a>(pub Course<'a>);

impl<'a> Exercises<'a> {
    /// The id of the exercise that has this name, or had it in an earlier version of the course.
    pub fn named(self, name: &str) -> Option<&'a str> {
        let all = self.0.exercises;
        let now = all.iter().find(|exercise| exercise.id() == name);
        now.or_else(|| all.iter().find(|exercise| exercise.about().formerly.contains(&name)))
            .map(|exercise| exercise.id())
    }
}

/// Recognises a layout by the names alone; none where nothing is there that could be one.
pub fn recognise(items: &[Item], exercises: Exercises<'_>, forced: Option<Layout>) -> Option<Recognised> {
    let clones = Clones::of(items);
    let mut items: Vec<&Item> = items.iter().filter(|item| junk::kind(&item.path).is_none()).collect();
    // What no honest packer writes says nothing of how the others are laid out.
    if items.iter().any(|item| !item.kind.is_hostile()) {
        items.retain(|item| !item.kind.is_hostile());
    }
    let at = |base| at(&items, base, &clones, exercises);
    let mut base = 0;
    loop {
        let found = at(base);
        let fits = |layout: Layout| forced.is_none_or(|forced| forced == layout);
        match found {
            Some(layout) if layout != Layout::Folders && fits(layout) => return Some((layout, base)),
            _ => {}
        }
        // A folder that holds all the others, as archives of folders and exports have one.
        let next = only_folder(&items, base).and_then(|_| at(base + 1));
        let goes_on = match next {
            Some(Layout::Folders) => has_students(&items, base + 1, exercises),
            Some(Layout::Files) => tops(&items, base + 1).len() > 1,
            Some(Layout::Single) | None => false,
            Some(_) => true,
        };
        if !goes_on {
            return match forced {
                Some(forced) => Some((forced, base)),
                None => found.map(|found| (found, base)),
            };
        }
        base += 1;
    }
}

/// The names at a depth, and whether they are folders.
fn tops<'i>(items: &[&'i Item], base: usize) -> BTreeSet<(&'i str, bool)> {
    let top = |item: &&'i Item| {
        let name = item.path.get(base)?;
        // Of a hostile name the path is what stands before the fault.
        let leads_on = item.kind.is_folder() || item.kind.is_hostile();
        Some((name.as_str(), item.path.len() > base + 1 || leads_on))
    };
    items.iter().filter_map(top).collect()
}

fn only_folder<'i>(items: &[&'i Item], base: usize) -> Option<&'i str> {
    match &tops(items, base).into_iter().collect::<Vec<_>>()[..] {
        [(name, true)] => Some(name),
        _ => None,
    }
}

/// The folders that git keeps a repository in.
struct Clones<'i>(BTreeSet<&'i [String]>);

impl<'i> Clones<'i> {
    fn of(items: &'i [Item]) -> Self {
        let has_git = |item: &'i Item| {
            let at = item.path.iter().position(|name| name == ".git")?;
            Some(&item.path[..at])
        };
        Clones(items.iter().filter_map(has_git).collect())
    }

    /// Whether most of these folders are clones. A student can take away one's own `.git`, and no classmate's.
    fn are_most<'n>(&self, base: usize, folders: impl Iterator<Item = &'n str>) -> bool {
        let cloned: BTreeSet<&str> = self
            .0
            .iter()
            .filter(|path| path.len() == base + 1)
            .filter_map(|path| path.last())
            .map(String::as_str)
            .collect();
        let (mut all, mut those) = (0, 0);
        for folder in folders {
            all += 1;
            those += usize::from(cloned.contains(folder));
        }
        2 * those > all
    }
}

fn at(items: &[&Item], base: usize, clones: &Clones<'_>, exercises: Exercises<'_>) -> Option<Layout> {
    let tops = tops(items, base);
    let any = |is: &dyn Fn(&str, bool) -> bool| tops.iter().any(|(name, folder)| is(name, *folder));
    let all_folders = |is: &dyn Fn(&str) -> bool| tops.iter().all(|(name, folder)| !folder || is(name));
    let is_exercise = |name: &str| exercises.named(name).is_some();
    let has_child = |is: &dyn Fn(&str) -> bool| {
        items.iter().any(|item| item.path.get(base + 1).is_some_and(|name| is(name)))
    };
    let folders = || tops.iter().filter(|(_, folder)| *folder).map(|(name, _)| *name);
    // An instructor may keep a whole class in a repository: it has students where a student's has kernels.
    let are_clones =
        || clones.are_most(base, folders()) && has_child(&|name| is_exercise(name) || is_kernels_name(name));
    match () {
        () if any(&|name, folder| !folder && name == super::gradescope::METADATA) => Some(Layout::Gradescope),
        () if any(&|name, folder| moodle(name, folder).is_some()) => Some(Layout::Moodle),
        () if any(&|name, folder| !folder && canvas(name).is_some()) => Some(Layout::Canvas),
        () if any(&|name, folder| match folder {
            true => is_exercise(name),
            false => name == submit::ABOUT || is_named_kernel(name, exercises),
        }) && all_folders(&is_exercise)
            && !any(&|name, folder| !folder && is_named_after_a_student(name, exercises)) =>
        {
            Some(Layout::Single)
        }
        () if any(&|_, folder| folder) && (has_child(&|name| name == "learn") || are_clones()) => {
            Some(Layout::GitHub)
        }
        () if any(&|name, folder| folder || format_of(name).is_some()) => Some(Layout::Folders),
        () if any(&|name, _| name.ends_with(".cu")) => Some(Layout::Files),
        () if any(&|name, _| !name.is_empty()) => Some(Layout::Folders),
        () => None,
    }
}

/// A kernel that is named after an exercise, or after nothing: not after a student.
fn is_named_kernel(name: &str, exercises: Exercises<'_>) -> bool {
    name.strip_suffix(".cu").is_some_and(|stem| is_no_students(stem, exercises))
}

fn is_no_students(stem: &str, exercises: Exercises<'_>) -> bool {
    let is_attempt = |(name, number): (&str, &str)| {
        number.bytes().all(|digit| digit.is_ascii_digit()) && exercises.named(name).is_some()
    };
    stem.starts_with("kernel")
        || stem == "submission"
        || exercises.named(stem).is_some()
        || stem.rsplit_once('-').is_some_and(is_attempt)
}

/// A kernel or an archive with a name of its own, which can only be a student's.
fn is_named_after_a_student(name: &str, exercises: Exercises<'_>) -> bool {
    let archive = format_of(name).map(|(_, stem)| stem);
    let kernel = || is_kernels_name(name).then(|| &name[..name.len() - ".cu".len()]);
    archive.or_else(kernel).is_some_and(|stem| !is_no_students(stem, exercises))
}

fn is_kernels_name(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".cu")
}

/// More than one student's folder or archive, and something in them that looks like kernels.
fn has_students(items: &[&Item], base: usize, exercises: Exercises<'_>) -> bool {
    let tops = tops(items, base);
    let students = tops.iter().filter(|(name, folder)| *folder || format_of(name).is_some()).count();
    let archives = tops.iter().any(|(name, folder)| !folder && format_of(name).is_some());
    let exercise = |item: &&Item| item.path.get(base + 1).is_some_and(|name| exercises.named(name).is_some());
    students > 1 && (archives || items.iter().any(exercise))
}

/// Says whose an item is.
pub fn whose(recognised: Recognised, item: &Item, single: &str, exercises: Exercises<'_>) -> Whose {
    if !item.kind.is_hostile() {
        let is_folder = item.path.len() > recognised.1 + 1 || item.kind.is_folder();
        return by_name(recognised, item, is_folder, single, exercises);
    }
    if recognised.0 == Layout::Single {
        return Whose::HandIn(whole(single), item.path.clone());
    }
    // What stands before such a name's fault is a file as an LMS calls it, or else a student's folder.
    match by_name(recognised, item, false, single, exercises) {
        Whose::Nobody(_) => by_name(recognised, item, true, single, exercises),
        found => found,
    }
}

/// Who is called by one name in all ways.
fn whole(id: &str) -> Who {
    Who { key: id.to_owned(), id: id.to_owned(), name: id.to_owned(), late: false }
}

fn by_name(
    (layout, base): Recognised,
    item: &Item,
    is_folder: bool,
    single: &str,
    exercises: Exercises<'_>,
) -> Whose {
    let Some(top) = item.path.get(base) else { return Whose::Above };
    let below = item.path[base + 1..].to_vec();
    match layout {
        Layout::Single => Whose::HandIn(whole(single), item.path[base..].to_vec()),
        Layout::Canvas => match canvas(top).filter(|_| !is_folder) {
            Some((who, file)) => Whose::HandIn(who, vec![file.to_owned()]),
            None => Whose::Nobody("its name is not as Canvas makes them, NAME_USER_FILE_kernel.cu"),
        },
        Layout::Moodle => match moodle(top, is_folder) {
            Some((who, None)) => Whose::HandIn(who, below),
            Some((who, Some(file))) => Whose::HandIn(who, vec![file.to_owned()]),
            None => Whose::Nobody("its name is not as Moodle makes them, Name_NUMBER_assignsubmission_file"),
        },
        Layout::Gradescope if *top == super::gradescope::METADATA && !item.kind.is_hostile() => {
            Whose::Metadata
        }
        Layout::Files => match top.strip_suffix(".cu").filter(|_| !is_folder) {
            Some(name) => Whose::HandIn(whole(name), vec![top.clone()]),
            None => Whose::Nobody("it is no student's kernel, STUDENT.cu"),
        },
        Layout::Folders | Layout::Gradescope | Layout::GitHub if top.starts_with('.') => {
            Whose::Nobody("it is hidden, as no student's folder is")
        }
        Layout::Folders | Layout::GitHub if is_folder && exercises.named(top).is_some() => {
            Whose::Nobody("it has an exercise's name, where students' folders are")
        }
        Layout::Folders | Layout::Gradescope | Layout::GitHub if is_folder => {
            Whose::HandIn(whole(top), below)
        }
        Layout::Folders | Layout::Gradescope | Layout::GitHub => match (format_of(top), &item.kind) {
            (Some((_, name)), _) if !name.is_empty() => {
                let who = Who { key: top.clone(), ..whole(name) };
                Whose::HandIn(who, vec![top.clone()])
            }
            // A link in a student's place, or one whose folder can't be looked at.
            (_, Kind::Link(None)) => Whose::HandIn(whole(top), Vec::new()),
            (_, Kind::Other(_)) if !top.contains('.') => Whose::HandIn(whole(top), Vec::new()),
            _ => Whose::Nobody("it is no student's folder and no student's archive"),
        },
    }
}

/// `lovelaceada_late_1234_5678_kernel.cu` as the student and `kernel.cu`.
fn canvas(name: &str) -> Option<(Who, &str)> {
    let parts: Vec<&str> = name.split('_').collect();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let at =
        (1..parts.len().saturating_sub(2)).find(|at| is_number(parts[*at]) && is_number(parts[at + 1]))?;
    let late = parts[at - 1].eq_ignore_ascii_case("late") && at > 1;
    let who = parts[..at - usize::from(late)].join("_");
    let before: usize = parts[..at + 2].iter().map(|part| part.len() + 1).sum();
    let file = name.get(before..).filter(|file| !file.is_empty())?;
    Some((Who { key: parts[at].to_owned(), id: parts[at].to_owned(), name: who, late }, file))
}

/// `Ada Lovelace_12345_assignsubmission_file` as the student; `…_file_kernel.cu`, where it is a file, with its own name.
///
/// Students choose their own names and their files'. Moodle's mark is the last one in a folder's name. A file's name that
/// has two is not taken apart: either may be Moodle's.
fn moodle(name: &str, is_folder: bool) -> Option<(Who, Option<&str>)> {
    const MARK: &str = "_assignsubmission_";
    let (who, what) = name.rsplit_once(MARK)?;
    if !is_folder && who.contains(MARK) {
        return None;
    }
    let (student, participant) = who.rsplit_once('_')?;
    if student.is_empty() || participant.is_empty() || !participant.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let file = match is_folder {
        true => None,
        false => Some(what.split_once('_')?.1),
    };
    let id = participant.to_owned();
    Some((Who { key: id.clone(), id, name: student.to_owned(), late: false }, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canvas_names_are_taken_apart() {
        let said = |name: &str| {
            canvas(name).map(|(who, file)| format!("{} {} {} {file}", who.id, who.name, who.late))
        };
        assert_eq!(said("lovelaceada_1234_5678_kernel.cu").unwrap(), "1234 lovelaceada false kernel.cu");
        assert_eq!(
            said("lovelaceada_late_1234_5678_my_kernel-1.cu").unwrap(),
            "1234 lovelaceada true my_kernel-1.cu"
        );
        assert_eq!(said("lovelaceada_LATE_1234_5678_k.cu").unwrap(), "1234 lovelaceada true k.cu");
        assert_eq!(said("late_1234_5678_k.cu").unwrap(), "1234 late false k.cu");
        for other in ["kernel.cu", "ada_1234_kernel.cu", "ada_1234_5678_", "1234_5678_k.cu", "03-reduction"] {
            assert_eq!(said(other), None, "{other}");
        }
    }

    #[test]
    fn moodle_names_are_taken_apart() {
        let said = |name: &str, folder| {
            moodle(name, folder).map(|(who, file)| format!("{} {} {file:?}", who.id, who.name))
        };
        assert_eq!(said("Ada Lovelace_12_assignsubmission_file", true).unwrap(), "12 Ada Lovelace None");
        let flat = said("Ada Lovelace_12_assignsubmission_file_k_1.cu", false).unwrap();
        assert_eq!(flat, "12 Ada Lovelace Some(\"k_1.cu\")");
        for other in ["Ada_assignsubmission_file", "_12_assignsubmission_file", "Ada Lovelace_12_file"] {
            assert_eq!(said(other, true), None, "{other}");
        }
        // Students who call themselves or a file after a classmate's folder.
        let named = said("Bob Barker_102_assignsubmission_file_x_101_assignsubmission_file", true).unwrap();
        assert_eq!(named, "101 Bob Barker_102_assignsubmission_file_x None");
        assert_eq!(said("Bob_102_assignsubmission_file_x_101_assignsubmission_file_k.cu", false), None);
    }

    /// The layout of files with these paths; folders end with a slash.
    fn layout(paths: &[&str]) -> Option<Recognised> {
        let item = |path: &&str| Item {
            path: path.trim_end_matches('/').split('/').map(str::to_owned).collect(),
            kind: if path.ends_with('/') { Kind::Folder } else { Kind::File },
        };
        let items: Vec<Item> = paths.iter().map(item).collect();
        recognise(&items, Exercises(Course { exercises: course::COURSE }), None)
    }

    #[test]
    fn clones_are_recognised_without_a_folder_learn() {
        let of = |student: &str| {
            ["03-reduction/kernel.cu", ".git/", ".git/config", "README.md"]
                .map(|file| format!("sheet-3-{student}/{file}"))
        };
        let owned: Vec<String> = [of("ada"), of("bo"), of("cy")].concat();
        let clones: Vec<&str> = owned.iter().map(String::as_str).collect();
        assert_eq!(layout(&clones), Some((Layout::GitHub, 0)));
        assert_eq!(layout(&clones[..4]), Some((Layout::GitHub, 0)));
        // One has no `.git`, and one no kernel.
        let torn = [clones[0], clones[4], clones[5], clones[9], clones[11]];
        assert_eq!(layout(&torn), Some((Layout::GitHub, 0)));
        // All of them in a folder.
        let inside: Vec<String> = owned.iter().map(|path| format!("sheet-3-submissions/{path}")).collect();
        let inside: Vec<&str> = inside.iter().map(String::as_str).collect();
        assert_eq!(layout(&inside), Some((Layout::GitHub, 1)));
        // A class that the instructor keeps in a repository.
        let kept =
            ["sheet/.git/config", "sheet/ada/03-reduction/kernel.cu", "sheet/bo/03-reduction/kernel.cu"];
        assert_eq!(layout(&kept), Some((Layout::Folders, 1)));
    }

    #[test]
    fn one_name_does_not_make_a_class_one_student() {
        let is = |paths: &[&str]| layout(paths).map(|(layout, _)| layout);
        assert_eq!(is(&["ada.zip", "bob.zip", "kernel_final.cu"]), Some(Layout::Folders));
        assert_eq!(is(&["ada.zip", "bob.tar.gz", "03-reduction.cu"]), Some(Layout::Folders));
        assert_eq!(is(&["ada.zip", "bob.zip", "03-reduction/kernel.cu"]), Some(Layout::Folders));
        assert_eq!(is(&["ada.zip", "bob.zip", "submission.json"]), Some(Layout::Folders));
        assert_eq!(is(&["ada.cu", "bob.cu", "kernel-v2.cu"]), Some(Layout::Files));
        assert_eq!(is(&["ADA.CU", "bob.cu", "03-reduction.cu"]), Some(Layout::Files));
        // One student's all the same.
        assert_eq!(is(&["kernel.cu", "kernel-1.cu", "notes.txt"]), Some(Layout::Single));
        assert_eq!(is(&["03-reduction.cu", "03-reduction-2.cu", "06-transpose.cu"]), Some(Layout::Single));
        assert_eq!(
            is(&["03-reduction/kernel.cu", "submission.zip", "submission.json"]),
            Some(Layout::Single)
        );
    }
}
