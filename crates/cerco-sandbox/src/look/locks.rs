//! Locks that a command holds on files it can only read. The kernel asks for no right to
//! write before it locks a file (flock(2)), and builds need locks, so none can be refused;
//! but they keep programs outside waiting, and nobody would know for whom.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cerco_sys::processes::{self, Pid};

/// The locks of one sandbox.
#[derive(Debug)]
pub(super) struct Locks<'a> {
    /// The sandbox's first process.
    inner: Pid,
    /// The loop's folder, where a command locks what it likes.
    own: &'a Path,
    told: BTreeSet<PathBuf>,
}

/// A file that the command keeps to itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) path: PathBuf,
    /// Whether a program outside waits for it.
    pub(super) is_waited_for: bool,
}

/// A line of `/proc/locks`.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    waits: bool,
    is_exclusive: bool,
    pid: Pid,
    inode: u64,
    /// Device and inode as they stand there.
    file: &'a str,
}

impl<'a> Locks<'a> {
    pub(super) fn of(inner: Pid, own: &'a Path) -> Self {
        Self {
            inner,
            own,
            told: BTreeSet::new(),
        }
    }

    /// What is kept from others now and wasn't before, or is waited for.
    pub(super) fn look(&mut self) -> Vec<Kept> {
        // A kernel that doesn't show its locks shows none of these.
        let text = fs::read_to_string("/proc/locks").unwrap_or_default();
        let all: Vec<Line<'_>> = text.lines().filter_map(line).collect();
        if !all.iter().any(|line| line.is_exclusive && !line.waits) {
            return Vec::new();
        }
        let inside = processes::tree(self.inner);
        let held = all
            .iter()
            .filter(|line| line.is_exclusive && !line.waits && inside.contains(&line.pid));
        let mut kept = Vec::new();
        for lock in held {
            let Some(path) = self.path(lock) else {
                continue;
            };
            let is_waited_for = all.iter().any(|other| {
                other.waits && other.file == lock.file && !inside.contains(&other.pid)
            });
            if self.told.insert(path.clone()) || is_waited_for {
                kept.push(Kept {
                    path,
                    is_waited_for,
                });
            }
        }
        kept
    }

    /// The locked file, where it is one of the machine's outside the loop's folder: a file of
    /// the sandbox's own folders is another one out here.
    fn path(&self, lock: &Line<'_>) -> Option<PathBuf> {
        let open = fs::read_dir(format!("/proc/{}/fd", lock.pid)).ok()?;
        open.flatten().find_map(|fd| {
            let path = fs::read_link(fd.path()).ok()?;
            let facts = fs::metadata(&path).ok()?;
            let is_it = facts.ino() == lock.inode && !path.starts_with(self.own);
            is_it.then_some(path)
        })
    }
}

/// `1: FLOCK  ADVISORY  WRITE 77 08:02:123 0 EOF`, with `->` before the kind for who waits.
fn line(text: &str) -> Option<Line<'_>> {
    let mut fields = text.split_ascii_whitespace().skip(1);
    let mut kind = fields.next()?;
    let waits = kind == "->";
    if waits {
        kind = fields.next()?;
    }
    if !matches!(kind, "FLOCK" | "POSIX" | "OFDLCK") {
        return None;
    }
    let (is_exclusive, pid) = (fields.nth(1)? == "WRITE", fields.next()?);
    let file = fields.next()?;
    Some(Line {
        waits,
        is_exclusive,
        pid: pid.parse().ok()?,
        inode: file.rsplit(':').next()?.parse().ok()?,
        file,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FlockOperation, flock};

    #[test]
    fn lines() {
        let found = line("3: -> FLOCK  ADVISORY  WRITE 77 08:02:123 0 EOF").unwrap();
        let (waits, is_exclusive) = (true, true);
        let expected = Line {
            waits,
            is_exclusive,
            pid: 77,
            inode: 123,
            file: "08:02:123",
        };
        assert_eq!(found, expected);
        assert!(
            !line("1: POSIX  ADVISORY  READ 7 00:1a:9 0 0")
                .unwrap()
                .is_exclusive
        );
        assert_eq!(line("1: LEASE  ACTIVE    READ 7 00:1a:9 0 EOF"), None);
        assert_eq!(line(""), None);
    }

    #[test]
    fn a_kept_file_is_told_once_and_one_of_the_loop_not() {
        let root = std::env::temp_dir().join(format!("cerco-locks-{}", std::process::id()));
        fs::create_dir_all(root.join("loop")).unwrap();
        let root = root.canonicalize().unwrap();
        let (own, file) = (root.join("loop"), root.join("file"));
        fs::write(&file, "").unwrap();
        fs::write(own.join("file"), "").unwrap();
        let [outer, inner] = [&file, &own.join("file")].map(|path| {
            let open = fs::File::open(path).unwrap();
            flock(&open, FlockOperation::LockExclusive).unwrap();
            open
        });
        let me = Pid::try_from(std::process::id()).unwrap();
        let mut locks = Locks::of(me, &own);
        let new: Vec<PathBuf> = locks.look().into_iter().map(|kept| kept.path).collect();
        assert!(new.contains(&file), "{new:?}");
        assert!(!new.iter().any(|path| path.starts_with(&own)), "{new:?}");
        assert!(!locks.look().iter().any(|kept| kept.path == file));
        drop((outer, inner));
        fs::remove_dir_all(&root).unwrap();
    }
}
