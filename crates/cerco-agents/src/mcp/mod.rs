//! The MCP server: the tools of one bubble's role, over standard input and output.
//!
//! A refusal is a tool result with `isError`, the reason and what to do instead, so that
//! the model can correct itself; protocol errors are for calls that no tool answers. No
//! tool answers an ask, makes a grant or touches Full Auto.

mod history;
mod results;
mod server;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use cerco_gateway::file_calls::{FileCall, FileRefusal, Files};
use cerco_gateway::journal::DecisionSource;
use cerco_model::{Role, Rule};
use serde_json::{Map, Value};

pub use crate::own::Stop;
use crate::presence::Presence;
use crate::trace::{Became, Trace, finding};
pub use server::{ServeError, serve};

/// What the server's tools do, for one bubble. The calls block.
pub trait Backend: Send + Sync + 'static {
    /// The bubble's role.
    fn role(&self) -> &Role;
    /// What the layers say of a command: at least `verdict` and `findings`.
    fn check(&self, command: &str, folder: Option<&str>) -> Result<Map<String, Value>, String>;
    /// Where a person answers, as far as that is known.
    fn page(&self) -> Option<String>;
    /// Judges, asks where needed, runs: at least `decision`, `entry_id`, `ran`.
    fn run(
        &self,
        command: &str,
        folder: Option<&str>,
        stop: &Stop,
    ) -> Result<Map<String, Value>, String>;
    /// Puts what the agent said into the board's log.
    fn say(&self, text: &str) -> Result<(), String>;
    /// Records a call of a tool that the role lacks.
    fn lacked(&self, call: &str) -> Result<(), String>;
    /// A file tool. Where a rule refuses it, that is recorded.
    fn file(&self, call: &FileCall) -> Result<Value, FileRefusal>;
}

/// The backend that starts Cerco's own command line, and holds the loop's folder for the
/// file tools.
pub struct Local {
    /// The bubble's role.
    pub role: Role,
    /// The command line.
    pub own: crate::own::Own,
    /// The loop's folder.
    pub files: Arc<Files>,
    /// The journal.
    pub trace: Trace,
    /// The bubble in the gateway, while one is up.
    pub presence: Presence,
}

impl Local {
    /// A folder of the loop as a call names it. It is not opened here: `cerco run` resolves
    /// it and refuses one outside of the loop.
    fn directory(&self, folder: Option<&str>) -> Result<PathBuf, String> {
        let Some(folder) = folder else {
            return Ok(self.own.directory.clone());
        };
        self.files
            .folder(folder)
            .map_err(|e| format!("{}; {}", e.reason, e.remedy))?;
        Ok(self.own.directory.join(folder))
    }
}

impl Backend for Local {
    fn role(&self) -> &Role {
        &self.role
    }

    fn check(&self, command: &str, folder: Option<&str>) -> Result<Map<String, Value>, String> {
        self.own.check(command, &self.directory(folder)?)
    }

    fn run(
        &self,
        command: &str,
        folder: Option<&str>,
        stop: &Stop,
    ) -> Result<Map<String, Value>, String> {
        let place = self.presence.place()?;
        let directory = self.directory(folder)?;
        self.own.run(command, &directory, place.as_ref(), stop)
    }

    fn page(&self) -> Option<String> {
        // What is wrong with the gateway is said by the run.
        self.presence.place().ok()?.map(|place| place.page)
    }

    fn say(&self, text: &str) -> Result<(), String> {
        self.presence.say(text)
    }

    fn lacked(&self, call: &str) -> Result<(), String> {
        self.trace
            .record(call, Vec::new(), Became::Refused(DecisionSource::Tools))
    }

    fn file(&self, call: &FileCall) -> Result<Value, FileRefusal> {
        let result = self.files.serve(call);
        if let Err(refusal) = &result
            && let Some(rule) = rule_of(&refusal.code)
        {
            let text = call.to_string();
            let finding = finding(
                rule,
                &text,
                refusal.reason.clone(),
                Some(refusal.remedy.clone()),
            );
            let recorded =
                self.trace
                    .record(&text, vec![finding], Became::Refused(DecisionSource::Rule));
            // It stays refused; that the journal doesn't know has to be said.
            recorded.map_err(|e| FileRefusal {
                reason: format!("{}; and the journal can't be written: {e}", refusal.reason),
                ..refusal.clone()
            })?;
        }
        result
    }
}

/// The rule that a file tool's refusal comes from; nothing where only the disk said no.
fn rule_of(code: &str) -> Option<Rule> {
    match code {
        "secret" => Some(Rule::Secret),
        "bad_path" | "outside" | "link" | "link_loop" | "hard_link" | "own" | "other_loop"
        | "git" | "frozen" | "root" | "special" | "holds" => Some(Rule::Path),
        _ => None,
    }
}
