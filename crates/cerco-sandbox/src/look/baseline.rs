//! What stood in the loop's folder before a run, of all that git outside obeys there: to
//! tell afterwards what the person had, and what a command put there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::folder::LONGEST;
use crate::walk::{Stamp, stamp};

/// How far down a folder of hooks is written down, and how many files of it.
const DEPTH: usize = 3;
const MOST: usize = 2000;

/// One thing as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Was {
    /// A file with this text.
    Text(String),
    /// A file that is too long to be kept, or no text; and where a link led.
    Stamp(Stamp),
    /// A folder with these files, by their path in it.
    Folder(BTreeMap<PathBuf, Stamp>),
}

/// What stood there, by canonical path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Baseline(pub(super) BTreeMap<PathBuf, Was>);

impl Baseline {
    /// Writes down what is at each of `parts`.
    pub(crate) fn take<'a>(parts: impl Iterator<Item = &'a Path>) -> Self {
        Self(
            parts
                .filter_map(|part| Some((part.to_owned(), at(part)?)))
                .collect(),
        )
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&Was> {
        self.0.get(path)
    }

    /// The text that the file at `path` had.
    pub(crate) fn text(&self, path: &Path) -> Option<&str> {
        match self.get(path)? {
            Was::Text(text) => Some(text),
            Was::Stamp(_) | Was::Folder(_) => None,
        }
    }

    /// Whether what is at `path` is just as it was.
    pub(crate) fn is_unchanged(&self, path: &Path) -> bool {
        self.get(path)
            .is_some_and(|was| at(path).as_ref() == Some(was))
    }

    /// The files in the folder at `path` that are new or otherwise; nothing where the
    /// folder wasn't there.
    pub(crate) fn changed_in(&self, path: &Path) -> Option<Vec<PathBuf>> {
        let Some(Was::Folder(before)) = self.get(path) else {
            return None;
        };
        let Some(Was::Folder(now)) = at(path) else {
            return None;
        };
        let is_new =
            |(name, stamp): (PathBuf, Stamp)| (before.get(&name) != Some(&stamp)).then_some(name);
        Some(now.into_iter().filter_map(is_new).collect())
    }
}

/// What stands at `path` now.
fn at(path: &Path) -> Option<Was> {
    let facts = fs::symlink_metadata(path).ok()?;
    if facts.is_dir() {
        let is_known_by_its_parts = path
            .file_name()
            .is_some_and(|name| name == "modules" || name == "worktrees");
        let mut files = BTreeMap::new();
        if !is_known_by_its_parts {
            collect(path, Path::new(""), DEPTH, &mut files);
        }
        return Some(Was::Folder(files));
    }
    let text = facts.is_file().then(|| short(path)).flatten();
    Some(text.map_or_else(|| Was::Stamp(stamp(&facts)), Was::Text))
}

fn short(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(LONGEST + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= LONGEST).then_some(text)
}

fn collect(top: &Path, below: &Path, depth: usize, files: &mut BTreeMap<PathBuf, Stamp>) {
    for entry in fs::read_dir(top.join(below))
        .into_iter()
        .flatten()
        .flatten()
    {
        let Ok(facts) = entry.metadata() else {
            continue;
        };
        let name = below.join(entry.file_name());
        if facts.is_dir() && depth > 1 {
            collect(top, &name, depth - 1, files);
        } else if !is_sample(&name) && files.len() < MOST {
            files.insert(name, stamp(&facts));
        }
    }
}

/// Git's own examples, which it never runs.
pub(super) fn is_sample(name: &Path) -> bool {
    name.extension() == Some(OsStr::new("sample"))
}
