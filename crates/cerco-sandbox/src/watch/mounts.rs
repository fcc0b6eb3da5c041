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
use cerco_sys::mounts;

/// How often the watcher looks whether the command has ended.
const TURN: Duration = Duration::from_millis(100);

/// Ends the sandbox of `launcher` when something is mounted into it, until it is `over`.
pub(super) fn watch(
    launcher: u32,
    handle: Arc<Handle>,
    over: Arc<AtomicBool>,
) -> io::Result<JoinHandle<Option<String>>> {
    let table = inner_table(launcher)?;
    thread::Builder::new().spawn(move || {
        let said = until_change(&table, &over);
        if said.is_some() {
            let _ = handle.kill();
        }
        said
    })
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
