//! What the doors for agents leave in the journal: calls that no command line run records.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cerco_gateway::journal::{Decided, Decision, DecisionSource, Journal, Opening};
use cerco_gateway::project::{Loop, Project};
use cerco_model::{Finding, Judgement, Kind, Part, Role, Rule, TimeClass, Verdict};
use serde_json::Value;

/// Writes entries for one bubble.
#[derive(Clone, Debug)]
pub struct Trace {
    state: PathBuf,
    project: String,
    role: String,
    loop_name: String,
    cwd: String,
    host: String,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// The host may run it with its own hands; how it ended is not ours to know.
    LeftToHost,
    /// A rule or the state of things refused it.
    Refused(DecisionSource),
}

impl Trace {
    /// For the bubble of `role` in `this_loop`, speaking through `host`.
    #[must_use]
    pub fn new(state: &Path, project: &Project, this_loop: &Loop, role: &Role, host: &str) -> Self {
        Self {
            state: state.to_path_buf(),
            project: project.root().display().to_string(),
            role: role.name().0.to_string(),
            loop_name: this_loop.name.clone(),
            cwd: this_loop.folder.display().to_string(),
            host: host.to_owned(),
        }
    }

    /// Records a call, durably.
    pub fn record(&self, text: &str, findings: Vec<Finding>, became: Became) -> Result<(), String> {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let decided = match became {
            Became::LeftToHost => Decided::at_once(Decision::Allow, DecisionSource::Rule),
            Became::Refused(source) => Decided::at_once(Decision::Deny, source),
        };
        let judgement = Judgement::new(findings, Vec::new(), TimeClass::Quick);
        let opening = Opening {
            project: self.project.clone(),
            board: self.project.clone(),
            role: self.role.clone(),
            loop_name: self.loop_name.clone(),
            cwd: self.cwd.clone(),
            host: self.host.clone(),
            ..Opening::of(now, text, &judgement, decided)
        };
        let mut journal = Journal::open(&self.state, now).map_err(|e| e.to_string())?;
        journal
            .record(&opening)
            .map(|_| ())
            .map_err(|e| e.to_string())
    }
}

/// A finding of a file tool: the whole call is its part.
#[must_use]
pub fn finding(rule: Rule, text: &str, reason: String, remedy: Option<String>) -> Finding {
    Finding {
        rule,
        verdict: Verdict::Refused,
        part: Part::new(0, text.len()),
        reason: reason.into(),
        remedy: remedy.map(Into::into),
        kind: None,
    }
}

/// Findings as `cerco check --json` prints them. What can't be understood counts as refused.
#[must_use]
pub fn findings(list: &[Value]) -> Vec<Finding> {
    list.iter().map(one).collect()
}

fn one(value: &Value) -> Finding {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let id = text("rule").unwrap_or("unreadable");
    let built_in = Rule::BUILT_IN.into_iter().find(|rule| rule.id() == id);
    let custom = || Rule::Custom(id.trim_start_matches("custom:").into());
    let at = |n: usize| {
        let number = value
            .get("part")
            .and_then(|p| p.get(n))
            .and_then(Value::as_u64);
        number.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
    };
    Finding {
        rule: built_in.unwrap_or_else(custom),
        verdict: match text("verdict") {
            Some("asked") => Verdict::Asked,
            _ => Verdict::Refused,
        },
        part: Part::new(at(0), at(1)),
        reason: text("reason").unwrap_or_default().to_owned().into(),
        remedy: text("remedy").map(|r| r.to_owned().into()),
        kind: text("kind").map(Kind::named),
    }
}
