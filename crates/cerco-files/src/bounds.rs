//! Which folder the tools are held to, and what inside it is off limits.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::handle::{Folder, Id, id_of};
use crate::path::{is_git, within};
use crate::{FileError, Limits, RelPath};

/// Tells whether a name looks like a secret: rule `secret` of the filter, which this
/// crate must not know. The path is relative to the loop's folder, with `/`.
pub trait SecretNames: Send + Sync {
    /// Whether the file must not be read or changed.
    fn is_secret(&self, path: &str) -> bool;
}

impl<F: Fn(&str) -> bool + Send + Sync> SecretNames for F {
    fn is_secret(&self, path: &str) -> bool {
        self(path)
    }
}

/// What a loop's tools are held to. Paths come from the person's configuration, never
/// from an agent.
#[derive(Clone)]
pub struct Bounds {
    /// The loop's own folder, absolute and canonical.
    pub folder: PathBuf,
    /// Folders of other loops inside it, relative to it: readable, not writable.
    pub other_loops: Vec<RelPath>,
    /// Files or folders inside it that steer Cerco (`cerco.toml`): readable, not writable.
    pub frozen: Vec<RelPath>,
    /// Cerco's own folders, absolute: not readable, wherever they turn up.
    pub own: Vec<PathBuf>,
    /// The rule `secret`.
    pub secrets: Arc<dyn SecretNames>,
    /// How much one call may do.
    pub limits: Limits,
}

/// The file tools of one loop.
pub struct LoopFiles {
    pub(crate) root: Folder,
    pub(crate) bounds: Bounds,
    own_inside: Vec<String>,
    others_at_start: Vec<(String, Id)>,
}

impl LoopFiles {
    /// Opens the loop's folder and keeps it open: from here on the folder itself counts,
    /// not what its path names later.
    pub fn open(bounds: Bounds) -> Result<Self, FileError> {
        let root = Folder::root(&bounds.folder).map_err(|source| FileError::Loop { source })?;
        let own_inside = bounds
            .own
            .iter()
            .filter_map(|own| inside(&bounds.folder, own))
            .collect();
        let mut files = Self {
            root,
            bounds,
            own_inside,
            others_at_start: Vec::new(),
        };
        if files.own_ids().contains(
            &files
                .root
                .id()
                .map_err(|source| FileError::Loop { source })?,
        ) {
            return Err(FileError::Loop {
                source: io::Error::other("it is Cerco's own folder"),
            });
        }
        files.others_at_start = files.other_ids();
        Ok(files)
    }

    /// How much one call may do.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.bounds.limits
    }

    /// Cerco's own folders as they are now; one that doesn't exist yet can't be met.
    pub(crate) fn own_ids(&self) -> Vec<Id> {
        self.bounds
            .own
            .iter()
            .filter_map(|path| id_of(path).ok())
            .collect()
    }

    /// Other loops' folders by identity: as they were at the start and as they are now,
    /// so that neither a rename nor a new folder unlocks one.
    pub(crate) fn other_ids(&self) -> Vec<(String, Id)> {
        let mut ids = self.others_at_start.clone();
        for path in &self.bounds.other_loops {
            if let Some(id) = self.id_at(path) {
                ids.push((path.to_string(), id));
            }
        }
        ids
    }

    /// What the name alone decides for looking at `rel`.
    pub(crate) fn may_see(&self, rel: &str, asked: &RelPath) -> Result<(), FileError> {
        if self.own_inside.iter().any(|own| within(rel, own)) {
            return Err(FileError::Own {
                path: asked.to_string(),
            });
        }
        Ok(())
    }

    /// What the name alone decides for reading `rel`.
    pub(crate) fn may_read(&self, rel: &str, asked: &RelPath) -> Result<(), FileError> {
        self.may_see(rel, asked)?;
        if self.bounds.secrets.is_secret(rel) {
            return Err(FileError::Secret {
                path: asked.to_string(),
            });
        }
        Ok(())
    }

    /// What the name alone decides for changing `rel`.
    pub(crate) fn may_change(&self, rel: &str, asked: &RelPath) -> Result<(), FileError> {
        self.may_read(rel, asked)?;
        let path = asked.to_string();
        for other in &self.bounds.other_loops {
            let owner = other.to_string();
            if within(rel, &owner) {
                return Err(FileError::OtherLoop { path, owner });
            }
        }
        if rel.split('/').any(is_git) {
            return Err(FileError::Git { path });
        }
        if self
            .bounds
            .frozen
            .iter()
            .any(|f| within(rel, &f.to_string()))
        {
            return Err(FileError::Frozen { path });
        }
        Ok(())
    }

    /// What must stay where it is inside the folder `rel`, by name.
    pub(crate) fn held_in(&self, rel: &str) -> Option<(String, &'static str)> {
        let others = self
            .bounds
            .other_loops
            .iter()
            .map(|p| (p.to_string(), "it is another loop's folder"));
        let frozen = self
            .bounds
            .frozen
            .iter()
            .map(|p| (p.to_string(), "it is a setting of the project"));
        let own = self
            .own_inside
            .iter()
            .map(|p| (p.clone(), "it belongs to Cerco itself"));
        others
            .chain(frozen)
            .chain(own)
            .find(|(path, _)| within(path, rel))
    }

    fn id_at(&self, path: &RelPath) -> Option<Id> {
        let mut folder = self.root.again().ok()?;
        for name in path.names() {
            folder = folder.folder(name.as_ref()).ok()?;
        }
        folder.id().ok()
    }
}

/// `path` relative to `folder`, with `/`, where it lies in it.
fn inside(folder: &Path, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(folder).ok()?;
    let names: Vec<&str> = rest.iter().filter_map(|n| n.to_str()).collect();
    (!names.is_empty()).then(|| names.join("/"))
}
