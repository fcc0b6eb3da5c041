//! One pass through the layers: judge, journal, take it to the desk.

use cerco_decide::{AskId as DeskAsk, NoAnswer, Refusal, Request, Submitted};
use cerco_model::{Authority, Verdict};
use tokio::sync::oneshot;

use super::asks::Meta;
use super::boards::BubbleRef;
use super::runs::{Step, Waiting, lacks, programs, unanswered};
use super::start::Start;
use super::{Core, How, Hub, HubError, now, unix_ms};
use crate::engine::{Prepared, ReadyRun, Way, Where};
use crate::journal::{Decided, Decision, DecisionSource, Held, Opening};
use crate::wire::{EntryId, Event, Finding, Reply};
use crate::words;

/// Who wants what run where, for one pass through the layers.
struct Pass<'a> {
    bubble: &'a BubbleRef,
    at: Where,
    text: &'a str,
    env_removed: Vec<String>,
}

impl Hub {
    /// Judges, journals, and takes it to the desk.
    pub(super) fn begin(
        &self,
        bubble: &BubbleRef,
        how: &How,
        text: &str,
    ) -> Result<Step, HubError> {
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
            source,
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

fn instead(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|f| match &f.remedy {
        Some(remedy) => format!("{} Instead: {remedy}", f.reason),
        None => f.reason.clone(),
    });
    lines.collect::<Vec<_>>().join(" ")
}
