//! Whether a path leads to something for ANOTHER process: under its root and in its
//! mounts, which may be a sandbox's.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::processes::Pid;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This file, every link resolved, as the other process would write it.
    At(PathBuf),
    /// Nothing.
    Missing,
    /// Can't be told from outside (through `/proc`, or not ours to look at).
    Unclear,
}

/// Follows the absolute `path` as `pid` would.
pub fn find(pid: Pid, path: &Path) -> io::Result<Found> {
    let root = File::options()
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_DIRECTORY)
        .open(format!("/proc/{pid}/root"))?;
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: an all-zero open_how is a valid value of plain integers.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
    // Links in the path, absolute ones too, are resolved under that root.
    how.resolve = libc::RESOLVE_IN_ROOT;
    // SAFETY: `path` is NUL-terminated; `how` is live and its size is given.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_openat2,
            root.as_raw_fd(),
            path.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        )
    };
    let fd = i32::try_from(fd).map_err(io::Error::other)?;
    if fd < 0 {
        return Ok(match io::Error::last_os_error().raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => Found::Missing,
            _ => Found::Unclear,
        });
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    Ok(fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .map_or(Found::Unclear, Found::At))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_missing_files_missed() {
        let me = Pid::try_from(std::process::id()).unwrap();
        let check = |path: &str| find(me, Path::new(path)).unwrap();
        assert_eq!(check("/nowhere/at/all"), Found::Missing);
        let Found::At(file) = check("/bin/sh") else {
            panic!("/bin/sh is not found")
        };
        assert_eq!(file, fs::canonicalize("/bin/sh").unwrap());
        assert_eq!(check("/proc/self/exe"), Found::Unclear);
    }
}
