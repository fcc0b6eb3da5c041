//! A command's way through the gateway: judge, journal, ask where needed, run, close.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cerco_decide::{AskId as DeskAsk, NoAnswer, Permit, Refusal, Submitted};
use cerco_model::{Authority, Verdict};
use tokio::sync::oneshot;

use super::asks::{Always, Meta, Outcome};
use super::boards::BubbleRef;
use super::{Core, Hub, HubError, entries, millis, now, unix_ms};
use crate::engine::{Cancel, Prepared, RunOptions, Where};
use crate::journal::{self, Closing, Decided, Decision, DecisionSource, Opening, Run};
use crate::wire::{
    self, AskId, EntryId, Event, Finding, JournalPage, JournalQuery, Judged, OutputQuery,
    OutputRange, Reply, Stream,
};
use crate::words;

/// So much output goes to an agent as it comes; the rest it reads from the kept output.
const MAX_STREAMED: usize = 1024 * 1024;

/// A running command.
pub(super) struct Running {
    pub(super) bubble: BubbleRef,
    pub(super) cancel: Cancel,
    since: u64,
}

/// What an agent wants to run.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// The text.
    pub command: String,
    /// The folder, relative to the loop's.
    pub folder: Option<String>,
    /// Standard input.
    pub input: Option<Vec<u8>>,
    /// A shorter time limit.
    pub limit: Option<Duration>,
}

/// Takes what there is to tell the agent; must not wait.
pub type Say = Arc<dyn Fn(Reply) + Send + Sync>;

enum Step {
    Run(journal::EntryId, Box<Permit>),
    Wait(journal::EntryId, DeskAsk, oneshot::Receiver<Outcome>),
    Done(Reply),
}

/// Who wants what run where, for one pass through the layers.
struct Pass<'a> {
    bubble: &'a BubbleRef,
    at: Where,
    text: &'a str,
}

impl Hub {
    /// What would the layers say? Nothing runs and nobody is asked.
    pub fn check(
        &self,
        bubble: &BubbleRef,
        text: &str,
        folder: Option<&str>,
    ) -> Result<Judged, HubError> {
        let at = self.place(bubble, folder)?;
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
            let (hub, at_bubble, folder) =
                (Arc::clone(self), bubble.clone(), request.folder.clone());
            let judged = text.clone();
            let step = tokio::task::spawn_blocking(move || {
                hub.begin(&at_bubble, folder.as_deref(), &judged)
            });
            let step = match step.await {
                Ok(Ok(step)) => step,
                Ok(Err(error)) => return failed(&error),
                Err(error) => return failed(&error),
            };
            match step {
                Step::Done(reply) => return reply,
                Step::Run(entry, permit) => {
                    return self
                        .start(entry, permit, &bubble, request, say, cancel, edited)
                        .await;
                }
                Step::Wait(entry, ask, waiter) => {
                    let left_ms = self.left_ms(ask);
                    say(Reply::Waiting {
                        ask: AskId(ask.0.to_string()),
                        entry: EntryId(entry.to_string()),
                        left_ms,
                        page: format!("{page}/#ask/{}", ask.0),
                    });
                    let hub = Arc::downgrade(self);
                    cancel.on_cancel(move || {
                        if let Some(hub) = hub.upgrade() {
                            hub.withdraw(ask);
                        }
                    });
                    let outcome = waiter.await.unwrap_or(Outcome::Unanswered {
                        why: NoAnswer::Withdrawn,
                        waited_ms: 0,
                    });
                    let hub = Arc::clone(self);
                    let after =
                        tokio::task::spawn_blocking(move || hub.settle(entry, ask, outcome));
                    match after.await {
                        Ok(Ok(After::Run(permit))) => {
                            return self
                                .start(entry, permit, &bubble, request, say, cancel, edited)
                                .await;
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
    fn begin(
        &self,
        bubble: &BubbleRef,
        folder: Option<&str>,
        text: &str,
    ) -> Result<Step, HubError> {
        let at = self.place(bubble, folder)?;
        let prepared = self.engine.judge(&at, text);
        let prepared = prepared.map_err(|e| HubError::Wrong(e.0))?;
        let pass = Pass { bubble, at, text };
        let lacks_tool = !pass.at.who.role.tools().has(cerco_model::Tool::RunCommands);
        let verdict = prepared.request.judgement().verdict();
        match verdict {
            _ if lacks_tool => self.turn_away(&pass, prepared, DecisionSource::Tools),
            Verdict::Refused => self.turn_away(&pass, prepared, DecisionSource::Rule),
            Verdict::Allowed => {
                let decided = Decided::at_once(Decision::Allow, DecisionSource::Rule);
                let entry = self
                    .journal()
                    .begin(&self.opening(&pass, &prepared, decided))?;
                match self.core().desk.submit(prepared.request, now()) {
                    Submitted::Allowed(permit) => Ok(Step::Run(entry, permit)),
                    // The desk is the one that decides; were it ever stricter, so are we.
                    Submitted::Refused(_) | Submitted::Waiting(_) => {
                        self.close_unrun(entry)?;
                        Err(HubError::Wrong("the desk did not allow it".to_owned()))
                    }
                }
            }
            Verdict::Asked => self.ask(&pass, prepared),
        }
    }

    fn turn_away(
        &self,
        pass: &Pass<'_>,
        prepared: Prepared,
        source: DecisionSource,
    ) -> Result<Step, HubError> {
        let decided = Decided::at_once(Decision::Deny, source);
        let entry = self
            .journal()
            .record(&self.opening(pass, &prepared, decided))?;
        let findings = words::findings(prepared.request.judgement());
        // The desk counts vain tries, so it hears of this one too; it can't allow it.
        let submitted = self.core().desk.submit(prepared.request, now());
        debug_assert!(matches!(submitted, Submitted::Refused(_)));
        self.announce(entry);
        let text = if source == DecisionSource::Tools {
            lacks(&pass.at)
        } else {
            instead(&findings)
        };
        Ok(Step::Done(Reply::Refused {
            entry: Some(EntryId(entry.to_string())),
            source: if source == DecisionSource::Tools {
                wire::DecisionSource::Tools
            } else {
                wire::DecisionSource::Rule
            },
            findings,
            text,
            note: None,
        }))
    }

    fn ask(&self, pass: &Pass<'_>, prepared: Prepared) -> Result<Step, HubError> {
        let findings = words::findings(prepared.request.judgement());
        let pending = Decided::at_once(Decision::Pending, DecisionSource::Rule);
        let entry = self
            .journal()
            .begin(&self.opening(pass, &prepared, pending))?;
        let backend = prepared.held.as_ref().map(|held| held.backend.clone());
        let submitted = {
            let mut core = self.core();
            let submitted = core.desk.submit(prepared.request, now());
            if let Submitted::Waiting(ask) = submitted {
                let (waiter, receiver) = oneshot::channel();
                let meta = Meta {
                    entry,
                    bubble: pass.bubble.clone(),
                    at: pass.at.clone(),
                    backend,
                    waiter,
                };
                core.open_ask(ask, meta);
                drop(core);
                self.announce(entry);
                return Ok(Step::Wait(entry, ask, receiver));
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
                Ok(Step::Run(entry, permit))
            }
            Submitted::Refused(Refusal::NoWindow) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::NoWindow);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Ok(Step::Done(unanswered(entry, NoAnswer::NoWindow, findings)))
            }
            Submitted::Refused(Refusal::Tool { .. } | Refusal::Filter) | Submitted::Waiting(_) => {
                let decided = Decided::at_once(Decision::Deny, DecisionSource::Rule);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Err(HubError::Wrong("the desk refused it".to_owned()))
            }
        }
    }

    /// What became of an ask, into the journal and back to the command.
    fn settle(
        &self,
        entry: journal::EntryId,
        ask: DeskAsk,
        outcome: Outcome,
    ) -> Result<After, HubError> {
        let decided = |decision, decision_source, by: Option<wire::WindowId>, waited_ms| Decided {
            decision,
            decision_source,
            ask_id: Some(ask.0),
            answered_by: by.map(|w| w.0),
            waited_ms: Some(waited_ms),
        };
        match outcome {
            Outcome::Allowed {
                permit,
                by,
                always,
                waited_ms,
            } => {
                let source = match (permit.authority(), always) {
                    (Authority::Grants(_), _) => DecisionSource::Grant,
                    (Authority::FullAuto, _) => DecisionSource::FullAuto,
                    (_, Always::Session) => DecisionSource::UserPermanent,
                    (_, Always::Once) => DecisionSource::UserTemporary,
                };
                let decided = decided(Decision::Allow, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                Ok(After::Run(permit))
            }
            Outcome::Denied {
                note,
                by,
                waited_ms,
            } => {
                let source = DecisionSource::UserReject;
                let decided = decided(Decision::Deny, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                let findings = self.findings(entry);
                Ok(After::Done(Reply::Refused {
                    entry: Some(EntryId(entry.to_string())),
                    source: wire::DecisionSource::UserReject,
                    findings,
                    text: match &note {
                        Some(note) => format!("A person denied it and says: {note}"),
                        None => "A person denied it. Don't try it again; ask what to do instead."
                            .to_owned(),
                    },
                    note,
                }))
            }
            Outcome::Unanswered { why, waited_ms } => {
                let source = match why {
                    NoAnswer::NoWindow => DecisionSource::NoWindow,
                    NoAnswer::Timeout => DecisionSource::Timeout,
                    NoAnswer::Withdrawn => DecisionSource::UserAbort,
                };
                let decided = decided(Decision::Deny, source, None, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Ok(After::Done(unanswered(entry, why, self.findings(entry))))
            }
            Outcome::Edited {
                text,
                by,
                waited_ms,
            } => {
                let source = DecisionSource::UserReject;
                let decided = decided(Decision::Deny, source, by, waited_ms);
                self.journal().decide(entry, &decided)?;
                self.close_unrun(entry)?;
                Ok(After::Again(text))
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the whole state of one command's way; a struct for it would be used once"
    )]
    async fn start(
        self: &Arc<Self>,
        entry: journal::EntryId,
        permit: Box<Permit>,
        bubble: &BubbleRef,
        request: RunRequest,
        say: Say,
        cancel: Cancel,
        edited: Option<String>,
    ) -> Reply {
        let id = EntryId(entry.to_string());
        let since = unix_ms();
        let sandboxed = permit.request().sandbox() == cerco_model::SandboxState::On;
        {
            let mut core = self.core();
            core.runs.insert(
                entry.0,
                Running {
                    bubble: bubble.clone(),
                    cancel: cancel.clone(),
                    since,
                },
            );
            if let Some(bubble) = core.bubble_mut(bubble) {
                bubble.runs.push(entry.0);
            }
            core.tell_board(&bubble.board);
        }
        say(Reply::Started { entry: id.clone() });
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let sink = {
            let (say, counts) = (Arc::clone(&say), Arc::clone(&counts));
            let sent = AtomicUsize::new(0);
            self.outputs.sink(
                id.clone(),
                Arc::clone(&self.feeds),
                Box::new(move |stream, bytes: &[u8]| {
                    let [stdout, stderr] = &*counts;
                    let count = if stream == Stream::Stdout {
                        stdout
                    } else {
                        stderr
                    };
                    count.fetch_add(bytes.len(), Ordering::Relaxed);
                    // Whole pieces only, and none after one that was left out: what came is
                    // the beginning of the output, and the rest is read from the disk.
                    if sent.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len() <= MAX_STREAMED
                    {
                        say(Reply::Output {
                            stream,
                            base64: super::output::base64(bytes),
                        });
                    }
                }),
            )
        };
        let hub = Arc::clone(self);
        let options = RunOptions {
            input: request.input,
            limit: request.limit,
        };
        let ended = tokio::task::spawn_blocking(move || {
            hub.announce(entry);
            let outcome = hub.engine.run(*permit, options, sink, &cancel);
            let closed = hub
                .journal()
                .close(entry, &Closing::of(unix_ms(), &outcome));
            (outcome, closed)
        })
        .await;
        {
            let mut core = self.core();
            core.runs.remove(&entry.0);
            if let Some(bubble) = core.bubble_mut(bubble) {
                bubble.runs.retain(|run| *run != entry.0);
            }
            core.tell_board(&bubble.board);
        }
        self.announce(entry);
        let (outcome, closed) = match ended {
            Ok(ended) => ended,
            Err(error) => return failed(&error),
        };
        let [stdout, stderr] = &*counts;
        Reply::Ended {
            entry: id,
            ending: outcome.ending.into(),
            exit_code: outcome.ending.exit_code(),
            duration_ms: millis(outcome.usage.wall),
            stdout_bytes: stdout.load(Ordering::Relaxed) as u64,
            stderr_bytes: stderr.load(Ordering::Relaxed) as u64,
            failure: outcome
                .failure
                .or_else(|| closed.err().map(|e| format!("it ran, but {e}"))),
            sandboxed,
            edited,
        }
    }

    fn opening(&self, pass: &Pass<'_>, prepared: &Prepared, decided: Decided) -> Opening {
        let who = &pass.at.who;
        let host = {
            let core = self.core();
            core.bubble(pass.bubble)
                .and_then(|(_, _, bubble)| bubble.host.clone())
        };
        let mut opening = Opening::of(unix_ms(), pass.text, prepared.request.judgement(), decided);
        opening.project.clone_from(&pass.at.project);
        opening.board = who.board.0.to_string();
        opening.bubble = Some(who.bubble.to_string());
        opening.role = who.role.name().0.to_string();
        opening.loop_name = who.loop_name.to_string();
        opening.host = host.unwrap_or_default();
        opening.cwd.clone_from(&pass.at.directory);
        opening.sandbox.clone_from(&prepared.held);
        opening.env_removed.clone_from(&prepared.env_removed);
        opening
    }

    fn close_unrun(&self, entry: journal::EntryId) -> Result<(), HubError> {
        let closing = Closing::at(unix_ms(), Run::NotRun);
        self.journal().close(entry, &closing)?;
        self.announce(entry);
        Ok(())
    }

    fn findings(&self, entry: journal::EntryId) -> Vec<Finding> {
        let found = self.journal().entry(entry).ok().flatten();
        found.map_or_else(Vec::new, |kept| entries::entry(&kept, None).findings)
    }

    /// Tells every window how an entry stands.
    fn announce(&self, entry: journal::EntryId) {
        if let Ok(Some(entry)) = self.entry_of(entry) {
            self.core().tell(&Event::Entry {
                entry: Box::new(entry),
            });
        }
    }

    fn entry_of(&self, id: journal::EntryId) -> Result<Option<wire::Entry>, HubError> {
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

    /// Whether a run or an entry belongs to this bubble's loop.
    #[must_use]
    pub fn belongs(&self, bubble: &BubbleRef, entry: &EntryId) -> bool {
        let Ok(id) = entry.0.parse::<journal::EntryId>() else {
            return false;
        };
        let kept = self.journal().entry(id).ok().flatten();
        let core = self.core();
        core.bubble(bubble)
            .zip(kept)
            .is_some_and(|((board, place, _), kept)| {
                kept.opening.board == board.id.0 && kept.opening.loop_name == place.at.name
            })
    }

    /// One entry.
    pub fn entry(&self, id: &EntryId) -> Result<wire::Entry, HubError> {
        let id = id.0.parse().map_err(|_| HubError::NotFound("entry"))?;
        self.entry_of(id)?.ok_or(HubError::NotFound("entry"))
    }

    /// The command of an entry as it is kept, and whether secrets in it were masked.
    pub fn kept_command(&self, id: &EntryId) -> Result<(String, bool), HubError> {
        let id: journal::EntryId = id.0.parse().map_err(|_| HubError::NotFound("entry"))?;
        let kept = self
            .journal()
            .entry(id)?
            .ok_or(HubError::NotFound("entry"))?;
        let masked = kept.opening.command.contains("***");
        Ok((kept.opening.command, masked))
    }

    /// Entries that fit, newest first.
    pub fn search(&self, query: &JournalQuery) -> Result<JournalPage, HubError> {
        let limit = query.limit.unwrap_or(50).clamp(1, 200);
        let found = self.journal().entries(&journal::Query {
            text: query.text.clone().filter(|t| !t.trim().is_empty()),
            board: query.board.as_ref().map(|b| b.0.clone()),
            verdict: query.verdict.map(|v| match v {
                wire::Verdict::Allowed => Verdict::Allowed,
                wire::Verdict::Asked => Verdict::Asked,
                wire::Verdict::Refused => Verdict::Refused,
            }),
            before: query
                .before
                .map(|n| journal::EntryId(i64::try_from(n).unwrap_or(i64::MAX))),
            limit,
        })?;
        let core = self.core();
        let entries: Vec<wire::Entry> = found
            .iter()
            .map(|kept| entries::entry(kept, core.runs.get(&kept.id.0).map(|r| r.since)))
            .collect();
        let full = entries.len() == limit as usize;
        let next = entries.last().filter(|_| full).map(|e| e.seq);
        Ok(JournalPage { entries, next })
    }

    /// Every entry as JSON lines, oldest first.
    pub fn export(&self, mut line: impl FnMut(String) -> bool) -> Result<(), HubError> {
        let done = self.journal().export(|entry| {
            if line(entry.to_json().to_string()) {
                Ok(())
            } else {
                Err(())
            }
        })?;
        // The reader went away: nothing is wrong with the journal.
        let _: Result<(), ()> = done;
        Ok(())
    }

    /// A range of a run's kept output, raw.
    pub fn output(
        &self,
        entry: &EntryId,
        stream: Stream,
        from: u64,
        length: u64,
    ) -> Result<(Vec<u8>, u64), HubError> {
        self.outputs
            .range(entry, stream, from, length)
            .map_err(|e| HubError::Wrong(format!("the kept output can't be read: {e}")))
    }

    /// A range of a run's kept output, cleaned for a window.
    pub fn output_range(
        &self,
        entry: &EntryId,
        query: &OutputQuery,
    ) -> Result<OutputRange, HubError> {
        let most = 64 * 1024;
        let length = query.length.unwrap_or(most).min(most);
        let (bytes, total) = self.output(entry, query.stream, query.from, length)?;
        Ok(OutputRange {
            entry: entry.clone(),
            stream: query.stream,
            from: query.from,
            to: query.from + bytes.len() as u64,
            total,
            pieces: crate::clean::Cleaner::default().feed(&bytes),
        })
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

enum After {
    Run(Box<Permit>),
    Again(String),
    Done(Reply),
}

fn failed(error: &dyn std::fmt::Display) -> Reply {
    Reply::Failed {
        text: error.to_string(),
    }
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

fn unanswered(entry: journal::EntryId, why: NoAnswer, findings: Vec<Finding>) -> Reply {
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
        text: text.to_owned(),
        note: None,
    }
}
