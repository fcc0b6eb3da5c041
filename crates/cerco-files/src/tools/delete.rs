//! Delete a file or folder inside the loop.

use std::ffi::OsString;

use serde::Serialize;

use super::lock::lock;
use super::write::now;
use crate::handle::{Folder, Id, Type};
use crate::limits::Deadline;
use crate::walk::{Want, swapped, system};
use crate::{FileError, LoopFiles, RelPath};

/// What of a folder goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The folder, if it is empty.
    Empty,
    /// The folder with all it holds.
    All,
}

/// What was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Deleted {
    /// Files, folders and links that are gone.
    pub entries: usize,
}

impl LoopFiles {
    /// Deletes. A link is deleted, never what it points to. A folder that holds another
    /// loop, a secret or a file of git is left whole.
    pub fn delete(&self, path: &RelPath, depth: Depth) -> Result<Deleted, FileError> {
        let spot = self.walk(path, Want::Change)?;
        let name = OsString::from(spot.named(path)?);
        let Some(meta) = spot.meta else {
            return Err(FileError::Missing {
                path: path.to_string(),
            });
        };
        let mut entries = 1;
        if meta.kind == Type::Folder && depth == Depth::All {
            self.free(&spot.rel, spot.as_folder(path)?, path)?;
            let mut keep = self.own_ids();
            keep.extend(self.other_ids().into_iter().map(|(_, id)| id));
            let mut emptying = Emptying {
                path,
                keep,
                deadline: Deadline::after(self.bounds.limits.time),
                removed: 0,
            };
            emptying.empty(spot.as_folder(path)?)?;
            entries += emptying.removed;
        }
        let _lock = lock(self, &spot.folder, path)?;
        if now(&spot, path)?.map(|m| m.id) != Some(meta.id) {
            return Err(FileError::Changed {
                path: path.to_string(),
            });
        }
        if meta.kind == Type::Folder {
            spot.folder.remove_folder(&name)
        } else {
            spot.folder.remove_file(&name)
        }
        .map_err(|e| system(path, e))?;
        spot.folder.sync().map_err(|e| system(path, e))?;
        Ok(Deleted { entries })
    }
}

struct Emptying<'a> {
    path: &'a RelPath,
    keep: Vec<Id>,
    deadline: Deadline,
    removed: usize,
}

impl Emptying<'_> {
    /// Removes all that `top` holds, deepest first, without recursion: the depth is an
    /// adversary's to choose.
    fn empty(&mut self, top: Folder) -> Result<(), FileError> {
        let names = self.names(&top)?;
        let mut levels = vec![(top, OsString::new(), names)];
        while let Some((folder, _, names)) = levels.last_mut() {
            self.deadline.check()?;
            let Some(name) = names.pop() else {
                let done = levels.pop();
                if let (Some((_, name, _)), Some((parent, _, _))) = (done, levels.last()) {
                    parent
                        .remove_folder(&name)
                        .map_err(|e| system(self.path, e))?;
                    self.removed += 1;
                }
                continue;
            };
            let Some(meta) = folder.meta(&name).map_err(|e| system(self.path, e))? else {
                continue;
            };
            if self.keep.contains(&meta.id) {
                return Err(FileError::Changed {
                    path: self.path.to_string(),
                });
            }
            if meta.kind == Type::Folder {
                let inner = folder.folder(&name).map_err(|e| swapped(self.path, e))?;
                if self
                    .keep
                    .contains(&inner.id().map_err(|e| system(self.path, e))?)
                {
                    return Err(FileError::Changed {
                        path: self.path.to_string(),
                    });
                }
                let names = self.names(&inner)?;
                levels.push((inner, name, names));
            } else {
                folder
                    .remove_file(&name)
                    .map_err(|e| system(self.path, e))?;
                self.removed += 1;
            }
        }
        Ok(())
    }

    fn names(&self, folder: &Folder) -> Result<Vec<OsString>, FileError> {
        folder
            .names()
            .map_err(|e| system(self.path, e))?
            .map(|entry| entry.map(|e| e.name).map_err(|e| system(self.path, e)))
            .collect()
    }
}
