//! Statements, blocks and pipelines.
//!
//! A construct that isn't known here is a trouble, never skipped.

use super::commands;
use super::compounds::{
    do_statement, for_statement, foreach_statement, if_statement, switch_statement, try_statement,
    types,
};
use super::cursor::{Cursor, Trouble, ends_word, is_blank, is_line_end};
use super::expressions;
use super::functions::{function, parameters};
use super::tree::{Block, Compound, Element, Ends, Expression, Kind, Pipeline, Statement};

/// Reads a whole text: what was understood, and the trouble that ended it.
pub(super) fn program(cursor: &mut Cursor<'_>) -> (Block, Option<Trouble>) {
    let start = cursor.at;
    let mut block = Block::default();
    let trouble = list(cursor, None, &mut block).err();
    block.part = cursor.part_from(start);
    (block, trouble)
}

/// Reads statements up to `close`, which is taken.
pub(super) fn until(cursor: &mut Cursor<'_>, close: char) -> Result<Vec<Statement>, Trouble> {
    let mut block = Block::default();
    list(cursor, Some(close), &mut block)?;
    Ok(block.statements)
}

/// Reads `{ … }`.
pub(super) fn block(cursor: &mut Cursor<'_>) -> Result<Block, Trouble> {
    cursor.lines()?;
    let start = cursor.at;
    if !cursor.eat("{") {
        return cursor.trouble("a `{` is missing");
    }
    let mut block = Block::default();
    list(cursor, Some('}'), &mut block)?;
    block.part = cursor.part_from(start);
    Ok(block)
}

fn list(cursor: &mut Cursor<'_>, close: Option<char>, block: &mut Block) -> Result<(), Trouble> {
    cursor.enter()?;
    loop {
        cursor.lines()?;
        let next = cursor.peek();
        if next.is_none() || next == close {
            cursor.bump();
            cursor.leave();
            return match (next, close) {
                (None, Some(_)) => cursor.trouble("a bracket or brace is not closed"),
                _ => Ok(()),
            };
        }
        if next == Some(';') {
            cursor.bump();
            continue;
        }
        statement(cursor, block)?;
        cursor.blanks()?;
        match cursor.peek() {
            None => {}
            Some(c) if is_line_end(c) || c == ';' || Some(c) == close => {}
            // A body ends its statement: `if (a) { b } c`.
            Some(_) if ends_with_body(block.statements.last()) => {}
            Some(_) => return cursor.trouble("this can't stand here"),
        }
    }
}

fn ends_with_body(statement: Option<&Statement>) -> bool {
    matches!(
        statement,
        None | Some(Statement::Compound { .. } | Statement::Function { .. })
    )
}

/// Whether keyword `word` is followed by what a command's name can't go on with.
fn stands_alone(cursor: &Cursor<'_>, word: &str) -> bool {
    cursor
        .rest()
        .get(word.len()..)
        .and_then(|r| r.chars().next())
        .is_none_or(ends_word)
}

fn statement(cursor: &mut Cursor<'_>, block: &mut Block) -> Result<(), Trouble> {
    if cursor.peek() == Some(':') && cursor.peek_second().is_some_and(char::is_alphabetic) {
        // A label in front of a loop.
        cursor.bump();
        cursor.at += cursor.peek_word().len();
        cursor.lines()?;
    }
    let start = cursor.at;
    let written = cursor.peek_word();
    let word = written.to_ascii_lowercase();
    if !word.is_empty() && stands_alone(cursor, written) {
        cursor.at += written.len();
        if let Some(read) = keyword(cursor, &word, start, block)? {
            block.statements.push(read);
            return Ok(());
        }
        if word == "param" {
            return parameters(cursor, block);
        }
        cursor.at = start;
    }
    let read = simple(cursor)?;
    block.statements.push(read);
    Ok(())
}

/// A statement in a place where only one may stand: behind `=`.
pub(super) fn value_statement(cursor: &mut Cursor<'_>) -> Result<Statement, Trouble> {
    cursor.lines()?;
    let mut holder = Block::default();
    cursor.enter()?;
    statement(cursor, &mut holder)?;
    cursor.leave();
    match holder.statements.pop() {
        Some(read) => Ok(read),
        None => cursor.trouble("a value is missing"),
    }
}

fn keyword(
    cursor: &mut Cursor<'_>,
    word: &str,
    start: usize,
    outer: &mut Block,
) -> Result<Option<Statement>, Trouble> {
    let (heads, bodies, kind) = match word {
        "if" => if_statement(cursor)?,
        "while" => {
            let head = parenthesis(cursor)?;
            let body = block(cursor)?;
            (vec![head], vec![body], Compound::Loop(Ends::WhenFalse(0)))
        }
        "do" => do_statement(cursor)?,
        "for" => for_statement(cursor)?,
        "foreach" => foreach_statement(cursor)?,
        "switch" => switch_statement(cursor)?,
        "try" => try_statement(cursor)?,
        "trap" => {
            types(cursor)?;
            (Vec::new(), vec![block(cursor)?], Compound::Branch)
        }
        "begin" | "process" | "end" | "dynamicparam" | "clean" => {
            cursor.blanks()?;
            if cursor.peek() != Some('{') {
                return Ok(None);
            }
            (Vec::new(), vec![block(cursor)?], Compound::Branch)
        }
        "function" | "filter" | "workflow" => return function(cursor).map(Some),
        "return" | "exit" | "throw" => {
            cursor.blanks()?;
            let ends = cursor
                .peek()
                .is_none_or(|c| is_line_end(c) || matches!(c, ';' | '}' | ')'));
            let value = if ends {
                None
            } else {
                Some(Box::new(simple(cursor)?))
            };
            return Ok(Some(Statement::Leave { value }));
        }
        "break" | "continue" => {
            cursor.blanks()?;
            let label = cursor.at;
            while cursor.peek().is_some_and(|c| !ends_word(c)) {
                cursor.bump();
            }
            return Ok(Some(match (word, cursor.at > label) {
                ("break", false) => Statement::Break,
                ("break", true) => Statement::Leave { value: None },
                _ => Statement::Chain {
                    pipelines: Vec::new(),
                },
            }));
        }
        "using" | "class" | "enum" | "data" | "configuration" | "interface" => {
            let why = if word == "using" {
                "`using` loads code into the shell or changes what a name means"
            } else {
                "this kind of definition isn't read"
            };
            outer.statements.push(Statement::Unread {
                part: cursor.part_from(start),
                why,
            });
            return cursor.trouble(why);
        }
        _ => return Ok(None),
    };
    Ok(Some(Statement::Compound {
        heads,
        bodies,
        kind,
        part: cursor.part_from(start),
    }))
}

pub(super) type Read = (Vec<Statement>, Vec<Block>, Compound);

/// Whether `word` comes next, over line ends; taken if so.
pub(super) fn next_word(cursor: &mut Cursor<'_>, word: &str) -> Result<bool, Trouble> {
    let back = cursor.at;
    cursor.lines()?;
    let written = cursor.peek_word();
    if written.eq_ignore_ascii_case(word) && stands_alone(cursor, written) {
        cursor.at += written.len();
        return Ok(true);
    }
    cursor.at = back;
    Ok(false)
}

/// Reads `( pipeline )` as the head of a statement.
pub(super) fn parenthesis(cursor: &mut Cursor<'_>) -> Result<Statement, Trouble> {
    cursor.lines()?;
    if !cursor.eat("(") {
        return cursor.trouble("a `(` is missing");
    }
    cursor.lines()?;
    cursor.enter()?;
    let head = simple(cursor)?;
    cursor.leave();
    cursor.lines()?;
    if !cursor.eat(")") {
        return cursor.trouble("a `)` is missing");
    }
    Ok(head)
}

/// A pipeline chain or an assignment.
pub(super) fn simple(cursor: &mut Cursor<'_>) -> Result<Statement, Trouble> {
    let start = cursor.at;
    let mut pipelines = Vec::new();
    loop {
        let mut elements = Vec::new();
        loop {
            cursor.blanks()?;
            let element = element(cursor)?;
            cursor.blanks()?;
            if pipelines.is_empty()
                && elements.is_empty()
                && let Element::Expression { redirections, .. } = &element
                && redirections.is_empty()
                && let Some(is_plain) = assignment(cursor)
            {
                let Element::Expression { value, .. } = element else {
                    return cursor.trouble("this can't be assigned to");
                };
                let targets = match value.kind {
                    Kind::List(targets) => targets,
                    _ => vec![value],
                };
                let value = Box::new(value_statement(cursor)?);
                return Ok(Statement::Assign {
                    targets,
                    is_plain,
                    value,
                    part: cursor.part_from(start),
                });
            }
            elements.push(element);
            if !pipe_follows(cursor)? {
                break;
            }
            cursor.lines()?;
        }
        pipelines.push(Pipeline { elements });
        if cursor.eat("&&") || cursor.eat("||") {
            cursor.lines()?;
            continue;
        }
        // `&` at the end: a background job.
        if cursor.peek() == Some('&') {
            cursor.bump();
        }
        return Ok(Statement::Chain { pipelines });
    }
}

/// Takes a `|` that isn't `||`, also at the start of a later line (`PowerShell` 7).
fn pipe_follows(cursor: &mut Cursor<'_>) -> Result<bool, Trouble> {
    let back = cursor.at;
    cursor.lines()?;
    if cursor.peek() == Some('|') && cursor.peek_second() != Some('|') {
        cursor.bump();
        return Ok(true);
    }
    cursor.at = back;
    Ok(false)
}

/// Takes an assignment operator: whether it is a plain `=`.
fn assignment(cursor: &mut Cursor<'_>) -> Option<bool> {
    for operator in ["??=", "+=", "-=", "*=", "/=", "%="] {
        if cursor.eat(operator) {
            return Some(false);
        }
    }
    (cursor.peek() == Some('=') && cursor.eat("=")).then_some(true)
}

fn element(cursor: &mut Cursor<'_>) -> Result<Element, Trouble> {
    if !expressions::starts(cursor) {
        return commands::command(cursor).map(Element::Command);
    }
    let value = expressions::expression(cursor)?;
    let mut redirections = Vec::new();
    loop {
        cursor.blanks()?;
        if !commands::redirection(cursor, &mut redirections)? {
            break;
        }
    }
    Ok(Element::Expression {
        value,
        redirections,
    })
}

/// An expression as a statement of its own.
pub(super) fn of_expression(value: Expression) -> Statement {
    Statement::Chain {
        pipelines: vec![Pipeline {
            elements: vec![Element::Expression {
                value,
                redirections: Vec::new(),
            }],
        }],
    }
}

/// Whether the next character can't go on a value.
pub(super) fn value_ends(c: char) -> bool {
    ends_word(c) || is_blank(c)
}
