//! Reading and writing files safely: kernels from people one doesn't trust, results
//! that are never half-written.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    path::Path,
};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::{
    exit::Trouble,
    signals,
    visible::{one_line, shown},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat, openat},
    io::Errno,
};

/// A kernel is a page or two; a bigger file is a mistake or an attack.
const GREATEST_KERNEL: u64 = 1 << 20;
/// A thousand students with a year's columns are a tenth of it.
const GREATEST_TABLE: u64 = 32 << 20;

/// Why a kernel can't be read. The texts say what was found and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing is there.
    Missing,
    /// Something is there that isn't a readable text file: what, and what to do.
    Unusable(String, String),
    /// The system refuses to read it: why.
    Refused(String),
}

/// What to do about a course folder's kernel that is no text of one: the step, or to begin with the stub again.
pub fn or_reset(next: &str, kernel: &Path) -> String {
    let folder = kernel.parent().and_then(Path::file_name).unwrap_or_default();
    let id = one_line(&folder.to_string_lossy());
    format!("{next}, or set the file aside for the stub by `grader reset {id}`")
}

/// What to do where a file can't be read.
pub const MAKE_READABLE: &str = "make it and the folders above it readable for you";

/// What editors on Windows put before UTF-8 text, and NVRTC does not take for text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a kernel, as [`read_text`] does.
///
/// # Errors
/// What is there instead.
pub fn read_kernel(path: &Path) -> Result<String, Unreadable> {
    not_empty(read_text(path, KERNEL, "put the kernel's file there")?)
}

/// Reads a kernel that is no file of its own, in the same way.
///
/// # Errors
/// What is there instead.
pub fn read_kernel_from(from: impl Read) -> Result<String, Unreadable> {
    not_empty(text_from(from, GREATEST_KERNEL, OF_A_KERNEL)?)
}

/// What errors call a kernel.
const KERNEL: &str = "a kernel";
/// What is wrong about one that is too big.
const OF_A_KERNEL: &str = "a kernel is a page or two of text";

fn not_empty(kernel: String) -> Result<String, Unreadable> {
    if kernel.trim().is_empty() {
        return Err(Unreadable::Unusable("empty".to_owned(), "write the kernel there".to_owned()));
    }
    Ok(kernel)
}

/// Reads a text that people write, without the byte order mark that may stand before it. Never waits for a FIFO, never
/// opens a device, never reads more than such a text can be. `what` it is and what to put there are for the errors.
///
/// # Errors
/// What is there instead.
pub fn read_text(path: &Path, what: &str, put_there: &str) -> Result<String, Unreadable> {
    read_up_to(path, GREATEST_KERNEL, &format!("{what} is a page or two of text"), put_there)
}

/// Reads a table that an LMS has exported, in the same way.
///
/// # Errors
/// What is there instead.
pub fn read_table(path: &Path, put_there: &str) -> Result<String, Unreadable> {
    read_up_to(path, GREATEST_TABLE, "export fewer columns, or fewer students at a time", put_there)
}

/// Reads a text; `too_much` is what to do where it is longer.
fn read_up_to(path: &Path, most: u64, too_much: &str, put_there: &str) -> Result<String, Unreadable> {
    let unusable = |found: &str, next: &str| Err(Unreadable::Unusable(found.to_owned(), next.to_owned()));
    let kind = match fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(Unreadable::Missing);
        }
        Err(error) => return Err(Unreadable::Refused(explain(&error))),
    };
    if kind.is_dir() {
        return unusable("a folder, not a file", put_there);
    }
    if !kind.is_file() {
        return unusable("not a regular file", put_there);
    }
    // Between the look and the opening it may have become a FIFO; non-blocking, it does no harm.
    let opened = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) => return Err(Unreadable::Refused(explain(&error))),
    };
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        _ => return unusable("not a regular file", put_there),
    }
    text_from(file, most, too_much)
}

fn text_from(from: impl Read, most: u64, too_much: &str) -> Result<String, Unreadable> {
    let unusable = |found: &str, next: &str| Err(Unreadable::Unusable(found.to_owned(), next.to_owned()));
    let mut bytes = Vec::new();
    if let Err(error) = from.take(most + 1).read_to_end(&mut bytes) {
        return Err(Unreadable::Refused(explain(&error)));
    }
    if bytes.len() as u64 > most {
        return unusable(&format!("more than {} MiB", most >> 20), too_much);
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
                .iter()
                .filter(|b| **b == b'\n')
                .count();
            return unusable(
                &format!("not UTF-8 text: line {line} has other bytes"),
                "save the file as UTF-8",
            );
        }
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    if text.contains('\0') {
        return unusable("not text: it has NUL bytes", "save the file as UTF-8");
    }
    Ok(text)
}

/// Writes a file so that a reader sees the old content or the new, never a part, also after a power cut.
///
/// Until it is complete the file has no name, so that a killed process leaves nothing behind. Where the file
/// system can't do that, and for an instant where an old file is replaced, it has the name of a part;
/// [`sweep`] removes such names. A signal that can be waited for waits until all is done.
///
/// # Errors
/// As `std::fs`; the old content is then still there.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let _whole = signals::whole();
    let folder = folder_of(path);
    let kept = |part: NamedTempFile| part.persist(path).map(drop).map_err(|error| error.error);
    write_whole(folder, content, |nameless| name(nameless, path, folder), kept)?;
    File::open(folder)?.sync_all()
}

/// Writes a new file so that it is there whole or not at all, and never over one that is there.
///
/// # Errors
/// As `std::fs`: `AlreadyExists` where something has the name.
pub fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let _whole = signals::whole();
    let kept = |part: NamedTempFile| part.persist_noclobber(path).map(drop).map_err(|error| error.error);
    write_whole(folder_of(path), content, |nameless| Ok(link(nameless, path)?), kept)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file that has no name, and gives it one; where the file system has only files with names, as network file
/// systems and old overlays do, it writes a part and keeps that.
fn write_whole(
    folder: &Path,
    content: &[u8],
    name: impl FnOnce(&File) -> io::Result<()>,
    keep: impl FnOnce(NamedTempFile) -> io::Result<()>,
) -> io::Result<()> {
    // As the shell would make it, and for everyone whom the folder is for; temporary files are for nobody else.
    let mode = Mode::from_raw_mode(0o644);
    let complete = |file: &File| -> io::Result<()> {
        (&*file).write_all(content)?;
        file.sync_all()?;
        Ok(fchmod(file, mode)?)
    };
    match openat(CWD, folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, mode) {
        Ok(nameless) => {
            let file = File::from(nameless);
            complete(&file)?;
            name(&file)
        }
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
            let part = tempfile::Builder::new().prefix(".").suffix(PART).tempfile_in(folder)?;
            complete(part.as_file())?;
            keep(part)
        }
        Err(error) => Err(error.into()),
    }
}

/// How the name of an incomplete file ends; it begins with a dot.
const PART: &str = ".part";

/// Gives a file without a name its own, in one step where nothing has it yet, else in two.
fn name(file: &File, path: &Path, folder: &Path) -> io::Result<()> {
    match link(file, path) {
        Err(Errno::EXIST) => {
            let known = path.file_name().unwrap_or_default().to_string_lossy();
            let part = folder.join(format!(".{known}.{}{PART}", std::process::id()));
            if let Err(error) = fs::remove_file(&part)
                && error.kind() != ErrorKind::NotFound
            {
                return Err(error);
            }
            link(file, &part)?;
            fs::rename(&part, path)
        }
        linked => Ok(linked?),
    }
}

/// Gives a file without a name this one; [`Errno::EXIST`] where something has it.
fn link(file: &File, to: &Path) -> rustix::io::Result<()> {
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &*nameless, CWD, to, AtFlags::SYMLINK_FOLLOW)
}

/// Removes what processes that were killed left of files in this folder and those below it. Only for folders
/// in which nobody else writes now. What can't be removed stays.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => sweep(&entry.path()),
            Ok(kind) if kind.is_file() && name.starts_with('.') && name.ends_with(PART) => {
                let _ = fs::remove_file(entry.path());
            }
            _ => {}
        }
    }
}

/// Writes a file of the checkout whole, and the folders above it where they are missing.
///
/// # Errors
/// A judge error that names the file and the next step.
pub fn save(path: &Path, content: &[u8]) -> crate::exit::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| write_atomically(path, content)).map_err(
        |error| {
            Trouble::judge(
                format!("could not write {}: {}", shown(path), explain(&error)),
                "free the disk or mend the folder's permissions, or write elsewhere",
            )
        },
    )
}

/// The same for data, as JSON that people can read.
///
/// # Errors
/// As [`save`].
pub fn save_json(path: &Path, data: &impl Serialize) -> crate::exit::Result<()> {
    let text = serde_json::to_vec_pretty(data);
    let text = text
        .map_err(|error| Trouble::judge(format!("could not write JSON: {error}"), "report this as a bug"))?;
    save(path, &text)
}

/// An I/O error in the words of someone who has to fix it.
pub fn explain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "not found".to_owned(),
        ErrorKind::NotADirectory => "a file stands where a folder should be".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        ErrorKind::FileTooLarge => "the file would exceed the size that is allowed (`ulimit -f`)".to_owned(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        // What the standard library says of a text that it was to read.
        ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_text_of_other_bytes_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("latin1");
        fs::write(&path, b"caf\xe9").unwrap();
        assert_eq!(explain(&fs::read_to_string(&path).unwrap_err()), "it is not UTF-8 text");
    }

    #[test]
    fn what_is_not_a_kernel_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("empty"), " \n").unwrap();
        fs::write(at("latin1"), b"// ok\n// caf\xe9\n").unwrap();
        fs::write(at("binary"), b"a\0b").unwrap();
        rustix::fs::mkfifoat(CWD, at("fifo"), Mode::from_raw_mode(0o644)).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        symlink("loop", at("loop")).unwrap();
        File::create(at("huge")).unwrap().set_len(1 << 30).unwrap();
        let found = [
            "missing",
            "folder/x/y",
            "folder",
            "empty",
            "latin1",
            "binary",
            "fifo",
            "device",
            "loop",
            "huge",
        ]
        .map(|name| format!("{name:<10} {:?}", read_kernel(&at(name)).unwrap_err()));
        insta::assert_snapshot!(found.join("\n"));
    }

    #[test]
    fn writing_replaces_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_atomically(&folder.path().join("missing/a"), b"one").is_err());
    }

    #[test]
    fn a_new_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_new(&path, b"one").unwrap();
        assert_eq!(write_new(&path, b"two").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        symlink("nowhere", folder.path().join("b")).unwrap();
        assert_eq!(write_new(&folder.path().join("b"), b"two").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.cu");
        fs::write(&path, b"\xef\xbb\xbf// one\n").unwrap();
        assert_eq!(read_kernel(&path).as_deref(), Ok("// one\n"));
        fs::write(&path, b"\xef\xbb\xbf").unwrap();
        assert!(matches!(read_kernel(&path), Err(Unreadable::Unusable(found, _)) if found == "empty"));
    }

    #[test]
    fn what_was_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        for name in [".a.json.17.part", "below/.tmpXyZ.part", "a.part", ".hidden", "below/a.json"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        symlink("a.part", folder.path().join(".link.part")).unwrap();
        sweep(folder.path());
        let mut left: Vec<String> = ["", "below"]
            .iter()
            .flat_map(|below| fs::read_dir(folder.path().join(below)).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [".hidden", ".link.part", "a.json", "a.part", "below"]);
    }
}
