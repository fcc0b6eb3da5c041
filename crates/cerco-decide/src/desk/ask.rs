//! The question to a person, and what can come of it.

use std::time::Duration;

use cerco_model::Kind;
use serde::Serialize;

use crate::{Moment, Permit, Request};

/// Names an ask; later asks have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct AskId(pub u64);

/// Names a window; unique while the desk lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct WindowId(pub u64);

/// One kind that an ask asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskKind {
    /// The kind.
    pub kind: Kind,
    /// Whether "always" may be ticked for it.
    pub grantable: bool,
    /// Whether a grant already covers it (another kind of the command is why it is asked).
    pub granted: bool,
}

/// A question that waits for an answer.
#[derive(Clone, Debug)]
pub struct Ask {
    pub(crate) id: AskId,
    pub(crate) request: Request,
    pub(crate) kinds: Vec<AskKind>,
    pub(crate) since: Moment,
    pub(crate) since_unix_ms: u64,
    pub(crate) deadline: Moment,
    pub(crate) refused_before: u32,
}

impl Ask {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> AskId {
        self.id
    }
    /// What is asked about.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }
    /// Everything that would be allowed, all in this one ask.
    #[must_use]
    pub fn kinds(&self) -> &[AskKind] {
        &self.kinds
    }
    /// When it was asked, in milliseconds since 1970.
    #[must_use]
    pub fn since_unix_ms(&self) -> u64 {
        self.since_unix_ms
    }
    /// How long it has waited.
    #[must_use]
    pub fn waited(&self, now: Moment) -> Duration {
        now.since(self.since)
    }
    /// How long it still waits.
    #[must_use]
    pub fn time_left(&self, now: Moment) -> Duration {
        self.deadline.since(now)
    }
    /// How often this bubble's very same text was refused or denied before.
    #[must_use]
    pub fn refused_before(&self) -> u32 {
        self.refused_before
    }
    /// Whether the bubble keeps trying (three times refused): the person is offered to stop it.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.refused_before >= 3
    }
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run it this once.
    AllowOnce,
    /// Run it, and don't ask for the ticked kinds again in this session.
    AllowAlways {
        /// The ticked kinds: exactly these become grants.
        ticked: Vec<Kind>,
    },
    /// Don't run it.
    Deny {
        /// Words to the agent.
        note: Option<String>,
    },
    /// Run this text instead, if it passes every layer anew.
    Edit {
        /// The text.
        text: String,
    },
}

/// Why an answer does not count. The ask waits on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRefused {
    /// No such ask, or it was settled long ago.
    #[error("there is no such ask")]
    Unknown,
    /// Somebody or something was first.
    #[error("it was settled already{}", if *.by_window { " in another window" } else { "" })]
    Settled {
        /// Whether a person in another window did.
        by_window: bool,
    },
    /// The window is closed, silent for too long, or of another board.
    #[error("this window is not open for that board")]
    NoWindow,
    /// A person can't have read it: allowed under 400 ms after it was shown, or 300 ms
    /// after the answer before.
    #[error("answered faster than a person reads; look at the command and answer again")]
    TooFast,
    /// "Always" for a kind that the ask doesn't show or that can't be remembered.
    #[error("\"always\" is not offered for: {}", .0.as_str())]
    NotOffered(Kind),
}

/// Why nobody's answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoAnswer {
    /// No window of the board was open.
    NoWindow,
    /// The time was up.
    Timeout,
    /// The bubble took it back.
    Withdrawn,
}

/// How an ask ended.
#[derive(Debug)]
pub enum Settled {
    /// It may run. Boxed: it is the whole request.
    Allowed(Box<Permit>),
    /// A person said no.
    Denied {
        /// Words to the agent.
        note: Option<String>,
    },
    /// Nobody answered; refused.
    Unanswered(NoAnswer),
    /// A person changed the text: judge this and submit it anew. Nothing is cleared.
    Edited {
        /// The new text.
        text: String,
    },
}
