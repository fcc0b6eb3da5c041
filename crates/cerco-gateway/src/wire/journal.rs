//! The journal: entries, search, and ranges of a run's output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskId, BoardId, BubbleId, EntryId, Finding, LoopId, Millis, ShownText, Verdict};

/// One command's whole story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// Its number; grows by one.
    pub seq: u64,
    /// When it was opened: before the command started.
    pub time: Millis,
    /// The board, where a gateway ran it.
    pub board: Option<BoardId>,
    /// The project's folder; safe to show.
    pub project: String,
    /// The loop, where it is known.
    pub loop_id: Option<LoopId>,
    /// The loop's folder, relative to the project; safe to show.
    pub loop_folder: String,
    /// The bubble, where it is known.
    pub bubble: Option<BubbleId>,
    /// The role's name; safe to show.
    pub role: String,
    /// The host, as it calls itself; safe to show.
    pub host: String,
    /// The command, secrets masked, ready to show.
    pub command: ShownText,
    /// The folder it ran in, relative to the project; safe to show.
    pub folder: String,
    /// What the filter said.
    pub verdict: Verdict,
    /// Why.
    pub findings: Vec<Finding>,
    /// What was decided in the end.
    pub decision: Decision,
    /// On whose word.
    pub source: DecisionSource,
    /// The ask, where there was one.
    pub ask: Option<AskId>,
    /// The window that answered.
    pub answered_by: Option<String>,
    /// How long it waited for an answer, in milliseconds.
    pub waited_ms: Option<u64>,
    /// The backend that held it; nothing: it ran without the sandbox, or not at all.
    pub backend: Option<String>,
    /// Names of the variables that were kept from it.
    pub env_removed: Vec<String>,
    /// How the run stands.
    pub run: RunState,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It waits for a person.
    Pending,
    /// It may run.
    Allow,
    /// It was refused or denied.
    Deny,
}

/// On whose word a command ran or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecisionSource {
    /// A rule of the filter.
    Rule,
    /// The tools of the role.
    Tools,
    /// A person, for this once.
    UserTemporary,
    /// A person, for this session.
    UserPermanent,
    /// A person denied it.
    UserReject,
    /// The agent took it back.
    UserAbort,
    /// A grant.
    Grant,
    /// Full Auto.
    FullAuto,
    /// No window was open.
    NoWindow,
    /// Nobody answered in time.
    Timeout,
    /// The sandbox is not ready.
    Sandbox,
}

/// How the run of an entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunState {
    /// It never started.
    NotRun,
    /// It waits for an answer.
    Waiting,
    /// It runs.
    Running {
        /// Since when.
        since: Millis,
    },
    /// It ended.
    Ended {
        /// How.
        ending: RunEnding,
        /// From program start to end, in milliseconds.
        duration_ms: u64,
        /// Bytes written to the two streams.
        output_bytes: u64,
        /// Starts that the guard refused.
        guard_refusals: Vec<GuardRefused>,
    },
    /// Cerco itself was killed while it ran; the whole tree was stopped.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "how", content = "code", rename_all = "snake_case")]
pub enum RunEnding {
    /// With this status.
    Exit(u8),
    /// By this signal.
    Signal(u8),
    /// Its time was up.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// The program was not found (127) or could not be executed (126).
    NotStarted(u8),
    /// Cerco or the sandbox failed.
    Failed,
}

impl From<cerco_model::Ending> for RunEnding {
    fn from(ending: cerco_model::Ending) -> Self {
        match ending {
            cerco_model::Ending::Exit(code) => Self::Exit(code),
            cerco_model::Ending::Signal(signal) => Self::Signal(signal),
            cerco_model::Ending::TimedOut => Self::TimedOut,
            cerco_model::Ending::Cancelled => Self::Cancelled,
            cerco_model::Ending::NotStarted(code) => Self::NotStarted(code),
            cerco_model::Ending::Failed => Self::Failed,
        }
    }
}

/// A program start that the guard refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuardRefused {
    /// The real arguments; safe to show.
    pub argv: Vec<String>,
    /// The rule's id.
    pub rule: String,
    /// Why; safe to show.
    pub reason: String,
}

/// The query of `GET /api/journal`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct JournalQuery {
    /// Words that have to be there, in command, reasons or names.
    #[serde(default)]
    pub text: Option<String>,
    /// Only this board's.
    #[serde(default)]
    pub board: Option<BoardId>,
    /// Only with this verdict.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Only decided on this word.
    #[serde(default)]
    pub source: Option<DecisionSource>,
    /// Only entries older than this number.
    #[serde(default)]
    pub before: Option<u64>,
    /// How many at most (1 to 200; 50 where not given).
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A page of entries, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JournalPage {
    /// The entries.
    pub entries: Vec<Entry>,
    /// What to give as `before` for the next page; nothing at the end.
    pub next: Option<u64>,
}
