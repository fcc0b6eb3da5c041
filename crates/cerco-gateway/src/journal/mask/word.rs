//! The secrets inside one word.

use std::ops::Range;

use super::names::{is_secret_name, token_at};

/// No name is longer.
const NAME: usize = 64;

/// Where the secrets of a word are, in order and apart.
pub(super) fn secrets_in(word: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = word.get(at..).filter(|rest| !rest.is_empty()) {
        // At the beginning of a run of letters, or behind one. A flood is one long run of
        // letters or of anything else, passed over at once.
        let token = rest.first().filter(|b| b.is_ascii_alphabetic());
        if let Some(length) = token.and_then(|_| token_at(rest)) {
            found.push(at..at + length);
            at += length;
            continue;
        }
        at += run(rest, |b| b.is_ascii_alphanumeric());
        let others = word.get(at..).unwrap_or_default();
        at += run(others, |b| {
            !b.is_ascii_alphanumeric() && !matches!(b, b'=' | b':')
        });
        if !matches!(word.get(at), Some(b'=' | b':')) {
            continue;
        }
        let hit = value_behind(word, at).or_else(|| user_info(word, at));
        at += 1;
        if let Some(range) = hit {
            at = range.end.max(at);
            found.push(range);
        }
    }
    found
}

/// How many bytes `text` begins with that are `such`.
fn run(text: &[u8], such: fn(u8) -> bool) -> usize {
    let end = text.iter().position(|b| !such(*b));
    end.unwrap_or(text.len())
}

/// `--password`, `Authorization:`, `"token":`: the next word is the secret.
pub(super) fn asks_for_secret(word: &[u8]) -> bool {
    let word = bare(word);
    (word.starts_with(b"-") && is_secret_name(name_at_end(word))) || {
        let name = word.strip_suffix(b":");
        name.is_some_and(|name| is_secret_name(name_at_end(name)))
    }
}

/// `password`, before `= x` or `: x`.
pub(super) fn is_name(word: &[u8]) -> bool {
    is_secret_name(name_at_end(word))
}

/// Whether a quote behind this keeps a value with blanks together.
pub(super) fn awaits_value(word: &[u8]) -> bool {
    let escapes = word.iter().rev().take_while(|b| **b == b'\\').count();
    match word.get(..word.len() - escapes) {
        Some([name @ .., b'=' | b':']) => is_name(name),
        _ => false,
    }
}

/// Without the quotes around it.
pub(super) fn bare(word: &[u8]) -> &[u8] {
    let mut word = word;
    while let [b'\'' | b'"', rest @ ..] | [rest @ .., b'\'' | b'"'] = word {
        word = rest;
    }
    word
}

/// The value behind the `=` or `:` at `at`, where what stands before names a secret.
fn value_behind(word: &[u8], at: usize) -> Option<Range<usize>> {
    let value = word.get(at + 1..)?;
    // `::` and `://` are part of a name and of an address.
    let is_pair = !value.starts_with(b":") && !value.starts_with(b"//");
    let name = name_at_end(word.get(..at)?);
    if value.is_empty() || !is_pair || !is_secret_name(name) {
        return None;
    }
    // In `{"token":"x","n":1}` it ends with its quote; the shell's `A="x"y` is one value.
    let length = match word.get(at) {
        Some(b':') => quoted(value).unwrap_or(value.len()),
        _ => value.len(),
    };
    Some(at + 1..at + 1 + length)
}

/// How long a value is that is quoted, its quotes and the backslashes before them included.
fn quoted(value: &[u8]) -> Option<usize> {
    let escapes = value.iter().take_while(|b| **b == b'\\').count();
    let quote = value.get(escapes).filter(|b| b"'\"".contains(b))?;
    let inside = value.iter().skip(escapes + 1).position(|b| b == quote)?;
    Some(escapes + 1 + inside + 1)
}

/// The password in `scheme://user:password@host`, or all that stands for a user where there
/// is no colon. `at` is the place of the `:`.
fn user_info(word: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = word.get(at..)?.strip_prefix(b"://")?;
    let end = rest.iter().position(|b| b"/?#".contains(b));
    let authority = rest.get(..end.unwrap_or(rest.len()))?;
    let user = authority.iter().rposition(|b| *b == b'@')?;
    let colon = authority.get(..user)?.iter().position(|b| *b == b':');
    let start = at + 3;
    Some(start + colon.map_or(0, |c| c + 1)..start + user).filter(|range| !range.is_empty())
}

/// The name that `text` ends with, without quotes and brackets behind it.
fn name_at_end(text: &[u8]) -> &[u8] {
    let closing = text.iter().rev().take_while(|b| b"'\"\\]".contains(b));
    let text = text.get(..text.len() - closing.count()).unwrap_or_default();
    let letters = text
        .iter()
        .rev()
        .take(NAME)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b));
    text.get(text.len() - letters.count()..).unwrap_or_default()
}
