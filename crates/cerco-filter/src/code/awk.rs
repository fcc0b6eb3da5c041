//! awk programs: `system(…)`, pipes to and from commands, files written and read.

use cerco_reader::Text;

use super::{File, unknown};

/// Every command: `system("x")`, `print | "x"`, `"x" | getline`. One whose text is put
/// together when it runs isn't known.
pub(super) fn commands(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Word("system") => {
                let inside = tokens.get(at + 2);
                let closes = matches!(tokens.get(at + 3), Some(Token::Other(')')));
                found.push(match inside {
                    Some(Token::String(s)) if closes => Text::Known((*s).into()),
                    _ => unknown(),
                });
            }
            Token::Pipe => {
                if let Some(Token::Word("getline")) = next {
                    found.push(match at.checked_sub(1).and_then(|b| tokens.get(b)) {
                        Some(Token::String(s)) => Text::Known((*s).into()),
                        _ => unknown(),
                    });
                } else {
                    found.push(match next {
                        Some(Token::String(s)) => Text::Known((*s).into()),
                        _ => unknown(),
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// `print > "file"`, `getline < "file"`.
pub(super) fn files(text: &str) -> Vec<File> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for pair in tokens.windows(2) {
        if let [Token::Other(sign @ ('<' | '>')), Token::String(path)] = pair {
            found.push(File {
                path: Text::Known((*path).into()),
                written: *sign == '>',
            });
        }
    }
    found
}

enum Token<'a> {
    String(&'a str),
    Word(&'a str),
    Pipe,
    Other(char),
}

/// Strings, words and signs; regular expressions and comments are passed over.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = first.len_utf8();
        match first {
            '"' => {
                let (inside, after) = delimited(rest, '"');
                tokens.push(Token::String(inside));
                rest = after;
                continue;
            }
            // A slash begins a pattern unless a value stands in front of it.
            '/' if !matches!(
                tokens.last(),
                Some(Token::Word(_) | Token::String(_) | Token::Other(')' | ']'))
            ) =>
            {
                rest = delimited(rest, '/').1;
                continue;
            }
            '#' => {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                continue;
            }
            '|' if rest.starts_with("||") => {
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            '|' => tokens.push(Token::Pipe),
            c if c.is_ascii_alphanumeric() || c == '_' || c == '$' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
                    .unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..end).unwrap_or_default()));
                rest = rest.get(end..).unwrap_or_default();
                continue;
            }
            c if c.is_whitespace() => {}
            '&' if rest.starts_with("&&") => {}
            '>' if rest.starts_with(">=") => {}
            '<' if rest.starts_with("<=") => {}
            '>' if rest.starts_with(">>") => {}
            c => tokens.push(Token::Other(c)),
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    tokens
}

/// What stands between `mark`s, and what comes after.
fn delimited(text: &str, mark: char) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == mark {
            return (
                text.get(1..at).unwrap_or_default(),
                text.get(at + 1..).unwrap_or_default(),
            );
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}
