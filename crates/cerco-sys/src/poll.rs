//! Waiting for several descriptors at once.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// What a descriptor has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// Nothing yet.
    NotYet,
    /// It can be read.
    Readable,
    /// Nothing is left to read and nothing will come.
    Gone,
}

impl Ready {
    /// Whether a read would not wait.
    #[must_use]
    pub fn is_ready(self) -> bool {
        self != Self::NotYet
    }
}

/// Waits until at least one of `descriptors` is ready or `timeout` has passed, and says
/// for each what it has to say. An interrupted wait answers "not yet" for all.
pub fn wait(descriptors: &[BorrowedFd<'_>], timeout: Option<Duration>) -> io::Result<Vec<Ready>> {
    let mut list: Vec<libc::pollfd> = descriptors
        .iter()
        .map(|fd| libc::pollfd {
            fd: fd.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let count = libc::nfds_t::try_from(list.len()).map_err(io::Error::other)?;
    // Rounded up, so that nobody spins through the last millisecond.
    let timeout = timeout.map_or(-1, |t| {
        i32::try_from(t.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
    });
    // SAFETY: `list` is live and writable for `count` entries.
    if unsafe { libc::poll(list.as_mut_ptr(), count, timeout) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok(vec![Ready::NotYet; list.len()]);
    }
    Ok(list
        .iter()
        .map(|entry| match entry.revents {
            0 => Ready::NotYet,
            events if events & libc::POLLIN != 0 => Ready::Readable,
            _ => Ready::Gone,
        })
        .collect())
}

/// Makes reads of `descriptor` answer "nothing there" instead of waiting.
pub fn never_block(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: fcntl with F_GETFL and F_SETFL takes and gives integers.
    let done = unsafe {
        let flags = libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL);
        if flags < 0 {
            flags
        } else {
            libc::fcntl(
                descriptor.as_raw_fd(),
                libc::F_SETFL,
                flags | libc::O_NONBLOCK,
            )
        }
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
