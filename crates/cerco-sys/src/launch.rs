//! What happens in a forked child before it becomes a sandbox launcher.
//!
//! Everything here runs between fork and exec of a process that may have had threads:
//! only system calls on memory prepared before the fork, no allocation, no locks.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::fds::close_on_exec_from;

/// How many inotify instances one sandbox has at most; a user has 128 in all by default.
const MOST_WATCHES: &[u8] = b"64";
/// What the launcher shows of the machine's `/dev`.
const DEVICES: &[&CStr] = &[
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
    c"/dev/tty",
];

/// Whether mounts the host makes later may arrive in what the child starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The child gets a mount namespace of its own that hears nothing from outside.
    /// Launchers only make mounts slaves: a disk that is plugged in after the start
    /// would arrive read-write, over everything.
    Private,
    /// The child stays in the caller's. Somebody has to watch for new mounts.
    Shared,
}

/// Arranges for `command`'s child to
/// - die when the calling THREAD ends (the kernel's parent-death signal is the thread's),
/// - inherit the standard streams and `keep`, and no other descriptor,
/// - live in a mount namespace as `propagation` says.
///
/// A failure of any of these fails the spawn. The descriptors in `keep` are owned by
/// the command from then on and closed with it.
pub fn confine(command: &mut Command, keep: Vec<OwnedFd>, propagation: Propagation) {
    let parent = std::process::id();
    // SAFETY: getuid and getgid always succeed and touch no memory.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    let uid_map = format!("{uid} {uid} 1\n");
    let gid_map = format!("{gid} {gid} 1\n");
    let watches = half_of_the_watches();
    let before_exec = move || {
        if propagation == Propagation::Private {
            private_mounts(uid_map.as_bytes(), gid_map.as_bytes())?;
            // As for the instances. Editors need thousands.
            let _ = write_whole(c"/proc/sys/user/max_inotify_watches", watches.as_bytes());
        }
        // After the namespaces: taking new credentials clears the signal.
        die_with(parent)?;
        close_on_exec_from(3)?;
        for fd in &keep {
            pass_on(fd.as_raw_fd())?;
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls on memory that was prepared above.
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// Whether this machine lets the calling user make a private mount namespace: tried for
/// real in a child process that ends at once.
#[must_use]
pub fn can_be_private() -> bool {
    let mut probe = Command::new("/proc/self/exe");
    // SAFETY: getuid and getgid always succeed and touch no memory.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    let uid_map = format!("{uid} {uid} 1\n");
    let gid_map = format!("{gid} {gid} 1\n");
    let before_exec = move || {
        let code = i32::from(private_mounts(uid_map.as_bytes(), gid_map.as_bytes()).is_err());
        // SAFETY: _exit ends the child without running anything of the parent's.
        unsafe { libc::_exit(code) }
    };
    // SAFETY: the closure only makes system calls on memory that was prepared above.
    unsafe {
        probe.pre_exec(before_exec);
    }
    probe
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// How many inotify watches one sandbox has at most: half of those that its user has.
fn half_of_the_watches() -> String {
    let most = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    let most = most.ok().and_then(|text| text.trim().parse::<u64>().ok());
    (most.unwrap_or(8192) / 2).to_string()
}

fn private_mounts(uid_map: &[u8], gid_map: &[u8]) -> io::Result<()> {
    // SAFETY: unshare takes flags only.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) })?;
    // The kernel wants set-groups switched off before an unprivileged gid map.
    write_whole(c"/proc/self/setgroups", b"deny")?;
    write_whole(c"/proc/self/uid_map", uid_map)?;
    write_whole(c"/proc/self/gid_map", gid_map)?;
    // Counted for the user all over the machine: some must be left outside. Where it can't be
    // set (no such counter; a container that keeps /proc/sys from being written) the command
    // may use up the user's own watches, which harms nobody's files.
    let _ = write_whole(c"/proc/sys/user/max_inotify_instances", MOST_WATCHES);
    mount(c"none", c"/", libc::MS_REC | libc::MS_PRIVATE)?;
    // SAFETY: getuid always succeeds and touches no memory.
    if unsafe { libc::getuid() } == 0 {
        DEVICES
            .iter()
            .try_for_each(|device| keep_as_it_is(device))?;
    }
    Ok(())
}

/// Root owns the machine's devices, inside as well: their permissions and times would be
/// the sandbox's to change. The launcher shows these very mounts inside; data goes through
/// them as before.
fn keep_as_it_is(device: &CStr) -> io::Result<()> {
    match mount(device, device, libc::MS_BIND) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    }
    // SAFETY: all-zero is a valid statvfs.
    let mut facts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `device` is NUL-terminated and `facts` live and writable.
    check(unsafe { libc::statvfs(device.as_ptr(), &raw mut facts) })?;
    // What the mount has already must be said again, and has the same numbers.
    let kept = libc::ST_NOSUID | libc::ST_NOEXEC | libc::ST_NOATIME | libc::ST_NODIRATIME;
    let mut flags = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | (facts.f_flag & kept);
    if facts.f_flag & libc::ST_RELATIME != 0 {
        flags |= libc::MS_RELATIME;
    }
    mount(c"none", device, flags)
}

fn mount(source: &CStr, at: &CStr, flags: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the strings are NUL-terminated; type and data may be null.
    check(unsafe {
        libc::mount(
            source.as_ptr(),
            at.as_ptr(),
            std::ptr::null(),
            flags,
            std::ptr::null(),
        )
    })
}

/// Ends this process when the thread that forked it does. An error where `parent` is gone
/// already. Only system calls.
pub(crate) fn die_with(parent: u32) -> io::Result<()> {
    // SAFETY: prctl with PR_SET_PDEATHSIG takes a signal number.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // The parent may have ended between the fork and the line above; then the signal
    // never comes.
    // SAFETY: getppid always succeeds and touches no memory.
    if u32::try_from(unsafe { libc::getppid() }) == Ok(parent) {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(libc::ESRCH))
}

fn pass_on(fd: RawFd) -> io::Result<()> {
    // SAFETY: fcntl with F_SETFD takes an int.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) })
}

fn write_whole(path: &CStr, content: &[u8]) -> io::Result<()> {
    // SAFETY: `path` is NUL-terminated.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC) };
    check(fd)?;
    // SAFETY: `content` is live for its length.
    let written = unsafe { libc::write(fd, content.as_ptr().cast(), content.len()) };
    let result = if usize::try_from(written) == Ok(content.len()) {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    };
    // SAFETY: `fd` is ours and not used again.
    unsafe { libc::close(fd) };
    result
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
