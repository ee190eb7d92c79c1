//! A folder on the disk.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{Budget, Item, Kind, Taking, printable};
use crate::files;

/// Deeper folders are nobody's course folder.
const DEEPEST: usize = 32;

/// A folder, and what was found below it.
pub struct Folder {
    root: PathBuf,
    budget: Budget,
    paths: Vec<PathBuf>,
}

impl Folder {
    /// Opens it.
    pub fn open(root: &Path, budget: Budget) -> io::Result<Self> {
        // That it can be listed is asked here, so that it is the class's trouble and not a student's.
        fs::read_dir(root)?;
        Ok(Folder { root: root.canonicalize()?, budget, paths: Vec::new() })
    }

    pub fn items(&mut self) -> Result<Vec<Item>, String> {
        self.paths.clear();
        let mut items = Vec::new();
        let root = self.root.clone();
        self.below(&root, &[], &mut items)?;
        Ok(items)
    }

    fn below(&mut self, folder: &Path, above: &[String], items: &mut Vec<Item>) -> Result<(), String> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                // It is in the list already, as a folder; now as one that can't be read.
                let why = format!("can't be read: {}", files::explain(&error));
                if let Some(item) = items.iter_mut().rev().find(|item| item.path == above) {
                    item.kind = Kind::Other(why);
                }
                return Ok(());
            }
        };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        // The file system's order is no order.
        names.sort();
        for name in names {
            if items.len() >= self.budget.items {
                return Err(format!("has more than {} files", self.budget.items));
            }
            let file = folder.join(&name);
            let mut path = above.to_vec();
            path.push(printable(name.as_bytes()));
            let kind = self.kind(&file);
            let goes_on = kind == Kind::Folder;
            let deep = path.len();
            items.push(Item { path: path.clone(), kind });
            self.paths.push(file.clone());
            if goes_on && deep < DEEPEST {
                self.below(&file, &path, items)?;
            }
        }
        Ok(())
    }

    fn kind(&self, file: &Path) -> Kind {
        let kind = match fs::symlink_metadata(file) {
            Ok(data) => data.file_type(),
            Err(error) => return Kind::Other(format!("can't be read: {}", files::explain(&error))),
        };
        match () {
            () if kind.is_dir() => Kind::Folder,
            () if kind.is_file() => Kind::File,
            () if kind.is_symlink() => self.link(file),
            () if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() => {
                Kind::Other("is not a regular file".to_owned())
            }
            () => Kind::Other("is nothing that this program knows".to_owned()),
        }
    }

    fn link(&self, file: &Path) -> Kind {
        let target = match file.canonicalize() {
            Ok(target) => target,
            // A loop, or nothing there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Kind::Other("is a link to nothing".to_owned());
            }
            Err(error) => return Kind::Other(format!("can't be read: {}", files::explain(&error))),
        };
        let inside = target.strip_prefix(&self.root).ok().filter(|_| target.is_file());
        Kind::Link(inside.map(|path| path.iter().map(|name| printable(name.as_bytes())).collect()))
    }

    pub fn read(&mut self, wanted: &BTreeSet<usize>, take: &mut Taking<'_>) -> io::Result<()> {
        for index in wanted {
            let Some(path) = self.paths.get(*index) else { continue };
            match open(path) {
                Ok(mut file) => take(*index, Ok(&mut file)),
                Err(error) => take(*index, Err(error)),
            }
        }
        Ok(())
    }
}

/// Since it was listed it may have become something that waits for ever; opened so, it does no harm.
fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}
