//! "Ask again": a person who came too late, or said no too soon, wants to be asked once
//! more. The bubble hears it with the reply to its next command. This allows nothing: its
//! next try is judged and asked about like the first.

use super::asks::number;
use super::boards::BubbleRef;
use super::{Hub, HubError};
use crate::wire::{AskId, Reply};
use crate::words::shown;

/// How many invitations wait for one bubble; a person who presses more often says no more.
const MOST: usize = 8;
/// So much of a command is said back to its bubble, in characters.
const SAID: usize = 200;

impl Hub {
    /// Invites the bubble of a settled ask to try its command once more.
    pub fn ask_again(&self, ask: &AskId) -> Result<(), HubError> {
        let id = number(ask).ok_or(HubError::NotFound("ask"))?;
        let mut core = self.core();
        let past = core.past(id).ok_or(HubError::NotFound("ask"))?;
        let (at, text) = (past.bubble.clone(), past.text.clone());
        let bubble = core.bubble_mut(&at).ok_or(HubError::NotFound("bubble"))?;
        if !bubble.invited.contains(&text) && bubble.invited.len() < MOST {
            bubble.invited.push(text);
        }
        Ok(())
    }

    /// The reply with the invitations of its bubble, which are given once.
    #[must_use]
    pub fn with_invitations(&self, at: &BubbleRef, mut reply: Reply) -> Reply {
        let takes = matches!(reply, Reply::Refused { .. } | Reply::Ended { .. });
        let mut core = self.core();
        let Some(bubble) = core.bubble_mut(at).filter(|_| takes) else {
            return reply;
        };
        if bubble.invited.is_empty() {
            return reply;
        }
        let lines = std::mem::take(&mut bubble.invited).into_iter().map(|text| {
            let text: String = text.chars().take(SAID).collect();
            let text = shown(&text);
            format!("A person is there now and wants to be asked again: {text}")
        });
        match &mut reply {
            Reply::Refused { text, note, .. } => {
                for said in lines {
                    text.push('\n');
                    text.push_str(&said);
                    let note = note.get_or_insert_default();
                    if !note.is_empty() {
                        note.push('\n');
                    }
                    note.push_str(&said);
                }
            }
            Reply::Ended { facts, .. } => facts.notes.extend(lines),
            _ => {}
        }
        reply
    }
}
