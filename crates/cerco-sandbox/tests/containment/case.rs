//! One attempt, as the cases file describes it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// A line of `cases/escapes.jsonl`; fields that steer a runner as its README says.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the file's own fields, each a switch of its own"
)]
#[cfg_attr(
    not(feature = "mutations"),
    expect(dead_code, reason = "`bare`, `needs` and `proved` steer the mutations")
)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) why: String,
    pub(crate) setup: String,
    pub(crate) attempt: String,
    pub(crate) bare: String,
    pub(crate) must: String,
    pub(crate) pre: String,
    pub(crate) caller: String,
    pub(crate) during: String,
    pub(crate) cleanup: String,
    pub(crate) user: String,
    pub(crate) terminal_output: String,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) needs: Vec<String>,
    pub(crate) limit: u64,
    pub(crate) repeat: u64,
    pub(crate) kill_launcher: Option<f64>,
    pub(crate) known_limit: bool,
    pub(crate) refuse: bool,
    pub(crate) proved: bool,
    pub(crate) root_setup: bool,
    pub(crate) own_mounts: bool,
    pub(crate) terminal: bool,
    pub(crate) key_ring: bool,
    pub(crate) open_input: bool,
    pub(crate) piped: bool,
}

impl Case {
    /// Whether only root can prepare it.
    pub(crate) fn needs_root(&self) -> bool {
        self.root_setup || self.own_mounts
    }
}

/// Every attempt that this system can make; with `CERCO_ATTEMPTS=fs-001,ks-002` those.
/// `CERCO_CASES` names another file of the same form, below `cases/` (`open/escapes.jsonl`).
pub(crate) fn all() -> Vec<Case> {
    let name = std::env::var("CERCO_CASES").unwrap_or_else(|_| "escapes.jsonl".to_owned());
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let file = cases.join(&name);
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let cases: Vec<Case> = lines
        .filter(|line: &Value| line["platform"].is_null())
        .map(|line| case(&line))
        .collect();
    let enough = if name == "escapes.jsonl" { 100 } else { 1 };
    assert!(cases.len() >= enough, "only {} attempts", cases.len());
    let Ok(chosen) = std::env::var("CERCO_ATTEMPTS") else {
        return cases;
    };
    let is_chosen = |case: &Case| chosen.split(',').any(|id| id == case.id);
    let chosen: Vec<Case> = cases.into_iter().filter(is_chosen).collect();
    assert!(!chosen.is_empty(), "CERCO_ATTEMPTS names none");
    chosen
}

fn case(line: &Value) -> Case {
    let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let flag = |name: &str| line[name].as_bool().unwrap_or(false);
    let environment = line["env"].as_object().into_iter().flatten();
    Case {
        id: text("id"),
        category: text("category"),
        why: text("why"),
        setup: text("setup"),
        attempt: text("attempt"),
        bare: text("bare"),
        must: text("must"),
        pre: text("pre"),
        caller: text("caller"),
        during: text("during"),
        cleanup: text("cleanup"),
        user: text("user"),
        terminal_output: text("ttyout"),
        environment: environment
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
        needs: line["needs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|need| need.as_str().map(str::to_owned))
            .collect(),
        repeat: line["repeat"].as_u64().unwrap_or(1),
        limit: line["limit"].as_u64().unwrap_or(12),
        kill_launcher: line["kill_launcher"].as_f64(),
        known_limit: flag("known_limit"),
        refuse: flag("refuse"),
        proved: flag("proved"),
        root_setup: flag("root_setup"),
        own_mounts: flag("ns"),
        terminal: flag("tty"),
        key_ring: flag("keyring"),
        open_input: flag("stdin_pipe"),
        piped: flag("cap") || flag("wait_eof"),
    }
}
