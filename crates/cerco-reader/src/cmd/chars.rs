//! A text under expansion: each character with the part of the command it came from.

use cerco_model::Part;

use crate::{Piece, Text};

/// One character, or a stretch of unknown ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Char {
    /// The character; nothing where any text may stand.
    pub(super) c: Option<char>,
    /// Where it came from.
    pub(super) part: Part,
    /// A caret in front of it took its meaning away.
    pub(super) is_plain: bool,
}

impl Char {
    pub(super) fn new(c: char, part: Part) -> Self {
        Self {
            c: Some(c),
            part,
            is_plain: false,
        }
    }

    pub(super) fn unknown(part: Part) -> Self {
        Self {
            c: None,
            part,
            is_plain: true,
        }
    }

    /// Whether it is `c` with its meaning as a sign.
    pub(super) fn is(self, c: char) -> bool {
        self.c == Some(c) && !self.is_plain
    }

    pub(super) fn is_blank(self) -> bool {
        self.c
            .is_some_and(|c| matches!(c, ' ' | '\t' | '\u{b}' | '\u{c}' | '\u{a0}'))
    }

    /// What separates a name and a builtin's arguments.
    pub(super) fn is_delimiter(self) -> bool {
        self.is_blank() || matches!(self.c, Some(',' | ';' | '='))
    }
}

/// The characters of `text`, each with its own part, or all with `at`.
pub(super) fn of_text(text: &str, offset: usize, at: Option<Part>) -> Vec<Char> {
    text.char_indices()
        .map(|(index, c)| {
            let start = offset + index;
            let part = at.unwrap_or_else(|| Part::new(start, start + c.len_utf8()));
            Char::new(c, part)
        })
        .collect()
}

/// The part that covers all of them.
pub(super) fn part_of(chars: &[Char]) -> Part {
    match (chars.first(), chars.last()) {
        (Some(first), Some(last)) => first.part.cover(last.part),
        _ => Part::default(),
    }
}

/// The text they make.
pub(super) fn text_of(chars: &[Char]) -> Text {
    let mut pieces: Vec<Piece> = Vec::new();
    for char in chars {
        match (char.c, pieces.last_mut()) {
            (Some(c), Some(Piece::Known(text))) => text.push(c),
            (Some(c), _) => pieces.push(Piece::Known(c.to_string().into())),
            (None, Some(Piece::Unknown)) => {}
            (None, _) => pieces.push(Piece::Unknown),
        }
    }
    match pieces.as_mut_slice() {
        [] => Text::Known("".into()),
        [Piece::Known(text)] => Text::Known(std::mem::take(text)),
        _ => Text::Partly(pieces.into_boxed_slice()),
    }
}

/// The known text of them; nothing where any is unknown.
pub(super) fn known(chars: &[Char]) -> Option<String> {
    chars.iter().map(|char| char.c).collect()
}
