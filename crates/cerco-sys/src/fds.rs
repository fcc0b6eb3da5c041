//! Descriptors: what a started program inherits. A descriptor of a folder or of a host
//! file walks around every mount of the sandbox, so nothing may be handed on by accident.

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Marks every descriptor from `first` on as close-on-exec.
///
/// Async-signal-safe: it may run between fork and exec. Close-on-exec rather than
/// closed, because the standard library reports a failed exec through a descriptor
/// of its own.
pub fn close_on_exec_from(first: RawFd) -> io::Result<()> {
    let first = libc::c_uint::try_from(first).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: close_range reads no memory of ours.
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if done == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// A descriptor of our own for what this process inherited under the number `fd`;
/// close-on-exec. An error where nothing is open under that number.
pub fn inherited(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: fcntl with F_DUPFD_CLOEXEC takes ints; a number that isn't open is EBADF.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// An unnamed file in memory, sealed against changes once it is written.
///
/// It has no path, so nothing on the machine can swap it between writing and reading.
pub fn memory_file(name: &std::ffi::CStr, content: &[u8]) -> io::Result<File> {
    use std::io::{Seek, Write};
    // SAFETY: `name` is a NUL-terminated string that outlives the call.
    let fd =
        unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    let mut file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    file.write_all(content)?;
    file.rewind()?;
    let seals = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: fcntl with F_ADD_SEALS takes an int and reads no memory.
    if unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, seals) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}
