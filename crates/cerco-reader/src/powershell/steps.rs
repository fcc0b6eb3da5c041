//! What hangs on a value: members, calls, indexes.

use super::commands;
use super::cursor::{Cursor, Trouble, is_double_quote, is_single_quote};
use super::expressions::{expression, separate};
use super::literals::primary_block;
use super::strings::{self, Scope};
use super::tree::{Expression, Fragment, Kind, Step, StepKind};

/// Reads `.name`, `::name`, `.name(…)` and `[…]` directly behind a value.
pub(super) fn steps(cursor: &mut Cursor<'_>, value: Expression) -> Result<Expression, Trouble> {
    let start = value.part.start as usize;
    let mut steps = Vec::new();
    let mut counts = false;
    loop {
        let from = cursor.at;
        let rest = cursor.rest();
        let kind = if rest.starts_with("::") {
            cursor.eat("::");
            member(cursor, true)?
        } else if rest.starts_with("?.") && starts_member(rest.get(2..)) {
            cursor.eat("?.");
            member(cursor, false)?
        } else if rest.starts_with('.') && starts_member(rest.get(1..)) {
            cursor.bump();
            member(cursor, false)?
        } else if rest.starts_with('[') || rest.starts_with("?[") {
            cursor.eat("?");
            cursor.bump();
            cursor.lines()?;
            let index = expression(cursor)?;
            cursor.lines()?;
            if !cursor.eat("]") {
                return cursor.trouble("a `]` is missing");
            }
            StepKind::Index(index)
        } else if rest.starts_with("++") || rest.starts_with("--") {
            cursor.at += 2;
            counts = true;
            continue;
        } else {
            break;
        };
        steps.push(Step {
            kind,
            part: cursor.part_from(from),
        });
    }
    let part = cursor.part_from(start);
    let value = if steps.is_empty() {
        value
    } else {
        let kind = Kind::Postfix(Box::new(value), steps);
        Expression { kind, part }
    };
    if !counts {
        return Ok(value);
    }
    let kind = Kind::Unary("++".to_owned(), Box::new(value));
    Ok(Expression { kind, part })
}

fn starts_member(rest: Option<&str>) -> bool {
    rest.and_then(|r| r.chars().next()).is_some_and(|c| {
        c.is_alphabetic()
            || matches!(c, '_' | '$' | '(')
            || is_single_quote(c)
            || is_double_quote(c)
    })
}

fn member(cursor: &mut Cursor<'_>, is_static: bool) -> Result<StepKind, Trouble> {
    let start = cursor.at;
    let name = match cursor.peek() {
        Some('(') => {
            cursor.bump();
            Expression {
                kind: commands::in_parentheses(cursor)?,
                part: cursor.part_from(start),
            }
        }
        Some('$') => match strings::variable(cursor, Scope::Alone)? {
            Some(value) => value,
            None => return cursor.trouble("a member's name is missing"),
        },
        Some(c) if is_single_quote(c) => Expression {
            kind: Kind::Text(vec![Fragment::Known(strings::single(cursor)?)]),
            part: cursor.part_from(start),
        },
        Some(c) if is_double_quote(c) => {
            let mut fragments = Vec::new();
            strings::double(cursor, &mut fragments)?;
            Expression {
                kind: Kind::Text(fragments),
                part: cursor.part_from(start),
            }
        }
        Some(_) | None => {
            let word = cursor.peek_word();
            if word.is_empty() {
                return cursor.trouble("a member's name is missing");
            }
            cursor.at += word.len();
            Expression {
                kind: Kind::Text(vec![Fragment::Known(word.to_owned())]),
                part: cursor.part_from(start),
            }
        }
    };
    let arguments = match cursor.peek() {
        Some('(') => Some(call_arguments(cursor)?),
        Some('{') => Some(vec![primary_block(cursor)?]),
        Some(_) | None => None,
    };
    Ok(StepKind::Member {
        is_static,
        name,
        arguments,
    })
}

fn call_arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Expression>, Trouble> {
    cursor.bump();
    let mut arguments = Vec::new();
    loop {
        cursor.lines()?;
        match cursor.peek() {
            Some(')') => {
                cursor.bump();
                return Ok(arguments);
            }
            Some(',') if !arguments.is_empty() => {
                cursor.bump();
            }
            Some(_) => arguments.push(separate(cursor)?),
            None => return cursor.trouble("a `)` is not closed"),
        }
    }
}
