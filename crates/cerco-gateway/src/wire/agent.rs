//! The agents' door: a Unix socket, one JSON object a line each way.
//!
//! There is no verb here that answers an ask, makes a grant, changes a setting, switches
//! Full Auto or opens a page: what does not exist can't be called.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AskId, AskState, EntryId, Finding, Judged, Millis, RunEnding, Stream, Tool};

/// A line to the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentRequest {
    /// Chosen by the caller; every line that belongs to it carries it.
    pub id: u64,
    /// What is wanted.
    #[serde(flatten)]
    pub verb: AgentVerb,
}

/// All an agent can want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum AgentVerb {
    /// The first line: who speaks, and for which bubble.
    Hello {
        /// Through which program.
        via: AgentVia,
        /// The host, as it calls itself.
        host: String,
        /// The project's folder.
        project: String,
        /// The loop's folder, relative to the project.
        loop_folder: String,
        /// A role, by its name, for a new bubble.
        #[serde(default)]
        role: Option<String>,
        /// A bubble that is there, by its name; its tools count then.
        #[serde(default)]
        bubble: Option<String>,
        /// The agent's own environment, which that of its commands is made of; nothing: the
        /// gateway's.
        #[serde(default)]
        environment: Option<BTreeMap<String, String>>,
    },
    /// What would the layers say? Nothing runs and nobody is asked.
    Check {
        /// The command's text.
        command: String,
        /// The folder, relative to the loop's.
        #[serde(default)]
        folder: Option<String>,
        /// In the sandbox, also where the settings leave it off.
        #[serde(default)]
        sandbox: bool,
    },
    /// Judge, ask where needed, run.
    Run {
        /// The command's text.
        command: String,
        /// The folder, relative to the loop's.
        #[serde(default)]
        folder: Option<String>,
        /// Standard input.
        #[serde(default)]
        input: Option<String>,
        /// The time limit, in seconds; it can only be shortened.
        #[serde(default)]
        seconds: Option<u32>,
        /// In the sandbox, also where the settings leave it off.
        #[serde(default)]
        sandbox: bool,
    },
    /// Take back a waiting ask, or stop a run, that this connection asked for.
    Cancel {
        /// The request's id.
        request: u64,
    },
    /// More of the output of a run of this bubble.
    Output {
        /// The run.
        entry: EntryId,
        /// The stream.
        stream: Stream,
        /// The first byte.
        from: u64,
        /// How many bytes at most.
        length: u64,
    },
    /// This bubble's asks.
    Asks,
    /// What the agent said to its person, for the board's log. It answers nothing.
    Say {
        /// The text, as Markdown; 64 KiB at most.
        text: String,
    },
}

/// The program an agent comes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AgentVia {
    /// `cerco run`.
    Run,
    /// `cerco mcp`.
    Mcp,
    /// `cerco hook`.
    Hook,
}

/// A line from the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentReply {
    /// The request it belongs to.
    pub id: u64,
    /// What there is to say.
    #[serde(flatten)]
    pub reply: Reply,
}

/// All the gateway says to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// The bubble is known.
    Welcome {
        /// The version of these types.
        schema_version: u32,
        /// The tools of its role.
        tools: Vec<Tool>,
        /// Its name: another connection of the same agent joins by it.
        bubble: String,
        /// The page's address, without any secret.
        page: String,
    },
    /// The answer to `check`.
    Judged {
        /// What the layers say.
        judged: Box<Judged>,
    },
    /// A person has to answer; the reply follows.
    Waiting {
        /// The ask.
        ask: AskId,
        /// The entry.
        entry: EntryId,
        /// Until when, in milliseconds from now.
        left_ms: u64,
        /// Where a person answers: an address without any secret.
        page: String,
    },
    /// The command started.
    Started {
        /// The entry.
        entry: EntryId,
    },
    /// Output as it comes, raw bytes in base64.
    Output {
        /// The stream.
        stream: Stream,
        /// The bytes.
        base64: String,
    },
    /// It ended.
    Ended {
        /// The entry.
        entry: EntryId,
        /// How it ended.
        ending: RunEnding,
        /// What `cerco run` exits with.
        exit_code: u8,
        /// From program start to end, in milliseconds.
        duration_ms: u64,
        /// How many bytes each stream has; what did not come as `output` is read with
        /// the verb `output`.
        stdout_bytes: u64,
        /// The same for standard error.
        stderr_bytes: u64,
        /// What failed, where Cerco, the sandbox or the start did.
        failure: Option<String>,
        /// Whether it was held by the sandbox.
        sandboxed: bool,
        /// The text that ran, where a person changed it.
        edited: Option<String>,
        /// The rest of what is known.
        facts: Box<RunFacts>,
    },
    /// It did not run.
    Refused {
        /// The entry.
        entry: Option<EntryId>,
        /// What decided: a rule, the tools, a person, nobody.
        source: super::DecisionSource,
        /// Why.
        findings: Vec<Finding>,
        /// Every program it would have started.
        programs: Vec<AgentProgram>,
        /// One sentence with what to do instead.
        text: String,
        /// The note of the person who denied it.
        note: Option<String>,
    },
    /// A range of kept output, raw bytes in base64.
    Range {
        /// The bytes.
        base64: String,
        /// How long the kept stream is.
        total: u64,
    },
    /// This bubble's asks.
    Asks {
        /// Each with its state.
        asks: Vec<AskLine>,
    },
    /// What the agent said is in the log.
    Said,
    /// It was cancelled before it started.
    Cancelled,
    /// The gateway can't do it.
    Failed {
        /// Why and what to do.
        text: String,
    },
}

/// What is known of a finished run besides how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunFacts {
    /// What let it run: a rule, a person, a grant, Full Auto.
    pub source: super::DecisionSource,
    /// What the filter found.
    pub findings: Vec<Finding>,
    /// Every program that the text starts.
    pub programs: Vec<AgentProgram>,
    /// Processor time, in milliseconds.
    pub cpu_ms: u64,
    /// The most memory it had, in bytes.
    pub peak_memory: u64,
    /// How many processes were still there at the end and had to be stopped.
    pub stopped: u32,
    /// Starts that the guard refused.
    pub guard_refusals: Vec<GuardRefusal>,
    /// What a person should know of it: what it left for others to run.
    pub notes: Vec<String>,
}

/// A program start, read from the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentProgram {
    /// Its name.
    pub name: String,
    /// Its arguments, as far as they are known.
    pub args: Vec<String>,
    /// Where it starts, as far as that is known.
    pub directory: Option<String>,
    /// The part of the text.
    pub part: super::Span,
}

impl From<&cerco_model::Started> for AgentProgram {
    fn from(started: &cerco_model::Started) -> Self {
        Self {
            name: started.name.clone(),
            args: started.args.clone(),
            directory: started.directory.clone(),
            part: started.part.into(),
        }
    }
}

/// A program start that the guard refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuardRefusal {
    /// The real arguments, the program first.
    pub argv: Vec<String>,
    /// The rule's id.
    pub rule: String,
    /// Why.
    pub reason: String,
}

impl From<&cerco_model::GuardRefusal> for GuardRefusal {
    fn from(refusal: &cerco_model::GuardRefusal) -> Self {
        Self {
            argv: refusal.argv.clone(),
            rule: refusal.rule.clone(),
            reason: refusal.reason.clone(),
        }
    }
}

/// An ask as its own bubble sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskLine {
    /// The ask.
    pub ask: AskId,
    /// The entry.
    pub entry: EntryId,
    /// Since when.
    pub asked_at: Millis,
    /// How it stands.
    pub state: AskState,
}
