//! One entry: all the fields of a command's story, in the order they become known.

use cerco_model::{Ending, Judgement, Part, Verdict};
use serde::{Deserialize, Serialize};

use super::{EntryId, mask};
use crate::wire::{Decision, DecisionSource};

/// The decision, as far as it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// What.
    pub decision: Decision,
    /// On whose word.
    pub decision_source: DecisionSource,
    /// The ask, where there was one.
    pub ask_id: Option<u64>,
    /// The window, process or person that answered.
    pub answered_by: Option<String>,
    /// How long it waited for an answer, in milliseconds.
    pub waited_ms: Option<u64>,
}

impl Decided {
    /// A decision that nobody was asked for.
    #[must_use]
    pub fn at_once(decision: Decision, decision_source: DecisionSource) -> Self {
        Self {
            decision,
            decision_source,
            ask_id: None,
            answered_by: None,
            waited_ms: None,
        }
    }
}

/// A program that the command would start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPart {
    /// Where in the masked command, in bytes.
    pub part: [u32; 2],
    /// Its name.
    pub name: String,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryReason {
    /// The rule's id.
    pub rule: String,
    /// What it alone makes of the command.
    pub verdict: Verdict,
    /// Where in the masked command, in bytes.
    pub part: [u32; 2],
    /// The reason.
    pub text: String,
    /// The remedy.
    #[serde(default)]
    pub remedy: Option<String>,
    /// What a grant would cover.
    #[serde(default)]
    pub kind: Option<String>,
}

/// The sandbox that held it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The backend.
    pub backend: String,
    /// A hash of the plan: equal hashes, equal limits.
    pub plan_hash: String,
}

/// What is known before the command starts. The command's text goes through
/// [`Opening::of`], which masks its secrets; they are never written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// The project's folder.
    pub project: String,
    /// The board; the project's folder where no gateway runs.
    pub board: String,
    /// The bubble.
    pub bubble: Option<String>,
    /// The role's name.
    pub role: String,
    /// The loop's name.
    #[serde(rename = "loop")]
    pub loop_name: String,
    /// Who called: `cli`, or the host's name.
    pub host: String,
    /// The command, masked.
    pub command: String,
    /// Where it starts.
    pub cwd: String,
    /// What it starts.
    pub parts: Vec<EntryPart>,
    /// The filter's verdict.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<EntryReason>,
    /// What was decided by then.
    #[serde(skip, default = "undecided")]
    pub decided: Decided,
    /// The sandbox; nothing without one.
    pub sandbox: Option<Held>,
    /// Names (never values) of the variables that were kept from it.
    pub env_removed: Vec<String>,
    /// From the caller's `traceparent`.
    pub trace_id: Option<String>,
}

fn undecided() -> Decided {
    Decided::at_once(Decision::Pending, DecisionSource::Rule)
}

impl Opening {
    /// An entry for a judged command; who and where are to be filled in.
    #[must_use]
    pub fn of(time: u64, text: &str, judgement: &Judgement, decided: Decided) -> Self {
        let masked = mask(text);
        let span = |part: Part| {
            let part = masked.part(part);
            [part.start, part.end]
        };
        let reasons = judgement.findings().iter().map(|f| EntryReason {
            rule: f.rule.id().into_owned(),
            verdict: f.verdict,
            part: span(f.part),
            text: mask(&f.reason).into_text(),
            remedy: f.remedy.as_ref().map(|r| mask(r).into_text()),
            kind: f.kind.as_ref().map(|k| k.as_str().to_owned()),
        });
        let parts = judgement.programs.iter().map(|p| EntryPart {
            part: span(p.part),
            name: mask(&p.name).into_text(),
        });
        Self {
            time,
            project: String::new(),
            board: String::new(),
            bubble: None,
            role: String::new(),
            loop_name: String::new(),
            host: "cli".to_owned(),
            cwd: String::new(),
            parts: parts.collect(),
            verdict: judgement.verdict(),
            reasons: reasons.collect(),
            command: masked.into_text(),
            decided,
            sandbox: None,
            env_removed: Vec::new(),
            trace_id: None,
        }
    }

    pub(super) fn searched(&self) -> String {
        let mut text = format!(
            "{} {} {} {} {}",
            self.command, self.loop_name, self.role, self.host, self.cwd
        );
        for word in [&self.bubble].into_iter().flatten() {
            text.push(' ');
            text.push_str(word);
        }
        for reason in &self.reasons {
            text.push(' ');
            text.push_str(&reason.rule);
            text.push(' ');
            text.push_str(&reason.text);
        }
        text
    }
}

/// How the run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Run {
    /// It never started.
    NotRun,
    /// It ended.
    Ended {
        /// Its exit status.
        exit_code: Option<u8>,
        /// The signal that killed it.
        signal: Option<u8>,
        /// Its time was up.
        timed_out: bool,
        /// It was cancelled.
        cancelled: bool,
        /// What failed, where Cerco, the sandbox or the start did.
        failure: Option<String>,
        /// From program start to end, in milliseconds.
        duration_ms: u64,
        /// Bytes it wrote to the two streams.
        output_bytes: u64,
        /// Starts that the guard refused: arguments masked, and the rule.
        guard_refusals: Vec<(String, String)>,
    },
    /// Cerco itself was ended while it ran.
    Interrupted,
}

/// What is known at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// How.
    pub run: Run,
}

impl Closing {
    /// A run that stands so at `time`.
    #[must_use]
    pub fn at(time: u64, run: Run) -> Self {
        Self { time, run }
    }

    /// The end of a run.
    #[must_use]
    pub fn of(time: u64, outcome: &cerco_model::Outcome) -> Self {
        let ending = outcome.ending;
        let kept = |c: &cerco_model::Captured| (c.head.len() + c.tail.len()) as u64 + c.omitted;
        let guard_refusals = outcome.guard_refusals.iter();
        Self::at(
            time,
            Run::Ended {
                exit_code: match ending {
                    Ending::Exit(code) | Ending::NotStarted(code) => Some(code),
                    Ending::Signal(_) | Ending::TimedOut | Ending::Cancelled | Ending::Failed => {
                        None
                    }
                },
                signal: match ending {
                    Ending::Signal(signal) => Some(signal),
                    _ => None,
                },
                timed_out: ending == Ending::TimedOut,
                cancelled: ending == Ending::Cancelled,
                failure: outcome.failure.as_ref().map(|f| mask(f).into_text()),
                duration_ms: u64::try_from(outcome.usage.wall.as_millis()).unwrap_or(u64::MAX),
                output_bytes: kept(&outcome.stdout) + kept(&outcome.stderr),
                guard_refusals: guard_refusals
                    .map(|g| (mask(&g.argv.join(" ")).into_text(), g.rule.clone()))
                    .collect(),
            },
        )
    }
}

/// An entry as it stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub id: EntryId,
    /// What was known first.
    pub opening: Opening,
    /// The end; nothing while it waits or runs.
    pub closing: Option<Closing>,
}
