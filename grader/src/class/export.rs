//! What is handed out of a scoring: the gradebook, the matrix of points, the class report, a page for each student,
//! JUnit's XML, and the head of the audit log.
//!
//! All of it is made of rows, header and reports, so that it can be made again, and `class audit` can tell whether
//! somebody changed it. Columns are those that the assignment can have, whatever this class has done.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use harness::{exercise::Exercise, report::Goal};

use super::{
    gradebook,
    header::Header,
    log::Head,
    marked::marked,
    matrix, overview,
    row::Row,
    store::Store,
    students::{self, Students},
};
use crate::{
    assignment::{Assignment, goals_of},
    course::Course,
    exit::{Result, Trouble},
    files,
    formats::{KernelResult, junit},
    visible::shown,
    zipped,
};
use harness::report::number_of;

/// What is handed out, in one moment of a scoring.
#[derive(Clone, Copy)]
pub struct Export<'a> {
    /// The course, for titles and goals.
    pub course: Course<'a>,
    /// What rows have in common.
    pub header: &'a Header,
    /// All of them; those that are not judged yet say so.
    pub rows: &'a [Row],
    /// The reports that they come from.
    pub store: &'a Store,
}

/// An exercise that counts.
#[derive(Clone, Debug)]
pub struct Counted<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The goals that it can have.
    pub goals: Vec<Goal>,
}

/// One line for each student and exercise.
const GRADEBOOK: &str = "gradebook.csv";
/// Each submission as a suite of tests.
const JUNIT: &str = "junit.xml";
/// The class on one page.
const REPORT: &str = "report.html";
/// The file that the head is written to.
pub const HEAD: &str = "audit-head.txt";

/// A file by its name below the results.
type Named = (String, Vec<u8>);

impl<'a> Export<'a> {
    /// The files, by name.
    ///
    /// # Errors
    /// A defect of ours.
    pub fn files(&self) -> Result<Vec<Named>> {
        let assignment = assignment_of(self.header, self.course)?;
        let assignment = assignment.as_ref();
        let counted = counted(self.course, assignment);
        let gradebook = self.gradebook(&counted, assignment)?;
        let results: Vec<KernelResult> = self.rows.iter().map(Row::result).collect();
        let page = overview::html(self.rows, self.header, &counted, assignment)
            .map_err(|error| bug("the class report", &error))?;
        let mut files = vec![
            (GRADEBOOK.to_owned(), gradebook),
            (JUNIT.to_owned(), junit::xml(&results)?.into_bytes()),
            (REPORT.to_owned(), page.into_bytes()),
        ];
        if let Some(assignment) = assignment {
            let matrix =
                matrix::csv(self.rows, assignment).map_err(|error| bug("the matrix of points", &error))?;
            files.push((matrix::NAME.to_owned(), marked(matrix)));
        }
        let students = Students { rows: self.rows, counted: &counted, assignment, store: self.store };
        let pages = students.pages().map_err(|error| bug("a student's page", &error))?;
        let by_name = pages.iter().map(|(name, page)| (name.as_str(), page.as_slice()));
        let zip = zipped::zip(by_name).map_err(|error| bug("the students' archive", &error))?;
        files.push((students::ARCHIVE.to_owned(), zip));
        let inside = |(name, page): Named| (format!("{}/{name}", students::FOLDER), page);
        files.extend(pages.into_iter().map(inside));
        Ok(files)
    }

    fn gradebook(&self, counted: &[Counted<'_>], assignment: Option<&Assignment>) -> Result<Vec<u8>> {
        let mut goals: Vec<Goal> = counted.iter().flat_map(|exercise| exercise.goals.clone()).collect();
        goals.sort_unstable();
        goals.dedup();
        gradebook::csv(self.rows, &goals, assignment, self.store.resembling())
            .map(marked)
            .map_err(|error| bug("the gradebook", &error))
    }

    /// Writes the gradebook alone, and the head: for what changes no row.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn write_gradebook(&self, out: &Path, head: Head) -> Result<()> {
        let assignment = assignment_of(self.header, self.course)?;
        let assignment = assignment.as_ref();
        let gradebook = self.gradebook(&counted(self.course, assignment), assignment)?;
        write(&out.join(GRADEBOOK), &gradebook)?;
        write_head(out, head)
    }

    /// Writes them, and the head.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn write(&self, out: &Path, head: Head) -> Result<()> {
        let folder = out.join(students::FOLDER);
        let refused = |error: std::io::Error| refused(&folder, &error);
        fs::create_dir_all(&folder).map_err(refused)?;
        let mut pages = BTreeSet::new();
        for (name, content) in self.files()? {
            let path = out.join(&name);
            match path.starts_with(&folder) {
                true => write_page(&path, &content)?,
                false => write(&path, &content)?,
            }
            pages.insert(path);
        }
        // Of whom nothing is left.
        let there = fs::read_dir(&folder).map_err(refused)?;
        let there = there.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "html");
        for gone in there.filter(|path| is_page(path) && !pages.contains(path)) {
            fs::remove_file(&gone).map_err(refused)?;
        }
        write_head(out, head)
    }
}

/// The assignment that a scoring was begun with, if any.
///
/// # Errors
/// Wrong usage where this course can't have it any more.
pub fn assignment_of(header: &Header, course: Course<'_>) -> Result<Option<Assignment>> {
    header.assignment.as_deref().map(|text| Assignment::of_text(text, course)).transpose()
}

/// The exercises that count: the assignment's, or all.
pub fn counted<'a>(course: Course<'a>, assignment: Option<&Assignment>) -> Vec<Counted<'a>> {
    let counts = |exercise: &dyn Exercise| {
        assignment.is_none_or(|assignment| assignment.worth(exercise.id()).is_some())
    };
    let all = course.exercises.iter().copied().filter(|exercise| counts(*exercise));
    all.map(|exercise| Counted {
        id: exercise.id(),
        title: exercise.about().title,
        goals: goals_of(exercise),
    })
    .collect()
}

fn bug(what: &str, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::judge(format!("{what}: {error}"), "report this as a bug")
}

/// What a scoring hands out, by the names below the results, folders with a slash.
pub fn names(has_assignment: bool) -> Vec<&'static str> {
    let points = has_assignment.then_some(matrix::NAME);
    let after = [REPORT, "students/", students::ARCHIVE, JUNIT];
    [GRADEBOOK].into_iter().chain(points).chain(after).collect()
}

/// Whether a file of this name, below the results, is one that a scoring can hand out.
pub fn is_handed_out(name: &str) -> bool {
    let fixed = [GRADEBOOK, JUNIT, REPORT, matrix::NAME, students::ARCHIVE];
    fixed.contains(&name) || name.strip_prefix(students::FOLDER).is_some_and(|rest| rest.starts_with('/'))
}

/// Writes the head.
///
/// # Errors
/// A judge's error, for example on a full disk.
pub fn write_head(out: &Path, head: Head) -> Result<()> {
    write(&out.join(HEAD), head_in_words(head).as_bytes())
}

/// What the head's file has.
pub fn head_in_words(head: Head) -> String {
    format!("{head}\n{}\n", number_of(head.entries, "entry"))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    files::write_atomically(path, content).map_err(|error| refused(path, &error))
}

/// A page can be made again, and there are hundreds: nobody waits until each is on the disk, and what is there is left.
fn write_page(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return Ok(());
    }
    fs::write(path, content).map_err(|error| refused(path, &error))
}

/// What keeps something from being written, below the results.
pub(super) fn refused(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make it writable or make room; the same command again goes on with what was begun",
    )
}
