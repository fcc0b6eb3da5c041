//! Windows: a page's live connection, present on every board while it says so.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use cerco_decide::{BoardId, WindowId as DeskWindow};

use super::feed::Feed;
use super::{Core, Hub, HubError, now};
use crate::wire::{AskId, EntryId, JournalQuery, Snapshot, Terminal, WindowId};

pub(super) struct Page {
    pub(super) feed: Feed,
    pub(super) windows: BTreeMap<BoardId, DeskWindow>,
}

impl Core {
    /// A page is present on a board that is new.
    pub(super) fn open_windows(&mut self, board: &BoardId) {
        for (number, page) in &mut self.pages {
            let window = self.desk.open_window(board, now());
            page.windows.insert(board.clone(), window);
            self.page_of.insert(window, *number);
        }
    }

    /// The desk's window of a page on a board.
    pub(super) fn desk_window(&self, page: &WindowId, board: &BoardId) -> Option<DeskWindow> {
        self.pages.get(&number(page)?)?.windows.get(board).copied()
    }

    pub(super) fn window_id(&self, window: DeskWindow) -> WindowId {
        let page = self.page_of.get(&window);
        WindowId(page.map_or_else(|| "w?".to_owned(), |page| format!("w{page}")))
    }
}

fn number(window: &WindowId) -> Option<u64> {
    window.0.strip_prefix('w')?.parse().ok()
}

impl Hub {
    /// A signed-in page connected: it is present from now on, and gets every event after
    /// the number that comes back.
    #[must_use]
    pub fn open_window(&self) -> (WindowId, Feed, u64) {
        let mut core = self.core();
        let (page, event) = (core.next(), core.event);
        let feed = Feed::default();
        let boards: Vec<BoardId> = core.boards.iter().map(|b| b.id.clone()).collect();
        let mut windows = BTreeMap::new();
        for board in boards {
            let window = core.desk.open_window(&board, now());
            core.page_of.insert(window, page);
            windows.insert(board, window);
        }
        core.pages.insert(
            page,
            Page {
                feed: feed.clone(),
                windows,
            },
        );
        drop(core);
        self.feeds
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(feed.clone());
        (WindowId(format!("w{page}")), feed, event)
    }

    /// Its sign of life. A window that was silent for too long is present anew from here.
    pub fn beat(&self, window: &WindowId) {
        let mut core = self.core();
        let Some(page) = number(window) else { return };
        let Some(windows) = core.pages.get(&page).map(|p| p.windows.clone()) else {
            return;
        };
        for (board, desk_window) in windows {
            if !core.desk.beat(desk_window, now()) {
                let again = core.desk.open_window(&board, now());
                core.page_of.insert(again, page);
                if let Some(page) = core.pages.get_mut(&page) {
                    page.windows.insert(board, again);
                }
            }
        }
    }

    /// These asks are on its screen now.
    pub fn shown(&self, window: &WindowId, asks: &[AskId]) {
        let mut core = self.core();
        for ask in asks.iter().filter_map(super::asks::number) {
            let board = core.desk.ask(ask).map(|a| a.request().who().board.clone());
            let desk_window = board.and_then(|board| core.desk_window(window, &board));
            if let Some(desk_window) = desk_window {
                core.desk.shown(ask, desk_window, now());
            }
        }
    }

    /// It wants the output of these runs.
    pub fn watch(&self, window: &WindowId, entries: Vec<EntryId>) {
        let core = self.core();
        if let Some(page) = number(window).and_then(|n| core.pages.get(&n)) {
            page.feed.watch(entries);
        }
    }

    /// It is gone.
    pub fn close_window(&self, window: &WindowId) {
        let mut core = self.core();
        let Some(page) = number(window).and_then(|n| core.pages.remove(&n)) else {
            return;
        };
        for desk_window in page.windows.values() {
            core.desk.close_window(*desk_window, now());
        }
        page.feed.close();
        let feeds: Vec<Feed> = core.pages.values().map(|p| p.feed.clone()).collect();
        drop(core);
        *self.feeds.lock().unwrap_or_else(PoisonError::into_inner) = feeds;
    }

    /// How many windows there are.
    #[must_use]
    pub fn windows(&self) -> usize {
        self.core().pages.len()
    }

    /// How many boards and open asks there are.
    #[must_use]
    pub fn boards_and_asks(&self) -> (usize, usize) {
        let core = self.core();
        (core.boards.len(), core.metas.len())
    }

    /// All a page needs to draw itself.
    pub fn snapshot(
        &self,
        terminals: Vec<Terminal>,
        shells: Vec<String>,
    ) -> Result<Snapshot, HubError> {
        // The number first: what happens from here on may be in the snapshot already, and
        // is never missing from both.
        let event = self.core().event;
        let log = self.search(&JournalQuery::default())?;
        let said = self.newest_said()?;
        let core = self.core();
        Ok(Snapshot {
            schema_version: crate::wire::SCHEMA_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            event,
            log,
            said,
            now: super::unix_ms(),
            started_at: self.started_at,
            boards: core.boards.iter().map(|b| core.board(b)).collect(),
            asks: core.cards(),
            settings: super::wire_settings(&core.settings),
            readiness: core.readiness.clone(),
            roles: cerco_model::Role::built_in()
                .iter()
                .map(super::view::role)
                .collect(),
            terminals,
            shells,
        })
    }
}
