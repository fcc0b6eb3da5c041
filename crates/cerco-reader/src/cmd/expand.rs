//! `%NAME%` and `!NAME!`, as cmd replaces them before and after it parses.
//!
//! A name that isn't set stays as written, as on the command line; in a text of several
//! lines, where a batch file would drop it, it is unknown.

use cerco_model::{Part, Place};

use super::chars::{self, Char};
use super::values::{Held, Variables};
use crate::Directory;

/// What the values are taken from.
pub(super) struct Source<'a, 'p> {
    pub(super) variables: &'a Variables,
    pub(super) place: &'a Place<'p>,
    pub(super) directory: &'a Directory,
    /// Whether the text has several lines.
    pub(super) is_batch: bool,
    /// The raw text of a group of lines that sets variables while it is being run.
    pub(super) group: Option<&'a str>,
}

/// How far a name may reach before it is none.
const MAX_NAME: usize = 512;

/// Replaces every `%NAME%`.
pub(super) fn percent(text: &[Char], source: &Source<'_, '_>) -> Vec<Char> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&char) = text.get(at) {
        if char.c != Some('%') {
            out.push(char);
            at += 1;
            continue;
        }
        if source.is_batch && text.get(at + 1).and_then(|c| c.c) == Some('%') {
            out.push(char);
            at += 2;
            continue;
        }
        if let Some(length) = argument(text.get(at..).unwrap_or(&[])) {
            // `%1`, `%*`, `%~dp0`: what a batch file was given.
            out.push(Char::unknown(char.part));
            at += length;
            continue;
        }
        if let Some((name, end)) = delimited(text, at, '%') {
            let part = char.part.cover(end_part(text, end));
            if replace(&name, part, source, true, &mut out) {
                at = end + 1;
                continue;
            }
        }
        out.push(char);
        at += 1;
    }
    out
}

/// Replaces every `!NAME!` whose name is one, as cmd does where that is switched on.
pub(super) fn delayed(text: &[Char], source: &Source<'_, '_>) -> Vec<Char> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&char) = text.get(at) {
        if char.c == Some('!')
            && let Some((name, end)) = delimited(text, at, '!')
            && is_name(&name)
        {
            let part = char.part.cover(end_part(text, end));
            if !replace(&name, part, source, false, &mut out) {
                out.push(Char::unknown(part));
            }
            at = end + 1;
            continue;
        }
        out.push(char);
        at += 1;
    }
    out
}

fn end_part(text: &[Char], end: usize) -> Part {
    text.get(end).map(|c| c.part).unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or(name);
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '(' | ')'))
}

/// The name between two `sign`s, and where the second one is.
fn delimited(text: &[Char], at: usize, sign: char) -> Option<(String, usize)> {
    let mut name = String::new();
    for (offset, char) in text.iter().enumerate().skip(at + 1).take(MAX_NAME) {
        match char.c? {
            c if c == sign => return (!name.is_empty()).then_some((name, offset)),
            c => name.push(c),
        }
    }
    None
}

/// How long a batch file's argument (`%1`, `%*`, `%~dp0`) is.
fn argument(text: &[Char]) -> Option<usize> {
    let mut length = 1;
    let c = |n: usize| text.get(n).and_then(|c| c.c);
    if c(1) == Some('*') {
        return Some(2);
    }
    if c(1) == Some('~') {
        length = 2;
        while c(length).is_some_and(|c| c.is_ascii_alphabetic()) {
            length += 1;
        }
    }
    let is_digit = c(length).is_some_and(|c| c.is_ascii_digit());
    // `%1%` could be a variable's name, but none is called so.
    is_digit.then_some(length + 1)
}

/// Puts the value of `name` (with `:~a,b` or `:a=b`) into `out`. Whether it had one.
fn replace(
    name: &str,
    part: Part,
    source: &Source<'_, '_>,
    is_before_parsing: bool,
    out: &mut Vec<Char>,
) -> bool {
    let (name, change) = match name.split_once(':') {
        Some((name, change)) => (name, Some(change)),
        None => (name, None),
    };
    let mut held = source.variables.get(name, source.place, source.directory);
    if let Some(group) = source.group
        && is_before_parsing
        && group
            .to_ascii_uppercase()
            .contains(&format!("{}=", name.to_ascii_uppercase()))
    {
        held = Held::Unknown;
    }
    match held {
        Held::Known(value) => match change.map_or(Some(value.clone()), |c| changed(&value, c)) {
            Some(value) => {
                let start = out.len();
                out.extend(chars::of_text(&value, 0, Some(part)));
                if !is_before_parsing {
                    for char in out.iter_mut().skip(start) {
                        char.is_plain = true;
                    }
                }
            }
            None => out.push(Char::unknown(part)),
        },
        Held::Unknown => out.push(Char::unknown(part)),
        Held::Nothing if source.is_batch => out.push(Char::unknown(part)),
        Held::Nothing => return false,
    }
    true
}

/// `~start,length` and `from=to`; nothing where it isn't followed.
fn changed(value: &str, change: &str) -> Option<String> {
    if let Some(range) = change.strip_prefix('~') {
        let (start, length) = match range.split_once(',') {
            Some((start, length)) => (start, Some(length)),
            None => (range, None),
        };
        let count = value.chars().count();
        let index = |text: &str, base: usize| -> Option<usize> {
            let number: i64 = text.trim().parse().ok()?;
            let size = i64::try_from(base).ok()?;
            let index = if number < 0 { size + number } else { number };
            usize::try_from(index.clamp(0, size)).ok()
        };
        let from = index(start, count)?;
        let rest = count - from;
        let take = match length {
            Some(length) => index(length, rest)?,
            None => rest,
        };
        return Some(value.chars().skip(from).take(take).collect());
    }
    let (from, to) = change.split_once('=')?;
    if from.is_empty() || from.starts_with('*') || !value.is_ascii() || !from.is_ascii() {
        return None;
    }
    let (lower, from) = (value.to_ascii_lowercase(), from.to_ascii_lowercase());
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = lower.get(at..)?.find(&from) {
        out.push_str(value.get(at..at + found)?);
        out.push_str(to);
        at += found + from.len();
        if out.len() > 65_536 {
            return None;
        }
    }
    out.push_str(value.get(at..)?);
    Some(out)
}
