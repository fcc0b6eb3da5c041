//! Change parts of a file by exact text. Several edits in one call happen all or not at all.

use std::io::Read;

use serde::Serialize;

use super::lock::lock;
use super::read::{looks_binary, regular};
use super::write::now;
use crate::census::all_inside;
use crate::handle::{Meta, Place};
use crate::limits::Deadline;
use crate::walk::{Spot, Want, swapped, system};
use crate::{FileError, LoopFiles, RelPath};

/// How often the text must occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly so often; all of them are replaced.
    Exactly(usize),
    /// At least once; all of them are replaced.
    All,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The exact text to replace; it may span lines.
    pub old: String,
    /// What stands there afterwards.
    pub new: String,
    /// How often `old` must occur.
    pub occurrences: Occurrences,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edited {
    /// How often each edit was applied, in order.
    pub replaced: Vec<usize>,
    /// The new size in bytes.
    pub size: u64,
}

impl LoopFiles {
    /// Applies `edits` in order, each to the result of the one before.
    pub fn edit(&self, path: &RelPath, edits: &[Edit]) -> Result<Edited, FileError> {
        let spot = self.walk(path, Want::Change)?;
        regular(&spot, path)?;
        let _lock = lock(self, &spot.folder, path)?;
        let (bytes, meta) = self.content(&spot, path)?;
        let not_utf8 = |_| FileError::NotUtf8 {
            path: path.to_string(),
        };
        let mut text = String::from_utf8(bytes).map_err(not_utf8)?;
        let mut replaced = Vec::new();
        for (number, edit) in (1..).zip(edits) {
            let (next, count) = self.apply(&text, edit, number, path)?;
            text = next;
            replaced.push(count);
        }
        // A command may have written since we read; its work must not be lost.
        if now(&spot, path)? != Some(meta) {
            return Err(FileError::Changed {
                path: path.to_string(),
            });
        }
        let name = spot.named(path)?;
        let meta = spot
            .folder
            .put(name.as_ref(), text.as_bytes(), Place::Over(meta))
            .map_err(|e| system(path, e))?;
        Ok(Edited {
            replaced,
            size: meta.size,
        })
    }

    fn content(&self, spot: &Spot, path: &RelPath) -> Result<(Vec<u8>, Meta), FileError> {
        let name = spot.named(path)?;
        let (file, meta) = spot
            .folder
            .file(name.as_ref())
            .map_err(|e| swapped(path, e))?;
        let opened = Spot {
            folder: spot.folder.again().map_err(|e| system(path, e))?,
            name: spot.name.clone(),
            rel: spot.rel.clone(),
            meta: Some(meta),
        };
        regular(&opened, path)?;
        all_inside(self, path, &meta, Deadline::after(self.bounds.limits.time))?;
        self.fits(meta.size, &format!("`{path}`"))?;
        let mut bytes = Vec::new();
        file.take(self.bounds.limits.write_bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| system(path, e))?;
        self.fits(bytes.len() as u64, &format!("`{path}`"))?;
        if looks_binary(&bytes) {
            return Err(FileError::Binary {
                path: path.to_string(),
                size: meta.size,
            });
        }
        Ok((bytes, meta))
    }

    fn apply(
        &self,
        text: &str,
        edit: &Edit,
        number: usize,
        path: &RelPath,
    ) -> Result<(String, usize), FileError> {
        if edit.old.is_empty() {
            return Err(FileError::EmptyEdit { number });
        }
        let places: Vec<usize> = text.match_indices(&edit.old).map(|(at, _)| at).collect();
        let (right, expected) = match edit.occurrences {
            Occurrences::Exactly(n) => (places.len() == n && n > 0, n.to_string()),
            Occurrences::All => (!places.is_empty(), "at least once".to_owned()),
        };
        if !right {
            return Err(FileError::Occurs {
                path: path.to_string(),
                number,
                found: places.len(),
                expected,
                lines: lines_of(text, &places),
            });
        }
        let removed = places.len().saturating_mul(edit.old.len());
        let added = places.len().saturating_mul(edit.new.len());
        let size = text.len().saturating_sub(removed).saturating_add(added);
        self.fits(size as u64, &format!("`{path}` after the edit"))?;
        Ok((text.replace(&edit.old, &edit.new), places.len()))
    }
}

/// The lines at which the first few places stand, from 1.
fn lines_of(text: &str, places: &[usize]) -> Vec<u64> {
    places
        .iter()
        .take(10)
        .filter_map(|at| text.get(..*at))
        .map(|before| before.bytes().filter(|b| *b == b'\n').count() as u64 + 1)
        .collect()
}
