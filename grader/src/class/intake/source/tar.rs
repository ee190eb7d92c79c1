//! A tar, compressed by gzip or not. It is read from its beginning for every question, since it has no directory.

use std::{
    collections::BTreeSet,
    io::{self, Read},
};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::{Budget, Bytes, Item, Kind, Taking, names, told, why};

/// Takes an entry: its place among the entries, its name, what it is, and its content.
type Visit<'a> = dyn FnMut(usize, &[u8], Kind, &mut dyn Read) -> io::Result<()> + 'a;

/// An opened tar.
pub struct Tar {
    from: Box<dyn Bytes>,
    gzip: bool,
    budget: Budget,
    unpacked: u64,
}

impl Tar {
    pub fn open(from: Box<dyn Bytes>, gzip: bool, budget: Budget) -> Self {
        Tar { from, gzip, budget, unpacked: 0 }
    }

    pub fn items(&mut self) -> Result<Vec<Item>, String> {
        let budget = self.budget;
        let mut items = Vec::new();
        let listed = self.each(&mut |_, name, kind, _| {
            if items.len() >= budget.items {
                return Err(told(format!("it has more than {} files", budget.items)));
            }
            items.push(names::entry(name, b"/", kind));
            Ok(())
        });
        listed.map_err(|error| format!("can't be read: {}", why(&error)))?;
        // Two programs would read two different files by the same name.
        let mut files = BTreeSet::new();
        let is_new = |item: &Item| item.kind == Kind::Folder || files.insert(item.path.clone());
        let is_hostile = |item: &Item| matches!(item.kind, Kind::Hostile(_));
        if !items.iter().filter(|item| !is_hostile(item)).all(is_new) {
            return Err("has two entries of one name".to_owned());
        }
        Ok(items)
    }

    pub fn read(&mut self, wanted: &BTreeSet<usize>, take: &mut Taking<'_>) -> io::Result<()> {
        self.each(&mut |index, _, _, entry| {
            if wanted.contains(&index) {
                take(index, Ok(entry));
            }
            Ok(())
        })
    }

    /// How many bytes came out of it, when most did.
    pub fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Every entry that is one, in order.
    fn each(&mut self, visit: &mut Visit<'_>) -> io::Result<()> {
        self.from.rewind()?;
        let from: Box<dyn Read + '_> = match self.gzip {
            true => Box::new(MultiGzDecoder::new(&mut self.from)),
            false => Box::new(&mut self.from),
        };
        let mut from = self.budget.ration(from);
        let before = from.left();
        let visited = each_of(&mut Archive::new(&mut from), visit);
        self.unpacked = self.unpacked.max(before - from.left());
        visited
    }
}

fn each_of(archive: &mut Archive<impl Read>, visit: &mut Visit<'_>) -> io::Result<()> {
    let mut index = 0;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let Some(kind) = kind(entry.header().entry_type()) else { continue };
        let name = entry.path_bytes().into_owned();
        visit(index, &name, kind, &mut entry)?;
        index += 1;
    }
    Ok(())
}

/// None for what says something about other entries.
fn kind(entry: EntryType) -> Option<Kind> {
    Some(match entry {
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => Kind::File,
        EntryType::Directory => Kind::Folder,
        EntryType::Symlink => Kind::Other("is a link".to_owned()),
        EntryType::Link => Kind::Other("is a hard link".to_owned()),
        EntryType::Char | EntryType::Block | EntryType::Fifo => {
            Kind::Other("is not a regular file".to_owned())
        }
        EntryType::XGlobalHeader | EntryType::XHeader | EntryType::GNULongName | EntryType::GNULongLink => {
            return None;
        }
        _ => Kind::Other("is nothing that this program knows".to_owned()),
    })
}
