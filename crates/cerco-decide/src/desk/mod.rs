//! The ask desk: a state machine with a given clock.
//!
//! It must never read a clock, wait, or let anything but a present window's person, a grant
//! or Full Auto allow an asked command. Events come back as values; the caller tells them
//! to windows and bubbles.

mod ask;
mod repeats;
mod settle;
mod windows;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use cerco_model::{Kind, RoleName, Tool, Verdict};

pub use ask::{Answer, AnswerRefused, Ask, AskId, AskKind, NoAnswer, Settled, WindowId};

use crate::{Board, BoardId, FullAuto, Now, Permit, Request};
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

    /// The bubble takes its ask back.
    pub fn withdraw(&mut self, id: AskId, now: Now) -> Option<Event> {
        self.unanswered(id, NoAnswer::Withdrawn, now)
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

    fn take(&mut self, id: AskId, by: Option<WindowId>) -> Option<Ask> {
        let ask = self.asks.remove(&id)?;
        self.windows.forget(id);
        self.settled.push_back((id, by));
        if self.settled.len() > SETTLED_KEPT {
            self.settled.pop_front();
        }
        Some(ask)
    }
}
