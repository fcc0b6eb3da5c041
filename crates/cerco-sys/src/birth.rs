//! Starting a program as a member of a control group from its birth.
//!
//! Moving a living process into a group of the unified tree waits until every processor has
//! passed a quiet point: ten milliseconds and more, before every command. One that is born
//! there (`CLONE_INTO_CGROUP`, Linux 5.7) waits for nothing.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::child;
use crate::processes::Pid;

/// From the kernel's `include/uapi/linux/sched.h`; the crate libc has it in too small a type.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Starts `command`, in the group whose folder in the unified tree is `group`.
///
/// Where the kernel can't bear it there (an old one, or a filter on system calls that knows
/// no `clone3`) it is moved there before it becomes the program. It never runs outside.
///
/// The calling process must have a single thread: its fork allocates.
///
/// # Errors
///
/// What the fork, one of the arrangements made for the child, or the start itself failed
/// with.
pub fn spawn_in(mut command: Command, group: Option<OwnedFd>) -> io::Result<Pid> {
    let Some(group) = group else {
        return spawn(command);
    };
    let (mut heard, mut says) = io::pipe()?;
    match fork_into(&group) {
        Ok(0) => {
            drop(heard);
            // Comes back only where it failed.
            let error = command.exec();
            let code = error.raw_os_error().unwrap_or(libc::EIO);
            let _ = says.write_all(&code.to_ne_bytes());
            // SAFETY: _exit ends the child without running anything of the parent's.
            unsafe { libc::_exit(127) }
        }
        Ok(child) => {
            drop(says);
            let mut code = [0; 4];
            if heard.read_exact(&mut code).is_err() {
                // The other end was closed by the start of the program.
                return Ok(child);
            }
            // SAFETY: waitpid may get no place for the status.
            unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
            Err(io::Error::from_raw_os_error(i32::from_ne_bytes(code)))
        }
        Err(_) => {
            let members = format!("/proc/self/fd/{}/cgroup.procs", group.as_raw_fd());
            let members = OpenOptions::new().write(true).open(members)?;
            child::join(&mut command, vec![members.into()]);
            spawn(command)
        }
    }
}

fn spawn(mut command: Command) -> io::Result<Pid> {
    let child = command.spawn()?;
    Pid::try_from(child.id()).map_err(io::Error::other)
}

/// fork(2) into a group: 0 in the child, the child's number in the parent.
fn fork_into(group: &OwnedFd) -> io::Result<Pid> {
    // SAFETY: all fields are integers, for which zero is a value.
    let mut how: libc::clone_args = unsafe { mem::zeroed() };
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = u64::from(libc::SIGCHLD.unsigned_abs());
    how.cgroup = u64::try_from(group.as_raw_fd()).map_err(io::Error::other)?;
    // SAFETY: without CLONE_VM this is a fork: the child has a copy of the memory, and no
    // other thread held a lock, as the caller of this module promises.
    let child = unsafe { libc::syscall(libc::SYS_clone3, &raw mut how, size_of_val(&how)) };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    Pid::try_from(child).map_err(io::Error::other)
}
