//! Resource limits of the calling process, inherited by everything it starts.

use std::io;

/// A resource the kernel counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Bytes of a core file. One byte, not zero, also stops handlers that get it by pipe.
    Core,
    /// Open descriptors of one process.
    OpenFiles,
    /// Bytes of one file.
    FileSize,
    /// Processes of this user in this user namespace (uid 0 of the machine is exempt).
    Processes,
    /// Bytes of private memory of one process. Not the address space, of which Node and
    /// Go reserve far more than they use.
    Data,
}

/// Sets soft and hard limit to `value`, or to the hard limit already in force where that
/// is lower: a limit is never raised.
pub fn set(resource: Resource, value: u64) -> io::Result<()> {
    let which = match resource {
        Resource::Core => libc::RLIMIT_CORE,
        Resource::OpenFiles => libc::RLIMIT_NOFILE,
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::Processes => libc::RLIMIT_NPROC,
        Resource::Data => libc::RLIMIT_DATA,
    };
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a live, writable rlimit.
    if unsafe { libc::getrlimit(which, &raw mut limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    limit.rlim_max = limit.rlim_max.min(value);
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: `limit` is a live rlimit, only read.
    if unsafe { libc::setrlimit(which, &raw const limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
