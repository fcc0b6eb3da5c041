//! Words that the parser takes apart in the wrong places: with `\"` and `$(…)` in the same
//! double quotes (`"say \"$(date)\""`) its parts no longer lie where the text has them.
//!
//! Such a word is written otherwise and parsed once more: `\"` becomes `"'"'"`, which means
//! the same and has no backslash. What isn't plain to write so stays a doubt.

use shuck_ast as s;

use super::command::Lower;
use super::word::Frags;
use super::{Anchor, parse};
use crate::posix::tree::{Cmd, Stmt};

impl Lower<'_> {
    /// What `word` is made of, where its parts have slipped and its text is plain enough.
    pub(super) fn requoted(&mut self, word: &s::Word) -> Option<Frags> {
        if self.in_arith || self.rereads > 0 || !has_slipped(word) {
            return None;
        }
        let text = format!(": {}", rewritten(self.raw(word.span))?);
        let anchor = Anchor::Fixed(self.part(word.span));
        let parsed = parse(&text, self.dialect, anchor, self.rereads + 1);
        let [
            Stmt {
                command, redirs, ..
            },
        ] = <[Stmt; 1]>::try_from(parsed.list).ok()?;
        let Cmd::Simple(simple) = command else {
            return None;
        };
        let [_, argument] = <[_; 2]>::try_from(simple.words).ok()?;
        if !redirs.is_empty() || !parsed.unsure.is_empty() {
            return None;
        }
        self.seen
            .inert(word.span.start.offset(), word.span.end.offset());
        Some(argument.frags)
    }
}

fn has_slipped(word: &s::Word) -> bool {
    let (from, to) = (word.span.start.offset(), word.span.end.offset());
    !filled(&word.parts, from, to)
        || word.parts.iter().any(|node| match &node.kind {
            s::WordPart::DoubleQuoted { parts, dollar } => {
                let from = node.span.start.offset() + 1 + usize::from(*dollar);
                !filled(parts, from, node.span.end.offset().saturating_sub(1))
            }
            _ => false,
        })
}

/// Whether parts lie side by side and take up their stretch of the text.
pub(super) fn filled(parts: &[s::WordPartNode], from: usize, end: usize) -> bool {
    let spans = parts.iter().map(|node| node.span);
    let mut spans = spans
        .map(|span| (span.start.offset(), span.end.offset()))
        .filter(|(from, to)| from != to);
    let last = spans.try_fold(from, |at, (from, to)| (from == at).then_some(to));
    parts.is_empty() || last == Some(end)
}

/// The word `raw` without a backslash in double quotes; nothing where more than quotes,
/// plain characters and plain substitutions stand in it.
fn rewritten(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len() + 16);
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..)?;
        match c {
            '"' => {
                out.push('"');
                rest = inside_double(after, &mut out)?;
            }
            '\'' => rest = copied(rest, 1 + after.find('\'')? + 1, &mut out)?,
            '\\' | '`' | '$' | '<' | '>' | '(' | ')' | '&' | '|' | ';' => return None,
            _ => rest = copied(rest, c.len_utf8(), &mut out)?,
        }
    }
    Some(out)
}

/// Writes what stands in double quotes, and their end; what is left behind it.
fn inside_double<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        let after = rest.get(c.len_utf8()..)?;
        match c {
            '"' => {
                out.push('"');
                return Some(after);
            }
            '\\' => match after.chars().next()? {
                escaped @ ('"' | '$' | '`' | '\\') => {
                    out.extend(["\"'", escaped.encode_utf8(&mut [0; 4]), "'\""]);
                    rest = after.get(1..)?;
                }
                '\n' => rest = after.get(1..)?,
                // A backslash before anything else is itself.
                _ => {
                    out.push_str("\"'\\'\"");
                    rest = after;
                }
            },
            '`' => return None,
            '$' if after.starts_with(['(', '{']) => {
                let width = if after.starts_with('(') {
                    substitution(after.get(1..)?)?
                } else {
                    after.find('}').filter(|end| is_plain(after.get(1..*end)))?
                };
                rest = copied(rest, 1 + 1 + width, out)?;
            }
            _ => rest = copied(rest, c.len_utf8(), out)?,
        }
    }
}

/// How long what stands behind `$(` is, its parenthesis included.
fn substitution(text: &str) -> Option<usize> {
    let mut depth = 1_u32;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\'' => at += 1 + text.get(at + 1..)?.find('\'')?,
            b'"' => {
                let inner = text.get(at + 1..)?;
                let end = inner.find('"')?;
                if !is_plain(inner.get(..end)) {
                    return None;
                }
                at += 1 + end;
            }
            b'\\' | b'`' | b'#' | b'{' | b'}' => return None,
            b'<' if text.get(at..)?.starts_with("<<") => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            // The pattern of a `case` ends with a parenthesis of its own.
            return (!text.get(..at)?.contains("case")).then_some(at);
        }
    }
    None
}

/// Whether nothing in it opens anything.
fn is_plain(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.contains(['\\', '`', '(', '{', '\'', '"', '#']))
}

/// Takes `width` bytes over as they are; what is left behind them.
fn copied<'t>(text: &'t str, width: usize, out: &mut String) -> Option<&'t str> {
    out.push_str(text.get(..width)?);
    text.get(width..)
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn escapes_become_quotes_of_their_own() {
        for (raw, want) in [
            (r#""a \"$(b)\"""#, Some(r#""a "'"'"$(b)"'"'"""#)),
            (r#"x="\$y\e""#, Some(r#"x=""'$'"y"'\'"e""#)),
            (r#"'\"'"\\""#, Some(r#"'\"'""'\'"""#)),
            (
                r#""\"$(b "c" '"' (d))""#,
                Some(r#"""'"'"$(b "c" '"' (d))""#),
            ),
            (r#""\"$(b "$(c)")""#, None),
            (r#""\"$(b \"c\")""#, None),
            (r#""\"$(case a in a) b;; esac)""#, None),
            (r#""\"`b`""#, None),
            (r#""\"${x:-"y"}""#, None),
            (r#""\"$(b"#, None),
            (r#"a\"b"#, None),
        ] {
            assert_eq!(rewritten(raw).as_deref(), want, "{raw}");
        }
    }
}
