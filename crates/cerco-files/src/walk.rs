//! From a path as a bubble wrote it to an open folder and one name in it.
//!
//! Links are resolved here, in our own code, so that the name that is judged is the name
//! that is opened. The kernel is only ever asked to open one name without following
//! links, so a link that appears after the look makes the open fail, not go elsewhere.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io;

use crate::handle::{Folder, Id, Meta, Type};
use crate::{FileError, LoopFiles, MAX_DEPTH, RelPath};

/// As many links as Linux itself follows.
const MAX_LINKS: usize = 40;

/// What is to be done with the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Look at names only.
    See,
    /// Read content.
    Read,
    /// Change something: no link is followed.
    Change,
    /// Change something, and make the folders on the way.
    Make,
}

/// Where a path ends.
#[derive(Debug)]
pub(crate) struct Spot {
    /// The open folder that holds the name; the loop's own folder when there is no name.
    pub(crate) folder: Folder,
    /// The last name; nothing for the loop's own folder.
    pub(crate) name: Option<String>,
    /// The path without links, relative to the loop; empty for the loop's own folder.
    pub(crate) rel: String,
    /// What stands there.
    pub(crate) meta: Option<Meta>,
}

impl LoopFiles {
    pub(crate) fn walk(&self, path: &RelPath, want: Want) -> Result<Spot, FileError> {
        self.may(want, &path.to_string(), path)?;
        Walk {
            files: self,
            path,
            want,
            own: self.own_ids(),
            others: self.other_ids(),
            stack: Vec::new(),
            links: 0,
        }
        .run()
    }

    fn may(&self, want: Want, rel: &str, path: &RelPath) -> Result<(), FileError> {
        match want {
            Want::See => self.may_see(rel, path),
            Want::Read => self.may_read(rel, path),
            Want::Change | Want::Make => self.may_change(rel, path),
        }
    }
}

struct Walk<'a> {
    files: &'a LoopFiles,
    path: &'a RelPath,
    want: Want,
    own: Vec<Id>,
    others: Vec<(String, Id)>,
    /// Folders from below the root to here, each with its name.
    stack: Vec<(String, Folder)>,
    links: usize,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Spot, FileError> {
        let mut left: VecDeque<String> = self.path.names().iter().cloned().collect();
        while let Some(name) = left.pop_front() {
            match name.as_str() {
                "" | "." => continue,
                // Only link targets have it; at the root it would lead out.
                ".." => {
                    if self.stack.pop().is_none() {
                        return Err(FileError::Outside { path: self.asked() });
                    }
                    continue;
                }
                _ => {}
            }
            let here = self.here()?;
            let meta = here.meta(name.as_ref()).map_err(|e| system(self.path, e))?;
            match meta {
                Some(meta) if meta.kind == Type::Link => {
                    if let Some(spot) = self.link(here, &name, meta, &mut left)? {
                        return Ok(spot);
                    }
                }
                Some(meta) if left.is_empty() => return self.end(here, name, Some(meta)),
                None if left.is_empty() => return self.end(here, name, None),
                Some(meta) if meta.kind == Type::Folder => self.enter(&here, name, meta.id)?,
                Some(_) => return Err(FileError::NotFolder { path: self.asked() }),
                None if self.want == Want::Make => self.make(&here, name)?,
                None => return Err(FileError::Missing { path: self.asked() }),
            }
        }
        // The path was `.`, or a link whose target ends in `..` or `.`.
        match self.stack.pop() {
            None => Ok(Spot {
                folder: self.here()?,
                name: None,
                rel: String::new(),
                meta: None,
            }),
            Some((name, _)) => {
                let here = self.here()?;
                let meta = here.meta(name.as_ref()).map_err(|e| system(self.path, e))?;
                if meta.is_some_and(|m| m.kind == Type::Link) {
                    return Err(FileError::Changed { path: self.asked() });
                }
                self.end(here, name, meta)
            }
        }
    }

    /// A link on the way. A change that is about the link itself ends at it.
    fn link(
        &mut self,
        here: Folder,
        name: &str,
        meta: Meta,
        left: &mut VecDeque<String>,
    ) -> Result<Option<Spot>, FileError> {
        if matches!(self.want, Want::Change | Want::Make) {
            if left.is_empty() && self.want == Want::Change {
                return self.end(here, name.to_owned(), Some(meta)).map(Some);
            }
            return Err(FileError::Link {
                path: self.asked(),
                link: self.rel(Some(name)),
            });
        }
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(FileError::LinkLoop { path: self.asked() });
        }
        let target = here
            .link_target(name.as_ref())
            .map_err(|e| system(self.path, e))?;
        let outside = || FileError::Outside { path: self.asked() };
        // A target that isn't text can't be judged by its name.
        let target = target.to_str().ok_or_else(outside)?;
        if target.starts_with('/') || (cfg!(windows) && target.contains(['\\', ':'])) {
            return Err(outside());
        }
        for component in target.split('/').rev() {
            left.push_front(component.to_owned());
        }
        if left.len() > 4 * MAX_DEPTH {
            return Err(FileError::LinkLoop { path: self.asked() });
        }
        Ok(None)
    }

    fn enter(&mut self, here: &Folder, name: String, seen: Id) -> Result<(), FileError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(FileError::LinkLoop { path: self.asked() });
        }
        let folder = here
            .folder(name.as_ref())
            .map_err(|e| swapped(self.path, e))?;
        let id = folder.id().map_err(|e| system(self.path, e))?;
        // The kernel followed no link; that it is the folder which was judged costs one look.
        if id != seen {
            return Err(FileError::Changed { path: self.asked() });
        }
        self.judge(&[id])?;
        self.stack.push((name, folder));
        Ok(())
    }

    fn make(&mut self, here: &Folder, name: String) -> Result<(), FileError> {
        match here.make_folder(name.as_ref()) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(system(self.path, e)),
            _ => {}
        }
        let folder = here
            .folder(name.as_ref())
            .map_err(|e| swapped(self.path, e))?;
        let id = folder.id().map_err(|e| system(self.path, e))?;
        self.enter(here, name, id)
    }

    fn end(&self, folder: Folder, name: String, meta: Option<Meta>) -> Result<Spot, FileError> {
        let rel = self.rel(Some(&name));
        // The name it was asked by was judged before the walk; this is the one it ends at.
        self.files.may(self.want, &rel, self.path)?;
        if let Some(meta) = meta {
            self.judge(&[meta.id])?;
        }
        Ok(Spot {
            folder,
            name: Some(name),
            rel,
            meta,
        })
    }

    /// What the identity of a folder decides, whatever it is called.
    fn judge(&self, ids: &[Id]) -> Result<(), FileError> {
        if ids.iter().any(|id| self.own.contains(id)) {
            return Err(FileError::Own { path: self.asked() });
        }
        if matches!(self.want, Want::Change | Want::Make)
            && let Some((owner, _)) = self.others.iter().find(|(_, id)| ids.contains(id))
        {
            return Err(FileError::OtherLoop {
                path: self.asked(),
                owner: owner.clone(),
            });
        }
        Ok(())
    }

    fn here(&self) -> Result<Folder, FileError> {
        let folder = self
            .stack
            .last()
            .map_or(&self.files.root, |(_, folder)| folder);
        folder.again().map_err(|e| system(self.path, e))
    }

    fn rel(&self, last: Option<&str>) -> String {
        let names: Vec<&str> = self
            .stack
            .iter()
            .map(|(name, _)| name.as_str())
            .chain(last)
            .collect();
        names.join("/")
    }

    fn asked(&self) -> String {
        self.path.to_string()
    }
}

impl Spot {
    /// The folder that the spot itself is.
    pub(crate) fn as_folder(&self, path: &RelPath) -> Result<Folder, FileError> {
        let Some(name) = &self.name else {
            return self.folder.again().map_err(|e| system(path, e));
        };
        match self.meta {
            None => Err(FileError::Missing {
                path: path.to_string(),
            }),
            Some(meta) if meta.kind == Type::Folder => self
                .folder
                .folder(OsStr::new(name))
                .map_err(|e| swapped(path, e)),
            Some(_) => Err(FileError::NotFolder {
                path: path.to_string(),
            }),
        }
    }

    /// The name, where the spot isn't the loop's own folder.
    pub(crate) fn named(&self, path: &RelPath) -> Result<&str, FileError> {
        self.name.as_deref().ok_or_else(|| FileError::Root {
            path: path.to_string(),
        })
    }
}

/// A system error in words.
pub(crate) fn system(path: &RelPath, source: io::Error) -> FileError {
    let path = path.to_string();
    match source.kind() {
        io::ErrorKind::NotFound => FileError::Missing { path },
        io::ErrorKind::AlreadyExists => FileError::Exists { path },
        io::ErrorKind::NotADirectory => FileError::NotFolder { path },
        io::ErrorKind::IsADirectory => FileError::Folder { path },
        io::ErrorKind::DirectoryNotEmpty => FileError::NotEmpty { path },
        _ => FileError::System { path, source },
    }
}

/// A system error of opening a name that was just looked at and was no link then: when it
/// is one now, somebody is racing us.
pub(crate) fn swapped(path: &RelPath, source: io::Error) -> FileError {
    match source.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::CrossesDevices => FileError::Changed {
            path: path.to_string(),
        },
        _ => system(path, source),
    }
}
