//! What ends an ask: an answer, the passing of time, a grant or Full Auto that covers it by now.

use std::time::Duration;

use cerco_model::Kind;

use super::{
    Answer, AnswerRefused, Ask, AskId, Desk, Event, LONGEST_WAIT, NoAnswer, Settled, WindowId,
};
use crate::{BoardId, Moment, Now, Permit};

impl Desk {
    /// A person's answer. The first one that counts settles the ask; asks that its grants
    /// cover settle with it. The answered ask's event comes first.
    pub fn answer(
        &mut self,
        id: AskId,
        window: WindowId,
        answer: Answer,
        now: Now,
    ) -> Result<Vec<Event>, AnswerRefused> {
        let ask = self
            .asks
            .get(&id)
            .ok_or_else(|| self.why_gone(id, window))?;
        let board = ask.request.who().board.clone();
        let life = self.settings.window_life;
        if !self.windows.is_present(window, &board, now.moment, life) {
            return Err(AnswerRefused::NoWindow);
        }
        if ask.deadline <= now.moment {
            // The caller's tick is late; the time is up all the same.
            return Err(AnswerRefused::Settled { by_window: false });
        }
        if !matches!(answer, Answer::Deny { .. }) && self.is_too_fast(id, window, now.moment) {
            return Err(AnswerRefused::TooFast);
        }
        if let Answer::AllowAlways { ticked } = &answer {
            let offered = |kind: &Kind| ask.kinds.iter().any(|k| k.kind == *kind && k.grantable);
            if let Some(kind) = ticked.iter().find(|kind| !offered(kind)) {
                return Err(AnswerRefused::NotOffered(kind.clone()));
            }
        }
        self.windows.answered(window, now.moment);
        let Some(ask) = self.take(id, Some(window)) else {
            return Err(AnswerRefused::Unknown);
        };
        let waited = ask.waited(now.moment);
        let (how, ticked) = match answer {
            Answer::AllowOnce => (Settled::Allowed(Box::new(by_person(ask))), Vec::new()),
            Answer::AllowAlways { ticked } => (Settled::Allowed(Box::new(by_person(ask))), ticked),
            Answer::Deny { note } => {
                self.repeats.note(&ask.request);
                (Settled::Denied { note }, Vec::new())
            }
            Answer::Edit { text } => (Settled::Edited { text }, Vec::new()),
        };
        let entry = self.boards.entry(board.clone()).or_default();
        for kind in &ticked {
            entry.grant(kind, window, now);
        }
        let by = Some(window);
        let mut events = vec![Event::Settled {
            ask: id,
            by,
            how,
            waited,
        }];
        events.extend(self.settle_covered(&board, now));
        Ok(events)
    }

    /// Gives the person more time; never more than an hour from now.
    pub fn extend(
        &mut self,
        id: AskId,
        window: WindowId,
        by: Duration,
        now: Now,
    ) -> Result<(), AnswerRefused> {
        let gone = self.why_gone(id, window);
        let ask = self.asks.get_mut(&id).ok_or(gone)?;
        let board = &ask.request.who().board;
        let life = self.settings.window_life;
        if !self.windows.is_present(window, board, now.moment, life) {
            return Err(AnswerRefused::NoWindow);
        }
        let latest = now.moment.plus(LONGEST_WAIT);
        ask.deadline = ask.deadline.plus(by).min(latest).max(ask.deadline);
        Ok(())
    }

    /// Settles what the passing of time settles.
    pub fn tick(&mut self, now: Now) -> Vec<Event> {
        let life = self.settings.window_life;
        let due: Vec<(AskId, NoAnswer)> = self
            .asks
            .values()
            .filter_map(|ask| {
                let board = &ask.request.who().board;
                if ask.deadline <= now.moment {
                    Some((ask.id, NoAnswer::Timeout))
                } else if self.windows.is_deserted(board, now.moment, life) {
                    Some((ask.id, NoAnswer::NoWindow))
                } else {
                    None
                }
            })
            .collect();
        due.into_iter()
            .filter_map(|(id, why)| self.unanswered(id, why, now))
            .collect()
    }

    /// When the next ask's time is up. Call [`Desk::tick`] then, and every few seconds.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Moment> {
        self.asks.values().map(|ask| ask.deadline).min()
    }

    /// Settles the board's waiting asks that a grant or Full Auto covers by now.
    pub(super) fn settle_covered(&mut self, board: &BoardId, now: Now) -> Vec<Event> {
        let waiting: Vec<AskId> = self.asks(board).map(Ask::id).collect();
        let mut events = Vec::new();
        for id in waiting {
            let authority = self
                .asks
                .get(&id)
                .zip(self.boards.get_mut(board))
                .filter(|(ask, _)| ask.deadline > now.moment)
                .and_then(|(ask, board)| board.standing_authority(ask.request.judgement()));
            let Some(authority) = authority else { continue };
            if let Some(ask) = self.take(id, None) {
                let waited = ask.waited(now.moment);
                let how = Settled::Allowed(Box::new(ask.request.permit(authority)));
                events.push(Event::Settled {
                    ask: id,
                    by: None,
                    how,
                    waited,
                });
            }
        }
        events
    }

    pub(super) fn unanswered(&mut self, id: AskId, why: NoAnswer, now: Now) -> Option<Event> {
        let ask = self.take(id, None)?;
        if why != NoAnswer::Withdrawn {
            self.repeats.note(&ask.request);
        }
        Some(Event::Settled {
            ask: id,
            by: None,
            how: Settled::Unanswered(why),
            waited: ask.waited(now.moment),
        })
    }

    fn is_too_fast(&self, ask: AskId, window: WindowId, now: Moment) -> bool {
        let (shown, answered) = self.windows.pace(window, ask);
        let unread = shown.is_none_or(|at| now.since(at) < self.settings.reading_time);
        let burst = answered.is_some_and(|at| now.since(at) < self.settings.answer_gap);
        unread || burst
    }

    fn why_gone(&self, id: AskId, window: WindowId) -> AnswerRefused {
        match self.settled.iter().find(|(ask, _)| *ask == id) {
            Some((_, by)) => AnswerRefused::Settled {
                by_window: by.is_some_and(|by| by != window),
            },
            None => AnswerRefused::Unknown,
        }
    }
}

/// A person's allow covers all that the ask showed, nothing else.
fn by_person(ask: Ask) -> Permit {
    let kinds = ask.kinds.into_iter().map(|k| k.kind).collect();
    ask.request.permit(cerco_model::Authority::Person(kinds))
}
