//! The run itself: told to the windows, its output kept, its end in the journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cerco_decide::Permit;

use super::boards::BubbleRef;
use super::runs::{RunRequest, Running, Say, failed, programs};
use super::{Hub, millis, unix_ms};
use crate::engine::{Cancel, Ended, ReadyRun, RunOptions};
use crate::journal::{self, Closing, DecisionSource};
use crate::wire::{EntryId, Reply, RunFacts, Stream};
use crate::words;

/// So much output goes to an agent as it comes; the rest it reads from the kept output.
const MAX_STREAMED: usize = 1024 * 1024;

/// A command that may start, with its entry on the disk.
pub(super) struct Start {
    pub(super) entry: journal::EntryId,
    pub(super) permit: Box<Permit>,
    pub(super) ready: Box<dyn ReadyRun>,
    pub(super) source: DecisionSource,
    /// The text that runs, where a person changed it.
    pub(super) edited: Option<String>,
}

impl Hub {
    /// Runs it to its end. The reply is the last word.
    pub(super) async fn start(
        self: &Arc<Self>,
        start: Start,
        bubble: &BubbleRef,
        request: RunRequest,
        say: Say,
        cancel: Cancel,
    ) -> Reply {
        let Start {
            entry,
            permit,
            ready,
            source,
            edited,
        } = start;
        let id = EntryId(entry.to_string());
        let sandboxed = ready.held().is_some();
        let findings = words::findings(permit.request().judgement());
        let started = programs(permit.request().judgement());
        self.enrol(entry, bubble, &cancel);
        say(Reply::Started { entry: id.clone() });
        let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let sink = {
            let (say, counts) = (Arc::clone(&say), Arc::clone(&counts));
            let sent = AtomicUsize::new(0);
            self.outputs.sink(
                id.clone(),
                Arc::clone(&self.feeds),
                Box::new(move |stream, bytes: &[u8]| {
                    let [stdout, stderr] = &*counts;
                    let count = if stream == Stream::Stdout {
                        stdout
                    } else {
                        stderr
                    };
                    count.fetch_add(bytes.len(), Ordering::Relaxed);
                    // Whole pieces only, and none after one that was left out: what came is
                    // the beginning of the output, and the rest is read from the disk.
                    if sent.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len() <= MAX_STREAMED
                    {
                        say(Reply::Output {
                            stream,
                            base64: super::output::base64(bytes),
                        });
                    }
                }),
            )
        };
        let hub = Arc::clone(self);
        let options = RunOptions {
            input: request.input,
            limit: request.limit,
        };
        let ended = tokio::task::spawn_blocking(move || {
            hub.announce(entry);
            let given = Arc::clone(&sink);
            let ended = ready.run(*permit, options, given, &cancel);
            let secrets = sink.finish();
            let closing = Closing::of(unix_ms(), &ended.outcome);
            let closed = hub.journal().close(entry, &closing);
            (ended, closed, secrets)
        })
        .await;
        self.strike_off(entry, bubble);
        self.announce(entry);
        let (Ended { outcome, mut notes }, closed, secrets) = match ended {
            Ok(ended) => ended,
            Err(error) => return failed(&error),
        };
        let [stdout, stderr] = &*counts;
        let wrote = stdout.load(Ordering::Relaxed) + stderr.load(Ordering::Relaxed);
        if secrets > 0 && wrote > MAX_STREAMED {
            notes.push(format!(
                "its output was longer than is sent as it comes; {secrets} places in it look like secrets and are stars in what is read afterwards"
            ));
        }
        Reply::Ended {
            entry: id,
            ending: outcome.ending.into(),
            exit_code: outcome.ending.exit_code(),
            duration_ms: millis(outcome.usage.wall),
            stdout_bytes: stdout.load(Ordering::Relaxed) as u64,
            stderr_bytes: stderr.load(Ordering::Relaxed) as u64,
            failure: outcome
                .failure
                .or_else(|| closed.err().map(|e| format!("it ran, but {e}"))),
            sandboxed,
            edited,
            facts: Box::new(RunFacts {
                source,
                findings,
                programs: started,
                cpu_ms: millis(outcome.usage.cpu),
                peak_memory: outcome.usage.peak_memory,
                stopped: outcome.stopped,
                guard_refusals: outcome.guard_refusals.iter().map(Into::into).collect(),
                notes,
            }),
        }
    }

    fn enrol(&self, entry: journal::EntryId, bubble: &BubbleRef, cancel: &Cancel) {
        let running = Running {
            bubble: bubble.clone(),
            cancel: cancel.clone(),
            since: unix_ms(),
        };
        let mut core = self.core();
        core.runs.insert(entry.0, running);
        if let Some(bubble) = core.bubble_mut(bubble) {
            bubble.runs.push(entry.0);
        }
        core.tell_board(&bubble.board);
    }

    fn strike_off(&self, entry: journal::EntryId, bubble: &BubbleRef) {
        let mut core = self.core();
        core.runs.remove(&entry.0);
        if let Some(bubble) = core.bubble_mut(bubble) {
            bubble.runs.retain(|run| *run != entry.0);
        }
        core.tell_board(&bubble.board);
    }
}
