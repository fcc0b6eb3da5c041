//! A loop in a folder of its own, with something worth stealing beside it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses its part; a test may stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cerco_files::{Bounds, Edit, FileError, Limits, LoopFiles, Occurrences, RelPath};

/// What no tool may ever return.
pub(crate) const LOOT: &str = "LOOT-OF-ANOTHER-FOLDER";

/// A project with a loop, a loop nested in it, and files outside.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("outside/secret.txt", LOOT),
            ("outside/sub/deep.txt", LOOT),
            ("loop/a.txt", "one\ntwo\nthree\n"),
            ("loop/src/main.rs", "fn main() {}\n"),
            ("loop/.env", LOOT),
            ("loop/.git/config", "[core]\n"),
            ("loop/other/theirs.txt", "theirs\n"),
            ("loop/cerco/journal.db", LOOT),
            ("loop/cerco.toml", "x = 1\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn files(&self) -> LoopFiles {
        self.files_with(Limits::default())
    }

    pub(crate) fn files_with(&self, limits: Limits) -> LoopFiles {
        LoopFiles::open(self.bounds(limits)).unwrap()
    }

    pub(crate) fn bounds(&self, limits: Limits) -> Bounds {
        bounds(&self.at("loop"), limits)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }
}

pub(crate) fn bounds(folder: &Path, limits: Limits) -> Bounds {
    let folder = folder.canonicalize().unwrap();
    Bounds {
        other_loops: vec![rel("other")],
        frozen: vec![rel("cerco.toml")],
        own: vec![folder.join("cerco")],
        folder,
        // Stands in for the filter's rule.
        secrets: Arc::new(|path: &str| {
            path.rsplit('/')
                .next()
                .is_some_and(|name| name == ".env" || name == "key.pem")
        }),
        limits,
    }
}

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

pub(crate) fn edit(old: &str, new: &str, occurrences: Occurrences) -> Edit {
    Edit {
        old: old.into(),
        new: new.into(),
        occurrences,
    }
}

/// The word of an error; `ok` where there was none.
pub(crate) fn code<T>(result: &Result<T, FileError>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(e) => {
            assert!(!e.remedy().is_empty(), "{e} has no next step");
            e.code()
        }
    }
}
