//! What a caller asks the sandbox for. Plain data; nothing here touches the disk.

use std::path::PathBuf;

/// Which network a command gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// A loopback of its own and nothing else.
    #[default]
    Off,
    /// The same, and on it a way to package registries: its first process opens a
    /// listening socket at [`PROXY_PORT`] and hands it out, for a proxy to accept on.
    Registries,
}

/// The port of the sandbox's own loopback where the proxy answers. Nobody else is there
/// yet when it is opened, and it lies below those that the kernel gives out by itself.
pub const PROXY_PORT: u16 = 19_128;

/// Limits inside the sandbox, each for one process unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Processes in the sandbox (uid 0 of the machine is exempt; it needs a cgroup).
    pub processes: u64,
    /// Open descriptors.
    pub open_files: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of private memory.
    pub memory_bytes: u64,
    /// Bytes of the private `/tmp`; the other private folders get a part of it.
    pub scratch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 512,
            open_files: 8192,
            file_bytes: 4 << 30,
            memory_bytes: 8 << 30,
            scratch_bytes: 512 << 20,
        }
    }
}

/// Where a command is to be confined. Paths are absolute and as the caller knows them;
/// [`crate::survey()`] finds out what they are.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The folder a person opened: read-only.
    pub project: PathBuf,
    /// The loop's own folder inside it: the only place that takes writes.
    pub loop_folder: PathBuf,
    /// Where the command starts, inside the project.
    pub directory: PathBuf,
    /// Folders of other loops. Those inside the loop's folder become read-only.
    pub other_loops: Vec<PathBuf>,
    /// Further folders that are readable and not writable, wherever they lie.
    pub read_only: Vec<PathBuf>,
    /// Files and folders nothing of which can be read.
    pub hidden: Vec<PathBuf>,
    /// The person's home: hidden, but for the toolchains in it.
    pub home: Option<PathBuf>,
    /// Toolchain folders in the home beside the known ones, read-only.
    pub toolchains: Vec<PathBuf>,
    /// The run's own temporary folder, made in the private `/tmp`: what `TMPDIR` names.
    pub scratch: Option<PathBuf>,
    /// A folder of Cerco's own, out of every command's reach, where it is written down which
    /// commands run: those that run beside one another in a loop's folder are then looked
    /// after together, and so are those whose Cerco was killed.
    pub records: Option<PathBuf>,
    /// The network.
    pub network: Network,
    /// The limits.
    pub limits: Limits,
}
