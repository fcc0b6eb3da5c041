//! Where in a command's text something stands.

use serde::{Deserialize, Serialize};

/// A span of the command's text in bytes: `start` inclusive, `end` exclusive.
///
/// For something that came out of text nested in a word (the string given to
/// `env -S`, a project script), the part is that of the word in the command the
/// person sees, never an offset into the inner text.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Part {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Part {
    /// The span from `start` to `end`; an `end` before `start` gives an empty span at `start`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let start = clamp(start);
        Self {
            start,
            end: clamp(end).max(start),
        }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text it names, or nothing where the span does not fit `text` or cuts a character.
    #[must_use]
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }
}
