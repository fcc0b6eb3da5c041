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

/// The inside of `$'…'`. `None` where the bytes are no text.
pub(crate) fn ansi_c(raw: &str) -> Option<CompactString> {
    let mut out: Vec<u8> = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        if c != '\\' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            out.push(b'\\');
            break;
        };
        let after = rest.get(escape.len_utf8()..)?;
        let simple = match escape {
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            '\\' | '\'' | '"' | '?' => u8::try_from(escape).ok(),
            _ => None,
        };
        if let Some(byte) = simple {
            out.push(byte);
            rest = after;
            continue;
        }
        match escape {
            '0'..='7' => {
                let (value, tail) = number(rest, 8, 3);
                rest = tail;
                // Only the low eight bits count, as in bash.
                out.push(u8::try_from(value & 0xff).ok()?);
            }
            'x' => {
                let (value, tail) = number(after, 16, 2);
                if tail.len() == after.len() {
                    // `\x` without digits; `\x{…}` differs between versions.
                    if after.starts_with('{') {
                        return None;
                    }
                    out.extend_from_slice(b"\\x");
                } else {
                    out.push(u8::try_from(value).ok()?);
                }
                rest = tail;
            }
            'u' | 'U' => {
                let (value, tail) = number(after, 16, if escape == 'u' { 4 } else { 8 });
                if tail.len() == after.len() {
                    out.push(b'\\');
                    out.extend_from_slice(escape.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    let c = char::from_u32(value)?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                rest = tail;
            }
            'c' => {
                let c = after.chars().next()?;
                if !c.is_ascii() || c == '\\' {
                    return None;
                }
                out.push(u8::try_from(c).ok()? & 0x1f);
                rest = after.get(1..)?;
            }
            other => {
                out.push(b'\\');
                out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
        }
        // A NUL ends the string in the shell, and what follows is dropped.
        if out.last() == Some(&0) {
            out.pop();
            break;
        }
    }
    String::from_utf8(out).ok().map(CompactString::from)
}

fn number(text: &str, radix: u32, most: usize) -> (u32, &str) {
    let mut value: u32 = 0;
    let mut rest = text;
    for _ in 0..most {
        let Some(digit) = rest.chars().next().and_then(|c| c.to_digit(radix)) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        rest = rest.get(1..).unwrap_or_default();
    }
    (value, rest)
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

    #[test]
    fn ansi_c_as_bash_reads_it() {
        for (raw, want) in [
            ("\\x73sh", Some("ssh")),
            ("\\163\\163h", Some("ssh")),
            ("a\\nb", Some("a\nb")),
            ("\\u0073", Some("s")),
            ("x\\0y", Some("x")),
            ("\\q", Some("\\q")),
            ("\\'", Some("'")),
            ("\\xff", None),
            ("\\cA", Some("\u{1}")),
        ] {
            assert_eq!(ansi_c(raw).as_deref(), want, "{raw}");
        }
    }
}
