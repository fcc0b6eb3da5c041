//! A run's own scratch folder: where it is, and that it goes with the run.

use std::fs;
use std::path::PathBuf;

use cerco_model::SandboxState;

use crate::folders::{Folders, FoldersError, private_folder};

/// A run's scratch folder, removed at the end.
#[derive(Debug)]
pub struct Scratch(Option<PathBuf>);

impl Scratch {
    /// Makes it. With the sandbox there is none to make here: it lies in the private `/tmp`.
    pub(crate) fn make(
        folders: &Folders,
        sandbox: SandboxState,
        run_id: &str,
    ) -> Result<Self, FoldersError> {
        match sandbox {
            SandboxState::On => Ok(Self(None)),
            SandboxState::Off => {
                let folder = place(folders, sandbox, run_id);
                private_folder(&folder)?;
                Ok(Self(Some(folder)))
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // `remove_dir_all` follows no links. What can't be removed stays in the cache.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Where the run's programs find it.
pub(crate) fn place(folders: &Folders, sandbox: SandboxState, run_id: &str) -> PathBuf {
    match sandbox {
        SandboxState::On => PathBuf::from(format!("/tmp/cerco-{run_id}")),
        SandboxState::Off => folders.cache.join("runs").join(run_id),
    }
}
