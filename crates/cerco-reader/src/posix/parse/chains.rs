//! Texts that the parser turned down: very long chains, and texts with one bad piece.
//!
//! The parser rejects more than a thousand links of `&&` and `||`. Such a text is cut at
//! its top-level separators and each piece parsed alone. A piece counts only when it is
//! a whole command by itself, so that a cut in the wrong place (inside quotes, a loop)
//! can't pass: it leaves a piece that doesn't parse, and that is a doubt. A text that is
//! just wrong is cut the same way, so that its readable pieces are still judged.

use cerco_model::Dialect;

use super::{Anchor, clean};
use crate::posix::tree::{Cmd, Link, List, Parsed, Stmt, Unsure};

/// What ends a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Link(Link),
    Next,
    Background,
    End,
}

/// Reads `text` piece by piece; nothing where it can't be cut at all.
pub(super) fn parse(text: &str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Option<Parsed> {
    let pieces = cut(text)?;
    if pieces.len() < 2 {
        return None;
    }
    let mut parsed = Parsed::default();
    let mut chain: Option<(Stmt, Vec<(Link, Stmt)>)> = None;
    let mut joined_by = Cut::Next;
    for (from, to, end) in pieces {
        let piece = text.get(from..to)?;
        let inner = match anchor {
            Anchor::From(base) => Anchor::From(base + from),
            Anchor::Fixed(part) => Anchor::Fixed(part),
        };
        let list = match clean(piece, dialect, inner, rereads) {
            Ok(read) => {
                parsed.unsure.extend(read.unsure);
                parsed.quotes_opener |= read.quotes_opener;
                read.list
            }
            Err(why) => {
                parsed.unsure.push(Unsure {
                    part: anchor.part(from, to),
                    why: why.in_words(),
                });
                Vec::new()
            }
        };
        let mut stmts = list.into_iter();
        let (first, more) = (stmts.next(), stmts.next());
        if more.is_some() {
            return None;
        }
        match (first, joined_by) {
            (Some(stmt), Cut::Link(link)) => match &mut chain {
                Some((_, rest)) => rest.push((link, stmt)),
                None => chain = Some((stmt, Vec::new())),
            },
            (Some(stmt), Cut::Next | Cut::Background | Cut::End) => {
                chain = Some((stmt, Vec::new()));
            }
            // Nothing between two separators is only right between lines.
            (None, Cut::Link(_)) => parsed.unsure.push(Unsure {
                part: anchor.part(from, to),
                why: "it doesn't parse as shell text",
            }),
            (None, Cut::Next | Cut::Background | Cut::End) => {}
        }
        joined_by = end;
        if !matches!(end, Cut::Link(_)) {
            finish(chain.take(), end == Cut::Background, &mut parsed.list);
        }
    }
    finish(chain.take(), false, &mut parsed.list);
    Some(parsed)
}

fn finish(chain: Option<(Stmt, Vec<(Link, Stmt)>)>, background: bool, list: &mut List) {
    let Some((first, rest)) = chain else { return };
    let mut stmt = if rest.is_empty() {
        first
    } else {
        let part = rest
            .last()
            .map_or(first.part, |(_, last)| first.part.cover(last.part));
        Stmt {
            command: Cmd::AndOr {
                first: Box::new(first),
                rest,
            },
            redirs: Vec::new(),
            negated: false,
            background: false,
            part,
        }
    };
    stmt.background |= background;
    list.push(stmt);
}

/// The pieces between top-level separators. Nothing where a here-document or a comment
/// makes the raw text misleading.
fn cut(text: &str) -> Option<Vec<(usize, usize, Cut)>> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    let mut depth = 0_usize;
    let byte = |i: usize| bytes.get(i).copied();
    while let Some(b) = byte(at) {
        let next = byte(at + 1);
        let before = at.checked_sub(1).and_then(byte);
        let cut = match b {
            b'\\' => {
                at += 2;
                continue;
            }
            b'\'' => {
                at = 1 + at + 1 + bytes.get(at + 1..)?.iter().position(|b| *b == b'\'')?;
                continue;
            }
            b'"' => {
                at = after_double(bytes, at + 1)?;
                continue;
            }
            b'`' => return None,
            b'<' if next == Some(b'<') => return None,
            b'#' if before.is_none_or(|b| b.is_ascii_whitespace() || b";&|(".contains(&b)) => {
                return None;
            }
            b'(' | b'{' => {
                depth += 1;
                None
            }
            b')' | b'}' => {
                depth = depth.checked_sub(1)?;
                None
            }
            b'&' if next == Some(b'&') => Some((2, Cut::Link(Link::And))),
            b'|' if next == Some(b'|') => Some((2, Cut::Link(Link::Or))),
            b'|' if next == Some(b'&') => {
                at += 2;
                continue;
            }
            b'&' if next != Some(b'>') && !matches!(before, Some(b'<' | b'>')) => {
                Some((1, Cut::Background))
            }
            b';' | b'\n' => Some((1, Cut::Next)),
            _ => None,
        };
        match cut {
            Some((width, cut)) if depth == 0 => {
                pieces.push((from, at, cut));
                at += width;
                from = at;
            }
            Some((width, _)) => at += width,
            None => at += 1,
        }
    }
    if depth != 0 {
        return None;
    }
    pieces.push((from, text.len(), Cut::End));
    Some(pieces)
}

/// The position after the closing double quote; nothing where a substitution stands in it.
fn after_double(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            b'`' => return None,
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => return None,
            _ => at += 1,
        }
    }
}
