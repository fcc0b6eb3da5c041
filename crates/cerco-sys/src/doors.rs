//! Doors of the kernel that a confined program must find shut, tried one by one. Each try
//! asks for something harmless, with arguments that change nothing on the machine.

use std::io;

// Numbers that the libc crate does not name; the same on every architecture.
const NO_RANDOMIZE: libc::c_ulong = 0x0004_0000;
const TIOCLINUX: libc::c_ulong = 0x541c;

/// A system call, or one way to use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// A user namespace of one's own, with every right inside (`unshare`).
    NewUsers,
    /// Flags in memory, where a filter can't look (`clone3`).
    NewProcess,
    /// Files and sockets past a filter (`io_uring_setup`).
    Ring,
    /// The session's key ring, which no namespace covers (`keyctl`).
    Keys,
    /// Page faults answered by hand, the helper of many exploits (`userfaultfd`).
    Faults,
    /// A file by its handle, past every mount (`name_to_handle_at`).
    Handle,
    /// A process without address randomisation (`personality`).
    Personality,
    /// The host of a virtual machine (`AF_VSOCK`).
    MachineHost,
    /// A byte typed into the terminal (`TIOCSTI`).
    Typing,
    /// A paste into the console (`TIOCLINUX`).
    Pasting,
}

/// What the kernel answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It took the call, or found fault with its arguments: the door is open.
    Open,
    /// It doesn't let this process, or says there is no such call.
    Shut,
}

/// Tries `door` from this process, which may be another one afterwards (a namespace of its
/// own): try each from a process that ends with it.
#[must_use]
pub fn attempt(door: Door) -> Answer {
    let null = std::ptr::null::<libc::c_void>();
    // SAFETY: null pointers are answered with EFAULT and never followed by the kernel; the
    // strings are NUL-terminated; no other argument is an address.
    let done = unsafe {
        match door {
            Door::NewUsers => libc::syscall(libc::SYS_unshare, libc::CLONE_NEWUSER),
            Door::NewProcess => libc::syscall(libc::SYS_clone3, null, 0),
            Door::Ring => libc::syscall(libc::SYS_io_uring_setup, 1, null),
            // KEYCTL_GET_KEYRING_ID of the session's ring, which is not made for it.
            Door::Keys => libc::syscall(libc::SYS_keyctl, 0, -3, 0),
            // UFFD_USER_MODE_ONLY: what ordinary users may have (userfaultfd(2)).
            Door::Faults => libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | 1),
            Door::Handle => libc::syscall(
                libc::SYS_name_to_handle_at,
                libc::AT_FDCWD,
                c"/".as_ptr(),
                null,
                null,
                0,
            ),
            Door::Personality => libc::syscall(libc::SYS_personality, NO_RANDOMIZE),
            Door::MachineHost => {
                libc::syscall(libc::SYS_socket, libc::AF_VSOCK, libc::SOCK_STREAM, 0)
            }
            Door::Typing => libc::syscall(libc::SYS_ioctl, 0, libc::TIOCSTI, null),
            Door::Pasting => libc::syscall(libc::SYS_ioctl, 0, TIOCLINUX, null),
        }
    };
    if done >= 0 {
        return Answer::Open;
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS | libc::EAFNOSUPPORT) => Answer::Shut,
        _ => Answer::Open,
    }
}
