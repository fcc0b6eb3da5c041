//! The projects a person made known with `cerco init`: `projects.toml` in the
//! configuration folder.
//!
//! Each entry keeps the text of the project's `cerco.toml` as it was accepted. A repository
//! can't make itself known, and an agent that rewrites a `cerco.toml` changes nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::changing::{ChangeError, Changing, Readers};
use crate::toml_file::{self, FileError};
use crate::wire::NetworkSetting;

const HEAD: &str = "# Projects that `cerco init` made known. Written by Cerco.\n\n";

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
    /// Whether its secret-looking files are hidden from them; nothing: as the settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hide_secrets: Option<bool>,
    /// Its `cerco.toml` as accepted.
    pub accepted: String,
}

/// What a person chose for one project's commands in the sandbox. What is nothing is as the
/// settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The network.
    pub network: Option<NetworkSetting>,
    /// Whether its secret-looking files are hidden.
    pub hide_secrets: Option<bool>,
}

impl KnownProject {
    /// What a person chose for it.
    #[must_use]
    pub fn choices(&self) -> Choices {
        Choices {
            network: self.network,
            hide_secrets: self.hide_secrets,
        }
    }

    fn choose(&mut self, choices: Choices) {
        self.network = choices.network;
        self.hide_secrets = choices.hide_secrets;
    }
}

/// The list, as it was when it was read or changed last.
#[derive(Clone, Debug)]
pub struct Known {
    config: PathBuf,
    content: Content,
}

impl Known {
    /// Reads the list in the configuration folder.
    pub fn load(config: &Path) -> Result<Self, FileError> {
        let path = path(config);
        Ok(Self {
            content: parse(&path, toml_file::read(&path)?.as_deref())?,
            config: config.to_path_buf(),
        })
    }

    /// The configuration folder that the list is in.
    #[must_use]
    pub fn config(&self) -> &Path {
        &self.config
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

    /// Adds a project or accepts its file anew. What was chosen for it stays.
    pub fn accept(&mut self, root: PathBuf, accepted: String) -> Result<(), ChangeError> {
        let turn = Changing::begin(&self.config)?;
        self.accept_in(&turn, root, accepted).map(|_| ())
    }

    /// The same for who has the turn already. Says whether it was known before.
    pub(super) fn accept_in(
        &mut self,
        turn: &Changing,
        root: PathBuf,
        accepted: String,
    ) -> Result<bool, ChangeError> {
        self.change(turn, |projects| {
            if let Some(found) = projects.iter_mut().find(|p| p.root == root) {
                found.accepted = accepted;
                return true;
            }
            projects.push(KnownProject {
                root,
                network: None,
                hide_secrets: None,
                accepted,
            });
            projects.sort_by(|a, b| a.root.cmp(&b.root));
            false
        })
    }

    /// Changes what a person chose for the project at `root`. Gives what is chosen now;
    /// nothing where there is no such project.
    pub fn choose(
        &mut self,
        root: &Path,
        edit: impl FnOnce(&mut Choices),
    ) -> Result<Option<Choices>, ChangeError> {
        let turn = Changing::begin(&self.config)?;
        self.change(&turn, |projects| {
            let found = projects.iter_mut().find(|p| p.root == root)?;
            let mut choices = found.choices();
            edit(&mut choices);
            found.choose(choices);
            Some(choices)
        })
    }

    /// Changes the list as it is on the disk now, not as it was when it was read.
    fn change<T>(
        &mut self,
        turn: &Changing,
        edit: impl FnOnce(&mut Vec<KnownProject>) -> T,
    ) -> Result<T, ChangeError> {
        let path = path(&self.config);
        let (content, found) = turn.change(&path, Readers::Owner, |text| {
            let mut content = parse(&path, text)?;
            let found = edit(&mut content.projects);
            let text = toml::to_string(&content).map_err(|error| FileError::Unwritable {
                path: path.clone(),
                source: std::io::Error::other(error),
            })?;
            Ok::<_, FileError>((format!("{HEAD}{text}"), (content, found)))
        })?;
        self.content = content;
        Ok(found)
    }
}

fn path(config: &Path) -> PathBuf {
    config.join("projects.toml")
}

fn parse(path: &Path, text: Option<&str>) -> Result<Content, FileError> {
    text.map_or_else(
        || Ok(Content::default()),
        |text| toml_file::parse(path, text),
    )
}
