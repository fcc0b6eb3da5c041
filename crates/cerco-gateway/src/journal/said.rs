//! What bubbles said, beside the commands: kept with the journal, searched by nobody.
//!
//! A board keeps its newest only, so that a talkative host can't fill the disk.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use super::{Journal, JournalError, json, signed};

/// How many chat answers a board keeps.
const KEPT: u32 = 1000;

pub(super) const TABLE: &str = "
CREATE TABLE IF NOT EXISTS said (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time   INTEGER NOT NULL,
    board  TEXT    NOT NULL,
    saying TEXT    NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS said_board ON said (board, number);
";

/// A chat answer as it is kept. Secrets in it are masked before it comes here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saying {
    /// When it came, in milliseconds since 1970.
    pub time: u64,
    /// The board.
    pub board: String,
    /// The loop's name.
    pub loop_name: String,
    /// The bubble's name.
    pub bubble: String,
    /// Its role.
    pub role: String,
    /// The host.
    pub host: String,
    /// The text.
    pub text: String,
    /// Whether a secret in it was masked: what is left is not what was said.
    pub masked: bool,
}

impl Journal {
    /// Keeps a chat answer and gives its number; the board's oldest goes where there are
    /// too many.
    pub fn say(&mut self, saying: &Saying) -> Result<i64, JournalError> {
        let run = |db: &mut Connection| -> rusqlite::Result<i64> {
            let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            step.prepare_cached("INSERT INTO said (time, board, saying) VALUES (?1, ?2, ?3)")?
                .execute(params![signed(saying.time), saying.board, json(saying)])?;
            let number = step.last_insert_rowid();
            step.prepare_cached(
                "DELETE FROM said WHERE board = ?1 AND number NOT IN \
                 (SELECT number FROM said WHERE board = ?1 ORDER BY number DESC LIMIT ?2)",
            )?
            .execute(params![saying.board, KEPT])?;
            step.commit()?;
            Ok(number)
        };
        run(&mut self.db).map_err(|e| JournalError::of(e, &self.path))
    }

    /// One chat answer.
    pub fn saying(&self, number: i64) -> Result<Option<Saying>, JournalError> {
        let found = self.sayings("WHERE number = ?1 LIMIT ?2", params![number, 1])?;
        Ok(found.into_iter().next().map(|(_, saying)| saying))
    }

    /// The newest of all boards, newest first, each with its number.
    pub fn said(&self, most: u32) -> Result<Vec<(i64, Saying)>, JournalError> {
        self.sayings("ORDER BY number DESC LIMIT ?1", params![most])
    }

    fn sayings(
        &self,
        which: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<(i64, Saying)>, JournalError> {
        let run = || -> rusqlite::Result<Vec<(i64, Saying)>> {
            let text = format!("SELECT number, saying FROM said {which}");
            let mut statement = self.db.prepare_cached(&text)?;
            let rows = statement.query_map(values, row)?;
            rows.collect()
        };
        run().map_err(|e| self.error(e))
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<(i64, Saying)> {
    Ok((
        row.get(0)?,
        super::query::parsed(1, &row.get::<_, String>(1)?)?,
    ))
}
