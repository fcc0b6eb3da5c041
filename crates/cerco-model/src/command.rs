//! The text a bubble wants to run.

use serde::{Deserialize, Serialize};

/// The longest command text that is read, in bytes (READER.md §9.3). Longer text is refused.
pub const MAX_COMMAND_BYTES: usize = 1 << 20;

/// The language a command is written in: that of the shell which will run it, never a guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// bash.
    #[default]
    #[serde(alias = "posix")]
    Bash,
    /// A plain POSIX shell: dash, busybox ash, `/bin/sh`.
    Sh,
    /// `PowerShell`, both 5.1 and 7.
    PowerShell,
    /// Windows' `cmd.exe`.
    Cmd,
}

impl Dialect {
    /// Whether paths and names follow Windows.
    #[must_use]
    pub fn is_windows(self) -> bool {
        matches!(self, Self::PowerShell | Self::Cmd)
    }
}

/// Why a text can't be a command at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Over [`MAX_COMMAND_BYTES`].
    #[error(
        "the command is {bytes} bytes long; at most {MAX_COMMAND_BYTES} are read. Put it in a script file and run that"
    )]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// No process can be started with a NUL byte in an argument.
    #[error("the command has a NUL byte at byte {at}; remove it")]
    Nul {
        /// Offset of the first one.
        at: usize,
    },
    /// Shown text and run text could differ.
    #[error("the command is not UTF-8 (byte {at}); write it in UTF-8")]
    NotUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
}

/// A command's text: UTF-8, without NUL, at most [`MAX_COMMAND_BYTES`] long.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Command {
    text: String,
    dialect: Dialect,
}

impl Command {
    /// Checks the bytes and keeps them.
    pub fn new(bytes: Vec<u8>, dialect: Dialect) -> Result<Self, CommandError> {
        if bytes.len() > MAX_COMMAND_BYTES {
            return Err(CommandError::TooLong { bytes: bytes.len() });
        }
        let text = String::from_utf8(bytes).map_err(|e| CommandError::NotUtf8 {
            at: e.utf8_error().valid_up_to(),
        })?;
        if let Some(at) = text.bytes().position(|b| b == 0) {
            return Err(CommandError::Nul { at });
        }
        Ok(Self { text, dialect })
    }

    /// The text, exactly as it will run.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The language of the shell that will run it.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
}
