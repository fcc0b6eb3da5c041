//! How a run ended (SPEC §4 "Result").

use std::time::Duration;

use serde::Serialize;

/// How the command's first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It exited with this status.
    Exit(u8),
    /// This signal killed it.
    Signal(u8),
    /// Its time was up and the whole tree was stopped.
    TimedOut,
    /// The caller cancelled it and the whole tree was stopped.
    Cancelled,
    /// The program was not found (127) or could not be executed (126).
    NotStarted(u8),
    /// Cerco or the sandbox failed before or while it ran; nothing ran outside of it.
    Failed,
}

impl Ending {
    /// The exit code that `cerco run` passes on (SPEC §4).
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Exit(code) | Self::NotStarted(code) => code,
            Self::Signal(signal) => 128u8.saturating_add(signal),
            Self::TimedOut => 124,
            Self::Cancelled => 130,
            Self::Failed => 125,
        }
    }
}

/// What was kept of one output stream. Any bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes, where the stream was longer than was kept.
    pub tail: Vec<u8>,
    /// How many bytes between `head` and `tail` were left out.
    pub omitted: u64,
}

/// Resources the whole tree used, as far as the system tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// From program start to its end.
    pub wall: Duration,
    /// User and system time of all waited-for processes.
    pub cpu: Duration,
    /// Largest resident memory of one process, in bytes.
    pub peak_memory: u64,
}

/// What was refused while the command ran: a program start, by the guard; or a connection
/// (`connect`, `host:port`), by the proxy to package registries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GuardRefusal {
    /// The real arguments, the program first.
    pub argv: Vec<String>,
    /// The rule's id.
    pub rule: String,
    /// The reason given on the command's stderr.
    pub reason: String,
}

/// Everything known of a finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What failed, for [`Ending::Failed`] and [`Ending::NotStarted`]: words with a next step.
    pub failure: Option<String>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Resources.
    pub usage: Usage,
    /// What the guard and the proxy refused.
    pub guard_refusals: Vec<GuardRefusal>,
    /// How many processes were still there at the end and had to be stopped.
    pub stopped: u32,
}
