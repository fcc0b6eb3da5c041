//! A command's way through the gateway, from its agent's request to the last word.

use std::sync::Arc;
use std::time::Duration;

use cerco_decide::{AskId as DeskAsk, NoAnswer, Permit};
use cerco_model::{Judgement, SandboxState};
use tokio::sync::oneshot;

use super::asks::Outcome;
use super::boards::BubbleRef;
use super::start::Start;
use super::{Hub, HubError, entries, millis, now, unix_ms};
use crate::engine::{Cancel, Environment, ReadyRun, Where};
use crate::journal::{self, Closing, DecisionSource, Run};
use crate::wire::{self, AgentProgram, AskId, EntryId, Event, Finding, Judged, Reply};
use crate::words;

/// A running command.
pub(super) struct Running {
    pub(super) bubble: BubbleRef,
    pub(super) cancel: Cancel,
    pub(super) since: u64,
}

/// How a command is to run, as its agent says.
#[derive(Clone, Debug)]
pub struct How {
    /// The folder, relative to the loop's.
    pub folder: Option<String>,
    /// The sandbox where the settings leave it off. An agent can only make it stricter.
    pub sandbox: SandboxState,
    /// The environment that the run's is made of; nothing: the gateway's own.
    pub environment: Option<Arc<Environment>>,
}

/// What an agent wants to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The text.
    pub command: String,
    /// How.
    pub how: How,
    /// Standard input.
    pub input: Option<Vec<u8>>,
    /// A shorter time limit.
    pub limit: Option<Duration>,
}

/// Takes what there is to tell the agent; must not wait.
pub type Say = Arc<dyn Fn(Reply) + Send + Sync>;

/// What one pass through the layers came to.
pub(super) enum Step {
    Run(Start),
    Wait(Waiting),
    Done(Reply),
}

/// A command that waits for an answer, ready to run.
pub(super) struct Waiting {
    pub(super) entry: journal::EntryId,
    pub(super) ask: DeskAsk,
    pub(super) answer: oneshot::Receiver<Outcome>,
    pub(super) ready: Box<dyn ReadyRun>,
    pub(super) programs: Vec<AgentProgram>,
}

impl Hub {
    /// What would the layers say? Nothing runs and nobody is asked.
    pub fn check(&self, bubble: &BubbleRef, text: &str, how: &How) -> Result<Judged, HubError> {
        let at = self.place(bubble, how)?;
        let tools = at.who.role.tools();
        if !tools.has(cerco_model::Tool::RunCommands) {
            return Err(HubError::Wrong(lacks(&at)));
        }
        let prepared = self.engine.judge(&at, text);
        let prepared = prepared.map_err(|e| HubError::Wrong(e.0))?;
        Ok(words::judged(&prepared.request))
    }

    /// Takes a command all the way. The reply is the last word; `say` gets those before.
    pub async fn run(
        self: &Arc<Self>,
        bubble: BubbleRef,
        request: RunRequest,
        say: Say,
        cancel: Cancel,
        page: &str,
    ) -> Reply {
        let mut text = request.command.clone();
        let mut edited = None;
        loop {
            let (at_bubble, how) = (bubble.clone(), request.how.clone());
            let judged = text.clone();
            let step = self.in_turn(move |hub| hub.begin(&at_bubble, &how, &judged));
            let step = match step.await {
                Ok(Ok(step)) => step,
                Ok(Err(error)) => return failed(&error),
                Err(error) => return failed(&error),
            };
            match step {
                Step::Done(reply) => return reply,
                Step::Run(start) => {
                    let start = Start { edited, ..start };
                    return self.start(start, &bubble, request, say, cancel).await;
                }
                Step::Wait(waiting) => {
                    let Waiting {
                        entry,
                        ask,
                        answer,
                        mut ready,
                        programs,
                    } = waiting;
                    say(Reply::Waiting {
                        ask: AskId(ask.0.to_string()),
                        entry: EntryId(entry.to_string()),
                        left_ms: self.left_ms(ask),
                        page: format!("{page}/#ask/{}", ask.0),
                    });
                    let hub = Arc::downgrade(self);
                    cancel.on_cancel(move || {
                        if let Some(hub) = hub.upgrade() {
                            hub.withdraw(ask);
                        }
                    });
                    let outcome = answer.await.unwrap_or(Outcome::Unanswered {
                        why: NoAnswer::Withdrawn,
                        waited_ms: 0,
                    });
                    let settle = move |hub: &Arc<Self>| hub.settle(entry, ask, outcome, programs);
                    let after = self.in_turn(settle);
                    match after.await {
                        Ok(Ok(After::Run(permit, source))) => {
                            ready.after_waiting();
                            let start = Start {
                                entry,
                                permit,
                                ready,
                                source,
                                edited,
                            };
                            return self.start(start, &bubble, request, say, cancel).await;
                        }
                        Ok(Ok(After::Again(new))) => {
                            edited = Some(new.clone());
                            text = new;
                        }
                        Ok(Ok(After::Done(reply))) => return reply,
                        Ok(Err(error)) => return failed(&error),
                        Err(error) => return failed(&error),
                    }
                }
            }
        }
    }

    pub(super) fn close_unrun(&self, entry: journal::EntryId) -> Result<(), HubError> {
        let closing = Closing::at(unix_ms(), Run::NotRun);
        self.journal().close(entry, &closing)?;
        self.announce(entry);
        Ok(())
    }

    pub(super) fn findings(&self, entry: journal::EntryId) -> Vec<Finding> {
        let found = self.journal().entry(entry).ok().flatten();
        found.map_or_else(Vec::new, |kept| entries::entry(&kept, None).findings)
    }

    /// Tells every window how an entry stands.
    pub(super) fn announce(&self, entry: journal::EntryId) {
        if let Ok(Some(entry)) = self.entry_of(entry) {
            self.core().tell(&Event::Entry {
                entry: Box::new(entry),
            });
        }
    }

    pub(super) fn entry_of(&self, id: journal::EntryId) -> Result<Option<wire::Entry>, HubError> {
        let kept = self.journal().entry(id)?;
        let since = self.core().runs.get(&id.0).map(|run| run.since);
        Ok(kept.map(|kept| entries::entry(&kept, since)))
    }

    fn left_ms(&self, ask: DeskAsk) -> u64 {
        let core = self.core();
        core.desk
            .ask(ask)
            .map_or(0, |ask| millis(ask.time_left(now().moment)))
    }

    /// Stops a run: its whole tree.
    pub fn cancel(&self, entry: &EntryId) -> Result<(), HubError> {
        let id: journal::EntryId = entry.0.parse().map_err(|_| HubError::NotFound("run"))?;
        let cancel = self.core().runs.get(&id.0).map(|run| run.cancel.clone());
        cancel.ok_or(HubError::NotFound("run"))?.cancel();
        Ok(())
    }
}

pub(super) enum After {
    Run(Box<Permit>, DecisionSource),
    Again(String),
    Done(Reply),
}

pub(super) fn failed(error: &dyn std::fmt::Display) -> Reply {
    Reply::Failed {
        text: error.to_string(),
    }
}

/// Every program that the text starts, for the agent's own eyes.
pub(super) fn programs(judgement: &Judgement) -> Vec<AgentProgram> {
    judgement.programs.iter().map(Into::into).collect()
}

pub(super) fn lacks(at: &Where) -> String {
    format!(
        "The role {} has no tool run_commands. Use a bubble whose role has it.",
        words::shown(&at.who.role.name().0)
    )
}

pub(super) fn unanswered(
    entry: journal::EntryId,
    why: NoAnswer,
    findings: Vec<Finding>,
    programs: Vec<AgentProgram>,
) -> Reply {
    let (source, text) = match why {
        NoAnswer::NoWindow => (
            DecisionSource::NoWindow,
            "A person has to allow this, and no window is open: refused. Ask for `cerco open`.",
        ),
        NoAnswer::Timeout => (
            DecisionSource::Timeout,
            "A person has to allow this, and nobody answered in time: refused.",
        ),
        NoAnswer::Withdrawn => return Reply::Cancelled,
    };
    Reply::Refused {
        entry: Some(EntryId(entry.to_string())),
        source,
        findings,
        programs,
        text: text.to_owned(),
        note: None,
    }
}
