//! What happens in a command's first process between fork and exec.
//!
//! Everything in the closures here runs after a fork: only system calls on memory that
//! was prepared before it, no allocation, no locks.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::{notify, signals};

/// Gives the child a session of its own (no controlling terminal to read from, write to
/// or push keys into) and back the signals that the keeper ignores.
pub fn new_session(command: &mut Command) {
    let before_exec = || {
        for signal in signals::POLITE {
            // SAFETY: SIG_DFL installs no code of ours.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        // The keeper is closed to others, and so is a fork of it, even to itself: it could
        // not write its own id maps.
        // SAFETY: prctl with PR_SET_DUMPABLE takes integers.
        if unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: setsid touches no memory. It fails only for a group leader, which a
        // freshly forked process is not.
        if unsafe { libc::setsid() } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls.
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// Puts the child into each of the control groups whose member file is given, opened for
/// writing. A group it can't join fails the spawn: its limits would not hold.
///
/// For the unified tree [`spawn_in`] is quicker.
pub fn join(command: &mut Command, member_files: Vec<OwnedFd>) {
    let before_exec = move || {
        for file in &member_files {
            // SAFETY: the string lives for ever; "0" means the writer itself.
            if unsafe { libc::write(file.as_raw_fd(), c"0".as_ptr().cast(), 1) } != 1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls on memory that was prepared above.
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// Has the kernel hold every program start of the child and of all its descendants until
/// whoever reads the other end of `socket` answers (see [`notify`]). The first start held
/// is that of the command itself.
///
/// Must be the last arrangement made: nothing may be executed after it unheld.
pub fn hold_starts(command: &mut Command, socket: OwnedFd) {
    let before_exec = move || {
        let listener = notify::install()?;
        crate::channel::send(socket.as_fd(), notify::HELLO, &[listener.as_raw_fd()])
    };
    // SAFETY: `install` and `send` make system calls only and do not allocate.
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// The same open file under a number of at least `floor`, close-on-exec.
pub fn above(descriptor: OwnedFd, floor: RawFd) -> io::Result<OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: fcntl with F_DUPFD_CLOEXEC takes an int.
    let high = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, floor) };
    if high < 0 {
        return Err(io::Error::last_os_error());
    }
    drop(descriptor);
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(high) })
}

/// Opens the place of each descriptor in `descriptors` under the number wanted for it in
/// THIS process, close-on-exec; programs started with it in their list of kept ones find
/// it there.
///
/// Whatever had that number before is closed, so the caller must own nothing under any of
/// the numbers: it moves what it owns [`above`] them first.
pub fn place(descriptors: Vec<(RawFd, OwnedFd)>) -> io::Result<Vec<OwnedFd>> {
    use std::os::fd::FromRawFd;
    if descriptors.iter().any(|(number, _)| *number <= 2) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let floor = descriptors.iter().map(|(n, _)| *n).max().unwrap_or(2) + 1;
    // First out of the way of each other, then each to its place.
    let moved: io::Result<Vec<_>> = descriptors
        .into_iter()
        .map(|(number, fd)| Ok((number, above(fd, floor)?)))
        .collect();
    moved?
        .into_iter()
        .map(|(number, fd)| {
            // SAFETY: dup3 takes integers.
            if unsafe { libc::dup3(fd.as_raw_fd(), number, libc::O_CLOEXEC) } < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: `number` is open now, and the caller owns nothing under it.
            Ok(unsafe { OwnedFd::from_raw_fd(number) })
        })
        .collect()
}
