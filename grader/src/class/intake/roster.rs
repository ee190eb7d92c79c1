//! The roster: who is in the class, and by which names the places that collect kernels know them.
//!
//! A CSV of one's own (`id`, `name`, `email`, `handed_in`), or what an LMS exports:
//!
//! - Canvas' gradebook: `Student` ("Last, First"), `ID`, `SIS User ID`, `SIS Login ID`, `Section`; a line "Points
//!   Possible" below the heading. <https://community.canvaslms.com/t5/Instructor-Guide/tkb-p/Instructor>, "How do I
//!   export grades in the Gradebook".
//! - Moodle's grading worksheet: `Identifier` ("Participant 12345"), `Full name`, `Email address`; and its gradebook:
//!   `First name`, `Last name` or `Surname`, `ID number`, `Email address`. <https://docs.moodle.org/en/Grade_export>
//! - GitHub Classroom's roster: `identifier`, `github_username`, `github_id`, `name`.
//!
//! A student is joined by an id, an address or a name that is exactly one's own; who could be two is nobody.

use std::{collections::BTreeSet, path::Path};

use jiff::Timestamp;

use crate::{
    exit::{Result, Trouble},
    files::{self, MAKE_READABLE, Unreadable},
    visible::{one_line, shown},
};

/// The class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The students, in the file's order.
    pub students: Vec<Listed>,
}

/// A student of the roster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The id that results go by.
    pub id: String,
    /// The name.
    pub name: String,
    /// The address.
    pub email: Option<String>,
    /// When everything of the student was handed in.
    pub handed_in: Option<Timestamp>,
    /// Other ids.
    also: BTreeSet<String>,
}

/// Who a hand-in's student is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined<'a> {
    /// This one.
    One(&'a Listed),
    /// One of these, and nothing tells which.
    Ambiguous(Vec<&'a str>),
    /// Nobody of the roster.
    Nobody,
}

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Id,
    Also,
    Name,
    First,
    Last,
    Email,
    HandedIn,
}

/// By the heading in lower case. Of ids the first in this order is the one that results go by.
const COLUMNS: [(&str, Column); 24] = [
    ("id", Column::Id),
    ("student id", Column::Id),
    ("student_id", Column::Id),
    ("id number", Column::Id),
    ("sid", Column::Id),
    ("identifier", Column::Id),
    ("sis user id", Column::Also),
    ("sis login id", Column::Also),
    ("integration id", Column::Also),
    ("username", Column::Also),
    ("login", Column::Also),
    ("github_username", Column::Also),
    ("github username", Column::Also),
    ("name", Column::Name),
    ("student", Column::Name),
    ("student name", Column::Name),
    ("full name", Column::Name),
    ("first name", Column::First),
    ("last name", Column::Last),
    ("surname", Column::Last),
    ("email", Column::Email),
    ("email address", Column::Email),
    ("handed_in", Column::HandedIn),
    ("handed in", Column::HandedIn),
];

impl Roster {
    /// Reads one.
    ///
    /// # Errors
    /// Wrong usage, with the line.
    pub fn read(path: &Path) -> Result<Self> {
        let name = shown(path);
        let text = files::read_text(path, "a roster", "name a CSV with a column `id` or `name`");
        let text = text.map_err(|error| match error {
            Unreadable::Missing => Trouble::usage(
                format!("{name} does not exist"),
                "name the class's roster, a CSV with the columns id, name and email",
            ),
            Unreadable::Unusable(found, next) => Trouble::usage(format!("{name}: {found}"), next),
            Unreadable::Refused(why) => {
                Trouble::usage(format!("could not read {name}: {why}"), MAKE_READABLE)
            }
        })?;
        Roster::of_text(&name, &text)
    }

    pub(super) fn of_text(name: &str, text: &str) -> Result<Self> {
        let wrong = |line: u64, what: &str, next: &str| {
            Err(Trouble::usage(format!("{name}:{line}: {}", one_line(what)), next))
        };
        let heading = text.lines().next().unwrap_or_default();
        let separator = [b',', b';', b'\t'].into_iter();
        let separator = separator.max_by_key(|wanted| heading.bytes().filter(|byte| byte == wanted).count());
        let mut lines = csv::ReaderBuilder::new()
            .delimiter(separator.unwrap_or(b','))
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let headings = match lines.headers() {
            Ok(headings) => headings.clone(),
            Err(error) => return wrong(1, &error.to_string(), "save it as CSV"),
        };
        let mut columns: Vec<(usize, usize, Column)> = Vec::new();
        for (at, heading) in headings.iter().enumerate() {
            let heading = heading.to_lowercase();
            if let Some(rank) = COLUMNS.iter().position(|(known, _)| *known == heading) {
                columns.push((rank, at, COLUMNS[rank].1));
            }
        }
        columns.sort_unstable();
        let has = |wanted: &[Column]| columns.iter().any(|(_, _, column)| wanted.contains(column));
        if !has(&[Column::Id, Column::Name, Column::Email, Column::First]) {
            let next =
                "name the columns in the first line: id, name, email, handed_in; or take your LMS's export";
            return wrong(1, "has no column of ids, names or addresses", next);
        }
        let mut students: Vec<Listed> = Vec::new();
        for record in lines.records() {
            let record = match record {
                Ok(record) => record,
                Err(error) => return wrong(0, &error.to_string(), "save it as CSV"),
            };
            let line = record.position().map_or(0, |position| position.line());
            let of = |wanted: Column| {
                columns
                    .iter()
                    .filter(move |(_, _, column)| *column == wanted)
                    .filter_map(|(_, at, _)| record.get(*at).filter(|text| !text.is_empty()))
            };
            let mut ids: Vec<String> = of(Column::Id).chain(of(Column::Also)).map(plain_id).collect();
            let email = of(Column::Email).next().map(str::to_owned);
            let name = of(Column::Name).next().map(str::to_owned).or_else(|| {
                let (first, last) = (of(Column::First).next()?, of(Column::Last).next().unwrap_or_default());
                Some(format!("{first} {last}").trim_end().to_owned())
            });
            // Canvas' gradebook says below its heading what assignments are worth.
            let is_about_points =
                name.as_deref().is_some_and(|name| matches!(name, "Points Possible" | "Manual Posting"));
            if is_about_points && ids.is_empty() {
                continue;
            }
            ids.extend(email.clone());
            let Some(id) = ids.first().or(name.as_ref()).cloned() else {
                if record.iter().all(str::is_empty) {
                    continue;
                }
                return wrong(
                    line,
                    "a student without id, name and address",
                    "fill the line in, or take it out",
                );
            };
            let handed_in = match of(Column::HandedIn).next() {
                Some(text) => match text.parse::<Timestamp>() {
                    Ok(moment) => Some(moment),
                    Err(_) => {
                        let next = "write it with its time zone, as in 2026-12-01T23:59:00+01:00";
                        return wrong(line, &format!("handed_in is `{text}`"), next);
                    }
                },
                None => None,
            };
            if students.iter().any(|known| known.id == id) {
                return wrong(line, &format!("{id} is there twice"), "take one of the two lines out");
            }
            let name = name.unwrap_or_else(|| id.clone());
            students.push(Listed { id, name, email, handed_in, also: ids.into_iter().collect() });
        }
        if students.is_empty() {
            return wrong(1, "has no students", "take the export of the whole class");
        }
        Ok(Roster { students })
    }

    /// Finds a student by what a hand-in says: an id first, then an address, then the name.
    pub fn join(&self, id: &str, name: &str, email: Option<&str>) -> Joined<'_> {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let by = |is: &dyn Fn(&Listed) -> bool| -> Vec<&Listed> {
            self.students.iter().filter(|student| is(student)).collect()
        };
        let ways: [&dyn Fn(&Listed) -> bool; 4] = [
            &|student| student.id == id,
            &|student| student.also.iter().any(|also| same(also, id)),
            &|student| email.is_some_and(|email| student.also.iter().any(|also| same(also, email))),
            &|student| !spelled(name).is_disjoint(&spelled(&student.name)),
        ];
        for way in ways {
            match &by(way)[..] {
                [] => {}
                [one] => return Joined::One(one),
                some => return Joined::Ambiguous(some.iter().map(|student| student.id.as_str()).collect()),
            }
        }
        Joined::Nobody
    }

    /// Every id, login and address in it.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.students.iter().flat_map(|student| &student.also).map(String::as_str)
    }
}

/// `Participant 12345`, as Moodle's worksheet has it in any language, is 12345.
fn plain_id(text: &str) -> String {
    match text.rsplit_once(' ') {
        Some((word, digits))
            if !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && !word.chars().any(char::is_numeric) =>
        {
            digits.to_owned()
        }
        _ => text.to_owned(),
    }
}

/// The ways in which a name may be spelled: `Lovelace, Ada`, `Ada Lovelace` and Canvas' `lovelaceada` have one in common.
fn spelled(name: &str) -> BTreeSet<String> {
    let squeezed = |parts: &[&str]| -> String {
        parts
            .iter()
            .flat_map(|part| part.chars())
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let mut all = BTreeSet::from([squeezed(&[name])]);
    if let Some((last, first)) = name.split_once(',') {
        all.insert(squeezed(&[first, last]));
    } else {
        // Where the last name begins, nobody can tell.
        for (at, _) in name.match_indices(' ') {
            all.insert(squeezed(&[&name[at..], &name[..at]]));
        }
    }
    all.remove("");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(text: &str) -> Roster {
        Roster::of_text("roster.csv", text).unwrap()
    }

    fn joined(roster: &Roster, id: &str, name: &str, email: Option<&str>) -> String {
        match roster.join(id, name, email) {
            Joined::One(student) => student.id.clone(),
            Joined::Ambiguous(some) => format!("one of {}", some.join(", ")),
            Joined::Nobody => "nobody".to_owned(),
        }
    }

    // The headings are from the vendors' documentation, not from a live LMS.
    #[test]
    fn exports_of_places_that_collect_kernels_are_read() {
        let canvas = roster(
            "\u{feff}Student,ID,SIS User ID,SIS Login ID,Section,Sheet 3 (99)\n\
             \"    Points Possible\",,,,,10\n\
             \"Lovelace, Ada\",1234,S77,ada,A,\n\"Li, Bo\",1235,S78,bo,A,\n"
                .trim_start_matches('\u{feff}'),
        );
        assert_eq!(canvas.students.len(), 2);
        assert_eq!(joined(&canvas, "1234", "lovelaceada", None), "1234");
        assert_eq!(joined(&canvas, "S78", "", None), "1235");
        assert_eq!(joined(&canvas, "9", "lovelaceada", None), "1234");
        let moodle = roster(
            "Identifier;Full name;Email address;Status\nParticipant 12;Ada Lovelace;ada@example.edu;Submitted\n\
             Teilnehmer/in 13;Bo Li;bo@example.edu;\n",
        );
        assert_eq!(joined(&moodle, "12", "Ada Lovelace", None), "12");
        assert_eq!(joined(&moodle, "99", "Bo Li", None), "13");
        let github =
            roster("identifier,github_username,github_id,name\nada@example.edu,ada-l,1,Ada\nbo,bo,2,Bo\n");
        assert_eq!(joined(&github, "Ada-L", "", None), "ada@example.edu");
        assert_eq!(joined(&github, "x-ada-l", "", None), "nobody");
    }

    #[test]
    fn who_could_be_two_is_nobody() {
        let two = roster("id,name\n1,Ada Lovelace\n2,\"Lovelace, Ada\"\n3,Bo\n");
        assert_eq!(joined(&two, "x", "lovelaceada", None), "one of 1, 2");
        assert_eq!(joined(&two, "x", "", None), "nobody");
        assert_eq!(joined(&two, "2", "Bo", None), "2");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = [
            "",
            "a,b\n1,2\n",
            "id,name\n",
            "id,name\n1,Ada\n1,Bo\n",
            "id,handed_in\n1,2026-12-01 10:00\n",
            "id,name,x\n1,Ada,\n,,y\n",
        ];
        let said = wrong.map(|text| {
            let trouble = Roster::of_text("roster.csv", text).unwrap_err();
            format!("{}\n next: {}", trouble.message, trouble.next)
        });
        insta::assert_snapshot!(said.join("\n"));
    }
}
