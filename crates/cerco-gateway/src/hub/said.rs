//! Chat answers of bubbles: kept, told to the windows, and given to "Run in terminal".

use super::boards::BubbleRef;
use super::{Hub, HubError, unix_ms};
use crate::blocks::blocks;
use crate::clean::Cleaner;
use crate::journal::{self, Saying};
use crate::prose::prose;
use crate::wire::{BoardId, Event, Said, SaidBlock, SaidId};
use crate::words::shown;

/// The longest chat answer, in bytes.
const MAX_SAID: usize = 64 * 1024;
/// So many chat answers a page gets with the state.
pub(super) const NEWEST: u32 = 50;

impl Hub {
    /// A bubble's host sends what its agent said.
    pub fn say(&self, bubble: &BubbleRef, text: &str) -> Result<(), HubError> {
        if text.len() > MAX_SAID {
            return Err(HubError::Wrong(format!(
                "a chat answer has at most {MAX_SAID} bytes; send it in parts"
            )));
        }
        let kept = journal::mask(text).into_text();
        let saying = {
            let core = self.core();
            let (board, place, of) = core.bubble(bubble).ok_or(HubError::NotFound("bubble"))?;
            Saying {
                time: unix_ms(),
                board: board.id.0.to_string(),
                loop_name: place.at.name.clone(),
                bubble: of.name.clone(),
                role: of.role.name().0.to_string(),
                host: of.host.clone().unwrap_or_default(),
                masked: kept != text,
                text: kept,
            }
        };
        let number = self.journal().say(&saying)?;
        self.core().tell(&Event::Said {
            said: Box::new(said(number, &saying)),
        });
        Ok(())
    }

    /// The newest chat answers of all boards, newest first.
    pub(super) fn newest_said(&self) -> Result<Vec<Said>, HubError> {
        let kept = self.journal().said(NEWEST)?;
        Ok(kept.iter().map(|(number, of)| said(*number, of)).collect())
    }

    /// The code of a block of a chat answer as it is kept, and whether secrets in it were
    /// masked.
    pub fn kept_code(&self, id: &SaidId, block: u32) -> Result<(String, bool), HubError> {
        let number: i64 = id.0.parse().map_err(|_| HubError::NotFound("answer"))?;
        let saying = self.journal().saying(number)?;
        let saying = saying.ok_or(HubError::NotFound("answer"))?;
        let found = blocks(&saying.text)
            .get(block as usize)
            .filter(|found| found.is_code)
            .map(|found| found.text.to_owned());
        let code = found.ok_or(HubError::NotFound("code block"))?;
        let masked = saying.masked && code.contains("***");
        Ok((code, masked))
    }
}

fn said(number: i64, saying: &Saying) -> Said {
    Said {
        id: SaidId(number.to_string()),
        time: saying.time,
        board: BoardId(saying.board.clone()),
        loop_name: shown(&saying.loop_name),
        bubble: shown(&saying.bubble),
        role: shown(&saying.role),
        host: shown(&saying.host),
        blocks: blocks(&saying.text)
            .iter()
            .map(|block| SaidBlock {
                is_code: block.is_code,
                pieces: if block.is_code {
                    Cleaner::default().feed(block.text.as_bytes())
                } else {
                    prose(block.text)
                },
            })
            .collect(),
    }
}
