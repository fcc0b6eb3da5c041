//! An open folder and what can be done with one name in it.
//!
//! Every function takes ONE name, never a path, and never follows a link: that is what
//! makes the rest of the crate free of races. Policy doesn't belong here.

use std::ffi::OsString;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use linux::{Folder, Lock, id_of};

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod portable;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use portable::{Folder, Lock, id_of};

/// Which file or folder it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Id {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// What stands at a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    File,
    Folder,
    Link,
    Special,
}

/// What the system says of a name, the last link not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) id: Id,
    pub(crate) kind: Type,
    pub(crate) size: u64,
    pub(crate) links: u64,
    /// Permission bits, without set-user, set-group and sticky.
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    /// Nanoseconds since 1970 of the last change of content.
    pub(crate) modified: i128,
}

/// A name in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) name: OsString,
}

/// Whether a file may take the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing stands there, and nothing may.
    New,
    /// This stood there when it was looked at last.
    Over(Meta),
}

/// The one name that an unfinished write may leave behind when the machine stops between
/// two system calls; the next write in the folder removes it.
pub(crate) const UNFINISHED: &str = ".cerco-unfinished";
