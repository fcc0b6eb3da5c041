//! The file's form, and how it is opened.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// The form this Cerco writes, kept in the file's `user_version`.
pub(super) const FORM: i64 = 1;

/// What is asked by (verdict, board, time) stands in columns, the rest as JSON.
const TABLES: &str = "
CREATE TABLE entries (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    time     INTEGER NOT NULL,
    board    TEXT    NOT NULL,
    verdict  TEXT    NOT NULL,
    decision TEXT    NOT NULL,
    owner    TEXT    NOT NULL,
    opening  TEXT    NOT NULL,
    decided  TEXT    NOT NULL,
    closing  TEXT
) STRICT;
CREATE INDEX entries_open ON entries (seq) WHERE closing IS NULL;
CREATE INDEX entries_time ON entries (time);
CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1);
CREATE TRIGGER entries_gone AFTER DELETE ON entries BEGIN
    DELETE FROM texts WHERE rowid = old.seq;
END;
PRAGMA user_version = 1;
";

pub(super) const INSERT: &str = "
INSERT INTO entries (time, board, verdict, decision, owner, opening, decided, closing)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
pub(super) const INSERT_TEXT: &str = "INSERT INTO texts (rowid, text) VALUES (?1, ?2)";

/// The journal's log is written from its start again whenever it has grown to this many
/// pages. Whoever opens it next reads what is in it first: with `SQLite`'s own limit of 1000,
/// that was a third of the time of a short command.
const LOG_PAGES: i64 = 128;
/// A little more than that, in bytes.
const LOG_BYTES: i64 = 1 << 20;

pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    // SQLite gives -wal and -shm the mode of the main file, so that is made first.
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    // Each `cerco run` opens and closes the journal: emptying the WAL every time would cost
    // two more fsyncs. It is emptied when it has grown.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    let form: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match form {
        0 => create(&mut db)?,
        FORM => {}
        found => return Err(rusqlite::Error::IntegralValueOutOfRange(0, found)),
    }
    set(&db, Durability::PowerCut)?;
    // Beside the form: an older Cerco doesn't see it and loses nothing.
    db.execute_batch(super::said::TABLE)?;
    Ok(db)
}

fn create(db: &mut Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    set(db, Durability::PowerCut)?;
    let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let form: i64 = step.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if form != 0 {
        return step.commit();
    }
    step.execute_batch(TABLES)?;
    step.commit()?;
    make_room(db)
}

/// Writes the log once to its full length. Making what is written over durable costs the
/// disk one write; making a file durable that has grown costs the file system's own
/// journal as well, several times that, before every command.
fn make_room(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch("CREATE TABLE room (bytes BLOB) STRICT")?;
    db.execute("INSERT INTO room VALUES (zeroblob(?1))", [LOG_BYTES])?;
    db.execute_batch("DROP TABLE room; VACUUM")?;
    db.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))
}

/// What a write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// A power cut.
    PowerCut,
    /// The death of this process, at any moment; a power cut that comes later than the
    /// next write of the other kind.
    Death,
}

pub(super) fn set(db: &Connection, durability: Durability) -> rusqlite::Result<()> {
    db.execute_batch(match durability {
        Durability::PowerCut => "PRAGMA synchronous = FULL",
        Durability::Death => "PRAGMA synchronous = NORMAL",
    })
}
