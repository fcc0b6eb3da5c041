//! Going through a folder and all below it, within bounds and without following a link.
//! What is found is handed to the caller; nothing is decided here but what is Cerco's own.

use std::ffi::OsString;

use crate::handle::{Folder, Id, Meta, Type};
use crate::limits::Deadline;
use crate::path::MAX_DEPTH;
use crate::walk::{swapped, system};
use crate::{FileError, LoopFiles, RelPath};

/// One entry on the way.
pub(crate) struct Item<'a> {
    /// The folder that holds it.
    pub(crate) folder: &'a Folder,
    /// Its name there.
    pub(crate) name: &'a std::ffi::OsStr,
    /// Its path relative to the loop, in text; nothing when it isn't UTF-8.
    pub(crate) rel: Option<&'a str>,
    /// The same with the bytes that are no text replaced, to show.
    pub(crate) shown: &'a str,
    /// What stands there.
    pub(crate) meta: Meta,
}

/// Whether to go into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Into it, if it is one.
    Enter,
    /// Past it.
    Pass,
    /// No further at all.
    Stop,
}

/// Whether everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    All,
    /// A limit ended it.
    Part,
}

struct Level {
    folder: Folder,
    rel: String,
    is_text: bool,
    names: std::vec::IntoIter<OsString>,
}

/// What a visit needs to know.
pub(crate) struct Tour<'a> {
    pub(crate) files: &'a LoopFiles,
    /// As asked, for messages.
    pub(crate) path: &'a RelPath,
    pub(crate) deadline: Deadline,
    /// Entries that may still be visited.
    pub(crate) left: usize,
    /// How many folders deep.
    pub(crate) depth: usize,
}

impl Tour<'_> {
    /// Visits everything below `start`, sorted by name, a folder before its entries.
    pub(crate) fn visit(
        &mut self,
        start: Folder,
        rel: &str,
        each: &mut dyn FnMut(&Item<'_>) -> Result<Next, FileError>,
    ) -> Result<Seen, FileError> {
        let own = self.files.own_ids();
        let mut seen = Seen::All;
        let mut levels = vec![self.level(start, rel.to_owned(), true, &mut seen)?];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.names.next() else {
                levels.pop();
                continue;
            };
            if self.deadline.passed() {
                return Ok(Seen::Part);
            }
            // Gone since it was listed: not there.
            let Some(meta) = level.folder.meta(&name).map_err(|e| system(self.path, e))? else {
                continue;
            };
            let text = name.to_string_lossy();
            let shown = join(&level.rel, &text);
            let is_text = level.is_text && name.to_str().is_some();
            let rel = is_text.then_some(shown.as_str());
            if own.contains(&meta.id)
                || rel.is_some_and(|rel| self.files.may_see(rel, self.path).is_err())
            {
                continue;
            }
            let item = Item {
                folder: &level.folder,
                name: &name,
                rel,
                shown: &shown,
                meta,
            };
            match each(&item)? {
                Next::Stop => return Ok(Seen::Part),
                Next::Pass => continue,
                Next::Enter => {}
            }
            if meta.kind != Type::Folder {
                continue;
            }
            if levels.len() >= self.depth.min(MAX_DEPTH) {
                if levels.len() >= MAX_DEPTH {
                    seen = Seen::Part;
                }
                continue;
            }
            let Some(folder) = self.enter(levels.last(), &name, &own, &mut seen)? else {
                continue;
            };
            let next = self.level(folder, shown, is_text, &mut seen)?;
            levels.push(next);
        }
        Ok(seen)
    }

    fn enter(
        &self,
        level: Option<&Level>,
        name: &OsString,
        own: &[Id],
        seen: &mut Seen,
    ) -> Result<Option<Folder>, FileError> {
        let Some(level) = level else { return Ok(None) };
        match level.folder.folder(name) {
            Ok(folder) => {
                let id = folder.id().map_err(|e| system(self.path, e))?;
                Ok((!own.contains(&id)).then_some(folder))
            }
            // Not ours to read, or swapped for something else: left out, and said.
            Err(e) => {
                if matches!(
                    swapped(self.path, e),
                    FileError::System { .. } | FileError::Changed { .. }
                ) {
                    *seen = Seen::Part;
                }
                Ok(None)
            }
        }
    }

    fn level(
        &mut self,
        folder: Folder,
        rel: String,
        is_text: bool,
        seen: &mut Seen,
    ) -> Result<Level, FileError> {
        let mut names = Vec::new();
        for entry in folder.names().map_err(|e| system(self.path, e))? {
            if self.left == 0 || self.deadline.passed() {
                *seen = Seen::Part;
                break;
            }
            self.left -= 1;
            names.push(entry.map_err(|e| system(self.path, e))?.name);
        }
        names.sort_unstable();
        Ok(Level {
            folder,
            rel,
            is_text,
            names: names.into_iter(),
        })
    }
}

pub(crate) fn join(rel: &str, name: &str) -> String {
    if rel.is_empty() {
        name.to_owned()
    } else {
        format!("{rel}/{name}")
    }
}
