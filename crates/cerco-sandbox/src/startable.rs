//! Files that programs outside the sandbox run or obey without being asked: git, shells
//! with direnv, editors, agents. A command may write them (its loop's folder is its own),
//! so what is new or changed after a run is told to the person.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::walk::{Seen, Stamp};

const GIT: &str = "git takes this folder for a repository and runs what its settings name";

/// Names that count wherever they stand, and who obeys them.
const NAMES: &[(&str, &str)] = &[
    (".git", GIT),
    (".gitmodules", "git reads where submodules come from"),
    (
        ".gitattributes",
        "git picks filters and diff programs by it",
    ),
    (".gitconfig", "git runs what its settings name"),
    (".envrc", "direnv runs it when a shell enters the folder"),
    (".env", "many tools load their variables from it"),
    (
        ".mise.toml",
        "mise runs its hooks when a shell enters the folder",
    ),
    (
        "mise.toml",
        "mise runs its hooks when a shell enters the folder",
    ),
    (".autoenv", "autoenv runs it when a shell enters the folder"),
    (
        ".pre-commit-config.yaml",
        "pre-commit runs what it names before a commit",
    ),
    (
        "lefthook.yml",
        "lefthook runs what it names before a commit",
    ),
    (
        ".lefthook.yml",
        "lefthook runs what it names before a commit",
    ),
    (".mcp.json", "agents start the servers it names"),
    (".exrc", "vim runs it on start"),
    (".nvim.lua", "neovim runs it on start"),
    (".vimrc", "vim runs it on start"),
    (".gdbinit", "gdb runs it on start"),
    (".lldbinit", "lldb runs it on start"),
    (".dir-locals.el", "Emacs evaluates it"),
    (".bashrc", "bash runs it on start"),
    (".bash_profile", "bash runs it on start"),
    (".profile", "shells run it on start"),
    (".zshrc", "zsh runs it on start"),
    (".zshenv", "zsh runs it on start"),
    (".npmrc", "npm takes its registry and shell from it"),
    (".yarnrc.yml", "yarn runs the release it names"),
    (".yarnrc", "yarn runs the release it names"),
    (".devcontainer.json", "editors build and start it"),
    (".nvimrc", "neovim runs it on start"),
    (".lvimrc", "vim runs it on start"),
    (".direnvrc", "direnv runs it when a shell enters the folder"),
    (
        ".tool-versions",
        "asdf and mise choose the programs that run by it",
    ),
    ("rust-toolchain", "rustup starts the compiler it names"),
    ("rust-toolchain.toml", "rustup starts the compiler it names"),
    (".pnp.cjs", "yarn has node run it before every program"),
    (".pnpmfile.cjs", "pnpm runs it when it installs"),
    (".inputrc", "shells take key bindings from it"),
    (".pythonrc", "python runs it on start"),
    (".bash_aliases", "bash runs it on start"),
    ("hgrc", "Mercurial runs the hooks it names"),
    (".Rprofile", "R runs it on start"),
    (".Renviron", "R takes its variables from it on start"),
    (".irbrc", "irb runs it on start"),
    (".pryrc", "pry runs it on start"),
    (".ghci", "ghci runs it on start"),
    (".ocamlinit", "ocaml runs it on start"),
    (".octaverc", "Octave runs it on start"),
    (".pdbrc", "Python's debugger runs it on start"),
    (".dir-locals-2.el", "Emacs evaluates it"),
    (".bazelrc", "Bazel takes the programs it starts from it"),
    (".pylintrc", "pylint runs the code it names, in editors too"),
    (".vimspector.json", "vim's debugger starts what it names"),
    (
        "devbox.json",
        "devbox runs its hooks when a shell enters the folder",
    ),
    (".aider.conf.yml", "an agent takes settings from it"),
    ("opencode.json", "agents start the servers it names"),
    ("opencode.jsonc", "agents start the servers it names"),
];

/// Ends of names that count wherever they stand.
const ENDINGS: &[(&str, &str)] = &[
    (
        "code-workspace",
        "VS Code runs tasks and takes program paths from it",
    ),
    (
        "sublime-project",
        "Sublime Text takes build programs from it",
    ),
];

/// Folders in which every file counts, and who obeys it.
const FOLDERS: &[(&str, &str)] = &[
    (
        ".vscode",
        "VS Code runs tasks and takes program paths from it",
    ),
    (".idea", "JetBrains editors take run configurations from it"),
    (".run", "JetBrains editors take run configurations from it"),
    (".devcontainer", "editors build and start it"),
    (".husky", "git runs its files as hooks"),
    (
        ".githooks",
        "git runs its files as hooks where it is set so",
    ),
    (
        "hooks",
        "git runs its files when a repository lies around it",
    ),
    (".zed", "Zed runs tasks and language servers from it"),
    (".vs", "Visual Studio starts what it names"),
    (".fleet", "Fleet takes run configurations from it"),
    (
        ".mise",
        "mise runs its hooks when a shell enters the folder",
    ),
    (".jj", "Jujutsu runs the programs its settings name"),
    (".hg", "Mercurial runs the hooks its settings name"),
    (".windsurf", "an agent takes rules and hooks from it"),
    (".claude", "an agent takes commands and hooks from it"),
    (".codex", "an agent takes settings from it"),
    (".gemini", "an agent takes settings from it"),
    (".cursor", "an agent takes rules and hooks from it"),
    (".kiro", "an agent takes rules and hooks from it"),
    (".opencode", "an agent takes settings from it"),
    (".continue", "an agent takes settings from it"),
    (".roo", "an agent starts the servers its settings name"),
    (".amazonq", "an agent starts the servers its settings name"),
    (".trae", "an agent starts the servers its settings name"),
    (".helix", "Helix starts the language servers it names"),
    (".mvn", "Maven loads the extensions and options in it"),
    (".github", "GitHub runs its workflows once they are pushed"),
];

/// Files that count in one folder only: parent's name, name, who obeys them.
const PLACED: &[(&str, &str, &str)] = &[
    (
        ".cargo",
        "config.toml",
        "cargo runs the wrappers and runners it names",
    ),
    (
        ".cargo",
        "config",
        "cargo runs the wrappers and runners it names",
    ),
    (
        "mise",
        "config.toml",
        "mise runs its hooks when a shell enters the folder",
    ),
    (".git", "config", "git runs what its settings name"),
    (".git", "config.worktree", "git runs what its settings name"),
    (
        ".git",
        "commondir",
        "git takes settings and hooks from the folder it names",
    ),
];

/// Whether a file's name or folder is in the tables.
pub(crate) fn is_startable(path: &Path) -> bool {
    reason(path).is_some()
}

/// Who obeys the file at `path`.
fn reason(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?;
    let parent = path.parent()?;
    if let Some((_, why)) = NAMES.iter().find(|(n, _)| name == OsStr::new(n)) {
        return Some(why);
    }
    let in_folder = |n: &str| parent.iter().any(|part| part == OsStr::new(n));
    if let Some((_, why)) = FOLDERS.iter().find(|(n, _)| in_folder(n)) {
        return Some(why);
    }
    let end = path.extension().unwrap_or_default();
    if let Some((_, why)) = ENDINGS.iter().find(|(e, _)| end == OsStr::new(e)) {
        return Some(why);
    }
    let near = parent.file_name()?;
    PLACED
        .iter()
        .find(|(p, n, _)| near == OsStr::new(p) && name == OsStr::new(n))
        .map(|(_, _, why)| *why)
}

/// Collects the names in one folder that make a bare repository.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BareShape(u8);

impl BareShape {
    const HEAD: u8 = 1;
    const OBJECTS: u8 = 2;
    const REFS: u8 = 4;
    const POINTER: u8 = 8;

    pub(crate) fn note(&mut self, name: &OsStr) {
        self.0 |= match name.to_str() {
            Some("HEAD") => Self::HEAD,
            Some("objects") => Self::OBJECTS,
            Some("refs") => Self::REFS,
            Some("commondir") => Self::POINTER,
            _ => 0,
        };
    }
    /// What git itself looks for: all of it here, or a pointer to where the rest is.
    pub(crate) fn is_repository(self) -> bool {
        let has = |all: u8| self.0 & all == all;
        has(Self::HEAD | Self::OBJECTS | Self::REFS) || has(Self::HEAD | Self::POINTER)
    }
}

/// A file that is new or changed and that something outside would run or obey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Where it is.
    pub path: PathBuf,
    /// Who obeys it, in words, and what was done about it.
    pub why: String,
}

/// What the second look found that the first had not, or had otherwise. Files inside a
/// repository that is itself new are not told one by one.
pub(crate) fn planted(before: &Seen, after: &Seen) -> Vec<Planted> {
    let new_repositories: Vec<&PathBuf> = after
        .repositories
        .iter()
        .filter(|path| !before.repositories.contains(path))
        .collect();
    let mut found: Vec<Planted> = new_repositories
        .iter()
        .filter(|path| path.file_name() == Some(OsStr::new(".git")) || !inside_git(path))
        .map(|path| Planted {
            path: (*path).clone(),
            why: GIT.to_owned(),
        })
        .collect();
    for (path, stamp) in &after.startable {
        let told = new_repositories.iter().any(|r| path.starts_with(r));
        if !told && changed(&before.startable, path, *stamp) {
            let why = reason(path).unwrap_or("programs outside obey it");
            found.push(Planted {
                path: path.clone(),
                why: why.to_owned(),
            });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

fn inside_git(path: &Path) -> bool {
    path.iter().any(|part| part == ".git")
}

fn changed(before: &BTreeMap<PathBuf, Stamp>, path: &Path, now: Stamp) -> bool {
    before.get(path).is_none_or(|then| *then != now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_that_are_obeyed() {
        for (path, expected) in [
            ("/l/.envrc", true),
            ("/l/deep/.vscode/tasks.json", true),
            ("/l/.husky/_/pre-commit", true),
            ("/l/.git/hooks/pre-commit", true),
            ("/l/.git/commondir", true),
            ("/l/.cargo/config.toml", true),
            ("/l/config.toml", false),
            ("/l/src/main.rs", false),
            ("/l/Makefile", false),
            ("/l/.git/index", false),
        ] {
            assert_eq!(is_startable(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        for (n, (name, _)) in NAMES.iter().enumerate() {
            assert!(!NAMES[..n].iter().any(|(other, _)| other == name), "{name}");
        }
    }
}
