//! Signing in, and what goes wrong.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Snapshot;

/// The body of `POST /api/session`: the one-time code from the address's fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// The code. It works once, within 60 seconds.
    pub code: String,
}

/// The answer of `POST /api/session` and, for a page loaded again, of `POST /api/page`.
/// The cookie comes beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PageKey {
    /// Goes into the header `x-cerco-page` of every request that follows.
    pub key: String,
    /// All the page needs to draw itself, so that it waits for one answer and not for three.
    pub state: Snapshot,
}

/// Every refusal and failure of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Problem {
    /// A name that stays the same (`wrong_host`, `not_found`), for tests and translations.
    pub id: String,
    /// What is wrong and what to do; safe to show.
    pub text: String,
}
