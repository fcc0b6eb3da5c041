//! The three answers, in order of strictness.

use serde::{Deserialize, Serialize};

/// What the filter says of a command or of one part of it.
///
/// Ordered: `Allowed < Asked < Refused`. Verdicts are only ever joined by taking
/// the stricter ([`Verdict::worst`]); there is no operation that softens one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// May run without a question.
    Allowed,
    /// Runs only when a person, a grant or Full Auto says so.
    Asked,
    /// Never runs. Full Auto, grants and custom rules change nothing here.
    Refused,
}

impl Verdict {
    /// The stricter of the two.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }

    /// The word used in JSON, the page and the journal.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asked => "asked",
            Self::Refused => "refused",
        }
    }
}
