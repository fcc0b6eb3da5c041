//! Whether a backend can be used here now, and if not, the ONE step that fixes it.
//!
//! Ready means: the real profile was started on `true` and it ran. A version number, a
//! setting or a file that is there proves nothing.

#[cfg(target_os = "linux")]
mod check;
mod table;

use std::fmt;

pub use table::{Failure, System, explain, failures};

#[cfg(target_os = "linux")]
pub(crate) use check::system;
#[cfg(target_os = "linux")]
pub use check::{check, explain_here, not_found};

/// What the operating system offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Linux.
    Bubblewrap,
    /// macOS.
    SandboxExec,
    /// Windows, with bubblewrap in a WSL 2 distribution.
    Wsl,
    /// Anywhere, by choice.
    Docker,
}

impl Backend {
    /// The word for it (SPEC §1).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::SandboxExec => "sandbox-exec",
            Self::Wsl => "wsl",
            Self::Docker => "docker",
        }
    }
}

/// Whether it can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The real profile ran.
    Ready,
    /// It didn't; commands that need the sandbox are refused.
    NotReady,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does, in words.
    pub text: String,
    /// The exact command to copy, where there is one.
    pub command: Option<String>,
}

/// The answer for one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// Which backend.
    pub backend: Backend,
    /// Whether it can be used.
    pub state: State,
    /// What was found, in words.
    pub found: String,
    /// What to do where it isn't ready.
    pub step: Option<Step>,
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.backend.as_str(), self.found)?;
        let Some(step) = &self.step else {
            return Ok(());
        };
        write!(f, ". {}", step.text)?;
        match &step.command {
            Some(command) => write!(f, ":\n  {command}"),
            None => write!(f, "."),
        }
    }
}
