//! Asking the journal.

use rusqlite::types::Type;
use rusqlite::{Connection, Row, ToSql};
use serde::de::DeserializeOwned;

use cerco_model::Verdict;

use super::{Decided, DecisionSource, Entry, EntryId, Opening};

/// Which entries, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Words (or beginnings of words) that all have to be there.
    pub text: Option<String>,
    /// Only this board's.
    pub board: Option<String>,
    /// Only with this verdict.
    pub verdict: Option<Verdict>,
    /// Only decided on this word.
    pub source: Option<DecisionSource>,
    /// Only entries with a smaller number.
    pub before: Option<EntryId>,
    /// How many at most.
    pub limit: u32,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            text: None,
            board: None,
            verdict: None,
            source: None,
            before: None,
            limit: 50,
        }
    }
}

pub(super) const COLUMNS: &str = "seq, opening, decided, closing";

pub(super) fn run(db: &Connection, query: &Query) -> rusqlite::Result<Vec<Entry>> {
    let mut sql = format!("SELECT {COLUMNS} FROM entries WHERE 1");
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    if let Some(text) = &query.text {
        let Some(phrase) = phrase(text) else {
            return Ok(Vec::new());
        };
        sql.push_str(" AND seq IN (SELECT rowid FROM texts WHERE texts MATCH ?)");
        values.push(Box::new(phrase));
    }
    if let Some(board) = &query.board {
        sql.push_str(" AND board = ?");
        values.push(Box::new(board.clone()));
    }
    if let Some(verdict) = query.verdict {
        sql.push_str(" AND verdict = ?");
        values.push(Box::new(verdict.word()));
    }
    if let Some(source) = query.source {
        // Both sides as JSON, so that the word is written in one place only.
        sql.push_str(" AND decided -> '$.decision_source' = ?");
        let word = serde_json::to_string(&source);
        values.push(Box::new(word.map_err(|e| {
            rusqlite::Error::ToSqlConversionFailure(Box::new(e))
        })?));
    }
    if let Some(before) = query.before {
        sql.push_str(" AND seq < ?");
        values.push(Box::new(before.0));
    }
    sql.push_str(" ORDER BY seq DESC LIMIT ?");
    values.push(Box::new(query.limit));
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(values), entry)?;
    rows.collect()
}

/// So many entries are read at once: each may be as long as the longest command.
const PAGE: u32 = 200;

/// A reading of the journal from its beginning. Entries that come later are not in it, so it
/// ends however slowly it is read.
#[derive(Clone, Debug)]
pub struct Pages {
    last: i64,
    until: i64,
}

impl Pages {
    pub(super) fn to(until: i64) -> Self {
        Self { last: 0, until }
    }

    pub(super) fn next(&mut self, db: &Connection) -> rusqlite::Result<Vec<Entry>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM entries WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
        );
        let mut statement = db.prepare_cached(&sql)?;
        let rows = statement.query_map((self.last, self.until, PAGE), entry)?;
        let page: Vec<Entry> = rows.collect::<rusqlite::Result<_>>()?;
        self.last = page.last().map_or(self.until, |entry| entry.id.0);
        Ok(page)
    }
}

/// The newest entry's number; 0 where there is none.
pub(super) fn newest(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("SELECT ifnull(max(seq), 0) FROM entries", [], |row| {
        row.get(0)
    })
}

/// The words as FTS5 takes them: each quoted, so that no word is an operator, and each the
/// beginning of a word.
fn phrase(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\"*"))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let mut opening: Opening = parsed(1, &row.get::<_, String>(1)?)?;
    let decided: Decided = parsed(2, &row.get::<_, String>(2)?)?;
    opening.decided = decided;
    let closing = row
        .get::<_, Option<String>>(3)?
        .map(|text| parsed(3, &text))
        .transpose()?;
    Ok(Entry {
        id: EntryId(row.get(0)?),
        opening,
        closing,
    })
}

pub(super) fn parsed<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(e)))
}
