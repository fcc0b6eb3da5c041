//! Asks: from the desk's question to the cards in the windows, and from an answer back to
//! the command that waits.

use cerco_decide::{Ask, AskId as DeskAsk, Event as DeskEvent, NoAnswer, Permit, Settled};
use cerco_model::SandboxState;
use tokio::sync::oneshot;

use super::boards::BubbleRef;
use super::{Core, millis, now};
use crate::engine::Where;
use crate::journal;
use crate::wire::{
    Answer, AskCard, AskId, AskState, BoardId, BubbleId, EntryId, Event, LoopId, NetworkReach,
    NetworkSetting, SandboxLine, WindowId,
};
use crate::words::{self, shown};

/// How long an ask has to be on a screen before it can be allowed.
pub(super) const READING_MS: u64 = 400;
/// How many settled asks are remembered for late answers.
const SETTLED_KEPT: usize = 256;

/// What is known of an ask beside what the desk knows.
pub(super) struct Meta {
    pub(super) entry: journal::EntryId,
    pub(super) bubble: BubbleRef,
    pub(super) at: Where,
    pub(super) backend: Option<String>,
    /// The command, for when the desk has forgotten it.
    pub(super) text: String,
    pub(super) waiter: oneshot::Sender<Outcome>,
}

/// An ask that was settled.
pub(super) struct Past {
    pub(super) ask: DeskAsk,
    pub(super) state: AskState,
    pub(super) bubble: BubbleRef,
    pub(super) text: String,
}

/// What came of an ask, for the command that waits.
pub(super) enum Outcome {
    /// It may run.
    Allowed {
        permit: Box<Permit>,
        by: Option<WindowId>,
        always: Always,
        waited_ms: u64,
    },
    /// A person said no.
    Denied {
        note: Option<String>,
        by: Option<WindowId>,
        waited_ms: u64,
    },
    /// Nobody answered.
    Unanswered { why: NoAnswer, waited_ms: u64 },
    /// A person wants another text to run.
    Edited {
        text: String,
        by: Option<WindowId>,
        waited_ms: u64,
    },
}

/// Whether the person's answer holds for the session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Always {
    Once,
    Session,
}

/// The desk's number of an ask.
pub(super) fn number(ask: &AskId) -> Option<DeskAsk> {
    ask.0.parse().ok().map(DeskAsk)
}

impl Core {
    /// Carries out what the desk decided: the waiting commands hear it, and the windows.
    pub(super) fn carry_out(&mut self, events: Vec<DeskEvent>) {
        self.carry_out_as(events, Always::Once);
    }

    pub(super) fn carry_out_as(&mut self, events: Vec<DeskEvent>, always: Always) {
        for event in events {
            let DeskEvent::Settled {
                ask,
                by,
                how,
                waited,
            } = event;
            let by = by.map(|window| self.window_id(window));
            let Some(meta) = self.metas.remove(&ask) else {
                continue;
            };
            let state = state(&how, by.as_ref(), always);
            let waited_ms = millis(waited);
            let outcome = match how {
                Settled::Allowed(permit) => Outcome::Allowed {
                    permit,
                    by,
                    always,
                    waited_ms,
                },
                Settled::Denied { note } => Outcome::Denied {
                    note,
                    by,
                    waited_ms,
                },
                Settled::Unanswered(why) => Outcome::Unanswered { why, waited_ms },
                Settled::Edited { text } => Outcome::Edited {
                    text,
                    by,
                    waited_ms,
                },
            };
            // A command that does not wait any more has been cancelled.
            let _ = meta.waiter.send(outcome);
            if let Some(bubble) = self.bubble_mut(&meta.bubble) {
                bubble.waiting = bubble.waiting.saturating_sub(1);
            }
            self.settled.push_back(Past {
                ask,
                state: state.clone(),
                bubble: meta.bubble.clone(),
                text: meta.text,
            });
            if self.settled.len() > SETTLED_KEPT {
                self.settled.pop_front();
            }
            self.tell(&Event::AskSettled {
                ask: AskId(ask.0.to_string()),
                state,
            });
            self.tell_board(&meta.bubble.board);
        }
    }

    /// Every open ask, oldest first.
    pub(super) fn cards(&self) -> Vec<AskCard> {
        self.metas
            .iter()
            .filter_map(|(id, meta)| Some(self.card(self.desk.ask(*id)?, meta)))
            .collect()
    }

    pub(super) fn card(&self, ask: &Ask, meta: &Meta) -> AskCard {
        let request = ask.request();
        let who = request.who();
        let host = self
            .bubble(&meta.bubble)
            .and_then(|(_, _, b)| b.host.clone());
        let left = ask.time_left(now().moment);
        let waited = millis(ask.waited(now().moment));
        let folder = std::path::Path::new(request.directory());
        let inside = folder.strip_prefix(&meta.at.project).unwrap_or(folder);
        AskCard {
            id: AskId(ask.id().0.to_string()),
            entry: EntryId(meta.entry.to_string()),
            board: BoardId(who.board.0.to_string()),
            loop_id: LoopId(meta.bubble.loop_id.to_string()),
            loop_name: shown(&who.loop_name),
            bubble: BubbleId(meta.bubble.bubble.to_string()),
            bubble_name: shown(&who.bubble),
            role: shown(&who.role.name().0),
            host: shown(&host.unwrap_or_default()),
            command: words::shown_text(request.command().text(), request.judgement().findings()),
            text: request.command().text().to_owned(),
            findings: words::findings(request.judgement()),
            programs: words::programs(request.judgement()),
            kinds: words::ask_kinds(ask),
            folder: shown(&inside.display().to_string()),
            sandbox: SandboxLine {
                on: request.sandbox() == SandboxState::On,
                backend: meta.backend.clone(),
                network: match (request.sandbox(), self.network(&who.board)) {
                    (SandboxState::Off, _) => NetworkReach::Open,
                    (SandboxState::On, NetworkSetting::Off) => NetworkReach::None,
                    (SandboxState::On, NetworkSetting::RegistriesOnly) => {
                        NetworkReach::RegistriesOnly
                    }
                },
            },
            explain: words::explain(ask),
            asked_at: ask.since_unix_ms(),
            left_ms: millis(left),
            ready_in_ms: READING_MS.saturating_sub(waited),
            repeats: ask.refused_before(),
            state: AskState::Open,
        }
    }

    /// The network of a board's commands in the sandbox.
    fn network(&self, board: &cerco_decide::BoardId) -> NetworkSetting {
        let own = self.state(board).ok().map(|b| b.project.choices());
        own.and_then(|own| own.network)
            .unwrap_or(self.settings.network)
    }

    pub(super) fn settled_state(&self, ask: DeskAsk) -> Option<AskState> {
        self.past(ask).map(|past| past.state.clone())
    }

    pub(super) fn past(&self, ask: DeskAsk) -> Option<&Past> {
        self.settled.iter().rev().find(|past| past.ask == ask)
    }
}

fn state(how: &Settled, by: Option<&WindowId>, always: Always) -> AskState {
    let window = by.cloned().unwrap_or_else(|| WindowId("-".to_owned()));
    match how {
        Settled::Allowed(_) => AskState::Answered {
            answer: match always {
                Always::Once => Answer::AllowOnce,
                Always::Session => Answer::AllowAlways,
            },
            window,
            note: None,
        },
        Settled::Denied { note } => AskState::Answered {
            answer: Answer::Deny,
            window,
            note: note.as_deref().map(shown),
        },
        Settled::Edited { .. } => AskState::Answered {
            answer: Answer::AllowOnce,
            window,
            note: None,
        },
        Settled::Unanswered(NoAnswer::NoWindow) => AskState::NoWindow,
        Settled::Unanswered(NoAnswer::Timeout) => AskState::Expired,
        Settled::Unanswered(NoAnswer::Withdrawn) => AskState::Withdrawn,
    }
}
