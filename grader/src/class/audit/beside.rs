//! Files in the results that no scoring hands out: what other commands wrote there, of which the log has the hashes, and
//! what the log does not know.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    class::{
        export,
        intake::begin::NOT_UNDERSTOOD,
        log::{Entry, Event},
        parts, similar, slurm,
        store::{STORE, Store, hash_of},
        students,
    },
    exit::Result,
};

/// Says in the log what a command has written into the results: the files at or below these paths. Nothing, where all of
/// them lie elsewhere.
///
/// # Errors
/// A judge's error, for example on a full disk.
pub fn record(store: &mut Store, results: &Path, by: &str, written: &[PathBuf]) -> Result<()> {
    let files: BTreeMap<String, String> = written
        .iter()
        .filter_map(|path| Some((path, name_in(results, path)?)))
        .flat_map(|(path, name)| below(path, &name))
        .filter_map(|(name, path)| Some((name, hash_of(&fs::read(path).ok()?))))
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    store.say(Event::Written { by: by.to_owned(), files })?;
    export::write_head(results, store.head())
}

/// Says in the log that a command has taken away a file of the results, by its name there.
///
/// # Errors
/// As [`record`].
pub fn record_removed(store: &mut Store, results: &Path, by: &str, file: &str) -> Result<()> {
    store.say(Event::Removed { by: by.to_owned(), file: file.to_owned() })?;
    export::write_head(results, store.head())
}

/// What an audit finds beside what a scoring hands out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Files that are not what was written.
    pub changed: Vec<String>,
    /// Files that the log does not know.
    pub unknown: Vec<String>,
    /// Files that were written and are not there any more.
    pub gone: Vec<String>,
}

/// Compares the files of a folder of results with what the log says of them; `handed_out` is compared elsewhere.
pub fn compare(results: &Path, entries: &[Entry], handed_out: &dyn Fn(&str) -> bool) -> Beside {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Written { files, .. } => {
                known.extend(files.iter().map(|(name, hash)| (name.as_str(), hash.as_str())));
            }
            Event::Removed { file, .. } => _ = known.remove(file.as_str()),
            _ => {}
        }
    }
    let mut beside = Beside::default();
    let mut there = BTreeSet::new();
    for (name, path) in below(results, "") {
        there.insert(name.clone());
        if is_the_judges(&name) || handed_out(name.as_str()) {
            continue;
        }
        match known.get(name.as_str()) {
            None => beside.unknown.push(name),
            Some(hash) if fs::read(path).is_ok_and(|bytes| hash_of(&bytes) == **hash) => {}
            Some(_) => beside.changed.push(name),
        }
    }
    let gone = known.into_keys().filter(|&name| !there.contains(name) && !handed_out(name));
    beside.gone = gone.map(str::to_owned).collect();
    beside
}

/// What the judge itself works with: the store, which is what the log is compared with, its head, and a cluster's parts, of
/// which nothing counts before it is a row.
fn is_the_judges(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    first.strip_prefix(STORE).is_some_and(|rest| ["", "-wal", "-shm", "-journal"].contains(&rest))
        || name == export::HEAD
        || (name.contains('/') && [parts::FOLDER, slurm::FOLDER].contains(&first))
}

/// Whether a file of this name, below the results, is one that a scoring or a comparison writes, or lies where it does.
pub fn is_taken(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    let files = [NOT_UNDERSTOOD, similar::PAIRS, similar::RESEMBLING];
    let folders = [students::FOLDER, parts::FOLDER, slurm::FOLDER];
    is_the_judges(name) || export::is_handed_out(name) || files.contains(&name) || folders.contains(&first)
}

/// A path's name below the results; none where it lies elsewhere.
fn name_in(results: &Path, path: &Path) -> Option<String> {
    let (results, path) = (results.canonicalize().ok()?, path.canonicalize().ok()?);
    let parts = path.strip_prefix(results).ok()?.components();
    let names: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    Some(names.join("/"))
}

/// A file, or all files of a folder, by their names; links are not followed into folders.
fn below(path: &Path, name: &str) -> Vec<(String, PathBuf)> {
    if !fs::symlink_metadata(path).is_ok_and(|there| there.is_dir()) {
        return vec![(name.to_owned(), path.to_owned())];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut all: Vec<(String, PathBuf)> = entries
        .flat_map(|entry| {
            let own = entry.file_name().to_string_lossy().into_owned();
            let inside = if name.is_empty() { own } else { format!("{name}/{own}") };
            below(&entry.path(), &inside)
        })
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::header::Header;

    #[test]
    fn what_commands_wrote_is_compared_and_the_rest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        let write = |name: &str, text: &str| {
            let path = results.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        fs::create_dir_all(&results).unwrap();
        let mut store = Store::create(&results, &header).unwrap();
        let canvas = write("canvas.csv", "a\n");
        let scope = write("gradescope/results/a.json", "{}").parent().unwrap().to_owned();
        let elsewhere = folder.path().join("elsewhere.csv");
        fs::write(&elsewhere, "b\n").unwrap();
        record(&mut store, &results, "class export", &[canvas.clone(), scope]).unwrap();
        let head = store.head();
        record(&mut store, &results, "class export", &[elsewhere]).unwrap();
        assert_eq!(store.head(), head, "what lies elsewhere is no part of the results");
        let listed = write("not-understood.txt", "x\n");
        record(&mut store, &results, "class score", std::slice::from_ref(&listed)).unwrap();
        fs::remove_file(&listed).unwrap();
        record_removed(&mut store, &results, "class score", "not-understood.txt").unwrap();
        let entries: Vec<Entry> =
            store.log().iter().map(|logged| serde_json::from_str(&logged.text).unwrap()).collect();
        let found = || compare(&results, &entries, &|name| name == "gradebook.csv");
        write("gradebook.csv", "");
        write("parts/1-of-2/results.sqlite", "");
        assert_eq!(found(), Beside::default());
        write("canvas.csv", "another\n");
        write("students/zed.html", "");
        write("results.sqlite.html", "");
        fs::remove_dir_all(results.join("gradescope")).unwrap();
        assert_eq!(
            found(),
            Beside {
                changed: vec!["canvas.csv".to_owned()],
                unknown: vec!["results.sqlite.html".to_owned(), "students/zed.html".to_owned()],
                gone: vec!["gradescope/results/a.json".to_owned()],
            }
        );
    }
}
