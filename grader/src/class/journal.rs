//! The journal of a scoring: one JSON line per row, on the disk before the next row is taken to be done.
//!
//! The first line says what all rows have in common. A row's key hashes everything that its result depends
//! on; on `--resume` a row is taken over only where the key is still the same, so that an interrupted run and
//! one that was not interrupted give the same files. A last line that was cut off counts as not written.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::row::{Outcome, Row};
use crate::{
    exit::{Result, Trouble},
    files,
    thresholds::demand::SpeedDemand,
    visible::shown,
};

const SCHEMA: u32 = 1;

/// What all rows have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    schema: u32,
    /// The judge: version and hash of the program.
    pub judge: String,
    /// The compiler.
    pub compiler: String,
    /// The device.
    pub device: String,
    /// The seed, secret until the results are published.
    pub seed: u64,
    /// When the run began, in UTC.
    pub started: String,
    /// What is asked of speed, by the exercise's id. It was measured before anything was judged, if need be, and is
    /// the same for all rows.
    #[serde(default)]
    pub speed: BTreeMap<String, SpeedDemand>,
}

impl Header {
    /// A header of this format, which asks nothing of speed yet.
    pub fn new(judge: String, compiler: String, device: String, seed: u64, started: String) -> Self {
        Header { schema: SCHEMA, judge, compiler, device, seed, started, speed: BTreeMap::new() }
    }

    /// The key of a row: what it depends on, hashed.
    pub fn key(&self, exercise: &str, kernel: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        let seed = self.seed.to_string();
        let speed = format!("{:?}", self.speed.get(exercise));
        for part in [&self.judge, &self.compiler, &self.device, &seed, &speed, exercise, kernel] {
            // Lengths keep two neighbours from being read as one.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Rows that are done, by student and exercise.
pub type Rows = BTreeMap<(String, String), Row>;

/// An open journal, locked against a second scoring into the same folder.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of whole lines.
    length: u64,
    /// What stopped an earlier line; nothing is written after it.
    stopped: Option<Trouble>,
}

impl Journal {
    /// Begins a new one.
    ///
    /// # Errors
    /// A judge's error where the folder refuses.
    pub fn create(path: &Path, header: &Header) -> Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(path);
        let file = file.map_err(|error| refused(path, &error))?;
        lock(&file, path)?;
        let mut journal = Journal { file, path: path.to_owned(), length: 0, stopped: None };
        journal.append(header)?;
        Ok(journal)
    }

    /// Opens one to go on: its header and the rows that are done, by student and exercise.
    ///
    /// # Errors
    /// Wrong usage where there is none or it isn't one.
    pub fn resume(path: &Path) -> Result<(Self, Header, Rows)> {
        let file = OpenOptions::new().read(true).append(true).open(path).map_err(|error| {
            Trouble::usage(
                format!("nothing to resume: could not open {}: {}", shown(path), files::explain(&error)),
                "leave --resume out to begin anew, in a folder that does not exist yet",
            )
        })?;
        lock(&file, path)?;
        let damaged = |what: &str| {
            let next = "score into another folder";
            Trouble::usage(format!("{} is no journal of this grader: {what}", shown(path)), next)
        };
        let mut lines = BufReader::new(&file);
        let mut whole = 0;
        let mut header: Option<Header> = None;
        let mut rows = BTreeMap::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line).map_err(|error| refused(path, &error))?;
            if read == 0 || line.last() != Some(&b'\n') {
                break;
            }
            if header.is_none() {
                let found: Header =
                    serde_json::from_slice(&line).map_err(|error| damaged(&error.to_string()))?;
                if found.schema != SCHEMA {
                    return Err(damaged(&format!("format {}, expected {SCHEMA}", found.schema)));
                }
                header = Some(found);
            } else {
                let row: Row = serde_json::from_slice(&line).map_err(|error| damaged(&error.to_string()))?;
                // What the judge could not do is tried again.
                if row.outcome != Outcome::JudgeError {
                    rows.insert((row.student.clone(), row.exercise.clone()), row);
                }
            }
            whole += read as u64;
        }
        let header = header.ok_or_else(|| damaged("it is empty"))?;
        file.set_len(whole).map_err(|error| refused(path, &error))?;
        let mut journal = Journal { file, path: path.to_owned(), length: whole, stopped: None };
        journal.file.seek(SeekFrom::End(0)).map_err(|error| refused(path, &error))?;
        Ok((journal, header, rows))
    }

    /// Writes a line and waits until it is on the disk. After a failure every further one fails too: what
    /// several threads wrote after half a line could not be read again.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn append(&mut self, value: &impl Serialize) -> Result<()> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let written = serde_json::to_vec(value).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)?;
            self.file.sync_data()?;
            Ok(line.len() as u64)
        });
        match written {
            Ok(bytes) => {
                self.length += bytes;
                Ok(())
            }
            Err(error) => {
                // Half a line does no harm: it counts as not written.
                let _ = self.file.set_len(self.length);
                let trouble = refused(&self.path, &error);
                self.stopped = Some(trouble.clone());
                Err(trouble)
            }
        }
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    flock(file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        Trouble::usage(
            format!("another scoring is writing to {}", shown(path)),
            "wait for it, or score into another folder",
        )
    })
}

fn refused(path: &Path, error: &io::Error) -> Trouble {
    Trouble::judge(
        format!("could not write {}: {}", shown(path), files::explain(error)),
        "make room or make it writable, then go on with --resume",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn row(student: &str, outcome: Outcome) -> Row {
        Row::without_report(student, "03-reduction", "key".to_owned(), outcome, String::new())
    }

    #[test]
    fn a_cut_off_line_was_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        let mut journal = Journal::create(&path, &header).unwrap();
        journal.append(&row("ada", Outcome::NotGradable)).unwrap();
        journal.append(&row("bob", Outcome::JudgeError)).unwrap();
        assert!(Journal::resume(&path).unwrap_err().message.contains("another scoring"));
        drop(journal);
        let before = fs::read(&path).unwrap();
        fs::write(&path, [&before[..], b"{\"student\":\"ev"].concat()).unwrap();
        let (journal, found, rows) = Journal::resume(&path).unwrap();
        assert_eq!(found, header);
        assert_eq!(rows.keys().collect::<Vec<_>>(), [&("ada".to_owned(), "03-reduction".to_owned())]);
        assert_eq!(fs::read(&path).unwrap(), before);
        drop(journal);
        assert!(Journal::create(&path, &header).is_err());
        fs::write(&path, "hello\n").unwrap();
        assert!(Journal::resume(&path).is_err());
    }

    #[test]
    fn keys_depend_on_everything() {
        let header = |device: &str| Header::new("j".into(), "c".into(), device.into(), 7, "now".into());
        let key = header("sim:h200").key("03", "k");
        assert_ne!(key, header("sim:t4").key("03", "k"));
        assert_ne!(key, header("sim:h200").key("03", "l"));
        assert_ne!(header("a").key("bc", ""), header("a").key("b", "c"));
    }
}
