//! Settings and readiness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person can set: the answer of `GET` and `PUT /api/settings`.
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
    /// Whether the project's secret-looking files are hidden inside the sandbox, where a
    /// board says nothing else.
    pub hide_secrets: bool,
    /// How long an ask waits, in seconds (10 to 3600).
    pub ask_seconds: u32,
    /// How long journal entries are kept, in days; 0 keeps them.
    pub retention_days: u32,
    /// The page's language.
    pub language: Language,
}

/// The body of `PUT /api/settings`: what is to change. What isn't named stays as it is, so
/// that two windows that change different things both get their way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(deny_unknown_fields, default)]
pub struct SettingsChange {
    /// "Sandbox agent commands".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// The backend that holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// Whether commands in the sandbox reach package registries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSetting>,
    /// Whether secret-looking files are hidden inside the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_secrets: Option<bool>,
    /// How long an ask waits, in seconds (10 to 3600).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_seconds: Option<u32>,
    /// How long journal entries are kept, in days; 0 keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// The page's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
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
