//! Write a whole file: the old content or the new, never a mix, never nothing.

use serde::Serialize;

use super::lock::lock;
use super::read::regular;
use crate::census::all_inside;
use crate::handle::{Meta, Place};
use crate::limits::Deadline;
use crate::walk::{Spot, Want, system};
use crate::{FileError, LoopFiles, RelPath};

/// What to do with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Replace its content.
    Replace,
    /// Refuse.
    Keep,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Whether the file is new.
    pub created: bool,
    /// Its size in bytes.
    pub size: u64,
}

impl LoopFiles {
    /// Writes a file, making the folders on the way. A replaced file keeps its permission
    /// bits (never set-user or set-group) and, where the system lets us, its owner.
    pub fn write(
        &self,
        path: &RelPath,
        content: &[u8],
        existing: Existing,
    ) -> Result<Written, FileError> {
        self.fits(content.len() as u64, "the content")?;
        let spot = self.walk(path, Want::Make)?;
        let name = spot.named(path)?.to_owned();
        let _lock = lock(self, &spot.folder, path)?;
        let place = self.place(&spot, path)?;
        if existing == Existing::Keep && place != Place::New {
            return Err(FileError::Exists {
                path: path.to_string(),
            });
        }
        let meta = spot
            .folder
            .put(name.as_ref(), content, place)
            .map_err(|e| system(path, e))?;
        Ok(Written {
            created: place == Place::New,
            size: meta.size,
        })
    }

    /// What stands at the spot now that its folder is locked.
    fn place(&self, spot: &Spot, path: &RelPath) -> Result<Place, FileError> {
        let meta = now(spot, path)?;
        let Some(meta) = meta else {
            return Ok(Place::New);
        };
        let spot_now = Spot {
            folder: spot.folder.again().map_err(|e| system(path, e))?,
            name: spot.name.clone(),
            rel: spot.rel.clone(),
            meta: Some(meta),
        };
        let meta = regular(&spot_now, path)?;
        // Replacing leaves the other names as they are, but a file that is also somewhere
        // else is not the loop's to replace.
        all_inside(self, path, &meta, Deadline::after(self.bounds.limits.time))?;
        Ok(Place::Over(meta))
    }

    pub(crate) fn fits(&self, size: u64, what: &str) -> Result<(), FileError> {
        let limit = self.bounds.limits.write_bytes;
        if size > limit {
            return Err(FileError::TooLarge {
                what: what.to_owned(),
                size,
                limit,
            });
        }
        Ok(())
    }
}

/// What stands at the spot's name at this moment.
pub(crate) fn now(spot: &Spot, path: &RelPath) -> Result<Option<Meta>, FileError> {
    let name = spot.named(path)?;
    spot.folder.meta(name.as_ref()).map_err(|e| system(path, e))
}
