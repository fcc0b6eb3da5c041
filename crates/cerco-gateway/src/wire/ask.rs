//! Asks: the card a person answers, and the answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskId, BoardId, BubbleId, EntryId, ExplainLine, Finding, LoopId, Millis, ProgramRow};
use super::{ShownText, WindowId};

/// One kind of an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskKind {
    /// Its words: `git commit`, `delete files`.
    pub kind: String,
    /// Whether "always" may be offered for it.
    pub grantable: bool,
}

/// How the sandbox would hold the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SandboxLine {
    /// Whether it would run in the sandbox.
    pub on: bool,
    /// The backend that would hold it, where it is on.
    pub backend: Option<String>,
    /// What it reaches of the network.
    pub network: NetworkReach,
}

/// What a command reaches of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NetworkReach {
    /// Nothing: the sandbox has no network.
    None,
    /// The package registries, through the proxy.
    RegistriesOnly,
    /// Whatever the machine reaches: the sandbox is off.
    Open,
}

/// A question to a person, as a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskCard {
    /// Its id.
    pub id: AskId,
    /// The journal entry of the command.
    pub entry: EntryId,
    /// The board.
    pub board: BoardId,
    /// The loop.
    pub loop_id: LoopId,
    /// The loop's name; safe to show.
    pub loop_name: String,
    /// The bubble.
    pub bubble: BubbleId,
    /// The bubble's name; safe to show.
    pub bubble_name: String,
    /// Its role's name; safe to show.
    pub role: String,
    /// The host that asked, as it calls itself; safe to show.
    pub host: String,
    /// The command, ready to show.
    pub command: ShownText,
    /// The command's text as it would run, for "edit before run". Show `command`, never this.
    pub text: String,
    /// Why it is asked about.
    pub findings: Vec<Finding>,
    /// Every program it would start.
    pub programs: Vec<ProgramRow>,
    /// What has to be answered, each kind once.
    pub kinds: Vec<AskKind>,
    /// The folder it would run in, relative to the project; safe to show.
    pub folder: String,
    /// How the sandbox would hold it.
    pub sandbox: SandboxLine,
    /// The chain of the layers.
    pub explain: Vec<ExplainLine>,
    /// When it was asked.
    pub asked_at: Millis,
    /// Time left until it is refused, in milliseconds, when this was sent.
    pub left_ms: u64,
    /// Until when answers are taken for a slip of the hand (it just appeared).
    pub ready_in_ms: u64,
    /// How often the same command of this loop was already denied or refused.
    pub repeats: u32,
    /// How it stands.
    pub state: AskState,
}

/// How an ask stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AskState {
    /// It waits.
    Open,
    /// A person answered.
    Answered {
        /// The answer.
        answer: Answer,
        /// The window it came from.
        window: WindowId,
        /// The note to the agent.
        note: Option<String>,
    },
    /// Nobody answered in time: refused.
    Expired,
    /// The agent took it back, or its bubble ended.
    Withdrawn,
    /// No window was open: refused.
    NoWindow,
}

/// The three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Allow once.
    AllowOnce,
    /// Allow always this session.
    AllowAlways,
    /// Deny.
    Deny,
}

/// A person's answer: the body of `POST /api/asks/{id}/answer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// The answer.
    pub answer: Answer,
    /// For [`Answer::AllowAlways`]: the kinds still ticked. They have to be shown ones.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// A note to the agent, with Deny.
    #[serde(default)]
    pub note: Option<String>,
    /// The command as the person changed it. It goes through all layers again.
    #[serde(default)]
    pub edited: Option<String>,
    /// The window that answers.
    pub window: WindowId,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum AnswerResult {
    /// It counted.
    Settled,
    /// Another answer, the clock or the agent was first.
    TooLate {
        /// How the ask stands.
        now: AskState,
    },
    /// It came sooner than a person reads (after showing, or after the last answer), so it
    /// was not taken.
    TooFast {
        /// When it may be sent again, in milliseconds.
        retry_in_ms: u64,
    },
    /// The edited command is refused; the ask stays open.
    EditRefused {
        /// Why.
        findings: Vec<Finding>,
    },
    /// The edited command has kinds that were not on the card; the card shows it now.
    AskedAgain,
}

/// The body of `POST /api/asks/{id}/extend`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ExtendRequest {
    /// The window that asks for more time.
    pub window: WindowId,
}

/// The body of `POST /api/loops/{id}/deny-all`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct DenyAllRequest {
    /// The window that denies.
    pub window: WindowId,
    /// A note to the agents.
    #[serde(default)]
    pub note: Option<String>,
}
