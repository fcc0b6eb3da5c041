//! Functions and their parameters.

use super::cursor::{Cursor, Trouble, ends_word};
use super::expressions;
use super::statements::{block, of_expression};
use super::strings;
use super::tree::{Block, Expression, Kind, Statement};

pub(super) fn function(cursor: &mut Cursor<'_>) -> Result<Statement, Trouble> {
    cursor.blanks()?;
    let start = cursor.at;
    while cursor.peek().is_some_and(|c| !ends_word(c)) {
        cursor.bump();
    }
    let written = cursor.slice(start).to_ascii_lowercase();
    let part = cursor.part_from(start);
    if written.is_empty() || written.contains(['$', '`', '"', '\'']) {
        return cursor.trouble("a function's name can't be read");
    }
    let name = match written.split_once(':') {
        Some((_, name)) => name.to_owned(),
        None => written,
    };
    cursor.blanks()?;
    let mut head = Block::default();
    if cursor.peek() == Some('(') {
        parameters(cursor, &mut head)?;
    }
    let mut body = block(cursor)?;
    body.parameters.append(&mut head.parameters);
    head.statements.append(&mut body.statements);
    body.statements = head.statements;
    Ok(Statement::Function { name, part, body })
}

/// Reads `( [type]$name = default, … )`; defaults become statements of the block.
pub(super) fn parameters(cursor: &mut Cursor<'_>, block: &mut Block) -> Result<(), Trouble> {
    cursor.lines()?;
    if !cursor.eat("(") {
        return cursor.trouble("a `(` is missing");
    }
    loop {
        cursor.lines()?;
        match cursor.peek() {
            Some(')') => {
                cursor.bump();
                return Ok(());
            }
            Some(',') => {
                cursor.bump();
            }
            Some('[') => {
                if super::literals::bracketed(cursor)?.contains('{') {
                    return cursor.trouble("code in a parameter's attribute isn't read");
                }
            }
            Some('$') => {
                let Some(Expression {
                    kind: Kind::Variable(name),
                    ..
                }) = strings::variable(cursor, strings::Scope::Alone)?
                else {
                    return cursor.trouble("a parameter's name is missing");
                };
                block.parameters.push(name);
                cursor.lines()?;
                if cursor.eat("=") {
                    cursor.lines()?;
                    let value = expressions::separate(cursor)?;
                    block.statements.push(of_expression(value));
                }
            }
            Some(_) | None => return cursor.trouble("this can't stand among parameters"),
        }
    }
}
