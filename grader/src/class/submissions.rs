//! What was submitted: a folder per student, in it a folder per exercise with `kernel.cu`; or the same in a zip, as
//! `grader submit` packs it.
//!
//! Nothing in a submission is trusted: names may be no text, a kernel may be a link to somebody else's file.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use super::archive;
use crate::{
    exit::{Result, Trouble},
    files::{self, Unreadable},
    visible::shown,
};

/// A student's folder, or zip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Student {
    /// The folder's name, or the zip's without its ending, as printable text; different names stay different.
    pub name: String,
    /// The folder or the zip.
    pub folder: PathBuf,
    /// Whether it is a zip.
    pub is_zip: bool,
}

/// Lists the students' folders and zips by name. Other files and what is hidden are not submissions.
///
/// # Errors
/// Wrong usage where the folder can't be read, has no student in it, or has two submissions of one name.
pub fn students(submissions: &Path) -> Result<Vec<Student>> {
    let place = shown(submissions);
    let entries = fs::read_dir(submissions).map_err(|error| {
        Trouble::usage(
            format!("could not read {place}: {}", files::explain(&error)),
            "name the folder that has one folder per student",
        )
    })?;
    let mut students: Vec<Student> = entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| !entry.file_name().as_bytes().starts_with(b"."))
        .filter_map(|entry| {
            let folder = submissions.join(entry.file_name());
            let is_zip = !folder.is_dir() && has_ending_of_zip(&folder);
            let name = if is_zip { folder.file_stem()?.to_owned() } else { entry.file_name() };
            (is_zip || folder.is_dir()).then(|| Student { name: printable(&name), folder, is_zip })
        })
        .collect();
    students.sort_by(|one, other| one.name.cmp(&other.name).then_with(|| one.folder.cmp(&other.folder)));
    if students.is_empty() {
        let next = "it should have one folder per student, each with NN-name/kernel.cu, or a zip of that";
        return Err(Trouble::usage(format!("{place} has no folders and no zips in it"), next));
    }
    if let Some([one, other]) = students.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let (one, other) = (shown(&one.folder), shown(&other.folder));
        let next = "keep one of them there";
        return Err(Trouble::usage(format!("{one} and {other} are two submissions of one student"), next));
    }
    Ok(students)
}

fn has_ending_of_zip(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
}

/// The folders in students' folders that are named like no exercise, as `STUDENT/FOLDER`.
/// Hidden ones are tools' own.
pub fn other_folders(students: &[Student], exercises: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for student in students.iter().filter(|student| not_gradable(&student.folder).is_none()) {
        for entry in fs::read_dir(&student.folder).into_iter().flatten().flatten() {
            let name = printable(&entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !exercises.contains(&name.as_str()) {
                all.push(format!("{}/{name}", student.name));
            }
        }
    }
    all.sort();
    all
}

/// Why nothing in a student's folder can be graded; none where it can.
fn not_gradable(folder: &Path) -> Option<String> {
    // Whatever a link leads to, it may be a classmate's work.
    let is_link = fs::symlink_metadata(folder).is_ok_and(|data| data.file_type().is_symlink());
    is_link.then(|| "the student's folder is a link, not a folder of its own".to_owned())
}

/// Reads a student's kernel of an exercise.
///
/// # Errors
/// Why it isn't gradable.
pub fn kernel(student: &Student, exercise: &str) -> Result<String, String> {
    if let Some(why) = not_gradable(&student.folder) {
        return Err(why);
    }
    if student.is_zip {
        return archive::kernel(&student.folder, exercise);
    }
    let path = student.folder.join(exercise).join("kernel.cu");
    let describe = |error| match error {
        Unreadable::Missing => format!("no {exercise}/kernel.cu"),
        Unreadable::Unusable(found, _) => format!("{exercise}/kernel.cu is {found}"),
        Unreadable::Refused(why) => format!("{exercise}/kernel.cu can't be read: {why}"),
    };
    // A dangling link is a missing file; a link out of the submission would be judged
    // as somebody else's work.
    match (path.canonicalize(), student.folder.canonicalize()) {
        (Ok(path), Ok(folder)) if !path.starts_with(&folder) => {
            Err(format!("{exercise}/kernel.cu is a link that leads out of the submission"))
        }
        (Ok(path), Ok(_)) => files::read_kernel(&path).map_err(describe),
        _ => files::read_kernel(&path).map_err(describe),
    }
}

/// A name as text: what isn't UTF-8 or would drive a terminal is written as `\xNN`.
pub fn printable(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || c == '\\' {
                out.extend(c.to_string().bytes().map(escaped));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().copied().map(escaped));
    }
    out
}

fn escaped(byte: u8) -> String {
    format!("\\x{byte:02x}")
}

/// A name for a file or a link: letters, digits, `-`, `_` and inner dots stay, the rest is `%NN`. Different
/// names give different results.
pub fn file_name(name: &str) -> String {
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
    use std::{
        ffi::OsString,
        os::unix::{ffi::OsStringExt, fs::symlink},
    };

    use super::*;

    #[test]
    fn hostile_folders_are_read_without_harm() {
        let root = tempfile::tempdir().unwrap();
        let kernel_of = |student: &OsStr| root.path().join(student).join("03-reduction/kernel.cu");
        let strange = OsString::from_vec(b"z\xff\x1b[2J".to_vec());
        for student in [OsStr::new("ada"), OsStr::new("bob"), OsStr::new("eve"), &strange] {
            fs::create_dir_all(kernel_of(student).parent().unwrap()).unwrap();
        }
        fs::create_dir(root.path().join(".git")).unwrap();
        fs::write(root.path().join("notes.txt"), "").unwrap();
        fs::write(kernel_of(OsStr::new("ada")), "kernel").unwrap();
        symlink("../../ada/03-reduction/kernel.cu", kernel_of(OsStr::new("eve"))).unwrap();
        symlink("ada", root.path().join("mallory")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, kernel_of(&strange), rustix::fs::Mode::from_raw_mode(0o644))
            .unwrap();
        let found: Vec<String> = students(root.path())
            .unwrap()
            .iter()
            .map(|student| format!("{}: {:?}", student.name, kernel(student, "03-reduction")))
            .collect();
        insta::assert_snapshot!(found.join("\n"));
    }

    #[test]
    fn a_zip_is_a_student_and_two_submissions_of_one_are_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("ada")).unwrap();
        for file in ["bob.zip", ".eve.zip", "notes.txt"] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let names =
            |root: &Path| students(root).map(|all| all.into_iter().map(|one| one.name).collect::<Vec<_>>());
        assert_eq!(names(root.path()).unwrap(), ["ada", "bob"]);
        fs::write(root.path().join("ada.ZIP"), "").unwrap();
        let refused = names(root.path()).unwrap_err().message;
        assert!(
            refused.contains("ada and ") && refused.contains("ada.ZIP are two submissions of one"),
            "{refused}"
        );
    }

    #[test]
    fn folders_that_are_no_exercise_are_named() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["ada/03-reduction", "ada/.git", "bob/3-reduction/src", "bob/notes\u{1b}"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("ada/kernel.cu"), "kernel").unwrap();
        symlink("bob", root.path().join("eve")).unwrap();
        let students = students(root.path()).unwrap();
        assert_eq!(other_folders(&students, &["03-reduction"]), ["bob/3-reduction", "bob/notes\\x1b"]);
    }

    #[test]
    fn file_names_are_safe_and_different() {
        assert_eq!(file_name("ada.l-1"), "ada.l-1");
        assert_eq!(file_name("../é %"), "%2E.%2F%C3%A9%20%25");
        assert!(file_name(&"ü".repeat(120)).len() <= 200);
        assert_ne!(file_name(&"ü".repeat(120)), file_name(&"ü".repeat(121)));
    }
}
