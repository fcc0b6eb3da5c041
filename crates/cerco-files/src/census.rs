//! Whether a file with several names has all of them inside the loop.
//!
//! A hard link is another name of the same file, and no open flag sees it: a link to
//! `~/.ssh/id_rsa` made inside the loop is a plain file there. So the names are counted.

use std::collections::HashMap;

use crate::handle::{Id, Meta, Type};
use crate::limits::Deadline;
use crate::tree::{Next, Seen, Tour};
use crate::{FileError, LoopFiles, RelPath};

/// The names found inside the loop for each file that has several.
pub(crate) struct Census(HashMap<Id, u64>);

impl Census {
    /// Counts, within the limits. Names under a folder of another loop count: they may be
    /// read from here, too. Names that look like secrets don't: a file with such a name
    /// must not be readable by another one.
    pub(crate) fn take(
        files: &LoopFiles,
        path: &RelPath,
        deadline: Deadline,
    ) -> Result<Self, FileError> {
        let mut names = HashMap::new();
        let start = files
            .root
            .again()
            .map_err(|e| crate::walk::system(path, e))?;
        let mut tour = Tour {
            files,
            path,
            deadline,
            left: files.bounds.limits.visited,
            depth: usize::MAX,
        };
        let seen = tour.visit(start, "", &mut |item| {
            let secret = item
                .rel
                .is_none_or(|rel| files.bounds.secrets.is_secret(rel));
            if item.meta.kind == Type::File && item.meta.links > 1 && !secret {
                *names.entry(item.meta.id).or_insert(0) += 1;
            }
            Ok(Next::Enter)
        })?;
        // Counting too few names errs towards refusing.
        let _: Seen = seen;
        Ok(Self(names))
    }

    pub(crate) fn is_inside(&self, meta: &Meta) -> bool {
        meta.links <= 1
            || self
                .0
                .get(&meta.id)
                .is_some_and(|found| *found >= meta.links)
    }
}

/// Refuses a file that has a name outside of the loop.
pub(crate) fn all_inside(
    files: &LoopFiles,
    path: &RelPath,
    meta: &Meta,
    deadline: Deadline,
) -> Result<(), FileError> {
    if meta.links <= 1 || Census::take(files, path, deadline)?.is_inside(meta) {
        return Ok(());
    }
    Err(FileError::HardLink {
        path: path.to_string(),
    })
}
