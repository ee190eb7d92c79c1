//! A folder on the disk.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{Aside, Budget, Item, Kind, Taking, printable, told};
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

    pub fn items(&mut self, aside: &Aside<'_>) -> Result<Vec<Item>, String> {
        self.paths.clear();
        let mut items: Vec<Item> = Vec::new();
        let (mut folder, mut above) = (self.root.clone(), Vec::<String>::new());
        // The class lies in the first folder that has more in it than one folder.
        let mut holding: Vec<usize> = Vec::new();
        loop {
            let Names { names, trouble } = names_in(&folder, self.budget.items);
            match (trouble, holding.last()) {
                (Some(why), None) => return Err(why),
                (Some(why), Some(index)) => items[*index].kind = Kind::Other(why),
                (None, _) => {}
            }
            if names.len() > self.budget.items {
                return Err(format!("has more than {} files", self.budget.items));
            }
            let begin = items.len();
            self.add(&folder, &above, names, &mut items);
            let mut counted = (begin..items.len()).filter(|index| !aside(&items[*index].path));
            match (counted.next(), counted.next()) {
                (Some(only), None) if items[only].kind == Kind::Folder && above.len() + 1 < DEEPEST => {
                    holding.push(only);
                    (folder, above) = (self.paths[only].clone(), items[only].path.clone());
                }
                _ => break,
            }
        }
        for top in 0..items.len() {
            if items[top].kind == Kind::Folder && !holding.contains(&top) {
                self.whole(top, &mut items);
            }
        }
        Ok(items)
    }

    /// Lists everything below a folder of the class, or says that it is too much.
    fn whole(&mut self, top: usize, items: &mut Vec<Item>) {
        let begin = items.len();
        let mut next = top;
        // Folders come after those that they lie in.
        loop {
            if items[next].kind == Kind::Folder {
                let left = self.budget.within - (items.len() - begin);
                if !self.list(next, left, items) {
                    items.truncate(begin);
                    self.paths.truncate(begin);
                    let place = items[top].path.join("/");
                    items[top].kind =
                        Kind::Full(format!("{place} has more than {} files", self.budget.within));
                    return;
                }
            }
            next = if next == top { begin } else { next + 1 };
            if next >= items.len() {
                return;
            }
        }
    }

    /// Lists what lies in a folder that is in the list already; not where it is more than `most`.
    fn list(&mut self, index: usize, most: usize, items: &mut Vec<Item>) -> bool {
        let above = items[index].path.clone();
        if above.len() >= DEEPEST {
            items[index].kind = Kind::Other("is a folder that lies deeper than any course folder".to_owned());
            return true;
        }
        let folder = self.paths[index].clone();
        let Names { names, trouble } = names_in(&folder, most);
        if let Some(why) = trouble {
            items[index].kind = Kind::Other(why);
        }
        if names.len() > most {
            return false;
        }
        self.add(&folder, &above, names, items);
        true
    }

    fn add(&mut self, folder: &Path, above: &[String], names: Vec<OsString>, items: &mut Vec<Item>) {
        for name in names {
            let file = folder.join(&name);
            let mut path = above.to_vec();
            path.push(printable(name.as_bytes()));
            items.push(Item { path, kind: self.kind(&file) });
            self.paths.push(file);
        }
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

/// What was found in a folder.
struct Names {
    /// The names in order, no more than one above the limit.
    names: Vec<OsString>,
    /// Why they may not be all.
    trouble: Option<String>,
}

fn names_in(folder: &Path, most: usize) -> Names {
    match fs::read_dir(folder) {
        Ok(entries) => names_of(entries.map(|entry| Ok(entry?.file_name())), most),
        Err(error) => {
            let trouble = Some(format!("can't be read: {}", files::explain(&error)));
            Names { names: Vec::new(), trouble }
        }
    }
}

fn names_of(entries: impl Iterator<Item = io::Result<OsString>>, most: usize) -> Names {
    let mut names = Vec::new();
    let mut trouble = None;
    for entry in entries.take(most + 1) {
        match entry {
            Ok(name) => names.push(name),
            Err(error) => {
                trouble = Some(format!("can't be read to its end: {}", files::explain(&error)));
                break;
            }
        }
    }
    // The file system's order is no order.
    names.sort();
    Names { names, trouble }
}

/// Since it was listed it may have become something that waits for ever; opened so, it does no harm.
fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(told("not a regular file".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(root: &Path, budget: Budget, aside: &Aside<'_>) -> Result<Vec<String>, String> {
        let items = Folder::open(root, budget).unwrap().items(aside)?;
        let said = |item: Item| match item.kind {
            Kind::Full(why) => why,
            _ => item.path.join("/"),
        };
        Ok(items.into_iter().map(said).collect())
    }

    fn write(root: &Path, path: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }

    /// What one folder of the class has too much of costs that one, however many do so.
    #[test]
    fn a_full_folder_costs_itself() {
        let budget = Budget { items: 8, within: 20, ..Budget::CLASS };
        for holding in ["", "all/", "all/of/"] {
            let root = tempfile::tempdir().unwrap();
            let root = root.path();
            write(root, &format!("{holding}ada/03-reduction/kernel.cu"));
            for number in 0..21 {
                for eve in ["eve", "eve-2", "eve-3", "eve-4/a/b"] {
                    write(root, &format!("{holding}{eve}/{number}"));
                }
            }
            // A roster beside the folder that holds the class.
            write(root, "roster.csv");
            let listed = items(root, budget, &|path| path == ["roster.csv"]).unwrap();
            let has = |path: &str| listed.contains(&format!("{holding}{path}"));
            assert!(has("ada/03-reduction/kernel.cu"), "{listed:?}");
            for eve in ["eve", "eve-2", "eve-3", "eve-4"] {
                assert!(has(&format!("{eve} has more than 20 files")), "{listed:?}");
                assert!(!has(&format!("{eve}/0")), "{listed:?}");
            }
        }
    }

    #[test]
    fn the_folder_that_holds_the_class_has_a_limit_too() {
        let root = tempfile::tempdir().unwrap();
        (0..9).for_each(|number| write(root.path(), &format!("{number}.cu")));
        let of = |most| items(root.path(), Budget { items: most, ..Budget::CLASS }, &|_| false);
        assert_eq!(of(9).unwrap().len(), 9);
        assert_eq!(of(8).unwrap_err(), "has more than 8 files");
    }

    /// What the system can't list is not dropped without a word.
    #[test]
    fn names_that_cannot_be_read_are_told() {
        let broken = || io::Error::from_raw_os_error(5);
        let entries = [Ok("b".into()), Ok("a".into()), Err(broken())];
        let found = names_of(entries.into_iter(), 9);
        assert_eq!(found.names, ["a", "b"]);
        assert_eq!(found.trouble, Some(format!("can't be read to its end: {}", files::explain(&broken()))));
        let whole = names_of([Ok("b".into()), Ok("a".into()), Ok("c".into())].into_iter(), 1);
        assert_eq!((whole.names.len(), whole.trouble), (2, None));
    }
}
