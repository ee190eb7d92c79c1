//! A submission in a zip, as `grader submit` packs it. Nothing of it is unpacked: one entry is read, and no more of it than a
//! kernel can be.

use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use zip::{ZipArchive, result::ZipError};

use crate::{
    files::{self, Unreadable},
    visible::one_line,
};

/// A course's kernels are a thousandth of that.
const GREATEST_ARCHIVE: u64 = 64 << 20;
/// An archive has an entry for each exercise and a few besides.
const MOST_ENTRIES: usize = 10_000;

/// Reads a kernel out of a student's zip.
///
/// # Errors
/// Why it isn't gradable.
pub fn kernel(archive: &Path, exercise: &str) -> Result<String, String> {
    let refused = |error: std::io::Error| format!("the zip can't be read: {}", files::explain(&error));
    let is_file = archive.metadata().map_err(refused)?.is_file();
    if !is_file {
        return Err("the zip is not a regular file".to_owned());
    }
    let file = File::open(archive).map_err(refused)?;
    if file.metadata().map_err(refused)?.len() > GREATEST_ARCHIVE {
        return Err(format!("the zip has more than {} MiB", GREATEST_ARCHIVE >> 20));
    }
    // It may grow while it is read, and then is none any more.
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    if archive.len() > MOST_ENTRIES {
        return Err(format!("the zip has more than {MOST_ENTRIES} entries"));
    }
    let name = format!("{exercise}/kernel.cu");
    let entry = match archive.by_name(&name) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Err(format!("no {name}")),
        Err(error) => return Err(broken(&error)),
    };
    if !entry.is_file() {
        return Err(format!("{name} is not a regular file in the zip"));
    }
    text(entry, &name)
}

fn text(entry: impl Read, name: &str) -> Result<String, String> {
    files::read_kernel_from(entry).map_err(|error| match error {
        Unreadable::Missing => format!("no {name}"),
        Unreadable::Unusable(found, _) => format!("{name} is {found}"),
        Unreadable::Refused(why) => format!("{name} can't be read: {}", one_line(&why)),
    })
}

fn broken(error: &ZipError) -> String {
    format!("the zip is damaged: {}", one_line(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write, path::PathBuf};

    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    use super::*;

    const EXERCISE: &str = "03-reduction";

    /// An archive with these entries.
    fn archive(folder: &Path, fill: impl FnOnce(&mut ZipWriter<File>)) -> PathBuf {
        let path = folder.join("ada.zip");
        let mut archive = ZipWriter::new(File::create(&path).unwrap());
        fill(&mut archive);
        archive.finish().unwrap();
        path
    }

    #[test]
    fn hostile_archives_are_read_without_harm() {
        let folder = tempfile::tempdir().unwrap();
        let options = || SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let with = |name: &str, content: &[u8]| {
            let path = archive(folder.path(), |archive| {
                archive.start_file(name, options()).unwrap();
                archive.write_all(content).unwrap();
            });
            kernel(&path, EXERCISE)
        };
        let name = format!("{EXERCISE}/kernel.cu");
        let mut said = vec![
            ("a kernel", with(&name, b"// mine\n")),
            ("climbs", with("../03-reduction/kernel.cu", b"// mine\n")),
            ("another", with("04-synchronization/kernel.cu", b"// mine\n")),
            ("no text", with(&name, b"caf\xe9")),
            ("empty", with(&name, b"\n")),
            // A gigabyte of zeros in a megabyte: a little more than a kernel is unpacked.
            ("bomb", {
                let path = archive(folder.path(), |archive| {
                    archive.start_file(&*name, options().large_file(true)).unwrap();
                    let zeros = vec![b' '; 1 << 20];
                    (0..1024).for_each(|_| archive.write_all(&zeros).unwrap());
                });
                kernel(&path, EXERCISE)
            }),
            ("a link", {
                let path = archive(folder.path(), |archive| {
                    archive.add_symlink(&*name, "/etc/passwd", options()).unwrap()
                });
                kernel(&path, EXERCISE)
            }),
            ("a folder", {
                let path =
                    archive(folder.path(), |archive| archive.add_directory(&*name, options()).unwrap());
                kernel(&path, EXERCISE)
            }),
            ("many entries", {
                let path = archive(folder.path(), |archive| {
                    (0..=MOST_ENTRIES)
                        .for_each(|entry| archive.start_file(entry.to_string(), options()).unwrap());
                });
                kernel(&path, EXERCISE)
            }),
        ];
        // Cut off, changed, and none at all.
        with(&name, b"// mine, and so long that it is worth to be cut off in the middle of it\n").unwrap();
        let path = folder.path().join("ada.zip");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        said.push(("cut off", kernel(&path, EXERCISE)));
        let mut changed = whole.clone();
        let stored = whole.windows(7).position(|bytes| bytes == b"kernel.").unwrap() + 16;
        changed[stored] ^= 0xff;
        fs::write(&path, &changed).unwrap();
        assert!(kernel(&path, EXERCISE).is_err());
        fs::write(&path, "hello").unwrap();
        said.push(("no zip", kernel(&path, EXERCISE)));
        fs::remove_file(&path).unwrap();
        said.push(("gone", kernel(&path, EXERCISE)));
        let said: Vec<String> = said.iter().map(|(what, said)| format!("{what}: {said:?}")).collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
