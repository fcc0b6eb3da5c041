//! Waits for a child's end with a clock, without reaping it and without asking again and
//! again; and ends exactly that process.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::processes::Pid;

/// Whether a child ended in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ended; its status can be had at once.
    InTime,
    /// The time was up first.
    Late,
}

/// A child held by descriptor: never another process that got the same number.
#[derive(Debug)]
pub struct Handle(OwnedFd);

impl Handle {
    /// Of a child that has not been waited for.
    pub fn of(child: &Child) -> io::Result<Self> {
        let pid = libc::pid_t::try_from(child.id()).map_err(|_| io::ErrorKind::InvalidInput)?;
        Self::open(pid)
    }

    /// Of the process that has this number now.
    pub fn open(pid: Pid) -> io::Result<Self> {
        // SAFETY: pidfd_open takes a number and flags.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let fd = i32::try_from(fd).map_err(|_| io::ErrorKind::InvalidData)?;
        // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Waits at most `limit` for its end.
    pub fn ended_within(&self, limit: Duration) -> io::Result<Ended> {
        let began = Instant::now();
        loop {
            let Some(left) = limit.checked_sub(began.elapsed()) else {
                return Ok(Ended::Late);
            };
            if wait_for(self.0.as_raw_fd(), libc::POLLIN, left)? {
                return Ok(Ended::InTime);
            }
        }
    }

    /// Ends it at once. No error where it already has.
    pub fn kill(&self) -> io::Result<()> {
        let none: *const libc::siginfo_t = std::ptr::null();
        // SAFETY: pidfd_send_signal takes no information where the pointer is null.
        let sent = unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.0.as_raw_fd(),
                libc::SIGKILL,
                none,
                0,
            )
        };
        let error = io::Error::last_os_error();
        if sent == 0 || error.raw_os_error() == Some(libc::ESRCH) {
            return Ok(());
        }
        Err(error)
    }
}

impl From<OwnedFd> for Handle {
    /// Takes over a process descriptor that another process sent.
    fn from(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether one of `events` came within `limit`. An interruption counts as none.
pub(crate) fn wait_for(fd: i32, events: i16, limit: Duration) -> io::Result<bool> {
    let millis = i32::try_from(limit.as_millis().saturating_add(1)).unwrap_or(i32::MAX);
    let mut poll = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: `poll` is one live, writable pollfd.
    let ready = unsafe { libc::poll(&raw mut poll, 1, millis) };
    if ready >= 0 {
        return Ok(ready > 0);
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::Interrupted {
        return Ok(false);
    }
    Err(error)
}
