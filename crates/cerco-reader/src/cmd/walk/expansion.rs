//! What `%NAME%`, `!NAME!` and `%%v` stand for where they are read.

use super::Walker;
use super::command::unquoted;
use crate::Programs;
use crate::cmd::chars::Char;
use crate::cmd::expand::Source;
use crate::cmd::{chars, expand};

impl<'p, P: Programs> Walker<'_, 'p, P> {
    pub(super) fn source(&self) -> Source<'_, 'p> {
        Source {
            variables: &self.variables,
            place: self.starts.place,
            directory: &self.directory,
            is_batch: self.is_batch,
            group: None,
        }
    }

    /// Puts in the values of `for` variables and of `!NAME!`.
    pub(super) fn settle(&self, text: &[Char]) -> Vec<Char> {
        let looped = if self.loops.is_empty() {
            text.to_vec()
        } else {
            self.loop_values(text)
        };
        expand::delayed(&looped, &self.source())
    }

    fn loop_values(&self, text: &[Char]) -> Vec<Char> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(&char) = text.get(at) {
            at += 1;
            if char.c != Some('%') {
                out.push(char);
                continue;
            }
            let start = at;
            // `%%i`, as in a batch file.
            if text.get(at).and_then(|c| c.c) == Some('%') {
                at += 1;
            }
            let is_changed = text.get(at).and_then(|c| c.c) == Some('~');
            at += usize::from(is_changed);
            let from = at;
            // `%~nxi`: letters that change the value, then the variable.
            let mut found = None;
            while let Some(letter) = text
                .get(at)
                .and_then(|c| c.c)
                .filter(char::is_ascii_alphabetic)
            {
                at += 1;
                if self.loops.contains_key(&letter) || (self.has_columns && at == from + 1) {
                    found = Some((letter, at - from - 1));
                    break;
                }
                if !is_changed {
                    break;
                }
            }
            match found {
                None => {
                    out.push(char);
                    at = start;
                }
                Some((letter, changes)) => {
                    let part = char
                        .part
                        .cover(chars::part_of(text.get(start..at).unwrap_or(&[])));
                    match self.loops.get(&letter) {
                        // Its base name or folder isn't followed.
                        Some(value) if changes == 0 => {
                            let value = if is_changed { unquoted(value) } else { value };
                            out.extend(value.iter().map(|c| Char { part, ..*c }));
                        }
                        _ => out.push(Char::unknown(part)),
                    }
                }
            }
        }
        out
    }
}

/// The lines of a text, those together that a bracket or a caret holds together: where
/// each group starts, its text, and how many lines it has.
pub(super) fn groups(text: &str) -> Vec<(usize, &str, usize)> {
    let mut groups = Vec::new();
    let (mut start, mut open, mut lines, mut at) = (0usize, 0usize, 0usize, 0usize);
    for line in text.split_inclusive('\n') {
        at += line.len();
        lines += 1;
        let mut quoted = false;
        let mut escaped = false;
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '^' if !quoted => escaped = true,
                '"' => quoted = !quoted,
                '(' if !quoted => open += 1,
                ')' if !quoted => open = open.saturating_sub(1),
                _ => {}
            }
        }
        let continues = open > 0 || line.trim_end_matches(['\n', ' ']).ends_with('^');
        if !continues {
            groups.push((start, text.get(start..at).unwrap_or(""), lines));
            (start, lines) = (at, 0);
        }
    }
    if start < text.len() {
        groups.push((start, text.get(start..).unwrap_or(""), lines));
    }
    groups
}

/// Whether a name is one: nothing in it that cmd would still replace.
pub(super) fn is_settled(name: &str) -> bool {
    !name.is_empty() && !name.contains(['%', '*', '?']) && !has_delayed(name)
}

fn has_delayed(name: &str) -> bool {
    name.matches('!').count() > 1
}
