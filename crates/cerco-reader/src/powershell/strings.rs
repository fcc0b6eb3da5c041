//! Quoted strings, here-strings, bare words and variables.

use cerco_model::Part;

use super::cursor::{
    Cursor, Trouble, ends_word, is_blank, is_double_quote, is_line_end, is_single_quote,
};
use super::statements;
use super::tree::{Expression, Fragment, Kind};

/// Reads `'…'`, the opening quote next.
pub(super) fn single(cursor: &mut Cursor<'_>) -> Result<String, Trouble> {
    let start = cursor.at;
    cursor.bump();
    let mut text = String::new();
    loop {
        match cursor.bump() {
            Some(c) if is_single_quote(c) => {
                if !cursor.peek().is_some_and(is_single_quote) {
                    return Ok(text);
                }
                cursor.bump();
                text.push(c);
            }
            Some(c) => text.push(c),
            None => return unclosed(cursor, start),
        }
    }
}

/// Reads `"…"` into fragments, the opening quote next.
pub(super) fn double(
    cursor: &mut Cursor<'_>,
    fragments: &mut Vec<Fragment>,
) -> Result<(), Trouble> {
    let start = cursor.at;
    cursor.bump();
    loop {
        match cursor.peek() {
            Some(c) if is_double_quote(c) => {
                cursor.bump();
                if !cursor.peek().is_some_and(is_double_quote) {
                    return Ok(());
                }
                cursor.bump();
                push_char(fragments, c);
            }
            Some('`') => escape(cursor, fragments)?,
            Some('$') => dollar(cursor, fragments)?,
            Some(c) => {
                cursor.bump();
                push_char(fragments, c);
            }
            None => return unclosed(cursor, start),
        }
    }
}

/// Reads `@'…'@` or `@"…"@`, the `@` next. Nothing when it isn't one.
pub(super) fn here(cursor: &mut Cursor<'_>) -> Result<Option<Expression>, Trouble> {
    let start = cursor.at;
    let Some(quote) = cursor.peek_second() else {
        return Ok(None);
    };
    let is_literal = is_single_quote(quote);
    if !is_literal && !is_double_quote(quote) {
        return Ok(None);
    }
    cursor.bump();
    cursor.bump();
    while cursor.peek().is_some_and(is_blank) {
        cursor.bump();
    }
    if !cursor.eat("\r\n") && !cursor.eat("\n") {
        return cursor.trouble("a here-string has text behind its opening");
    }
    let mut fragments = Vec::new();
    let mut line_starts = true;
    loop {
        let Some(c) = cursor.peek() else {
            return unclosed(cursor, start);
        };
        let closes = if is_literal {
            is_single_quote(c)
        } else {
            is_double_quote(c)
        };
        if line_starts && closes && cursor.peek_second() == Some('@') {
            cursor.bump();
            cursor.bump();
            trim_last_line_end(&mut fragments);
            return Ok(Some(Expression {
                kind: Kind::Text(fragments),
                part: cursor.part_from(start),
            }));
        }
        line_starts = is_line_end(c);
        match c {
            '`' if !is_literal => escape(cursor, &mut fragments)?,
            '$' if !is_literal => dollar(cursor, &mut fragments)?,
            _ => {
                cursor.bump();
                push_char(&mut fragments, c);
            }
        }
    }
}

fn trim_last_line_end(fragments: &mut [Fragment]) {
    if let Some(Fragment::Known(text)) = fragments.last_mut() {
        if text.ends_with('\n') {
            text.pop();
        }
        if text.ends_with('\r') {
            text.pop();
        }
    }
}

/// Reads a bare word to its end, with the quotes and variables inside it.
pub(super) fn bare(cursor: &mut Cursor<'_>, fragments: &mut Vec<Fragment>) -> Result<(), Trouble> {
    loop {
        match cursor.peek() {
            None => return Ok(()),
            Some(c) if ends_word(c) => return Ok(()),
            Some('`') => {
                if matches!(cursor.peek_second(), Some('\n' | '\r') | None) {
                    return cursor.trouble("a word is continued on the next line");
                }
                escape(cursor, fragments)?;
            }
            Some('$') => dollar(cursor, fragments)?,
            Some(c) if is_single_quote(c) => {
                let text = single(cursor)?;
                push(fragments, &text);
            }
            Some(c) if is_double_quote(c) => double(cursor, fragments)?,
            Some(c) => {
                cursor.bump();
                push_char(fragments, c);
            }
        }
    }
}

/// Reads what follows a backtick in a word or a string.
fn escape(cursor: &mut Cursor<'_>, fragments: &mut Vec<Fragment>) -> Result<(), Trouble> {
    cursor.bump();
    let Some(c) = cursor.bump() else {
        return cursor.trouble("a backtick has nothing behind it");
    };
    match c {
        '0' => push_char(fragments, '\0'),
        'a' => push_char(fragments, '\u{7}'),
        'b' => push_char(fragments, '\u{8}'),
        // `e and `u{…} are PowerShell 7's; 5.1 takes the letter. Both can't be known.
        'e' => fragments.push(unknown(cursor)),
        'u' if cursor.peek() == Some('{') => {
            while cursor.bump().is_some_and(|c| c != '}') {}
            fragments.push(unknown(cursor));
        }
        'f' => push_char(fragments, '\u{c}'),
        'n' => push_char(fragments, '\n'),
        'r' => push_char(fragments, '\r'),
        't' => push_char(fragments, '\t'),
        'v' => push_char(fragments, '\u{b}'),
        other => push_char(fragments, other),
    }
    Ok(())
}

fn unknown(cursor: &Cursor<'_>) -> Fragment {
    Fragment::Value(Expression {
        kind: Kind::Splat,
        part: Part::new(cursor.at, cursor.at),
    })
}

/// Reads a `$` in a word or string: a variable, `$(…)`, or just the sign.
fn dollar(cursor: &mut Cursor<'_>, fragments: &mut Vec<Fragment>) -> Result<(), Trouble> {
    if let Some(value) = variable(cursor, Scope::InText)? {
        fragments.push(Fragment::Value(value));
    } else {
        cursor.bump();
        push_char(fragments, '$');
    }
    Ok(())
}

/// Where a variable stands: in a string, `$a:b` ends differently.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    InText,
    Alone,
}

/// Reads `$name`, `${name}`, `$env:name` or `$(…)`, the `$` next.
pub(super) fn variable(
    cursor: &mut Cursor<'_>,
    scope: Scope,
) -> Result<Option<Expression>, Trouble> {
    let start = cursor.at;
    match cursor.peek_second() {
        Some('(') => {
            cursor.bump();
            cursor.bump();
            let statements = statements::until(cursor, ')')?;
            Ok(Some(Expression {
                kind: Kind::Statements(statements),
                part: cursor.part_from(start),
            }))
        }
        Some('{') => {
            cursor.bump();
            cursor.bump();
            let mut name = String::new();
            loop {
                match cursor.bump() {
                    Some('}') => break,
                    Some('`') => name.extend(cursor.bump()),
                    Some(c) => name.push(c),
                    None => return unclosed(cursor, start),
                }
            }
            Ok(Some(named(cursor, start, &name)))
        }
        Some('$' | '?' | '^') => {
            cursor.bump();
            cursor.bump();
            let name = cursor.slice(start + 1).to_owned();
            Ok(Some(named(cursor, start, &name)))
        }
        Some(c) if c.is_alphanumeric() || c == '_' || (c == ':' && scope == Scope::Alone) => {
            cursor.bump();
            cursor.at += cursor.peek_word().len();
            // `$env:NAME`; but `$a::b` and `"$a: text"` end before the colon.
            if cursor.peek() == Some(':')
                && cursor
                    .peek_second()
                    .is_some_and(|c| c.is_alphanumeric() || c == '_')
            {
                cursor.bump();
                cursor.at += cursor.peek_word().len();
            }
            let name = cursor.slice(start + 1).to_owned();
            Ok(Some(named(cursor, start, &name)))
        }
        Some(_) | None => Ok(None),
    }
}

fn named(cursor: &Cursor<'_>, start: usize, name: &str) -> Expression {
    // Names are case-blind; an environment variable's is kept as written for the reader.
    let name = match name.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("env:") => {
            format!("env:{}", name.get(4..).unwrap_or(""))
        }
        _ => name.to_lowercase(),
    };
    Expression {
        kind: Kind::Variable(name),
        part: cursor.part_from(start),
    }
}

fn unclosed<T>(cursor: &Cursor<'_>, start: usize) -> Result<T, Trouble> {
    Err(Trouble {
        part: cursor.part_from(start),
        why: "a quote or brace is not closed",
    })
}

pub(super) fn push(fragments: &mut Vec<Fragment>, text: &str) {
    if let Some(Fragment::Known(known)) = fragments.last_mut() {
        known.push_str(text);
    } else {
        fragments.push(Fragment::Known(text.to_owned()));
    }
}

fn push_char(fragments: &mut Vec<Fragment>, c: char) {
    push(fragments, c.encode_utf8(&mut [0; 4]));
}
