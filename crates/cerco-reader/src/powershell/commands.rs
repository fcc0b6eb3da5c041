//! Commands in argument mode: names, bare words, parameters, lists, redirections.

use super::cursor::{
    Cursor, Trouble, ends_word, is_dash, is_double_quote, is_line_end, is_single_quote,
};
use super::statements::{self, value_ends};
use super::strings::{self, Scope};
use super::tree::{Argument, CallBy, Command, Expression, Fragment, Kind, Redirect};

/// Reads a command: a name and its arguments.
pub(super) fn command(cursor: &mut Cursor<'_>) -> Result<Command, Trouble> {
    let start = cursor.at;
    let by = call_operator(cursor)?;
    if cursor.peek() == Some('@') {
        return cursor.trouble("a command's name can't begin like this");
    }
    let name = if by == CallBy::Name {
        let mut fragments = Vec::new();
        strings::bare(cursor, &mut fragments)?;
        if fragments.is_empty() {
            return cursor.trouble("a command is missing");
        }
        Expression {
            kind: Kind::Text(fragments),
            part: cursor.part_from(start),
        }
    } else {
        value(cursor)?
    };
    let mut command = Command {
        by,
        name,
        arguments: Vec::new(),
        redirections: Vec::new(),
        part: cursor.part_from(start),
    };
    loop {
        command.part = cursor.part_from(start);
        cursor.blanks()?;
        match cursor.peek() {
            None | Some(';' | '|' | '&' | ')' | '}') => return Ok(command),
            Some(c) if is_line_end(c) => return Ok(command),
            Some(_) => {}
        }
        if redirection(cursor, &mut command.redirections)? {
            continue;
        }
        if is_stop_parsing(cursor) {
            verbatim(cursor, &mut command.arguments);
            continue;
        }
        let argument = argument(cursor)?;
        command.arguments.push(argument);
    }
}

fn call_operator(cursor: &mut Cursor<'_>) -> Result<CallBy, Trouble> {
    let by = match (cursor.peek(), cursor.peek_second()) {
        (Some('&'), _) => CallBy::Ampersand,
        (Some('.'), Some(c))
            if value_ends(c) || c == '$' || is_single_quote(c) || is_double_quote(c) =>
        {
            CallBy::Dot
        }
        _ => return Ok(CallBy::Name),
    };
    cursor.bump();
    cursor.blanks()?;
    Ok(by)
}

/// Reads one value in argument mode.
pub(super) fn value(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    cursor.enter()?;
    let read = one_value(cursor)?;
    cursor.leave();
    Ok(read)
}

fn one_value(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    match cursor.peek() {
        Some('(' | '{') => super::literals::primary(cursor),
        Some('@') => match cursor.peek_second() {
            Some('(' | '{') => super::literals::primary(cursor),
            Some(c) if is_single_quote(c) || is_double_quote(c) => super::literals::primary(cursor),
            Some(c) if c.is_alphanumeric() || c == '_' => {
                cursor.bump();
                while cursor.peek().is_some_and(|c| !value_ends(c)) {
                    cursor.bump();
                }
                Ok(Expression {
                    kind: Kind::Splat,
                    part: cursor.part_from(start),
                })
            }
            Some(_) | None => bare_word(cursor),
        },
        Some('$') => {
            let value = match strings::variable(cursor, Scope::Alone)? {
                Some(value) => super::steps::steps(cursor, value)?,
                None => return bare_word(cursor),
            };
            if cursor.peek().is_none_or(ends_word) {
                return Ok(value);
            }
            // `$HOME\x`: the variable is the beginning of a word.
            let mut fragments = vec![Fragment::Value(value)];
            strings::bare(cursor, &mut fragments)?;
            Ok(Expression {
                kind: Kind::Text(fragments),
                part: cursor.part_from(start),
            })
        }
        Some(c) if is_single_quote(c) || is_double_quote(c) => super::literals::primary(cursor),
        Some(_) | None => bare_word(cursor),
    }
}

fn bare_word(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let mut fragments = Vec::new();
    strings::bare(cursor, &mut fragments)?;
    if fragments.is_empty() {
        return cursor.trouble("a value is missing");
    }
    Ok(Expression {
        kind: Kind::Text(fragments),
        part: cursor.part_from(start),
    })
}

/// A value, or a list of values: `a, b`.
fn values(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let first = value(cursor)?;
    let back = cursor.at;
    cursor.blanks()?;
    if cursor.peek() != Some(',') {
        cursor.at = back;
        return Ok(first);
    }
    let mut list = vec![first];
    loop {
        let back = cursor.at;
        cursor.blanks()?;
        if !cursor.eat(",") {
            cursor.at = back;
            return Ok(Expression {
                kind: Kind::List(list),
                part: cursor.part_from(start),
            });
        }
        cursor.lines()?;
        list.push(value(cursor)?);
    }
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Argument, Trouble> {
    let start = cursor.at;
    let is_parameter = cursor.peek().is_some_and(is_dash)
        && cursor
            .peek_second()
            .is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '?'));
    if !is_parameter {
        if cursor.peek() == Some(',') {
            cursor.bump();
            cursor.blanks()?;
        }
        return values(cursor).map(Argument::Value);
    }
    cursor.bump();
    let mut name = String::from("-");
    loop {
        match cursor.peek() {
            // A quote or a sign inside makes it a plain word: `-o"x"`, `-m=$y`.
            Some(c) if is_single_quote(c) || is_double_quote(c) || matches!(c, '$' | '`') => {
                let mut fragments = vec![Fragment::Known(name)];
                strings::bare(cursor, &mut fragments)?;
                return Ok(Argument::Value(Expression {
                    kind: Kind::Text(fragments),
                    part: cursor.part_from(start),
                }));
            }
            Some(':') => {
                cursor.bump();
                cursor.blanks()?;
                let value = values(cursor)?;
                return Ok(Argument::Parameter {
                    name,
                    value: Some(value),
                    part: cursor.part_from(start),
                });
            }
            // `-Path.env` is `-Path` and `.env`.
            Some(c) if !ends_word(c) && c != '.' && c != '[' => {
                cursor.bump();
                name.push(c);
            }
            Some(_) | None => {
                return Ok(Argument::Parameter {
                    name,
                    value: None,
                    part: cursor.part_from(start),
                });
            }
        }
    }
}

/// Reads `>file`, `2>>file`, `*>file`, `2>&1`. Whether there was one.
pub(super) fn redirection(
    cursor: &mut Cursor<'_>,
    redirections: &mut Vec<Redirect>,
) -> Result<bool, Trouble> {
    let rest = cursor.rest();
    let sign = rest
        .strip_prefix(|c: char| matches!(c, '1'..='6' | '*'))
        .unwrap_or(rest);
    if rest.starts_with('<') {
        return cursor.trouble("PowerShell has no `<` redirection");
    }
    if !sign.starts_with('>') {
        return Ok(false);
    }
    if sign.len() != rest.len() {
        cursor.bump();
    }
    cursor.bump();
    let appends = cursor.eat(">");
    if !appends && cursor.eat("&") {
        if !matches!(cursor.peek(), Some('1' | '2')) {
            return cursor.trouble("a redirection can't be read");
        }
        cursor.bump();
        return Ok(true);
    }
    cursor.blanks()?;
    let target = value(cursor)?;
    redirections.push(Redirect { appends, target });
    Ok(true)
}

fn is_stop_parsing(cursor: &Cursor<'_>) -> bool {
    cursor
        .rest()
        .strip_prefix("--%")
        .is_some_and(|rest| rest.chars().next().is_none_or(value_ends))
}

/// Reads what stands behind `--%`: to the line's end, or to a `|` or `&&` outside quotes.
fn verbatim(cursor: &mut Cursor<'_>, arguments: &mut Vec<Argument>) {
    cursor.eat("--%");
    let mut word = String::new();
    let mut start = cursor.at;
    let mut quoted = false;
    let mut is_word = false;
    loop {
        let next = cursor.peek();
        let ends = match next {
            None | Some('\n' | '\r' | '|') => next.is_none_or(|c| !quoted || is_line_end(c)),
            Some('&') => !quoted && cursor.peek_second() == Some('&'),
            Some(_) => false,
        };
        if ends || (!quoted && next.is_some_and(char::is_whitespace)) {
            if is_word {
                arguments.push(Argument::Verbatim {
                    text: std::mem::take(&mut word),
                    part: cursor.part_from(start),
                });
            }
            if ends {
                return;
            }
            is_word = false;
            cursor.bump();
            start = cursor.at;
            continue;
        }
        if !is_word {
            start = cursor.at;
        }
        is_word = true;
        match cursor.bump() {
            Some('"') => quoted = !quoted,
            Some(c) => word.push(c),
            None => return,
        }
    }
}

/// Reads `$( … )`-like statements in parentheses, the `(` taken.
pub(super) fn in_parentheses(cursor: &mut Cursor<'_>) -> Result<Kind, Trouble> {
    statements::until(cursor, ')').map(Kind::Statements)
}
