//! Program starts held by the kernel (seccomp user notification): installing the filter,
//! receiving the held starts, answering them.
//!
//! What the kernel promises: an `execve` or `execveat` of the process that installed the
//! filter, or of any descendant, does not go on before the answer; when the listener is
//! closed, every held and later start fails (ENOSYS). What it does not: after "go on" it
//! reads path and arguments AGAIN from the process's memory. A single-threaded process
//! that shares its memory with nobody can't change them meanwhile.

mod install;
mod probe;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use crate::poll::Ready;
use crate::processes::Pid;

pub use install::{HELLO, hold_own_starts, install};
pub use probe::probe;

/// From the kernel's `include/uapi/linux/seccomp.h`.
const SYNCHRONOUS_WAKE_UP: u64 = 1;

/// One program start that the kernel holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    id: u64,
    /// Who starts it.
    pub pid: Pid,
    /// The folder descriptor a relative path starts from, and the flags, for `execveat`.
    pub at: Option<(i32, u64)>,
    /// Address of the path in the process's memory.
    pub path: u64,
    /// Address of the list of arguments.
    pub arguments: u64,
    /// Address of the list of environment entries.
    pub environment: u64,
}

/// The end that hears of held starts and answers them.
#[derive(Debug)]
pub struct Listener(OwnedFd);

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What a listener heard.
#[derive(Clone, Copy, Debug)]
pub enum Heard {
    /// A start is held.
    Held(Held),
    /// Nothing to answer; ask again.
    Nothing,
    /// The last process that the filter holds is gone.
    AllGone,
}

impl Listener {
    /// Takes over the descriptor that [`install`] gave.
    #[must_use]
    pub fn new(descriptor: OwnedFd) -> Self {
        // Who is held waits for the answer: both take turns on one processor, without waking
        // another one each time. Where the kernel can't (before Linux 6.6) it only takes
        // longer.
        // SAFETY: the ioctl takes a number.
        unsafe {
            libc::ioctl(
                descriptor.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS as _,
                SYNCHRONOUS_WAKE_UP,
            );
        }
        Self(descriptor)
    }

    /// Waits for the next held start, or until `stop` can be read.
    pub fn hear(&self, stop: BorrowedFd<'_>) -> io::Result<Heard> {
        let ready = crate::poll::wait(&[self.as_fd(), stop], None)?;
        Ok(match ready.as_slice() {
            [Ready::Readable, _] => self.receive()?.map_or(Heard::Nothing, Heard::Held),
            [Ready::Gone, _] => Heard::AllGone,
            _ => Heard::Nothing,
        })
    }

    /// Takes the next held start. Nothing, when it was gone before it could be taken.
    fn receive(&self) -> io::Result<Option<Held>> {
        // SAFETY: an all-zero notification is a valid value; the kernel demands zeros.
        let mut raw: libc::seccomp_notif = unsafe { MaybeUninit::zeroed().assume_init() };
        // SAFETY: `raw` is live and writable, and has the size the ioctl number says.
        let done = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV as _,
                &raw mut raw,
            )
        };
        if done != 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ENOENT | libc::EINTR) => Ok(None),
                _ => Err(error),
            };
        }
        let by_descriptor = libc::c_long::from(raw.data.nr) == libc::SYS_execveat;
        let [first, second, third, fourth, flags, _] = raw.data.args;
        let (at, path, arguments, environment) = if by_descriptor {
            // The kernel takes the lower half for an int.
            #[expect(clippy::cast_possible_truncation, reason = "as the kernel does")]
            (Some((first as i32, flags)), second, third, fourth)
        } else {
            (None, first, second, third)
        };
        Ok(Some(Held {
            id: raw.id,
            pid: Pid::try_from(raw.pid).unwrap_or_default(),
            at,
            path,
            arguments,
            environment,
        }))
    }

    /// Whether `held` is still held: only then did everything that was read through its
    /// process number belong to that process.
    #[must_use]
    pub fn still_held(&self, held: &Held) -> bool {
        let id = held.id;
        // SAFETY: the ioctl reads one u64, which is live.
        unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID as _,
                &raw const id,
            ) == 0
        }
    }

    /// Lets `held` go on.
    pub fn go_on(&self, held: &Held) -> io::Result<()> {
        const GO_ON: u32 = 1;
        const {
            assert!(GO_ON as libc::c_ulong == libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE);
        }
        self.reply(held, 0, GO_ON)
    }

    /// Makes `held` fail with this error number.
    pub fn fail(&self, held: &Held, errno: Errno) -> io::Result<()> {
        self.reply(held, -errno.number(), 0)
    }

    fn reply(&self, held: &Held, error: i32, flags: u32) -> io::Result<()> {
        let mut reply = libc::seccomp_notif_resp {
            id: held.id,
            val: 0,
            error,
            flags,
        };
        // SAFETY: `reply` is live and has the size the ioctl number says.
        let done = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND as _,
                &raw mut reply,
            )
        };
        // ENOENT: the process was killed while it was held. Nothing is left to answer.
        if done == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT) {
            return Ok(());
        }
        Err(io::Error::last_os_error())
    }
}

/// Why a held start fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// Permission denied.
    Denied,
    /// No such file.
    NotFound,
}

impl Errno {
    fn number(self) -> i32 {
        match self {
            Self::Denied => libc::EACCES,
            Self::NotFound => libc::ENOENT,
        }
    }
}
