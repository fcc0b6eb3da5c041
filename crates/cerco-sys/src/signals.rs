//! Signals: sending them to exactly the process that was meant, and waiting for ends.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use crate::processes::Pid;

/// A signal that Cerco sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Asks to end; can be caught and ignored.
    Terminate,
    /// Ends at once.
    Kill,
    /// Freezes at once; can't be caught.
    Stop,
    /// Goes on after a freeze.
    Continue,
}

impl Signal {
    fn number(self) -> libc::c_int {
        match self {
            Self::Terminate => libc::SIGTERM,
            Self::Kill => libc::SIGKILL,
            Self::Stop => libc::SIGSTOP,
            Self::Continue => libc::SIGCONT,
        }
    }
}

/// Sends `signal` to the process that has this number now.
///
/// Only for numbers that can't be used again meanwhile: one's own children that one has
/// not waited for, and frozen descendants, whose parents can't wait for them.
pub fn send(pid: Pid, signal: Signal) -> io::Result<()> {
    // Zero and below would mean process groups, -1 everybody.
    if pid <= 1 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: kill touches no memory.
    if unsafe { libc::kill(pid, signal.number()) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// A child that ended and was waited for.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Its number, free from now on.
    pub pid: Pid,
    /// Exit status, or the signal that killed it.
    pub how: How,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It exited with this status.
    Exit(u8),
    /// This signal killed it.
    Signal(u8),
}

/// The answer to "has a child ended?".
#[derive(Clone, Copy, Debug)]
pub enum Waited {
    /// This one has.
    Ended(Ended),
    /// There are children, and all of them live.
    AllLive,
    /// There is no child. For a subreaper that is the kernel's proof that it has no
    /// descendant either: whoever loses its parent becomes its child.
    NoChild,
}

/// Waits for any child without blocking.
pub fn wait_any() -> io::Result<Waited> {
    let mut status = 0;
    // SAFETY: `status` is live and writable.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) };
    if pid > 0 {
        let how = if libc::WIFSIGNALED(status) {
            How::Signal(u8::try_from(libc::WTERMSIG(status)).unwrap_or(u8::MAX))
        } else {
            How::Exit(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX))
        };
        return Ok(Waited::Ended(Ended { pid, how }));
    }
    if pid == 0 {
        return Ok(Waited::AllLive);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ECHILD) => Ok(Waited::NoChild),
        Some(libc::EINTR) => Ok(Waited::AllLive),
        _ => Err(error),
    }
}

/// What all children that were waited for used, and what they had waited for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChildrenUsed {
    /// User and system time.
    pub cpu: Duration,
    /// Largest resident memory of one process, in bytes.
    pub peak_memory: u64,
}

/// Adds up what the ended descendants of this process used.
#[must_use]
pub fn children_used() -> ChildrenUsed {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is live and writable, and all-zero is a valid rusage.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| {
        Duration::from_secs(u64::try_from(t.tv_sec).unwrap_or_default())
            + Duration::from_micros(u64::try_from(t.tv_usec).unwrap_or_default())
    };
    ChildrenUsed {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        // Linux counts it in kibibytes.
        peak_memory: u64::try_from(usage.ru_maxrss).unwrap_or_default() * 1024,
    }
}

/// A descriptor that becomes readable when a child ends or stops. From now on the
/// calling thread no longer gets that signal; started programs get it back
/// ([`crate::child`]).
pub fn child_events() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset fills `set`; the later calls only read it.
    let fd = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        if libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Throws away what [`child_events`] has queued.
pub fn drain_child_events(events: &OwnedFd) {
    let mut buffer = [0_u8; 1024];
    // SAFETY: `buffer` is live and writable for its length; the descriptor doesn't block.
    while unsafe { libc::read(events.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) } > 0 {}
}

/// Ignores every signal that a terminal, a `pkill` without option or a closed pipe would
/// end this process with. Started programs get the defaults back ([`crate::child`]).
pub fn ignore_polite_signals() {
    for signal in POLITE {
        // SAFETY: SIG_IGN installs no code of ours.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// What [`ignore_polite_signals`] ignores and a started program must get back.
pub(crate) const POLITE: [libc::c_int; 7] = [
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGHUP,
    libc::SIGPIPE,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_everybody_are_never_meant() {
        for pid in [-1, 0, 1] {
            assert_eq!(
                send(pid, Signal::Continue).unwrap_err().kind(),
                io::ErrorKind::InvalidInput
            );
        }
    }
}
