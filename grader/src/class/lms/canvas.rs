//! Canvas' gradebook, as it exports and imports it: `Student`, `ID`, `SIS User ID`, `SIS Login ID`, `Section`, then
//! assignments, each `Title (ID)`; below the heading a line "Points Possible". Columns that are read only it ignores.
//! A column that it doesn't know becomes an assignment of so many possible points.
//!
//! `lib/gradebook_importer.rb` (`row_has_student_headers?`, `parse_assignments`, `process_pp`, `process_student`) at
//! <https://github.com/instructure/canvas-lms>. A byte order mark it neither needs nor minds; one that is there stays.
//! A student is found by `ID`, else by `SIS User ID`, else by `SIS Login ID`.

use super::{
    Graded,
    sheet::{Vendor, guarded},
};

/// Canvas.
pub struct Canvas;

impl Vendor for Canvas {
    fn headings(&self) -> Vec<&'static str> {
        vec!["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    }

    fn cells(&self, student: &Graded<'_>) -> Vec<String> {
        // Canvas' own ids are numbers; what else is known of a student are the login and the school's id, and both
        // columns are looked into.
        let is_own = student.id.bytes().all(|byte| byte.is_ascii_digit());
        let (own, other) = if is_own { (student.id, "") } else { ("", student.id) };
        vec![guarded(student.name), own.to_owned(), String::new(), other.to_owned(), String::new()]
    }

    fn possible(&self) -> Option<Vec<String>> {
        let mut cells = vec![String::new(); self.headings().len()];
        cells[0] = "    Points Possible".to_owned();
        Some(cells)
    }

    fn is_column(&self, heading: &str, name: &str) -> bool {
        let id = heading.strip_prefix(name).and_then(|rest| rest.strip_prefix(" (")?.strip_suffix(')'));
        id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn usual_column(&self, _: &[String]) -> Option<&'static str> {
        None
    }

    fn can_add(&self) -> bool {
        true
    }

    fn is_about_points(&self, record: &[String]) -> bool {
        record.first().is_some_and(|cell| cell.contains("Points Possible"))
    }

    fn greatest(&self) -> Option<&'static str> {
        None
    }
}
