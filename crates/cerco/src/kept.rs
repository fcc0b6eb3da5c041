//! What is kept of a stream for the one object of `--json`: its beginning and its end.

/// So much of a stream goes into the one object of --json.
const MAX_KEPT: usize = 1 << 20;

/// The beginning and the end of a stream.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: Vec<u8>,
    length: usize,
}

impl Kept {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let room = MAX_KEPT.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > MAX_KEPT {
            // Not each time: a flood would be moved as often as it is read.
            self.tail.drain(..self.tail.len() - MAX_KEPT / 2);
        }
    }

    pub(crate) fn left_out(&self) -> usize {
        self.length - self.head.len() - self.tail.len()
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        let left_out = self.left_out();
        if left_out > 0 {
            use std::fmt::Write as _;
            // Writing to a string can't fail.
            let _ = write!(text, "\n[… {left_out} bytes left out …]\n");
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }
}
