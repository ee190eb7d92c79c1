//! What is handed out of a scoring: the gradebook, the class report, JUnit's XML, and the head of the audit log.
//!
//! All of it is made of rows, so that it can be made again, and `class audit` can tell whether somebody changed it.

use std::{collections::BTreeMap, path::Path};

use super::{gradebook, header::Header, log::Head, overview, row::Row};
use crate::{
    assignment::Assignment,
    course::Course,
    exit::{Result, Trouble},
    files,
    formats::{KernelResult, junit},
    visible::shown,
};

/// What is handed out, in one moment of a scoring.
#[derive(Clone, Copy)]
pub struct Export<'a> {
    /// The course, for titles.
    pub course: Course<'a>,
    /// What rows have in common.
    pub header: &'a Header,
    /// All of them; those that are not judged yet say so.
    pub rows: &'a [Row],
}

/// The file that the head is written to.
const HEAD: &str = "audit-head.txt";

impl Export<'_> {
    /// The files, by name.
    ///
    /// # Errors
    /// A defect of ours.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let bug = |what: &str, error: &dyn std::fmt::Display| {
            Trouble::judge(format!("{what}: {error}"), "report this as a bug")
        };
        let assignment = self.header.assignment.as_deref();
        let assignment = assignment.map(|text| Assignment::of_text(text, self.course)).transpose()?;
        let gradebook =
            gradebook::csv(self.rows, assignment.as_ref()).map_err(|error| bug("the gradebook", &error))?;
        let results: Vec<KernelResult> = self.rows.iter().map(Row::result).collect();
        let titles: BTreeMap<&str, &str> =
            self.course.exercises.iter().map(|exercise| (exercise.id(), exercise.about().title)).collect();
        let page = overview::html(self.rows, self.header, &titles)
            .map_err(|error| bug("the class report", &error))?;
        Ok(vec![
            ("gradebook.csv", gradebook),
            ("junit.xml", junit::xml(&results)?.into_bytes()),
            ("report.html", page.into_bytes()),
        ])
    }

    /// Writes them, and the head.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn write(&self, out: &Path, head: Head) -> Result<()> {
        for (name, content) in self.files()? {
            write(&out.join(name), &content)?;
        }
        let said = format!("{head}\n{} entries\n", head.entries);
        write(&out.join(HEAD), said.as_bytes())
    }
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    files::write_atomically(path, content).map_err(|error| {
        Trouble::judge(
            format!("could not write {}: {}", shown(path), files::explain(&error)),
            "make it writable or make room; the same command again goes on with what was begun",
        )
    })
}
