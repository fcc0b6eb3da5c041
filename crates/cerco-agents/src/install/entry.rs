//! What our entry looks like in each host's settings, and how to know it again.
//!
//! An entry of ours is one whose command ends in `hook HOST`, whatever program path and
//! options stand around it: that is how an older one is found and replaced.

use std::path::{Path, PathBuf};

use super::InstallError;
use super::json::Json;
use crate::hook::{Asks, Host, Mode, quote};

/// How the hook is to be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The absolute path of the program `cerco`.
    pub program: String,
    /// Who asks a person.
    pub asks: Asks,
    /// What becomes of a command that may run.
    pub mode: Mode,
    /// The role of the host's bubble.
    pub role: Option<String>,
    /// How long a person has to answer, in seconds. The host waits 30 s longer, the hook
    /// itself 10 s, so that it is always the hook that ends it.
    pub ask_seconds: u64,
}

impl Setup {
    pub(super) fn rewrites(&self) -> bool {
        self.mode == Mode::Rewrite
    }

    fn words(&self, host: Host) -> Vec<String> {
        let mut words: Vec<String> = ["hook", host.word()].map(String::from).to_vec();
        if self.asks == Asks::Host {
            words.push("--host-asks".into());
        }
        if self.rewrites() {
            words.push("--rewrite".into());
        }
        if let Some(role) = &self.role {
            words.push("--role".into());
            words.push(role.clone());
        }
        words
    }

    fn line(&self, host: Host) -> String {
        let words = std::iter::once(self.program.clone()).chain(self.words(host));
        words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
    }

    fn host_seconds(&self) -> u64 {
        self.ask_seconds.saturating_add(30)
    }
}

/// Where a host keeps its hooks: in `home` for all projects, or in a project.
#[must_use]
pub fn path(host: Host, home: &Path, project: Option<&Path>) -> PathBuf {
    let base = project.unwrap_or(home);
    let name = match (host, project) {
        // The person's own file in a project, which isn't shared with others.
        (Host::Claude, Some(_)) => ".claude/settings.local.json",
        (Host::Claude, None) => ".claude/settings.json",
        (Host::Codex, _) => ".codex/hooks.json",
        (Host::Gemini, _) => ".gemini/settings.json",
        (Host::Cursor, _) => ".cursor/hooks.json",
        (Host::Copilot, Some(_)) => ".github/hooks/cerco-copilot.json",
        (Host::Copilot, None) => ".copilot/hooks/cerco-copilot.json",
        (Host::VsCode, Some(_)) => ".github/hooks/cerco-vscode.json",
        (Host::VsCode, None) => ".copilot/hooks/cerco-vscode.json",
    };
    base.join(name)
}

/// The events of a host that we answer, with the tools at which it calls us.
fn events(host: Host) -> &'static [(&'static str, &'static str)] {
    match host {
        Host::Claude => &[(
            "PreToolUse",
            "Bash|PowerShell|Read|Write|Edit|MultiEdit|NotebookEdit",
        )],
        Host::Codex => &[
            ("PreToolUse", "Bash|apply_patch"),
            ("PermissionRequest", "Bash|apply_patch"),
        ],
        Host::Gemini => &[(
            "BeforeTool",
            "run_shell_command|read_file|read_many_files|write_file|replace",
        )],
        // Its shell event can't replace the input; the tool event can, and covers files.
        Host::Cursor => &[("preToolUse", "Shell|Read|Write|Edit|Delete")],
        Host::Copilot => &[("preToolUse", "")],
        Host::VsCode => &[("PreToolUse", "")],
    }
}

fn entry(host: Host, matcher: &str, setup: &Setup) -> Json {
    let line = Json::text(setup.line(host));
    let seconds = Json::number(setup.host_seconds());
    let wrapped = |hook: Json| {
        Json::object([
            ("matcher", Json::text(matcher)),
            ("hooks", Json::List(vec![hook])),
        ])
    };
    match host {
        Host::Claude => wrapped(Json::object([
            ("type", Json::text("command")),
            ("command", Json::text(&setup.program)),
            (
                "args",
                Json::List(setup.words(host).into_iter().map(Json::Text).collect()),
            ),
            ("timeout", seconds),
            ("onFailure", Json::text("block")),
            ("statusMessage", Json::text("Cerco checks the command")),
        ])),
        Host::Codex => wrapped(Json::object([
            ("type", Json::text("command")),
            ("command", line),
            ("timeout", seconds),
        ])),
        Host::Gemini => wrapped(Json::object([
            ("type", Json::text("command")),
            ("command", line),
            ("name", Json::text("cerco")),
            // This host counts milliseconds.
            (
                "timeout",
                Json::number(setup.host_seconds().saturating_mul(1000)),
            ),
        ])),
        Host::Cursor => Json::object([
            ("command", line),
            ("matcher", Json::text(matcher)),
            ("timeout", seconds),
            ("failClosed", Json::Bool(true)),
        ]),
        Host::Copilot => Json::object([
            ("type", Json::text("command")),
            ("bash", line),
            ("timeoutSec", seconds),
        ]),
        Host::VsCode => Json::object([
            ("type", Json::text("command")),
            ("command", line),
            ("timeout", seconds),
        ]),
    }
}

pub(super) fn add(host: Host, json: &mut Json, setup: &Setup) -> Result<(), InstallError> {
    if matches!(host, Host::Cursor | Host::Copilot) {
        json.entry("version", Json::number(1))
            .ok_or_else(|| shape("the file"))?;
    }
    for (event, matcher) in events(host) {
        let hooks = json
            .entry("hooks", Json::Object(Vec::new()))
            .ok_or_else(|| shape("the file"))?;
        let list = hooks
            .entry(event, Json::List(Vec::new()))
            .ok_or_else(|| shape("hooks"))?;
        let list = list.list_mut().ok_or_else(|| shape(event))?;
        list.push(entry(host, matcher, setup));
    }
    Ok(())
}

/// Takes every entry of ours out, and what is empty afterwards because of that. Returns
/// the hooks taken out, each with its event.
pub(super) fn remove(host: Host, json: &mut Json) -> Result<Vec<(String, Json)>, InstallError> {
    let mut taken = Vec::new();
    let Some(hooks) = json.get_mut("hooks") else {
        return Ok(taken);
    };
    let Json::Object(by_event) = hooks else {
        return Err(shape("hooks"));
    };
    by_event.retain_mut(|(event, list)| {
        let Some(list) = list.list_mut() else {
            return true;
        };
        let before = taken.len();
        let mut take = |hook: &Json| {
            let ours = is_ours(host, hook);
            if ours {
                taken.push((event.clone(), hook.clone()));
            }
            !ours
        };
        list.retain_mut(
            |item| match item.get_mut("hooks").and_then(Json::list_mut) {
                Some(inner) => {
                    let count = inner.len();
                    inner.retain(&mut take);
                    // A group that was empty before isn't ours to clean up.
                    !inner.is_empty() || inner.len() == count
                }
                None => take(item),
            },
        );
        !list.is_empty() || taken.len() == before
    });
    if !taken.is_empty() && hooks.is_empty() {
        json.remove("hooks");
    }
    Ok(taken)
}

/// Whether a hook runs `cerco hook HOST`.
fn is_ours(host: Host, hook: &Json) -> bool {
    let args = match hook.get("args") {
        Some(Json::List(args)) => args
            .iter()
            .filter_map(Json::as_text)
            .collect::<Vec<_>>()
            .join(" "),
        _ => String::new(),
    };
    let mark = format!(" hook {}", host.word());
    ["command", "bash"]
        .iter()
        .filter_map(|key| hook.get(key).and_then(Json::as_text))
        .any(|command| {
            let line = format!("{command} {args}");
            let Some(at) = line.find(&mark) else {
                return false;
            };
            let (program, rest) = line.split_at(at);
            let rest = rest.strip_prefix(mark.as_str()).unwrap_or_default();
            let name = program
                .trim_matches(['\'', '"'])
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or_default();
            matches!(name, "cerco" | "cerco.exe") && (rest.is_empty() || rest.starts_with(' '))
        })
}

fn shape(key: &str) -> InstallError {
    InstallError::Shape {
        key: key.to_owned(),
    }
}
