//! Bubbles are made by a person, and ended.

use super::boards::{BubbleRef, MOST, Made, custom_role, new_bubble};
use super::{Hub, HubError};
use crate::wire::{self, BubbleTools, LoopId};

impl Hub {
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

    pub(super) fn end_bubble_of(&self, at: &BubbleRef) {
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
}
