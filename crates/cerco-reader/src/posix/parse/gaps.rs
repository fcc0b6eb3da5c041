//! Between commands stands only what separates them: anything else is text that the parser
//! lost (it ends a text at `{b ]]`, and calls that clean).

use shuck_ast as s;

use super::command::Lower;
use crate::posix::tree::{List, Unsure};

impl Lower<'_> {
    /// A list that takes up its stretch of the text.
    pub(super) fn list_within(&mut self, seq: &s::StmtSeq, from: usize, to: usize) -> List {
        let list = self.list(seq);
        self.gap(from, seq.stmts.first().map_or(to, |stmt| ends(stmt).0));
        if let Some(last) = seq.stmts.last() {
            self.gap(ends(last).1, to);
        }
        list
    }

    /// What lies between the commands of a list.
    pub(super) fn gaps(&mut self, seq: &s::StmtSeq) {
        for pair in seq.stmts.windows(2) {
            if let [before, after] = pair {
                self.gap(ends(before).1, ends(after).0);
            }
        }
    }

    fn gap(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let line_end = |at: usize| {
            let rest = bytes.get(at..).unwrap_or_default();
            at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
        };
        let mut at = from;
        while at < to {
            if let Some(end) = self.bodies.get(&at) {
                // The line behind a here-document's body is its end mark.
                at = line_end(*end);
                continue;
            }
            at = match bytes.get(at) {
                // Groups are counted without what encloses them.
                Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'(' | b')' | b'{' | b'}') => at + 1,
                Some(b'\\') if bytes.get(at + 1) == Some(&b'\n') => at + 2,
                Some(b'#') => line_end(at),
                _ => {
                    return self.unsure.push(Unsure {
                        part: self.part_at(at, to),
                        why: "something here is no part of any command",
                    });
                }
            };
        }
    }
}

/// Where a command begins and ends with all its redirections.
fn ends(stmt: &s::Stmt) -> (usize, usize) {
    let spans = stmt.redirects.iter().map(|redirect| redirect.span);
    spans.fold(
        (stmt.span.start.offset(), stmt.span.end.offset()),
        |(from, to), span| (from.min(span.start.offset()), to.max(span.end.offset())),
    )
}
