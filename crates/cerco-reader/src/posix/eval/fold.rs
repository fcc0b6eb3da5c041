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
    }
    let mut out = CompactString::from(rest.join(" "));
    if escapes && out.contains('\\') {
        out = unescape(&out)?;
    }
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// What `printf` writes.
pub(super) fn printf(args: &[&str]) -> Option<CompactString> {
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
                        '"' => '"',
                        '\'' => '\'',
                        _ => {
                            // Octal and hex: let the whole format be unescaped first.
                            let format = unescape(format)?;
                            let mut args = args.to_vec();
                            let first = args.first_mut()?;
                            if format.contains('\\') {
                                return None;
                            }
                            *first = format.as_str();
                            return printf(&args);
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
                    'd' | 'i' | 'u' => {
                        let value = match rest.split_first() {
                            Some((arg, tail)) => {
                                rest = tail;
                                arg.parse::<i64>().ok()?
                            }
                            None => 0,
                        };
                        out.push_str(&value.to_string());
                    }
                    'b' => {
                        if let Some((arg, tail)) = rest.split_first() {
                            out.push_str(&unescape(arg)?);
                            rest = tail;
                        }
                    }
                    'c' => {
                        if let Some((arg, tail)) = rest.split_first() {
                            out.extend(arg.chars().next());
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

/// Backslash escapes as `echo -e` and `%b` read them.
fn unescape(text: &str) -> Option<CompactString> {
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
            Some('x') => out.push(ascii(digits(&mut chars, 16, 2)?)?),
            Some('0') => match digits(&mut chars, 8, 3) {
                Some(value) => out.push(ascii(value)?),
                None => return None,
            },
            Some(c @ '1'..='7') => {
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
            printf(&["%s-%s\\n", "a", "b", "c"]).as_deref(),
            Some("a-b\nc-\n")
        );
        assert_eq!(printf(&["\\163sh"]).as_deref(), Some("ssh"));
        assert_eq!(printf(&["%q", "x"]), None);
    }
}
