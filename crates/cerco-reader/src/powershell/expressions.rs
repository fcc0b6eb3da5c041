//! Expressions: operators by precedence, values, members and indexes.

use super::commands;
use super::cursor::{
    Cursor, Trouble, is_blank, is_dash, is_double_quote, is_line_end, is_single_quote,
};
use super::statements::{self, value_ends};
use super::strings::{self, Scope};
use super::tree::{Expression, Fragment, Kind, Step, StepKind};

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

fn unary(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
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

fn type_or_cast(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
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
fn number_length(cursor: &Cursor<'_>) -> Option<usize> {
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

fn primary_block(cursor: &mut Cursor<'_>) -> Result<Expression, Trouble> {
    let start = cursor.at;
    let block = statements::block(cursor)?;
    Ok(Expression {
        kind: Kind::Block(block),
        part: cursor.part_from(start),
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
