//! What was handed in, as a list of things with paths: a folder, a zip or a tar. Nothing of an archive is ever unpacked
//! to the disk; whoever has the list asks for the contents that it wants.
//!
//! Everything here is hostile. An archive may have paths that climb out of it, links, devices, names that are no text,
//! a hundred thousand entries, or a gigabyte of zeros in a kilobyte. So [`Budget`] bounds what is read, before it is
//! read, and a name that no honest packer writes becomes [`Kind::Hostile`] instead of a path. Knows nothing of
//! students or exercises.

mod folder;
mod names;
mod tar;
mod zip;

use std::{
    collections::BTreeSet,
    error::Error,
    fmt,
    fs::File,
    io::{self, BufReader, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

pub use self::names::printable;
use crate::files;

/// How much of one archive or folder is read at the most.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Bytes of the archive itself.
    pub packed: u64,
    /// Bytes that come out of it and out of the archives before it.
    pub unpacked: u64,
    /// How many of these came out of the archives before it.
    pub spent: u64,
    /// Files and folders of an archive; on the disk, names in the folder that holds the class.
    pub items: usize,
    /// Files and folders below each of these names on the disk.
    pub within: usize,
}

impl Budget {
    /// For all that a class has handed in. What one student hands in has limits of its own: these are a thousand times as
    /// wide, so that no few students can use them up. A list of a million takes about 400 MB.
    pub const CLASS: Budget =
        Budget { packed: 64 << 30, unpacked: 64 << 30, spent: 0, items: 1_000_000, within: 2 * MOST_ITEMS };
    /// For the archives of one student: a course's kernels are a thousandth of that.
    pub const STUDENT: Budget =
        Budget { packed: 16 << 20, unpacked: 64 << 20, spent: 0, items: MOST_ITEMS, within: 2 * MOST_ITEMS };

    /// Lets through what is left of it.
    fn ration<R: Read>(self, from: R) -> Rationed<R> {
        Rationed::new(from, self.unpacked.saturating_sub(self.spent), self.over())
    }

    /// What is said of an archive out of which more comes.
    fn over(self) -> String {
        let before = if self.spent > 0 { " and of the archives before it" } else { "" };
        format!("more than {} come out of it{before}", in_mib(self.unpacked))
    }
}

/// Of one student: an exercise has one file, and a course folder has a hundred.
pub const MOST_ITEMS: usize = 10_000;

/// A file, a folder, or what is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The names of the folders above it and its own, as printable text; different names stay different.
    pub path: Vec<String>,
    /// What it is.
    pub kind: Kind,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file that can be read.
    File,
    /// A folder.
    Folder,
    /// A link, and the path of the file to which it leads, where that is in here, too.
    Link(Option<Vec<String>>),
    /// What no kernel can be, and what it is.
    Other(String),
    /// A name that no honest packer writes, and what is wrong about it; the path is what stands before that.
    Hostile(String),
    /// A folder with more in it than one student's may have: nothing below it is listed. As a sentence.
    Full(String),
}

impl Kind {
    /// Whether something may lie below it.
    pub fn is_folder(&self) -> bool {
        matches!(self, Kind::Folder | Kind::Full(_))
    }

    /// Whether its name is one that no honest packer writes.
    pub fn is_hostile(&self) -> bool {
        matches!(self, Kind::Hostile(_))
    }
}

/// An opened place.
pub enum Source {
    /// A folder on the disk.
    Folder(folder::Folder),
    /// A zip.
    Zip(Box<zip::Zip>),
    /// A tar, compressed or not.
    Tar(tar::Tar),
}

/// What archives are read from: a file, or bytes that came out of another archive.
pub trait Bytes: Read + Seek + Send {}
impl<T: Read + Seek + Send> Bytes for T {}

/// Takes what is read of an item, or why it can't be.
pub type Taking<'a> = dyn FnMut(usize, io::Result<&mut dyn Read>) + 'a;

/// Whether what has this path is no part of what was handed in.
pub type Aside<'a> = dyn Fn(&[String]) -> bool + 'a;

/// An archive's format, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.zip`
    Zip,
    /// `.tar`
    Tar,
    /// `.tar.gz` and `.tgz`
    TarGz,
    /// One that is not read here.
    Unread(&'static str),
}

/// The formats that are read here, in words.
pub const READ_FORMATS: &str = ".zip, .tar, .tar.gz and .tgz";

/// An archive's format and its name without the ending; none where the name is no archive's.
pub fn format_of(name: &str) -> Option<(Format, &str)> {
    const ENDINGS: [(&str, Format); 11] = [
        (".zip", Format::Zip),
        (".tar", Format::Tar),
        (".tar.gz", Format::TarGz),
        (".tgz", Format::TarGz),
        (".tar.xz", Format::Unread(".tar.xz")),
        (".tar.bz2", Format::Unread(".tar.bz2")),
        (".tar.zst", Format::Unread(".tar.zst")),
        (".7z", Format::Unread(".7z")),
        (".rar", Format::Unread(".rar")),
        (".gz", Format::Unread(".gz")),
        (".xz", Format::Unread(".xz")),
    ];
    let lower = name.to_ascii_lowercase();
    let longest =
        ENDINGS.iter().filter(|(ending, _)| lower.ends_with(ending)).max_by_key(|(e, _)| e.len())?;
    Some((longest.1, name.get(..name.len() - longest.0.len())?))
}

impl Source {
    /// Opens a folder, or an archive on the disk.
    ///
    /// # Errors
    /// What is there instead, as a sentence without its subject.
    pub fn open(path: &Path, budget: Budget) -> Result<Self, String> {
        let explained = |error: io::Error| format!("can't be read: {}", files::explain(&error));
        if std::fs::metadata(path).map_err(explained)?.is_dir() {
            return Ok(Source::Folder(folder::Folder::open(path, budget).map_err(explained)?));
        }
        let name = path.file_name().map(|name| printable(name.as_encoded_bytes())).unwrap_or_default();
        let file = File::open(path).map_err(explained)?;
        if !file.metadata().map_err(explained)?.is_file() {
            return Err("is no folder and no regular file".to_owned());
        }
        Source::archive(&name, Box::new(BufReader::new(file)), budget)
    }

    /// Opens an archive that came out of another.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn of_bytes(name: &str, bytes: Vec<u8>, budget: Budget) -> Result<Self, String> {
        Source::archive(name, Box::new(Cursor::new(bytes)), budget)
    }

    fn archive(name: &str, mut from: Box<dyn Bytes>, budget: Budget) -> Result<Self, String> {
        let (format, _) =
            format_of(name).ok_or_else(|| format!("is no folder and none of {READ_FORMATS}"))?;
        let length = from.seek(SeekFrom::End(0)).and_then(|length| from.rewind().map(|()| length));
        let length = length.map_err(|error| format!("can't be read: {}", files::explain(&error)))?;
        if length > budget.packed {
            return Err(format!("has more than {}", in_mib(budget.packed)));
        }
        match format {
            Format::Zip => Ok(Source::Zip(Box::new(zip::Zip::open(from, budget)?))),
            Format::Tar => Ok(Source::Tar(tar::Tar::open(from, false, budget))),
            Format::TarGz => Ok(Source::Tar(tar::Tar::open(from, true, budget))),
            Format::Unread(ending) => Err(format!("is a {ending}; only {READ_FORMATS} are read")),
        }
    }

    /// Everything in it. The place in this list is what [`Source::read`] knows an item by. What lies `aside` is listed,
    /// too; a folder beside such things only still holds the whole class.
    ///
    /// # Errors
    /// Damage, or more than the budget allows: then nothing of it is taken.
    pub fn items(&mut self, aside: &Aside<'_>) -> Result<Vec<Item>, String> {
        match self {
            Source::Folder(folder) => folder.items(aside),
            Source::Zip(zip) => zip.items(),
            Source::Tar(tar) => tar.items(),
        }
    }

    /// Reads some of the files, in any order. Each is given to `take` once; how much of it is read is up to that.
    ///
    /// # Errors
    /// Damage that ends the reading of all of them.
    pub fn read(&mut self, wanted: &BTreeSet<usize>, take: &mut Taking<'_>) -> Result<(), String> {
        match self {
            Source::Folder(folder) => folder.read(wanted, take),
            Source::Zip(zip) => zip.read(wanted, take),
            Source::Tar(tar) => tar.read(wanted, take),
        }
        .map_err(|error| format!("can't be read: {}", why(&error)))
    }

    /// How many bytes came out of it.
    pub fn unpacked(&self) -> u64 {
        match self {
            Source::Folder(_) => 0,
            Source::Zip(zip) => zip.unpacked(),
            Source::Tar(tar) => tar.unpacked(),
        }
    }
}

/// What is said of bytes that a library can make nothing of. Its own words are about its own work.
const DAMAGED: &str = "it is damaged, or not all of it is there";

/// Why something is not read, in words of ours.
#[derive(Debug)]
struct Told(String);

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for Told {}

/// An error in words of ours.
fn told(said: String) -> io::Error {
    io::Error::other(Told(said))
}

/// Why the reading ended, for who has to fix it.
fn why(error: &io::Error) -> String {
    match told_in(error) {
        Some(Told(said)) => said.clone(),
        None if error.raw_os_error().is_some() => files::explain(error),
        None => DAMAGED.to_owned(),
    }
}

/// The words of ours that libraries have wrapped.
fn told_in<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Told> {
    let wrapped = || told_in(error.downcast_ref::<io::Error>()?.get_ref()?);
    error.downcast_ref::<Told>().or_else(wrapped).or_else(|| told_in(error.source()?))
}

fn in_mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Lets no more through than is left, and says so.
pub struct Rationed<R> {
    inner: R,
    left: u64,
    over: String,
}

impl<R> Rationed<R> {
    /// `over` says what there is too much of.
    pub fn new(inner: R, left: u64, over: String) -> Self {
        Rationed { inner, left, over }
    }

    /// How many bytes may still come.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            // The end may be exactly here.
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(told(self.over.clone())),
            };
        }
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most]).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => told(why(&error)),
        })?;
        self.left -= read as u64;
        Ok(read)
    }
}
