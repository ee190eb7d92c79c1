//! The results of a scoring in one SQLite file: rows, the reports that they come from, and the audit log.
//!
//! A row is on the disk before the next one is taken to be done, together with its report and its entry of the log, or
//! not at all. Nothing is looked up by an index of the file's own: what is there is read once, row by row, and each has
//! a hash of its own, so that damage to one costs that one. What is damaged is told, and is judged again.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    path::{Path, PathBuf},
};

use harness::report::Report;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Params, params};

use super::{
    header::Header,
    log::{Entry, Event, Head, Judged},
    packed,
    row::Row,
};
use crate::{
    exit::{Result, Trouble},
    visible::{one_line, shown},
};

/// The file's name in a folder of results.
pub const STORE: &str = "results.sqlite";
/// What the file says that it is: `grdr`.
const APPLICATION: i32 = 0x6772_6472;
const SCHEMA: i32 = 1;

const TABLES: &str = "
    CREATE TABLE header (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE judgement (id INTEGER PRIMARY KEY, key TEXT NOT NULL, exercise TEXT NOT NULL, hash TEXT NOT NULL,
                            dictionary INTEGER NOT NULL, report BLOB NOT NULL);
    CREATE TABLE unconfirmed (id INTEGER PRIMARY KEY, key TEXT NOT NULL);
    CREATE TABLE dictionary (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, exercise TEXT NOT NULL,
                             hash TEXT NOT NULL, words BLOB NOT NULL);
    CREATE TABLE row (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, value TEXT NOT NULL);
    CREATE TABLE log (id INTEGER PRIMARY KEY, entry TEXT NOT NULL, head TEXT NOT NULL);
";

/// Whose row it is: student and exercise.
pub type Owner = (String, String);

/// The open results. Nobody else can open them meanwhile.
#[derive(Debug)]
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// The judgements, by key.
    judgements: HashMap<String, Judgement>,
    /// What reports are packed with, by number; and the number for an exercise.
    dictionaries: BTreeMap<i64, Vec<u8>>,
    dictionary_of: HashMap<String, i64>,
    rows: BTreeMap<Owner, Stored>,
    head: Head,
    damaged: Vec<Damage>,
}

/// What can't be read of a store, or was not written by a scoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The row that the log speaks of is not there.
    Row(Owner),
    /// An entry of a table, in words.
    Entry(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Row((student, exercise)) => {
                write!(formatter, "the row of {}, {exercise}", one_line(student))
            }
            Damage::Entry(which) => write!(formatter, "{which} in {STORE}"),
        }
    }
}

/// A row, and where it is.
#[derive(Debug)]
struct Stored {
    id: i64,
    row: Row,
    hash: String,
}

/// Where a judgement is, and the hash of its report's text.
#[derive(Debug)]
struct Judgement {
    id: i64,
    hash: String,
}

/// A report that was written, and a dictionary that was made from it.
struct Put {
    judgement: Judgement,
    learnt: Option<(String, i64, Vec<u8>)>,
}

/// An entry of the log as it is stored: its text, and the head that was written with it.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Which one it is, from 1.
    pub number: i64,
    /// The entry's text.
    pub text: String,
    /// The head after it, as was written.
    pub head: String,
}

impl Store {
    /// Begins a new one.
    ///
    /// # Errors
    /// A judge's error where the folder refuses.
    pub fn create(folder: &Path, header: &Header) -> Result<Self> {
        let path = folder.join(STORE);
        let db = connect(&path)?;
        // All at once: who is killed here leaves nothing that has begun.
        let begun = (|| {
            let all = db.unchecked_transaction()?;
            all.pragma_update(None, "application_id", APPLICATION)?;
            all.pragma_update(None, "user_version", SCHEMA)?;
            all.execute_batch(TABLES)?;
            all.execute("INSERT INTO header (value) VALUES (?1)", [json(header)])?;
            all.commit()
        })();
        begun.map_err(|error| refused(&path, &error))?;
        Ok(Store {
            db,
            path,
            judgements: HashMap::new(),
            dictionaries: BTreeMap::new(),
            dictionary_of: HashMap::new(),
            rows: BTreeMap::new(),
            head: Head::default(),
            damaged: Vec::new(),
        })
    }

    /// Whether one was begun in a folder, by us or by anybody: not where a run ended before it had written anything.
    pub fn is_begun(folder: &Path) -> bool {
        let path = folder.join(STORE);
        let is_empty = || -> rusqlite::Result<bool> {
            let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
        };
        path.is_file() && !is_empty().unwrap_or(false)
    }

    /// Opens one to go on or to look into.
    ///
    /// # Errors
    /// Wrong usage where there is none, it isn't one, or somebody writes to it.
    pub fn open(folder: &Path) -> Result<(Self, Header)> {
        let path = folder.join(STORE);
        if !path.is_file() {
            let next = "name the folder that `grader class score --out` has made";
            return Err(Trouble::usage(format!("{} has no {STORE}", shown(folder)), next));
        }
        let db = connect(&path)?;
        let no_store = |why: &str| {
            let next = "score into another folder";
            Trouble::usage(format!("{} has no results of this grader: {why}", shown(&path)), next)
        };
        let number = |pragma: &str| db.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let (application, schema) = number("application_id")
            .and_then(|application| Ok((application, number("user_version")?)))
            .map_err(|error| refused(&path, &error))?;
        if (application, schema) != (APPLICATION, SCHEMA) {
            let why = if application == APPLICATION {
                format!("format {schema}, expected {SCHEMA}")
            } else {
                "it is something else".to_owned()
            };
            return Err(no_store(&why));
        }
        let text: Option<String> = db
            .query_row("SELECT value FROM header ORDER BY id LIMIT 1", [], |row| row.get(0))
            .optional()
            .map_err(|error| refused(&path, &error))?;
        let header = text.and_then(|text| serde_json::from_str(&text).ok());
        let header = header.ok_or_else(|| no_store("its first entry can't be read"))?;
        let mut store = Store {
            db,
            path,
            judgements: HashMap::new(),
            dictionaries: BTreeMap::new(),
            dictionary_of: HashMap::new(),
            rows: BTreeMap::new(),
            head: Head::default(),
            damaged: Vec::new(),
        };
        store.load();
        Ok((store, header))
    }

    /// Reads everything but the reports.
    fn load(&mut self) {
        let dictionaries =
            self.each("dictionary", "SELECT id, number, exercise, hash, words FROM dictionary", |row| {
                Ok((
                    row.get(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, String>(3)?,
                    row.get::<_, Vec<u8>>(4)?,
                ))
            });
        for (_, (number, exercise, hash, words)) in dictionaries {
            // There is a second one; without it, its reports are as damaged.
            if hash_of(&words) == hash {
                self.dictionaries.insert(number, words);
                self.dictionary_of.insert(exercise, number);
            }
        }
        let judgements = self.each("judgement", "SELECT id, key, hash FROM judgement", |row| {
            Ok((row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        self.judgements =
            judgements.into_iter().map(|(id, (key, hash))| (key, Judgement { id, hash })).collect();
        // A scoring that was ended at once left them: they are made again.
        let unconfirmed =
            self.each("unconfirmed", "SELECT id, key FROM unconfirmed", |row| row.get::<_, String>(1));
        for (_, key) in unconfirmed {
            self.judgements.remove(&key);
        }
        let rows = self.each("row", "SELECT id, hash, value FROM row", |row| {
            Ok((row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        for (id, (hash, value)) in rows {
            match serde_json::from_str::<Row>(&value) {
                Ok(row) if hash_of(value.as_bytes()) == hash => {
                    self.rows.insert((row.student.clone(), row.exercise.clone()), Stored { id, row, hash });
                }
                _ => self.damaged.push(Damage::Entry(format!("entry {id} of `row`"))),
            }
        }
        self.compare_with_log();
    }

    /// Takes the head from the log, and tells what the log says was written and is not there: a damaged page of the file
    /// need not be an error, it can also seem to be empty.
    fn compare_with_log(&mut self) {
        let mut expected: BTreeMap<Owner, String> = BTreeMap::new();
        let log = self.log();
        // `class audit` looks whether it is true.
        self.head = log.iter().fold(Head::default(), |head, logged| head.after(&logged.text));
        for (number, logged) in (1..).zip(&log) {
            if logged.number != number {
                self.damaged.push(Damage::Entry(format!("entry {number} of the log")));
                break;
            }
            match serde_json::from_str::<Entry>(&logged.text).map(|entry| entry.event) {
                Ok(Event::Row(row)) => {
                    expected.insert((row.student, row.exercise), row.row);
                }
                Ok(Event::Withdrawn { student, exercise }) => {
                    expected.remove(&(student, exercise));
                }
                Ok(Event::Began { .. } | Event::Ended { .. }) => {}
                Err(_) => self.damaged.push(Damage::Entry(format!("entry {number} of the log"))),
            }
        }
        for (owner, hash) in &expected {
            if self.rows.get(owner).is_none_or(|stored| stored.hash != *hash) {
                self.rows.remove(owner);
                self.damaged.push(Damage::Row(owner.clone()));
            }
        }
    }

    /// Reads a table. Where it can't be read in one go, entry by entry, and what can't be read at all is damaged.
    fn each<T>(
        &mut self,
        table: &str,
        query: &str,
        take: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<(i64, T)> {
        let one = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, take(row)?));
        let whole = || -> rusqlite::Result<Vec<(i64, T)>> {
            let mut statement = self.db.prepare(&format!("{query} ORDER BY id"))?;
            statement.query_map([], one)?.collect()
        };
        if let Ok(all) = whole() {
            return all;
        }
        let last: i64 = self
            .db
            .query_row(&format!("SELECT max(id) FROM {table}"), [], |row| row.get::<_, Option<i64>>(0))
            .ok()
            .flatten()
            .unwrap_or(0);
        let mut all = Vec::new();
        for id in 1..=last.min(MOST_ENTRIES) {
            match self.db.query_row(&format!("{query} WHERE id = ?1"), [id], one).optional() {
                Ok(Some(found)) => all.push(found),
                // It was taken away.
                Ok(None) => {}
                Err(_) => self.damaged.push(Damage::Entry(format!("entry {id} of `{table}`"))),
            }
        }
        if last == 0 {
            self.damaged.push(Damage::Entry(format!("all of `{table}`")));
        }
        all
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(|stored| &stored.row)
    }

    /// A student's row for an exercise.
    pub fn row(&self, owner: &Owner) -> Option<&Row> {
        self.rows.get(owner).map(|stored| &stored.row)
    }

    /// The hash of a row as it is stored.
    pub fn hash_of_row(&self, owner: &Owner) -> Option<&str> {
        self.rows.get(owner).map(|stored| stored.hash.as_str())
    }

    /// What could not be read.
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Where the log ends.
    pub fn head(&self) -> Head {
        self.head
    }

    /// The log.
    pub fn log(&mut self) -> Vec<Logged> {
        let all = self.each("log", "SELECT id, entry, head FROM log", |row| {
            Ok(Logged { number: row.get(0)?, text: row.get(1)?, head: row.get(2)? })
        });
        all.into_iter().map(|(_, logged)| logged).collect()
    }

    /// The folder that it is in.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent()
    }

    /// Copies the judgements of another one that are not here yet. Which of them hold is for their keys to say.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn take_from(&mut self, other: &Store) -> Result<usize> {
        let keys: Vec<&String> = other.judgements.keys().filter(|key| !self.has(key)).collect();
        let mut taken = 0;
        for key in keys {
            if let Some(report) = other.report(key) {
                self.keep_judgement(key, &report, true)?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Whether there is a judgement of this key.
    pub fn has(&self, key: &str) -> bool {
        self.judgements.contains_key(key)
    }

    /// The report of this key; none where there is none, or it is damaged.
    pub fn report(&self, key: &str) -> Option<Report> {
        let (text, _) = self.report_text(key)?;
        serde_json::from_slice(&text).ok()
    }

    /// The report's text and its hash; none where there is none, or it is damaged.
    pub fn report_text(&self, key: &str) -> Option<(Vec<u8>, String)> {
        let id = self.judgements.get(key)?.id;
        let found = self.db.query_row(
            "SELECT key, hash, dictionary, report FROM judgement WHERE id = ?1",
            [id],
            |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, i64>(2)?,
                    row.get::<_, Vec<u8>>(3)?,
                ))
            },
        );
        let (found_key, hash, dictionary, report) = found.ok()?;
        let words = match dictionary {
            0 => &[][..],
            number => self.dictionaries.get(&number)?,
        };
        let text = packed::unpack(&report, words)?;
        (found_key == key && hash_of(&text) == hash).then_some((text, hash))
    }

    /// Keeps rows, and says so in the log; all of them or none. Their judgements are there already.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn keep(&mut self, rows: &[Row], because: Option<&str>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut head = self.head;
        let mut kept = Vec::new();
        let written = (|| -> rusqlite::Result<()> {
            let all = self.db.unchecked_transaction()?;
            for row in rows {
                let value = json(row);
                let sum = hash_of(value.as_bytes());
                let owner = (row.student.clone(), row.exercise.clone());
                if let Some(before) = self.rows.get(&owner) {
                    all.execute("DELETE FROM row WHERE id = ?1", [before.id])?;
                }
                let id = insert(&all, "INSERT INTO row (hash, value) VALUES (?1, ?2)", params![sum, value])?;
                let report = self.judgements.get(&row.key).map(|judgement| judgement.hash.clone());
                let event = Event::Row(Judged::of(row, sum.clone(), report, because.map(str::to_owned)));
                head = log(&all, head, event)?;
                kept.push((owner, Stored { id, row: row.clone(), hash: sum }));
            }
            all.commit()
        })();
        written.map_err(|error| refused(&self.path, &error))?;
        self.head = head;
        self.rows.extend(kept);
        Ok(())
    }

    /// Keeps a judgement, in place of one with its key. Rows that are made of it come after. Until it is confirmed, a later
    /// scoring makes it again.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn keep_judgement(&mut self, key: &str, report: &Report, confirmed: bool) -> Result<()> {
        let written = (|| -> rusqlite::Result<Put> {
            let all = self.db.unchecked_transaction()?;
            let put = self.put(&all, key, report)?;
            if !confirmed {
                insert(&all, "INSERT INTO unconfirmed (key) VALUES (?1)", [key])?;
            }
            all.commit()?;
            Ok(put)
        })();
        let put = written.map_err(|error| refused(&self.path, &error))?;
        self.judgements.insert(key.to_owned(), put.judgement);
        if let Some((exercise, number, words)) = put.learnt {
            self.dictionaries.insert(number, words);
            self.dictionary_of.insert(exercise, number);
        }
        Ok(())
    }

    /// Says that judgements hold: the GPU that timed them is still what it was.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn confirm(&mut self, keys: &BTreeSet<String>) -> Result<()> {
        self.forget(keys, &["DELETE FROM unconfirmed WHERE key = ?1"])
    }

    /// Takes judgements away that do not hold. Their rows stay until they are judged again.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn withdraw_judgements(&mut self, keys: &BTreeSet<String>) -> Result<()> {
        self.forget(
            keys,
            &["DELETE FROM unconfirmed WHERE key = ?1", "DELETE FROM judgement WHERE key = ?1"],
        )?;
        self.judgements.retain(|key, _| !keys.contains(key));
        Ok(())
    }

    fn forget(&mut self, keys: &BTreeSet<String>, statements: &[&str]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let written = (|| -> rusqlite::Result<()> {
            let all = self.db.unchecked_transaction()?;
            for statement in statements {
                let mut statement = all.prepare(statement)?;
                for key in keys {
                    statement.execute([key])?;
                }
            }
            all.commit()
        })();
        written.map_err(|error| refused(&self.path, &error))
    }

    /// Writes a report in place of what has its key.
    fn put(&self, db: &Connection, key: &str, report: &Report) -> rusqlite::Result<Put> {
        let text = serde_json::to_vec(report).unwrap_or_default();
        let (hash, exercise) = (hash_of(&text), &report.exercise);
        let mut learnt = None;
        let known = self
            .dictionary_of
            .get(exercise)
            .and_then(|number| Some((*number, self.dictionaries.get(number)?)));
        let (number, packed) = match known {
            Some((number, words)) => (number, packed::pack(&text, words)),
            None => {
                let number = self.dictionaries.keys().last().copied().unwrap_or(0) + 1;
                let words = packed::dictionary(&text).to_vec();
                for _ in 0..2 {
                    insert(
                        db,
                        "INSERT INTO dictionary (number, exercise, hash, words) VALUES (?1, ?2, ?3, ?4)",
                        params![number, exercise, hash_of(&words), words],
                    )?;
                }
                let packed = packed::pack(&text, &words);
                learnt = Some((exercise.clone(), number, words));
                (number, packed)
            }
        };
        if let Some(before) = self.judgements.get(key) {
            db.execute("DELETE FROM judgement WHERE id = ?1", [before.id])?;
        }
        let id = insert(
            db,
            "INSERT INTO judgement (key, exercise, hash, dictionary, report) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![key, exercise, hash, number, packed],
        )?;
        Ok(Put { judgement: Judgement { id, hash }, learnt })
    }

    /// Takes away the row of a submission that is not there any more, and says so in the log. Its judgement stays.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn withdraw(&mut self, owner: &Owner) -> Result<()> {
        let Some(stored) = self.rows.get(owner) else { return Ok(()) };
        let written = (|| -> rusqlite::Result<Head> {
            let all = self.db.transaction()?;
            all.execute("DELETE FROM row WHERE id = ?1", [stored.id])?;
            let (student, exercise) = owner.clone();
            let head = log(&all, self.head, Event::Withdrawn { student, exercise })?;
            all.commit()?;
            Ok(head)
        })();
        self.head = written.map_err(|error| refused(&self.path, &error))?;
        self.rows.remove(owner);
        Ok(())
    }

    /// Says in the log what happened.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn say(&mut self, event: Event) -> Result<()> {
        let written = (|| -> rusqlite::Result<Head> {
            let all = self.db.transaction()?;
            let head = log(&all, self.head, event)?;
            all.commit()?;
            Ok(head)
        })();
        self.head = written.map_err(|error| refused(&self.path, &error))?;
        Ok(())
    }

    /// Replaces the header.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn set_header(&mut self, header: &Header) -> Result<()> {
        let written = self.db.execute("UPDATE header SET value = ?1", [json(header)]);
        written.map(drop).map_err(|error| refused(&self.path, &error))
    }
}

/// More entries are not looked for one by one in a damaged file.
const MOST_ENTRIES: i64 = 10_000_000;

fn insert(db: &Connection, statement: &str, values: impl Params) -> rusqlite::Result<i64> {
    db.prepare(statement)?.insert(values)
}

fn log(db: &Connection, head: Head, event: Event) -> rusqlite::Result<Head> {
    let at = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
    let text = json(&Entry { at, event });
    let head = head.after(&text);
    insert(db, "INSERT INTO log (entry, head) VALUES (?1, ?2)", params![text, head.to_string()])?;
    Ok(head)
}

/// The hash of what is stored.
pub fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Our own types always have JSON.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn connect(path: &Path) -> Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(|error| refused(path, &error))?;
    let locked = (|| {
        // Locked for as long as it is open: a second scoring is told at once, and no memory is shared with other
        // processes, which network file systems don't offer.
        db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        db.pragma_update(None, "cell_size_check", true)?;
        db.pragma_update(None, "trusted_schema", false)?;
        db.execute_batch("BEGIN IMMEDIATE; COMMIT")
    })();
    locked.map_err(|error| refused(path, &error))?;
    Ok(db)
}

fn refused(path: &Path, error: &rusqlite::Error) -> Trouble {
    let place = shown(path);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::usage(
            format!("another scoring is writing to {place}"),
            "wait for it, or score into another folder",
        ),
        Some(ErrorCode::DiskFull) => Trouble::judge(
            format!("could not write {place}: the disk is full"),
            "make room, then the same command again goes on",
        ),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Trouble::usage(
            format!("{place} is damaged: {error}"),
            "score into another folder; `--reuse` with the damaged one takes what can still be read of it",
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Trouble::judge(
            format!("could not write {place}: permission denied, or something else has that name"),
            "make the folder writable, or name another one",
        ),
        Some(ErrorCode::SystemIoFailure) => Trouble::judge(
            format!(
                "could not write {place}: the system refuses ({error}): a limit on the size of files, or a broken disk"
            ),
            "raise the limit (`ulimit -f`) or write to another disk, then the same command again goes on",
        ),
        _ => Trouble::judge(
            format!("could not write {place}: {error}"),
            "make room or make it writable, then the same command again goes on",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        class::row::Outcome,
        sample::{failed, passed},
    };

    fn header() -> Header {
        Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into())
    }

    fn row(student: &str, key: &str) -> Row {
        Row::of(student, key.to_owned(), &passed())
    }

    fn owners(store: &Store) -> Vec<&str> {
        store.rows().map(|row| row.student.as_str()).collect()
    }

    #[test]
    fn what_is_kept_is_there_for_whoever_comes_next_and_for_nobody_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path(), &header()).unwrap();
        store.keep_judgement("k1", &passed(), true).unwrap();
        store.keep(&[row("ada", "k1"), row("bob", "k1")], None).unwrap();
        store.keep_judgement("k2", &failed(), true).unwrap();
        store.keep(&[row("eve", "k2")], None).unwrap();
        store.withdraw(&("bob".to_owned(), "03-reduction".to_owned())).unwrap();
        assert!(Store::open(folder.path()).unwrap_err().message.contains("another scoring"));
        let head = store.head();
        drop(store);
        let (mut store, found) = Store::open(folder.path()).unwrap();
        assert_eq!(found, header());
        assert_eq!(owners(&store), ["ada", "eve"]);
        assert_eq!(store.report("k1"), Some(passed()));
        assert_eq!(store.report("k2"), Some(failed()));
        assert_eq!((store.head(), store.log().len()), (head, 4));
        // In place of what was there.
        let nothing =
            Row::without_report("eve", "03-reduction", "k3".into(), Outcome::NotGradable, String::new());
        store.keep(&[nothing], None).unwrap();
        assert_eq!(store.rows().count(), 2);
        assert_ne!(store.head(), head);
        let other = tempfile::tempdir().unwrap();
        let mut taker = Store::create(other.path(), &header()).unwrap();
        assert_eq!(taker.take_from(&store).unwrap(), 2);
        assert_eq!((taker.report("k2"), taker.rows().count()), (Some(failed()), 0));
        assert_eq!(taker.take_from(&store).unwrap(), 0);
    }

    #[test]
    fn what_is_no_store_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let message = || Store::open(folder.path()).unwrap_err().message;
        assert!(message().contains("has no results.sqlite"));
        fs::write(folder.path().join(STORE), "hello\n").unwrap();
        assert!(message().contains("results.sqlite"), "{}", message());
        fs::remove_file(folder.path().join(STORE)).unwrap();
        Connection::open(folder.path().join(STORE)).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        assert!(message().contains("it is something else"), "{}", message());
    }

    /// Bytes that flip, parts that are lost, a file that ends too early: a row is what it was, or is not there and that is
    /// told, or nothing opens at all. Never is it another.
    #[test]
    fn damage_costs_what_it_hits_and_changes_no_grade() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path(), &header()).unwrap();
        let mut whole = BTreeMap::new();
        for number in 0..60 {
            let (student, key) = (format!("student-{number:02}"), format!("key-{number}"));
            let mut report = if number % 3 == 0 { failed() } else { passed() };
            report.kernel_hash = key.clone();
            store.keep_judgement(&key, &report, true).unwrap();
            store.keep(&[Row::of(&student, key.clone(), &report)], None).unwrap();
            whole.insert(key, report);
        }
        let rows: Vec<Row> = store.rows().cloned().collect();
        drop(store);
        let path = folder.path().join(STORE);
        let good = fs::read(&path).unwrap();
        let (mut opened, mut lost, mut random) = (0, 0, 1_u64);
        let mut next = |below: usize| {
            // Numbers that look random and are the same everywhere.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        for round in 0..150 {
            let mut bad = good.clone();
            let at = next(bad.len());
            match round % 3 {
                0 => bad[at] ^= 1 << next(8),
                1 => {
                    let end = (at + 512).min(bad.len());
                    bad[at..end].fill(0);
                }
                _ => bad.truncate(at),
            }
            fs::write(&path, &bad).unwrap();
            for left in ["-wal", "-shm", "-journal"] {
                let _ = fs::remove_file(folder.path().join(format!("{STORE}{left}")));
            }
            let Ok((store, _)) = Store::open(folder.path()) else { continue };
            opened += 1;
            let found: Vec<&Row> = store.rows().collect();
            assert!(found.iter().all(|row| rows.contains(row)), "round {round}");
            if found.len() < rows.len() {
                lost += rows.len() - found.len();
                assert!(
                    !store.damaged().is_empty(),
                    "round {round}: {} rows are gone without a word",
                    rows.len() - found.len()
                );
            }
            for row in found {
                let report = store.report(&row.key);
                assert!(report.is_none() || report.as_ref() == whole.get(&row.key), "round {round}");
            }
        }
        assert!(opened > 60 && lost > 0, "{opened} could be opened, {lost} rows lost");
    }
}
