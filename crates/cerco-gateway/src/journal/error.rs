//! What can go wrong with the journal, each with one step. A command whose entry can't be
//! written does not run.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::folders::FoldersError;

/// Why the journal can't be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Its folder.
    #[error(transparent)]
    Folder(#[from] FoldersError),
    /// No space.
    #[error("the disk is full, so the journal {} can't be written; free some space, or run: cerco log prune --days 30", .0.display())]
    Full(PathBuf),
    /// No right to write.
    #[error("the journal {} can't be written: it or its folder is read-only; check who owns it", .0.display())]
    ReadOnly(PathBuf),
    /// Not what was written.
    #[error("the journal {} is damaged; nothing was changed. To keep it and begin a new one, run: cerco log move-aside", .0.display())]
    Damaged(PathBuf),
    /// Written by a later Cerco.
    #[error("the journal {} was written by a newer Cerco (form {found}, this one knows {known}); use that Cerco", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Another process holds it for too long.
    #[error("the journal {} is held by another process; try again, or end that process", .0.display())]
    Busy(PathBuf),
    /// The entry is closed or gone.
    #[error("the entry is not open any more")]
    NotOpen,
    /// A damaged file can't be moved.
    #[error("the journal {} can't be moved: {source}; check who owns its folder", path.display())]
    Moving {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The search words can't be read.
    #[error("nothing can be searched with these words; use plain words")]
    Words,
    /// Anything else.
    #[error("the journal {} can't be used: {source}; if this stays, run: cerco log move-aside", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What `SQLite` said.
        source: rusqlite::Error,
    },
}

impl JournalError {
    pub(super) fn of(error: rusqlite::Error, path: &Path) -> Self {
        let path = path.to_path_buf();
        if let rusqlite::Error::IntegralValueOutOfRange(_, found) = error {
            // How `schema::open` reports a form it doesn't know.
            let known = super::schema::FORM;
            return Self::Newer { path, found, known };
        }
        let Some(code) = error.sqlite_error_code() else {
            return match error {
                // Our own JSON does not read back: the bytes are not ours any more.
                rusqlite::Error::FromSqlConversionFailure(..) => Self::Damaged(path),
                source => Self::Other { path, source },
            };
        };
        match code {
            ErrorCode::DiskFull => Self::Full(path),
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                Self::ReadOnly(path)
            }
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged(path),
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy(path),
            _ => Self::Other {
                path,
                source: error,
            },
        }
    }
}
