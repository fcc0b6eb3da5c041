//! Changing the files that a person writes too: one change at a time, whole or not at all.
//!
//! `config.toml` and `projects.toml` of the configuration folder and a project's `cerco.toml`
//! are written by the command line, by the gateway and by a person's editor. Every writer of
//! ours comes through [`Changing::change`]: it waits its turn, reads the file as it is now,
//! and puts the new text there at once. A file that doesn't parse is left as it stands.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::folders::{FoldersError, private_folder};
use crate::toml_file::{self, FileError};

/// The lock's file in the configuration folder. One for all: `cerco init` changes two files
/// that belong together.
const LOCK: &str = "change.lock";
/// A change takes milliseconds. Who holds the lock for longer is stopped or stuck, and
/// nobody waits for ever.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The configuration folder.
    #[error(transparent)]
    Folder(#[from] FoldersError),
    /// Another process is at it.
    #[error(
        "another Cerco is changing the files in {} and doesn't come to an end; nothing was changed. End it, then try again",
        .0.display()
    )]
    Taken(PathBuf),
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Readers {
    /// Only the person.
    Owner,
    /// As the umask says: it is part of a repository.
    Everyone,
}

/// The right to change the person's files, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Changing(#[expect(dead_code, reason = "the kernel's lock goes with it")] File);

impl Changing {
    /// Waits for the turn, and makes the configuration folder where there is none.
    pub(crate) fn begin(config: &Path) -> Result<Self, ChangeError> {
        private_folder(config)?;
        let path = config.join(LOCK);
        let unwritable = |source| FileError::Unwritable {
            path: path.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(unwritable)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(error)) => return Err(unwritable(error).into()),
                Err(TryLockError::WouldBlock) if started.elapsed() > PATIENCE => {
                    return Err(ChangeError::Taken(config.to_path_buf()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Hands the text of the file at `path` as it is now to `edit` (nothing: there is no
    /// file), and puts what comes back in its place. An error of `edit` leaves the file as it
    /// is, and so does a text that is the same.
    #[expect(clippy::unused_self, reason = "whoever has the turn may write")]
    pub(crate) fn change<T, E: From<FileError>>(
        &self,
        path: &Path,
        readers: Readers,
        edit: impl FnOnce(Option<&str>) -> Result<(String, T), E>,
    ) -> Result<T, E> {
        let before = toml_file::read(path)?;
        let (text, found) = edit(before.as_deref())?;
        if before.as_ref() != Some(&text) {
            put(path, &text, readers).map_err(|source| FileError::Unwritable {
                path: path.to_path_buf(),
                source,
            })?;
        }
        Ok(found)
    }
}

/// Puts `text` at `path` at once or not at all: a crash leaves the old file or the new.
fn put(path: &Path, text: &str, readers: Readers) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".cerco-new");
    let temporary = path.with_file_name(name);
    // One that a killed process left. Nobody else of us is here now.
    let _ = fs::remove_file(&temporary);
    let put = (|| {
        let mut options = OpenOptions::new();
        // Never through a file or link that somebody put there before.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(
            &mut options,
            match readers {
                Readers::Owner => 0o600,
                Readers::Everyone => 0o644,
            },
        );
        let mut file = options.open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if put.is_err() {
        let _ = fs::remove_file(&temporary);
        return put;
    }
    sync_folder(path)
}

/// The new name is on the disk too, not only the new bytes.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Elsewhere a folder can't be opened to be synced.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_and_a_left_file_is_in_nobodys_way() {
        let config = std::env::temp_dir().join(format!("cerco-changing-{}", std::process::id()));
        let _ = fs::remove_dir_all(&config);
        let path = config.join("n.toml");
        private_folder(&config).unwrap();
        fs::write(config.join("n.toml.cerco-new"), "left by a killed one").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let turn = Changing::begin(&config).unwrap();
                        let add = |text: Option<&str>| {
                            let n: u32 = text.unwrap_or("0").parse().unwrap();
                            Ok::<_, FileError>(((n + 1).to_string(), ()))
                        };
                        turn.change(&path, Readers::Owner, add).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "200");
        let turn = Changing::begin(&config).unwrap();
        let refused = |_: Option<&str>| Err::<(String, ()), _>(FileError::NotPlain(path.clone()));
        assert!(turn.change(&path, Readers::Owner, refused).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "200");
        assert_eq!(fs::read_dir(&config).unwrap().count(), 2);
        fs::remove_dir_all(&config).unwrap();
    }
}
