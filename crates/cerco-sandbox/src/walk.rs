//! Looks once through a loop's folder, before a run and again after it.
//!
//! One pass finds what mounts can't hold: files that have another name elsewhere, git
//! folders, sockets, and files that programs outside run without being asked. It follows
//! no link, enters no other loop's folder, and says when it could not see everything.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::ops::ControlFlow;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, chmod, fstat, openat, openat2};

use crate::facts::Identity;
use crate::startable;

/// The most entries that are looked at. Past it a run is refused rather than half checked.
pub(crate) const MAX_ENTRIES: usize = 500_000;
/// After a run many more: a command that leaves many files must not hide one among them.
const MAX_ENTRIES_AFTER: usize = 40_000_000;
/// A folder's path is renewed before it gets near the kernel's limit of 4096 bytes.
const RENEW_AT: usize = 2000;

/// A file with more than one name.
#[derive(Clone, Debug)]
pub struct Linked {
    /// One of its names, canonical.
    pub path: PathBuf,
    /// How many names it has in all.
    pub names: u64,
    /// Which file.
    pub identity: Identity,
}

/// What tells whether a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    identity: Identity,
    bytes: u64,
    changed: (i64, i64),
    mode: u32,
}

impl Stamp {
    /// As plain numbers, to be written down.
    pub(crate) fn numbers(self) -> [u64; 6] {
        let (seconds, nanos) = self.changed;
        [
            self.identity.device,
            self.identity.inode,
            self.bytes,
            seconds.cast_unsigned(),
            nanos.cast_unsigned(),
            self.mode.into(),
        ]
    }

    /// From what [`Self::numbers`] gave.
    pub(crate) fn of_numbers([device, inode, bytes, seconds, nanos, mode]: [u64; 6]) -> Self {
        Self {
            identity: Identity { device, inode },
            bytes,
            changed: (seconds.cast_signed(), nanos.cast_signed()),
            // It was one.
            mode: u32::try_from(mode).unwrap_or(u32::MAX),
        }
    }
}

/// When a look is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Before a run, as it is.
    Before,
    /// After one, whose files are this user's own: folders that it closed are opened again.
    After,
}

/// What the pass saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Names of files that have several.
    pub linked: Vec<Linked>,
    /// Folders and files named `.git`, and folders of the shape of a bare repository.
    pub repositories: Vec<PathBuf>,
    /// Sockets.
    pub sockets: Vec<PathBuf>,
    /// FIFOs.
    pub fifos: Vec<PathBuf>,
    /// Files that give the rights of their owner or group to whoever starts them.
    pub special: Vec<PathBuf>,
    /// Files that programs outside would run or obey.
    pub startable: BTreeMap<PathBuf, Stamp>,
    /// Folders that could not be read.
    pub unread: Vec<PathBuf>,
    /// How many entries were looked at.
    pub entries: usize,
}

/// There are more entries than [`MAX_ENTRIES`]; what was seen until then.
#[derive(Debug)]
pub(crate) struct TooLarge(pub(crate) Box<Seen>);

/// A folder still to be read: `base` is an open folder, `below` the path from there. The
/// path from an open folder stays short however deep a command has nested.
struct Pending {
    base: Rc<File>,
    below: PathBuf,
    path: PathBuf,
}

impl Pending {
    fn reachable(&self) -> PathBuf {
        Path::new("/proc/self/fd")
            .join(self.base.as_raw_fd().to_string())
            .join(&self.below)
    }
}

/// Looks through `root`, leaving out the folders in `skip` (canonical paths).
pub(crate) fn walk(root: &Path, skip: &[&Path], when: When) -> Result<Seen, TooLarge> {
    let mut seen = Seen::default();
    if when == When::After {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(own) = openat(CWD, root, flags, Mode::empty()) {
            give_owner(&own);
        }
    }
    let Ok(base) = File::open(root) else {
        seen.unread.push(root.to_owned());
        return Ok(seen);
    };
    let mut pending = vec![Pending {
        base: Rc::new(base),
        below: PathBuf::new(),
        path: root.to_owned(),
    }];
    while let Some(folder) = pending.pop() {
        if read_folder(&folder, skip, when, &mut seen, &mut pending).is_break() {
            return Err(TooLarge(Box::new(seen)));
        }
    }
    Ok(seen)
}

fn read_folder(
    folder: &Pending,
    skip: &[&Path],
    when: When,
    seen: &mut Seen,
    pending: &mut Vec<Pending>,
) -> ControlFlow<()> {
    let limit = match when {
        When::Before => MAX_ENTRIES,
        When::After => {
            open_up(folder);
            MAX_ENTRIES_AFTER
        }
    };
    let Ok(entries) = std::fs::read_dir(folder.reachable()) else {
        seen.unread.push(folder.path.clone());
        return ControlFlow::Continue(());
    };
    let base = renewed(folder);
    let mut shape = startable::BareShape::default();
    for entry in entries {
        seen.entries += 1;
        if seen.entries > limit {
            return ControlFlow::Break(());
        }
        let Ok(entry) = entry else {
            seen.unread.push(folder.path.clone());
            break;
        };
        let name = entry.file_name();
        let path = folder.path.join(&name);
        let Ok(kind) = entry.file_type() else {
            seen.unread.push(path);
            continue;
        };
        shape.note(&name);
        if name == ".git" {
            seen.repositories.push(path.clone());
        }
        if kind.is_dir() {
            if !skip.contains(&path.as_path()) {
                let (base, below) = match &base {
                    Some(base) => (Rc::clone(base), PathBuf::from(&name)),
                    None => (Rc::clone(&folder.base), folder.below.join(&name)),
                };
                pending.push(Pending { base, below, path });
            }
            continue;
        }
        if kind.is_socket() {
            seen.sockets.push(path);
            continue;
        }
        if kind.is_fifo() {
            seen.fifos.push(path);
            continue;
        }
        let Ok(facts) = entry.metadata() else {
            // Gone in the meantime: somebody else's temporary file.
            continue;
        };
        if facts.mode() & 0o6000 != 0 && facts.is_file() {
            seen.special.push(path.clone());
        }
        if facts.nlink() > 1 {
            seen.linked.push(Linked {
                path: path.clone(),
                names: facts.nlink(),
                identity: identity(&facts),
            });
        }
        if startable::is_startable(&path) {
            seen.startable.insert(path, stamp(&facts));
        }
    }
    let told = folder.path.file_name().is_some_and(|name| name == ".git");
    if shape.is_repository() && !told {
        seen.repositories.push(folder.path.clone());
    }
    ControlFlow::Continue(())
}

/// Gives the owner what the owner took from it: a folder that can be entered and not read,
/// or the other way round, or not written to, would keep what is in it from this look.
/// What can't be opened up is found out by the reading that follows.
fn open_up(folder: &Pending) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    if !folder.below.as_os_str().is_empty()
        && let Ok(at) = openat2(&*folder.base, &folder.below, flags, Mode::empty(), resolve)
    {
        give_owner(&at);
    }
}

fn give_owner(folder: &OwnedFd) {
    let Ok(facts) = fstat(folder) else {
        return;
    };
    if facts.st_mode & 0o700 != 0o700 {
        let through = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let mode = Mode::from_raw_mode(facts.st_mode & 0o7777 | 0o700);
        let _ = chmod(through, mode);
    }
}

/// A new open folder where the path from the old one has become long.
fn renewed(folder: &Pending) -> Option<Rc<File>> {
    if folder.below.as_os_str().len() < RENEW_AT {
        return None;
    }
    File::open(folder.reachable()).ok().map(Rc::new)
}

/// Which file `facts` are about.
pub(crate) fn identity(facts: &Metadata) -> Identity {
    Identity {
        device: facts.dev(),
        inode: facts.ino(),
    }
}

pub(crate) fn stamp(facts: &Metadata) -> Stamp {
    Stamp {
        identity: identity(facts),
        bytes: facts.len(),
        changed: (facts.ctime(), facts.ctime_nsec()),
        mode: facts.mode(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("cerco-walk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        root
    }

    #[test]
    fn finds_second_names_repositories_and_sockets() {
        let root = scratch("finds");
        std::fs::create_dir_all(root.join("a/.git")).unwrap();
        std::fs::create_dir_all(root.join("skipped/.git")).unwrap();
        for part in ["objects", "refs"] {
            std::fs::create_dir_all(root.join("bare").join(part)).unwrap();
        }
        std::fs::write(root.join("bare/HEAD"), "").unwrap();
        std::fs::write(root.join("f"), "").unwrap();
        std::fs::hard_link(root.join("f"), root.join("a/g")).unwrap();
        let listener = std::os::unix::net::UnixListener::bind(root.join("s")).unwrap();
        let seen = walk(&root, &[&root.join("skipped")], When::Before).unwrap();
        drop(listener);
        let mut repositories = seen.repositories.clone();
        repositories.sort();
        assert_eq!(repositories, [root.join("a/.git"), root.join("bare")]);
        assert_eq!(seen.linked.len(), 2);
        assert_eq!(seen.sockets, [root.join("s")]);
        assert!(seen.unread.is_empty());
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn depth_past_the_kernels_path_limit_hides_nothing() {
        let root = scratch("deep");
        let deep = "mkdir d && cd d || exit; i=0; while [ $i -lt 60 ]; do n=$(printf 'x%.0s' $(seq 200)); mkdir $n && cd $n || exit; i=$((i+1)); done; : > .envrc";
        let made = std::process::Command::new("bash")
            .args(["-c", deep])
            .current_dir(&root)
            .status()
            .unwrap();
        assert!(made.success());
        let seen = walk(&root, &[], When::Before).unwrap();
        assert_eq!(seen.startable.len(), 1, "{:?}", seen.unread.len());
        assert!(seen.unread.is_empty());
        let removed = std::process::Command::new("rm")
            .arg("-rf")
            .arg(&root)
            .status();
        assert!(removed.unwrap().success());
    }
}
