//! What else a command can leave that acts later: a git operation in the middle, and files
//! that lend their group's rights.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::fs::{chmod, fstat, openat, openat2};

use super::folder::Folder;

/// Steps of an unfinished rebase that start no program.
const STEPS: &[&str] = &[
    "b",
    "break",
    "d",
    "drop",
    "e",
    "edit",
    "f",
    "fixup",
    "l",
    "label",
    "m",
    "merge",
    "noop",
    "p",
    "pick",
    "r",
    "reset",
    "reword",
    "revert",
    "s",
    "squash",
    "t",
    "u",
    "update-ref",
];
/// Folders of operations that git takes up again, and their files that name what it runs.
const OPERATIONS: &[(&str, &[&str])] = &[
    (
        "rebase-merge",
        &[
            "git-rebase-todo",
            "git-rebase-todo.backup",
            "strategy",
            "strategy_opts",
        ],
    ),
    ("rebase-apply", &["git-rebase-todo"]),
    ("sequencer", &["todo", "opts"]),
];

/// Files of unfinished operations that name a program, by their path in the git folder.
pub(super) fn unfinished(git: &Folder) -> io::Result<Vec<(PathBuf, &'static str)>> {
    let mut found = Vec::new();
    for (operation, files) in OPERATIONS {
        let Ok(folder) = git.folder(OsStr::new(operation)) else {
            continue;
        };
        for name in *files {
            let file = OsString::from(name);
            if folder.stat(&file)?.is_none() {
                continue;
            }
            let is_harmless = folder.text(&file).is_ok_and(|text| match *name {
                "strategy" => matches!(text.trim(), "" | "ort" | "recursive" | "resolve" | "ours"),
                "strategy_opts" | "opts" => !text.contains("strategy"),
                _ => text.lines().all(is_step),
            });
            if !is_harmless {
                let what = "git would run what it names when it goes on";
                found.push((Path::new(operation).join(name), what));
            }
        }
    }
    Ok(found)
}

fn is_step(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.is_empty() || word.starts_with('#') || STEPS.contains(&word)
}

/// Takes the bits from a file that give its owner's or group's rights to whoever starts
/// it. Answers whether it had any.
pub(super) fn clear_special(own: &Path, path: &Path) -> io::Result<bool> {
    let below = path
        .strip_prefix(own)
        .map_err(|_| io::ErrorKind::InvalidInput)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let top = openat(rustix::fs::CWD, own, flags, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    let file = openat2(&top, below, flags, Mode::empty(), resolve)?;
    let facts = fstat(&file)?;
    let has = facts.st_mode & 0o6000 != 0;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile || !has {
        return Ok(false);
    }
    let through = format!("/proc/self/fd/{}", file.as_raw_fd());
    chmod(through, Mode::from_raw_mode(facts.st_mode & 0o1777))?;
    Ok(true)
}
