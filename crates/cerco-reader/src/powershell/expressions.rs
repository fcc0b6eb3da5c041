//! Expressions: operators by precedence, values, members and indexes.

use super::cursor::{Cursor, Trouble, is_dash, is_double_quote, is_single_quote};
use super::literals::{number_length, primary, type_or_cast};
use super::statements::value_ends;
use super::tree::{Expression, Kind};

/// Whether a comma makes a list or separates arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comma {
    List,
    Separates,
}

/// Whether an expression, not a command, comes next.
pub(super) fn starts(cursor: &Cursor<'_>) -> bool {
    let Some(c) = cursor.peek() else { return false };
    let second = cursor.peek_second();
    match c {
        '$' | '(' | '[' | '{' | '!' | ',' => true,
        '@' => second
            .is_some_and(|c| matches!(c, '(' | '{') || is_single_quote(c) || is_double_quote(c)),
        '+' => cursor.rest().starts_with("++") || second.is_some_and(|c| c.is_ascii_digit()),
        '0'..='9' | '.' => number_length(cursor).is_some(),
        _ if is_single_quote(c) || is_double_quote(c) => true,
        _ if is_dash(c) => {
            cursor.rest().starts_with("--$")
                || second.is_some_and(|c| c.is_ascii_digit() || matches!(c, '(' | '$'))
                || unary_word(cursor).is_some()
        }
        _ => false,
    }
}

/// Reads an expression.
pub(super) fn expression(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    choice(cursor, Comma::List)
}

/// Reads an expression that ends before a comma.
pub(super) fn separate(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    choice(cursor, Comma::Separates)
}

/// `a ? b : c` and `a ?? b`.
fn choice(cursor: &mut Cursor<'_>, comma: Comma) -> Result<Expression, Trouble> {
    cursor.enter()?;
    let start = cursor.at;
    let first = level(cursor, 0, comma)?;
    let back = cursor.at;
    cursor.blanks()?;
    let mut rest = Vec::new();
    if cursor.eat("??") {
        cursor.lines()?;
        rest.push(("??".to_owned(), choice(cursor, comma)?));
    } else if cursor.peek() == Some('?') {
        cursor.bump();
        cursor.lines()?;
        rest.push(("?".to_owned(), choice(cursor, comma)?));
        cursor.lines()?;
        if !cursor.eat(":") {
            return cursor.trouble("a `:` is missing");
        }
        cursor.lines()?;
        rest.push((":".to_owned(), choice(cursor, comma)?));
    } else {
        cursor.at = back;
    }
    cursor.leave();
    Ok(binary(first, rest, cursor, start))
}

fn binary(
    first: Expression,
    rest: Vec<(String, Expression)>,
    cursor: &Cursor<'_>,
    start: usize,
) -> Expression {
    if rest.is_empty() {
        return first;
    }
    Expression {
        kind: Kind::Binary(Box::new(first), rest),
        part: cursor.part_from(start),
    }
}

/// The levels of precedence, loosest first; the last one is the comma.
const LEVELS: u8 = 8;

fn level(cursor: &mut Cursor<'_>, depth: u8, comma: Comma) -> Result<Expression, Trouble> {
    if depth == LEVELS {
        return unary(cursor);
    }
    let start = cursor.at;
    let first = level(cursor, depth + 1, comma)?;
    let mut rest = Vec::new();
    loop {
        let back = cursor.at;
        cursor.blanks()?;
        if let Some(name) = operator(cursor, depth, comma) {
            cursor.lines()?;
            rest.push((name, level(cursor, depth + 1, comma)?));
        } else {
            cursor.at = back;
            break;
        }
    }
    if depth == LEVELS - 1 && !rest.is_empty() {
        let mut list = vec![first];
        list.extend(rest.into_iter().map(|(_, value)| value));
        return Ok(Expression {
            kind: Kind::List(list),
            part: cursor.part_from(start),
        });
    }
    Ok(binary(first, rest, cursor, start))
}

/// Takes the operator of this level, if one comes next.
fn operator(cursor: &mut Cursor<'_>, depth: u8, comma: Comma) -> Option<String> {
    let c = cursor.peek()?;
    let second = cursor.peek_second();
    if is_dash(c) && second.is_some_and(char::is_alphabetic) {
        let back = cursor.at;
        cursor.bump();
        let word = cursor.peek_word().to_ascii_lowercase();
        if word_level(&word) == Some(depth) {
            cursor.at += word.len();
            return Some(plain_operator(&word).to_owned());
        }
        cursor.at = back;
        return None;
    }
    // `$a += 1`, `$i++` end the value here.
    let assigns = second == Some('=');
    let taken = match (depth, c) {
        (3, '+') | (4, '*' | '/' | '%') => !assigns && second != Some(c),
        (3, _) if is_dash(c) => !assigns && !second.is_some_and(is_dash),
        (6, '.') => second == Some('.'),
        (7, ',') => comma == Comma::List,
        _ => false,
    };
    if !taken {
        return None;
    }
    cursor.bump();
    if depth == 6 {
        cursor.bump();
        return Some("..".to_owned());
    }
    Some(if is_dash(c) { '-' } else { c }.to_string())
}

/// `-ceq` and `-ieq` are `-eq`.
fn plain_operator(word: &str) -> &str {
    match word.strip_prefix(['c', 'i']) {
        Some(rest) if COMPARISONS.contains(&rest) => rest,
        _ => word,
    }
}

const COMPARISONS: [&str; 15] = [
    "eq",
    "ne",
    "ge",
    "gt",
    "lt",
    "le",
    "like",
    "notlike",
    "match",
    "notmatch",
    "replace",
    "contains",
    "notcontains",
    "split",
    "in",
];

fn word_level(word: &str) -> Option<u8> {
    match word {
        "and" | "or" | "xor" => Some(0),
        "band" | "bor" | "bxor" => Some(1),
        "join" | "is" | "isnot" | "as" | "shl" | "shr" | "notin" | "cnotin" | "inotin" => Some(2),
        "f" => Some(5),
        _ => COMPARISONS.contains(&plain_operator(word)).then_some(2),
    }
}

fn unary_word(cursor: &Cursor<'_>) -> Option<&'static str> {
    let mut chars = cursor.rest().chars();
    chars.next().filter(|c| is_dash(*c))?;
    let rest = chars.as_str();
    ["not", "bnot", "join", "split", "csplit", "isplit"]
        .into_iter()
        .find(|word| {
            rest.get(..word.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word))
                && rest
                    .get(word.len()..)
                    .and_then(|r| r.chars().next())
                    .is_some_and(|c| value_ends(c) || matches!(c, '$' | '"' | '\'' | '@' | '['))
        })
}

pub(super) fn unary(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let operator = if let Some(word) = unary_word(cursor) {
        cursor.bump();
        cursor.at += word.len();
        word.to_owned()
    } else {
        match cursor.peek() {
            Some(c @ ('!' | ',')) => {
                cursor.bump();
                c.to_string()
            }
            Some('+') if cursor.eat("++") => "++".to_owned(),
            Some('+') => {
                cursor.bump();
                "+".to_owned()
            }
            Some(c) if is_dash(c) => {
                cursor.bump();
                if cursor.peek().is_some_and(is_dash) {
                    cursor.bump();
                    "--".to_owned()
                } else {
                    "-".to_owned()
                }
            }
            Some('[') => return type_or_cast(cursor),
            Some(_) | None => return primary(cursor),
        }
    };
    cursor.enter()?;
    cursor.blanks()?;
    let value = unary(cursor)?;
    cursor.leave();
    Ok(Expression {
        kind: Kind::Unary(operator, Box::new(value)),
        part: cursor.part_from(start),
    })
}
