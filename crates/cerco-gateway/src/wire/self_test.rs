//! What came of trying to get out of the sandbox on the person's own machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Readiness;

/// The answer of `POST /api/self-test`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SelfTest {
    /// Whether everything that was tried holds, and something was tried.
    pub holds: bool,
    /// Each thing that must hold; empty where nothing could be tried.
    pub outcomes: Vec<SelfTestOutcome>,
    /// Why nothing could be tried, with the one step that changes it.
    pub not_ready: Option<Readiness>,
}

/// One thing that must hold, and whether it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SelfTestOutcome {
    /// A name that stays the same, for tests and translations: `files.project`.
    pub id: String,
    /// The protection it belongs to: `files`, `secrets`, `network`, `processes`, `kernel`,
    /// `limits`, `git`, or `works` for ordinary jobs.
    pub protection: String,
    /// What must hold, as a sentence; safe to show.
    pub what: String,
    /// Whether it does.
    pub state: SelfTestState,
    /// What was found where it doesn't; empty where it does; safe to show.
    pub found: String,
}

/// Whether a thing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SelfTestState {
    /// Every attempt was stopped, or the job was done.
    Holds,
    /// An attempt got through, or an ordinary job could not be done.
    Broken,
    /// It could not be tried, so nobody knows.
    Unknown,
}
