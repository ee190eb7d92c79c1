//! A zip.

use std::{
    collections::BTreeSet,
    io::{self, Read, Seek},
};

use zip::{ZipArchive, result::ZipError};

use super::{Budget, Bytes, Item, Kind, Rationed, Taking, in_mib, names};
use crate::visible::one_line;

/// What begins an entry of the directory at a zip's end (APPNOTE.TXT, 4.3.12).
const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";

/// An opened zip.
pub struct Zip {
    archive: ZipArchive<Box<dyn Bytes>>,
    budget: Budget,
}

impl Zip {
    pub fn open(mut from: Box<dyn Bytes>, budget: Budget) -> Result<Self, String> {
        // The library keeps all entries in memory, and what the zip says about their number may be a lie. There are no
        // more than these marks.
        let marks = marks(&mut from, budget.items)
            .and_then(|marks| from.rewind().map(|()| marks))
            .map_err(|error| format!("can't be read: {error}"))?;
        if marks > budget.items {
            return Err(too_many(budget));
        }
        let archive = ZipArchive::new(from).map_err(|error| broken(&error))?;
        // Two programs would read two different files by the same name.
        if archive.has_duplicate_names() {
            return Err("has two entries of one name".to_owned());
        }
        if archive.len() > budget.items {
            return Err(too_many(budget));
        }
        Ok(Zip { archive, budget })
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
        let mut left = self.budget.unpacked;
        for index in wanted {
            match self.archive.by_index(*index) {
                Ok(entry) => {
                    let mut entry = Rationed { inner: entry, left, budget: self.budget.unpacked };
                    take(*index, Ok(&mut entry));
                    left = entry.left;
                    if left == 0 {
                        return Err(io::Error::other(format!(
                            "more than {} come out of it",
                            in_mib(self.budget.unpacked)
                        )));
                    }
                }
                Err(error) => take(*index, Err(io::Error::other(broken(&error)))),
            }
        }
        Ok(())
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

fn broken(error: &ZipError) -> String {
    format!("is damaged: {}", one_line(&error.to_string()))
}

/// How often the mark occurs, counted until it is too often.
fn marks(from: &mut impl Read, most: usize) -> io::Result<usize> {
    let mut buffer = vec![0; 1 << 16];
    let (mut count, mut kept) = (0, 0);
    loop {
        let read = from.read(&mut buffer[kept..])?;
        if read == 0 || count > most {
            return Ok(count);
        }
        let filled = kept + read;
        let mark = DIRECTORY_ENTRY.as_slice();
        count += buffer[..filled].windows(mark.len()).filter(|bytes| *bytes == mark).count();
        // One may lie across the border.
        kept = filled.min(mark.len() - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
}
