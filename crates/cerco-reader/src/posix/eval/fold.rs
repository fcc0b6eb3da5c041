//! What `echo` and `printf` write, where it is settled.

use cerco_model::Dialect;
use compact_str::CompactString;

/// What `echo` writes for these arguments; nothing where it depends on more.
pub(super) fn echo(args: &[&str], dialect: Dialect) -> Option<CompactString> {
    let mut newline = true;
    // dash always reads escapes, bash only with `-e`.
    let mut escapes = dialect == Dialect::Sh;
    let mut rest = args;
    while let [first, tail @ ..] = rest {
        let Some(flags) = first.strip_prefix('-').filter(|f| !f.is_empty()) else {
            break;
        };
        let known = if dialect == Dialect::Sh {
            flags == "n"
        } else {
            flags.chars().all(|c| "neE".contains(c))
        };
        if !known {
            break;
        }
        for flag in flags.chars() {
            match flag {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = tail;
        if dialect == Dialect::Sh {
            break;
        }
    }
    let mut out = CompactString::from(rest.join(" "));
    if escapes && out.contains('\\') {
        out = unescape(&out, dialect, Octal::BehindZero)?;
    }
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// What `printf` writes.
pub(super) fn printf(args: &[&str], dialect: Dialect) -> Option<CompactString> {
    let args = match args {
        ["--", rest @ ..] => rest,
        [first, ..] if first.starts_with('-') && first.len() > 1 => return None,
        rest => rest,
    };
    let (format, mut rest) = args.split_first()?;
    let mut out = CompactString::default();
    loop {
        let before = rest.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    let escape = chars.next()?;
                    out.push(match escape {
                        'n' => '\n',
                        't' => '\t',
                        '\\' => '\\',
                        '"' | '\'' if dialect != Dialect::Sh => escape,
                        _ => {
                            // Octal and hex: let the whole format be unescaped first. `%b` takes
                            // one digit more than it behind `\0`.
                            if escape == '0' {
                                return None;
                            }
                            let plain = unescape(format, dialect, Octal::Any)?;
                            let mut args = args.to_vec();
                            let percents = |text: &str| text.matches('%').count();
                            if plain.contains('\\') || percents(&plain) != percents(format) {
                                return None;
                            }
                            *args.first_mut()? = plain.as_str();
                            return printf(&args, dialect);
                        }
                    });
                }
                '%' => match chars.next()? {
                    '%' => out.push('%'),
                    's' => {
                        if let Some((arg, tail)) = rest.split_first() {
                            out.push_str(arg);
                            rest = tail;
                        }
                    }
                    c @ ('d' | 'i' | 'u') => {
                        let value = match rest.split_first() {
                            Some((arg, tail)) => {
                                rest = tail;
                                decimal(arg).filter(|n| c != 'u' || *n >= 0)?
                            }
                            None => 0,
                        };
                        out.push_str(&value.to_string());
                    }
                    'b' => {
                        if let Some((arg, tail)) = rest.split_first() {
                            out.push_str(&unescape(arg, dialect, Octal::Any)?);
                            rest = tail;
                        }
                    }
                    'c' => {
                        if let Some((arg, tail)) = rest.split_first() {
                            // Of other characters it writes the first byte.
                            out.extend(arg.is_ascii().then(|| arg.chars().next())?);
                            rest = tail;
                        }
                    }
                    _ => return None,
                },
                c => out.push(c),
            }
        }
        if rest.is_empty() || rest.len() == before {
            return Some(out);
        }
    }
}

/// A number without anything that `printf` would read otherwise (`010` is octal).
fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits == "0" || digits.starts_with(|c: char| matches!(c, '1'..='9'));
    text.parse().ok().filter(|_| is_plain)
}

/// Which backslashed digits are a character's octal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Octal {
    /// `\0101`: `echo`.
    BehindZero,
    /// `\101` as well: `printf`.
    Any,
}

/// Backslash escapes as `echo -e`, `printf` and `%b` read them.
fn unescape(text: &str, dialect: Dialect, octal: Octal) -> Option<CompactString> {
    let mut out = CompactString::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let digits = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix, most| {
            let mut value = None;
            for _ in 0..most {
                let Some(d) = chars.peek().and_then(|c| c.to_digit(radix)) else {
                    break;
                };
                chars.next();
                value = Some(value.unwrap_or(0) * radix + d);
            }
            value
        };
        match chars.next() {
            None | Some('\\') => out.push('\\'),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('x') if dialect != Dialect::Sh => out.push(ascii(digits(&mut chars, 16, 2)?)?),
            Some('0') => match digits(&mut chars, 8, 3) {
                Some(value) => out.push(ascii(value)?),
                None => return None,
            },
            Some(c @ '1'..='7') if octal == Octal::Any => {
                let first = c.to_digit(8)?;
                let mut value = first;
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    chars.next();
                    value = value * 8 + d;
                }
                out.push(ascii(value)?);
            }
            // `\c` stops all output, `\u` follows the locale, others differ by version.
            Some(_) => return None,
        }
    }
    Some(out)
}

fn ascii(value: u32) -> Option<char> {
    char::from_u32(value).filter(|c| c.is_ascii() && *c != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_builtins_write() {
        assert_eq!(echo(&["a", "b"], Dialect::Bash).as_deref(), Some("a b\n"));
        assert_eq!(echo(&["-n", "a"], Dialect::Bash).as_deref(), Some("a"));
        assert_eq!(
            echo(&["-e", "\\x73sh"], Dialect::Bash).as_deref(),
            Some("ssh\n")
        );
        assert_eq!(echo(&["-e", "a"], Dialect::Sh).as_deref(), Some("-e a\n"));
        assert_eq!(
            printf(&["%s-%s\\n", "a", "b", "c"], Dialect::Bash).as_deref(),
            Some("a-b\nc-\n")
        );
        let one = |args: &[&str]| printf(args, Dialect::Bash);
        assert_eq!(one(&["\\163sh"]).as_deref(), Some("ssh"));
        assert_eq!(one(&["%d", "-12"]).as_deref(), Some("-12"));
        for args in [["%q", "x"], ["%d", "010"], ["%u", "-1"], ["\\45s", "x"]] {
            assert_eq!(one(&args), None, "{args:?}");
        }
        assert_eq!(printf(&["\\x73sh"], Dialect::Sh), None);
        assert_eq!(echo(&["-e", "\\163"], Dialect::Bash), None);
    }
}
