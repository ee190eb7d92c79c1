//! Moodle's grading worksheet of an assignment (`Identifier`, `Full name`, `Email address`, `Status`, `Grade`,
//! `Maximum Grade`, …, `Last modified (grade)`), and the export of its gradebook (`First name`, `Last name`, `ID number`,
//! `Email address`, `Assignment: Title (Real)`).
//!
//! The worksheet: `mod/assign/feedback/offline/importgradeslib.php` (`init`, `next`) at
//! <https://github.com/moodle/moodle>; it needs the identifier, the grade and when it was last modified, as they were
//! exported. The gradebook: <https://docs.moodle.org/en/Grade_import>, by which columns that the export did not have are
//! refused. Both read UTF-8 with a byte order mark or without.

use super::{
    Graded,
    sheet::{Vendor, guarded},
};

/// Moodle.
pub struct Moodle;

impl Vendor for Moodle {
    fn headings(&self) -> Vec<&'static str> {
        vec!["Full name", "ID number", "Email address"]
    }

    fn cells(&self, student: &Graded<'_>) -> Vec<String> {
        let email = student.email.unwrap_or_default();
        vec![guarded(student.name), student.id.to_owned(), guarded(email)]
    }

    fn possible(&self) -> Option<Vec<String>> {
        None
    }

    fn is_column(&self, heading: &str, name: &str) -> bool {
        let title = heading.strip_suffix(" (Real)").unwrap_or(heading);
        title == name || title.split_once(": ").is_some_and(|(_, title)| title == name)
    }

    fn usual_column(&self, headings: &[String]) -> Option<&'static str> {
        let has = |wanted: &str| headings.iter().any(|heading| heading.trim() == wanted);
        (has("Identifier") && has("Grade")).then_some("Grade")
    }

    fn can_add(&self) -> bool {
        false
    }

    fn is_about_points(&self, _: &[String]) -> bool {
        false
    }

    fn greatest(&self) -> Option<&'static str> {
        Some("Maximum Grade")
    }
}
