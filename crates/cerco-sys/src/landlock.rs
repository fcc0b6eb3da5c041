//! A fence around what may be opened for writing, for this process and all it starts: the
//! kernel's Landlock. A read-only mount doesn't stop a write to a FIFO or a device of the
//! machine; this does.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

// Numbers that the libc crate does not name everywhere; the same on every architecture.
const SYS_LANDLOCK_CREATE_RULESET: libc::c_long = 444;
const SYS_LANDLOCK_ADD_RULE: libc::c_long = 445;
const SYS_LANDLOCK_RESTRICT_SELF: libc::c_long = 446;
const ASK_VERSION: libc::c_uint = 1;
const RULE_PATH_BENEATH: libc::c_int = 1;
const WRITE_FILE: u64 = 1 << 1;
/// Renames and links from one folder to another. A fence refuses them unless it names
/// them, and versions before the second could not.
const REFER: u64 = 1 << 13;
const FIRST_WITH_REFER: libc::c_long = 2;

/// `struct landlock_path_beneath_attr`, which the kernel has packed.
#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    folder: libc::c_int,
}

/// From here on only what lies at or below one of `folders` can be opened for writing.
/// Answers whether this kernel has such a fence. Folders that aren't there, or that
/// this process can't reach, are left out.
pub fn only_write_below(folders: &[PathBuf]) -> io::Result<bool> {
    // SAFETY: asking for the version takes no structure.
    let version = unsafe {
        libc::syscall(
            SYS_LANDLOCK_CREATE_RULESET,
            std::ptr::null::<u8>(),
            0_usize,
            ASK_VERSION,
        )
    };
    if version < FIRST_WITH_REFER {
        return Ok(false);
    }
    let handled: u64 = WRITE_FILE | REFER;
    // SAFETY: the structure's first field is all that the given size covers.
    let fence = owned(unsafe {
        libc::syscall(
            SYS_LANDLOCK_CREATE_RULESET,
            &raw const handled,
            size_of::<u64>(),
            0_u32,
        )
    })?;
    add(&fence, Path::new("/"), REFER)?;
    for folder in folders {
        match add(&fence, folder, WRITE_FILE | REFER) {
            // Nothing could be written there either.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                ) => {}
            other => other?,
        }
    }
    // SAFETY: takes a descriptor and flags.
    let done = unsafe { libc::syscall(SYS_LANDLOCK_RESTRICT_SELF, fence.as_raw_fd(), 0_u32) };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(true)
}

fn add(fence: &OwnedFd, folder: &Path, allowed: u64) -> io::Result<()> {
    let path = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: `path` is NUL-terminated.
    let folder = owned(libc::c_long::from(unsafe {
        libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC)
    }))?;
    let rule = PathBeneath {
        allowed,
        folder: folder.as_raw_fd(),
    };
    // SAFETY: `rule` is live and of the form that this kind of rule has.
    let done = unsafe {
        libc::syscall(
            SYS_LANDLOCK_ADD_RULE,
            fence.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0_u32,
        )
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn owned(result: libc::c_long) -> io::Result<OwnedFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let fd = i32::try_from(result).map_err(|_| io::ErrorKind::InvalidData)?;
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
