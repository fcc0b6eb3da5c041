//! The ask desk: a state machine with a given clock.
//!
//! It must never read a clock, wait, or let anything but a present window's person, a grant
//! or Full Auto allow an asked command. Events come back as values; the caller tells them
//! to windows and bubbles.

mod ask;
mod repeats;
mod windows;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use cerco_model::{Kind, RoleName, Tool, Verdict};

pub use ask::{Answer, AnswerRefused, Ask, AskId, AskKind, NoAnswer, Settled, WindowId};

use crate::{Board, BoardId, FullAuto, Moment, Now, Permit, Request};
use repeats::Repeats;
use windows::Windows;

/// How many settled asks are remembered, to tell a late answer what happened.
const SETTLED_KEPT: usize = 256;
/// No ask waits longer than this from now, however often its time is extended.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// The desk's times. Only a person's settings change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long an ask waits for an answer.
    pub answer_time: Duration,
    /// How long a window counts as open after its last sign of life.
    pub window_life: Duration,
    /// An allowing answer sooner after showing was no reading.
    pub reading_time: Duration,
    /// Allowing answers of one window closer together are no person's.
    pub answer_gap: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            answer_time: Duration::from_mins(2),
            window_life: Duration::from_secs(15),
            reading_time: Duration::from_millis(400),
            answer_gap: Duration::from_millis(300),
        }
    }
}

/// Why a request does not run, without anybody being asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Layer 1: the role lacks the tool.
    Tool {
        /// The role.
        role: RoleName,
        /// The tool.
        tool: Tool,
    },
    /// Layer 2: the filter refuses it.
    Filter,
    /// It would have to be asked, and no window is open.
    NoWindow,
}

/// What became of a request at once.
#[derive(Debug)]
pub enum Submitted {
    /// It may run.
    Allowed(Box<Permit>),
    /// It may not.
    Refused(Refusal),
    /// A person is asked.
    Waiting(AskId),
}

/// Something that happened and that windows or bubbles want to hear.
#[derive(Debug)]
pub enum Event {
    /// An ask ended.
    Settled {
        /// Which.
        ask: AskId,
        /// The window that ended it, where one did.
        by: Option<WindowId>,
        /// How.
        how: Settled,
        /// How long it had waited.
        waited: Duration,
    },
}

/// All boards' asks, windows, grants and switches.
#[derive(Debug, Default)]
pub struct Desk {
    settings: Settings,
    boards: BTreeMap<BoardId, Board>,
    asks: BTreeMap<AskId, Ask>,
    settled: VecDeque<(AskId, Option<WindowId>)>,
    windows: Windows,
    repeats: Repeats,
    next: u64,
}

impl Desk {
    /// An empty desk.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Takes other times; asks that wait keep theirs.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Adds a board as it stands after a start; one that is there already is left as it is.
    pub fn add_board(&mut self, id: BoardId, full_auto: Option<FullAuto>) {
        self.boards
            .entry(id)
            .or_insert_with(|| Board::restored(full_auto));
    }

    /// Removes a board; its asks are withdrawn.
    pub fn remove_board(&mut self, id: &BoardId, now: Now) -> Vec<Event> {
        self.boards.remove(id);
        let asks: Vec<AskId> = self.asks(id).map(Ask::id).collect();
        asks.into_iter()
            .filter_map(|ask| self.unanswered(ask, NoAnswer::Withdrawn, now))
            .collect()
    }

    /// A board's grants and switch.
    #[must_use]
    pub fn board(&self, id: &BoardId) -> Option<&Board> {
        self.boards.get(id)
    }

    /// The board's waiting asks, oldest first.
    pub fn asks(&self, board: &BoardId) -> impl Iterator<Item = &Ask> {
        self.asks
            .values()
            .filter(move |ask| ask.request.who().board == *board)
    }

    /// A waiting ask.
    #[must_use]
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        self.asks.get(&id)
    }

    /// Takes a request through the layers: tools, filter, grants, Full Auto, a person.
    pub fn submit(&mut self, request: Request, now: Now) -> Submitted {
        let role = &request.who().role;
        if !role.tools().has(Tool::RunCommands) {
            return Submitted::Refused(Refusal::Tool {
                role: role.name().clone(),
                tool: Tool::RunCommands,
            });
        }
        if request.judgement().verdict() == Verdict::Refused {
            self.repeats.note(&request);
            return Submitted::Refused(Refusal::Filter);
        }
        let id = request.who().board.clone();
        let board = self.boards.entry(id.clone()).or_default();
        if let Some(authority) = board.standing_authority(request.judgement()) {
            return Submitted::Allowed(Box::new(request.permit(authority)));
        }
        if !self
            .windows
            .any_present(&id, now.moment, self.settings.window_life)
        {
            self.repeats.note(&request);
            return Submitted::Refused(Refusal::NoWindow);
        }
        Submitted::Waiting(self.open_ask(request, now))
    }

    fn open_ask(&mut self, request: Request, now: Now) -> AskId {
        self.next = self.next.saturating_add(1);
        let id = AskId(self.next);
        let board = self.boards.get(&request.who().board);
        let kinds = request.judgement().asked_kinds();
        let kinds = kinds.into_iter().map(|kind| AskKind {
            grantable: kind.is_grantable(),
            granted: board.is_some_and(|b| b.grants_kind(&kind)),
            kind,
        });
        let ask = Ask {
            id,
            kinds: kinds.collect(),
            since: now.moment,
            since_unix_ms: now.unix_ms,
            deadline: now.moment.plus(self.settings.answer_time),
            refused_before: self.repeats.times(&request),
            request,
        };
        self.asks.insert(id, ask);
        id
    }

    /// A window of the board opens.
    pub fn open_window(&mut self, board: &BoardId, now: Now) -> WindowId {
        self.windows.open(board, now.moment)
    }

    /// A window's sign of life. `false`: it was silent for too long and has to open anew.
    pub fn beat(&mut self, window: WindowId, now: Now) -> bool {
        self.windows
            .beat(window, now.moment, self.settings.window_life)
    }

    /// A window closes.
    pub fn close_window(&mut self, window: WindowId, now: Now) {
        self.windows.close(window, now.moment);
    }

    /// The window has put the ask on the screen; answers count from here.
    pub fn shown(&mut self, ask: AskId, window: WindowId, now: Now) {
        if self.asks.contains_key(&ask) {
            self.windows.show(window, ask, now.moment);
        }
    }

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

    /// The bubble takes its ask back.
    pub fn withdraw(&mut self, id: AskId, now: Now) -> Option<Event> {
        self.unanswered(id, NoAnswer::Withdrawn, now)
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

    /// Revokes a grant; `false` when there was none.
    pub fn revoke(&mut self, board: &BoardId, kind: &Kind) -> bool {
        self.boards.get_mut(board).is_some_and(|b| b.revoke(kind))
    }

    /// Switches Full Auto on, if the person typed the board's name; waiting asks settle.
    pub fn full_auto_on(&mut self, board: &BoardId, typed: &str, now: Now) -> Option<Vec<Event>> {
        if typed != board.0 {
            return None;
        }
        self.boards
            .entry(board.clone())
            .or_default()
            .set_full_auto(Some(now));
        Some(self.settle_covered(board, now))
    }

    /// Switches Full Auto off.
    pub fn full_auto_off(&mut self, board: &BoardId) {
        if let Some(board) = self.boards.get_mut(board) {
            board.set_full_auto(None);
        }
    }

    /// Settles the board's waiting asks that a grant or Full Auto covers by now.
    fn settle_covered(&mut self, board: &BoardId, now: Now) -> Vec<Event> {
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

    fn unanswered(&mut self, id: AskId, why: NoAnswer, now: Now) -> Option<Event> {
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

    fn take(&mut self, id: AskId, by: Option<WindowId>) -> Option<Ask> {
        let ask = self.asks.remove(&id)?;
        self.windows.forget(id);
        self.settled.push_back((id, by));
        if self.settled.len() > SETTLED_KEPT {
            self.settled.pop_front();
        }
        Some(ask)
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
