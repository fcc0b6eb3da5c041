//! The connections that are open now, so that all of them can be ended at once.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Open sockets by number.
#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    is_over: bool,
    next: u64,
    sockets: HashMap<u64, TcpStream>,
    connections: usize,
}

/// Counts as one connection while it lives.
#[derive(Debug)]
pub(crate) struct Counted<'a>(&'a Live);

/// Keeps one socket known while it lives.
#[derive(Debug)]
pub(crate) struct Known<'a>(&'a Live, u64);

impl Live {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections are served now.
    pub(crate) fn connections(&self) -> usize {
        self.state().connections
    }

    /// One more connection.
    pub(crate) fn count(&self) -> Counted<'_> {
        self.state().connections += 1;
        Counted(self)
    }

    /// Makes `socket` known; nothing where all is over or it can't be.
    pub(crate) fn know(&self, socket: &TcpStream) -> Option<Known<'_>> {
        let copy = socket.try_clone().ok()?;
        let mut state = self.state();
        if state.is_over {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.sockets.insert(number, copy);
        Some(Known(self, number))
    }

    /// Ends all of them, and every later one.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.is_over = true;
        for (_, socket) in state.sockets.drain() {
            // One that is closed already needs no end.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.connections = state.connections.saturating_sub(1);
    }
}

impl Drop for Known<'_> {
    fn drop(&mut self) {
        self.0.state().sockets.remove(&self.1);
    }
}
