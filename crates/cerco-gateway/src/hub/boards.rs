//! Boards, loops and bubbles.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use cerco_decide::{BoardId, FullAuto, Who};
use cerco_model::{Kind, Role, SandboxState, ToolSet};
use compact_str::CompactString;

use super::store::{Saved, SavedBoard, SavedBubble, SavedLoop};
use super::{Core, How, Hub, HubError, now};
use crate::engine::Where;
use crate::project::{Known, Loop, Project, loop_folder};
use crate::wire::{self, Bubble, BubbleState, BubbleTools, Event, LoopId};
use crate::words::shown;

/// At most so many boards, loops of a board, and bubbles of a loop.
const MOST: usize = 2000;

pub(super) struct BoardState {
    pub(super) id: BoardId,
    pub(super) project: Project,
    pub(super) loops: Vec<LoopState>,
}

pub(super) struct LoopState {
    pub(super) id: u64,
    pub(super) at: Loop,
    /// Made in the gateway, not by the project's `cerco.toml`.
    made_here: bool,
    pub(super) bubbles: Vec<BubbleOf>,
}

pub(super) struct BubbleOf {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) host: Option<String>,
    /// Made by a person; it stays when its agent goes.
    made_by_person: bool,
    /// How many connections speak for it.
    guests: u32,
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

/// What an agent says of itself when it comes in.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The project's folder.
    pub project: PathBuf,
    /// The loop: its name or its folder.
    pub loop_folder: String,
    /// A role, for a new bubble.
    pub role: Option<String>,
    /// A bubble that a person made.
    pub bubble: Option<String>,
    /// The host.
    pub host: String,
}

impl Core {
    pub(super) fn restore(&mut self, saved: Saved, config: &Path) -> Result<(), HubError> {
        let known = Known::load(config)?;
        for board in saved.boards {
            let id = BoardId(CompactString::from(&board.id));
            let full_auto = board.full_auto.map(|(since_unix_ms, allowed)| FullAuto {
                since_unix_ms,
                allowed,
            });
            // A project that is gone, or whose file changed, is not opened; its switch is
            // kept for when a person accepts it again.
            let Ok(project) = Project::around(&board.root, &known) else {
                continue;
            };
            self.desk.add_board(id.clone(), full_auto);
            let mut state = self.new_board(id, project);
            for line in &board.loops {
                let Ok(folder) = loop_folder(state.project.root(), Path::new(&line.folder)) else {
                    continue;
                };
                let at = Loop {
                    name: line.name.clone(),
                    folder,
                };
                state.loops.push(self.new_loop(at, Made::Here));
            }
            for line in board.bubbles {
                let role = match &line.tools {
                    None => state.project.role(&line.role).ok(),
                    Some(tools) => custom_role(&line.role, tools),
                };
                let id = self.next();
                let found = state.loops.iter_mut().find(|l| l.at.name == line.loop_name);
                if let (Some(role), Some(place)) = (role, found) {
                    place
                        .bubbles
                        .push(new_bubble(id, line.name, role, Made::Here));
                }
            }
            self.boards.push(state);
        }
        Ok(())
    }

    pub(super) fn saved(&self) -> Saved {
        let boards = self.boards.iter().map(|board| {
            let made = board.loops.iter().filter(|l| l.made_here);
            let full_auto = self
                .desk
                .board(&board.id)
                .and_then(cerco_decide::Board::full_auto);
            SavedBoard {
                id: board.id.0.to_string(),
                root: board.project.root().to_path_buf(),
                full_auto: full_auto.map(|on| (on.since_unix_ms, on.allowed)),
                loops: made
                    .map(|l| SavedLoop {
                        name: l.at.name.clone(),
                        folder: board.project.relative(&l.at.folder),
                    })
                    .collect(),
                bubbles: board
                    .loops
                    .iter()
                    .flat_map(|l| l.bubbles.iter().map(move |b| (l, b)))
                    .filter(|(_, b)| b.made_by_person)
                    .map(|(l, b)| SavedBubble {
                        loop_name: l.at.name.clone(),
                        name: b.name.clone(),
                        role: b.role.name().0.to_string(),
                        tools: (!b.role.is_built_in())
                            .then(|| b.role.tools().iter().map(Into::into).collect()),
                    })
                    .collect(),
            }
        });
        Saved {
            boards: boards.collect(),
        }
    }

    fn new_board(&mut self, id: BoardId, project: Project) -> BoardState {
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

    fn new_loop(&mut self, at: Loop, made: Made) -> LoopState {
        LoopState {
            id: self.next(),
            at,
            made_here: made == Made::Here,
            bubbles: Vec::new(),
        }
    }

    /// Opens the board of a project, or gives the one that is open.
    fn open_board(&mut self, project: Project) -> BoardId {
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

    pub(super) fn tell_board(&mut self, id: &BoardId) {
        if let Ok(state) = self.state(id) {
            let board = self.board(state);
            self.tell(&Event::BoardChanged { board });
        }
    }

    /// A board as windows see it.
    pub(super) fn board(&self, state: &BoardState) -> wire::Board {
        let session = self.desk.board(&state.id);
        let full_auto = session.and_then(cerco_decide::Board::full_auto);
        let grants = session.into_iter().flat_map(cerco_decide::Board::grants);
        let by_folder: HashMap<&Path, u64> = state
            .loops
            .iter()
            .map(|l| (l.at.folder.as_path(), l.id))
            .collect();
        wire::Board {
            id: wire::BoardId(state.id.0.to_string()),
            name: shown(&state.id.0),
            project: shown(&state.project.root().display().to_string()),
            loops: state
                .loops
                .iter()
                .map(|l| wire::Loop {
                    id: LoopId(l.id.to_string()),
                    parent: parent(&by_folder, &l.at.folder).map(|id| LoopId(id.to_string())),
                    name: shown(&l.at.name),
                    folder: shown(&state.project.relative(&l.at.folder)),
                    bubbles: l.bubbles.iter().map(bubble).collect(),
                })
                .collect(),
            full_auto: wire::FullAuto {
                on: full_auto.is_some(),
                since: full_auto.map(|on| on.since_unix_ms),
                allowed: full_auto.map_or(0, |on| on.allowed),
            },
            network: state.project.network(),
            grants: grants
                .map(|g| wire::Grant {
                    id: wire::GrantId(g.kind.as_str().to_owned()),
                    kind: shown(g.kind.as_str()),
                    given_at: g.since_unix_ms,
                    window: self.window_id(g.by),
                    used: g.used,
                })
                .collect(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Here,
    ByFile,
}

/// The innermost loop around a folder. Walks up from the folder: a board of thousands of
/// loops is told to windows at every start of a command.
fn parent(by_folder: &HashMap<&Path, u64>, folder: &Path) -> Option<u64> {
    let mut around = folder.ancestors().skip(1);
    around.find_map(|above| by_folder.get(above).copied())
}

fn new_bubble(id: u64, name: String, role: Role, made: Made) -> BubbleOf {
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

fn custom_role(name: &str, tools: &[wire::Tool]) -> Option<Role> {
    let tools: Vec<cerco_model::Tool> = tools.iter().map(|t| (*t).into()).collect();
    Role::custom(name, ToolSet::of(&tools))
}

/// A role as windows see it.
pub(super) fn role(role: &Role) -> wire::Role {
    wire::Role {
        name: shown(&role.name().0),
        tools: role.tools().iter().map(Into::into).collect(),
        built_in: role.is_built_in(),
    }
}

fn bubble(of: &BubbleOf) -> Bubble {
    Bubble {
        id: wire::BubbleId(of.id.to_string()),
        name: shown(&of.name),
        role: role(&of.role),
        host: of.host.as_deref().map(shown),
        state: if of.waiting > 0 {
            BubbleState::Waiting
        } else if of.runs.is_empty() {
            BubbleState::Idle
        } else {
            BubbleState::Running
        },
        runs: of
            .runs
            .iter()
            .map(|id| wire::EntryId(crate::journal::EntryId(*id).to_string()))
            .collect(),
    }
}

impl Hub {
    /// Opens a board for a project that a person made known.
    pub fn open_board(&self, project: &Path) -> Result<wire::BoardId, HubError> {
        let project = Project::around(project, &Known::load(&self.config)?)?;
        let id = self.core().open_board(project);
        self.save()?;
        Ok(wire::BoardId(id.0.to_string()))
    }

    /// Makes a loop in an existing folder of the project.
    pub fn create_loop(
        &self,
        board: &wire::BoardId,
        wanted: &wire::CreateLoop,
    ) -> Result<LoopId, HubError> {
        let id = BoardId(CompactString::from(&board.0));
        let name = wanted.name.trim();
        if name.is_empty() || name.len() > 200 {
            return Err(HubError::Wrong(
                "give the loop a name of 1 to 200 bytes".to_owned(),
            ));
        }
        let mut core = self.core();
        let state = core.state(&id)?;
        let folder = loop_folder(state.project.root(), Path::new(&wanted.folder))?;
        let taken = |l: &LoopState| l.at.name == name || l.at.folder == folder;
        if state.loops.iter().any(taken) {
            return Err(HubError::Wrong(
                "a loop of this name or folder exists; take another".to_owned(),
            ));
        }
        if state.loops.len() >= MOST {
            return Err(HubError::Wrong(
                "the board has too many loops; remove one".to_owned(),
            ));
        }
        let at = Loop {
            name: name.to_owned(),
            folder,
        };
        let new = core.new_loop(at, Made::Here);
        let loop_id = LoopId(new.id.to_string());
        core.state_mut(&id)?.loops.push(new);
        core.tell_board(&id);
        drop(core);
        self.save()?;
        Ok(loop_id)
    }

    /// Removes a loop: its asks are withdrawn and its runs stopped. Its files stay.
    pub fn remove_loop(&self, loop_id: &LoopId) -> Result<(), HubError> {
        let (board, number) = self.find_loop(loop_id)?;
        let bubbles: Vec<BubbleRef> = {
            let mut core = self.core();
            let state = core.state_mut(&board)?;
            let found = state.loops.iter().find(|l| l.id == number);
            let place = found.ok_or(HubError::NotFound("loop"))?;
            if !place.made_here {
                return Err(HubError::Wrong(
                    "this loop stands in the project's cerco.toml; take it out there, then run: cerco init"
                        .to_owned(),
                ));
            }
            let bubbles = place.bubbles.iter().map(|b| BubbleRef {
                board: board.clone(),
                loop_id: number,
                bubble: b.id,
            });
            bubbles.collect()
        };
        for bubble in &bubbles {
            self.end_bubble_of(bubble);
        }
        let mut core = self.core();
        core.state_mut(&board)?.loops.retain(|l| l.id != number);
        core.tell_board(&board);
        drop(core);
        self.save()
    }

    /// A person makes a bubble, with a role or with tools of its own.
    pub fn create_bubble(
        &self,
        loop_id: &LoopId,
        wanted: &wire::CreateBubble,
    ) -> Result<wire::BubbleId, HubError> {
        let (board, number) = self.find_loop(loop_id)?;
        let name = wanted.name.trim().to_owned();
        if name.is_empty() || name.len() > 200 {
            return Err(HubError::Wrong(
                "give the bubble a name of 1 to 200 bytes".to_owned(),
            ));
        }
        let mut core = self.core();
        let role = match &wanted.tools {
            BubbleTools::Role(role) => core.state(&board)?.project.role(role)?,
            BubbleTools::Custom(tools) => custom_role(&name, tools).ok_or_else(|| {
                HubError::Wrong("a built-in role has this name; take another".to_owned())
            })?,
        };
        let id = core.next();
        let place = core.state_mut(&board)?.loops.iter_mut();
        let place = place
            .into_iter()
            .find(|l| l.id == number)
            .ok_or(HubError::NotFound("loop"))?;
        if place.bubbles.iter().any(|b| b.name == name) || place.bubbles.len() >= MOST {
            return Err(HubError::Wrong(
                "the loop has a bubble of this name (or too many); take another name".to_owned(),
            ));
        }
        place.bubbles.push(new_bubble(id, name, role, Made::Here));
        core.tell_board(&board);
        drop(core);
        self.save()?;
        Ok(wire::BubbleId(id.to_string()))
    }

    /// Ends a bubble: its asks are withdrawn and its runs stopped.
    pub fn end_bubble(&self, bubble: &wire::BubbleId) -> Result<(), HubError> {
        let number: u64 = bubble.0.parse().map_err(|_| HubError::NotFound("bubble"))?;
        let found = {
            let core = self.core();
            let mut all = core.boards.iter().flat_map(|b| {
                b.loops.iter().flat_map(move |l| {
                    l.bubbles.iter().map(move |bubble| BubbleRef {
                        board: b.id.clone(),
                        loop_id: l.id,
                        bubble: bubble.id,
                    })
                })
            });
            all.find(|r| r.bubble == number)
        };
        self.end_bubble_of(&found.ok_or(HubError::NotFound("bubble"))?);
        self.save()
    }

    fn end_bubble_of(&self, at: &BubbleRef) {
        let (asks, runs) = {
            let mut core = self.core();
            let asks: Vec<_> = core
                .metas
                .iter()
                .filter(|(_, meta)| meta.bubble == *at)
                .map(|(id, _)| *id)
                .collect();
            let runs: Vec<_> = core
                .runs
                .values()
                .filter(|run| run.bubble == *at)
                .map(|run| run.cancel.clone())
                .collect();
            if let Ok(state) = core.state_mut(&at.board) {
                for place in &mut state.loops {
                    place.bubbles.retain(|b| b.id != at.bubble);
                }
            }
            core.tell_board(&at.board);
            (asks, runs)
        };
        for ask in asks {
            self.withdraw(ask);
        }
        for cancel in runs {
            cancel.cancel();
        }
    }

    /// An agent comes in: it gets its bubble, in a board that is opened for it where needed.
    pub fn join(&self, joining: &Joining) -> Result<(BubbleRef, Vec<wire::Tool>), HubError> {
        let project = Project::around(&joining.project, &Known::load(&self.config)?)?;
        let place = {
            let core = self.core();
            let open = core
                .boards
                .iter()
                .find(|b| b.project.root() == project.root());
            let made = open.and_then(|b| {
                let mut made = b.loops.iter().filter(|l| l.made_here);
                made.find(|l| l.at.name == joining.loop_folder)
            });
            made.map(|l| l.at.clone())
        };
        let place = match place {
            Some(place) => place,
            None => project.loop_named(&joining.loop_folder)?,
        };
        let role = joining
            .role
            .as_deref()
            .map(|r| project.role(r))
            .transpose()?;
        let mut core = self.core();
        let boards = core.boards.len();
        let board = core.open_board(project);
        let is_new = core.boards.len() > boards;
        let known = core
            .state(&board)?
            .loops
            .iter()
            .find(|l| l.at.folder == place.folder);
        let loop_id = if let Some(id) = known.map(|l| l.id) {
            id
        } else {
            // A folder that nobody named: it is a loop while agents are in it.
            let new = core.new_loop(place, Made::ByFile);
            let id = new.id;
            core.state_mut(&board)?.loops.push(new);
            id
        };
        let bubble = core.join_bubble(&board, loop_id, joining, role)?;
        core.tell_board(&board);
        let at = BubbleRef {
            board,
            loop_id,
            bubble,
        };
        let tools = core
            .bubble(&at)
            .map(|(_, _, b)| b.role.tools().iter().map(Into::into).collect());
        drop(core);
        if is_new {
            self.save()?;
        }
        Ok((at, tools.unwrap_or_default()))
    }

    /// The name of a bubble that is there.
    #[must_use]
    pub fn bubble_name(&self, at: &BubbleRef) -> Option<String> {
        self.core().bubble(at).map(|(_, _, b)| b.name.clone())
    }

    /// A connection is gone, which withdrew its asks and stopped its runs. With the last one
    /// the bubble goes; a person's stays.
    pub fn leave(&self, at: &BubbleRef) {
        let stays = {
            let mut core = self.core();
            core.bubble_mut(at).is_some_and(|b| {
                b.guests = b.guests.saturating_sub(1);
                if b.guests == 0 {
                    b.host = None;
                }
                b.guests > 0 || b.made_by_person
            })
        };
        if !stays {
            self.end_bubble_of(at);
        }
    }

    /// Where a bubble's command would run.
    pub(super) fn place(&self, at: &BubbleRef, how: &How) -> Result<Where, HubError> {
        let core = self.core();
        let (board, place, bubble) = core.bubble(at).ok_or(HubError::NotFound("bubble"))?;
        let folder = how.folder.as_deref().unwrap_or(".");
        let directory = loop_folder(&place.at.folder, Path::new(folder))?;
        let text = |path: &Path| path.display().to_string();
        Ok(Where {
            who: Who {
                board: board.id.clone(),
                loop_name: CompactString::from(&place.at.name),
                bubble: CompactString::from(&bubble.name),
                role: bubble.role.clone(),
            },
            project: text(board.project.root()),
            this_loop: place.at.clone(),
            directory: text(&directory),
            loops: board.loops.iter().map(|l| l.at.clone()).collect(),
            sandbox: if core.settings.sandbox {
                SandboxState::On
            } else {
                how.sandbox
            },
            environment: how.environment.clone(),
        })
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

    /// Sets the network of a board's commands in the sandbox; nothing: as the settings say.
    /// It stands with the project, so that commands keep to it without a gateway too.
    pub fn set_network(
        &self,
        board: &wire::BoardId,
        wanted: &wire::SetNetwork,
    ) -> Result<(), HubError> {
        let id = BoardId(CompactString::from(&board.0));
        // The store's lock keeps two windows from writing the list over each other.
        let _writing = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let root = self.core().state(&id)?.project.root().to_path_buf();
        let found = Known::load(&self.config)?.set_network(&root, wanted.network)?;
        if !found {
            return Err(HubError::NotFound("project"));
        }
        let mut core = self.core();
        let state = core.state_mut(&id)?;
        state.project = state.project.clone().with_network(wanted.network);
        core.tell_board(&id);
        Ok(())
    }

    fn find_loop(&self, loop_id: &LoopId) -> Result<(BoardId, u64), HubError> {
        let number: u64 = loop_id.0.parse().map_err(|_| HubError::NotFound("loop"))?;
        let core = self.core();
        let board = core
            .boards
            .iter()
            .find(|b| b.loops.iter().any(|l| l.id == number));
        board
            .map(|b| (b.id.clone(), number))
            .ok_or(HubError::NotFound("loop"))
    }
}

impl Core {
    fn join_bubble(
        &mut self,
        board: &BoardId,
        loop_id: u64,
        joining: &Joining,
        role: Option<Role>,
    ) -> Result<u64, HubError> {
        let id = self.next();
        let place = self.state_mut(board)?.loops.iter_mut();
        let place = place
            .into_iter()
            .find(|l| l.id == loop_id)
            .ok_or(HubError::NotFound("loop"))?;
        if let Some(name) = &joining.bubble {
            let found = place.bubbles.iter_mut().find(|b| b.name == *name);
            let bubble = found.ok_or(HubError::NotFound("bubble"))?;
            bubble.host = Some(joining.host.clone());
            bubble.guests += 1;
            return Ok(bubble.id);
        }
        let Some(role) = role else {
            return Err(HubError::Wrong(
                "name a role, or a bubble of this loop".to_owned(),
            ));
        };
        if place.bubbles.len() >= MOST {
            return Err(HubError::Wrong(
                "the loop has too many bubbles; end one".to_owned(),
            ));
        }
        let name = format!("{} {id}", role.name().0);
        let mut bubble = new_bubble(id, name, role, Made::ByFile);
        bubble.host = Some(joining.host.clone());
        bubble.guests = 1;
        place.bubbles.push(bubble);
        Ok(id)
    }
}
