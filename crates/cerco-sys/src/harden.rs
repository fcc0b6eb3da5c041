//! What a long-running process does to itself before it holds anything worth stealing,
//! and the adoption of orphans.

use std::io;

/// Forbids other processes of the same person to look into this one: no ptrace, no
/// `/proc/PID/mem`, no core file. What it keeps in memory (sessions, codes) stays there.
///
/// The kernel undoes this in a child at exec, so commands are not touched by it.
pub fn keep_memory_private() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)?;
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: setrlimit reads the struct, which lives on our stack.
    check(unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) })
}

/// Makes this process the parent of every orphan below it. A command that forks twice and
/// calls `setsid` still has this process as an ancestor.
pub fn adopt_orphans() -> io::Result<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// Takes leave of the terminal it was started at: a session of its own, so that closing the
/// terminal doesn't end it. Fails for the leader of a process group.
pub fn leave_terminal() -> io::Result<()> {
    // SAFETY: setsid touches no memory.
    let session = unsafe { libc::setsid() };
    check(session.min(0))
}

/// Has the kernel send this process a polite request to end when the THREAD that started
/// it ends, `parent` being the process of that thread. An error where it has already.
pub fn end_with(parent: u32) -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong)?;
    // It may have ended before the line above; then the signal never comes.
    // SAFETY: getppid always succeeds and touches no memory.
    if u32::try_from(unsafe { libc::getppid() }) == Ok(parent) {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(libc::ESRCH))
}

/// Whether this process adopts orphans.
pub fn adopts_orphans() -> io::Result<bool> {
    let mut on: libc::c_int = 0;
    // SAFETY: the kernel writes one int through the pointer, which outlives the call.
    check(unsafe { libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut on) })?;
    Ok(on != 0)
}

/// Collects the exit status of an ended child that nobody waits for, so that its number
/// is free again. Nothing happens when it still runs or is no child.
pub fn collect(pid: u32) {
    let Ok(pid) = libc::pid_t::try_from(pid) else {
        return;
    };
    if pid > 0 {
        // SAFETY: a null status pointer is allowed; WNOHANG never blocks.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) };
    }
}

/// This process's user.
#[must_use]
pub fn user_id() -> u32 {
    // SAFETY: geteuid can't fail and touches no memory.
    unsafe { libc::geteuid() }
}

fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take one plain number and read no memory.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) })
}

fn check(done: libc::c_int) -> io::Result<()> {
    if done == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}
