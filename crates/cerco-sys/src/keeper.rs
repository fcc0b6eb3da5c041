//! What makes a process fit to keep watch over a command's process tree, besides
//! [`crate::harden`].

use std::io;

/// Closes this process's memory and descriptors to every other process of the same user.
/// Without the core limit that [`crate::harden::keep_memory_private`] adds: a command
/// would inherit it.
pub fn close_to_others() -> io::Result<()> {
    // SAFETY: prctl with PR_SET_DUMPABLE takes integers.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) })
}

/// Leaves the caller's session: keys pressed in its terminal don't reach this process.
pub fn leave_session() -> io::Result<()> {
    // SAFETY: setsid touches no memory.
    check(unsafe { libc::setsid() })
}

/// Names this process in process lists, at most 15 bytes.
pub fn name(name: &std::ffi::CStr) -> io::Result<()> {
    // SAFETY: `name` is NUL-terminated; the kernel cuts what is too long.
    check(unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) })
}

/// Closes every descriptor from 3 on, whatever an embedding program forgot to mark.
///
/// Only for a process that has just started and owns none of them.
pub fn close_inherited() -> io::Result<()> {
    // SAFETY: close_range takes integers; the caller owns none of these descriptors.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    if done == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
