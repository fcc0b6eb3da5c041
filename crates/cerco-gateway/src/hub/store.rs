//! What survives a restart beside the journal: boards with their loops and bubbles, and
//! Full Auto. Grants are never here.
//!
//! One small document in `SQLite`, replaced whole in one transaction: after kill -9 at any
//! moment it is the old state or the new.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use crate::wire::Tool;

const FILE_NAME: &str = "gateway.sqlite";

/// Everything that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// The boards, oldest first.
    pub boards: Vec<SavedBoard>,
}

/// A board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBoard {
    /// Its id, which is its name.
    pub id: String,
    /// The project's root.
    pub root: PathBuf,
    /// Full Auto, while it is on: since when, and how many asks it allowed.
    pub full_auto: Option<(u64, u64)>,
    /// Loops that were made in the gateway.
    pub loops: Vec<SavedLoop>,
    /// Bubbles that a person made.
    pub bubbles: Vec<SavedBubble>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedLoop {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the project.
    pub folder: String,
}

/// A bubble.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBubble {
    /// Its loop's name.
    pub loop_name: String,
    /// Its name.
    pub name: String,
    /// Its role's name.
    pub role: String,
    /// Its tools, where the role is no built-in one.
    pub tools: Option<Vec<Tool>>,
}

/// Why the state can't be kept.
#[derive(Debug, thiserror::Error)]
#[error("the gateway's state in {} can't be used: {what}; {}", path.display(), self.step())]
pub struct StoreError {
    path: PathBuf,
    what: String,
    is_damaged: bool,
}

impl StoreError {
    fn of(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let code = error.sqlite_error_code();
        Self {
            path: path.to_path_buf(),
            what: error.to_string(),
            is_damaged: matches!(code, Some(DatabaseCorrupt | NotADatabase)),
        }
    }

    fn unreadable(path: &Path, error: &serde_json::Error) -> Self {
        Self {
            path: path.to_path_buf(),
            what: error.to_string(),
            is_damaged: true,
        }
    }

    fn step(&self) -> String {
        if self.is_damaged {
            let path = self.path.display();
            return format!(
                "nothing was changed. To begin without boards and Full Auto, move it away: mv {path} {path}.aside"
            );
        }
        "check that its folder is writable and its disk not full".to_owned()
    }
}

/// The file.
#[derive(Debug)]
pub struct Store {
    db: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens it in the state folder, or makes it.
    pub fn open(state: &Path) -> Result<Self, StoreError> {
        let path = state.join(FILE_NAME);
        let error = |e: rusqlite::Error| StoreError::of(&path, &e);
        let db = Connection::open(&path).map_err(error)?;
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;
             CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;",
        )
        .map_err(error)?;
        Ok(Self { db, path })
    }

    /// What was kept. A state that doesn't read back is an error, never an empty one:
    /// Full Auto must not be guessed.
    pub fn load(&self) -> Result<Saved, StoreError> {
        let text: Option<String> = self
            .db
            .query_row("SELECT value FROM state WHERE key = 'boards'", [], |row| {
                row.get(0)
            })
            .optional()
            .map_err(|e| StoreError::of(&self.path, &e))?;
        text.map_or_else(
            || Ok(Saved::default()),
            |text| serde_json::from_str(&text).map_err(|e| StoreError::unreadable(&self.path, &e)),
        )
    }

    /// Keeps it. When this returns, it is on the disk.
    pub fn save(&self, saved: &Saved) -> Result<(), StoreError> {
        let text =
            serde_json::to_string(saved).map_err(|e| StoreError::unreadable(&self.path, &e))?;
        self.db
            .execute(
                "INSERT INTO state VALUES ('boards', ?1)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [text],
            )
            .map(|_| ())
            .map_err(|e| StoreError::of(&self.path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_damage_is_no_empty_state() {
        let folder = std::env::temp_dir().join(format!("cerco-store-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let saved = Saved {
            boards: vec![SavedBoard {
                id: "p".to_owned(),
                root: "/p".into(),
                full_auto: Some((5, 7)),
                loops: vec![SavedLoop {
                    name: "a".to_owned(),
                    folder: "a".to_owned(),
                }],
                bubbles: Vec::new(),
            }],
        };
        let store = Store::open(&folder).unwrap();
        assert_eq!(store.load().unwrap(), Saved::default());
        store.save(&saved).unwrap();
        assert_eq!(Store::open(&folder).unwrap().load().unwrap(), saved);
        store
            .db
            .execute("UPDATE state SET value = '{'", [])
            .unwrap();
        assert!(store.load().is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
