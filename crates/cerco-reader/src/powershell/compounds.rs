//! Statements made of blocks: `if`, the loops, `switch`, `try`.

use super::commands;
use super::cursor::{Cursor, Trouble};
use super::statements::{Read, block, next_word, of_expression, parenthesis, simple};
use super::strings;
use super::tree::{Compound, Ends, Expression, Kind};

pub(super) fn if_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    let mut heads = vec![parenthesis(cursor)?];
    let mut bodies = vec![block(cursor)?];
    loop {
        if next_word(cursor, "elseif")? {
            heads.push(parenthesis(cursor)?);
            bodies.push(block(cursor)?);
        } else if next_word(cursor, "else")? {
            bodies.push(block(cursor)?);
            return Ok((heads, bodies, Compound::Branch));
        } else {
            return Ok((heads, bodies, Compound::Branch));
        }
    }
}

pub(super) fn do_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    let body = block(cursor)?;
    let ends = if next_word(cursor, "while")? {
        Ends::WhenFalse(0)
    } else if next_word(cursor, "until")? {
        Ends::WhenTrue(0)
    } else {
        return cursor.trouble("`do` has neither `while` nor `until`");
    };
    let head = parenthesis(cursor)?;
    Ok((vec![head], vec![body], Compound::Loop(ends)))
}

pub(super) fn for_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    cursor.lines()?;
    if !cursor.eat("(") {
        return cursor.trouble("a `(` is missing");
    }
    let mut heads = Vec::new();
    let mut ends = Ends::Never;
    for clause in 0..3 {
        cursor.lines()?;
        if !matches!(cursor.peek(), Some(';' | ')')) {
            if clause == 1 {
                ends = Ends::WhenFalse(heads.len());
            }
            heads.push(simple(cursor)?);
            cursor.lines()?;
            // `$i = 0, $j = 0` and the like.
            if cursor.peek() == Some(',') {
                return cursor.trouble("this form of `for` isn't read");
            }
        }
        if cursor.eat(")") {
            let body = block(cursor)?;
            return Ok((heads, vec![body], Compound::Loop(ends)));
        }
        if !cursor.eat(";") {
            return cursor.trouble("this can't stand in `for`");
        }
    }
    cursor.trouble("this can't stand in `for`")
}

pub(super) fn foreach_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    cursor.lines()?;
    if !cursor.eat("(") {
        return cursor.trouble("a `(` is missing");
    }
    cursor.lines()?;
    if cursor.peek() != Some('$') {
        return cursor.trouble("a variable is missing");
    }
    let Some(Expression {
        kind: Kind::Variable(name),
        ..
    }) = strings::variable(cursor, strings::Scope::Alone)?
    else {
        return cursor.trouble("a variable is missing");
    };
    if !next_word(cursor, "in")? {
        return cursor.trouble("`in` is missing");
    }
    cursor.lines()?;
    let over = simple(cursor)?;
    cursor.lines()?;
    if !cursor.eat(")") {
        return cursor.trouble("a `)` is missing");
    }
    let body = block(cursor)?;
    Ok((vec![over], vec![body], Compound::Each(name)))
}

pub(super) fn switch_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    cursor.blanks()?;
    while cursor.eat("-") {
        let option = cursor.peek_word().to_ascii_lowercase();
        cursor.at += option.len();
        if !["regex", "wildcard", "exact", "casesensitive"]
            .iter()
            .any(|known| known.starts_with(&option))
        {
            return cursor.trouble("this form of `switch` isn't read");
        }
        cursor.blanks()?;
    }
    let mut heads = vec![parenthesis(cursor)?];
    let mut bodies = Vec::new();
    cursor.lines()?;
    if !cursor.eat("{") {
        return cursor.trouble("a `{` is missing");
    }
    loop {
        cursor.lines()?;
        match cursor.peek() {
            Some('}') => {
                cursor.bump();
                return Ok((heads, bodies, Compound::Switch));
            }
            Some(';') => {
                cursor.bump();
            }
            Some('{') => bodies.push(block(cursor)?),
            Some(_) => {
                let pattern = commands::value(cursor)?;
                heads.push(of_expression(pattern));
                bodies.push(block(cursor)?);
            }
            None => return cursor.trouble("a brace is not closed"),
        }
    }
}

pub(super) fn try_statement(cursor: &mut Cursor<'_>) -> Result<Read, Trouble> {
    let mut bodies = vec![block(cursor)?];
    while next_word(cursor, "catch")? {
        types(cursor)?;
        bodies.push(block(cursor)?);
    }
    if next_word(cursor, "finally")? {
        bodies.push(block(cursor)?);
    }
    Ok((Vec::new(), bodies, Compound::Branch))
}

/// Steps over `[Type], [Type]`.
pub(super) fn types(cursor: &mut Cursor<'_>) -> Result<(), Trouble> {
    loop {
        cursor.lines()?;
        match cursor.peek() {
            Some('[') => {
                super::literals::bracketed(cursor)?;
            }
            Some(',') => {
                cursor.bump();
            }
            Some(_) | None => return Ok(()),
        }
    }
}
