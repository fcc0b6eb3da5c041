//! The facts of the world a command is read and judged with.

use std::collections::BTreeMap;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link (only when asked without following).
    Link,
    /// A device, socket or pipe.
    Other,
}

/// The real directory tree, as far as reading and judging need it.
///
/// Implementations answer from the disk (`cerco_sys::RealTree`) or from a table in
/// tests. Paths are absolute and in the dialect's own spelling. Every answer is
/// bounded; a question that can't be answered is answered with nothing, and the
/// asker then takes the stricter reading.
pub trait Tree {
    /// What stands at `path`, the last component not followed.
    fn entry(&self, path: &str) -> Option<EntryKind>;
    /// The path with every symbolic link resolved, as far as it exists; components
    /// that don't exist yet are kept as written. Nothing when it loops or can't be read.
    fn resolve(&self, path: &str) -> Option<String>;
    /// The names in the folder `path`, unsorted; nothing when it can't be read or has
    /// more than `limit` entries.
    fn names(&self, path: &str, limit: usize) -> Option<Vec<String>>;
    /// The text of the file at `path`; nothing when it can't be read, is longer than
    /// `limit` bytes or isn't UTF-8.
    fn text(&self, path: &str, limit: usize) -> Option<String>;
    /// Whether names that differ only by letter case are one file here.
    fn is_case_blind(&self) -> bool;
}

/// A tree in which nothing exists: what the worked cases are judged against.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTree;

impl Tree for NoTree {
    fn entry(&self, _: &str) -> Option<EntryKind> {
        None
    }
    fn resolve(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn names(&self, _: &str, _: usize) -> Option<Vec<String>> {
        None
    }
    fn text(&self, _: &str, _: usize) -> Option<String> {
        None
    }
    fn is_case_blind(&self) -> bool {
        false
    }
}

/// Whether the command will run in the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxState {
    /// The kernel holds it to the loop's folder; the project is readable.
    On,
    /// Nothing but the filter holds it; paths must stay in the loop's folder.
    Off,
}

/// Whether program starts will be held and judged with their real arguments (SPEC §4 Guard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Arguments that aren't known before the run need not be asked about.
    Active,
    /// They must be asked about.
    Off,
}

/// Where and as whom a command would run. All paths are absolute and canonical,
/// except that tests may use ones that don't exist.
pub struct Place<'a> {
    /// The folder a person opened.
    pub project: String,
    /// The loop's own folder, inside the project.
    pub loop_folder: String,
    /// The directory the command starts in, inside the loop's folder.
    pub directory: String,
    /// Folders of other loops that lie inside this loop's folder.
    pub other_loops: Vec<String>,
    /// The person's home.
    pub home: String,
    /// The person's login name.
    pub user: String,
    /// The environment of the run, complete: a name that isn't here is unset.
    pub environment: BTreeMap<String, String>,
    /// The sandbox.
    pub sandbox: SandboxState,
    /// The guard.
    pub guard: Guard,
    /// Hosts the PERSON configured as package registries or allowed in the user-level
    /// `cerco.toml`, lower case; a leading `*.` covers subdomains. Project files add none.
    pub allowed_hosts: Vec<String>,
    /// The real directory tree.
    pub tree: &'a dyn Tree,
}
