//! Output of a command, cleaned: text with colours and nothing that acts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EntryId;

/// Which of the two streams.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A run of characters in one style; safe to show as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Styled {
    /// What to show. Control and direction characters are visible marks already.
    pub text: String,
    /// Colour of the letters: `0`–`255` of the terminal's palette, or `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fg: Option<String>,
    /// Colour behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bg: Option<String>,
    /// Bold 1, dim 2, italic 4, underlined 8, inverse 16, struck 32, and in a chat answer
    /// code 64; a sum.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub look: u8,
    /// Whether it stands for a character that would not be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_plain(look: &u8) -> bool {
    *look == 0
}

/// Cleaned output of a running command, as it comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OutputChunk {
    /// The run.
    pub entry: EntryId,
    /// The stream.
    pub stream: Stream,
    /// Where the raw bytes begin in that stream.
    pub offset: u64,
    /// Raw bytes that were left out before this chunk, because they came faster than
    /// windows can take; `GET /api/entries/{id}/output` has them.
    pub skipped: u64,
    /// The text.
    pub pieces: Vec<Styled>,
}

/// A range of a run's kept output: the answer of `GET /api/entries/{id}/output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OutputRange {
    /// The run.
    pub entry: EntryId,
    /// The stream.
    pub stream: Stream,
    /// Where the range begins in the stream.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// How long the kept stream is by now.
    pub total: u64,
    /// The text.
    pub pieces: Vec<Styled>,
}

/// The query of `GET /api/entries/{id}/output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct OutputQuery {
    /// The stream.
    pub stream: Stream,
    /// The first byte.
    #[serde(default)]
    pub from: u64,
    /// How many bytes at most (64 KiB at most, also where not given).
    #[serde(default)]
    pub length: Option<u64>,
}
