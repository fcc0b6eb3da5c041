//! How much one call may look at, return and take. Never a reason to answer "nothing
//! there": what a limit left out is said in the result.

use std::time::{Duration, Instant};

use crate::FileError;

/// The bounds of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text that one read returns.
    pub read_bytes: usize,
    /// Bytes of a file that reading by line looks through to find its line, and the
    /// largest file that search looks into.
    pub scan_bytes: u64,
    /// The largest content that is written or edited, in bytes.
    pub write_bytes: u64,
    /// Entries that one listing returns.
    pub listed: usize,
    /// Entries of the tree that one call visits.
    pub visited: usize,
    /// Hits that one search returns.
    pub hits: usize,
    /// Bytes of a line that a hit shows.
    pub hit_bytes: usize,
    /// Bytes of all files that one search reads.
    pub search_bytes: u64,
    /// How long a call may take.
    pub time: Duration,
    /// How long a write waits for another write in the same folder.
    pub wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read_bytes: 256 << 10,
            scan_bytes: 64 << 20,
            write_bytes: 16 << 20,
            listed: 2_000,
            visited: 100_000,
            hits: 200,
            hit_bytes: 400,
            search_bytes: 512 << 20,
            time: Duration::from_secs(20),
            wait: Duration::from_secs(5),
        }
    }
}

/// When a call has to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn after(time: Duration) -> Self {
        let now = Instant::now();
        // A limit beyond the clock's range means "now": too strict, never endless.
        Self(now.checked_add(time).unwrap_or(now))
    }

    pub(crate) fn passed(self) -> bool {
        Instant::now() >= self.0
    }

    pub(crate) fn check(self) -> Result<(), FileError> {
        if self.passed() {
            Err(FileError::TooSlow)
        } else {
            Ok(())
        }
    }
}
