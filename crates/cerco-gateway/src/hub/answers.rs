//! Answers: from a person's word in a window to the desk, and what became of it.

use cerco_decide::{
    AnswerRefused, Ask, AskId as DeskAsk, Event as DeskEvent, WindowId as DeskWindow,
};
use cerco_model::{Kind, Verdict};

use super::asks::{Always, READING_MS, number};
use super::boards::BubbleRef;
use super::{Core, Hub, HubError, now};
use crate::wire::{
    Answer, AnswerRequest, AnswerResult, AskCard, AskId, AskLine, AskState, EntryId, Event, LoopId,
    WindowId,
};
use crate::words;
impl Hub {
    /// A person's answer. Judges an edited text, so it may take a moment.
    pub fn answer(&self, ask: &AskId, answer: &AnswerRequest) -> Result<AnswerResult, HubError> {
        let id = number(ask).ok_or(HubError::NotFound("ask"))?;
        let mut result = AnswerResult::Settled;
        if let Some(text) = &answer.edited {
            if answer.answer != Answer::AllowOnce {
                return Err(HubError::Wrong(
                    "an edited command can only be allowed once".to_owned(),
                ));
            }
            let at = self.core().metas.get(&id).map(|meta| meta.at.clone());
            if let Some(at) = at {
                let prepared = self.engine.judge(&at, text);
                let prepared = prepared.map_err(|e| HubError::Wrong(e.0))?;
                match prepared.request.judgement().verdict() {
                    Verdict::Refused => {
                        return Ok(AnswerResult::EditRefused {
                            findings: words::findings(prepared.request.judgement()),
                        });
                    }
                    Verdict::Asked => result = AnswerResult::AskedAgain,
                    Verdict::Allowed => {}
                }
            }
        }
        let mut core = self.core();
        let window = core.window_for(id, &answer.window)?;
        let always = match answer.answer {
            Answer::AllowAlways => Always::Session,
            Answer::AllowOnce | Answer::Deny => Always::Once,
        };
        match core.desk.answer(id, window, desk_answer(answer), now()) {
            Ok(events) => {
                let mut events = events.into_iter();
                let first: Vec<DeskEvent> = events.by_ref().take(1).collect();
                core.carry_out_as(first, always);
                // Others that the new grants cover: allowed by a grant, by nobody's click.
                core.carry_out(events.collect());
                Ok(result)
            }
            Err(AnswerRefused::Settled { .. }) => Ok(AnswerResult::TooLate {
                now: core.settled_state(id).unwrap_or(AskState::Expired),
            }),
            Err(AnswerRefused::TooFast) => {
                core.tell(&Event::Alarm {
                    at: super::unix_ms(),
                    text: "An answer came faster than a person reads; it was not taken.".to_owned(),
                });
                Ok(AnswerResult::TooFast {
                    retry_in_ms: READING_MS,
                })
            }
            Err(AnswerRefused::Unknown) => Err(HubError::NotFound("ask")),
            Err(AnswerRefused::NoWindow) => Err(HubError::NotFound("window")),
            Err(error @ AnswerRefused::NotOffered(_)) => Err(HubError::Wrong(error.to_string())),
        }
    }

    /// Two more minutes for an ask.
    pub fn extend(&self, ask: &AskId, window: &WindowId) -> Result<(), HubError> {
        let id = number(ask).ok_or(HubError::NotFound("ask"))?;
        let mut core = self.core();
        let window = core.window_for(id, window)?;
        let more = std::time::Duration::from_mins(2);
        core.desk
            .extend(id, window, more, now())
            .map_err(|e| HubError::Wrong(e.to_string()))?;
        let card = core
            .desk
            .ask(id)
            .zip(core.metas.get(&id))
            .map(|(ask, meta)| core.card(ask, meta));
        if let Some(card) = card {
            core.tell(&Event::Ask {
                card: Box::new(card),
            });
        }
        Ok(())
    }

    /// Denies every open ask of a loop; says how many.
    pub fn deny_all(
        &self,
        loop_id: &LoopId,
        window: &WindowId,
        note: Option<&str>,
    ) -> Result<usize, HubError> {
        let number: u64 = loop_id.0.parse().map_err(|_| HubError::NotFound("loop"))?;
        let mut core = self.core();
        let asks: Vec<DeskAsk> = core
            .metas
            .iter()
            .filter(|(_, meta)| meta.bubble.loop_id == number)
            .map(|(id, _)| *id)
            .collect();
        let mut denied = 0;
        for ask in asks {
            let window = core.window_for(ask, window)?;
            let answer = cerco_decide::Answer::Deny {
                note: note.map(str::to_owned),
            };
            if let Ok(events) = core.desk.answer(ask, window, answer, now()) {
                denied += 1;
                core.carry_out(events);
            }
        }
        Ok(denied)
    }

    /// Every open ask, oldest first.
    #[must_use]
    pub fn asks(&self) -> Vec<AskCard> {
        self.core().cards()
    }

    /// A bubble's own open asks.
    #[must_use]
    pub fn asks_of(&self, bubble: &BubbleRef) -> Vec<AskLine> {
        let core = self.core();
        core.metas
            .iter()
            .filter(|(_, meta)| meta.bubble == *bubble)
            .map(|(id, meta)| AskLine {
                ask: AskId(id.0.to_string()),
                entry: EntryId(meta.entry.to_string()),
                asked_at: core.desk.ask(*id).map_or(0, Ask::since_unix_ms),
                state: AskState::Open,
            })
            .collect()
    }

    pub(super) fn withdraw(&self, ask: DeskAsk) {
        let mut core = self.core();
        let event = core.desk.withdraw(ask, now());
        core.carry_out(event.into_iter().collect());
    }
}

impl Core {
    /// The desk's window of the page that answers, on the ask's board. An unknown window
    /// gets a number that the desk doesn't know, so that it says what became of the ask.
    fn window_for(&self, ask: DeskAsk, page: &WindowId) -> Result<DeskWindow, HubError> {
        let board = self.desk.ask(ask).map(|a| a.request().who().board.clone());
        match board {
            Some(board) => self
                .desk_window(page, &board)
                .ok_or(HubError::NotFound("window")),
            None => Ok(DeskWindow(u64::MAX)),
        }
    }
}

fn desk_answer(answer: &AnswerRequest) -> cerco_decide::Answer {
    if let Some(text) = &answer.edited {
        return cerco_decide::Answer::Edit { text: text.clone() };
    }
    match answer.answer {
        Answer::AllowOnce => cerco_decide::Answer::AllowOnce,
        Answer::AllowAlways => cerco_decide::Answer::AllowAlways {
            ticked: answer.kinds.iter().cloned().map(Kind::named).collect(),
        },
        Answer::Deny => cerco_decide::Answer::Deny {
            note: answer.note.clone(),
        },
    }
}
