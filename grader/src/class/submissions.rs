//! The names that a student's files and links have in the results.

use std::collections::BTreeSet;

/// The file names of a class's students. They are different on a disk, too, that takes `Ada` and `ada` for the same.
#[derive(Debug, Default)]
pub struct FileNames {
    /// In lower case, those that several students would have.
    shared: BTreeSet<String>,
}

impl FileNames {
    /// Of all students of a class, each as often as one likes.
    pub fn of<'a>(students: impl Iterator<Item = &'a str>) -> Self {
        let students: BTreeSet<&str> = students.collect();
        let mut seen = BTreeSet::new();
        let lower = students.into_iter().map(|student| file_name(student).to_ascii_lowercase());
        FileNames { shared: lower.filter(|name| !seen.insert(name.clone())).collect() }
    }

    /// One student's. Of several who would share it none has it plainly, so that nobody's becomes another's when one joins.
    pub fn name(&self, student: &str) -> String {
        let name = file_name(student);
        match self.shared.contains(&name.to_ascii_lowercase()) {
            true => format!("{name}~{}", &blake3::hash(student.as_bytes()).to_hex()[..8]),
            false => name,
        }
    }
}

/// A name for a file or a link: letters, digits, `-`, `_` and inner dots stay, the rest is `%NN`. Different
/// names give different results.
fn file_name(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.char_indices() {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' || (c == '.' && index > 0) {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    // File systems stop at 255 bytes; `%` can't occur before `~` otherwise, so this stays unambiguous.
    if out.len() > 200 {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        out.truncate(160);
        out.push('~');
        out.push_str(&hash[..32]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_different() {
        assert_eq!(file_name("ada.l-1"), "ada.l-1");
        assert_eq!(file_name("../é %"), "%2E.%2F%C3%A9%20%25");
        assert!(file_name(&"ü".repeat(120)).len() <= 200);
        assert_ne!(file_name(&"ü".repeat(120)), file_name(&"ü".repeat(121)));
    }

    #[test]
    fn file_names_are_different_where_case_is_ignored() {
        let long = "a".repeat(300);
        let students = ["ada", "Ada", "ADA", "bob", "Ü", "ü", "cleo~", "Cleo~", &long, &long.to_uppercase()];
        let names = FileNames::of(students.into_iter().chain(["bob"]));
        let all: BTreeSet<String> =
            students.iter().map(|student| names.name(student).to_ascii_lowercase()).collect();
        assert_eq!(all.len(), students.len(), "{all:?}");
        assert_eq!(names.name("bob"), "bob");
        assert!(names.name("Ada").starts_with("Ada~") && names.name("ada").starts_with("ada~"));
        assert!(all.iter().all(|name| name.len() < 240));
        // Whoever else is in the class, a name stays what it is among those who share it.
        assert_eq!(FileNames::of(["ada", "Ada"].into_iter()).name("Ada"), names.name("Ada"));
    }
}
