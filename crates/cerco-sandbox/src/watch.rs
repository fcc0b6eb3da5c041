//! Where the sandbox's mounts could not be made private: watches them, and ends the
//! sandbox the moment the host mounts something into it.
//!
//! The launcher only makes mounts slaves of the host's, so a disk that is plugged in after
//! the start arrives inside, read-write. The kernel tells of every change of a process's
//! mounts by marking its mountinfo file. (What arrived before the command started is
//! found by the inner stage.)

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cerco_sys::exit::Handle;
use cerco_sys::launch::Propagation;
use cerco_sys::mounts;

/// How often the watcher looks whether the command has ended.
const TURN: Duration = Duration::from_millis(100);

/// A watch over one running sandbox. Dropped, it ends.
#[derive(Debug)]
pub struct Watch {
    thread: Option<JoinHandle<Option<String>>>,
    over: Arc<AtomicBool>,
}

/// Watches the sandbox of `launcher` where `propagation` asks for it. An error means that
/// it can't be watched: the caller must end it.
pub fn watch(propagation: Propagation, launcher: u32, handle: Handle) -> io::Result<Watch> {
    let over = Arc::new(AtomicBool::new(false));
    if propagation == Propagation::Private {
        return Ok(Watch { thread: None, over });
    }
    let table = inner_table(launcher)?;
    let ends = Arc::clone(&over);
    let thread = thread::spawn(move || {
        let said = until_change(&table, &ends);
        if said.is_some() {
            let _ = handle.kill();
        }
        said
    });
    Ok(Watch {
        thread: Some(thread),
        over,
    })
}

impl Watch {
    /// Ends it; says why it ended the sandbox, where it did.
    #[must_use]
    pub fn finish(mut self) -> Option<String> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()?
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// The mount table of the sandbox's first process, armed.
fn inner_table(launcher: u32) -> io::Result<File> {
    let children = fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children"))?;
    let inner = children.split_whitespace().next();
    let inner = inner.ok_or(io::ErrorKind::NotFound)?;
    let mut table = File::open(Path::new("/proc").join(inner).join("mountinfo"))?;
    io::copy(&mut table.by_ref(), &mut io::sink())?;
    Ok(table)
}

fn until_change(table: &File, over: &AtomicBool) -> Option<String> {
    while !over.load(Ordering::Relaxed) {
        match mounts::changed(table, TURN) {
            Ok(false) => {}
            Ok(true) => {
                return Some("something was mounted on this computer while the command ran; it was stopped before it could write there".to_owned());
            }
            Err(e) => {
                return Some(format!(
                    "its mounts could not be watched any longer ({e}); it was stopped"
                ));
            }
        }
    }
    None
}
