//! Agents come in and go: each gets its bubble, and a place for its commands.

use std::path::{Path, PathBuf};

use cerco_decide::{BoardId, Who};
use cerco_model::{Role, SandboxState};
use compact_str::CompactString;

use super::boards::{BubbleRef, MOST, Made, new_bubble};
use super::{Core, How, Hub, HubError};
use crate::engine::Where;
use crate::project::{Known, Project, loop_folder};
use crate::wire;

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

impl Hub {
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
