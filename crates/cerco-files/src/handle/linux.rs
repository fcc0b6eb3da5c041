//! The handle on Linux: `openat2` with `RESOLVE_BENEATH`, one name at a time.
//!
//! `RESOLVE_NO_SYMLINKS` implies `RESOLVE_NO_MAGICLINKS`; both are given, so that a
//! reader needn't know. A kernel without `openat2` (before 5.6) gives an error, never a
//! weaker way of opening.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Gid, Mode, OFlags, RenameFlags, ResolveFlags,
    Stat, Uid,
};
use rustix::io::Errno;

use super::{Id, Meta, Name, Place, Type, UNFINISHED};

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_SYMLINKS);

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens the loop's folder; the last component must not be a link.
    pub(crate) fn root(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// The same folder once more.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    pub(crate) fn id(&self) -> io::Result<Id> {
        Ok(id(&rustix::fs::fstat(&self.0)?))
    }

    /// Opens the folder `name` in this one.
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(self.open(name, OFlags::RDONLY | OFlags::DIRECTORY)?))
    }

    pub(crate) fn meta(&self, name: &OsStr) -> io::Result<Option<Meta>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(meta(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    pub(crate) fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        let target = rustix::fs::readlinkat(&self.0, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    /// Opens a regular file for reading. `O_NONBLOCK`: opening a pipe that took the
    /// file's place since it was looked at must not hang; the descriptor itself is
    /// looked at before a byte is read.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<(File, Meta)> {
        let fd = self.open(name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let meta = meta(&rustix::fs::fstat(&fd)?);
        Ok((File::from(fd), meta))
    }

    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<Name>>> {
        Ok(Dir::read_from(&self.0)?.filter_map(|entry| match entry {
            Ok(entry) => {
                let name = entry.file_name().to_bytes();
                (name != b"." && name != b"..").then(|| {
                    Ok(Name {
                        name: OsStr::from_bytes(name).to_owned(),
                    })
                })
            }
            Err(e) => Some(Err(e.into())),
        }))
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(
            &self.0,
            name,
            Mode::from_raw_mode(0o777),
        )?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Renames without ever taking the place of something.
    pub(crate) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        rustix::fs::renameat_with(&self.0, name, &to.0, new, RenameFlags::NOREPLACE)?;
        Ok(())
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Takes the folder's write lock if nobody has it; it goes with the returned value.
    /// The lock is taken on a descriptor of its own, so that two threads exclude each other.
    pub(crate) fn try_lock(&self) -> io::Result<Option<Lock>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.0, ".", flags, Mode::empty())?;
        match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock { _fd: fd })),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Puts a complete file at `name`, on disk before it gets the name. The caller holds
    /// the folder's lock.
    pub(crate) fn put(&self, name: &OsStr, bytes: &[u8], place: Place) -> io::Result<Meta> {
        let unfinished = OsStr::new(UNFINISHED);
        match self.remove_file(unfinished) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        // A file without a name: a killed write leaves nothing behind.
        let nameless = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let (fd, named) =
            match rustix::fs::openat(&self.0, ".", nameless, Mode::from_raw_mode(0o666)) {
                Ok(fd) => (fd, false),
                // NFS, FUSE and older overlay file systems can't; a name that the next write removes.
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => {
                    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
                    let how = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                    let fd = rustix::fs::openat2(
                        &self.0,
                        unfinished,
                        how,
                        Mode::from_raw_mode(0o666),
                        RESOLVE,
                    )?;
                    (fd, true)
                }
                Err(e) => return Err(e.into()),
            };
        let result = self.fill_and_place(fd, named, name, bytes, place);
        if result.is_err() {
            // What remains is only the unfinished name, which may not be there; the error
            // that counts is the first one.
            let _ = self.remove_file(unfinished);
        }
        result
    }

    fn fill_and_place(
        &self,
        fd: OwnedFd,
        named: bool,
        name: &OsStr,
        bytes: &[u8],
        place: Place,
    ) -> io::Result<Meta> {
        let mut file = File::from(fd);
        if let Place::Over(old) = place {
            let new = meta(&rustix::fs::fstat(&file)?);
            if new.owner != old.owner {
                // Only root may give a file away; for others it becomes theirs, as with any editor
                // that replaces files.
                let _ = rustix::fs::fchown(
                    &file,
                    Some(Uid::from_raw(old.owner.0)),
                    Some(Gid::from_raw(old.owner.1)),
                );
            }
            rustix::fs::fchmod(&file, Mode::from_raw_mode(old.mode))?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        let unfinished = OsStr::new(UNFINISHED);
        match (place, named) {
            (Place::New, false) => self.give_name(&file, name)?,
            (Place::New, true) => self.rename(unfinished, self, name)?,
            (Place::Over(_), _) => {
                if !named {
                    self.give_name(&file, unfinished)?;
                }
                rustix::fs::renameat(&self.0, unfinished, &self.0, name)?;
            }
        }
        self.sync()?;
        Ok(meta(&rustix::fs::fstat(&file)?))
    }

    /// Gives a nameless file its name; fails when the name is taken.
    fn give_name(&self, file: &File, name: &OsStr) -> io::Result<()> {
        // An empty path needs CAP_DAC_READ_SEARCH before Linux 6.10; the /proc way needs /proc.
        if rustix::fs::linkat(file.as_fd(), "", &self.0, name, AtFlags::EMPTY_PATH).is_ok() {
            return Ok(());
        }
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, own.as_str(), &self.0, name, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }

    fn open(&self, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // EAGAIN: the kernel saw a rename while it looked and can't vouch for the answer.
        for _ in 0..16 {
            match rustix::fs::openat2(&self.0, name, flags, Mode::empty(), RESOLVE) {
                Err(Errno::AGAIN) => {}
                // A link that wasn't one when it was looked at; std has no stable kind for it.
                Err(Errno::LOOP) => return Err(Errno::NOTDIR.into()),
                other => return Ok(other?),
            }
        }
        Err(Errno::AGAIN.into())
    }
}

/// A folder's write lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _fd: OwnedFd,
}

/// What stands at an absolute path that the PERSON configured.
pub(crate) fn id_of(path: &Path) -> io::Result<Id> {
    Ok(id(&rustix::fs::stat(path)?))
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the fields' types differ between architectures"
)]
fn id(stat: &Stat) -> Id {
    Id {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
    }
}

#[expect(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    reason = "the fields' types differ between architectures"
)]
fn meta(stat: &Stat) -> Meta {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Type::File,
        FileType::Directory => Type::Folder,
        FileType::Symlink => Type::Link,
        _ => Type::Special,
    };
    Meta {
        id: id(stat),
        kind,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        links: stat.st_nlink as u64,
        mode: stat.st_mode & 0o777,
        owner: (stat.st_uid, stat.st_gid),
        modified: i128::from(stat.st_mtime as i64) * 1_000_000_000
            + i128::from(stat.st_mtime_nsec as i64),
    }
}
