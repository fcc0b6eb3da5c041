//! A loop's folder: real, inside the project, reached without a link or `..`.
//!
//! What is accepted here becomes writable for an agent, so a folder that only looks like it
//! is inside (through a link, through `..`) is refused, not resolved.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its name; for a folder that no `cerco.toml` names, the folder from the root.
    pub name: String,
    /// Its folder, absolute.
    pub folder: PathBuf,
}

/// Why a folder can't be a loop's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// Nothing is there.
    #[error("the loop folder {} doesn't exist; make it: mkdir -p {}", .0.display(), .0.display())]
    Missing(PathBuf),
    /// It is outside, or its path says `..`.
    #[error("the loop folder {} is not inside the project {}; name a folder below it", folder.display(), project.display())]
    Outside {
        /// The folder, as given.
        folder: PathBuf,
        /// The project's root.
        project: PathBuf,
    },
    /// It, or a folder on the way to it, is a symbolic link.
    #[error("{} is a symbolic link; a loop's folder must be a real one, name that", .0.display())]
    Link(PathBuf),
    /// Something else is there.
    #[error("{} is not a folder; name a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The name can't be text.
    #[error("the folder {} has a name that is not UTF-8; rename it", .0.display())]
    NotText(PathBuf),
}

/// Checks that `folder` (relative to `root`, or absolute) can be a loop's, and gives its
/// absolute path. `root` must be canonical.
pub fn loop_folder(root: &Path, folder: &Path) -> Result<PathBuf, LoopError> {
    let outside = || LoopError::Outside {
        folder: folder.to_path_buf(),
        project: root.to_path_buf(),
    };
    let inside = if folder.is_absolute() {
        folder.strip_prefix(root).map_err(|_| outside())?
    } else {
        folder
    };
    let mut at = root.to_path_buf();
    for component in inside.components() {
        match component {
            Component::CurDir => continue,
            Component::Normal(name) => at.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(outside());
            }
        }
        let found = fs::symlink_metadata(&at).map_err(|_| LoopError::Missing(at.clone()))?;
        if found.is_symlink() {
            return Err(LoopError::Link(at));
        }
        if !found.is_dir() {
            return Err(LoopError::NotAFolder(at));
        }
    }
    if at.to_str().is_none() {
        return Err(LoopError::NotText(at));
    }
    Ok(at)
}

/// The loops of `all` that lie inside `of`'s folder, itself not counted.
pub fn nested<'a>(all: &'a [Loop], of: &'a Loop) -> impl Iterator<Item = &'a Loop> {
    all.iter()
        .filter(|other| other.folder != of.folder && other.folder.starts_with(&of.folder))
}
