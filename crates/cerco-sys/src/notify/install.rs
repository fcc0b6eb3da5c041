//! The filter that holds program starts, and how it is put on a process.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

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
