//! Which commands run in a loop's folder right now, and what stood there before the first
//! of them: a file each in a folder of Cerco's own that no command can reach.
//!
//! What a command starts with is no measure where another one runs beside it: it may have
//! been planted a moment ago. And a Cerco that was killed took no look: whoever comes next
//! takes it.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cerco_sys::clock::since_boot;
use rustix::fs::{FlockOperation, flock};

use super::stand_in::StandIn;
use super::{Baseline, Look};
use crate::facts::Identity;

static NEXT: AtomicU32 = AtomicU32::new(0);
/// The longest record that is read.
const LONGEST: u64 = 64 << 20;

/// The records of one loop's folder, to be had by one Cerco at a time.
#[derive(Debug)]
pub(crate) struct Records {
    folder: PathBuf,
    /// Others wait as long as this is open.
    _turn: File,
    earliest: Option<Baseline>,
}

/// One command's record; it goes when the value does. Where Cerco is killed it stays, and
/// is nobody's.
#[derive(Debug)]
pub(crate) struct Record {
    path: PathBuf,
    stand_in: StandIn,
    /// Locked as long as it is open.
    _held: File,
}

impl Records {
    /// Waits for its turn at the records below `all` of the loop's folder `of`, and takes
    /// the looks of those that never took theirs. Their findings are said in `notes`.
    pub(crate) fn of(all: &Path, of: Identity, notes: &mut Vec<String>) -> io::Result<Self> {
        let folder = all.join(format!("{}-{}", of.device, of.inode));
        if let Some(around) = all.parent() {
            fs::create_dir_all(around)?;
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        let turn = File::open(&folder)?;
        flock(&turn, FlockOperation::LockExclusive)?;
        let mut names: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(&folder)? {
            names.push(entry?.path());
        }
        names.sort();
        let mut earliest = None;
        for path in names {
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let is_nobodys = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            let mut bytes = Vec::new();
            (&file).take(LONGEST).read_to_end(&mut bytes)?;
            let look = Look::decode(&bytes);
            if is_nobodys {
                if let Some(look) = look {
                    late(&look, notes);
                }
                fs::remove_file(&path)?;
            } else if earliest.is_none() {
                let look = look.ok_or_else(|| {
                    io::Error::other("another version of Cerco runs a command in the loop's folder; try again when that has ended")
                })?;
                earliest = Some(look.baseline);
            }
        }
        Ok(Self {
            folder,
            _turn: turn,
            earliest,
        })
    }

    /// What stood there before the first of those that run; `own` where nobody does.
    pub(crate) fn baseline(&mut self, own: impl FnOnce() -> Baseline) -> Baseline {
        self.earliest.take().unwrap_or_else(own)
    }

    /// Writes down the command that is about to run, and lets the next one have its turn.
    pub(crate) fn write(self, look: &Look) -> io::Result<Record> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(
            "{:020}-{}-{number}",
            since_boot().as_nanos(),
            std::process::id()
        );
        let path = self.folder.join(name);
        let mut file = File::options().write(true).create_new(true).open(&path)?;
        flock(&file, FlockOperation::LockExclusive)?;
        file.write_all(&look.encode())
            .inspect_err(|_| drop(fs::remove_file(&path)))?;
        Ok(Record {
            stand_in: StandIn::of(&path),
            path,
            _held: file,
        })
    }
}

impl Record {
    /// Who takes the look where Cerco is killed.
    pub(crate) fn stand_in(&self) -> StandIn {
        self.stand_in.clone()
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // One that can't be removed is nobody's, and goes with the next command's turn.
        let _ = fs::remove_file(&self.path);
    }
}

/// A look that its own Cerco didn't take.
fn late(look: &Look, notes: &mut Vec<String>) {
    let after = look.see(notes);
    for done in look.hold_back(&after) {
        notes.push(format!(
            "a command whose Cerco was killed left {}: {}",
            crate::refusal::shown(&done.path),
            done.what
        ));
    }
}
