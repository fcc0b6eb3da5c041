//! Settings and readiness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person can set (`GET` and `PUT /api/settings`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// "Sandbox agent commands".
    pub sandbox: bool,
    /// The backend that holds them.
    pub backend: Backend,
    /// Whether commands in the sandbox reach package registries.
    pub network: NetworkSetting,
    /// Whether the project's secret-looking files are hidden inside the sandbox.
    pub hide_secrets: bool,
    /// How long an ask waits, in seconds (10 to 3600).
    pub ask_seconds: u32,
    /// How long journal entries are kept, in days; 0 keeps them.
    pub retention_days: u32,
    /// The page's language.
    pub language: Language,
}

/// What the operating system offers to hold a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Linux.
    Bubblewrap,
    /// macOS.
    SandboxExec,
    /// Windows, through a Linux distribution.
    Wsl,
    /// Any system with Docker.
    Docker,
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bubblewrap, Self::SandboxExec, Self::Wsl, Self::Docker];

    /// Why this Cerco can't use it, whatever is installed; nothing where it can.
    #[must_use]
    pub const fn unsupported(self) -> Option<&'static str> {
        match self {
            Self::Bubblewrap => None,
            Self::SandboxExec => Some("for macOS; this Cerco can't use it yet"),
            Self::Wsl => Some("for Windows; this Cerco can't use it yet"),
            Self::Docker => Some("this Cerco can't run commands in Docker yet"),
        }
    }
}

/// The network of commands in the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NetworkSetting {
    /// None.
    Off,
    /// Package registries only, through the proxy.
    RegistriesOnly,
}

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// What the browser says.
    Auto,
    /// English.
    En,
    /// Spanish.
    Es,
}

/// Whether a backend can be used here and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Readiness {
    /// The backend.
    pub backend: Backend,
    /// How it stands.
    pub state: ReadinessState,
    /// What was found (`bubblewrap 0.9.0`); safe to show.
    pub found: Option<String>,
    /// The one step that fixes it.
    pub step: Option<Step>,
}

/// How a backend stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReadinessState {
    /// The real profile really started.
    Ready,
    /// A part is missing.
    Missing,
    /// It is there but something stops it.
    Blocked,
    /// It could not be found out.
    Unknown,
    /// This Cerco has no code for it, whatever is installed.
    Unsupported,
}

/// The one step that makes a backend ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Step {
    /// A name that stays the same, for tests and translations.
    pub id: String,
    /// What to do; safe to show.
    pub text: String,
    /// The exact command to copy. Cerco never runs it.
    pub command: Option<String>,
}
