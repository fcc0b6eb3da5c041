//! Move (rename) a file or folder inside the loop. Never takes the place of something.

use serde::Serialize;

use super::lock::lock;
use super::write::now;
use crate::handle::Type;
use crate::limits::Deadline;
use crate::path::within;
use crate::tree::{Next, Seen, Tour};
use crate::walk::{Want, swapped, system};
use crate::{FileError, LoopFiles, RelPath};

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Where it was, relative to the loop's folder.
    pub from: String,
    /// Where it is.
    pub to: String,
}

impl LoopFiles {
    /// Moves `from` to `to`, making the folders on the way. A link is moved, not what it
    /// points to. A folder that holds another loop, a secret or a file of git stays: under
    /// a new name it would no longer be known for what it is.
    pub fn shift(&self, from: &RelPath, to: &RelPath) -> Result<Moved, FileError> {
        let source = self.walk(from, Want::Change)?;
        let name = source.named(from)?.to_owned();
        let Some(meta) = source.meta else {
            return Err(FileError::Missing {
                path: from.to_string(),
            });
        };
        if meta.kind == Type::Special {
            return Err(FileError::Special {
                path: from.to_string(),
            });
        }
        if meta.kind == Type::Folder {
            if within(&to.to_string(), &source.rel) {
                return Err(FileError::BadPath {
                    path: to.to_string(),
                    why: "it lies in the folder to be moved",
                });
            }
            self.free(&source.rel, source.as_folder(from)?, from)?;
        }
        let target = self.walk(to, Want::Make)?;
        let new = target.named(to)?.to_owned();
        if target.meta.is_some() {
            return Err(FileError::Exists {
                path: to.to_string(),
            });
        }
        let _lock = lock(self, &target.folder, to)?;
        // The name must still mean what was judged.
        if now(&source, from)?.map(|m| m.id) != Some(meta.id) {
            return Err(FileError::Changed {
                path: from.to_string(),
            });
        }
        source
            .folder
            .rename(name.as_ref(), &target.folder, new.as_ref())
            .map_err(|e| system(to, e))?;
        target.folder.sync().map_err(|e| system(to, e))?;
        source.folder.sync().map_err(|e| system(from, e))?;
        Ok(Moved {
            from: source.rel,
            to: target.rel,
        })
    }

    /// Refuses a folder that holds something which has to stay. Everything below is
    /// looked at; what is too much to look at stays, too.
    pub(crate) fn free(
        &self,
        rel: &str,
        folder: crate::handle::Folder,
        path: &RelPath,
    ) -> Result<usize, FileError> {
        let holds = |inside: String, why| FileError::Holds {
            path: path.to_string(),
            inside,
            why,
        };
        if let Some((inside, why)) = self.held_in(rel) {
            return Err(holds(inside, why));
        }
        let (own, others) = (self.own_ids(), self.other_ids());
        let mut count = 0;
        let mut tour = Tour {
            files: self,
            path,
            deadline: Deadline::after(self.bounds.limits.time),
            left: self.bounds.limits.visited,
            depth: usize::MAX,
        };
        if own.contains(&folder.id().map_err(|e| swapped(path, e))?) {
            return Err(FileError::Own {
                path: path.to_string(),
            });
        }
        let seen = tour.visit(folder, rel, &mut |item| {
            count += 1;
            if others.iter().any(|(_, id)| *id == item.meta.id) {
                return Err(holds(item.shown.to_owned(), "it is another loop's folder"));
            }
            let Some(name) = item.rel else {
                return Ok(Next::Enter);
            };
            match self.may_change(name, path) {
                Ok(()) => Ok(Next::Enter),
                Err(FileError::Secret { .. }) => {
                    Err(holds(name.to_owned(), "it looks like a secret"))
                }
                Err(FileError::Git { .. }) => {
                    Err(holds(name.to_owned(), "it belongs to git itself"))
                }
                Err(other) => Err(other),
            }
        })?;
        if seen == Seen::Part {
            return Err(FileError::TooMany {
                path: path.to_string(),
                limit: self.bounds.limits.visited,
            });
        }
        Ok(count)
    }
}
