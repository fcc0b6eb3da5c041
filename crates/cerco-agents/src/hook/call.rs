//! What a host says on standard input, per host. Unknown tools are nobody's business of
//! ours; a tool we know with an input we don't is trouble, and blocks.

use cerco_model::Dialect;
use serde_json::{Map, Value};

use super::{About, Host, patch};

/// At which point the host calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Before a tool is used, with an input that can be replaced.
    BeforeTool,
    /// Before the host would ask the person.
    Permission,
    /// Cursor's events of one kind each, whose input can't be replaced.
    Fixed,
}

/// What the tool would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Command {
        text: String,
        dialect: Dialect,
    },
    Read(Vec<String>),
    Write(Vec<String>),
    /// Something that neither runs a command nor touches a file of the project.
    Other,
}

/// One call of the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) event: Event,
    pub(super) action: Action,
    pub(super) directory: String,
    pub(super) session: String,
    /// The tool's input as it came, for a reply that replaces it.
    pub(super) input: Map<String, Value>,
}

impl Action {
    pub(super) fn about(&self) -> Option<About<'_>> {
        match self {
            Self::Command { text, dialect } => Some(About::Command {
                text,
                dialect: *dialect,
            }),
            Self::Read(paths) => Some(About::Read(paths)),
            Self::Write(paths) => Some(About::Write(paths)),
            Self::Other => None,
        }
    }
}

pub(super) fn read(host: Host, stdin: &[u8]) -> Result<Call, String> {
    let value: Value =
        serde_json::from_slice(stdin).map_err(|e| format!("the host's input is no JSON: {e}"))?;
    let Value::Object(fields) = value else {
        return Err("the host's input is no JSON object".into());
    };
    match host {
        Host::Cursor => cursor(&fields),
        Host::Copilot => copilot(&fields),
        Host::Claude | Host::Codex | Host::Gemini | Host::VsCode => common(host, &fields),
    }
}

/// Claude Code's shape, which Codex, Gemini and VS Code took over.
fn common(host: Host, fields: &Map<String, Value>) -> Result<Call, String> {
    let event = match (host, text(fields, "hook_event_name")?.as_str()) {
        (Host::Gemini, "BeforeTool")
        | (Host::Claude | Host::Codex | Host::VsCode, "PreToolUse") => Event::BeforeTool,
        (Host::Claude | Host::Codex, "PermissionRequest") => Event::Permission,
        (_, other) => return Err(format!("the event `{other}` is not one this hook answers")),
    };
    let input = object(fields, "tool_input")?;
    let tool = text(fields, "tool_name")?;
    Ok(Call {
        event,
        action: action(host, &tool, &input)?,
        directory: directory(host, fields, &input),
        session: optional(fields, "session_id"),
        input,
    })
}

/// Gemini's shell tool takes a folder of its own, relative to the project.
fn directory(host: Host, fields: &Map<String, Value>, input: &Map<String, Value>) -> String {
    let base = optional(fields, "cwd");
    let own = ["dir_path", "directory"]
        .iter()
        .map(|key| optional(input, key))
        .find(|dir| !dir.is_empty());
    match own {
        Some(dir) if host == Host::Gemini => join(&base, &dir),
        _ => base,
    }
}

fn join(base: &str, dir: &str) -> String {
    if dir.starts_with('/') || base.is_empty() {
        dir.to_owned()
    } else {
        format!("{}/{dir}", base.trim_end_matches('/'))
    }
}

fn cursor(fields: &Map<String, Value>) -> Result<Call, String> {
    let name = text(fields, "hook_event_name")?;
    let mut directory = optional(fields, "cwd");
    if directory.is_empty() {
        // Cursor may leave it empty; the first root is what its terminal starts in.
        let roots = fields.get("workspace_roots").and_then(Value::as_array);
        let root = roots.and_then(|r| r.first()).and_then(Value::as_str);
        root.unwrap_or_default().clone_into(&mut directory);
    }
    let (event, action, input) = match name.as_str() {
        "beforeShellExecution" => {
            let command = Action::Command {
                text: text(fields, "command")?,
                dialect: Dialect::Bash,
            };
            (Event::Fixed, command, Map::new())
        }
        "beforeReadFile" => (
            Event::Fixed,
            Action::Read(vec![text(fields, "file_path")?]),
            Map::new(),
        ),
        "preToolUse" => {
            let input = object(fields, "tool_input")?;
            if let Some(own) = input
                .get("cwd")
                .and_then(Value::as_str)
                .filter(|d| !d.is_empty())
            {
                directory = join(&directory, own);
            }
            let action = action(Host::Cursor, &text(fields, "tool_name")?, &input)?;
            (Event::BeforeTool, action, input)
        }
        other => return Err(format!("the event `{other}` is not one this hook answers")),
    };
    Ok(Call {
        event,
        action,
        directory,
        session: optional(fields, "conversation_id"),
        input,
    })
}

fn copilot(fields: &Map<String, Value>) -> Result<Call, String> {
    let tool = text(fields, "toolName")?;
    // The arguments come as an object or as its JSON text.
    let input = match fields.get("toolArgs") {
        Some(Value::Object(input)) => input.clone(),
        Some(Value::String(json)) => match serde_json::from_str(json) {
            Ok(Value::Object(input)) => input,
            _ => return Err("`toolArgs` is no JSON object".into()),
        },
        _ => return Err("the host's input has no `toolArgs`".into()),
    };
    Ok(Call {
        event: Event::BeforeTool,
        action: action(Host::Copilot, &tool, &input)?,
        directory: optional(fields, "cwd"),
        session: optional(fields, "sessionId"),
        input,
    })
}

/// What a host's tools do, by name. A row: host, names, what they do.
fn action(host: Host, tool: &str, input: &Map<String, Value>) -> Result<Action, String> {
    let command = |dialect| {
        Ok(Action::Command {
            text: text(input, "command")?,
            dialect,
        })
    };
    match (host, tool) {
        (Host::Claude | Host::Codex, "Bash")
        | (Host::Codex, "shell" | "local_shell" | "exec_command")
        | (Host::Gemini, "run_shell_command")
        | (Host::Cursor, "Shell")
        | (Host::Copilot, "bash")
        | (Host::VsCode, "run_in_terminal" | "runInTerminal") => command(Dialect::Bash),
        (Host::Claude, "PowerShell") | (Host::Copilot, "powershell") => {
            command(Dialect::PowerShell)
        }
        (Host::Codex, "apply_patch") => patch::paths(input).map(Action::Write),
        (Host::Claude, "Read" | "NotebookRead")
        | (Host::Gemini, "read_file" | "read_many_files")
        | (Host::Cursor, "Read")
        | (Host::Copilot, "view")
        | (Host::VsCode, "read_file" | "readFile") => paths(input).map(Action::Read),
        (Host::Claude, "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
        | (Host::Gemini, "write_file" | "replace")
        | (Host::Cursor, "Write" | "Edit" | "Delete")
        | (Host::Copilot, "create" | "edit" | "str_replace_editor")
        | (
            Host::VsCode,
            "create_file"
            | "createFile"
            | "replace_string_in_file"
            | "insert_edit_into_file"
            | "editFiles",
        ) => paths(input).map(Action::Write),
        _ => Ok(Action::Other),
    }
}

/// The files a file tool names, under whichever name the host uses.
fn paths(input: &Map<String, Value>) -> Result<Vec<String>, String> {
    const KEYS: [&str; 7] = [
        "file_path",
        "filePath",
        "absolute_path",
        "notebook_path",
        "path",
        "paths",
        "files",
    ];
    let mut paths = Vec::new();
    for key in KEYS {
        match input.get(key) {
            None => {}
            Some(Value::String(path)) => paths.push(path.clone()),
            Some(Value::Array(list)) => {
                for path in list {
                    let path = path
                        .as_str()
                        .ok_or_else(|| format!("`{key}` holds something that is no path"))?;
                    paths.push(path.to_owned());
                }
            }
            Some(_) => return Err(format!("`{key}` is no path")),
        }
    }
    if paths.is_empty() {
        return Err("the tool's input names no file".into());
    }
    Ok(paths)
}

fn text(fields: &Map<String, Value>, key: &str) -> Result<String, String> {
    match fields.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is no text")),
        None => Err(format!("the host's input has no `{key}`")),
    }
}

fn optional(fields: &Map<String, Value>, key: &str) -> String {
    fields
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn object(fields: &Map<String, Value>, key: &str) -> Result<Map<String, Value>, String> {
    match fields.get(key) {
        Some(Value::Object(object)) => Ok(object.clone()),
        _ => Err(format!("the host's input has no `{key}` object")),
    }
}
