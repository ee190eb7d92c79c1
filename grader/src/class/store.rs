//! The results of a scoring in one SQLite file: rows, the reports that they come from, and the audit log.
//!
//! A row is on the disk before the next one is taken to be done, together with its report and its entry of the log, or
//! not at all. Nothing is looked up by an index of the file's own: what is there is read once, row by row, and each has
//! a hash of its own, so that damage to one costs that one. What is damaged is told, and is judged again.

mod exported;
mod file;
mod proposed;
mod reading;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use harness::report::Report;
use rusqlite::{Connection, Params, params};

use self::file::refused;
pub use self::{exported::EXPORT, proposed::Proposed, reading::Damage};
use super::{
    header::Header,
    log::{Entry, Event, Head, Judged, has_ended},
    packed,
    row::{Made, Row},
};
use crate::exit::Result;

/// The file's name in a folder of results.
pub const STORE: &str = "results.sqlite";
/// Whose row it is: student and exercise.
pub type Owner = (String, String);

/// Which published kernel a judged one is like, in words, by the judgement's key; not there where nobody has looked.
pub type Resembling = BTreeMap<String, String>;

/// The open results. Nobody else can open them meanwhile.
#[derive(Debug)]
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// The judgements, by key.
    judgements: HashMap<String, Judgement>,
    /// Keys of those whose GPU was not read again yet.
    unconfirmed: BTreeSet<String>,
    /// What reports are packed with, by number; and the number for an exercise.
    dictionaries: BTreeMap<i64, Vec<u8>>,
    dictionary_of: HashMap<String, i64>,
    rows: BTreeMap<Owner, Stored>,
    resembling: Resembling,
    head: Head,
    damaged: Vec<Damage>,
    /// How many reports were read, for tests of what need not be.
    #[cfg(test)]
    pub reports_read: std::cell::Cell<usize>,
}

/// A row, and where it is.
#[derive(Debug)]
struct Stored {
    id: i64,
    row: Row,
    hash: String,
    /// What it was made of, hashed; nothing depends on it but whether it is made again.
    made_of: String,
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
        Ok(Store::empty(file::create(&path, header)?, path))
    }

    /// Whether one was begun in a folder, by us or by anybody: not where a run ended before it had written anything.
    pub fn is_begun(folder: &Path) -> bool {
        file::is_begun(&folder.join(STORE))
    }

    /// Opens one to go on or to look into.
    ///
    /// # Errors
    /// Wrong usage where there is none, it isn't one, or somebody writes to it.
    pub fn open(folder: &Path) -> Result<(Self, Header)> {
        let (db, header) = file::open(folder)?;
        let mut store = Store::empty(db, folder.join(STORE));
        store.load();
        Ok((store, header))
    }

    /// One of which nothing is read yet.
    fn empty(db: Connection, path: PathBuf) -> Self {
        Store {
            db,
            path,
            judgements: HashMap::new(),
            unconfirmed: BTreeSet::new(),
            dictionaries: BTreeMap::new(),
            dictionary_of: HashMap::new(),
            rows: BTreeMap::new(),
            resembling: Resembling::new(),
            head: Head::default(),
            damaged: Vec::new(),
            #[cfg(test)]
            reports_read: std::cell::Cell::default(),
        }
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(|stored| &stored.row)
    }

    /// A student's row for an exercise.
    pub fn row(&self, owner: &Owner) -> Option<&Row> {
        self.rows.get(owner).map(|stored| &stored.row)
    }

    /// What a row was made of, hashed; none where there is no row.
    pub fn made_of(&self, owner: &Owner) -> Option<&str> {
        self.rows.get(owner).map(|stored| stored.made_of.as_str())
    }

    /// The hash of a judgement's report, as is written beside it; `report` finds out whether it is true.
    pub fn report_hash(&self, key: &str) -> Option<&str> {
        self.judgements.get(key).map(|judgement| judgement.hash.as_str())
    }

    /// The hash of a row as it is stored.
    pub fn hash_of_row(&self, owner: &Owner) -> Option<&str> {
        self.rows.get(owner).map(|stored| stored.hash.as_str())
    }

    /// Which published kernels the class's are like, as far as somebody has looked.
    pub fn resembling(&self) -> &Resembling {
        &self.resembling
    }

    /// Keeps which published kernels the class's are like, in place of what was known, and says so in the log.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn keep_resembling(&mut self, found: Resembling, least: f64) -> Result<()> {
        let event = Event::Compared { least, kernels: found.len(), found: hash_of_resembling(&found) };
        let written = (|| -> rusqlite::Result<Head> {
            let all = self.db.transaction()?;
            all.execute("DELETE FROM resembling", [])?;
            for (key, said) in &found {
                insert(&all, "INSERT INTO resembling (key, said) VALUES (?1, ?2)", [key, said])?;
            }
            let head = log(&all, self.head, event)?;
            all.commit()?;
            Ok(head)
        })();
        self.head = written.map_err(|error| refused(&self.path, &error))?;
        self.resembling = found;
        Ok(())
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

    /// Whether the last scoring came to its end, by the log.
    pub fn has_ended(&mut self) -> bool {
        let log = self.log();
        let entries: Vec<Entry> =
            log.iter().filter_map(|logged| serde_json::from_str(&logged.text).ok()).collect();
        has_ended(entries.iter().map(|entry| &entry.event))
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
        let judged = other.judgements.keys().filter(|key| !proposed::is_proposed(key));
        let keys: Vec<&String> = judged.filter(|key| other.has(key) && !self.has(key)).collect();
        let mut taken = 0;
        for key in keys {
            if let Some(report) = other.report(key) {
                self.keep_judgement(key, &report, true)?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Whether there is a judgement of this key that holds.
    pub fn has(&self, key: &str) -> bool {
        !self.unconfirmed.contains(key) && self.report_text(key).is_some()
    }

    /// The report of this key; none where there is none, or it is damaged.
    pub fn report(&self, key: &str) -> Option<Report> {
        #[cfg(test)]
        self.reports_read.set(self.reports_read.get() + 1);
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
        let text = packed::unpack(&report, self.dictionaries.get(&dictionary)?)?;
        (found_key == key && hash_of(&text) == hash).then_some((text, hash))
    }

    /// Keeps rows, and says so in the log; all of them or none. Their judgements are there already.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn keep(&mut self, rows: &[Made], because: Option<&str>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut head = self.head;
        let mut kept = Vec::new();
        let written = (|| -> rusqlite::Result<()> {
            let all = self.db.unchecked_transaction()?;
            for Made { row, of } in rows {
                let value = json(row);
                let sum = hash_of(value.as_bytes());
                let owner = row.owner();
                if let Some(before) = self.rows.get(&owner) {
                    all.execute("DELETE FROM row WHERE id = ?1", [before.id])?;
                }
                let id = insert(
                    &all,
                    "INSERT INTO row (hash, value, made_of) VALUES (?1, ?2, ?3)",
                    params![sum, value, of],
                )?;
                let report = self.judgements.get(&row.key).map(|judgement| judgement.hash.clone());
                let event = Event::Row(Judged::of(row, sum.clone(), report, because.map(str::to_owned)));
                head = log(&all, head, event)?;
                kept.push((owner, Stored { id, row: row.clone(), hash: sum, made_of: of.clone() }));
            }
            all.commit()
        })();
        written.map_err(|error| refused(&self.path, &error))?;
        self.head = head;
        self.rows.extend(kept);
        Ok(())
    }

    /// Remembers what rows that are there already are made of now. Nothing of them changes, so the log says nothing.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn remember(&mut self, rows: &[Made]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let written = (|| -> rusqlite::Result<()> {
            let all = self.db.unchecked_transaction()?;
            for Made { row, of } in rows {
                if let Some(stored) = self.rows.get(&row.owner()) {
                    all.execute("UPDATE row SET made_of = ?1 WHERE id = ?2", params![of, stored.id])?;
                }
            }
            all.commit()
        })();
        written.map_err(|error| refused(&self.path, &error))?;
        for Made { row, of } in rows {
            if let Some(stored) = self.rows.get_mut(&row.owner()) {
                stored.made_of.clone_from(of);
            }
        }
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
        if !confirmed {
            self.unconfirmed.insert(key.to_owned());
        }
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

    /// Takes judgements away that do not hold. Their rows stay until they are judged again; where nothing can judge them, the
    /// end of the judging makes them judge errors.
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
        written.map_err(|error| refused(&self.path, &error))?;
        self.unconfirmed.retain(|key| !keys.contains(key));
        Ok(())
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

    /// Begins a scoring, or goes on: replaces the header, and says so in the log; both or neither. So the log always has
    /// the header that counts.
    ///
    /// # Errors
    /// A judge's error, for example on a full disk.
    pub fn begin(&mut self, header: &Header, machine: Vec<String>) -> Result<()> {
        let event = Event::Began { header: header.clone(), machine };
        let written = (|| -> rusqlite::Result<Head> {
            let all = self.db.transaction()?;
            all.execute("UPDATE header SET value = ?1", [json(header)])?;
            let head = log(&all, self.head, event)?;
            all.commit()?;
            Ok(head)
        })();
        self.head = written.map_err(|error| refused(&self.path, &error))?;
        Ok(())
    }
}

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

/// The hash of which published kernels are resembled.
pub fn hash_of_resembling(found: &Resembling) -> String {
    hash_of(json(found).as_bytes())
}

/// Our own types always have JSON.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
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

    fn row(student: &str, key: &str) -> Made {
        made(Row::of(student, key.to_owned(), &passed()))
    }

    fn made(row: Row) -> Made {
        Made { row, of: "that".to_owned() }
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
        store.keep(&[made(nothing)], None).unwrap();
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
            store.keep(&[made(Row::of(&student, key.clone(), &report))], None).unwrap();
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
