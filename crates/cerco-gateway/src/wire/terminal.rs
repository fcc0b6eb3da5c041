//! The person's own terminals. The filter and the sandbox don't apply to them, and no
//! agent's door knows a word of these.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EntryId, SaidId, ShownText, TerminalId};

/// One tab of the panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Terminal {
    /// Its id.
    pub id: TerminalId,
    /// The shell's name; safe to show.
    pub shell: String,
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// How its shell ended; nothing while it runs.
    pub ended: Option<u32>,
}

/// The body of `POST /api/terminals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct OpenTerminal {
    /// A name of [`super::Snapshot::shells`].
    pub shell: String,
    /// The folder to start in, absolute; nothing: the person's home.
    #[serde(default)]
    pub folder: Option<String>,
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

/// What the page says over `/api/terminals/{id}/io`. Output comes back as binary messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum TerminalMessage {
    /// The first message, within five seconds: the page's key.
    Hello {
        /// The key.
        key: String,
    },
    /// Keys the person typed or pasted.
    Input {
        /// The text.
        data: String,
    },
    /// The panel's size changed.
    Resize {
        /// Columns.
        columns: u16,
        /// Rows.
        rows: u16,
    },
    /// So many bytes of output were drawn; the shell is paused while more than 256 KiB are not.
    Drawn {
        /// Bytes.
        bytes: u64,
    },
}

/// What the gateway says beside the output, as text messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TerminalEvent {
    /// What follows as the first binary messages is scrollback.
    Scrollback {
        /// How many bytes of it.
        bytes: u64,
    },
    /// The shell ended.
    Ended {
        /// Its status.
        code: u32,
    },
}

/// The body of `POST /api/terminals/{id}/insert`. The gateway takes the text from its own
/// record: a page that was tricked can't send other text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct InsertRequest {
    /// Whose text goes on the input line.
    pub from: InsertSource,
    /// Whether the person has seen the preview.
    pub confirmed: bool,
}

/// Where the text is that goes on the input line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum InsertSource {
    /// The command of an entry.
    Entry(EntryId),
    /// A code block of a chat answer.
    Code {
        /// The answer.
        said: SaidId,
        /// Its place in the answer's blocks.
        block: u32,
    },
}

/// What became of "Run in terminal".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum InsertResult {
    /// The text is on the input line. Nothing ran: the person presses Enter.
    Inserted,
    /// The text wraps or has hidden characters: show this and ask first.
    Preview {
        /// The text.
        command: ShownText,
    },
    /// It can't be put there safely.
    Refused {
        /// A name that stays the same.
        id: InsertRefusal,
        /// Why, and what to do instead; safe to show.
        text: String,
        /// For copying by hand.
        command: ShownText,
    },
}

/// Why a text is not put on the input line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InsertRefusal {
    /// It has a control character.
    ControlCharacters,
    /// It has several lines and the shell has no bracketed paste.
    SeveralLines,
    /// A program runs in the terminal: its input would get the text.
    ProgramRuns,
    /// It is longer than a line editor takes.
    TooLong,
    /// No way is known to be safe in this shell.
    NoSafeWay,
    /// The terminal has ended.
    Ended,
    /// Secrets in it were masked in the journal: what is left is not the command.
    Masked,
}
