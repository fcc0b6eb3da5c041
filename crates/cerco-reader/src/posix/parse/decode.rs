//! What quoting leaves of the written characters.

use compact_str::CompactString;
use smallvec::SmallVec;

use crate::posix::tree::Frag;

/// Unquoted text: a backslash quotes the next character, a backslash-newline is nothing.
pub(crate) fn bare(raw: &str, out: &mut SmallVec<[Frag; 1]>) {
    if !raw.contains('\\') {
        if !raw.is_empty() {
            push_bare(raw, out);
        }
        return;
    }
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        push_bare(before, out);
        let mut chars = from.chars();
        chars.next();
        match chars.next() {
            Some('\n') => {}
            Some(c) => push_quoted_char(c, out),
            None => push_quoted_char('\\', out),
        }
        rest = chars.as_str();
    }
    push_bare(rest, out);
}

/// Unquoted text in which quotes were left standing (the parser keeps the inside of
/// braces as it is written). False where the quotes don't close or something in double
/// quotes is expanded.
pub(crate) fn with_quotes(raw: &str, out: &mut SmallVec<[Frag; 1]>) -> bool {
    let mut rest = raw;
    loop {
        let quote = rest
            .bytes()
            .scan(false, |escaped, b| {
                let live = !*escaped;
                *escaped = live && b == b'\\';
                Some(live && matches!(b, b'\'' | b'"'))
            })
            .position(|live| live);
        let Some(at) = quote else {
            bare(rest, out);
            return true;
        };
        let (before, from) = rest.split_at(at);
        bare(before, out);
        let (mark, inside) = from.split_at(1);
        let Some((inside, after)) = closed(inside, mark) else {
            return false;
        };
        if mark == "'" {
            quoted(inside, out);
        } else if inside.contains(['$', '`']) {
            return false;
        } else {
            quoted(&double(inside, false), out);
        }
        rest = after;
    }
}

/// What stands before the closing `mark`, and behind it.
fn closed<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && mark.starts_with(c) {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
        escaped = !escaped && c == '\\' && mark == "\"";
    }
    None
}

fn push_bare(text: &str, out: &mut SmallVec<[Frag; 1]>) {
    if text.is_empty() {
        return;
    }
    if let Some(Frag::Bare(last)) = out.last_mut() {
        last.push_str(text);
    } else {
        out.push(Frag::Bare(CompactString::from(text)));
    }
}

fn push_quoted_char(c: char, out: &mut SmallVec<[Frag; 1]>) {
    if let Some(Frag::Quoted(last)) = out.last_mut() {
        last.push(c);
    } else {
        let mut text = CompactString::default();
        text.push(c);
        out.push(Frag::Quoted(text));
    }
}

/// Adds quoted characters, joining them to the quoted ones before.
pub(crate) fn quoted(text: &str, out: &mut SmallVec<[Frag; 1]>) {
    if let Some(Frag::Quoted(last)) = out.last_mut() {
        last.push_str(text);
    } else {
        out.push(Frag::Quoted(CompactString::from(text)));
    }
}

/// Text in double quotes, or (`here`) in a here-document, where `\"` stays.
pub(crate) fn double(raw: &str, here: bool) -> CompactString {
    if !raw.contains('\\') {
        return CompactString::from(raw);
    }
    let mut out = CompactString::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(c @ ('$' | '`' | '\\')) => out.push(c),
            Some('"') if !here => out.push('"'),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// The text of a backtick substitution as the shell reads it a second time: one
/// backslash goes from in front of `` ` ``, `\`, `$`, and of `"` inside double quotes.
pub(crate) fn backtick(raw: &str, in_double: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ ('`' | '\\' | '$')) => out.push(c),
            Some('"') if in_double => out.push('"'),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_left_in_text_are_taken_out() {
        for (raw, want) in [
            ("{'a b',c}", Some("{<a b>,c}")),
            ("{\"a\\\"\",c}", Some("{<a\">,c}")),
            ("{'a\\',c}", Some("{<a\\>,c}")),
            ("{\\'a,b}", Some("{<'>a,b}")),
            ("{\"$x\",b}", None),
            ("{'a", None),
        ] {
            let mut out = SmallVec::new();
            let whole = with_quotes(raw, &mut out);
            let text: String = out
                .iter()
                .map(|frag| match frag {
                    Frag::Bare(text) => text.to_string(),
                    Frag::Quoted(text) => format!("<{text}>"),
                    _ => "?".to_owned(),
                })
                .collect();
            assert_eq!(whole.then_some(text.as_str()), want, "{raw}");
        }
    }
}
