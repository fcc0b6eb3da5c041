//! Program starts held by the kernel (seccomp user notification): installing the filter,
//! receiving the held starts, answering them.
//!
//! What the kernel promises: an `execve` or `execveat` of the process that installed the
//! filter, or of any descendant, does not go on before the answer; when the listener is
//! closed, every held and later start fails (ENOSYS). What it does not: after "go on" it
//! reads path and arguments AGAIN from the process's memory. A single-threaded process
//! that shares its memory with nobody can't change them meanwhile.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::poll::Ready;
use crate::processes::Pid;

/// From the kernel's `include/uapi/linux/seccomp.h`.
const SYNCHRONOUS_WAKE_UP: u64 = 1;

/// The message that carries a listener to the guard.
pub const HELLO: &[u8] = b"listener";

#[expect(
    clippy::cast_possible_truncation,
    reason = "an offset in a structure of 64 bytes"
)]
const fn load(offset: usize) -> libc::sock_filter {
    op(
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        offset as u32,
        0,
        0,
    )
}
const fn jump_if_equal(value: u32, then: u8, otherwise: u8) -> libc::sock_filter {
    op(
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        value,
        then,
        otherwise,
    )
}
const fn answer(action: u32) -> libc::sock_filter {
    op(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}
#[expect(
    clippy::cast_possible_truncation,
    reason = "BPF operation codes fit in 16 bits"
)]
const fn op(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the kernel compares call numbers as 32 unsigned bits"
)]
const fn number(call: libc::c_long) -> u32 {
    call as u32
}

const ARCHITECTURE: usize = std::mem::offset_of!(libc::seccomp_data, arch);
const NUMBER: usize = std::mem::offset_of!(libc::seccomp_data, nr);
const DENY: u32 = libc::SECCOMP_RET_ERRNO | libc::EACCES as u32;

/// The filter. Program starts through another system call table than the native one
/// (32-bit, x32) are denied rather than held: their arguments would have to be read
/// differently, and the shell never uses one.
#[cfg(target_arch = "x86_64")]
const FILTER: [libc::sock_filter; 14] = {
    const NATIVE: u32 = 0xc000_003e;
    const I386: u32 = 0x4000_0003;
    const X32: u32 = 0x4000_0000;
    [
        load(ARCHITECTURE),
        jump_if_equal(NATIVE, 5, 0),
        jump_if_equal(I386, 0, 3),
        load(NUMBER),
        jump_if_equal(11, 7, 0),
        jump_if_equal(358, 6, 5),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
        jump_if_equal(number(libc::SYS_execve), 4, 0),
        jump_if_equal(number(libc::SYS_execveat), 3, 0),
        op(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, X32, 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(DENY),
        answer(libc::SECCOMP_RET_USER_NOTIF),
    ]
};
/// The filter (see the `x86_64` one).
#[cfg(target_arch = "aarch64")]
const FILTER: [libc::sock_filter; 13] = {
    const NATIVE: u32 = 0xc000_00b7;
    const ARM: u32 = 0x4000_0028;
    [
        load(ARCHITECTURE),
        jump_if_equal(NATIVE, 4, 0),
        jump_if_equal(ARM, 0, 9),
        load(NUMBER),
        jump_if_equal(11, 5, 0),
        jump_if_equal(387, 4, 3),
        load(NUMBER),
        jump_if_equal(number(libc::SYS_execve), 3, 0),
        jump_if_equal(number(libc::SYS_execveat), 2, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(DENY),
        answer(libc::SECCOMP_RET_USER_NOTIF),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
    ]
};

#[expect(
    clippy::cast_possible_truncation,
    reason = "a filter of a dozen instructions"
)]
const fn length() -> libc::c_ushort {
    FILTER.len() as libc::c_ushort
}

/// Sets "no new privileges" and installs the filter on the calling process. The answer is
/// the listener.
///
/// Async-signal-safe. Error EBUSY: another listener already holds this process tree (some
/// container engines and agent sandboxes), and the kernel allows only one.
pub fn install() -> io::Result<OwnedFd> {
    let mut filter = FILTER;
    let program = libc::sock_fprog {
        len: const { length() },
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: prctl with PR_SET_NO_NEW_PRIVS takes integers.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // Without WAIT_KILLABLE_RECV a signal storm restarts a held start again and again
    // (Linux 5.19); older kernels don't know the flag.
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    let mut fd = seccomp_set(
        flags | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
        &program,
    );
    if fd < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
        fd = seccomp_set(flags, &program);
    }
    let fd = i32::try_from(fd).map_err(|_| io::ErrorKind::InvalidData)?;
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor (close-on-exec); nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn seccomp_set(flags: libc::c_ulong, program: &libc::sock_fprog) -> libc::c_long {
    // SAFETY: `program` and the filter it points to are live; the kernel copies them.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            std::ptr::from_ref(program),
        )
    }
}

/// Puts the filter on the calling process and sends the listener to the guard through
/// `socket`: for a process that is about to become the command.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the socket ends here: nothing of it may reach the command"
)]
pub fn hold_own_starts(socket: OwnedFd) -> io::Result<()> {
    let listener = install()?;
    crate::channel::send(socket.as_fd(), HELLO, &[listener.as_raw_fd()])
}

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
