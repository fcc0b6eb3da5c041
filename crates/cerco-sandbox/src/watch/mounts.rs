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
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cerco_sys::mounts;

/// How often the watcher looks whether the command has ended.
const TURN: Duration = Duration::from_millis(100);

/// The mount table of the sandbox's first process, armed.
pub(super) fn inner_table(launcher: u32) -> io::Result<File> {
    let children = fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children"))?;
    let inner = children.split_whitespace().next();
    let inner = inner.ok_or(io::ErrorKind::NotFound)?;
    let mut table = File::open(Path::new("/proc").join(inner).join("mountinfo"))?;
    io::copy(&mut table.by_ref(), &mut io::sink())?;
    Ok(table)
}

/// Says so when something is mounted into the sandbox, until it is `over`.
pub(super) fn until_change(table: &File, over: &AtomicBool) -> io::Result<Option<String>> {
    while !over.load(Ordering::Relaxed) {
        if mounts::changed(table, TURN)? {
            return Ok(Some("something was mounted on this computer while the command ran; it was stopped before it could write there".to_owned()));
        }
    }
    Ok(None)
}
