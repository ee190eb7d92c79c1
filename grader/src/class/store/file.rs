//! The results' file itself: how it is begun, opened and locked, and what is said where the system refuses.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _};

use super::{Header, STORE, json};
use crate::{
    exit::{Result, Trouble},
    visible::shown,
};

/// What the file says that it is: `grdr`.
const APPLICATION: i32 = 0x6772_6472;
const SCHEMA: i32 = 2;

const TABLES: &str = "
    CREATE TABLE header (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE judgement (id INTEGER PRIMARY KEY, key TEXT NOT NULL, exercise TEXT NOT NULL, hash TEXT NOT NULL,
                            dictionary INTEGER NOT NULL, report BLOB NOT NULL);
    CREATE TABLE unconfirmed (id INTEGER PRIMARY KEY, key TEXT NOT NULL);
    CREATE TABLE dictionary (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, exercise TEXT NOT NULL,
                             hash TEXT NOT NULL, words BLOB NOT NULL);
    CREATE TABLE row (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, value TEXT NOT NULL, made_of TEXT NOT NULL);
    CREATE TABLE resembling (id INTEGER PRIMARY KEY, key TEXT NOT NULL, said TEXT NOT NULL);
    CREATE TABLE log (id INTEGER PRIMARY KEY, entry TEXT NOT NULL, head TEXT NOT NULL);
";

/// Begins a file with a header and empty tables.
pub(super) fn create(path: &Path, header: &Header) -> Result<Connection> {
    let db = connect(path)?;
    // All at once: who is killed here leaves nothing that has begun.
    let begun = (|| {
        let all = db.unchecked_transaction()?;
        all.pragma_update(None, "application_id", APPLICATION)?;
        all.pragma_update(None, "user_version", SCHEMA)?;
        all.execute_batch(TABLES)?;
        all.execute("INSERT INTO header (value) VALUES (?1)", [json(header)])?;
        all.commit()
    })();
    begun.map_err(|error| refused(path, &error))?;
    Ok(db)
}

/// Whether anything was written to a file, by us or by anybody.
pub(super) fn is_begun(path: &Path) -> bool {
    let is_empty = || -> rusqlite::Result<bool> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
    };
    path.is_file() && !is_empty().unwrap_or(false)
}

/// Opens a file of ours, and reads its header.
pub(super) fn open(folder: &Path) -> Result<(Connection, Header)> {
    let path = &folder.join(STORE);
    if !path.is_file() {
        let next = "name the folder that `grader class score --out` has made";
        return Err(Trouble::usage(format!("{} has no {STORE}", shown(folder)), next));
    }
    let db = connect(path)?;
    let no_store = |why: &str| {
        let next = "score into another folder";
        Trouble::usage(format!("{} has no results of this grader: {why}", shown(path)), next)
    };
    let number = |pragma: &str| db.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let (application, schema) = number("application_id")
        .and_then(|application| Ok((application, number("user_version")?)))
        .map_err(|error| refused(path, &error))?;
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
        .map_err(|error| refused(path, &error))?;
    let header = text.and_then(|text| serde_json::from_str(&text).ok());
    let header = header.ok_or_else(|| no_store("its first entry can't be read"))?;
    Ok((db, header))
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

/// What the system says, and what to do about it.
pub(super) fn refused(path: &Path, error: &rusqlite::Error) -> Trouble {
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
