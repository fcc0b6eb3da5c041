//! The shells a person can open a terminal with: those that are really there.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

const KNOWN: &[&str] = if cfg!(windows) {
    &["pwsh.exe", "powershell.exe", "cmd.exe", "bash.exe"]
} else {
    &["bash", "zsh", "fish", "dash", "pwsh"]
};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its name, as the page shows it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl Shell {
    /// Those found on `path`, the person's own (`own`, from `$SHELL`) first.
    #[must_use]
    pub fn present(own: Option<OsString>, path: &OsStr) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let own = own.map(PathBuf::from).filter(|p| p.is_absolute());
        let known = KNOWN.iter().filter_map(|name| {
            std::env::split_paths(path)
                .filter(|folder| folder.is_absolute())
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())
        });
        for path in own.filter(|p| p.is_file()).into_iter().chain(known) {
            let name = name_of(&path);
            if !found.iter().any(|s| s.name == name) {
                found.push(Self { name, path });
            }
        }
        found
    }
}

fn name_of(path: &Path) -> String {
    path.file_stem()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_persons_own_shell_comes_first_and_nothing_twice() {
        let path = OsStr::new("/usr/bin:/bin:relative");
        let found = Shell::present(Some("/bin/dash".into()), path);
        assert_eq!(found.first().map(|s| s.name.as_str()), Some("dash"));
        let dashes = found.iter().filter(|s| s.name == "dash").count();
        assert_eq!(dashes, 1);
        assert!(found.iter().all(|s| s.path.is_absolute()));
        assert!(Shell::present(Some("dash".into()), OsStr::new("")).is_empty());
    }
}
