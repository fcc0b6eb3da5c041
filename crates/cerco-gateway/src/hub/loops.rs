//! Loops are made and removed.

use std::path::Path;

use cerco_decide::BoardId;
use compact_str::CompactString;

use super::boards::{BubbleRef, LoopState, MOST, Made};
use super::{Hub, HubError};
use crate::project::{Loop, loop_folder};
use crate::wire::{self, LoopId};

impl Hub {
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

    pub(super) fn find_loop(&self, loop_id: &LoopId) -> Result<(BoardId, u64), HubError> {
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
