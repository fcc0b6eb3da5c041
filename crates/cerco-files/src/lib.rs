//! The file tools of a loop (SPEC §2): list, read, search, write, edit, move, delete.
//!
//! A [`LoopFiles`] holds an open handle on the loop's own folder, and every step from
//! there on is one name looked up in one open folder. No path string is ever handed to
//! the system, so there is nothing that a rename, a `..`, an absolute path or a link
//! could steer somewhere else between a check and its use.
//!
//! What holds, and where the lines are drawn:
//!
//! - **Links.** Reading follows a symbolic link that stays inside the loop; its target is
//!   walked name by name like everything else, and judged by the name it ends at. An
//!   absolute target, or one that climbs out, is refused. Writing follows none.
//! - **Hard links.** A file with several names is read or written only when all of its
//!   names were found inside the loop; otherwise it may be somebody else's file.
//! - **Other loops** nested inside are readable, not writable; neither are folders of
//!   Cerco's own ([`Bounds::own`]) readable at all. Both are recognised by device and
//!   inode, too, so that a rename doesn't unlock them.
//! - **`.git`** is readable, not writable: a hook or a config key written there would be
//!   run by the person's own git, outside of every layer.
//! - **Secrets** ([`SecretNames`]) are listed and never read, written, moved or deleted.
//! - **Writes** go to a file without a name which takes the place of the old one when it
//!   is complete and on disk: a crash leaves the old content or the new.
//! - Everything is bounded ([`Limits`]); what was left out is said.
//!
//! What it can't see: a folder that a person mounted inside the loop counts as inside.
//! Access lists and extended attributes of a replaced file are not carried over.
#![forbid(unsafe_code)]

mod bounds;
mod census;
mod error;
mod handle;
mod limits;
mod path;
mod tools;
mod tree;
mod walk;

pub use bounds::{Bounds, LoopFiles, SecretNames};
pub use error::FileError;
pub use limits::Limits;
pub use path::{MAX_DEPTH, MAX_PATH_BYTES, RelPath};
pub use tools::delete::{Deleted, Depth};
pub use tools::edit::{Edit, Edited, Occurrences};
pub use tools::list::{Entry, Kind, Listing};
pub use tools::read::{From, Text};
pub use tools::search::{Found, Hit, Pattern, Skipped};
pub use tools::shift::Moved;
pub use tools::write::{Existing, Written};
