//! A regular expression that chooses names, written out as the names it is about: rule `secret`
//! looks for one among them. Never decides whether an expression matches.

/// More alternatives than these aren't written out.
const MOST: usize = 64;

/// The names that `source` is about, each as a pattern of file names: groups and `|` written
/// out, escapes taken away. `\.(pem|key)$` is about `.pem` and `.key`. Nothing where it is about
/// too many to be written out.
pub(crate) fn names(source: &str) -> Option<Vec<String>> {
    let mut rest = source;
    let mut names = alternatives(&mut rest, 0)?;
    // What stands behind a `)` too many is another expression.
    while let Some(after) = rest.strip_prefix(')').or_else(|| rest.strip_prefix("\\)")) {
        rest = after;
        names.append(&mut alternatives(&mut rest, 0)?);
        if names.len() > MOST {
            return None;
        }
    }
    names.retain(|name| !name.is_empty());
    Some(names)
}

/// Groups deeper than these aren't written out.
const DEEPEST: usize = 16;

/// Everything up to a `)` or the end.
fn alternatives(rest: &mut &str, depth: usize) -> Option<Vec<String>> {
    if depth > DEEPEST {
        return None;
    }
    let mut done = Vec::new();
    let mut now = vec![String::new()];
    while let Some(token) = next(rest) {
        match token {
            Token::Closes => break,
            Token::Or => done.append(&mut std::mem::replace(&mut now, vec![String::new()])),
            Token::Opens => {
                let inner = alternatives(rest, depth + 1)?;
                if rest.starts_with(')') {
                    *rest = rest.get(1..).unwrap_or_default();
                } else if rest.starts_with("\\)") {
                    *rest = rest.get(2..).unwrap_or_default();
                }
                let optional = rest.starts_with(['?', '*']);
                *rest = rest.trim_start_matches(['?', '*', '+']);
                let mut joined = if optional { now.clone() } else { Vec::new() };
                for begun in &now {
                    joined.extend(inner.iter().map(|end| format!("{begun}{end}")));
                }
                now = joined;
            }
            Token::Text(text) => now.iter_mut().for_each(|name| name.push_str(text)),
            Token::Maybe => {
                let without: Vec<String> = now
                    .iter()
                    .map(|name| {
                        let mut name = name.clone();
                        name.pop();
                        name
                    })
                    .collect();
                now.extend(without);
            }
        }
        if now.len() + done.len() > MOST {
            return None;
        }
    }
    done.append(&mut now);
    Some(done)
}

enum Token<'a> {
    Opens,
    Closes,
    Or,
    /// What stands in front of it may be missing.
    Maybe,
    Text(&'a str),
}

/// The next token. A `)` stays where it is, for who opened the group to take.
fn next<'a>(rest: &mut &'a str) -> Option<Token<'a>> {
    let mut chars = rest.chars();
    let first = chars.next()?;
    let second = chars.next();
    let (token, len) = match (first, second) {
        (')', _) | ('\\', Some(')')) => return Some(Token::Closes),
        ('(', Some('?')) => (Token::Opens, mode(rest)),
        ('(', _) => (Token::Opens, 1),
        ('\\', Some('(')) => (Token::Opens, 2),
        ('|' | ',' | '$', _) => (Token::Or, 1),
        // `printf` and `sed` end a name with these.
        ('\\', Some('|' | 'n' | '0' | 's' | 't')) => (Token::Or, 2),
        ('\\', Some('b' | '<' | '>' | 'w' | 'S')) => (Token::Text(""), 2),
        ('\\', Some(c)) => {
            let len = 1 + c.len_utf8();
            (Token::Text(rest.get(1..len).unwrap_or_default()), len)
        }
        ('.', Some('*' | '+')) => (Token::Text("*"), 2),
        ('[', Some(c))
            if rest
                .get(1 + c.len_utf8()..)
                .is_some_and(|r| r.starts_with(']')) =>
        {
            let end = 1 + c.len_utf8();
            (Token::Text(rest.get(1..end).unwrap_or_default()), end + 1)
        }
        ('?', _) => (Token::Maybe, 1),
        ('^' | '+', _) => (Token::Text(""), 1),
        (c, _) if c.is_whitespace() => (Token::Or, c.len_utf8()),
        (c, _) => {
            let len = c.len_utf8();
            (Token::Text(rest.get(..len).unwrap_or_default()), len)
        }
    };
    *rest = rest.get(len..).unwrap_or_default();
    Some(token)
}

/// How long `(?:`, `(?i)` and their like are.
fn mode(rest: &str) -> usize {
    rest.char_indices()
        .skip(2)
        .find(|(_, c)| !c.is_ascii_alphabetic() && !matches!(c, '-' | '<' | '!' | '='))
        .map_or(rest.len(), |(at, c)| if c == ':' { at + 1 } else { at })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::names;

    #[test]
    fn groups_are_written_out() {
        assert_eq!(names(r"\.(pem|key)$").unwrap(), [".pem", ".key"]);
        assert_eq!(names(r"\.\(pem\|key\)").unwrap(), [".pem", ".key"]);
        assert_eq!(names(r"id_(rsa|(ed|x)25519)(\.pub)?").unwrap().len(), 6);
        assert_eq!(names(r"[.]env").unwrap(), [".env"]);
        assert_eq!(names(r"(?i:\.PEM)").unwrap(), [".PEM"]);
        assert_eq!(names(r"a).env").unwrap(), ["a", ".env"]);
    }

    #[test]
    fn too_many_are_none() {
        assert_eq!(names(&"(a|b)".repeat(20)), None);
        assert_eq!(names(&"(".repeat(1000)), None);
    }

    #[test]
    fn odd_ends_are_no_surprise() {
        for odd in ["(", ")", "\\", "(?", "[", "[é", "?", "(?é", "|)|("] {
            names(odd).unwrap();
        }
    }
}
