//! Where a command's output goes while it runs, and how a run is cancelled.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One of a command's two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error; also the lines in which Cerco says what its guard refused.
    Stderr,
}

/// Hears a command's output as it comes.
///
/// A sink that takes its time slows the command down, as a slow reader of a pipe does,
/// and nothing else: the clock and the stopping of the tree don't wait for it.
pub trait Sink {
    /// The command itself begins now.
    fn began(&mut self) {}
    /// These bytes came. Any bytes: neither whole lines nor whole characters.
    fn output(&mut self, stream: Stream, bytes: &[u8]);
}

/// Hears nothing; the outcome still has what was kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSink;

impl Sink for NoSink {
    fn output(&mut self, _: Stream, _: &[u8]) {}
}

/// Cancels a run, from any thread, before it or while it goes.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    wanted: AtomicU8,
    wake: Mutex<Option<std::io::PipeWriter>>,
}

/// What a [`Cancel`] asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    Nothing,
    Stop,
    Kill,
}

impl Cancel {
    /// Asks the command to end: TERM, two seconds, KILL.
    pub fn stop(&self) {
        self.raise(Wanted::Stop);
    }

    /// Ends the command at once.
    pub fn kill(&self) {
        self.raise(Wanted::Kill);
    }

    /// Whether anybody has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.wanted() != Wanted::Nothing
    }

    fn raise(&self, wanted: Wanted) {
        self.0.wanted.fetch_max(wanted as u8, Ordering::SeqCst);
        let mut wake = self.0.wake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = wake.as_mut() {
            use std::io::Write;
            // Few bytes in all, each of which the run reads; a full or closed pipe means
            // that it has been woken, or is over.
            let _ = pipe.write(b".");
        }
    }

    pub(crate) fn wanted(&self) -> Wanted {
        match self.0.wanted.load(Ordering::SeqCst) {
            0 => Wanted::Nothing,
            1 => Wanted::Stop,
            _ => Wanted::Kill,
        }
    }

    /// From now on a cancellation writes a byte into `pipe`.
    pub(crate) fn wake_by(&self, pipe: Option<std::io::PipeWriter>) {
        *self.0.wake.lock().unwrap_or_else(PoisonError::into_inner) = pipe;
    }
}
