//! Facts about mounts that the standard library does not tell.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Whether the mount that `path` lies on takes writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Mounted read-write (permissions may still forbid).
    Taken,
    /// Mounted read-only: nobody writes through it, whatever the permissions say.
    Refused,
}

/// What the kernel says about the mount `path` lies on.
pub fn writes(path: &Path) -> io::Result<Writes> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: an all-zero statvfs is a valid value of plain integers.
    let mut facts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `path` is NUL-terminated and `facts` is live and writable.
    if unsafe { libc::statvfs(path.as_ptr(), &raw mut facts) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(if facts.f_flag & libc::ST_RDONLY == 0 {
        Writes::Taken
    } else {
        Writes::Refused
    })
}

/// Whether this process may write to `path`: mount, permissions and its own rights together.
pub fn may_write(path: &Path) -> io::Result<bool> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: `path` is NUL-terminated.
    Ok(unsafe { libc::access(path.as_ptr(), libc::W_OK) } == 0)
}

/// Waits at most `limit` for a change of the mounts whose `/proc/PID/mountinfo` is open as
/// `table`; whether one came. Reading the table again arms it again.
pub fn changed(table: &std::fs::File, limit: std::time::Duration) -> io::Result<bool> {
    use std::os::fd::AsRawFd;
    // The kernel marks the open table with an exceptional condition, not as readable.
    crate::exit::wait_for(table.as_raw_fd(), libc::POLLPRI, limit)
}
