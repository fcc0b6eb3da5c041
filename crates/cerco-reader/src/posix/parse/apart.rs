//! Whether the words that the parser has stand apart in the text, as the shell sees them.

use shuck_ast as s;

use super::command::Lower;

impl Lower<'_> {
    /// Words stand apart. Where the parser has two without a blank between them, or a word
    /// that doesn't end where the text has a separator, the shell sees other words.
    pub(super) fn apart(&mut self, simple: &s::SimpleCommand, redirects: &[s::Redirect]) {
        let words = || std::iter::once(&simple.name).chain(&simple.args);
        let mut end = usize::MAX;
        for word in words() {
            let (from, to) = (word.span.start.offset(), word.span.end.offset());
            if from == to {
                continue;
            }
            if self.joined(end, from) || !self.bounded(from, to) {
                self.unsure(word.span, "it isn't clear where this word begins and ends");
            }
            end = to;
        }
        for redirect in redirects {
            let (from, to) = (redirect.span.start.offset(), redirect.span.end.offset());
            for word in words() {
                let (start, end) = (word.span.start.offset(), word.span.end.offset());
                // `22`, or `{fd}` on two lines, may belong to the redirection behind it.
                let raw = self.raw(word.span);
                let whole = raw.replace("\\\n", "");
                let taken = whole.bytes().all(|b| b.is_ascii_digit())
                    || (whole.len() < raw.len() && whole.starts_with('{'));
                if start < end && (self.joined(to, start) || (taken && self.joined(end, from))) {
                    self.unsure(redirect.span, "it isn't clear where this word begins");
                }
            }
        }
    }

    /// The same of words that stand elsewhere: in a list, behind `export`.
    pub(super) fn apart_words(&mut self, words: impl Iterator<Item = s::Span>) {
        let mut end = usize::MAX;
        for span in words {
            let (from, to) = (span.start.offset(), span.end.offset());
            if self.joined(end, from) || !self.bounded(from, to) {
                self.unsure(span, "it isn't clear where this word begins and ends");
            }
            end = to;
        }
    }

    /// Nothing, or only continued lines, between two places.
    fn joined(&self, end: usize, from: usize) -> bool {
        self.text
            .get(end..from)
            .is_some_and(|gap| gap.replace("\\\n", "").is_empty())
    }

    fn bounded(&self, from: usize, to: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = from.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(to);
        let apart = |b: &u8| b.is_ascii_whitespace() || b";&|()<>`".contains(b);
        before.is_none_or(|b| apart(b) || b"{!\"".contains(b))
            && after.is_none_or(|b| apart(b) || *b == b'\\')
    }
}
