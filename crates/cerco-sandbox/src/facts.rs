//! What the survey found: the values a plan is made from. Paths are canonical.

use std::path::PathBuf;

/// Which file it is, whatever its name: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
}

impl Identity {
    /// Of something that wasn't looked at: no file has inode 0. Only its mount is checked.
    pub const UNKNOWN: Self = Self {
        device: 0,
        inode: 0,
    };
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// Anything that isn't one: a file is covered with a file.
    File,
}

/// Something that was really there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its canonical path.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Which one it is.
    pub identity: Identity,
}

/// A folder that is opened again under a hidden one, read-only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Where it really lies.
    pub from: PathBuf,
    /// Where the command sees it.
    pub at: PathBuf,
}

/// Everything a plan needs to know of the machine.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The run's own temporary folder, which exists in the sandbox only.
    pub scratch: Option<PathBuf>,
    /// The project.
    pub project: Found,
    /// The loop's folder.
    pub loop_folder: Found,
    /// The start directory.
    pub directory: PathBuf,
    /// Other loops and read-only folders of the request.
    pub protected: Vec<Found>,
    /// Git's hooks, settings and pointers inside the loop's folder.
    pub git: Vec<Found>,
    /// Names in the loop's folder whose file has another name outside of it.
    pub outward: Vec<Found>,
    /// File systems mounted below the loop's folder.
    pub mounts: Vec<Found>,
    /// What the request hides, with every other place it can be seen at.
    pub hidden: Vec<Found>,
    /// What the request hides and isn't there.
    pub absent: Vec<PathBuf>,
    /// The home, where it exists.
    pub home: Option<PathBuf>,
    /// Toolchains in the home.
    pub toolchains: Vec<Opened>,
    /// Credential files inside these.
    pub credentials: Vec<Found>,
    /// Folders of this machine that hold other people's and programs' files.
    pub shared: Vec<PathBuf>,
    /// Files and folders that only root may read, where the caller is root.
    pub root_only: Vec<Found>,
    /// Sockets and FIFOs somebody may listen on.
    pub sockets: Vec<PathBuf>,
    /// Entries of `/proc` that speak to the whole machine and take writes.
    pub kernel_switches: Vec<PathBuf>,
    /// Entries of `/proc` that tell about the whole machine.
    pub kernel_facts: Vec<PathBuf>,
    /// This program's own executable file, which is also the inner stage.
    pub program: PathBuf,
}
