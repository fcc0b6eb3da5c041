//! Which windows are open: a window counts while it says so.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{AskId, WindowId};
use crate::{BoardId, Moment};

#[derive(Debug)]
struct Window {
    board: BoardId,
    last_beat: Moment,
    last_answer: Option<Moment>,
    shown: BTreeMap<AskId, Moment>,
}

/// The windows of all boards.
#[derive(Debug, Default)]
pub(super) struct Windows {
    open: BTreeMap<WindowId, Window>,
    last_presence: BTreeMap<BoardId, Moment>,
    next: u64,
}

impl Windows {
    pub(super) fn open(&mut self, board: &BoardId, now: Moment) -> WindowId {
        self.next = self.next.saturating_add(1);
        let id = WindowId(self.next);
        self.last_presence.insert(board.clone(), now);
        let window = Window {
            board: board.clone(),
            last_beat: now,
            last_answer: None,
            shown: BTreeMap::new(),
        };
        self.open.insert(id, window);
        id
    }

    /// A silent window is closed for good: it opens anew.
    pub(super) fn beat(&mut self, id: WindowId, now: Moment, life: Duration) -> bool {
        let Some(window) = self.open.get_mut(&id) else {
            return false;
        };
        if now.since(window.last_beat) > life {
            self.open.remove(&id);
            return false;
        }
        window.last_beat = now.max(window.last_beat);
        self.last_presence.insert(window.board.clone(), now);
        true
    }

    pub(super) fn close(&mut self, id: WindowId, now: Moment) {
        if let Some(window) = self.open.remove(&id) {
            self.last_presence.insert(window.board, now);
        }
    }

    pub(super) fn is_present(
        &self,
        id: WindowId,
        board: &BoardId,
        now: Moment,
        life: Duration,
    ) -> bool {
        self.open
            .get(&id)
            .is_some_and(|w| w.board == *board && now.since(w.last_beat) <= life)
    }

    pub(super) fn any_present(&self, board: &BoardId, now: Moment, life: Duration) -> bool {
        self.open
            .keys()
            .any(|id| self.is_present(*id, board, now, life))
    }

    /// Whether the board has been without a window for longer than `life`: a page that
    /// reloads is gone for less.
    pub(super) fn is_deserted(&self, board: &BoardId, now: Moment, life: Duration) -> bool {
        !self.any_present(board, now, life)
            && self
                .last_presence
                .get(board)
                .is_none_or(|last| now.since(*last) > life)
    }

    /// Notes that `id` shows the ask; the first time counts.
    pub(super) fn show(&mut self, id: WindowId, ask: AskId, now: Moment) {
        if let Some(window) = self.open.get_mut(&id) {
            window.shown.entry(ask).or_insert(now);
        }
    }

    /// Since when the window shows the ask, and when it last gave an answer.
    pub(super) fn pace(&self, id: WindowId, ask: AskId) -> (Option<Moment>, Option<Moment>) {
        self.open.get(&id).map_or((None, None), |w| {
            (w.shown.get(&ask).copied(), w.last_answer)
        })
    }

    pub(super) fn answered(&mut self, id: WindowId, now: Moment) {
        if let Some(window) = self.open.get_mut(&id) {
            window.last_answer = Some(now);
        }
    }

    pub(super) fn forget(&mut self, ask: AskId) {
        for window in self.open.values_mut() {
            window.shown.remove(&ask);
        }
    }
}
