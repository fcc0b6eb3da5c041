//! Boards, loops and bubbles: what they are, and how they are found.

use std::path::Path;
use std::sync::PoisonError;

use cerco_decide::BoardId;
use cerco_model::{Kind, Role, ToolSet};
use compact_str::CompactString;

use super::{Core, Hub, HubError, now};
use crate::project::{Choices, Known, Loop, Project};
use crate::wire::{self, Event};

/// At most so many boards, loops of a board, and bubbles of a loop.
pub(super) const MOST: usize = 2000;

pub(super) struct BoardState {
    pub(super) id: BoardId,
    pub(super) project: Project,
    pub(super) loops: Vec<LoopState>,
}

pub(super) struct LoopState {
    pub(super) id: u64,
    pub(super) at: Loop,
    /// Made in the gateway, not by the project's `cerco.toml`.
    pub(super) made_here: bool,
    pub(super) bubbles: Vec<BubbleOf>,
}

pub(super) struct BubbleOf {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) host: Option<String>,
    /// Made by a person; it stays when its agent goes.
    pub(super) made_by_person: bool,
    /// How many connections speak for it.
    pub(super) guests: u32,
    pub(super) waiting: u32,
    /// Commands that a person wants to be asked about again.
    pub(super) invited: Vec<String>,
    pub(super) runs: Vec<i64>,
}

/// Names a bubble, whatever becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BubbleRef {
    pub(super) board: BoardId,
    pub(super) loop_id: u64,
    pub(super) bubble: u64,
}

impl Core {
    pub(super) fn new_board(&mut self, id: BoardId, project: Project) -> BoardState {
        let loops = project.loops().to_vec();
        BoardState {
            id,
            loops: loops
                .into_iter()
                .map(|at| self.new_loop(at, Made::ByFile))
                .collect(),
            project,
        }
    }

    pub(super) fn new_loop(&mut self, at: Loop, made: Made) -> LoopState {
        LoopState {
            id: self.next(),
            at,
            made_here: made == Made::Here,
            bubbles: Vec::new(),
        }
    }

    /// Opens the board of a project, or gives the one that is open.
    pub(super) fn open_board(&mut self, project: Project) -> BoardId {
        let same = |b: &&BoardState| b.project.root() == project.root();
        if let Some(open) = self.boards.iter().find(same) {
            return open.id.clone();
        }
        let id = self.free_name(project.root());
        self.desk.add_board(id.clone(), None);
        let state = self.new_board(id.clone(), project);
        self.boards.push(state);
        self.open_windows(&id);
        self.tell_board(&id);
        id
    }

    /// A board is named like its folder; a second one of that name gets a number.
    fn free_name(&self, root: &Path) -> BoardId {
        let name = root.file_name().unwrap_or(root.as_os_str());
        let name = name.to_string_lossy();
        (1..=u32::MAX)
            .map(|n| match n {
                1 => CompactString::from(name.as_ref()),
                n => CompactString::from(format!("{name} ({n})")),
            })
            .map(BoardId)
            .find(|id| !self.boards.iter().any(|b| b.id == *id))
            .unwrap_or_else(|| BoardId(CompactString::from(name.as_ref())))
    }

    pub(super) fn state(&self, id: &BoardId) -> Result<&BoardState, HubError> {
        let found = self.boards.iter().find(|b| b.id == *id);
        found.ok_or(HubError::NotFound("board"))
    }

    pub(super) fn state_mut(&mut self, id: &BoardId) -> Result<&mut BoardState, HubError> {
        let found = self.boards.iter_mut().find(|b| b.id == *id);
        found.ok_or(HubError::NotFound("board"))
    }

    pub(super) fn bubble_mut(&mut self, at: &BubbleRef) -> Option<&mut BubbleOf> {
        let board = self.boards.iter_mut().find(|b| b.id == at.board)?;
        let place = board.loops.iter_mut().find(|l| l.id == at.loop_id)?;
        place.bubbles.iter_mut().find(|b| b.id == at.bubble)
    }

    pub(super) fn bubble(&self, at: &BubbleRef) -> Option<(&BoardState, &LoopState, &BubbleOf)> {
        let board = self.boards.iter().find(|b| b.id == at.board)?;
        let place = board.loops.iter().find(|l| l.id == at.loop_id)?;
        let bubble = place.bubbles.iter().find(|b| b.id == at.bubble)?;
        Some((board, place, bubble))
    }

    /// Tells windows how the board is now. A board may have thousands of loops, and its agents
    /// start thousands of commands: with nobody to see it, it isn't drawn up. The change counts
    /// all the same: a page that loaded the board before and connects after it must know.
    pub(super) fn tell_board(&mut self, id: &BoardId) {
        if self.pages.is_empty() {
            self.event += 1;
            return;
        }
        if let Ok(state) = self.state(id) {
            let board = self.board(state);
            self.tell(&Event::BoardChanged { board });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    Here,
    ByFile,
}

pub(super) fn new_bubble(id: u64, name: String, role: Role, made: Made) -> BubbleOf {
    BubbleOf {
        id,
        name,
        role,
        host: None,
        made_by_person: made == Made::Here,
        guests: 0,
        waiting: 0,
        invited: Vec::new(),
        runs: Vec::new(),
    }
}

pub(super) fn custom_role(name: &str, tools: &[wire::Tool]) -> Option<Role> {
    let tools: Vec<cerco_model::Tool> = tools.iter().map(|t| (*t).into()).collect();
    Role::custom(name, ToolSet::of(&tools))
}

impl Hub {
    /// Opens a board for a project that a person made known.
    pub fn open_board(&self, project: &Path) -> Result<wire::BoardId, HubError> {
        let project = Project::around(project, &Known::load(&self.config)?)?;
        let id = self.core().open_board(project);
        self.save()?;
        Ok(wire::BoardId(id.0.to_string()))
    }

    /// Revokes a grant.
    pub fn revoke(&self, board: &wire::BoardId, grant: &wire::GrantId) -> Result<(), HubError> {
        let id = BoardId(CompactString::from(&board.0));
        let mut core = self.core();
        if !core.desk.revoke(&id, &Kind::named(grant.0.clone())) {
            return Err(HubError::NotFound("grant"));
        }
        core.tell_board(&id);
        Ok(())
    }

    /// Switches Full Auto. On needs the board's name, typed; it is on the disk before it is
    /// acknowledged, either way.
    pub fn set_full_auto(
        &self,
        board: &wire::BoardId,
        wanted: &wire::SetFullAuto,
    ) -> Result<(), HubError> {
        let id = BoardId(CompactString::from(&board.0));
        {
            let mut core = self.core();
            core.state(&id)?;
            if wanted.on {
                let typed = wanted.typed.as_deref().unwrap_or_default();
                let events = core.desk.full_auto_on(&id, typed, now());
                let events = events.ok_or_else(|| {
                    HubError::Wrong("type the board's name to switch Full Auto on".to_owned())
                })?;
                core.carry_out(events);
            } else {
                core.desk.full_auto_off(&id);
            }
            core.tell_board(&id);
        }
        self.save()
    }

    /// Changes what a person chose for a board's commands in the sandbox. It stands with the
    /// project, so that commands keep to it without a gateway too.
    pub fn choose(
        &self,
        board: &wire::BoardId,
        edit: impl FnOnce(&mut Choices),
    ) -> Result<(), HubError> {
        let id = BoardId(CompactString::from(&board.0));
        // The store's lock, so that of two windows the later one's choice is the one in use.
        let _writing = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let root = self.core().state(&id)?.project.root().to_path_buf();
        let chosen = Known::load(&self.config)?.choose(&root, edit)?;
        let chosen = chosen.ok_or(HubError::NotFound("project"))?;
        let mut core = self.core();
        let state = core.state_mut(&id)?;
        state.project = state.project.clone().with_choices(chosen);
        core.tell_board(&id);
        Ok(())
    }
}
