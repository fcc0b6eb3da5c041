//! Values: variables, numbers, casts, hash tables, script blocks.

use super::commands;
use super::cursor::{
    Cursor, Trouble, is_blank, is_dash, is_double_quote, is_line_end, is_single_quote,
};
use super::expressions::{starts, unary};
use super::statements::{self, value_ends};
use super::steps::steps;
use super::strings::{self, Scope};
use super::tree::{Expression, Fragment, Kind};

/// Reads `[ … ]` with brackets balanced, and gives what stands inside.
pub(super) fn bracketed(cursor: &mut Cursor<'_>) -> Result<String, Trouble> {
    cursor.bump();
    let start = cursor.at;
    let mut open = 1usize;
    loop {
        match cursor.peek() {
            Some('[') => open += 1,
            Some(']') => open -= 1,
            Some(c) if is_single_quote(c) => {
                strings::single(cursor)?;
                continue;
            }
            Some(c) if is_double_quote(c) => {
                strings::double(cursor, &mut Vec::new())?;
                continue;
            }
            Some(_) => {}
            None => return cursor.trouble("a `[` is not closed"),
        }
        if open == 0 {
            let inside = cursor.slice(start).trim().to_owned();
            cursor.bump();
            return Ok(inside);
        }
        cursor.bump();
    }
}

pub(super) fn type_or_cast(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let name = bracketed(cursor)?;
    if name.contains(['$', '{', '(', '\'', '"']) {
        return cursor.trouble("code in an attribute isn't read");
    }
    let part = cursor.part_from(start);
    if cursor.rest().starts_with("::") || cursor.peek() == Some('.') {
        let kind = Kind::Type(name);
        return steps(cursor, Expression { kind, part });
    }
    let back = cursor.at;
    cursor.blanks()?;
    let is_operand = cursor.peek().is_some_and(|c| {
        matches!(c, '$' | '(' | '[' | '{' | '@' | '!' | '0'..='9')
            || is_single_quote(c)
            || is_double_quote(c)
            || (is_dash(c) && cursor.peek_second().is_some_and(|d| d.is_ascii_digit()))
    });
    if !is_operand {
        cursor.at = back;
        return Ok(Expression {
            kind: Kind::Type(name),
            part,
        });
    }
    cursor.enter()?;
    let value = unary(cursor)?;
    cursor.leave();
    Ok(Expression {
        kind: Kind::Cast(name, Box::new(value)),
        part: cursor.part_from(start),
    })
}

/// Reads a value and the members and indexes behind it.
pub(super) fn primary(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let kind = match cursor.peek() {
        Some('(') => {
            cursor.bump();
            commands::in_parentheses(cursor)?
        }
        Some('{') => Kind::Block(statements::block(cursor)?),
        Some('@') => match cursor.peek_second() {
            Some('(') => {
                cursor.bump();
                cursor.bump();
                commands::in_parentheses(cursor)?
            }
            Some('{') => hash(cursor)?,
            _ => match strings::here(cursor)? {
                Some(text) => return steps(cursor, text),
                None => return cursor.trouble("this can't stand here"),
            },
        },
        Some('$') => match strings::variable(cursor, Scope::Alone)? {
            Some(value) => return steps(cursor, value),
            None => return cursor.trouble("a variable's name is missing"),
        },
        Some(c) if is_single_quote(c) => {
            Kind::Text(vec![Fragment::Known(strings::single(cursor)?)])
        }
        Some(c) if is_double_quote(c) => {
            let mut fragments = Vec::new();
            strings::double(cursor, &mut fragments)?;
            Kind::Text(fragments)
        }
        Some(_) | None => match number_length(cursor) {
            Some(length) => {
                cursor.at += length;
                Kind::Text(vec![Fragment::Known(cursor.slice(start).to_owned())])
            }
            None => return cursor.trouble("a value is missing"),
        },
    };
    let part = cursor.part_from(start);
    steps(cursor, Expression { kind, part })
}

/// How long the number that comes next is; nothing where it is no number.
pub(super) fn number_length(cursor: &Cursor<'_>) -> Option<usize> {
    let rest = cursor.rest();
    let mut length = 0;
    let mut has_point = false;
    for c in rest.chars() {
        let is_point = c == '.'
            && !has_point
            && rest
                .get(length + 1..)?
                .starts_with(|c: char| c.is_ascii_digit());
        has_point |= is_point;
        if !(c.is_ascii_alphanumeric() || is_point) {
            break;
        }
        length += c.len_utf8();
    }
    let text = rest.get(..length)?.to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| {
        matches!(c, 'k' | 'm' | 'g' | 't' | 'p' | 'b' | 'l' | 'd' | 'u')
    });
    let is_number = match text.strip_prefix("0x") {
        Some(hex) => !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => {
            digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
                && digits
                    .bytes()
                    .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e'))
        }
    };
    let next = rest.get(length..)?.chars().next();
    let ends = next.is_none_or(|c| {
        value_ends(c)
            || is_line_end(c)
            || is_blank(c)
            || matches!(
                c,
                '.' | ']' | '+' | '*' | '/' | '%' | '=' | '[' | '#' | ':' | '?'
            )
            || is_dash(c)
    });
    (is_number && ends).then_some(length)
}

fn hash(cursor: &mut Cursor<'_>) -> Result<Kind, Trouble> {
    cursor.enter()?;
    cursor.bump();
    cursor.bump();
    let mut pairs = Vec::new();
    loop {
        cursor.lines()?;
        match cursor.peek() {
            Some('}') => {
                cursor.bump();
                cursor.leave();
                return Ok(Kind::Hash(pairs));
            }
            Some(';') => {
                cursor.bump();
            }
            Some(_) => {
                let key = hash_key(cursor)?;
                cursor.blanks()?;
                if !cursor.eat("=") {
                    return cursor.trouble("a `=` is missing");
                }
                cursor.lines()?;
                let value = statements::value_statement(cursor)?;
                pairs.push((key, value));
            }
            None => return cursor.trouble("a brace is not closed"),
        }
    }
}

fn hash_key(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    if !starts(cursor) {
        while cursor
            .peek()
            .is_some_and(|c| !value_ends(c) && c != '=' && !is_line_end(c))
        {
            cursor.bump();
        }
        if cursor.at == start {
            return cursor.trouble("a key is missing");
        }
        return Ok(Expression {
            kind: Kind::Text(vec![Fragment::Known(cursor.slice(start).to_owned())]),
            part: cursor.part_from(start),
        });
    }
    unary(cursor)
}

pub(super) fn primary_block(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let block = statements::block(cursor)?;
    Ok(Expression {
        kind: Kind::Block(block),
        part: cursor.part_from(start),
    })
}
