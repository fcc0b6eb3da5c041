//! Time as a value: the caller reads the clocks, never this crate.

use std::time::Duration;

/// A moment of a clock that never goes back and keeps counting in sleep; since any origin
/// the caller likes, the same for all calls to one desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub Duration);

impl Moment {
    /// Later by `span`; stays at the end of time rather than wrap to an early moment.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// How long since `earlier`; zero where that lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Both clocks, read together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Decides about limits.
    pub moment: Moment,
    /// Milliseconds since 1970, only ever shown: people can set that clock.
    pub unix_ms: u64,
}
