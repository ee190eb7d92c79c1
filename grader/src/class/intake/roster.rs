//! The roster: who is in the class, and by which names the places that collect kernels know them.
//!
//! A CSV of one's own (`id`, `name`, `email`, `handed_in`), or what an LMS exports, as its own source has it (none was
//! made by a live LMS):
//!
//! - Canvas' gradebook: `Student` ("Last, First") or `LastName` and `FirstName`, `ID`, `SIS User ID`, `SIS Login ID`,
//!   `Section`; below that a line "Points Possible", and above it one without a name where grades are hidden.
//!   `lib/gradebook_exporter.rb` at <https://github.com/instructure/canvas-lms>.
//! - Moodle's grading worksheet: `Identifier` ("Participant 12345"), `Full name`, `Email address`:
//!   `mod/assign/feedback/offline/importgradeslib.php` at <https://github.com/moodle/moodle>; and its gradebook: `First
//!   name`, `Last name` or `Surname`, `ID number`, `Email address`: <https://docs.moodle.org/en/Grade_import>.
//! - GitHub Classroom's roster: `identifier`, `github_username`, `github_id`, `name`, as programs that read it have it.
//!
//! A student is joined by an id, an address or a name that is exactly one's own; who could be two is nobody. An id alone
//! doesn't tell where the names are two people's: Moodle counts the participants of an assignment, and Canvas its own users,
//! and a school's numbers may be the same ones in another order.

mod names;

use std::{collections::BTreeSet, path::Path};

use jiff::Timestamp;

use self::names::spelled;
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
    /// Which record of the file it is, from 0 below the heading.
    pub record: usize,
    /// Other ids.
    also: BTreeSet<String>,
    /// Moodle's number of the participant.
    participant: Option<String>,
}

/// What counts the number that a hand-in's id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdOf {
    /// Moodle, the participants of one assignment.
    Participant,
    /// Not known.
    Anything,
}

/// Who a hand-in's student is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joined<'a> {
    /// This one.
    One(&'a Listed),
    /// This one by the id, and another person by the name.
    Contradicted(&'a Listed),
    /// One of these, and nothing tells which.
    Ambiguous(Vec<&'a str>),
    /// Nobody of the roster.
    Nobody,
}

/// Whether a student is the one who is looked for, by one of the things that are known.
type Way<'a> = dyn Fn(&Listed) -> bool + 'a;

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
const COLUMNS: [(&str, Column); 26] = [
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
    ("firstname", Column::First),
    ("last name", Column::Last),
    ("lastname", Column::Last),
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
        let text = files::read_table(path, "name a CSV with a column `id` or `name`");
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
        let is_canvas = headings.iter().any(|heading| heading.eq_ignore_ascii_case("SIS Login ID"));
        let has = |wanted: &[Column]| columns.iter().any(|(_, _, column)| wanted.contains(column));
        if !has(&[Column::Id, Column::Name, Column::Email, Column::First]) {
            let next =
                "name the columns in the first line: id, name, email, handed_in; or take your LMS's export";
            return wrong(1, "has no column of ids, names or addresses", next);
        }
        let mut students: Vec<Listed> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (number, record) in lines.records().enumerate() {
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
            let participant = of(Column::Id).find_map(participant_of).map(str::to_owned);
            let email = of(Column::Email).next().map(str::to_owned);
            let name = of(Column::Name).next().map(str::to_owned).or_else(|| {
                let (first, last) = (of(Column::First).next()?, of(Column::Last).next().unwrap_or_default());
                Some(format!("{first} {last}").trim_end().to_owned())
            });
            // Canvas' gradebook says below its heading what assignments are worth, and which are hidden.
            let is_nobody = ids.is_empty()
                && email.is_none()
                && (name.is_none() || record.iter().any(|cell| cell == "Points Possible"));
            if is_canvas && is_nobody {
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
            if !seen.insert(id.clone()) {
                return wrong(line, &format!("{id} is there twice"), "take one of the two lines out");
            }
            let name = name.unwrap_or_else(|| id.clone());
            let also = ids.into_iter().collect();
            students.push(Listed { id, name, email, handed_in, record: number, also, participant });
        }
        if students.is_empty() {
            return wrong(1, "has no students", "take the export of the whole class");
        }
        Ok(Roster { students })
    }

    /// Finds a student by what a hand-in says: an id first, then an address, then the name. A participant's number comes
    /// last where the roster has other numbers.
    pub fn join(&self, id: &str, id_of: IdOf, name: &str, email: Option<&str>) -> Joined<'_> {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let participant = |student: &Listed| student.participant.as_deref() == Some(id);
        let exact = |student: &Listed| student.id == id;
        let also = |student: &Listed| student.also.iter().any(|also| same(also, id));
        let address =
            |student: &Listed| email.is_some_and(|email| student.also.iter().any(|also| same(also, email)));
        let spellings = spelled(name);
        let named = |student: &Listed| !spellings.is_disjoint(&spelled(&student.name));
        let has_participants = self.students.iter().any(|student| student.participant.is_some());
        // Each with whether it is an id that was compared.
        let ways: Vec<(bool, &Way<'_>)> = match id_of {
            IdOf::Participant if has_participants => {
                vec![(true, &participant), (false, &address), (false, &named)]
            }
            IdOf::Participant => vec![(false, &address), (false, &named), (true, &exact), (true, &also)],
            IdOf::Anything => vec![(true, &exact), (true, &also), (false, &address), (false, &named)],
        };
        let mut contradicted = None;
        for (is_id, way) in ways {
            let found: Vec<&Listed> = self.students.iter().filter(|student| way(student)).collect();
            match found[..] {
                [] => {}
                // Another kind of number, which happens to be the same: the name may tell.
                [one] if is_id && one.contradicts(id, name) => {
                    contradicted = Some(one);
                    if id_of == IdOf::Participant || !participant(one) {
                        break;
                    }
                }
                [one] => return Joined::One(one),
                _ => return Joined::Ambiguous(found.iter().map(|student| student.id.as_str()).collect()),
            }
        }
        contradicted.map_or(Joined::Nobody, Joined::Contradicted)
    }

    /// Whether results go by this id.
    pub fn has(&self, id: &str) -> bool {
        self.students.iter().any(|student| student.id == id)
    }

    /// Every id, login and address in it.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.students.iter().flat_map(|student| &student.also).map(String::as_str)
    }
}

impl Listed {
    /// Whether the id is this student's and the name is not: both names are known, and they are not alike.
    fn contradicts(&self, id: &str, name: &str) -> bool {
        let is_known = name != id && self.name != self.id && !self.also.contains(&self.name);
        let is_address = id.contains('@');
        is_known && !is_address && !names::are_alike(name, &self.name)
    }
}

fn plain_id(text: &str) -> String {
    participant_of(text).unwrap_or(text).to_owned()
}

/// `Participant 12345`, as Moodle's worksheet has it in any language, is 12345.
fn participant_of(text: &str) -> Option<&str> {
    let (word, digits) = text.rsplit_once(' ')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !word.chars().any(char::is_numeric)).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(text: &str) -> Roster {
        Roster::of_text("roster.csv", text).unwrap()
    }

    fn joined(roster: &Roster, id: &str, name: &str, email: Option<&str>) -> String {
        said(roster.join(id, IdOf::Anything, name, email))
    }

    fn said(joined: Joined<'_>) -> String {
        match joined {
            Joined::One(student) => student.id.clone(),
            Joined::Contradicted(student) => format!("{} by the id alone", student.id),
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
        let names = "LastName,FirstName,ID,SIS Login ID,Section,Sheet 3 (99)\n,,,,,Manual Posting\n    Points Possible,,,,,10\n\
                     Lovelace,Ada,1234,ada,A,\n";
        let names = roster(names);
        assert_eq!((names.students.len(), names.students[0].name.as_str()), (1, "Ada Lovelace"));
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
    }

    /// Of two kinds of numbers some are the same: a classmate's is no reason to take the classmate's row.
    #[test]
    fn an_id_does_not_beat_a_name_that_is_another_students() {
        let own = roster("id,name\n101,\"Lovelace, Ada\"\n102,Bob Barker\n103,\n104,Zoë Müller\n");
        let by = |id_of, id: &str, name: &str| said(own.join(id, id_of, name, None));
        for (id, name, is) in [
            ("102", "Bob Barker", "102"),
            ("102", "barkerbob", "102"),
            ("102", "Barker, Bob J.", "102"),
            ("102", "Ada Lovelace", "102 by the id alone"),
            ("102", "lovelaceada", "102 by the id alone"),
            ("102", "Bob Lovelace", "102 by the id alone"),
            // One of the names is not known.
            ("102", "102", "102"),
            ("102", "", "102"),
            ("103", "Ada Lovelace", "103"),
            // As places without accents write it.
            ("104", "muellerzoe", "104"),
            ("104", "mllerzo", "104"),
            ("104", "Zoe\u{308} Mu\u{308}ller", "104"),
            ("104", "Zoe Mahler", "104 by the id alone"),
        ] {
            assert_eq!(by(IdOf::Anything, id, name), is, "{id} {name}");
        }
        // Moodle's number is none of these, and the name is somebody's.
        assert_eq!(by(IdOf::Participant, "102", "Ada Lovelace"), "101");
        assert_eq!(by(IdOf::Participant, "102", "Eve Roe"), "102 by the id alone");
        assert_eq!(by(IdOf::Participant, "103", "Eve Roe"), "103");
        // The school's number is none of Moodle's.
        let worksheet =
            roster("Identifier,Full name\nParticipant 101,Ada Lovelace\nParticipant 102,Bob Barker\n");
        let by = |id_of, id: &str, name: &str| said(worksheet.join(id, id_of, name, None));
        assert_eq!(by(IdOf::Anything, "102", "Ada Lovelace"), "101");
        assert_eq!(by(IdOf::Anything, "102", "Eve Roe"), "102 by the id alone");
        assert_eq!(by(IdOf::Participant, "102", "Ada Lovelace"), "102 by the id alone");
        assert_eq!(by(IdOf::Participant, "102", "Bob Barker"), "102");
    }

    /// A thousand students with the columns of a year.
    #[test]
    fn a_large_export_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grades.csv");
        let columns = ",9.75".repeat(450);
        let mut text = format!("id,name{}\n", ",x".repeat(450));
        (0..1000).for_each(|number| text += &format!("{number},Name {number}{columns}\n"));
        assert!(text.len() > 2 << 20);
        std::fs::write(&path, text).unwrap();
        assert_eq!(Roster::read(&path).map(|roster| roster.students.len()).ok(), Some(1000));
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
