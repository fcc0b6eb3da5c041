//! Values as far as the text settles them, and the operators on them.
//!
//! Whatever isn't folded here is [`Value::Unknown`]: never a guess.

use compact_str::CompactString;

use crate::{Piece, Text};

/// What an expression yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(Text),
    List(Vec<Value>),
    /// A script block whose body was read where it stands.
    Block,
    /// A table whose entries were read where they stand.
    Hash,
    Null,
    Unknown,
}

/// The longest text that is put together by folding.
const MAX_TEXT: usize = 1 << 16;

impl Value {
    pub(super) fn known(text: impl Into<CompactString>) -> Self {
        Self::Text(Text::Known(text.into()))
    }

    pub(super) fn truth(is: bool) -> Self {
        Self::known(if is { "True" } else { "False" })
    }

    /// The settled text, where it is one.
    pub(super) fn as_known(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.known(),
            Self::Null => Some(""),
            Self::List(_) | Self::Block | Self::Hash | Self::Unknown => None,
        }
    }

    /// Whether a condition on it holds, where settled.
    pub(super) fn holds(&self) -> Option<bool> {
        match self {
            Self::Null => Some(false),
            Self::Block | Self::Hash => Some(true),
            Self::Text(text) => text
                .known()
                .map(|text| !text.is_empty() && text != "False" && text != "0"),
            Self::List(_) | Self::Unknown => None,
        }
    }

    /// What it becomes in a pipe: one item a line.
    pub(super) fn lines(&self) -> Text {
        let Self::List(values) = self else {
            return self.in_text();
        };
        let mut joined = Joined::default();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                joined.known("\n");
            }
            joined.text(&value.in_text());
        }
        joined.finish()
    }

    /// What it becomes inside a string.
    pub(super) fn in_text(&self) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            Self::Null => Text::Known(CompactString::default()),
            Self::List(values) => {
                let mut joined = Joined::default();
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        joined.known(" ");
                    }
                    joined.text(&value.in_text());
                }
                joined.finish()
            }
            Self::Block | Self::Hash | Self::Unknown => unknown(),
        }
    }
}

pub(super) fn unknown() -> Text {
    Text::Partly(Box::new([Piece::Unknown]))
}

/// Puts a text together from pieces.
#[derive(Default)]
pub(super) struct Joined {
    pieces: Vec<Piece>,
    length: usize,
}

impl Joined {
    pub(super) fn known(&mut self, text: &str) {
        self.length = self.length.saturating_add(text.len());
        if self.length > MAX_TEXT {
            self.unknown();
        } else if let Some(Piece::Known(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Known(text.into()));
        }
    }

    pub(super) fn unknown(&mut self) {
        if self.pieces.last() != Some(&Piece::Unknown) {
            self.pieces.push(Piece::Unknown);
        }
    }

    pub(super) fn text(&mut self, text: &Text) {
        match text {
            Text::Known(text) => self.known(text),
            Text::Partly(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Known(text) | Piece::Glob(text) => self.known(text),
                        Piece::Unknown => self.unknown(),
                    }
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Text {
        match self.pieces.as_mut_slice() {
            [] => Text::Known(CompactString::default()),
            [Piece::Known(text)] => Text::Known(std::mem::take(text)),
            _ => Text::Partly(self.pieces.into_boxed_slice()),
        }
    }
}

/// `left operator right`.
pub(super) fn binary(left: Value, operator: &str, right: &Value) -> Value {
    match operator {
        "+" => add(left, right),
        "f" => format(&left, right),
        "join" => join(&left, right),
        "replace" => replace(&left, right),
        "eq" | "ne" => match (left.as_known(), right.as_known()) {
            (Some(a), Some(b)) => Value::truth(a.eq_ignore_ascii_case(b) == (operator == "eq")),
            _ => Value::Unknown,
        },
        "*" => match (
            &left,
            right.as_known().and_then(|n| n.parse::<usize>().ok()),
        ) {
            (Value::Text(Text::Known(text)), Some(times))
                if !is_number(text) && text.len().saturating_mul(times) <= MAX_TEXT =>
            {
                Value::known(text.repeat(times))
            }
            _ => Value::Unknown,
        },
        ".." => range(&left, right),
        _ => Value::Unknown,
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn add(left: Value, right: &Value) -> Value {
    match left {
        Value::List(mut values) => {
            if values.len() > 1000 {
                return Value::Unknown;
            }
            match right {
                Value::List(more) => values.extend(more.iter().cloned()),
                other => values.push(other.clone()),
            }
            Value::List(values)
        }
        // 1 + 1 is 2; "1" + 1 is 11: not told apart here.
        Value::Text(Text::Known(text)) if is_number(&text) => Value::Unknown,
        Value::Text(text) => {
            let mut joined = Joined::default();
            joined.text(&text);
            joined.text(&right.in_text());
            Value::Text(joined.finish())
        }
        Value::Null => right.clone(),
        Value::Block | Value::Hash | Value::Unknown => Value::Unknown,
    }
}

fn range(left: &Value, right: &Value) -> Value {
    let number = |value: &Value| value.as_known().and_then(|n| n.parse::<i32>().ok());
    match (number(left), number(right)) {
        (Some(from), Some(to)) if from <= to && to - from < 32 => {
            Value::List((from..=to).map(|n| Value::known(n.to_string())).collect())
        }
        _ => Value::Unknown,
    }
}

fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::List(values) => values.iter().collect(),
        other => vec![other],
    }
}

/// `"{0}\{1}" -f a, b`
fn format(left: &Value, right: &Value) -> Value {
    let Some(pattern) = left.as_known() else {
        return Value::Unknown;
    };
    let items = items(right);
    let mut joined = Joined::default();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        if before.contains('}') {
            return Value::Unknown;
        }
        joined.known(before);
        let Some((field, after)) = after.split_once('}') else {
            return Value::Unknown;
        };
        match field.parse::<usize>().ok().and_then(|n| items.get(n)) {
            Some(item) => joined.text(&item.in_text()),
            None => return Value::Unknown,
        }
        rest = after;
    }
    joined.known(rest);
    Value::Text(joined.finish())
}

pub(super) fn join(left: &Value, right: &Value) -> Value {
    if matches!(left, Value::Unknown) {
        return Value::Unknown;
    }
    let separator = right.in_text();
    let mut joined = Joined::default();
    for (index, item) in items(left).into_iter().enumerate() {
        if index > 0 {
            joined.text(&separator);
        }
        joined.text(&item.in_text());
    }
    Value::Text(joined.finish())
}

/// `-replace`, where the pattern has no operator of regular expressions.
fn replace(left: &Value, right: &Value) -> Value {
    let parts = items(right);
    let (Some(text), Some(pattern)) = (left.as_known(), parts.first().and_then(|p| p.as_known()))
    else {
        return Value::Unknown;
    };
    let with = match parts.get(1) {
        Some(with) => with.as_known(),
        None => Some(""),
    };
    match with {
        Some(with) if !pattern.is_empty() && is_plain(pattern) && !with.contains('$') => {
            replace_text(text, pattern, with)
        }
        _ => Value::Unknown,
    }
}

fn is_plain(pattern: &str) -> bool {
    pattern
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | ':' | '#' | '@' | '!'))
}

/// Case-blind, as `-replace` is, for text without letters of other alphabets.
fn replace_text(text: &str, pattern: &str, with: &str) -> Value {
    if !text.is_ascii() || !pattern.is_ascii() {
        return Value::Unknown;
    }
    let (lower, pattern) = (text.to_ascii_lowercase(), pattern.to_ascii_lowercase());
    let mut joined = Joined::default();
    let mut at = 0;
    while let Some(found) = lower.get(at..).and_then(|rest| rest.find(&pattern)) {
        joined.known(text.get(at..at + found).unwrap_or(""));
        joined.known(with);
        at += found + pattern.len();
    }
    joined.known(text.get(at..).unwrap_or(""));
    Value::Text(joined.finish())
}

/// `text.Method(…)`, for methods whose result is settled.
pub(super) fn method(value: &Value, name: &str, arguments: &[Value]) -> Value {
    let Some(text) = value.as_known() else {
        return Value::Unknown;
    };
    match (name, arguments) {
        ("tolower" | "tolowerinvariant", []) => Value::known(text.to_lowercase()),
        ("toupper" | "toupperinvariant", []) => Value::known(text.to_uppercase()),
        ("tostring", []) => Value::known(text),
        ("trim", []) => Value::known(text.trim()),
        ("replace", [from, to]) => match (from.as_known(), to.as_known()) {
            (Some(from), Some(to)) if !from.is_empty() => {
                let replaced = text.replace(from, to);
                if replaced.len() > MAX_TEXT {
                    return Value::Unknown;
                }
                Value::known(replaced)
            }
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}
