//! Custom rules, to look at. They are changed in their files, never by the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Verdict;

/// One file with custom rules: an element of the answer of `GET /api/rules`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RuleFile {
    /// Where it is; safe to show.
    pub path: String,
    /// Whose it is.
    pub level: RuleLevel,
    /// Its rules; none where it has errors.
    pub rules: Vec<CustomRule>,
    /// Kinds that it allows without an ask; safe to show.
    pub kinds: Vec<String>,
    /// Hosts that it adds; safe to show.
    pub hosts: Vec<String>,
    /// What is wrong with it. Commands are refused until it is right.
    pub errors: Vec<RuleError>,
}

/// Whose file of rules it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RuleLevel {
    /// The person's own.
    User,
    /// The project's, as the person accepted it: it can only make things stricter.
    Project,
}

/// One rule of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CustomRule {
    /// Its name; safe to show.
    pub id: String,
    /// What it makes of a command.
    pub verdict: Verdict,
    /// The program and the words that follow; safe to show.
    pub about: String,
    /// Why; safe to show.
    pub reason: String,
}

/// What is wrong with a file of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RuleError {
    /// The line, from 1; nothing where the file can't be read at all.
    pub line: Option<usize>,
    /// What is wrong and what would be right; safe to show.
    pub text: String,
}
