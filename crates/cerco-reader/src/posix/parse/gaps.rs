//! Between commands stands only what separates them: anything else is text that the parser
//! lost (it ends a text at `{b ]]`, and calls that clean).

use shuck_ast as s;
use smallvec::SmallVec;

use super::command::Lower;
use crate::posix::tree::{List, Unsure};

const LOST: &str = "something here is no part of any command";

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
                let (from, to) = (ends(before).1, ends(after).0);
                self.gap(from, to);
                let last = from.saturating_sub(1);
                if !self
                    .text
                    .get(last..to)
                    .is_some_and(|gap| gap.contains([';', '&', '\n']))
                {
                    self.unsure(
                        after.span,
                        "nothing separates this command from the last one",
                    );
                }
            }
        }
    }

    /// Between the words and redirections of a plain command stand blanks.
    pub(super) fn words_fill(&mut self, simple: &s::SimpleCommand, stmt: &s::Stmt) {
        let words = std::iter::once(&simple.name).chain(&simple.args);
        let spans = words.map(|word| word.span);
        let spans = spans.chain(simple.assignments.iter().map(|a| a.span));
        let spans = spans.chain(stmt.redirects.iter().map(|redirect| redirect.span));
        let mut ends: SmallVec<[(usize, usize); 8]> = spans
            .map(|span| (span.start.offset(), span.end.offset()))
            .filter(|(from, to)| from < to)
            .collect();
        ends.sort_unstable();
        for pair in ends.windows(2) {
            let [(_, from), (to, _)] = *pair else {
                continue;
            };
            let blank = |gap: &str| {
                gap.bytes()
                    .all(|b| matches!(b, b' ' | b'\t' | b'\\' | b'\n'))
            };
            if from < to && !self.text.get(from..to).is_some_and(blank) {
                let part = self.part_at(from, to);
                self.unsure.push(Unsure { part, why: LOST });
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
                // The line behind a here-document's body is its end mark. Both may be empty:
                // this must go on all the same.
                at = line_end(*end).max(at) + 1;
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
                        why: LOST,
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
