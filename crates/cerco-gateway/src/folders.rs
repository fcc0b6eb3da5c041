//! Where Cerco keeps its own files: XDG folders, nobody else's to read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Settings and the list of known projects.
    pub config: PathBuf,
    /// The journal.
    pub state: PathBuf,
    /// The gateway's socket.
    pub runtime: PathBuf,
    /// What can be made again.
    pub cache: PathBuf,
}

/// Why there are no folders.
#[derive(Debug, thiserror::Error)]
pub enum FoldersError {
    /// `HOME` is not set.
    #[error(
        "HOME is not set, so Cerco doesn't know where its files are; set HOME to your home folder"
    )]
    NoHome,
    /// A folder could not be made.
    #[error("the folder {} can't be used: {source}; check who owns it", path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others could read or change what is in it.
    #[error("the folder {0} is open to other users; run: chmod 700 {0}")]
    Open(String),
}

impl Folders {
    /// The folders that `variable` (the environment) names. A relative path in an XDG
    /// variable is ignored, as the XDG rules say.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self, FoldersError> {
        let absolute = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = absolute(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .ok_or(FoldersError::NoHome)?;
        let xdg = |name: &str, default: &str| {
            absolute(name)
                .unwrap_or_else(|| home.join(default))
                .join("cerco")
        };
        let state = xdg("XDG_STATE_HOME", ".local/state");
        Ok(Self {
            config: xdg("XDG_CONFIG_HOME", ".config"),
            cache: xdg("XDG_CACHE_HOME", ".cache"),
            runtime: absolute("XDG_RUNTIME_DIR")
                .map_or_else(|| state.join("run"), |dir| dir.join("cerco")),
            state,
        })
    }

    /// Where it is written down which commands run in the sandbox.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.state.join("runs")
    }

    /// The folders of the person this process runs as.
    pub fn from_environment() -> Result<Self, FoldersError> {
        Self::of(|name| std::env::var(name).ok())
    }
}

/// Makes a folder that only its owner can enter, its parents as usual; an existing one
/// has to be closed to others already (its content could have been swapped).
pub fn private_folder(path: &Path) -> Result<(), FoldersError> {
    let unusable = |source| FoldersError::Unusable {
        path: path.to_path_buf(),
        source,
    };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(unusable)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unusable(error)),
    }
    let found = fs::symlink_metadata(path).map_err(unusable)?;
    if !found.is_dir() {
        return Err(unusable(io::ErrorKind::NotADirectory.into()));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 != 0 {
        return Err(FoldersError::Open(path.display().to_string()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xdg_variables_count_when_absolute() {
        let of = |pairs: &[(&str, &str)]| {
            Folders::of(|name| {
                let found = pairs.iter().find(|(n, _)| *n == name);
                found.map(|(_, v)| (*v).to_owned())
            })
        };
        let plain = of(&[("HOME", "/home/u")]).unwrap();
        assert_eq!(plain.config, Path::new("/home/u/.config/cerco"));
        assert_eq!(plain.runtime, Path::new("/home/u/.local/state/cerco/run"));
        let set = of(&[
            ("HOME", "/home/u"),
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_STATE_HOME", "relative"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
        ])
        .unwrap();
        assert_eq!(set.config, Path::new("/c/cerco"));
        assert_eq!(set.state, Path::new("/home/u/.local/state/cerco"));
        assert_eq!(set.runtime, Path::new("/run/user/1/cerco"));
        assert!(matches!(of(&[]), Err(FoldersError::NoHome)));
    }
}
