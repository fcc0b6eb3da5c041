//! The journal: every command, verdict, answer and outcome, durable.
//!
//! An entry is on the disk before its command starts and closed after it. `SQLite` in WAL
//! mode with `synchronous = FULL`: an entry that was acknowledged survives a power cut. How a
//! command ended survives the death of any process, but is not waited for on the disk: a
//! power cut within moments of the end may leave the entry open. An entry that was left open
//! is closed as interrupted at the next start, once its owner is gone.
//!
//! It must never lose or overwrite an entry by itself: a damaged file is reported, and moved
//! aside only when a person says so.

mod entry;
mod error;
mod export;
mod id;
mod mask;
mod owner;
mod query;
mod said;
mod schema;
mod time;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

pub use entry::{Closing, Decided, Entry, EntryPart, EntryReason, Held, Opening, Run};
pub use error::JournalError;
pub use export::SCHEMA_VERSION;
pub use id::EntryId;
pub(crate) use mask::Blackout;
pub use mask::{Masked, mask};
pub use query::{Pages, Query};
pub use said::Saying;
pub use time::rfc3339;

pub use crate::wire::{Decision, DecisionSource};

use crate::folders::private_folder;
use owner::Owner;
use schema::Durability;

/// The journal's file in the state folder.
pub const FILE_NAME: &str = "journal.sqlite";

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    db: Connection,
    path: PathBuf,
    owner: Owner,
}

impl Journal {
    /// Opens the journal in the state folder, makes it where there is none, and closes the
    /// entries of processes that are gone. `now` in milliseconds since 1970.
    pub fn open(state: &Path, now: u64) -> Result<Self, JournalError> {
        private_folder(state)?;
        let path = state.join(FILE_NAME);
        let db = schema::open(&path).map_err(|e| JournalError::of(e, &path))?;
        let journal = Self {
            db,
            path,
            owner: Owner::this_process(),
        };
        journal.close_interrupted(now)?;
        Ok(journal)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an entry. When this returns, it is durable, and the command may start.
    pub fn begin(&mut self, opening: &Opening) -> Result<EntryId, JournalError> {
        self.write(opening, None)
    }

    /// Writes an entry of a command that does not run: open and closed in one.
    pub fn record(&mut self, opening: &Opening) -> Result<EntryId, JournalError> {
        self.write(opening, Some(&Closing::at(opening.time, Run::NotRun)))
    }

    /// Writes what a person, a grant, Full Auto or the time said of an entry that waited.
    pub fn decide(&mut self, id: EntryId, decided: &Decided) -> Result<(), JournalError> {
        self.update(
            "UPDATE entries SET decided = ?2, decision = ?3 WHERE seq = ?1 AND closing IS NULL",
            params![id.0, json(decided), word(decided.decision)],
        )
    }

    /// Closes an entry. Survives this process's death, and a power cut a moment later: a
    /// command is not kept waiting for the disk a second time.
    pub fn close(&mut self, id: EntryId, closing: &Closing) -> Result<(), JournalError> {
        let set = |durability| schema::set(&self.db, durability).map_err(|e| self.error(e));
        set(Durability::Death)?;
        let closed = self.update(
            "UPDATE entries SET closing = ?2 WHERE seq = ?1 AND closing IS NULL",
            params![id.0, json(closing)],
        );
        // Whatever became of it: the next entry is durable again, or it isn't written.
        set(Durability::PowerCut)?;
        closed
    }

    /// One entry.
    pub fn entry(&self, id: EntryId) -> Result<Option<Entry>, JournalError> {
        self.db
            .prepare_cached(&format!(
                "SELECT {} FROM entries WHERE seq = ?1",
                query::COLUMNS
            ))
            .and_then(|mut s| s.query_row([id.0], query::entry).optional())
            .map_err(|e| self.error(e))
    }

    /// The entries that `query` names, newest first.
    pub fn entries(&self, query: &Query) -> Result<Vec<Entry>, JournalError> {
        query::run(&self.db, query).map_err(|e| self.error(e))
    }

    /// Every entry that there is now, oldest first, to be read a page at a time.
    pub fn pages(&self) -> Result<Pages, JournalError> {
        query::newest(&self.db)
            .map(Pages::to)
            .map_err(|e| self.error(e))
    }

    /// The next page; empty when there is none.
    pub fn page(&self, pages: &mut Pages) -> Result<Vec<Entry>, JournalError> {
        pages.next(&self.db).map_err(|e| self.error(e))
    }

    /// Calls `each` with every entry, oldest first, without holding them all in memory.
    /// Stops at the first error that `each` gives.
    pub fn export<E>(
        &self,
        mut each: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<Result<(), E>, JournalError> {
        let mut pages = self.pages()?;
        loop {
            let page = self.page(&mut pages)?;
            if page.is_empty() {
                return Ok(Ok(()));
            }
            for entry in page {
                if let Err(error) = each(entry) {
                    return Ok(Err(error));
                }
            }
        }
    }

    /// Deletes closed entries and chat answers older than `before` (milliseconds since 1970); says how many
    /// entries.
    /// Only from the oldest on: one that a wrong clock dated back goes with its neighbours.
    pub fn forget_before(&mut self, before: u64) -> Result<usize, JournalError> {
        self.db
            .execute("DELETE FROM said WHERE time < ?1", [signed(before)])
            .map_err(|e| self.error(e))?;
        self.db
            .execute(
                "DELETE FROM entries WHERE time < ?1 AND closing IS NOT NULL AND seq < (
                    SELECT ifnull(min(seq), 0x7fffffffffffffff) FROM entries WHERE time >= ?1)",
                [signed(before)],
            )
            .map_err(|e| self.error(e))
    }

    /// Moves a journal that can't be read aside, so that a new one can begin. A person's
    /// step (`cerco log move-aside`): nothing is deleted. Kept output goes with it, since the
    /// numbers of entries begin anew. Gives the file's new place.
    pub fn move_aside(state: &Path, now: u64) -> Result<PathBuf, JournalError> {
        let path = state.join(FILE_NAME);
        let aside = state.join(format!("{FILE_NAME}.aside-{now}"));
        let files = ["", "-wal", "-shm"].map(|ending| {
            let to = format!("{FILE_NAME}.aside-{now}{ending}");
            (format!("{FILE_NAME}{ending}"), to)
        });
        let output = crate::hub::output::FOLDER;
        let output = (output.to_owned(), format!("{output}.aside-{now}"));
        for (from, to) in files.into_iter().chain([output]) {
            let (from, to) = (state.join(from), state.join(to));
            if from.exists() {
                std::fs::rename(&from, &to).map_err(|source| JournalError::Moving {
                    path: path.clone(),
                    source,
                })?;
            }
        }
        Ok(aside)
    }

    fn write(
        &mut self,
        opening: &Opening,
        closing: Option<&Closing>,
    ) -> Result<EntryId, JournalError> {
        let path = self.path.clone();
        let owner = self.owner.text();
        let run = |db: &mut Connection| -> rusqlite::Result<EntryId> {
            let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            step.prepare_cached(schema::INSERT)?.execute(params![
                signed(opening.time),
                opening.board,
                opening.verdict.word(),
                word(opening.decided.decision),
                owner,
                json(opening),
                json(&opening.decided),
                closing.map(json),
            ])?;
            let seq = step.last_insert_rowid();
            step.prepare_cached(schema::INSERT_TEXT)?
                .execute(params![seq, opening.searched()])?;
            step.commit()?;
            Ok(EntryId(seq))
        };
        run(&mut self.db).map_err(|e| JournalError::of(e, &path))
    }

    fn update(&self, text: &str, values: impl rusqlite::Params) -> Result<(), JournalError> {
        let changed = self
            .db
            .prepare_cached(text)
            .and_then(|mut s| s.execute(values))
            .map_err(|e| self.error(e))?;
        // Closed twice, or gone by retention: whoever asks has lost track.
        if changed == 1 {
            Ok(())
        } else {
            Err(JournalError::NotOpen)
        }
    }

    fn close_interrupted(&self, now: u64) -> Result<(), JournalError> {
        let run = || -> rusqlite::Result<()> {
            let mut statement = self
                .db
                .prepare_cached("SELECT seq, owner, time FROM entries WHERE closing IS NULL")?;
            let open = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<Vec<(i64, String, i64)>>>()?;
            for (seq, owner, time) in open {
                if Owner::is_gone(&owner, time, signed(now)) {
                    self.db.execute(
                        "UPDATE entries SET closing = ?2 WHERE seq = ?1 AND closing IS NULL",
                        params![seq, json(&Closing::at(now, Run::Interrupted))],
                    )?;
                }
            }
            Ok(())
        };
        run().map_err(|e| self.error(e))
    }

    fn error(&self, error: rusqlite::Error) -> JournalError {
        JournalError::of(error, &self.path)
    }
}

/// Our own types always become JSON; were that ever wrong, the entry says so itself.
fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
}

/// As it stands in the column that is asked by.
fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Pending => "pending",
        Decision::Allow => "allow",
        Decision::Deny => "deny",
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
