//! Why Cerco itself stops: words with a next step, and the exit code.

use std::fmt::Display;

/// The exit codes of SPEC §4 that Cerco itself gives.
pub(crate) mod code {
    pub(crate) const NOT_UP: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const CHECK_REFUSED: u8 = 3;
    pub(crate) const CHECK_ASKED: u8 = 4;
    pub(crate) const FAILED: u8 = 125;
    pub(crate) const REFUSED: u8 = 126;
}

/// A stop.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    /// Nothing where there is nobody to tell.
    pub(crate) what: Option<String>,
}

impl Failure {
    /// What the caller said is wrong.
    pub(crate) fn usage(what: impl Display) -> Self {
        Self {
            code: code::USAGE,
            what: Some(what.to_string()),
        }
    }

    /// Cerco, its files or the sandbox failed.
    pub(crate) fn own(what: impl Display) -> Self {
        Self {
            code: code::FAILED,
            what: Some(what.to_string()),
        }
    }

    /// The reader of our output went away.
    pub(crate) fn quiet() -> Self {
        Self {
            code: 0,
            what: None,
        }
    }
}
