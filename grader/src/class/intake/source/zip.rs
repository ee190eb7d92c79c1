//! A zip.

use std::{
    collections::BTreeSet,
    io::{self, Read, Seek, SeekFrom},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use zip::{ZipArchive, result::ZipError};

use super::{Budget, Bytes, Item, Kind, Rationed, Taking, names, told};
use crate::files;

/// What begins an entry of the directory at a zip's end (APPNOTE.TXT, 4.3.12).
const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
/// While the library looks for the directory, it reads a few hundred times what may begin so by chance.
const BY_CHANCE: usize = 500;

/// An opened zip.
pub struct Zip {
    archive: ZipArchive<Counted>,
    budget: Budget,
    unpacked: u64,
}

impl Zip {
    pub fn open(from: Box<dyn Bytes>, budget: Budget) -> Result<Self, String> {
        // The library keeps all entries in memory, and what the zip says about their number may be a lie. So they are
        // counted while it reads them; what the files have in them is not.
        let left = Arc::new(AtomicUsize::new(budget.items + BY_CHANCE));
        let archive = ZipArchive::new(Counted { from, left: left.clone() });
        if left.swap(UNCOUNTED, Relaxed) == 0 {
            return Err(too_many(budget));
        }
        let archive = archive.map_err(|error| broken(&error))?;
        // Two programs would read two different files by the same name.
        if archive.has_duplicate_names() {
            return Err("has two entries of one name".to_owned());
        }
        if archive.len() > budget.items {
            return Err(too_many(budget));
        }
        Ok(Zip { archive, budget, unpacked: 0 })
    }

    pub fn items(&mut self) -> Result<Vec<Item>, String> {
        (0..self.archive.len())
            .map(|index| {
                let entry = self.archive.by_index_data(index).map_err(|error| broken(&error))?;
                let kind = match () {
                    () if entry.is_symlink() => Kind::Other("is a link".to_owned()),
                    () if entry.is_dir() => Kind::Folder,
                    () if is_special(entry.unix_mode()) => Kind::Other("is not a regular file".to_owned()),
                    () if entry.encrypted() => Kind::Other("is encrypted".to_owned()),
                    () => Kind::File,
                };
                Ok(names::entry(entry.name_raw(), b"/\\", kind))
            })
            .collect()
    }

    pub fn read(&mut self, wanted: &BTreeSet<usize>, take: &mut Taking<'_>) -> io::Result<()> {
        for index in wanted {
            match self.archive.by_index(*index) {
                Ok(entry) => {
                    let spent = self.budget.spent + self.unpacked;
                    let left = self.budget.unpacked.saturating_sub(spent);
                    let mut entry = Rationed::new(entry, left, self.budget.over());
                    take(*index, Ok(&mut entry));
                    self.unpacked += left - entry.left();
                    if entry.left() == 0 {
                        return Err(told(self.budget.over()));
                    }
                }
                Err(error) => take(*index, Err(told(broken_entry(&error)))),
            }
        }
        Ok(())
    }

    /// How many bytes came out of it.
    pub fn unpacked(&self) -> u64 {
        self.unpacked
    }
}

/// No mark is counted any more.
const UNCOUNTED: usize = usize::MAX;

/// Bytes in which the library finds no more of the directory's entries than are left; then it is 0.
struct Counted {
    from: Box<dyn Bytes>,
    left: Arc<AtomicUsize>,
}

impl Counted {
    /// The library reads an entry from its beginning.
    fn count(&self, read: &[u8]) -> io::Result<()> {
        let left = self.left.load(Relaxed);
        if left == UNCOUNTED || !read.starts_with(DIRECTORY_ENTRY) {
            return Ok(());
        }
        let left = left.saturating_sub(1);
        self.left.store(left, Relaxed);
        if left == 0 { Err(io::Error::other("too many entries")) } else { Ok(()) }
    }
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.count(&buffer[..read])?;
        Ok(read)
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.from.read_exact(buffer)?;
        self.count(buffer)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.from.seek(to)
    }
}

/// A device, a pipe or a socket, by the type in its Unix mode; none stands for a file.
fn is_special(mode: Option<u32>) -> bool {
    const TYPE: u32 = 0o170_000;
    const REGULAR: u32 = 0o100_000;
    mode.is_some_and(|mode| mode & TYPE != 0 && mode & TYPE != REGULAR)
}

fn too_many(budget: Budget) -> String {
    format!("has more than {} files", budget.items)
}

/// As a sentence without its subject, the zip.
fn broken(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) if error.raw_os_error().is_some() => {
            format!("can't be read: {}", files::explain(error))
        }
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            "is packed in a way that is not read here".to_owned()
        }
        _ => "is damaged: it is no zip, or not all of it is there".to_owned(),
    }
}

/// As a sentence about one of its files.
fn broken_entry(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) if error.raw_os_error().is_some() => files::explain(error),
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            "it is packed in a way that is not read here".to_owned()
        }
        _ => "its place in the zip is damaged".to_owned(),
    }
}
