//! Watches a running sandbox for what happens to it from outside, and ends it where what
//! happens opens it.

mod covers;
mod mounts;

use std::io::{self, PipeWriter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use cerco_sys::exit::Handle;
use cerco_sys::launch::Propagation;

pub use covers::Covered;

/// A watch over one running sandbox. Dropped, it ends.
#[derive(Debug)]
pub struct Watch {
    threads: Vec<JoinHandle<Option<String>>>,
    over: Arc<AtomicBool>,
    /// Those who wait hear of its end.
    open: Option<PipeWriter>,
}

/// Watches the sandbox of `launcher`: its mounts where `propagation` asks for it, and what
/// is `covered` in it. An error means that it can't be watched: the caller must end it.
pub fn watch(
    propagation: Propagation,
    launcher: u32,
    handle: Handle,
    covered: &[Covered],
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
    if !covered.is_empty() {
        threads.push(covers::watch(covered.to_vec(), handle, hears)?);
    }
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
