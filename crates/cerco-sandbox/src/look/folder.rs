//! A folder beneath the loop's own, and what the look does in it.
//!
//! Another command of the same loop may still run and exchange folders for links: every
//! step goes from an open folder, and through no link. A command owns what it leaves and
//! may have closed it; the look belongs to the same user and opens it again.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, Stat};
use rustix::fs::{fchmod, fstat, openat, openat2, renameat_with, statat};
use rustix::io::Errno;

/// What a name that git obeys gets at its end.
pub(super) const HELD: &str = "cerco-held";
/// Longer settings and pointers are not looked through, and are held back whole.
pub(super) const LONGEST: u64 = 256 << 10;
/// What an owner may do with a folder that nobody closed.
const OWNER_ALL: u32 = 0o700;

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// The folder at `path`, at or beneath `own`, no link on the way.
    pub(super) fn open(own: &Path, path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let below = path
            .strip_prefix(own)
            .map_err(|_| io::ErrorKind::InvalidInput)?;
        let top = openat(
            rustix::fs::CWD,
            own,
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
        if below.as_os_str().is_empty() {
            return Ok(Self(top));
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        Ok(Self(openat2(&top, below, flags, Mode::empty(), resolve)?))
    }

    /// The folder `name` in this one; a link of that name is an error.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// What `name` is, were it a link the link itself; nothing where it isn't there.
    pub(super) fn stat(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            other => Ok(Some(other?)),
        }
    }

    /// Every name in it.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        use std::os::unix::ffi::OsStrExt;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// The text of a plain file.
    pub(super) fn text(&self, name: &OsStr) -> io::Result<String> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut text = String::new();
        file.take(LONGEST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(text)
    }

    /// Makes the new file `name`.
    pub(super) fn write(&self, name: &OsStr, text: &str) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        let file = self.opened_up(|folder| openat(folder, name, flags, mode))?;
        File::from(file).write_all(text.as_bytes())
    }

    /// Gives `name` an ending that git doesn't know, over nothing that is there. Answers
    /// the new name.
    pub(super) fn rename(&self, name: &OsStr) -> io::Result<String> {
        let shown = name.to_string_lossy();
        for attempt in 0..100 {
            let new = match attempt {
                0 => format!("{shown}.{HELD}"),
                // Names that can be foreseen can be taken beforehand.
                _ => format!("{shown}.{HELD}-{:016x}", unforeseen()?),
            };
            let renamed = self.opened_up(|folder| {
                renameat_with(folder, name, folder, &*new, RenameFlags::NOREPLACE)
            });
            match renamed {
                Ok(()) => return Ok(new),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// `change`, once more with the owner's permissions where these were taken away.
    fn opened_up<T>(&self, change: impl Fn(&OwnedFd) -> Result<T, Errno>) -> io::Result<T> {
        match change(&self.0) {
            Err(Errno::ACCESS) => {
                let mode = fstat(&self.0)?.st_mode & 0o7777;
                fchmod(&self.0, Mode::from_raw_mode(mode | OWNER_ALL))?;
                Ok(change(&self.0)?)
            }
            other => Ok(other?),
        }
    }
}

fn unforeseen() -> io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}
