//! Our answer in each host's form. A form that a host doesn't know lets the command run
//! there, so each function says for every host what it sends, and nothing is shared by
//! habit. Codex refuses unknown fields, "ask", and "allow" without a replaced input.

use serde_json::{Map, Value, json};

use super::call::{Call, Event};
use super::{Answer, Host};

/// The longest reason; Claude Code cuts strings at 10,000 characters, and a cut reply is
/// no JSON.
const MAX_REASON: usize = 4_000;

fn json_answer(value: &Value) -> Answer {
    Answer {
        stdout: value.to_string(),
        stderr: String::new(),
        exit: 0,
    }
}

/// Nothing to say: the host's own rules go on.
pub(super) fn no_opinion() -> Answer {
    Answer {
        stdout: String::new(),
        stderr: String::new(),
        exit: 0,
    }
}

/// It must not happen.
pub(super) fn refuse(host: Host, event: Event, reason: &str) -> Answer {
    let reason = readable(reason);
    json_answer(&match (host, event) {
        (Host::Claude | Host::Codex, Event::Permission) => permission(&json!({
            "behavior": "deny",
            "message": reason,
        })),
        (Host::Gemini, _) => json!({ "decision": "deny", "reason": reason }),
        (Host::Cursor, _) => json!({
            "permission": "deny",
            "user_message": reason,
            "agent_message": reason,
        }),
        (Host::Copilot, _) => json!({
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }),
        (Host::Claude | Host::Codex | Host::VsCode, _) => before_tool(json!({
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        })),
    })
}

/// It may happen; with `command`, as that command instead.
pub(super) fn allow(host: Host, call: &Call, command: Option<String>) -> Answer {
    let Some(command) = command else {
        return match host {
            // Silence: the host's own rules still speak. Codex takes nothing else.
            Host::Claude | Host::Codex | Host::Gemini | Host::VsCode | Host::Copilot => {
                no_opinion()
            }
            // Cursor wants a word.
            Host::Cursor => json_answer(&json!({ "permission": "allow" })),
        };
    };
    let mut input = call.input.clone();
    input.insert("command".into(), Value::String(command));
    json_answer(&match host {
        Host::Claude | Host::Codex | Host::VsCode => before_tool(json!({
            "permissionDecision": "allow",
            "updatedInput": input,
        })),
        Host::Gemini => json!({
            "decision": "allow",
            "hookSpecificOutput": { "tool_input": input },
        }),
        Host::Cursor => json!({ "permission": "allow", "updated_input": input }),
        Host::Copilot => json!({ "permissionDecision": "allow", "modifiedArgs": input }),
    })
}

/// The host is to ask the person; where it can't, or at the permission event where it is
/// about to anyway, its own way goes on.
pub(super) fn ask(host: Host, event: Event, reason: &str) -> Answer {
    let reason = readable(reason);
    if event == Event::Permission {
        return no_opinion();
    }
    json_answer(&match host {
        Host::Claude | Host::VsCode => before_tool(json!({
            "permissionDecision": "ask",
            "permissionDecisionReason": reason,
        })),
        Host::Cursor => json!({
            "permission": "ask",
            "user_message": reason,
            "agent_message": reason,
        }),
        Host::Copilot => json!({
            "permissionDecision": "ask",
            "permissionDecisionReason": reason,
        }),
        // They would let it run.
        Host::Codex | Host::Gemini => {
            return refuse(
                host,
                event,
                &format!("{reason} (this host can't ask a person)"),
            );
        }
    })
}

/// We failed. Exit 2 blocks in every host, and the text must not be empty: Codex runs on
/// otherwise. Claude Code's permission event doesn't know exit 2, so it gets a deny.
pub(super) fn failure(host: Host, event: Option<Event>, why: &str) -> Answer {
    let text = readable(&format!(
        "Cerco could not judge this, so it is blocked: {why}"
    ));
    if host == Host::Claude && event == Some(Event::Permission) {
        return refuse(host, Event::Permission, &text);
    }
    Answer {
        stdout: String::new(),
        stderr: format!("{text}\n"),
        exit: 2,
    }
}

fn before_tool(decision: Value) -> Value {
    let mut inner = Map::new();
    inner.insert("hookEventName".into(), "PreToolUse".into());
    if let Value::Object(fields) = decision {
        inner.extend(fields);
    }
    json!({ "hookSpecificOutput": inner })
}

fn permission(decision: &Value) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } })
}

/// A reason that is never empty (a deny without one runs on in Codex), not too long, and
/// without what could move a terminal's cursor.
fn readable(reason: &str) -> String {
    let text: String = reason
        .chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .take(MAX_REASON)
        .collect();
    if text.trim().is_empty() {
        "refused by Cerco".to_owned()
    } else {
        text
    }
}
