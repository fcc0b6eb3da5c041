//! One change at a time in a folder, between threads and between processes. It keeps our
//! own changes apart; a command that ignores it is caught by the check before the rename.

use std::thread::sleep;
use std::time::Duration;

use crate::handle::{Folder, Lock};
use crate::limits::Deadline;
use crate::walk::system;
use crate::{FileError, LoopFiles, RelPath};

pub(crate) fn lock(files: &LoopFiles, folder: &Folder, path: &RelPath) -> Result<Lock, FileError> {
    let deadline = Deadline::after(files.bounds.limits.wait);
    loop {
        if let Some(lock) = folder.try_lock().map_err(|e| system(path, e))? {
            return Ok(lock);
        }
        // A command that holds the lock for good must not hold us for good.
        if deadline.passed() {
            return Err(FileError::Busy {
                path: path.to_string(),
            });
        }
        sleep(Duration::from_millis(5));
    }
}
