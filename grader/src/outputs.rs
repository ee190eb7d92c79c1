//! Files that people name for a command to write: what may stand there already, and what is never written over.
//!
//! A command replaces what it has written there before, and an empty file. Whatever else is there is somebody's. All of
//! this is found out before anything is judged for the file's sake. What an earlier file looks like is the command's to say.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use crate::{
    exit::{Result, Trouble},
    files::explain,
    visible::{quoted, shown},
};

/// A file to write, and who asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// What names it, such as the option `--plot`.
    pub option: &'a str,
    /// Where.
    pub path: &'a Path,
    /// What is written there, such as `plot`.
    pub what: &'a str,
}

impl Output<'_> {
    /// Refuses what can't be written, and what must not be written over.
    ///
    /// # Errors
    /// Wrong usage: the name ends in something else, a folder is missing or refuses, or something is there that isn't an
    /// earlier one of these.
    pub fn require(&self, ending: &str, is_earlier: impl FnOnce(&Path) -> bool) -> Result<()> {
        self.require_ending(ending)?;
        self.require_folder()?;
        if self.path.is_dir() {
            return Err(self.refused("it is a folder", "name a file"));
        }
        self.require_free(is_earlier)?;
        tempfile::tempfile_in(folder_of(self.path))
            .map(drop)
            .map_err(|error| self.refused(&explain(&error), "save to a folder that exists and is writable"))
    }

    /// Refuses a name that ends in something else.
    ///
    /// # Errors
    /// Wrong usage.
    pub fn require_ending(&self, ending: &str) -> Result<()> {
        let is_so = |found: &std::ffi::OsStr| found.eq_ignore_ascii_case(ending);
        match self.path.extension().is_some_and(is_so) {
            true => Ok(()),
            false => Err(Trouble::usage(
                format!("{} {}: expected a name that ends in .{ending}", self.option, shown(self.path)),
                format!("name another file, such as {}", shown(self.path.with_extension(ending))),
            )),
        }
    }

    /// Refuses a file in a folder that isn't there, or is none.
    ///
    /// # Errors
    /// Wrong usage; where nothing is there, with the command that makes the folder.
    pub fn require_folder(&self) -> Result<()> {
        let folder = folder_of(self.path);
        match fs::metadata(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let make = format!("make its folder first: mkdir -p {}", quoted(folder));
                Err(self.refused(&explain(&error), &make))
            }
            Ok(there) if !there.is_dir() => {
                Err(self.refused(&explain(&ErrorKind::NotADirectory.into()), "name a folder that is one"))
            }
            // Who may not look there is told what the system says when it is written.
            _ => Ok(()),
        }
    }

    /// Refuses to write over what isn't an earlier one of these.
    ///
    /// # Errors
    /// Wrong usage.
    pub fn require_free(&self, is_earlier: impl FnOnce(&Path) -> bool) -> Result<()> {
        if fs::symlink_metadata(self.path).is_err() {
            return Ok(());
        }
        // To open a FIFO would wait for whoever writes to it.
        let file = fs::metadata(self.path).ok().filter(fs::Metadata::is_file);
        match file.is_some_and(|file| file.len() == 0 || is_earlier(self.path)) {
            true => Ok(()),
            false => Err(Trouble::usage(
                format!("{} is there already, and is no {}", shown(self.path), self.what),
                format!("move it away, or name another file by {}", self.option),
            )),
        }
    }

    fn refused(&self, why: &str, next: &str) -> Trouble {
        let (option, path) = (self.option, shown(self.path));
        Trouble::usage(format!("{option} {path}: could not write there: {why}"), next)
    }
}

/// How a file begins: as many bytes as that, or as it has; none where it can't be read.
pub fn beginning(path: &Path, bytes: u64) -> Vec<u8> {
    let mut found = Vec::new();
    // What can't be read is nobody's own.
    let _ = File::open(path).and_then(|file| file.take(bytes).read_to_end(&mut found));
    found
}

/// Whether two names are of one file, also where it isn't there yet.
pub fn are_one(one: &Path, other: &Path) -> bool {
    let named = |path: &Path| path.file_name().map(|name| place_of(folder_of(path)).join(name));
    place_of(one) == place_of(other) || named(one).is_some_and(|one| Some(one) == named(other))
}

/// A path without links and detours, as far as it is there.
pub fn place_of(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|above| {
        let below = whole.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(below))
    });
    known.unwrap_or(whole)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn only_an_earlier_one_and_an_empty_file_are_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("earlier.svg"), "ours").unwrap();
        fs::write(at("empty.svg"), "").unwrap();
        fs::write(at("theirs.svg"), "theirs").unwrap();
        fs::write(at("kernel.cu"), "ours").unwrap();
        fs::create_dir(at("folder.svg")).unwrap();
        symlink("nowhere", at("link.svg")).unwrap();
        mkfifoat(CWD, at("pipe.svg"), Mode::from_raw_mode(0o644)).unwrap();
        let is_earlier = |path: &Path| beginning(path, 4) == b"ours";
        for (name, expected) in [
            ("new.svg", None),
            ("NEW.SVG", None),
            ("earlier.svg", None),
            ("empty.svg", None),
            ("theirs.svg", Some("is there already, and is no plot")),
            ("link.svg", Some("is there already, and is no plot")),
            ("pipe.svg", Some("is there already, and is no plot")),
            ("folder.svg", Some("it is a folder")),
            ("kernel.cu", Some("expected a name that ends in .svg")),
            (".svg", Some("expected a name that ends in .svg")),
            ("missing/new.svg", Some("could not write there: not found")),
            ("earlier.svg/new.svg", Some("a file stands where a folder should be")),
        ] {
            let path = at(name);
            let output = Output { option: "--plot", path: &path, what: "plot" };
            let found = output.require("svg", is_earlier).map_err(|trouble| trouble.message);
            match (&found, expected) {
                (Ok(()), None) => {}
                (Err(found), Some(expected)) if found.contains(expected) => {}
                _ => panic!("{name}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_file_has_many_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        fs::write(at("a"), "a").unwrap();
        symlink("a", at("link")).unwrap();
        symlink("below", at("other")).unwrap();
        let are = |one: &str, other: &str| are_one(&at(one), &at(other));
        assert!(are("a", "below/../a") && are("a", "link") && are("below/new", "other/./new"));
        assert!(are("missing/new", "missing/./new"));
        assert!(!are("a", "b") && !are("a", "below/a") && !are("missing/new", "new"));
    }
}
