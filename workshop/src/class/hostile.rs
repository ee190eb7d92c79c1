//! Archives that no honest student hands in: each costs the rows of its own student, and no other's.
//!

use std::{
    collections::BTreeMap,
    fs,
    io::{Cursor, Write as _},
    path::Path,
};

use zip::{CompressionMethod, ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::made::Truth;

/// What became of rows and why, by student and exercise.
pub type Rows = BTreeMap<(String, String), (Truth, String)>;

/// What a student hands in.
#[derive(Clone, Debug)]
pub struct Archive {
    /// The student, and the file's name without its ending.
    pub student: &'static str,
    /// The zip.
    pub zip: Vec<u8>,
    /// What a row says of it.
    pub said: &'static str,
}

/// One archive of each kind, with kernels for this exercise. The first would reach into the folder of a classmate.
///
/// # Errors
/// A name twice in one archive. Writing itself is to memory.
pub fn archives(classmate: &str, exercise: &str) -> ZipResult<Vec<Archive>> {
    let kernel = format!("{exercise}/kernel.cu");
    let blanks = vec![b' '; BLANKS];
    let mine = |name: String| (name, &b"// mine\n"[..]);
    let bombs = (0..BOMBS).map(|number| (format!("{exercise}/{number}.cu"), &*blanks));
    let countless = (0..100_000).map(|number| (format!("{number:x}"), &b""[..]));
    Ok(vec![
        Archive {
            student: "hostile-climbs",
            zip: zip([mine(kernel.clone()), mine(format!("../{classmate}/{kernel}"))])?,
            said: "climbs out of its folder",
        },
        Archive { student: "hostile-link", zip: link(&kernel, "/etc/passwd")?, said: "is a link" },
        Archive { student: "hostile-bomb", zip: zip(bombs)?, said: "more than 64 MiB come out of it" },
        Archive { student: "hostile-files", zip: zip(countless)?, said: "has more than 10000 files" },
    ])
}

/// Writes them beside the folders of the class.
///
/// # Errors
/// As the disk says.
pub fn write(folder: &Path, archives: &[Archive]) -> std::io::Result<()> {
    archives.iter().try_for_each(|one| fs::write(folder.join(format!("{}.zip", one.student)), &one.zip))
}

/// What the rows say of these archives that is not so.
pub fn compare(rows: &Rows, archives: &[Archive]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Archive { student, said, .. } in archives {
        let of = || rows.iter().filter(|((owner, _), _)| owner == student);
        for ((_, exercise), (truth, _)) in of() {
            if *truth != Truth::NotGradable {
                wrong.push(format!(
                    "{student}, {exercise} (a hostile archive): should be NotGradable, is {truth:?}"
                ));
            }
        }
        if !of().any(|(_, (_, why))| why.contains(said)) {
            wrong.push(format!("{student} (a hostile archive): no row says that it {said}"));
        }
    }
    wrong
}

/// Files of the bomb, and blanks in each: less than the longest kernel that is read, and together more than an archive may
/// hold.
const BOMBS: usize = 70;
const BLANKS: usize = 1_000_000;

fn zip<'a>(files: impl IntoIterator<Item = (String, &'a [u8])>) -> ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, options)?;
        archive.write_all(content)?;
    }
    Ok(archive.finish()?.into_inner())
}

fn link(name: &str, target: &str) -> ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.add_symlink(name, target, SimpleFileOptions::default())?;
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_small_and_so_is_what_has_too_many_files() {
        let archives = archives("student-000", "03-reduction").unwrap();
        let megabytes: Vec<usize> = archives.iter().map(|archive| archive.zip.len() >> 20).collect();
        assert!(megabytes.iter().all(|megabytes| *megabytes < 10), "{megabytes:?}");
        const { assert!(BOMBS * BLANKS > 64 << 20 && BLANKS < 1 << 20) };
        let climbs = String::from_utf8_lossy(&archives[0].zip).into_owned();
        assert_eq!(climbs.matches("../student-000/03-reduction/kernel.cu").count(), 2);
    }

    #[test]
    fn a_row_that_says_something_else_is_found() {
        let archives = [Archive { student: "eve", zip: Vec::new(), said: "climbs" }];
        let rows = |all: &[(&str, &str, Truth, &str)]| -> Rows {
            let row = |(student, exercise, truth, why): &(&str, &str, Truth, &str)| {
                (((*student).to_owned(), (*exercise).to_owned()), (*truth, (*why).to_owned()))
            };
            all.iter().map(row).collect()
        };
        let ada = ("ada", "03", Truth::Passed, "");
        let good = rows(&[ada, ("eve", "03", Truth::NotGradable, "it climbs out")]);
        assert_eq!(compare(&good, &archives), Vec::<String>::new());
        let passed = rows(&[
            ada,
            ("eve", "03", Truth::NotGradable, "it climbs out"),
            ("eve", "04", Truth::Passed, ""),
        ]);
        assert!(compare(&passed, &archives)[0].starts_with("eve, 04 (a hostile archive)"));
        let damaged = rows(&[ada, ("eve", "03", Truth::NotGradable, "is damaged")]);
        assert_eq!(compare(&damaged, &archives), ["eve (a hostile archive): no row says that it climbs"]);
        assert_eq!(compare(&rows(&[ada]), &archives).len(), 1, "what has no row is no student");
    }
}
