//! The net under the parser: no opener of a substitution passes in silence.
//!
//! Whatever the parser returns, each `$(`, `` ` ``, `$[`, `<(`, `>(` in the raw text must
//! be the start of a node that was visited, or lie where the shell surely doesn't look.
//! The parser has lost bodies before (a second here-document on a line, operands nested
//! nine deep); this is what turns such a loss into a doubt.

use super::Anchor;
use crate::posix::tree::Unsure;

/// What the walk has seen of the raw text.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Where a visited substitution starts (and, for backticks, the closing one).
    nodes: Vec<u32>,
    /// Single quotes, comments, quoted here-documents: nothing is live there.
    inert: Vec<(u32, u32)>,
    /// Literal text in double quotes, here-documents and arithmetic: `<(` and `>(` are
    /// not live there, everything else is.
    no_process: Vec<(u32, u32)>,
}

impl Seen {
    pub(crate) fn node(&mut self, at: usize) {
        self.nodes.extend(u32::try_from(at));
    }

    pub(crate) fn inert(&mut self, from: usize, to: usize) {
        push(&mut self.inert, from, to);
    }

    pub(crate) fn no_process(&mut self, from: usize, to: usize) {
        push(&mut self.no_process, from, to);
    }

    /// Whether `text` may make the opener of a substitution a VALUE: one that is quoted or
    /// escaped, or a dollar sign that ends a quoted part and may meet its parenthesis later.
    /// What is only unknown before it runs can hold one as well, but not from this text.
    pub(crate) fn quotes_opener(&mut self, text: &str) -> bool {
        self.inert.sort_unstable();
        let bytes = text.as_bytes();
        let mut slashes = 0_usize;
        for (at, byte) in bytes.iter().enumerate() {
            let escaped = slashes % 2 == 1;
            slashes = if *byte == b'\\' { slashes + 1 } else { 0 };
            let inert = || u32::try_from(at).is_ok_and(|at| covered(&self.inert, at));
            let next = bytes.get(at + 1);
            let found = match byte {
                b'`' => escaped || inert(),
                b'$' if escaped => true,
                // `$'\x24'`, `"$"`, `$"`.
                b'$' if matches!(next, Some(b'\'' | b'"')) => true,
                b'$' => matches!(next, Some(b'(')) && inert(),
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }

    /// The openers of `text` that nothing accounts for.
    pub(crate) fn unaccounted(mut self, text: &str, anchor: Anchor, out: &mut Vec<Unsure>) {
        let bytes = text.as_bytes();
        if !bytes
            .iter()
            .any(|b| matches!(b, b'`' | b'(' | b'[' | b'$' | b'\\'))
        {
            return;
        }
        self.nodes.sort_unstable();
        self.inert.sort_unstable();
        self.no_process.sort_unstable();
        let mut slashes = 0_usize;
        for (at, first) in bytes.iter().enumerate() {
            let next = bytes.get(at + 1);
            let escaped = slashes % 2 == 1;
            slashes = if *first == b'\\' { slashes + 1 } else { 0 };
            if escaped {
                continue;
            }
            let process = match (first, next) {
                // A continued line may put `$` and `(` together.
                (b'$', Some(b'\\')) if bytes.get(at + 2) == Some(&b'\n') => false,
                // `2\` and a new line and `>`: the digit is the redirection's descriptor.
                (b'\\', Some(b'\n'))
                    if matches!(bytes.get(at + 2), Some(b'<' | b'>'))
                        && at
                            .checked_sub(1)
                            .and_then(|i| bytes.get(i))
                            .is_some_and(u8::is_ascii_digit) =>
                {
                    false
                }
                (b'`', _) | (b'$', Some(b'(' | b'[')) => false,
                (b'<' | b'>', Some(b'(')) => true,
                _ if makes_operator(bytes, at) => true,
                _ => continue,
            };
            let Ok(offset) = u32::try_from(at) else { break };
            if self.nodes.binary_search(&offset).is_ok()
                || covered(&self.inert, offset)
                || (process && covered(&self.no_process, offset))
            {
                continue;
            }
            out.push(Unsure {
                part: anchor.part(at, at + 1 + usize::from(next.is_some_and(u8::is_ascii))),
                why: if next == Some(&b'\\') {
                    "a continued line puts an operator together"
                } else {
                    "a substitution here can't be followed"
                },
            });
            return;
        }
    }
}

/// Whether continued lines behind the byte at `at` put it and another to one operator: the
/// shell takes `\\` and the new line out first, so `$(\\`, `(` begins arithmetic.
fn makes_operator(bytes: &[u8], at: usize) -> bool {
    let mut rest = bytes.get(at + 1..).unwrap_or_default();
    let mut lines = 0;
    while let Some(more) = rest.strip_prefix(b"\\\n") {
        rest = more;
        lines += 1;
    }
    let pair = (bytes.get(at), rest.first());
    lines > 0
        && matches!(
            pair,
            (Some(b'(' | b'='), Some(b'('))
                | (Some(b')'), Some(b')'))
                | (Some(b'&'), Some(b'&' | b'>'))
                | (Some(b'|'), Some(b'|' | b'&'))
                | (Some(b';'), Some(b';' | b'&'))
                | (Some(b'<'), Some(b'<' | b'>' | b'&' | b'('))
                | (Some(b'>'), Some(b'>' | b'|' | b'&' | b'('))
        )
}

fn push(list: &mut Vec<(u32, u32)>, from: usize, to: usize) {
    if let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) {
        list.push((from, to));
    }
}

fn covered(list: &[(u32, u32)], at: u32) -> bool {
    let after = list.partition_point(|(from, _)| *from <= at);
    after
        .checked_sub(1)
        .and_then(|i| list.get(i))
        .is_some_and(|(_, to)| at < *to)
}
