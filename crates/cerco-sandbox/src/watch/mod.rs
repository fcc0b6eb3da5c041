//! Watches a running sandbox for what happens to it from outside, and ends it where what
//! happens opens it.

mod covers;
mod memory;
mod mounts;
mod sockets;

use std::io::{self, PipeWriter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use cerco_sys::exit::Handle;
use cerco_sys::launch::Propagation;

use cerco_sys::processes::Pid;

pub(crate) use covers::Covered;
pub(crate) use sockets::Seen;

/// What is watched in a running sandbox, beside its mounts.
#[derive(Clone, Debug)]
pub struct Watched {
    /// What has to stay, outside, what it was when the plan was made.
    pub(crate) covered: Vec<Covered>,
    /// Where a socket that is opened outside would be seen.
    pub(crate) sockets: Option<Seen>,
    /// How much memory its processes may take together.
    pub(crate) memory_bytes: u64,
}

/// A watch over one running sandbox. Dropped, it ends.
#[derive(Debug)]
pub struct Watch {
    threads: Vec<JoinHandle<Option<String>>>,
    over: Arc<AtomicBool>,
    /// Those who wait hear of its end.
    open: Option<PipeWriter>,
}

/// Watches the sandbox of `launcher`: its mounts where `propagation` asks for it, and what
/// `watched` names. An error means that it can't be watched: the caller must end it.
pub fn watch(
    propagation: Propagation,
    launcher: u32,
    handle: Handle,
    watched: Watched,
) -> io::Result<Watch> {
    let over = Arc::new(AtomicBool::new(false));
    let handle = Arc::new(handle);
    let (hears, open) = io::pipe()?;
    let mut threads = Vec::new();
    if propagation == Propagation::Shared {
        threads.push(mounts::watch(
            launcher,
            Arc::clone(&handle),
            Arc::clone(&over),
        )?);
    }
    if !watched.covered.is_empty() {
        let hears = hears.try_clone()?;
        threads.push(covers::watch(watched.covered, Arc::clone(&handle), hears)?);
    }
    if let Some(seen) = watched.sockets {
        threads.push(sockets::watch(
            seen,
            Arc::clone(&handle),
            hears.try_clone()?,
        )?);
    }
    let pid = Pid::try_from(launcher).map_err(io::Error::other)?;
    threads.push(memory::watch(pid, watched.memory_bytes, handle, hears)?);
    Ok(Watch {
        threads,
        over,
        open: Some(open),
    })
}

impl Watch {
    /// Ends it; says why it ended the sandbox, where it did.
    #[must_use]
    pub fn finish(mut self) -> Option<String> {
        self.over.store(true, Ordering::Relaxed);
        drop(self.open.take());
        let said = self.threads.drain(..).map(|thread| {
            let failed = "the watch over the sandbox failed while the command ran, so what it \
                          hides or protects may not have been";
            thread.join().unwrap_or_else(|_| Some(failed.to_owned()))
        });
        said.flatten().next()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
