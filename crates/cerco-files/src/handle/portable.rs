//! The handle on macOS and Windows: cap-std, one name at a time, links never followed.
//!
//! Unproved: it has been run on Linux only (feature `portable`), where it passes the same
//! tests as the handle of its own. Against that one it is weaker in two ways, said here
//! because nothing says it at run time: a name that appears between the look and the
//! rename of a move can be replaced, and two processes that write in one folder are told
//! apart only by the check before the rename.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::{Id, Meta, Name, Place, Type, UNFINISHED};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(Dir);

impl Folder {
    pub(crate) fn root(path: &Path) -> io::Result<Self> {
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let parent = path.parent().unwrap_or(path);
        let parent = Dir::open_ambient_dir(parent, ambient_authority())?;
        Ok(Self(parent.open_dir_nofollow(name)?))
    }

    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    pub(crate) fn id(&self) -> io::Result<Id> {
        Ok(id(&self.0.dir_metadata()?))
    }

    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(self.0.open_dir_nofollow(name)?))
    }

    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Option<Meta>> {
        match self.0.symlink_metadata(name) {
            Ok(metadata) => Ok(Some(meta(&metadata))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    pub(crate) fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(self.0.read_link_contents(name)?.into_os_string())
    }

    pub(crate) fn file(&self, name: &OsStr) -> io::Result<(File, Meta)> {
        let mut options = OpenOptions::new();
        // `nonblock`: a pipe that took the file's place must not hang the open.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = self.0.open_with(name, &options)?;
        let meta = meta(&file.metadata()?);
        Ok((file.into_std(), meta))
    }

    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<Name>>> {
        Ok(self.0.entries()?.map(|entry| {
            entry.map(|e| Name {
                name: e.file_name(),
            })
        }))
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.create_dir(name)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_file(name)
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_dir(name)
    }

    pub(crate) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        if to.meta(new)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.0.rename(name, &to.0, new)
    }

    #[cfg(unix)]
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.open(".")?.sync_all()
    }

    /// Windows has no way to flush a folder; its rename is written through by the journal.
    #[cfg(not(unix))]
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.dir_metadata().map(|_| ())
    }

    pub(crate) fn try_lock(&self) -> io::Result<Option<Lock>> {
        let id = self.id()?;
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get_or_insert_default();
        // Lazily: a `Lock` that is made and dropped here would lock this very mutex again.
        Ok(held.insert(id).then(|| Lock(id)))
    }

    pub(crate) fn put(&self, name: &OsStr, bytes: &[u8], place: Place) -> io::Result<Meta> {
        let unfinished = OsStr::new(UNFINISHED);
        match self.remove_file(unfinished) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let result = self.fill_and_place(name, bytes, place);
        if result.is_err() {
            // May not be there; the error that counts is the first one.
            let _ = self.remove_file(unfinished);
        }
        result
    }

    fn fill_and_place(&self, name: &OsStr, bytes: &[u8], place: Place) -> io::Result<Meta> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        let mut file = self.0.open_with(UNFINISHED, &options)?.into_std();
        keep_mode(&file, place)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        match place {
            Place::New => self.rename(OsStr::new(UNFINISHED), self, name)?,
            Place::Over(_) => self.0.rename(UNFINISHED, &self.0, name)?,
        }
        self.sync()?;
        self.meta(name)?
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(unix)]
fn keep_mode(file: &File, place: Place) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match place {
        Place::New => Ok(()),
        Place::Over(old) => file.set_permissions(std::fs::Permissions::from_mode(old.mode)),
    }
}

#[cfg(not(unix))]
fn keep_mode(file: &File, _: Place) -> io::Result<()> {
    // A new file inherits the folder's access list.
    file.metadata().map(|_| ())
}

static HELD: Mutex<Option<HashSet<Id>>> = Mutex::new(None);

/// A folder's write lock, within this process.
#[derive(Debug)]
pub(crate) struct Lock(Id);

impl Drop for Lock {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.get_or_insert_default().remove(&self.0);
    }
}

/// What stands at an absolute path that the PERSON configured.
pub(crate) fn id_of(path: &Path) -> io::Result<Id> {
    Ok(id(
        &Dir::open_ambient_dir(path, ambient_authority())?.dir_metadata()?
    ))
}

fn id(metadata: &Metadata) -> Id {
    Id {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

fn meta(metadata: &Metadata) -> Meta {
    let kind = if metadata.is_symlink() {
        Type::Link
    } else if metadata.is_dir() {
        Type::Folder
    } else if metadata.is_file() {
        Type::File
    } else {
        Type::Special
    };
    let modified = metadata
        .modified()
        .ok()
        .map(|time| {
            time.into_std()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap_or_default()
        })
        .and_then(|since| i128::try_from(since.as_nanos()).ok())
        .unwrap_or(0);
    Meta {
        id: id(metadata),
        kind,
        size: metadata.len(),
        links: metadata.nlink(),
        mode: mode(metadata),
        owner: (0, 0),
        modified,
    }
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    use cap_std::fs::PermissionsExt;
    metadata.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0
}
