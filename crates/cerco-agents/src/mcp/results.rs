//! Answers as MCP results: structured, and refusals with what to do instead.

use cerco_gateway::file_calls::FileRefusal;
use rmcp::model::{CallToolResponse, CallToolResult};
use serde_json::{Map, Value, json};

/// A run that was refused is an error result with reason and remedy in front.
pub(super) fn run_result(mut answer: Map<String, Value>) -> CallToolResponse {
    if answer.get("decision").and_then(Value::as_str) == Some("allow") {
        return done(Value::Object(answer));
    }
    let findings = answer.get("findings").and_then(Value::as_array);
    let lines = |key: &str| -> Vec<String> {
        let texts = findings
            .into_iter()
            .flatten()
            .filter_map(|f| f.get(key)?.as_str());
        texts.map(str::to_owned).collect()
    };
    let said = answer
        .get("said")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let reasons = lines("reason");
    let reason = if said.is_empty() {
        reasons.join("; ")
    } else {
        said.to_owned()
    };
    let remedies = lines("remedy");
    let remedy = if remedies.is_empty() {
        "do it another way, or ask the person".to_owned()
    } else {
        remedies.join("; ")
    };
    let code = answer
        .get("decision_source")
        .and_then(Value::as_str)
        .unwrap_or("rule")
        .to_owned();
    answer.insert(
        "error".into(),
        json!({ "code": code, "reason": reason, "remedy": remedy }),
    );
    CallToolResult::structured_error(Value::Object(answer)).into()
}

/// What was asked for.
pub(super) fn done(value: Value) -> CallToolResponse {
    CallToolResult::structured(value).into()
}

/// A refusal is a result, so that the model can correct itself.
pub(super) fn refused(refusal: &FileRefusal) -> CallToolResponse {
    CallToolResult::structured_error(json!({ "error": refusal })).into()
}

/// Something of ours failed.
pub(super) fn failed(why: &str) -> CallToolResponse {
    refused(&FileRefusal {
        code: "failed".into(),
        reason: why.to_owned(),
        remedy: "`cerco doctor` says what is missing; ask the person to look".into(),
    })
}
