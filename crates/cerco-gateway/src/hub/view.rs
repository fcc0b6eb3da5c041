//! Boards, loops and bubbles as windows see them.

use std::collections::HashMap;
use std::path::Path;

use cerco_model::Role;

use super::Core;
use super::boards::{BoardState, BubbleOf};
use crate::wire::{self, Bubble, BubbleState, LoopId};
use crate::words::shown;

impl Core {
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
            network: state.project.choices().network,
            hide_secrets: state.project.choices().hide_secrets,
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

/// The innermost loop around a folder. Walks up from the folder: a board of thousands of
/// loops is told to windows at every start of a command.
fn parent(by_folder: &HashMap<&Path, u64>, folder: &Path) -> Option<u64> {
    let mut around = folder.ancestors().skip(1);
    around.find_map(|above| by_folder.get(above).copied())
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
