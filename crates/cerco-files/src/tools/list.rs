//! List a folder. Names are shown even where content is off limits: a bubble that sees
//! that `.env` is there needn't try to read it.

use serde::Serialize;

use crate::handle::Type;
use crate::limits::Deadline;
use crate::path::within;
use crate::tree::{Next, Seen, Tour};
use crate::walk::Want;
use crate::{FileError, LoopFiles, RelPath};

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Special,
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its path relative to the loop's folder; bytes that are not UTF-8 show as U+FFFD.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Size in bytes, of a file.
    pub size: Option<u64>,
    /// Looks like a secret: can't be read.
    #[serde(skip_serializing_if = "is_no")]
    pub secret: bool,
    /// Belongs to another loop, to git or to the project's settings: can't be changed.
    #[serde(skip_serializing_if = "is_no")]
    pub read_only: bool,
}

/// What a folder holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Sorted by name, a folder before what it holds.
    pub entries: Vec<Entry>,
    /// Whether a limit left entries out.
    pub truncated: bool,
}

impl LoopFiles {
    /// Lists a folder and `depth` levels of folders below it; 1 is the folder alone.
    pub fn list(&self, path: &RelPath, depth: usize) -> Result<Listing, FileError> {
        let spot = self.walk(path, Want::See)?;
        let folder = spot.as_folder(path)?;
        let others = self.other_ids();
        let most = self.bounds.limits.listed;
        let mut entries = Vec::new();
        let mut borrowed = Vec::new();
        let mut tour = Tour {
            files: self,
            path,
            deadline: Deadline::after(self.bounds.limits.time),
            left: self.bounds.limits.visited,
            depth: depth.max(1),
        };
        let seen = tour.visit(folder, &spot.rel, &mut |item| {
            if entries.len() >= most {
                return Ok(Next::Stop);
            }
            if others.iter().any(|(_, id)| *id == item.meta.id) {
                borrowed.push(item.shown.to_owned());
            }
            let of_other = borrowed.iter().any(|owner| within(item.shown, owner));
            entries.push(Entry {
                path: item.shown.to_owned(),
                kind: match item.meta.kind {
                    Type::File => Kind::File,
                    Type::Folder => Kind::Folder,
                    Type::Link => Kind::Link,
                    Type::Special => Kind::Special,
                },
                size: (item.meta.kind == Type::File).then_some(item.meta.size),
                secret: self.bounds.secrets.is_secret(item.shown),
                read_only: of_other
                    || matches!(
                        self.may_change(item.shown, path),
                        Err(FileError::OtherLoop { .. }
                            | FileError::Git { .. }
                            | FileError::Frozen { .. })
                    ),
            });
            Ok(Next::Enter)
        })?;
        Ok(Listing {
            entries,
            truncated: seen == Seen::Part,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_no(flag: &bool) -> bool {
    !flag
}
