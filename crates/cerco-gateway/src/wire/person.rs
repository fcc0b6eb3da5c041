//! The person's door: a second Unix socket, for `cerco open`, `asks`, `answer`, `status`
//! and `down`. Every connection is checked: it must not descend from a command or a host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answer, AnswerResult, AskCard, AskId, Millis};

/// All a person can want at a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
pub enum PersonVerb {
    /// An address with a one-time code.
    Open,
    /// How the gateway stands.
    Status,
    /// The open asks. This terminal counts as a window while the connection lasts.
    Asks,
    /// An answer. "Always" is for the page only.
    Answer {
        /// The ask.
        ask: AskId,
        /// The answer.
        answer: Answer,
        /// A note to the agent.
        #[serde(default)]
        note: Option<String>,
    },
    /// End the gateway: stop every run, close every ask.
    Down,
}

/// The answer, one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum PersonReply {
    /// The address to open.
    Address {
        /// With the one-time code in its fragment.
        url: String,
    },
    /// How the gateway stands.
    Status {
        /// How.
        status: Status,
    },
    /// The open asks, oldest first.
    Asks {
        /// The cards.
        asks: Vec<AskCard>,
    },
    /// What became of an answer.
    Answered {
        /// What.
        result: AnswerResult,
    },
    /// It goes down.
    GoingDown,
    /// It is not done.
    Refused {
        /// A name that stays the same.
        id: String,
        /// Why and what to do.
        text: String,
    },
}

/// How the gateway stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Status {
    /// The version of these types.
    pub schema_version: u32,
    /// The version of Cerco.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The page's address, without any code.
    pub address: String,
    /// Since when it runs.
    pub started_at: Millis,
    /// Windows that are present.
    pub windows: u32,
    /// Boards.
    pub boards: u32,
    /// Open asks.
    pub asks: u32,
    /// Running commands.
    pub runs: u32,
}
