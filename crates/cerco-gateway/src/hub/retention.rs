//! The retention setting, applied: old entries go, and kept output whose entry is gone.
//!
//! It must not take a wrong clock for the passing of time.

use std::time::Duration;

use super::{Hub, HubError, now, unix_ms};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A moment by both clocks, to tell the passing of time from a clock that was set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Began {
    /// The newest entry then, or the time then where there was none; milliseconds since 1970.
    unix_ms: u64,
    /// Since the machine started.
    boot: Duration,
}

impl Began {
    /// Now, with the time of the newest entry.
    pub(super) fn with_newest(newest: Option<u64>) -> Self {
        Self {
            unix_ms: newest.unwrap_or_else(unix_ms),
            boot: now().moment.0,
        }
    }

    /// How late it is at least: the clock's time, but no more than what has passed since the
    /// newest entry that was found. A clock that jumped ahead deletes nothing; after a long
    /// pause old entries stay until the next start.
    fn surely(self, clock: u64, boot: Duration) -> u64 {
        let passed = super::millis(boot.saturating_sub(self.boot));
        clock.min(self.unix_ms.saturating_add(passed))
    }
}

impl Hub {
    /// Deletes what is older than the settings keep; says how many entries went.
    pub fn forget_old(&self) -> Result<usize, HubError> {
        let days = u64::from(self.core().settings.retention_days);
        let surely = self.began.surely(unix_ms(), now().moment.0);
        let before = surely.saturating_sub(days.saturating_mul(DAY_MS));
        let gone = self.journal().forget_before(before)?;
        self.outputs.sweep(|id| {
            // An entry that can't be looked up keeps its output.
            self.journal().entry(id).map_or(true, |e| e.is_some())
        });
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_ahead_is_not_believed() {
        let began = Began {
            unix_ms: 1_000_000,
            boot: Duration::from_secs(50),
        };
        let hour = Duration::from_secs(50 + 3600);
        for (clock, expected) in [
            (1_000_000 + 3_600_000, 4_600_000),
            // Ten years ahead, and back before the entries.
            (1_000_000 + 3650 * DAY_MS, 4_600_000),
            (5, 5),
        ] {
            assert_eq!(began.surely(clock, hour), expected);
        }
    }
}
