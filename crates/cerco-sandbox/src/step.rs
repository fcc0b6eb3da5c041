//! One mount of a plan and its reason.

use std::path::{Path, PathBuf};

/// Something mounted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mount {
    /// The file or folder `from`, seen at `at`, without writes; everything mounted below
    /// it likewise.
    ReadOnly {
        /// What is shown.
        from: PathBuf,
        /// Where.
        at: PathBuf,
    },
    /// The folder as it is, with writes.
    Writable {
        /// What is shown, where it lies.
        at: PathBuf,
    },
    /// An empty folder in memory.
    Empty {
        /// Where.
        at: PathBuf,
        /// How much it takes.
        bytes: u64,
        /// Whether it can't even be listed.
        closed: bool,
    },
    /// An empty, unwritable file over a file.
    Cover(PathBuf),
    /// A folder made in an empty one.
    Folder(PathBuf),
    /// A `/dev` of harmless devices.
    Devices,
    /// A `/proc` of the sandbox's own processes.
    Processes,
}

impl Mount {
    /// What lies at `at`, read-only.
    pub(crate) fn read_only(at: &Path) -> Self {
        Self::ReadOnly {
            from: at.to_owned(),
            at: at.to_owned(),
        }
    }

    /// Where it is mounted.
    #[must_use]
    pub fn at(&self) -> &Path {
        match self {
            Self::ReadOnly { at, .. }
            | Self::Writable { at }
            | Self::Empty { at, .. }
            | Self::Cover(at)
            | Self::Folder(at) => at,
            Self::Devices => Path::new("/dev"),
            Self::Processes => Path::new("/proc"),
        }
    }

    /// Whether the machine's own files are seen through it.
    pub(crate) fn shows(&self) -> bool {
        matches!(self, Self::ReadOnly { .. } | Self::Writable { .. })
    }
}

/// Why a mount or a flag is there. Tests switch single ones off to see what then gets out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The system's programs and libraries are needed, and nobody writes there.
    Root,
    /// Disks and other devices are out of reach.
    Devices,
    /// Other processes can't be seen.
    Processes,
    /// Root could make the kernel run a program outside (`core_pattern` and the like).
    KernelSwitches,
    /// Keys, memory and messages of the whole machine are nobody's business.
    KernelFacts,
    /// Other programs' temporary files and sockets, other people's homes, drives.
    Shared,
    /// The run's own temporary files, apart from what programs put into `/tmp` by name.
    Scratch,
    /// Root still owns root's files inside its user namespace.
    RootOnly,
    /// Credentials lie in the home.
    Home,
    /// Builds need compilers and downloaded packages.
    Toolchain,
    /// Registry credentials lie among them.
    Credentials,
    /// The project is readable.
    Project,
    /// Renaming a folder around a protected path would take the protection away.
    Pin,
    /// The loop's own folder takes writes.
    LoopFolder,
    /// Other loops' folders and read-only folders.
    Protected,
    /// Git outside runs hooks and obeys settings.
    Git,
    /// The file has a name outside; writing it would write there.
    Outward,
    /// What is mounted in the loop's folder is not part of it.
    NestedMount,
    /// Secrets.
    Hidden,
    /// A read-only mount doesn't stop connect(2).
    Socket,
    /// The first process inside is Cerco itself.
    Stage,
}

/// One mount with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The mount.
    pub mount: Mount,
    /// Its reason.
    pub why: Why,
}

impl Step {
    /// Whether it is one of those whose number a project decides.
    pub(crate) fn is_cover(&self) -> bool {
        match self.why {
            Why::Pin
            | Why::Protected
            | Why::Git
            | Why::Outward
            | Why::NestedMount
            | Why::Hidden
            | Why::Socket
            | Why::RootOnly => true,
            Why::Root
            | Why::Devices
            | Why::Processes
            | Why::KernelSwitches
            | Why::KernelFacts
            | Why::Shared
            | Why::Scratch
            | Why::Home
            | Why::Toolchain
            | Why::Credentials
            | Why::Project
            | Why::LoopFolder
            | Why::Stage => false,
        }
    }
}
