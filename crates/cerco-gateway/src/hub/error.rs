//! Why the gateway can't do something.

use super::store::StoreError;
use crate::changing::ChangeError;
use crate::folders::FoldersError;
use crate::journal::JournalError;
use crate::project::{LoopError, ProjectError};
use crate::toml_file::FileError;

/// Why the gateway can't do something, in words with a next step.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The folders.
    #[error(transparent)]
    Folders(#[from] FoldersError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The state.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of settings or projects.
    #[error(transparent)]
    File(#[from] FileError),
    /// A change of one of them.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The project, loop or role.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A loop's folder.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// There is no such board, loop, bubble, ask, grant, run or window.
    #[error("there is no such {0} (any more); load the page again")]
    NotFound(&'static str),
    /// What was given can't be used.
    #[error("{0}")]
    Wrong(String),
    /// The same is being done for another window.
    #[error("the self-test is running for another window; wait until it ended")]
    Busy,
}

impl HubError {
    /// A name that stays the same, and the HTTP status.
    #[must_use]
    pub fn id_and_status(&self) -> (&'static str, u16) {
        match self {
            Self::NotFound(_) => ("not_found", 404),
            Self::Busy => ("busy", 409),
            Self::Wrong(_) | Self::Loop(_) | Self::Project(_) => ("wrong", 422),
            Self::Folders(_)
            | Self::Journal(_)
            | Self::Store(_)
            | Self::File(_)
            | Self::Change(_) => ("storage", 507),
        }
    }
}
