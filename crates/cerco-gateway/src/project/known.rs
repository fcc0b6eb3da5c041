//! The projects a person made known with `cerco init`: `projects.toml` in the
//! configuration folder.
//!
//! Each entry keeps the text of the project's `cerco.toml` as it was accepted. A repository
//! can't make itself known, and an agent that rewrites a `cerco.toml` changes nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::folders::{FoldersError, private_folder};
use crate::toml_file::{self, FileError};
use crate::wire::NetworkSetting;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default, rename = "project")]
    projects: Vec<KnownProject>,
}

/// A project that a person made known.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownProject {
    /// Its canonical root.
    pub root: PathBuf,
    /// The network of its commands in the sandbox; nothing: as the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSetting>,
    /// Its `cerco.toml` as accepted.
    pub accepted: String,
}

/// The list.
#[derive(Clone, Debug)]
pub struct Known {
    path: PathBuf,
    content: Content,
}

/// Why the list can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KnownError {
    /// The file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its folder.
    #[error(transparent)]
    Folder(#[from] FoldersError),
}

impl Known {
    /// Reads the list in the configuration folder.
    pub fn load(config: &Path) -> Result<Self, FileError> {
        let path = config.join("projects.toml");
        let content = match toml_file::read(&path)? {
            Some(text) => toml_file::parse(&path, &text)?,
            None => Content::default(),
        };
        Ok(Self { path, content })
    }

    /// All of them.
    #[must_use]
    pub fn projects(&self) -> &[KnownProject] {
        &self.content.projects
    }

    /// The innermost known project that `path` (canonical) lies in.
    #[must_use]
    pub fn around(&self, path: &Path) -> Option<&KnownProject> {
        self.projects()
            .iter()
            .filter(|p| path.starts_with(&p.root))
            .max_by_key(|p| p.root.components().count())
    }

    /// Adds a project or accepts its file anew, and writes the list.
    pub fn accept(&mut self, root: PathBuf, accepted: String) -> Result<(), KnownError> {
        let before = self.content.projects.iter().position(|p| p.root == root);
        let network = before.and_then(|at| self.content.projects.remove(at).network);
        self.content.projects.push(KnownProject {
            root,
            network,
            accepted,
        });
        self.content.projects.sort_by(|a, b| a.root.cmp(&b.root));
        self.write()
    }

    /// Takes a network for the project at `root`, and writes the list. Says whether there is
    /// such a project.
    pub fn set_network(
        &mut self,
        root: &Path,
        network: Option<NetworkSetting>,
    ) -> Result<bool, KnownError> {
        let mut all = self.content.projects.iter_mut();
        let Some(found) = all.find(|p| p.root == root) else {
            return Ok(false);
        };
        found.network = network;
        self.write()?;
        Ok(true)
    }

    fn write(&self) -> Result<(), KnownError> {
        if let Some(folder) = self.path.parent() {
            private_folder(folder)?;
        }
        let text = toml::to_string(&self.content).map_err(|error| FileError::Unwritable {
            path: self.path.clone(),
            source: std::io::Error::other(error),
        })?;
        let head = "# Projects that `cerco init` made known. Written by Cerco.\n\n";
        let text = format!("{head}{text}");
        Ok(toml_file::write(
            &self.path,
            &text,
            toml_file::Readers::Owner,
        )?)
    }
}
