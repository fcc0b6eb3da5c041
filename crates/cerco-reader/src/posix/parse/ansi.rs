//! The inside of `$'…'`.

use compact_str::CompactString;

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
                let control = u8::try_from(c).ok()? & 0x1f;
                out.push(if c == '?' { 0x7f } else { control });
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

#[cfg(test)]
mod tests {
    use super::*;

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
            ("\\c?", Some("\u{7f}")),
        ] {
            assert_eq!(ansi_c(raw).as_deref(), want, "{raw}");
        }
    }
}
