//! Ways by which git outside comes into the loop's folder through settings of the person:
//! a folder of hooks, settings that are included, a program that is named. Whoever may
//! write there may have git run what they write.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::git_config::{Setting, settings};

/// Settings longer than this are not the work of a person.
const MAX_SETTINGS: u64 = 1 << 20;
/// How many files of settings are read in all; with more, what they lead to isn't known.
const MOST_FILES: usize = 4_000;
/// Sections whose values name no file that git runs.
const NO_PROGRAMS: &[&str] = &[
    "blame",
    "branch",
    "color",
    "commit",
    "gui",
    "http",
    "maintenance",
    "remote",
    "safe",
    "submodule",
    "url",
    "user",
];

/// Whose settings git obeys in the loop's folder beside its repositories' own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct People {
    /// Files of settings, whether they exist or not.
    pub(crate) settings: Vec<PathBuf>,
    /// For `~` in them.
    pub(crate) home: Option<PathBuf>,
}

impl People {
    /// The machine's and the person's settings, and those of the repositories around
    /// `loop_folder`.
    pub(crate) fn around(loop_folder: &Path, home: Option<&Path>) -> Self {
        let mut files = vec![PathBuf::from("/etc/gitconfig")];
        if let Some(home) = home {
            files.push(home.join(".gitconfig"));
        }
        let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = named.filter(|path| path.is_absolute());
        let folder = folder.or_else(|| home.map(|home| home.join(".config")));
        files.extend(folder.map(|folder| folder.join("git/config")));
        files.extend(std::env::var_os("GIT_CONFIG_GLOBAL").map(PathBuf::from));
        for around in loop_folder.ancestors().skip(1) {
            files.extend(settings_of(&around.join(".git")));
        }
        Self {
            settings: files,
            home: home.map(Path::to_owned),
        }
    }
}

/// What git does with what is at the end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Does {
    /// Runs the files in the folder.
    RunsFiles,
    /// Obeys the settings.
    Obeys,
    /// Runs it.
    Runs,
}

/// One place in the loop's folder, there or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    pub(crate) path: PathBuf,
    pub(crate) does: Does,
}

/// Every way into `loop_folder` by the settings of `people` and of its `repositories`.
///
/// An error where the settings are in too many files: some would not be known.
pub(crate) fn ways(
    loop_folder: &Path,
    people: &People,
    repositories: &[PathBuf],
) -> io::Result<Vec<Way>> {
    let mut found = Found {
        loop_folder,
        home: people.home.as_deref(),
        ways: BTreeSet::new(),
        read: BTreeSet::new(),
        all_read: true,
    };
    let trees: Vec<&Path> = repositories
        .iter()
        .filter_map(|repository| work_tree(repository))
        .chain([loop_folder])
        .collect();
    for file in &people.settings {
        // A relative path counts from each work tree that obeys the settings; those of a
        // repository around the loop count from that one's.
        let own = file
            .ancestors()
            .find(|folder| folder.ends_with(".git"))
            .and_then(Path::parent);
        match own {
            Some(tree) => found.read(file, &[tree]),
            None => found.read(file, &trees),
        }
    }
    for repository in repositories {
        let tree = work_tree(repository).unwrap_or(repository);
        for file in settings_of(repository) {
            found.read(&file, &[tree]);
        }
        found.linked_hooks(&repository.join("hooks"));
    }
    if found.all_read {
        Ok(found.ways.into_iter().collect())
    } else {
        Err(io::Error::other(format!(
            "git's settings here are in more than {MOST_FILES} files"
        )))
    }
}

/// Where a relative path in a repository's settings counts from.
fn work_tree(repository: &Path) -> Option<&Path> {
    match repository.file_name()?.to_str() {
        Some(".git") => repository.parent(),
        _ => Some(repository),
    }
}

/// The files of settings of the git folder at `git`, or of the one that it points to.
fn settings_of(git: &Path) -> Vec<PathBuf> {
    let Ok(facts) = fs::symlink_metadata(git) else {
        return Vec::new();
    };
    let mut folders = vec![git.to_owned()];
    if facts.is_file() {
        let target = text(git).and_then(|text| {
            let target = text.trim_end().strip_prefix("gitdir: ")?.to_owned();
            Some(git.parent()?.join(target))
        });
        let Some(target) = target else {
            return Vec::new();
        };
        if let Some(common) = text(&target.join("commondir")) {
            folders.push(target.join(common.trim_end()));
        }
        folders.push(target);
    }
    let names = ["config", "config.worktree"];
    let files = |folder: &PathBuf| names.map(|name| folder.join(name));
    folders.iter().flat_map(files).collect()
}

fn text(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > MAX_SETTINGS {
        return None;
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(MAX_SETTINGS).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

struct Found<'a> {
    loop_folder: &'a Path,
    home: Option<&'a Path>,
    ways: BTreeSet<Way>,
    read: BTreeSet<PathBuf>,
    all_read: bool,
}

impl Found<'_> {
    /// The ways by the settings in `file` and in what it includes; `trees` is where
    /// relative paths count from.
    fn read(&mut self, file: &Path, trees: &[&Path]) {
        if !self.read.insert(file.to_owned()) {
            return;
        }
        if self.read.len() > MOST_FILES {
            self.all_read = false;
            return;
        }
        let Some(text) = text(file) else {
            return;
        };
        for setting in settings(&text) {
            match (setting.section.as_str(), setting.key.as_str()) {
                ("include" | "includeif", "path") => {
                    let base = file.parent().unwrap_or(file);
                    if let Some(at) = self.joined(base, &setting.value) {
                        self.add(&at, Does::Obeys);
                        self.read(&at, trees);
                    }
                }
                ("core", "hookspath") => {
                    for tree in trees {
                        if let Some(at) = self.joined(tree, &setting.value) {
                            self.add(script_folder(&at), Does::RunsFiles);
                        }
                    }
                }
                _ => self.program(&setting, trees),
            }
        }
    }

    /// Words of a value that name a file in the loop's folder.
    fn program(&mut self, setting: &Setting, trees: &[&Path]) {
        if NO_PROGRAMS.contains(&setting.section.as_str()) {
            return;
        }
        let words = setting.value.trim_start_matches('!').split_whitespace();
        for word in words.filter(|word| word.contains('/') && !word.contains("://")) {
            let word = word.trim_matches(['"', '\'']);
            for tree in trees {
                if let Some(at) = self.joined(tree, word) {
                    self.add(&at, Does::Runs);
                }
            }
        }
    }

    /// A hook that is a link runs what it leads to.
    fn linked_hooks(&mut self, hooks: &Path) {
        for entry in fs::read_dir(hooks).into_iter().flatten().flatten() {
            if let Ok(target) = fs::read_link(entry.path())
                && let Some(at) = self.joined(hooks, &target.to_string_lossy())
            {
                self.add(&at, Does::Runs);
            }
        }
    }

    fn joined(&self, base: &Path, value: &str) -> Option<PathBuf> {
        if value.is_empty() {
            return None;
        }
        let path = match (value.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => base.join(value),
        };
        normal(&path)
    }

    /// Only what lies in the loop's folder, and is neither that folder itself nor a
    /// repository's own, which is held anyway.
    fn add(&mut self, at: &Path, does: Does) {
        let real = fs::canonicalize(at);
        // Folders are named for other ends: a submodule's work tree, a repository to trust.
        if does == Does::Runs && at.is_dir() {
            return;
        }
        for path in std::iter::once(at.to_owned()).chain(real) {
            let below = path.strip_prefix(self.loop_folder);
            if below.is_ok_and(|below| !below.as_os_str().is_empty()) {
                self.ways.insert(Way { path, does });
            }
        }
    }
}

/// The folder that a person keeps the hooks in: husky's settings name a folder of its own
/// in it, whose files start those beside it.
fn script_folder(hooks: &Path) -> &Path {
    match (hooks.file_name(), hooks.parent()) {
        (Some(name), Some(parent)) if name == "_" => parent,
        _ => hooks,
    }
}

/// Without `.` and `..`, by the text alone.
pub(crate) fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop().then_some(())?;
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests;
