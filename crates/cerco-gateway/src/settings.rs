//! What a person set, for all projects: `config.toml` in the configuration folder.
//!
//! Never read from a project: a cloned repository must not loosen anything.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::toml_file::{self, FileError};
use crate::wire::{Backend, Language, NetworkSetting};

/// The settings, each with the value it has where the file says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// "Sandbox agent commands".
    pub sandbox: bool,
    /// The backend that holds them.
    pub backend: Backend,
    /// Whether commands in the sandbox reach package registries.
    pub network: NetworkSetting,
    /// Whether a project's secret-looking files are hidden inside the sandbox, where nothing
    /// else was chosen for it.
    pub hide_secrets: bool,
    /// How long an ask waits, in seconds (10 to 3600).
    pub ask_seconds: u32,
    /// How long journal entries are kept, in days; 0 keeps them.
    pub retention_days: u32,
    /// The page's language.
    pub language: Language,
    /// Hosts that commands may name besides the public registries, lower case; a leading
    /// `*.` covers subdomains.
    pub allowed_hosts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sandbox: false,
            backend: if cfg!(windows) {
                Backend::Wsl
            } else if cfg!(target_os = "macos") {
                Backend::SandboxExec
            } else {
                Backend::Bubblewrap
            },
            network: NetworkSetting::Off,
            hide_secrets: false,
            ask_seconds: 120,
            retention_days: 90,
            language: Language::Auto,
            allowed_hosts: Vec::new(),
        }
    }
}

impl Settings {
    /// The file in the configuration folder.
    #[must_use]
    pub fn path(config: &Path) -> PathBuf {
        config.join("config.toml")
    }

    /// Reads the file; the values above where there is none.
    pub fn load(config: &Path) -> Result<Self, FileError> {
        let path = Self::path(config);
        let Some(text) = toml_file::read(&path)? else {
            return Ok(Self::default());
        };
        Self::parse(&path, &text)
    }

    /// Reads the text of the file at `path`.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let settings: Self = toml_file::parse(path, text)?;
        settings.check(path, text)?;
        Ok(settings)
    }

    fn check(&self, path: &Path, text: &str) -> Result<(), FileError> {
        let wrong = |key: &str, what: String| FileError::Wrong {
            path: path.to_path_buf(),
            line: 1 + text
                .lines()
                .position(|line| line.trim_start().starts_with(key))
                .unwrap_or_default(),
            what,
            hint: None,
        };
        if !(10..=3600).contains(&self.ask_seconds) {
            let what = format!(
                "`ask_seconds` is {}; 10 to 3600 make sense",
                self.ask_seconds
            );
            return Err(wrong("ask_seconds", what));
        }
        for host in &self.allowed_hosts {
            let name = host.strip_prefix("*.").unwrap_or(host);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            // `*.com` would open half the internet by a slip.
            if name.is_empty() || !name.chars().all(plain) || !name.contains('.') {
                let what = format!(
                    "`{host}` in `allowed_hosts` is not a host name; write it as `example.com` or `*.example.com`, lower case"
                );
                return Err(wrong("allowed_hosts", what));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Settings, &str>) {
        let path = Path::new("config.toml");
        let got = Settings::parse(path, text).map_err(|e| e.to_string());
        match expected {
            Ok(settings) => assert_eq!(got.unwrap(), settings, "{text}"),
            Err(part) => {
                let error = got.unwrap_err();
                assert!(error.contains(part), "{error}");
            }
        }
    }

    #[test]
    fn the_file_says_what_differs() {
        check("", Ok(Settings::default()));
        check(
            "sandbox = true\nallowed_hosts = [\"*.corp.example\"]",
            Ok(Settings {
                sandbox: true,
                allowed_hosts: vec!["*.corp.example".into()],
                ..Settings::default()
            }),
        );
        check(
            "\nask_secnds = 3",
            Err("line 2: unknown field `ask_secnds`"),
        );
        check("\nask_seconds = 3", Err("line 2: `ask_seconds` is 3"));
        check(
            "allowed_hosts = [\"*.com\"]",
            Err("`*.com` in `allowed_hosts`"),
        );
        check(
            "allowed_hosts = [\"https://a.b\"]",
            Err("is not a host name"),
        );
        check("backend = \"chroot\"", Err("unknown variant `chroot`"));
    }
}
