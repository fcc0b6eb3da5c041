//! What the layers say of a command, as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The three verdicts, in order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// May run without a question.
    Allowed,
    /// Runs only when a person, a grant or Full Auto says so.
    Asked,
    /// Never runs.
    Refused,
}

impl Verdict {
    /// The stricter of two.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        match (self, other) {
            (Self::Refused, _) | (_, Self::Refused) => Self::Refused,
            (Self::Asked, _) | (_, Self::Asked) => Self::Asked,
            (Self::Allowed, Self::Allowed) => Self::Allowed,
        }
    }
}

impl From<cerco_model::Verdict> for Verdict {
    fn from(verdict: cerco_model::Verdict) -> Self {
        match verdict {
            cerco_model::Verdict::Allowed => Self::Allowed,
            cerco_model::Verdict::Asked => Self::Asked,
            cerco_model::Verdict::Refused => Self::Refused,
        }
    }
}

/// A piece of text that may be shown as it is: hidden characters are already replaced by
/// visible marks (`␛`, `⟦U+202E⟧`, `⏎`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Piece {
    /// What to show.
    pub text: String,
    /// Whether it stands for a character that would not be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub hidden: bool,
    /// The findings whose part this belongs to, by their place in `findings`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<u32>>"))]
    pub findings: Vec<u32>,
}

/// A whole text in pieces, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ShownText {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Whether any piece is a mark for a hidden character (the card wears a badge then).
    pub has_hidden: bool,
    /// How many bytes of the text were left out at the end (0: none).
    pub left_out: u64,
}

/// A span of the command's text in bytes: `start` inclusive, `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl From<cerco_model::Part> for Span {
    fn from(part: cerco_model::Part) -> Self {
        Self {
            start: part.start,
            end: part.end,
        }
    }
}

/// One reason why a command is asked about or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Finding {
    /// The rule's id (`git-change`, `custom:no-terraform`).
    pub rule: String,
    /// What it alone would make of the command.
    pub verdict: Verdict,
    /// The part of the text that decided.
    pub part: Span,
    /// One sentence a person understands; safe to show.
    pub reason: String,
    /// What to do instead; safe to show.
    pub remedy: Option<String>,
    /// For asked findings, what a grant would cover.
    pub kind: Option<String>,
}

/// One program the command would start: a row of the card's parts list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProgramRow {
    /// The program with its arguments; safe to show.
    pub text: String,
    /// The worst verdict of the findings inside its part.
    pub verdict: Verdict,
    /// The part of the text that starts it.
    pub part: Span,
}

/// One line of "explain": tools → filter → grants → sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExplainLine {
    /// The layer.
    pub layer: Layer,
    /// What it made of the command.
    pub verdict: Verdict,
    /// Why, in one sentence; safe to show.
    pub text: String,
}

/// The layers of the chain, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The tools of the bubble's role.
    Tools,
    /// The command filter.
    Filter,
    /// Grants and Full Auto.
    Grants,
    /// The sandbox.
    Sandbox,
}

/// What the layers say of one command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Judged {
    /// The worst of the findings.
    pub verdict: Verdict,
    /// The command, ready to show.
    pub command: ShownText,
    /// Why.
    pub findings: Vec<Finding>,
    /// Every program it would start.
    pub programs: Vec<ProgramRow>,
    /// The kinds that would be asked for.
    pub kinds: Vec<String>,
}
