//! Boards as they are kept over a restart, and brought back. Grants never are.

use std::path::Path;

use cerco_decide::{BoardId, FullAuto};
use compact_str::CompactString;

use super::boards::{Made, custom_role, new_bubble};
use super::store::{Saved, SavedBoard, SavedBubble, SavedLoop};
use super::{Core, HubError};
use crate::project::{Known, Loop, Project, loop_folder};

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
}
