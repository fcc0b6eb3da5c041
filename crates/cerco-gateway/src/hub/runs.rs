//! A command's way through the gateway: judge, journal, ask where needed.

use std::sync::Arc;
use std::time::Duration;

use cerco_decide::{AskId as DeskAsk, NoAnswer, Permit, Refusal, Request, Submitted};
use cerco_model::{Authority, Judgement, SandboxState, Verdict};
use tokio::sync::oneshot;

use super::asks::{Meta, Outcome};
use super::boards::BubbleRef;
use super::start::Start;
use super::{Core, Hub, HubError, entries, millis, now, unix_ms};
use crate::engine::{Cancel, Environment, Prepared, ReadyRun, Way, Where};
use crate::journal::{self, Closing, Decided, Decision, DecisionSource, Held, Opening, Run};
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

enum Step {
    Run(Start),
    Wait(Waiting),
    Done(Reply),
}

/// A command that waits for an answer, ready to run.
struct Waiting {
    entry: journal::EntryId,
    ask: DeskAsk,
    answer: oneshot::Receiver<Outcome>,
    ready: Box<dyn ReadyRun>,
    programs: Vec<AgentProgram>,
}

/// Who wants what run where, for one pass through the layers.
struct Pass<'a> {
    bubble: &'a BubbleRef,
    at: Where,
    text: &'a str,
    env_removed: Vec<String>,
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
            let (hub, at_bubble, how) = (Arc::clone(self), bubble.clone(), request.how.clone());
            let judged = text.clone();
            let step = tokio::task::spawn_blocking(move || hub.begin(&at_bubble, &how, &judged));
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
                    let hub = Arc::clone(self);
                    let after = tokio::task::spawn_blocking(move || {
                        hub.settle(entry, ask, outcome, programs)
                    });
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

    /// Judges, journals, and takes it to the desk.
    fn begin(&self, bubble: &BubbleRef, how: &How, text: &str) -> Result<Step, HubError> {
        let at = self.place(bubble, how)?;
        let prepared = self.engine.judge(&at, text);
        let Prepared {
            request,
            env_removed,
            way,
        } = prepared.map_err(|e| HubError::Wrong(e.0))?;
        let pass = Pass {
            bubble,
            at,
            text,
            env_removed,
        };
        let lacks_tool = !pass.at.who.role.tools().has(cerco_model::Tool::RunCommands);
        match request.judgement().verdict() {
            _ if lacks_tool => self.turn_away(&pass, request, DecisionSource::Tools),
            Verdict::Refused => self.turn_away(&pass, request, DecisionSource::Rule),
            Verdict::Allowed => self.allow(&pass, request, way),
            Verdict::Asked => self.ask(&pass, request, way),
        }
    }

    fn turn_away(
        &self,
        pass: &Pass<'_>,
        request: Request,
        source: DecisionSource,
    ) -> Result<Step, HubError> {
        let decided = Decided::at_once(Decision::Deny, source);
        let opening = self.opening(pass, &request, None, decided);
        let entry = self.journal().record(&opening)?;
        let findings = words::findings(request.judgement());
        let started = programs(request.judgement());
        // The desk counts vain tries, so it hears of this one too; it can't allow it.
        let submitted = self.core().desk.submit(request, now());
        debug_assert!(matches!(submitted, Submitted::Refused(_)));
        self.announce(entry);
        let text = if source == DecisionSource::Tools {
            lacks(&pass.at)
        } else {
            instead(&findings)
        };
        Ok(Step::Done(Reply::Refused {
            entry: Some(EntryId(entry.to_string())),
            source: source.into(),
            findings,
            programs: started,
            text,
            note: None,
        }))
    }

    /// Where it is to be held, found before it starts and before anybody is asked.
    fn make_ready(
        &self,
        pass: &Pass<'_>,
        request: &Request,
        way: Box<dyn Way>,
    ) -> Result<Box<dyn ReadyRun>, HubError> {
        way.make_ready().or_else(|error| {
            let decided = Decided::at_once(Decision::Deny, DecisionSource::Sandbox);
            let opening = self.opening(pass, request, None, decided);
            let entry = self.journal().record(&opening)?;
            self.announce(entry);
            Err(HubError::Wrong(error.0))
        })
    }

    fn allow(
        &self,
        pass: &Pass<'_>,
        request: Request,
        way: Box<dyn Way>,
    ) -> Result<Step, HubError> {
        let ready = self.make_ready(pass, &request, way)?;
        let decided = Decided::at_once(Decision::Allow, DecisionSource::Rule);
        let opening = self.opening(pass, &request, ready.held(), decided);
        let entry = self.journal().begin(&opening)?;
        match self.core().desk.submit(request, now()) {
            Submitted::Allowed(permit) => Ok(Step::Run(Start {
                entry,
                permit,
                ready,
                source: DecisionSource::Rule,
                edited: None,
            })),
            // The desk is the one that decides; were it ever stricter, so are we.
            Submitted::Refused(_) | Submitted::Waiting(_) => {
                self.close_unrun(entry)?;
                Err(HubError::Wrong("the desk did not allow it".to_owned()))
            }
        }
    }

    fn ask(&self, pass: &Pass<'_>, request: Request, way: Box<dyn Way>) -> Result<Step, HubError> {
        let ready = self.make_ready(pass, &request, way)?;
        let findings = words::findings(request.judgement());
        let started = programs(request.judgement());
        let pending = Decided::at_once(Decision::Pending, DecisionSource::Rule);
        let opening = self.opening(pass, &request, ready.held(), pending);
        let entry = self.journal().begin(&opening)?;
        let backend = ready.held().map(|held| held.backend);
        let text = request.command().text().to_owned();
        let submitted = {
            let mut core = self.core();
            let submitted = core.desk.submit(request, now());
            if let Submitted::Waiting(ask) = submitted {
                let (waiter, answer) = oneshot::channel();
                let meta = Meta {
                    entry,
                    bubble: pass.bubble.clone(),
                    at: pass.at.clone(),
                    backend,
                    text,
                    waiter,
                };
                core.open_ask(ask, meta);
                drop(core);
                self.announce(entry);
                return Ok(Step::Wait(Waiting {
                    entry,
                    ask,
                    answer,
                    ready,
                    programs: started,
                }));
            }
            submitted
        };
        match submitted {
            Submitted::Allowed(permit) => {
                let source = match permit.authority() {
                    Authority::Grants(_) => DecisionSource::Grant,
                    Authority::FullAuto => DecisionSource::FullAuto,
                    Authority::Person(_) => DecisionSource::UserTemporary,
                    Authority::Rule => DecisionSource::Rule,
                };
                let decided = Decided::at_once(Decision::Allow, source);
                self.journal().decide(entry, &decided)?;
                self.core().tell_board(&pass.bubble.board);
                if source == DecisionSource::FullAuto {
                    self.save()?;
                }
                Ok(Step::Run(Start {
                    entry,
                    permit,
                    ready,
                    source,
                    edited: None,
                }))
            }
            Submitted::Refused(Refusal::NoWindow) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::NoWindow);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                let why = NoAnswer::NoWindow;
                Ok(Step::Done(unanswered(entry, why, findings, started)))
            }
            Submitted::Refused(Refusal::Tool { .. } | Refusal::Filter) | Submitted::Waiting(_) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::Rule);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Err(HubError::Wrong("the desk refused it".to_owned()))
            }
        }
    }

    fn opening(
        &self,
        pass: &Pass<'_>,
        request: &Request,
        held: Option<Held>,
        decided: Decided,
    ) -> Opening {
        let who = &pass.at.who;
        let host = {
            let core = self.core();
            core.bubble(pass.bubble)
                .and_then(|(_, _, bubble)| bubble.host.clone())
        };
        let mut opening = Opening::of(unix_ms(), pass.text, request.judgement(), decided);
        opening.project.clone_from(&pass.at.project);
        opening.board = who.board.0.to_string();
        opening.bubble = Some(who.bubble.to_string());
        opening.role = who.role.name().0.to_string();
        opening.loop_name = who.loop_name.to_string();
        opening.host = host.unwrap_or_default();
        opening.cwd.clone_from(&pass.at.directory);
        opening.sandbox = held;
        opening.env_removed.clone_from(&pass.env_removed);
        opening
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

impl Core {
    fn open_ask(&mut self, ask: DeskAsk, meta: Meta) {
        if let Some(bubble) = self.bubble_mut(&meta.bubble) {
            bubble.waiting += 1;
        }
        let board = meta.bubble.board.clone();
        let card = self.desk.ask(ask).map(|a| self.card(a, &meta));
        self.metas.insert(ask, meta);
        if let Some(card) = card {
            self.tell(&Event::Ask {
                card: Box::new(card),
            });
        }
        self.tell_board(&board);
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

fn lacks(at: &Where) -> String {
    format!(
        "The role {} has no tool run_commands. Use a bubble whose role has it.",
        words::shown(&at.who.role.name().0)
    )
}

fn instead(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|f| match &f.remedy {
        Some(remedy) => format!("{} Instead: {remedy}", f.reason),
        None => f.reason.clone(),
    });
    lines.collect::<Vec<_>>().join(" ")
}

pub(super) fn unanswered(
    entry: journal::EntryId,
    why: NoAnswer,
    findings: Vec<Finding>,
    programs: Vec<AgentProgram>,
) -> Reply {
    let (source, text) = match why {
        NoAnswer::NoWindow => (
            wire::DecisionSource::NoWindow,
            "A person has to allow this, and no window is open: refused. Ask for `cerco open`.",
        ),
        NoAnswer::Timeout => (
            wire::DecisionSource::Timeout,
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
