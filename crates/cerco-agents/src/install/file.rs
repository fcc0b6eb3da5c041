//! Changing a settings file: one change at a time, whole or not at all, with the old file
//! kept beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::json::Json;
use super::{Change, Edit};

/// The largest settings file that is read, in bytes.
const MAX_SIZE: u64 = 4 << 20;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The file can't be read or written.
    #[error("{}: {source}. Nothing was changed; check its permissions", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no plain JSON.
    #[error(
        "{}: {why}. Nothing was changed: comments and the like would be lost; add the entry by hand (`--print` shows it)",
        path.display()
    )]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A key of the hosts' form holds something else.
    #[error(
        "`{key}` in the host's settings is not what the host documents. Nothing was changed; correct it by hand"
    )]
    Shape {
        /// The key.
        key: String,
    },
    /// It is a link, which replacing would cut.
    #[error("{} is a symbolic link. Nothing was changed; name the file it points to with --file", path.display())]
    Link {
        /// The file.
        path: PathBuf,
    },
}

pub(super) fn read(path: &Path) -> Result<Option<Json>, InstallError> {
    let text = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(path)(source)),
        Ok(meta) if meta.len() > MAX_SIZE => {
            return Err(InstallError::NotJson {
                path: path.to_owned(),
                why: "it is too long for a settings file".into(),
            });
        }
        Ok(_) => fs::read_to_string(path).map_err(failed(path))?,
    };
    if text.trim().is_empty() {
        return Ok(Some(Json::Object(Vec::new())));
    }
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|e| InstallError::NotJson {
            path: path.to_owned(),
            why: e.to_string(),
        })
}

/// Reads, edits and replaces the file while nobody else of us does.
pub(super) fn change(
    path: &Path,
    mut edit: impl FnMut(&mut Json) -> Result<(), InstallError>,
) -> Result<Change, InstallError> {
    let edit: &mut Edit<'_> = &mut edit;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed(path))?;
    if fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink()) {
        return Err(InstallError::Link {
            path: path.to_owned(),
        });
    }
    let lock_path = beside(path, ".cerco-lock");
    let lock = lock_file(&lock_path).map_err(failed(&lock_path))?;
    // The system takes the lock away with the process, so a killed installer blocks nobody.
    lock.lock().map_err(failed(&lock_path))?;
    let before = read(path)?;
    let mut after = before.clone().unwrap_or(Json::Object(Vec::new()));
    edit(&mut after)?;
    if before.as_ref() == Some(&after) {
        return Ok(Change {
            changed: false,
            backup: None,
        });
    }
    let backup = before.map(|_| beside(path, ".before-cerco"));
    if let Some(backup) = &backup {
        keep_before(path, backup).map_err(failed(backup))?;
    }
    replace(path, &after).map_err(failed(path))?;
    Ok(Change {
        changed: true,
        backup,
    })
}

fn replace(path: &Path, json: &Json) -> io::Result<()> {
    let new = beside(path, ".cerco-new");
    let text = pretty(json);
    let mut file = fresh(&new)?;
    if let Ok(meta) = fs::metadata(path) {
        file.set_permissions(meta.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        // The new name is on the disk too, not only the new bytes.
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// A file of nobody's yet. An agent may write in a project's folder: what stands there under
/// our names may be a link to a file of the person's.
fn fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn keep_before(path: &Path, backup: &Path) -> io::Result<()> {
    let mut kept = fresh(backup)?;
    kept.set_permissions(fs::metadata(path)?.permissions())?;
    kept.write_all(&fs::read(path)?)?;
    kept.sync_all()
}

/// Made where there is none, never through a link, and never emptied.
fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW.bits();
        options.custom_flags(i32::try_from(flags).unwrap_or_default());
    }
    options.open(path)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.to_owned();
    |source| InstallError::File { path, source }
}

/// The text of a settings file: two blanks of indentation, as the hosts themselves write.
pub(super) fn pretty(json: &Json) -> String {
    // Writing plain values to memory has nothing that could fail; an empty text would be
    // seen at once by the reader of the file.
    let mut text = serde_json::to_string_pretty(json).unwrap_or_default();
    text.push('\n');
    text
}
