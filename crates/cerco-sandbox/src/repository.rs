//! Git's files inside the loop's folder that make git OUTSIDE run something: hooks,
//! settings, and the pointers to other git folders. What exists of them is read-only in
//! the sandbox; commits still work.

use std::fs;
use std::path::{Path, PathBuf};

use crate::facts::{Found, Kind};
use crate::refusal::Refusal;
use crate::survey::found;

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
/// Settings longer than this are not searched for a hooks folder.
const MAX_SETTINGS: u64 = 1 << 20;

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
        parts(path, loop_folder, &mut all)?;
    }
    Ok(all)
}

fn parts(git: &Path, loop_folder: &Path, all: &mut Vec<Found>) -> Result<(), Refusal> {
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
    if let Some(hooks) = hooks_folder(git, loop_folder) {
        all.push(hooks);
    }
    Ok(())
}

/// The folder inside the loop's folder that `core.hooksPath` names, where it exists: a
/// hook written there would be run by git outside.
fn hooks_folder(git: &Path, loop_folder: &Path) -> Option<Found> {
    let config = git.join("config");
    if fs::metadata(&config).ok()?.len() > MAX_SETTINGS {
        return None;
    }
    let text = fs::read(&config).ok()?;
    let text = String::from_utf8_lossy(&text);
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let is_key = key.trim().eq_ignore_ascii_case("hookspath");
        is_key.then(|| value.trim().trim_matches('"').to_owned())
    })?;
    let work_tree = git.parent()?;
    let hooks = found("git's hooks folder", &work_tree.join(value)).ok()?;
    let inside = hooks.path.starts_with(loop_folder) && hooks.path != loop_folder;
    (inside && hooks.kind == Kind::Folder).then_some(hooks)
}
