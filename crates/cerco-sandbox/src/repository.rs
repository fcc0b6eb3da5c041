//! Git's files inside the loop's folder that make git OUTSIDE run something: hooks,
//! settings, and the pointers to other git folders. What exists of them is read-only in
//! the sandbox; commits still work.

use std::fs;
use std::path::{Path, PathBuf};

use crate::facts::Found;
use crate::refusal::Refusal;
use crate::survey::found;
use crate::ways::Way;

/// Inside a git folder: what git runs, or what tells it what to run.
const PARTS: &[&str] = &[
    "hooks",
    "config",
    "config.worktree",
    "modules",
    "info",
    "worktrees",
    "commondir",
];

/// The parts that exist of every repository in the loop's folder.
pub(crate) fn metadata(
    loop_folder: &Path,
    repositories: &[PathBuf],
) -> Result<Vec<Found>, Refusal> {
    let mut all = Vec::new();
    for path in repositories {
        let facts = fs::symlink_metadata(path).map_err(|e| Refusal::Unreadable {
            what: "git's folder",
            path: path.clone(),
            why: e.to_string(),
        })?;
        if facts.is_symlink() {
            // In the loop's own place it decides which settings git obeys; deeper down it
            // is a link like any other.
            if path.parent() == Some(loop_folder) {
                return Err(Refusal::Link {
                    what: "git's folder",
                    path: path.clone(),
                });
            }
            continue;
        }
        if facts.is_file() {
            // A worktree's or submodule's pointer: aimed at another folder, git would
            // obey that one's settings.
            all.push(found("git's pointer", path)?);
            continue;
        }
        parts(path, &mut all)?;
    }
    Ok(all)
}

fn parts(git: &Path, all: &mut Vec<Found>) -> Result<(), Refusal> {
    for name in PARTS {
        let path = git.join(name);
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        if facts.is_symlink() {
            return Err(Refusal::Link {
                what: "git's file",
                path,
            });
        }
        all.push(found("git's file", &path)?);
    }
    Ok(())
}

/// What exists of the ways by which somebody's settings lead git into the loop's folder.
/// What can't be looked at now isn't held while the command runs; the look after it opens
/// closed folders.
pub(crate) fn existing(ways: &[Way]) -> Vec<Found> {
    let there = ways
        .iter()
        .filter_map(|way| found("what git's settings name", &way.path).ok());
    // A link is held where it leads to, which is among the ways too where that is here.
    let mut there: Vec<Found> = there
        .filter(|found| ways.iter().any(|way| way.path == found.path))
        .collect();
    there.sort_by(|a, b| a.path.cmp(&b.path));
    there.dedup_by(|a, b| a.path == b.path);
    there
}
