//! Watches a running sandbox for what happens to it from outside, and ends it where what
//! happens opens it.

mod covers;
mod memory;
mod mounts;
mod sockets;

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cerco_sys::exit::Handle;
use cerco_sys::launch::Propagation;
use cerco_sys::poll;
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

/// What is said where a watch could not go on.
const FAILED: &str = "the watch over the sandbox failed while the command ran, so what it hides \
                      or protects may not have been";

/// Looks in a thread of its own, and ends the sandbox of `handle` when `look` says why, or
/// fails.
fn in_a_thread(
    handle: &Arc<Handle>,
    look: impl FnOnce() -> io::Result<Option<String>> + Send + 'static,
) -> io::Result<JoinHandle<Option<String>>> {
    let handle = Arc::clone(handle);
    thread::Builder::new().spawn(move || {
        let why = look().unwrap_or_else(|e| Some(format!("{FAILED} ({e})")))?;
        let _ = handle.kill();
        Some(why)
    })
}

/// Waits for `turn`, or until the other end of `hears` is closed: whether it is.
fn is_over(hears: &PipeReader, turn: Duration) -> io::Result<bool> {
    let ready = poll::wait(&[hears.as_fd()], Some(turn))?;
    Ok(ready.first().is_some_and(|ready| ready.is_ready()))
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
        let table = mounts::inner_table(launcher)?;
        let over = Arc::clone(&over);
        threads.push(in_a_thread(&handle, move || {
            mounts::until_change(&table, &over)
        })?);
    }
    if !watched.covered.is_empty() {
        let hears = hears.try_clone()?;
        threads.push(in_a_thread(&handle, move || {
            covers::until_change(&watched.covered, &hears)
        })?);
    }
    if let Some(seen) = watched.sockets {
        let hears = hears.try_clone()?;
        threads.push(in_a_thread(&handle, move || {
            sockets::until_opened(&seen, &hears)
        })?);
    }
    let pid = Pid::try_from(launcher).map_err(io::Error::other)?;
    let most = watched.memory_bytes;
    threads.push(in_a_thread(&handle, move || {
        memory::until_too_much(pid, most, &hears)
    })?);
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
        let said = self
            .threads
            .drain(..)
            .map(|thread| thread.join().unwrap_or_else(|_| Some(FAILED.to_owned())));
        said.flatten().next()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
