//! The folders of a loop, watched for new names: the kernel says when something that git
//! would take for a repository appears or changes.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use super::Look;
use crate::startable::BareShape;
use crate::ways::Way;

/// Watches are counted for the user, whose editors want some as well: folders beyond this
/// number are not watched this way.
const MOST: usize = 2_000;
/// What is heard of every folder.
const NAMES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);
/// Names by which git knows a repository, and of what it obeys in one.
const MARKS: &[&str] = &[
    ".git",
    "HEAD",
    "objects",
    "refs",
    "commondir",
    "config",
    "config.worktree",
    "hooks",
];

/// Watched folders.
#[derive(Debug)]
pub(super) struct Folders {
    fd: OwnedFd,
    paths: HashMap<i32, PathBuf>,
    skip: Vec<PathBuf>,
}

/// What changed.
#[derive(Debug)]
pub(super) enum Changes {
    Some {
        /// Folders and files that git takes for repositories, near which something changed.
        repositories: Vec<PathBuf>,
        /// What changed on the given ways.
        paths: Vec<PathBuf>,
    },
    /// More than is known.
    Lost,
}

impl Folders {
    /// Watches all folders of the loop, and answers the repositories that are there. An
    /// error where they are too many.
    pub(super) fn watch(look: &Look) -> io::Result<(Self, Vec<PathBuf>)> {
        let mut folders = Self {
            fd: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            paths: HashMap::new(),
            skip: look.skip.clone(),
        };
        let mut found = Vec::new();
        folders.add(&look.own, &mut found)?;
        Ok((folders, found))
    }

    /// Watches `top` and all below it, and notes the repositories there: each folder before
    /// it is read, so that nothing comes between.
    fn add(&mut self, top: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
        let mut pending = vec![top.to_owned()];
        while let Some(path) = pending.pop() {
            // Git keeps whole trees of folders in it, and obeys nothing there.
            let is_store = path.file_name() == Some(OsStr::new("objects"));
            if self.skip.contains(&path) || is_store {
                continue;
            }
            let writes = if is_of_git(&path) {
                WatchFlags::MODIFY
            } else {
                WatchFlags::empty()
            };
            match add_watch(&self.fd, &path, NAMES | writes) {
                Ok(watch) => self.paths.insert(watch, path.clone()),
                // Gone again, or no folder after all.
                Err(Errno::NOENT | Errno::NOTDIR) => continue,
                Err(error) => return Err(error.into()),
            };
            if self.paths.len() > MOST {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            let Ok(entries) = fs::read_dir(&path) else {
                // Gone, or closed: then git can't look into it either.
                continue;
            };
            let mut shape = BareShape::default();
            for entry in entries.flatten() {
                shape.note(&entry.file_name());
                if entry.file_name() == ".git" {
                    found.push(entry.path());
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    pending.push(entry.path());
                }
            }
            if shape.is_repository() {
                self.watch_writes(&path);
                found.push(path);
            }
        }
        Ok(())
    }

    /// Watches what is written into files of a folder of git's too: its settings.
    fn watch_writes(&self, folder: &Path) {
        // Gone again: nothing is written there.
        let _ = add_watch(&self.fd, folder, NAMES | WatchFlags::MODIFY);
    }

    /// Reads what there is; `ways` are further paths that count.
    pub(super) fn changes(&mut self, ways: &[Way]) -> io::Result<Changes> {
        let mut buffer = [MaybeUninit::<u8>::uninit(); 16 << 10];
        let (mut new, mut touched, mut on_ways) = (Vec::new(), Vec::new(), Vec::new());
        let mut reader = Reader::new(&self.fd, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            };
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                return Ok(Changes::Lost);
            }
            let folder = self.paths.get(&event.wd());
            let Some((folder, name)) = folder.zip(event.file_name()) else {
                continue;
            };
            // Builds make files by the hundred thousand: nothing is asked of the kernel about
            // those that can't concern git.
            let name = OsStr::from_bytes(name.to_bytes());
            if flags.contains(ReadFlags::ISDIR) {
                new.push(folder.join(name));
            }
            if MARKS.iter().any(|mark| name == *mark) || is_of_git(folder) {
                touched.push(folder.join(name));
            }
            if !ways.is_empty() {
                let path = folder.join(name);
                on_ways.extend(
                    ways.iter()
                        .any(|way| path.starts_with(&way.path))
                        .then_some(path),
                );
            }
        }
        let mut repositories = Vec::new();
        // A folder brings what is in it.
        for path in new {
            if self.add(&path, &mut repositories).is_err() {
                return Ok(Changes::Lost);
            }
        }
        touched.dedup();
        for path in touched {
            repositories.extend(near(&path));
        }
        repositories.sort();
        repositories.dedup();
        for path in &repositories {
            self.watch_writes(path);
        }
        Ok(Changes::Some {
            repositories,
            paths: on_ways,
        })
    }
}

impl AsFd for Folders {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The repositories that a change at `path` may be about: itself, and the folders around it
/// (settings lie in one, hooks one further down).
fn near(path: &Path) -> impl Iterator<Item = PathBuf> {
    let is_named = |path: &Path| path.file_name() == Some(OsStr::new(".git"));
    let around = path.ancestors().take(4);
    let found: Vec<PathBuf> = around
        .filter(|path| is_named(path) || has_shape(path))
        .map(Path::to_owned)
        .collect();
    found.into_iter()
}

/// Whether `folder` is one of git's own by its name alone.
fn is_of_git(folder: &Path) -> bool {
    let mut names = folder.iter().rev().take(3);
    names.any(|name| name == "hooks" || name == ".git")
}

fn has_shape(folder: &Path) -> bool {
    let mut shape = BareShape::default();
    for name in ["HEAD", "objects", "refs", "commondir"] {
        if fs::symlink_metadata(folder.join(name)).is_ok() {
            shape.note(OsStr::new(name));
        }
    }
    shape.is_repository()
}
