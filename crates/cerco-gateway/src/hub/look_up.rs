//! What is kept of commands: entries, searches, output.

use cerco_model::Verdict;

use super::boards::BubbleRef;
use super::{Hub, HubError, entries};
use crate::journal;
use crate::wire::{self, EntryId, JournalPage, JournalQuery, OutputQuery, OutputRange, Stream};

impl Hub {
    /// Whether a run or an entry belongs to this bubble's loop.
    #[must_use]
    pub fn belongs(&self, bubble: &BubbleRef, entry: &EntryId) -> bool {
        let Ok(id) = entry.0.parse::<journal::EntryId>() else {
            return false;
        };
        let kept = self.journal().entry(id).ok().flatten();
        let core = self.core();
        core.bubble(bubble)
            .zip(kept)
            .is_some_and(|((board, place, _), kept)| {
                kept.opening.board == board.id.0 && kept.opening.loop_name == place.at.name
            })
    }

    /// One entry.
    pub fn entry(&self, id: &EntryId) -> Result<wire::Entry, HubError> {
        let id = id.0.parse().map_err(|_| HubError::NotFound("entry"))?;
        self.entry_of(id)?.ok_or(HubError::NotFound("entry"))
    }

    /// The command of an entry as it is kept, and whether secrets in it were masked.
    pub fn kept_command(&self, id: &EntryId) -> Result<(String, bool), HubError> {
        let id: journal::EntryId = id.0.parse().map_err(|_| HubError::NotFound("entry"))?;
        let kept = self
            .journal()
            .entry(id)?
            .ok_or(HubError::NotFound("entry"))?;
        let masked = kept.opening.command.contains("***");
        Ok((kept.opening.command, masked))
    }

    /// Entries that fit, newest first.
    pub fn search(&self, query: &JournalQuery) -> Result<JournalPage, HubError> {
        let limit = query.limit.unwrap_or(50).clamp(1, 200);
        let found = self.journal().entries(&journal::Query {
            text: query.text.clone().filter(|t| !t.trim().is_empty()),
            board: query.board.as_ref().map(|b| b.0.clone()),
            verdict: query.verdict.map(|v| match v {
                wire::Verdict::Allowed => Verdict::Allowed,
                wire::Verdict::Asked => Verdict::Asked,
                wire::Verdict::Refused => Verdict::Refused,
            }),
            source: query.source,
            before: query
                .before
                .map(|n| journal::EntryId(i64::try_from(n).unwrap_or(i64::MAX))),
            limit,
        })?;
        let core = self.core();
        let entries: Vec<wire::Entry> = found
            .iter()
            .map(|kept| entries::entry(kept, core.runs.get(&kept.id.0).map(|r| r.since)))
            .collect();
        let full = entries.len() == limit as usize;
        let next = entries.last().filter(|_| full).map(|e| e.seq);
        Ok(JournalPage { entries, next })
    }

    /// Every entry as JSON lines, oldest first.
    pub fn export(&self, mut line: impl FnMut(String) -> bool) -> Result<(), HubError> {
        let mut pages = self.journal().pages()?;
        loop {
            // The journal is free between two pages: whoever reads slowly must not keep
            // commands from being written down meanwhile.
            let page = self.journal().page(&mut pages)?;
            if page.is_empty() {
                return Ok(());
            }
            for entry in page {
                if !line(entry.to_json().to_string()) {
                    // The reader went away: nothing is wrong with the journal.
                    return Ok(());
                }
            }
        }
    }

    /// A range of a run's kept output, raw.
    pub fn output(
        &self,
        entry: &EntryId,
        stream: Stream,
        from: u64,
        length: u64,
    ) -> Result<(Vec<u8>, u64), HubError> {
        self.outputs
            .range(entry, stream, from, length)
            .map_err(|e| HubError::Wrong(format!("the kept output can't be read: {e}")))
    }

    /// A range of a run's kept output, cleaned for a window.
    pub fn output_range(
        &self,
        entry: &EntryId,
        query: &OutputQuery,
    ) -> Result<OutputRange, HubError> {
        let most = 64 * 1024;
        let length = query.length.unwrap_or(most).min(most);
        let (bytes, total) = self.output(entry, query.stream, query.from, length)?;
        Ok(OutputRange {
            entry: entry.clone(),
            stream: query.stream,
            from: query.from,
            to: query.from + bytes.len() as u64,
            total,
            pieces: crate::clean::Cleaner::default().feed(&bytes),
        })
    }
}
