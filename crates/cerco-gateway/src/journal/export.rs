//! An entry as it leaves the journal: one JSON object a line.

use super::{Entry, rfc3339};

/// The form of an exported entry.
pub const SCHEMA_VERSION: u32 = 1;

impl Entry {
    /// The exported form: one flat object with every field, `null` where nothing is known.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let (o, d) = (&self.opening, &self.opening.decided);
        let mut value = serde_json::json!({
            "schema_version": SCHEMA_VERSION,
            "seq": self.id.0, "entry_id": self.id.to_string(), "time": rfc3339(o.time),
            "project": o.project, "board": o.board, "bubble": o.bubble, "role": o.role,
            "loop": o.loop_name, "host": o.host, "command": o.command, "cwd": o.cwd,
            "parts": o.parts, "verdict": o.verdict, "reasons": o.reasons,
            "decision": d.decision, "decision_source": d.decision_source,
            "ask_id": d.ask_id, "answered_by": d.answered_by, "waited_ms": d.waited_ms,
            "sandbox": o.sandbox, "env_removed": o.env_removed, "trace_id": o.trace_id,
            "state": "open", "closed": null, "exit_code": null, "signal": null,
            "timed_out": null, "cancelled": null, "failure": null, "duration_ms": null,
            "output_bytes": null, "guard_refusals": null,
        });
        if let (Some(closing), Some(all)) = (&self.closing, value.as_object_mut()) {
            all.insert("closed".to_owned(), rfc3339(closing.time).into());
            if let Ok(serde_json::Value::Object(run)) = serde_json::to_value(&closing.run) {
                all.extend(run);
            }
        }
        value
    }
}
