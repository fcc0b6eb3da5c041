//! What bubbles say: the chat answers that their hosts send to the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BoardId, Millis, SaidId, Styled};

/// A chat answer of a bubble. It is only text: it decides nothing and nothing in it acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Said {
    /// Its id.
    pub id: SaidId,
    /// When it came.
    pub time: Millis,
    /// The board.
    pub board: BoardId,
    /// The loop's name; safe to show.
    pub loop_name: String,
    /// The bubble's name; safe to show.
    pub bubble: String,
    /// Its role's name; safe to show.
    pub role: String,
    /// The host, as it calls itself; safe to show.
    pub host: String,
    /// Its text, in order; code blocks stand alone.
    pub blocks: Vec<SaidBlock>,
}

/// A part of a chat answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SaidBlock {
    /// Whether it is a code block, which "Run in terminal" takes.
    pub is_code: bool,
    /// The text, secrets masked.
    pub pieces: Vec<Styled>,
}
