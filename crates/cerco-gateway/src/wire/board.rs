//! Boards, loops, bubbles, roles, grants and Full Auto.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskCard, BoardId, BubbleId, EntryId, GrantId, LoopId, Millis, Readiness, Settings};
use super::{JournalPage, NetworkSetting, Said, Terminal, WindowId};

/// All a page needs to draw itself: the answer of `GET /api/state`, and part of the answer
/// to signing in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Snapshot {
    /// The version of these types.
    pub schema_version: u32,
    /// The version of Cerco.
    pub version: String,
    /// The events after this number complete the snapshot. Where [`super::Event::Welcome`]
    /// names the same number, nothing happened in between.
    pub event: u64,
    /// The clock of the gateway.
    pub now: Millis,
    /// Since when it runs; grants never survive a start.
    pub started_at: Millis,
    /// The boards, newest opened first.
    pub boards: Vec<Board>,
    /// Open asks of all boards, oldest first.
    pub asks: Vec<AskCard>,
    /// The newest entries of all boards, newest first.
    pub log: JournalPage,
    /// The newest chat answers of all boards, newest first.
    pub said: Vec<Said>,
    /// The settings.
    pub settings: Settings,
    /// What each backend says.
    pub readiness: Vec<Readiness>,
    /// The roles that exist.
    pub roles: Vec<Role>,
    /// The person's terminals.
    pub terminals: Vec<Terminal>,
    /// The shells a terminal can be opened with; the first is the person's own.
    pub shells: Vec<String>,
}

/// One project as the gateway sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Board {
    /// Its id.
    pub id: BoardId,
    /// Its name (the project folder's own name); safe to show. Full Auto is switched on by typing it.
    pub name: String,
    /// The project's folder; safe to show.
    pub project: String,
    /// Its loops; a nested loop names its parent.
    pub loops: Vec<Loop>,
    /// Full Auto.
    pub full_auto: FullAuto,
    /// The network of its commands in the sandbox; nothing: as the settings say.
    pub network: Option<NetworkSetting>,
    /// Whether the project's secret-looking files are hidden from them; nothing: as the
    /// settings say.
    pub hide_secrets: Option<bool>,
    /// What was allowed for this session.
    pub grants: Vec<Grant>,
}

/// The switch that turns every asked into allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FullAuto {
    /// Whether it is on.
    pub on: bool,
    /// Since when.
    pub since: Option<Millis>,
    /// How many asks it allowed since then.
    pub allowed: u64,
}

/// A piece of work with a folder of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Loop {
    /// Its id.
    pub id: LoopId,
    /// The loop whose folder it lies in.
    pub parent: Option<LoopId>,
    /// Its name; safe to show.
    pub name: String,
    /// Its folder, relative to the project; safe to show.
    pub folder: String,
    /// Its bubbles.
    pub bubbles: Vec<Bubble>,
}

/// One agent at work in a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Bubble {
    /// Its id.
    pub id: BubbleId,
    /// Its name; safe to show.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The host that drives it, as it calls itself; safe to show.
    pub host: Option<String>,
    /// What it does.
    pub state: BubbleState,
    /// Its running commands.
    pub runs: Vec<EntryId>,
}

/// What a bubble does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BubbleState {
    /// Nothing.
    Idle,
    /// It waits for a person.
    Waiting,
    /// A command runs.
    Running,
    /// It was ended.
    Ended,
}

/// The tools of SPEC §2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// List, read and search files of the loop.
    ReadFiles,
    /// Write, edit, move and delete files of the loop.
    WriteFiles,
    /// Run commands.
    RunCommands,
}

/// A named, fixed set of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Role {
    /// Its name; safe to show.
    pub name: String,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// Whether its tools are fixed by the product.
    pub built_in: bool,
}

/// An "Allow always this session".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// The kind it covers.
    pub kind: String,
    /// When it was given.
    pub given_at: Millis,
    /// By which window.
    pub window: WindowId,
    /// How often it was used.
    pub used: u64,
}

/// The body of `POST /api/boards`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct OpenBoard {
    /// The project's folder, absolute.
    pub project: String,
}

/// The body of `POST /api/boards/{id}/loops`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct CreateLoop {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the project. It has to exist.
    pub folder: String,
}

/// The body of `POST /api/loops/{id}/bubbles`: a role, or a name with tools of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct CreateBubble {
    /// The bubble's name.
    pub name: String,
    /// A role by its name, or tools that a person picked.
    pub tools: BubbleTools,
}

/// Where a new bubble's tools come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BubbleTools {
    /// A built-in role.
    Role(String),
    /// Picked one by one.
    Custom(Vec<Tool>),
}

/// The body of `PUT /api/boards/{id}/network`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SetNetwork {
    /// The network of the board's commands in the sandbox; null: as the settings say.
    pub network: Option<NetworkSetting>,
}

/// The body of `PUT /api/boards/{id}/hide-secrets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SetHideSecrets {
    /// Whether the project's secret-looking files are hidden from the board's commands in the
    /// sandbox; null: as the settings say.
    pub hide_secrets: Option<bool>,
}

/// The body of `PUT /api/boards/{id}/full-auto`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SetFullAuto {
    /// On or off.
    pub on: bool,
    /// To switch it on: the board's name, as the person typed it.
    #[serde(default)]
    pub typed: Option<String>,
    /// The window.
    pub window: WindowId,
}
