//! Whether this machine's kernel holds program starts at all.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use super::{HELLO, install};
use crate::processes::Pid;

/// Tries, in a forked child that ends at once, whether a listener can be installed here
/// and the child's memory be read through it. About a quarter of a millisecond.
pub fn probe() -> io::Result<()> {
    static PATTERN: u64 = 0x4365_7263_6f21_0a17;
    let (ours, theirs) = crate::channel::pair()?;
    let parent = std::process::id();
    // SAFETY: the child only makes system calls on memory that was prepared before the
    // fork, and leaves by _exit without running anything of the parent's.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    if child == 0 {
        // Were the parent killed meanwhile, the child would stay for ever, and with it every
        // lock, socket and connection that the parent held.
        if crate::launch::die_with(parent).is_err() {
            // SAFETY: _exit ends this process and runs nothing of the parent's.
            unsafe { libc::_exit(1) };
        }
        let sent = install().and_then(|listener| {
            crate::channel::send(theirs.as_fd(), HELLO, &[listener.as_raw_fd()])
        });
        if let Err(error) = sent {
            let number = error.raw_os_error().unwrap_or(libc::EIO).to_ne_bytes();
            let _ = crate::channel::send(theirs.as_fd(), &number, &[]);
        }
        // Lives until the parent has looked into its memory: the parent then kills it.
        loop {
            // SAFETY: pause touches no memory.
            unsafe {
                libc::pause();
            }
        }
    }
    let child = Pid::try_from(child).map_err(io::Error::other)?;
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    drop(theirs);
    let mut buffer = [0; 16];
    let result = crate::channel::receive(ours.as_fd(), &mut buffer).and_then(|got| {
        if got.descriptors.len() != 1 {
            let number = buffer
                .first_chunk()
                .map_or(libc::EIO, |n| i32::from_ne_bytes(*n));
            return Err(io::Error::from_raw_os_error(number));
        }
        let mut copy = [0; 8];
        let address = std::ptr::from_ref(&PATTERN) as u64;
        let memory = crate::memory::Memory::open(child)?;
        memory.read_exact(address, &mut copy)?;
        if u64::from_ne_bytes(copy) == PATTERN {
            return Ok(());
        }
        Err(io::ErrorKind::InvalidData.into())
    });
    // SAFETY: `child` is our own child and was not waited for, so the number is its own;
    // the status pointer may be null.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), libc::__WALL);
    }
    result
}
