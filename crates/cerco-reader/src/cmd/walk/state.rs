//! What a command changes for those behind it: variables and the directory.

use cerco_model::Part;

use super::Walker;
use super::command::trimmed;
use crate::cmd::chars::Char;
use crate::cmd::values::Held;
use crate::cmd::{chars, words};
use crate::windows::path;
use crate::{Assignment, Directory, Programs, Text, Word};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn set(&mut self, rest: &[Char], part: Part) {
        let rest = trimmed(rest);
        let first = chars::known(rest.get(..2).unwrap_or(&[])).map(|t| t.to_ascii_lowercase());
        let is_computed = matches!(first.as_deref(), Some("/a" | "/p"));
        let rest = if is_computed {
            trimmed(rest.get(2..).unwrap_or(&[]))
        } else {
            rest
        };
        let rest = match rest.first() {
            Some(c) if c.c == Some('"') => {
                // Up to the last quote; what stands behind it is dropped.
                let end = rest.iter().rposition(|c| c.c == Some('"')).unwrap_or(0);
                let end = if end == 0 { rest.len() } else { end };
                rest.get(1..end).unwrap_or(&[])
            }
            _ => rest,
        };
        let Some(equals) = rest.iter().position(|c| c.c == Some('=')) else {
            if is_computed {
                self.variables.forget();
            }
            return;
        };
        let Some(name) = chars::known(rest.get(..equals).unwrap_or(&[])) else {
            self.starts.doubt(
                part,
                "the variable that is set isn't known before the command runs",
            );
            self.variables.forget();
            return;
        };
        let value = rest.get(equals + 1..).unwrap_or(&[]);
        let text = if is_computed {
            Text::Partly(Box::new([crate::Piece::Unknown]))
        } else {
            chars::text_of(value)
        };
        let held = match text.known() {
            Some(text) => Held::Known(text.to_owned()),
            None => Held::Unknown,
        };
        // `set /a` may set several: `a=1,b=2`.
        if is_computed {
            self.variables.forget();
        }
        let name = name.trim_end_matches(['+', '-', '*', '/', '%', '&', '|']);
        self.variables.set(name, held);
        self.starts.out.assignments.push(Assignment {
            name: name.into(),
            value: text,
            part,
            exported: true,
        });
    }

    /// Where a command that moves leads.
    pub(super) fn moved(&mut self, name: &str, words: &[Word]) -> Directory {
        if name == "popd" {
            return self.pushed.pop().unwrap_or(Directory::Unknown);
        }
        let mut paths = words.iter().filter(|word| {
            !word
                .text
                .known()
                .is_some_and(|t| t.eq_ignore_ascii_case("/d"))
        });
        let Some(path) = paths.next() else {
            return self.directory.clone();
        };
        if name == "pushd" {
            self.pushed.push(self.directory.clone());
        }
        match (&self.directory, path.text.known()) {
            (Directory::Known(from), Some(to)) => path::change(from, "", to)
                .filter(|_| !to.starts_with('~'))
                .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
            (Directory::Unknown, Some(to)) if path::is_absolute(to) && !to.starts_with('~') => {
                path::change("", "", to)
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into()))
            }
            _ => Directory::Unknown,
        }
    }
}

/// The words of `cd`: `/d`, then everything else as one path.
pub(super) fn path_words(rest: &[Char]) -> Vec<Word> {
    let mut rest = trimmed(rest);
    let mut words = Vec::new();
    if chars::known(rest.get(..2).unwrap_or(&[])).is_some_and(|t| t.eq_ignore_ascii_case("/d")) {
        words.push(words::known(
            "/d",
            chars::part_of(rest.get(..2).unwrap_or(&[])),
        ));
        rest = trimmed(rest.get(2..).unwrap_or(&[]));
    }
    if !rest.is_empty() {
        let plain: Vec<Char> = rest.iter().filter(|c| c.c != Some('"')).copied().collect();
        words.push(words::of_chars(&plain, rest, false));
    }
    words
}

/// How long the first value is, its quotes included.
pub(super) fn value_length(rest: &[Char]) -> usize {
    let mut quoted = false;
    rest.iter()
        .position(|c| {
            if c.c == Some('"') {
                quoted = !quoted;
            }
            !quoted && c.is_blank()
        })
        .unwrap_or(rest.len())
}
