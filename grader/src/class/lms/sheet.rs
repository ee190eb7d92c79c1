//! A CSV of students that an LMS imports: one that it has exported itself, with a column filled in, or a new one.
//!
//! Nothing of an exported one is changed but the cells that are filled in: no other column, no id, no name, no mark of the
//! encoding. A new one has the mark if a name needs it. In a new one names that a spreadsheet would compute get an apostrophe, which no roster looks at; an id is
//! never changed, so who has such an id is left out.

use std::{collections::BTreeMap, fs::File, io::Read as _, path::Path};

use super::{Column, Graded, LeftOut};
use crate::{
    assignment::points::Points,
    class::{
        gradebook::{inert, is_computed},
        intake::roster::{IdOf, Joined, Roster},
        marked::{MARK, marked},
    },
    cli::class::ClassExport,
    exit::{Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    terminal::remark,
    visible::{one_line, shown},
};
use harness::report::{number_of, number_which};

/// What an LMS asks of a CSV.
pub trait Vendor {
    /// The headings of a new one, without the points.
    fn headings(&self) -> Vec<&'static str>;
    /// A student's cells below them.
    fn cells(&self, student: &Graded<'_>) -> Vec<String>;
    /// What begins a line between the heading and the students, with the points that are possible.
    fn possible(&self) -> Option<Vec<String>>;
    /// Whether a heading of an exported one is the column of this name.
    fn is_column(&self, heading: &str, name: &str) -> bool;
    /// The column to fill in of an exported one, where the assignment's title isn't it.
    fn usual_column(&self, headings: &[String]) -> Option<&'static str>;
    /// Whether a column that an exported one doesn't have can be added.
    fn can_add(&self) -> bool;
    /// What a record says of the points that are possible, where it is not a student's.
    fn is_about_points(&self, record: &[String]) -> bool;
    /// The heading of a column that says for each student how many points are possible.
    fn greatest(&self) -> Option<&'static str>;
}

/// Who is in which line, and who is in none.
type Lines<'a, 'b> = (BTreeMap<usize, &'a Graded<'b>>, Vec<LeftOut>);

/// A CSV as it was exported.
struct Sheet {
    mark: bool,
    separator: u8,
    ends: csv::Terminator,
    headings: Vec<String>,
    records: Vec<Vec<String>>,
}

/// The file's bytes, and those whom it doesn't have.
///
/// # Errors
/// Wrong usage.
pub fn csv(
    export: &ClassExport,
    students: &[Graded<'_>],
    columns: &[Column],
    vendor: &dyn Vendor,
) -> Result<(Vec<u8>, Vec<LeftOut>)> {
    let (bytes, left_out) = match &export.gradebook {
        Some(path) => {
            let mut sheet = Sheet::read(path)?;
            let places: Vec<usize> =
                columns.iter().map(|column| sheet.column(path, column, vendor)).collect::<Result<_>>()?;
            let (filled, left_out) = sheet.lines(path, students)?;
            for (number, (at, column)) in places.into_iter().zip(columns).enumerate() {
                let points = |line: &usize| filled.get(line).and_then(|student| student.points[number]);
                sheet.fill(at, column, &points, vendor);
            }
            (sheet.bytes(), left_out)
        }
        None => anew(students, columns, vendor),
    };
    let bytes = bytes.map_err(|error| Trouble::judge(format!("the CSV: {error}"), "report this as a bug"))?;
    Ok((bytes, left_out))
}

/// A new one.
fn anew(
    students: &[Graded<'_>],
    columns: &[Column],
    vendor: &dyn Vendor,
) -> (std::io::Result<Vec<u8>>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut headings: Vec<String> = vendor.headings().into_iter().map(str::to_owned).collect();
    headings.extend(columns.iter().map(|column| guarded(column.asked.as_ref().unwrap_or(&column.title))));
    let possible = vendor.possible().map(|mut cells| {
        cells.extend(columns.iter().map(|column| column.possible.to_string()));
        cells
    });
    let mut records: Vec<Vec<String>> = possible.into_iter().collect();
    for student in students {
        if is_computed(student.id) {
            let why = "a spreadsheet would compute the id, and an id is never changed".to_owned();
            left_out.push(LeftOut { who: student.id.to_owned(), why });
            continue;
        }
        let mut cells = vendor.cells(student);
        let points = student.points.iter();
        cells.extend(points.map(|points| points.map(|points| points.to_string()).unwrap_or_default()));
        records.push(cells);
    }
    let sheet = Sheet { mark: false, separator: b',', ends: csv::Terminator::Any(b'\n'), headings, records };
    (sheet.bytes().map(marked), left_out)
}

/// A name that a spreadsheet shows instead of computing.
pub fn guarded(name: &str) -> String {
    inert(name)
}

impl Sheet {
    fn read(path: &Path) -> Result<Self> {
        let name = shown(path);
        let text = files::read_table(path, "name the CSV that the LMS has exported");
        let text = text.map_err(|error| match error {
            Unreadable::Missing => {
                Trouble::usage(format!("{name} does not exist"), "name the CSV that the LMS has exported")
            }
            Unreadable::Unusable(found, next) => Trouble::usage(format!("{name}: {found}"), next),
            Unreadable::Refused(why) => {
                Trouble::usage(format!("could not read {name}: {why}"), MAKE_READABLE)
            }
        })?;
        let mut begin = [0; 3];
        let mark =
            File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *MARK;
        let first = text.lines().next().unwrap_or_default();
        let separators = [b',', b';', b'\t'].into_iter();
        let separator = separators.max_by_key(|wanted| first.bytes().filter(|byte| byte == wanted).count());
        let separator = separator.unwrap_or(b',');
        let is_crlf = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
        let ends = if is_crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut lines = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let all: std::result::Result<Vec<Vec<String>>, csv::Error> =
            lines.records().map(|line| Ok(line?.iter().map(str::to_owned).collect())).collect();
        let mut all = all
            .map_err(|error| {
                Trouble::usage(format!("{name}: {}", one_line(&error.to_string())), "export it again as CSV")
            })?
            .into_iter();
        let headings = all.next().unwrap_or_default();
        Ok(Sheet { mark, separator, ends, headings, records: all.collect() })
    }

    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut out = csv::WriterBuilder::new()
            .delimiter(self.separator)
            .terminator(self.ends)
            .flexible(true)
            .from_writer(if self.mark { MARK.to_vec() } else { Vec::new() });
        out.write_record(&self.headings)?;
        for record in &self.records {
            out.write_record(record)?;
        }
        out.into_inner().map_err(|error| error.into_error())
    }

    /// Which column to fill in; it is added where there is none and the LMS makes one of it.
    fn column(&mut self, path: &Path, column: &Column, vendor: &dyn Vendor) -> Result<usize> {
        let asked = column.asked.as_deref();
        let usual = || column.exercise.is_none().then(|| vendor.usual_column(&self.headings)).flatten();
        let name = asked.or_else(usual).unwrap_or(&column.title);
        let headings = self.headings.iter().enumerate();
        let fitting: Vec<usize> = headings
            .filter(|(_, heading)| heading.trim() == name || vendor.is_column(heading.trim(), name))
            .map(|(at, _)| at)
            .collect();
        let place = shown(path);
        let all = || self.headings.iter().map(|heading| one_line(heading)).collect::<Vec<_>>().join(", ");
        match &fitting[..] {
            [at] => Ok(*at),
            [] if vendor.can_add() && asked.is_none() => {
                remark(&format!(
                    "{place} has no column {}: it is added, worth {}",
                    one_line(name),
                    column.possible
                ));
                self.headings.push(guarded(name));
                Ok(self.headings.len() - 1)
            }
            [] => Err(Trouble::usage(
                format!("{place} has no column {}, only: {}", one_line(name), all()),
                "make the assignment in the LMS and export again, or name its column by --column",
            )),
            _ => Err(Trouble::usage(
                format!("{place} has {} columns {}: {}", fitting.len(), one_line(name), all()),
                "name one of them in full by --column",
            )),
        }
    }

    /// The students by their lines, and those of whom nobody knows the line.
    fn lines<'a, 'b>(&self, path: &Path, students: &'a [Graded<'b>]) -> Result<Lines<'a, 'b>> {
        let roster = Roster::read(path)?;
        let mut left_out = Vec::new();
        let mut filled: BTreeMap<usize, &Graded<'_>> = BTreeMap::new();
        for student in students {
            let who = format!("{} ({})", student.name, student.id);
            match roster.join(student.id, IdOf::Anything, student.name, student.email) {
                Joined::One(listed) => match filled.get(&listed.record) {
                    Some(other) => {
                        let why = format!("{} is in the same line of it, {}", other.id, listed.id);
                        left_out.push(LeftOut { who, why });
                    }
                    None => drop(filled.insert(listed.record, student)),
                },
                Joined::Contradicted(listed) => {
                    let why = format!("{} is {} in {}", student.id, listed.name, shown(path));
                    left_out.push(LeftOut { who, why });
                }
                Joined::Ambiguous(some) => {
                    left_out.push(LeftOut { who, why: format!("it could be {}", some.join(" or ")) });
                }
                Joined::Nobody => {
                    left_out.push(LeftOut { who, why: format!("{} has no such student", shown(path)) });
                }
            }
        }
        let nothing = roster.students.len() - filled.len();
        if nothing > 0 {
            remark(&format!(
                "{} of {} {} no row in these results: their cells stay as they are",
                number_of(nothing, "student"),
                shown(path),
                if nothing == 1 { "has" } else { "have" }
            ));
        }
        Ok((filled, left_out))
    }

    /// Fills in a column with the points of each line.
    fn fill(
        &mut self,
        at: usize,
        column: &Column,
        points: &dyn Fn(&usize) -> Option<Points>,
        vendor: &dyn Vendor,
    ) {
        let possible = column.possible;
        for (number, record) in self.records.iter_mut().enumerate() {
            if vendor.is_about_points(record) {
                record.resize(record.len().max(at + 1), String::new());
                if record[at].is_empty() {
                    record[at] = possible.to_string();
                } else if record[at].trim().parse::<f64>().ok() != Some(possible.number()) {
                    say_other(&record[at], &possible.to_string());
                }
            } else if let Some(points) = points(&number) {
                record.resize(record.len().max(at + 1), String::new());
                record[at] = points.to_string();
            }
            record.resize(record.len().max(self.headings.len()), String::new());
        }
        let greatest = vendor.greatest().and_then(|wanted| self.headings.iter().position(|is| is == wanted));
        let maxima = greatest.map(|at| self.records.iter().filter_map(move |record| record.get(at)));
        let other = maxima
            .into_iter()
            .flatten()
            .find(|text| text.trim().parse::<f64>().is_ok_and(|greatest| greatest != possible.number()));
        if let Some(other) = other {
            say_other(other, &possible.to_string());
        }
    }
}

fn say_other(theirs: &str, ours: &str) {
    remark(&format!(
        "the LMS has it that {} possible, and the assignment {ours}: points are written as they are",
        number_which(one_line(theirs), "point", "is", "are")
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grades.csv");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    /// A thousand students with the columns of a year.
    #[test]
    fn a_large_export_is_read_and_written_as_it_is() {
        let columns = ",9.75".repeat(450);
        let mut text = format!("id,name{}\n", ",x".repeat(450));
        (0..1000).for_each(|number| text += &format!("{number},Name {number}{columns}\n"));
        assert!(text.len() > 2 << 20);
        let (_folder, path) = sheet(&text);
        let read = Sheet::read(&path).map_err(|trouble| trouble.message).unwrap();
        assert!(read.bytes().unwrap() == text.as_bytes());
    }

    /// A new one is opened in a spreadsheet as it is; an exported one keeps what it has, whatever its names are.
    #[test]
    fn a_new_one_has_a_mark_where_a_name_needs_it_and_an_exported_one_what_it_had() {
        let new = |name| {
            let students = [Graded { id: "7", name, email: None, points: Vec::new() }];
            String::from_utf8(anew(&students, &[], &super::super::moodle::Moodle).0.unwrap()).unwrap()
        };
        assert_eq!(new("Zoë"), "\u{feff}Full name,ID number,Email address\nZoë,7,\n");
        assert_eq!(new("Ada"), "Full name,ID number,Email address\nAda,7,\n");
        for text in ["id,name\n7,Zoë\n", "\u{feff}id,name\n7,Zoë\n", "\u{feff}id,name\n7,Ada\n"] {
            let (_folder, path) = sheet(text);
            let read = Sheet::read(&path).map_err(|trouble| trouble.message).unwrap();
            assert_eq!(read.bytes().unwrap(), text.as_bytes());
        }
    }

    /// The ids of these results are Moodle's participants, and the school's numbers happen to be the same.
    #[test]
    fn a_classmates_line_is_not_filled_in() {
        let (_folder, path) =
            sheet("First name,Last name,ID number\nAda,Lovelace,102\nBob,Barker,101\nCy,Doe,103\n");
        let student = |id, name| Graded { id, name, email: None, points: Vec::new() };
        let students =
            [student("101", "Ada Lovelace"), student("102", "Bob Barker"), student("103", "Doe, Cy")];
        let (filled, left_out) = Sheet::read(&path)
            .and_then(|sheet| sheet.lines(&path, &students))
            .map_err(|trouble| trouble.message)
            .unwrap();
        assert_eq!(filled.into_iter().map(|(line, of)| (line, of.id)).collect::<Vec<_>>(), [(2, "103")]);
        let left_out: Vec<String> =
            left_out.into_iter().map(|one| format!("{}: {}", one.who, one.why)).collect();
        assert_eq!(left_out.len(), 2);
        assert!(left_out[0].starts_with("Ada Lovelace (101): 101 is Bob Barker in "), "{left_out:?}");
        assert!(left_out[1].starts_with("Bob Barker (102): 102 is Ada Lovelace in "), "{left_out:?}");
    }
}
