//! Live events: what a window gets and says over its WebSocket `/api/events`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskCard, AskId, AskState, Board, BoardId, Entry, Millis, OutputChunk, Readiness};
use super::{Said, Settings, Terminal, WindowId};

/// An event with its number. A gap in the numbers can't happen: a window that falls behind
/// gets [`Event::Resync`] and loads the state anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Numbered {
    /// Its number; grows by one.
    pub number: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What a window gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first message: the window is present from now on.
    Welcome {
        /// The window's id, for its answers.
        window: WindowId,
        /// How often a `beat` has to come, in milliseconds.
        beat_ms: u64,
        /// The events after this number come over this connection.
        event: u64,
    },
    /// A board is new or changed (loops, bubbles, grants, Full Auto).
    BoardChanged {
        /// How it is now.
        board: Board,
    },
    /// A board was closed.
    BoardClosed {
        /// Which.
        board: BoardId,
    },
    /// A new ask, or one that changed (more time, an edited command).
    Ask {
        /// The card.
        card: Box<AskCard>,
    },
    /// An ask is settled.
    AskSettled {
        /// Which.
        ask: AskId,
        /// How.
        state: AskState,
    },
    /// A journal entry is new or changed.
    Entry {
        /// How it is now.
        entry: Box<Entry>,
    },
    /// A bubble said something.
    Said {
        /// What.
        said: Box<Said>,
    },
    /// Output of a running command.
    Output {
        /// The cleaned text.
        chunk: OutputChunk,
    },
    /// Settings changed.
    SettingsChanged {
        /// How they are now.
        settings: Settings,
    },
    /// Readiness was looked at again.
    ReadinessChanged {
        /// What each backend says.
        readiness: Vec<Readiness>,
    },
    /// The Docker image came, or is a step nearer.
    DockerImageChanged {
        /// How it stands now.
        image: super::DockerImage,
    },
    /// A terminal is new, changed or gone.
    TerminalsChanged {
        /// All that are left.
        terminals: Vec<Terminal>,
    },
    /// Somebody tried what only a person may do: an answer by a process that descends from
    /// a command or a host, or a burst of answers.
    Alarm {
        /// When.
        at: Millis,
        /// What happened; safe to show.
        text: String,
    },
    /// Events were dropped for this window: load `GET /api/state` again.
    Resync,
    /// The gateway goes down in good order.
    Goodbye,
}

/// What a window says over the same connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum WindowMessage {
    /// The first message, within five seconds: the page's key.
    Hello {
        /// The key from `POST /api/session` or `POST /api/page`.
        key: String,
    },
    /// The window is still there and visible to a person.
    Beat,
    /// These asks are on the screen now; answers to them count from 400 ms after it.
    Shown {
        /// Which.
        asks: Vec<AskId>,
    },
    /// Send output of these runs (all others are left out).
    Watch {
        /// Which.
        entries: Vec<super::EntryId>,
    },
}
