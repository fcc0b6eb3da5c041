//! The one door for text that a person is shown.
//!
//! A command, a path, a reason and a program's output are written by somebody else. Shown
//! raw they could move the cursor, reorder what is read (CVE-2021-42574), hide a word, or
//! spell `git` with a Cyrillic letter. Here every such character becomes visible, and what
//! is shown is unambiguous: a character that we use as a mark is itself marked.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::Part;

/// A stretch of shown text and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownPiece {
    /// What to put on the screen; no control or invisible character, no line break.
    pub text: String,
    /// The bytes of the source that it stands for.
    pub part: Part,
    /// Whether the source was something that can't be seen, or is easily taken for
    /// something else.
    pub hidden: bool,
}

/// Text that is safe to show, on one line: line breaks are `⏎`, tabs `⇥`, control
/// characters their pictures (`␛`), anything else that can't be seen `⟦U+202E⟧`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shown(Vec<ShownPiece>);

impl Shown {
    /// Makes `text` safe to show.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut pieces: Vec<ShownPiece> = Vec::new();
        let mut word_has_ascii = false;
        let mut word_end = 0;
        for (at, character) in text.char_indices() {
            if at >= word_end {
                let (end, ascii) = word_at(text, at);
                word_end = end;
                word_has_ascii = ascii;
            }
            let part = Part::new(at, at + character.len_utf8());
            match mark(character, word_has_ascii) {
                Some((text, hidden)) => pieces.push(ShownPiece { text, part, hidden }),
                None => match pieces.last_mut() {
                    Some(last) if !last.hidden && !is_break(&last.text) => {
                        last.text.push(character);
                        last.part = last.part.cover(part);
                    }
                    _ => pieces.push(ShownPiece {
                        text: character.to_string(),
                        part,
                        hidden: false,
                    }),
                },
            }
        }
        Self(pieces)
    }

    /// Makes any bytes safe to show; what is not UTF-8 becomes `⟦FF⟧`.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut pieces = Vec::new();
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for mut piece in Self::of(chunk.valid()).0 {
                piece.part =
                    Part::new(at + piece.part.start as usize, at + piece.part.end as usize);
                pieces.push(piece);
            }
            at += chunk.valid().len();
            for byte in chunk.invalid() {
                pieces.push(ShownPiece {
                    text: format!("⟦{byte:02X}⟧"),
                    part: Part::new(at, at + 1),
                    hidden: true,
                });
                at += 1;
            }
        }
        Self(pieces)
    }

    /// Its pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[ShownPiece] {
        &self.0
    }

    /// Whether the source had anything that can't be seen or misleads.
    #[must_use]
    pub fn has_hidden(&self) -> bool {
        self.0.iter().any(|piece| piece.hidden)
    }

    /// The shown text of `part`, as a byte range of the text that [`fmt::Display`] writes.
    #[must_use]
    pub fn range_of(&self, part: Part) -> Range<usize> {
        let (mut at, mut start, mut end) = (0, None, 0);
        for piece in &self.0 {
            let inside = piece.part.start < part.end && piece.part.end > part.start;
            if inside {
                let (from, to) = piece.cut(part);
                start.get_or_insert(at + from);
                end = at + to;
            }
            at += piece.text.len();
        }
        start.map_or(at..at, |start| start..end)
    }
}

impl ShownPiece {
    /// Where `part` begins and ends in this piece's text. Plain pieces show their source
    /// byte for byte; a mark is shown whole or not at all.
    fn cut(&self, part: Part) -> (usize, usize) {
        if self.part.end - self.part.start != self.text_len() {
            return (0, self.text.len());
        }
        let from = part.start.saturating_sub(self.part.start) as usize;
        let to = self.text.len() - self.part.end.saturating_sub(part.end) as usize;
        (from, to)
    }

    fn text_len(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(&piece.text))
    }
}

fn is_break(text: &str) -> bool {
    matches!(text, "⏎" | "⇥")
}

/// The end of the run of letters and digits that begins at `at`, and whether one of them
/// is an ASCII letter.
fn word_at(text: &str, at: usize) -> (usize, bool) {
    let rest = text.get(at..).unwrap_or_default();
    let mut end = at;
    let mut ascii = false;
    for character in rest.chars() {
        if !character.is_alphanumeric() {
            break;
        }
        ascii |= character.is_ascii_alphabetic();
        end += character.len_utf8();
    }
    (end, ascii)
}

/// What stands for `character`, and whether it counts as hidden; nothing where it shows itself.
fn mark(character: char, in_ascii_word: bool) -> Option<(String, bool)> {
    let code = u32::from(character);
    match character {
        ' '..='~' => None,
        '\n' => Some(("⏎".to_owned(), false)),
        '\t' => Some(("⇥".to_owned(), false)),
        '\0'..='\u{1f}' => Some((picture(0x2400 + code), true)),
        '\u{7f}' => Some((picture(0x2421), true)),
        _ if is_unseen(code) || (in_ascii_word && is_look_alike(code)) => {
            Some((format!("⟦U+{code:04X}⟧"), true))
        }
        _ => None,
    }
}

fn picture(code: u32) -> String {
    char::from_u32(code).map_or_else(String::new, String::from)
}

/// Characters without ink or with an effect on others, and the marks of this module.
/// One row a family.
fn is_unseen(code: u32) -> bool {
    matches!(code,
        0x80..=0xa0               // C1 controls, no-break space
        | 0xad                    // soft hyphen
        | 0x334..=0x338 | 0x20d0..=0x20ff // overlays that strike out what stands below
        | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5
        | 0x1680 | 0x180b..=0x180f
        | 0x2000..=0x200f         // wide and zero-width spaces, joiners, direction marks
        | 0x2028..=0x202f         // separators, embeddings and overrides
        | 0x205f..=0x206f         // word joiner, invisible operators, isolates
        | 0x2400..=0x2426 | 0x23ce | 0x21e5 | 0x27e6 | 0x27e7 // our own marks
        | 0x2800                  // the empty Braille cell
        | 0x3000 | 0x3164 | 0xffa0
        | 0xe000..=0xf8ff         // private use
        | 0xfe00..=0xfe0f | 0xfeff | 0xfff0..=0xfffb
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0x10_ffff) // tags, variation selectors, private planes
}

/// Scripts with letters that look like Latin ones. They are only marked inside a word that
/// also has ASCII letters: a word of one script is just a word.
fn is_look_alike(code: u32) -> bool {
    matches!(code,
        0x251..=0x2af             // IPA: ɑ, ɡ
        | 0x370..=0x52f           // Greek, Cyrillic
        | 0x531..=0x58f           // Armenian
        | 0x13a0..=0x13ff         // Cherokee
        | 0x1d00..=0x1d7f         // small capitals
        | 0x1f00..=0x1fff         // Greek extended
        | 0x2c60..=0x2c7f | 0xa640..=0xa69f | 0xab30..=0xabbf
        | 0x2100..=0x214f         // letter-like symbols
        | 0xff01..=0xff5e         // full-width forms
        | 0x1d400..=0x1d7ff) // mathematical letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, shown: &str, hidden: bool) {
        let it = Shown::of(source);
        assert_eq!(
            (it.to_string().as_str(), it.has_hidden()),
            (shown, hidden),
            "{source:?}"
        );
    }

    #[test]
    fn hidden_things_become_visible_and_plain_ones_stay() {
        for (source, shown, hidden) in [
            ("git status", "git status", false),
            ("echo ñandú 文件", "echo ñandú 文件", false),
            ("echo привет", "echo привет", false),
            ("a\nb\tc", "a⏎b⇥c", false),
            ("\u{1b}[2Jls", "␛[2Jls", true),
            ("ls\r", "ls␍", true),
            ("rm \u{202e}cod.txt", "rm ⟦U+202E⟧cod.txt", true),
            ("g\u{456}t push", "g⟦U+0456⟧t push", true),
            ("ec\u{200b}ho", "ec⟦U+200B⟧ho", true),
            ("a\u{7f}", "a␡", true),
            ("a\u{85}", "a⟦U+0085⟧", true),
            ("␛", "⟦U+241B⟧", true),
            ("⟦U+202E⟧", "⟦U+27E6⟧U+202E⟦U+27E7⟧", true),
        ] {
            check(source, shown, hidden);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_numbers() {
        assert_eq!(Shown::of_bytes(b"a\xff\x1bb").to_string(), "a⟦FF⟧␛b");
    }

    #[test]
    fn a_part_is_found_again() {
        let source = "a\u{202e}bc && git push";
        let shown = Shown::of(source);
        let text = shown.to_string();
        for word in ["git push", "bc", "\u{202e}", "&&"] {
            let start = source.find(word).unwrap();
            let range = shown.range_of(Part::new(start, start + word.len()));
            let expected = Shown::of(word).to_string();
            assert_eq!(text.get(range), Some(expected.as_str()), "{word:?}");
        }
    }
}
