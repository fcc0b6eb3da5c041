//! How often a bubble tried the very same text in vain.

use std::collections::VecDeque;

use crate::Request;

/// How many texts are remembered. An agent that tries more different ones is not in a loop.
const KEPT: usize = 256;

#[derive(Debug)]
struct Tried {
    board: String,
    bubble: String,
    text: String,
    times: u32,
}

/// The texts that were refused or denied, latest last.
#[derive(Debug, Default)]
pub(super) struct Repeats(VecDeque<Tried>);

impl Repeats {
    pub(super) fn note(&mut self, request: &Request) {
        let found = self.0.iter().position(|t| t.is(request));
        let mut tried = found
            .and_then(|at| self.0.remove(at))
            .unwrap_or_else(|| Tried {
                board: request.who().board.0.to_string(),
                bubble: request.who().bubble.to_string(),
                text: request.command().text().to_owned(),
                times: 0,
            });
        tried.times = tried.times.saturating_add(1);
        self.0.push_back(tried);
        while self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    pub(super) fn times(&self, request: &Request) -> u32 {
        self.0.iter().find(|t| t.is(request)).map_or(0, |t| t.times)
    }
}

impl Tried {
    fn is(&self, request: &Request) -> bool {
        self.text == request.command().text()
            && self.bubble == request.who().bubble
            && self.board == request.who().board.0
    }
}
