//! FIFOs of the machine that a command could write to. A read-only mount doesn't stop it,
//! and the fence around writing ([`cerco_sys::landlock`]) doesn't where the project lies
//! below a private folder that takes writes: the home, mostly.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// How far down is looked, and at how many entries: this is on the way of every start, and
/// FIFOs that programs listen on lie near the top.
const DEPTH: usize = 3;
const MOST: usize = 3000;
/// Folders of thousands of downloaded or made files.
const NOT_LOOKED_INTO: &[&str] = &["node_modules", "target", ".git", ".venv", "venv", "vendor"];

/// The FIFOs near the top of `folders`, but for those in `own`, which the command may make.
pub(crate) fn fifos(folders: &[&Path], own: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending: VecDeque<(PathBuf, usize)> = folders
        .iter()
        .map(|folder| (folder.to_path_buf(), 1))
        .collect();
    let mut entries = 0;
    while let Some((folder, depth)) = pending.pop_front() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > MOST {
                return found;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_fifo() {
                found.push(entry.path());
            } else if kind.is_dir() && depth < DEPTH {
                let path = entry.path();
                let name = entry.file_name();
                let is_left_out = NOT_LOOKED_INTO.iter().any(|known| name == *known);
                if path != own && !is_left_out {
                    pending.push_back((path, depth + 1));
                }
            }
        }
    }
    found
}
