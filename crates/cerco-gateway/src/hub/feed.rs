//! What waits to be sent to one window. Bounded: a window that falls behind gets a mark
//! and loads the state anew; a flood of output is dropped to a mark, never waited for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::clean::Cleaner;
use crate::wire::{EntryId, Event, Numbered, OutputChunk, Stream};

/// More events than this waiting, and the window has fallen behind.
const MAX_EVENTS: usize = 1024;
/// More raw output than this waiting for one window, and the rest is counted instead.
const MAX_OUTPUT: usize = 256 * 1024;
/// The largest piece of output in one message, in raw bytes.
const MAX_CHUNK: usize = 16 * 1024;

#[derive(Debug, Default)]
struct Pending {
    events: VecDeque<Numbered>,
    output: VecDeque<Raw>,
    output_bytes: usize,
    watched: BTreeSet<EntryId>,
    skipped: BTreeMap<(EntryId, Stream), u64>,
    closed: bool,
}

impl Pending {
    fn is_over(&self) -> bool {
        self.closed && self.events.is_empty() && self.output.is_empty()
    }
}

#[derive(Debug)]
struct Raw {
    entry: EntryId,
    stream: Stream,
    offset: u64,
    skipped: u64,
    bytes: Vec<u8>,
}

/// A window draws a few pictures a second. More output than this within one [`TICK`] would
/// only keep it from drawing anything (raw bytes); the rest waits, and then is counted.
const MAX_TICK: usize = 128 * 1024;
const TICK: Duration = Duration::from_millis(50);

/// One window's queue.
#[derive(Clone, Debug, Default)]
pub struct Feed(Arc<(Mutex<Pending>, Notify)>);

/// The reading end, which cleans output as it goes out.
#[derive(Debug)]
pub struct Reader {
    feed: Feed,
    cleaners: BTreeMap<(EntryId, Stream), Cleaner>,
    tick: Instant,
    sent_in_tick: usize,
}

impl Feed {
    /// Something happened.
    pub fn push(&self, event: Numbered) {
        let mut pending = self.lock();
        if pending.events.len() >= MAX_EVENTS {
            let number = event.number;
            pending.events.clear();
            pending.events.push_back(Numbered {
                number,
                event: Event::Resync,
            });
        } else {
            pending.events.push_back(event);
        }
        self.0.1.notify_one();
    }

    /// Output of a run, at `offset` of its stream.
    pub fn output(&self, entry: &EntryId, stream: Stream, offset: u64, bytes: &[u8]) {
        let mut pending = self.lock();
        if !pending.watched.contains(entry) {
            return;
        }
        let key = (entry.clone(), stream);
        if pending.output_bytes + bytes.len() > MAX_OUTPUT {
            *pending.skipped.entry(key).or_default() += bytes.len() as u64;
            return;
        }
        let skipped = pending.skipped.remove(&key).unwrap_or_default();
        pending.output_bytes += bytes.len();
        for (number, chunk) in bytes.chunks(MAX_CHUNK).enumerate() {
            pending.output.push_back(Raw {
                entry: entry.clone(),
                stream,
                offset: offset + (number * MAX_CHUNK) as u64,
                skipped: if number == 0 { skipped } else { 0 },
                bytes: chunk.to_vec(),
            });
        }
        self.0.1.notify_one();
    }

    /// The runs whose output the window wants.
    pub fn watch(&self, entries: impl IntoIterator<Item = EntryId>) {
        self.lock().watched = entries.into_iter().take(64).collect();
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.lock().closed = true;
        self.0.1.notify_one();
    }

    /// The reading end.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader {
            feed: self.clone(),
            cleaners: BTreeMap::new(),
            tick: Instant::now(),
            sent_in_tick: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// The next thing to send; nothing when the feed was closed and is empty.
    pub async fn next(&mut self) -> Option<Numbered> {
        loop {
            if let Some(event) = self.take() {
                return Some(event);
            }
            if self.feed.lock().is_over() {
                return None;
            }
            let feed = Arc::clone(&self.feed.0);
            let more = feed.1.notified();
            if self.sent_in_tick < MAX_TICK {
                more.await;
            } else {
                // Events go out meanwhile; output when the tick is over.
                let _ = tokio::time::timeout_at(self.tick + TICK, more).await;
            }
        }
    }

    fn take(&mut self) -> Option<Numbered> {
        let raw = {
            let mut pending = self.feed.lock();
            if let Some(event) = pending.events.pop_front() {
                return Some(event);
            }
            if self.tick.elapsed() >= TICK {
                self.tick = Instant::now();
                self.sent_in_tick = 0;
            }
            if self.sent_in_tick >= MAX_TICK {
                return None;
            }
            let raw = pending.output.pop_front()?;
            self.sent_in_tick += raw.bytes.len();
            pending.output_bytes = pending.output_bytes.saturating_sub(raw.bytes.len());
            raw
        };
        let key = (raw.entry.clone(), raw.stream);
        if raw.skipped > 0 {
            // What came before is missing, so a sequence that was begun there is over.
            self.cleaners.remove(&key);
        }
        let pieces = self.cleaners.entry(key).or_default().feed(&raw.bytes);
        if self.cleaners.len() > 128 {
            self.cleaners.clear();
        }
        Some(Numbered {
            number: 0,
            event: Event::Output {
                chunk: OutputChunk {
                    entry: raw.entry,
                    stream: raw.stream,
                    offset: raw.offset,
                    skipped: raw.skipped,
                    pieces,
                },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_drops_to_a_mark_and_events_are_not_behind_it() {
        let feed = Feed::default();
        let entry = EntryId("e".to_owned());
        feed.output(&entry, Stream::Stdout, 0, b"not watched");
        feed.watch([entry.clone()]);
        let chunk = vec![b'x'; 64 * 1024];
        let started = std::time::Instant::now();
        for number in 0..10_000u64 {
            feed.output(&entry, Stream::Stdout, number * 65_536, &chunk);
        }
        assert!(
            started.elapsed().as_secs() < 5,
            "the run waits for the window"
        );
        feed.push(Numbered {
            number: 1,
            event: Event::Goodbye,
        });
        let mut reader = feed.reader();
        assert_eq!(reader.next().await.unwrap().event, Event::Goodbye);
        let mut bytes = 0;
        for _ in 0..16 {
            match reader.next().await.unwrap().event {
                Event::Output { chunk } => bytes += chunk.pieces[0].text.len(),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(bytes, MAX_OUTPUT);
        feed.output(&entry, Stream::Stdout, 655_360_000, b"end");
        match reader.next().await.unwrap().event {
            Event::Output { chunk } => {
                assert_eq!(chunk.skipped, 655_360_000 - MAX_OUTPUT as u64);
                assert_eq!(chunk.pieces[0].text, "end");
            }
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_window_that_fell_behind_is_told_to_load_anew() {
        let feed = Feed::default();
        for number in 1..=3000 {
            feed.push(Numbered {
                number,
                event: Event::Goodbye,
            });
        }
        let mut reader = feed.reader();
        assert_eq!(reader.next().await.unwrap().event, Event::Resync);
        feed.close();
        let mut left = 0;
        while reader.next().await.is_some() {
            left += 1;
        }
        assert!(left < MAX_EVENTS);
    }
}
