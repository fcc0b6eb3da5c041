//! Output of commands, made harmless: text and colours, and nothing that acts.
//!
//! A command's output is written by whoever wrote the program, often an adversary. Escape
//! sequences are taken apart here: colours stay as values, everything else that would act
//! (moves, titles, modes, clipboard, links, device questions) is dropped, and every
//! character that can't be seen becomes a visible mark. The page shows what comes out of
//! here and nothing else.

use cerco_model::Shown;

use crate::wire::Styled;

/// The longest escape sequence that is taken apart, in bytes. A longer one is no sequence
/// but an attempt to swallow what follows: it ends there and text goes on.
const MAX_SEQUENCE: usize = 4096;

/// Bold, dim, italic, underlined, inverse, struck: the SGR numbers that set them, those
/// that end them, and the bit in [`Styled::look`].
const LOOKS: [(u16, u16, u8); 6] = [
    (1, 22, 1),
    (2, 22, 2),
    (3, 23, 4),
    (4, 24, 8),
    (7, 27, 16),
    (9, 29, 32),
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Style {
    fg: Option<String>,
    bg: Option<String>,
    look: u8,
}

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After `ESC [`: parameters so far.
    Csi(String),
    /// Inside OSC, DCS, APC, PM or SOS: how much was dropped, and whether ESC came last.
    Swallow(usize, bool),
}

/// Cleans one stream; sequences and characters may be cut anywhere between two chunks.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: State,
    style: Style,
    /// Bytes of a character that isn't complete yet.
    rest: Vec<u8>,
    after_return: bool,
}

impl Cleaner {
    /// Cleans the next chunk.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Styled> {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut out = Vec::new();
        let mut at = 0;
        for chunk in all.utf8_chunks() {
            for character in chunk.valid().chars() {
                self.character(character, &mut out);
            }
            at += chunk.valid().len();
            let invalid = chunk.invalid();
            at += invalid.len();
            if at == all.len() && !invalid.is_empty() && may_continue(invalid) {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.state = State::Text;
                self.mark(&Shown::of_bytes(invalid), &mut out);
            }
        }
        out
    }

    fn character(&mut self, character: char, out: &mut Vec<Styled>) {
        match std::mem::take(&mut self.state) {
            State::Text => self.text(character, out),
            State::Escape => {
                self.state = match character {
                    '[' => State::Csi(String::new()),
                    ']' | 'P' | '^' | '_' | 'X' => State::Swallow(0, false),
                    // Two-character sequences and character sets: the rest is dropped.
                    ' '..='/' => State::Escape,
                    '0'..='~' => State::Text,
                    _ => return self.text(character, out),
                }
            }
            State::Csi(mut parameters) => match character {
                ' '..='?' if parameters.len() < MAX_SEQUENCE => {
                    parameters.push(character);
                    self.state = State::Csi(parameters);
                }
                'm' => self.style.apply(&parameters),
                '@'..='~' => {}
                _ => self.text(character, out),
            },
            State::Swallow(dropped, escape) => match character {
                '\u{7}' | '\u{9c}' => {}
                '\\' if escape => {}
                _ if dropped >= MAX_SEQUENCE => self.text(character, out),
                _ => {
                    self.state =
                        State::Swallow(dropped + character.len_utf8(), character == '\u{1b}');
                }
            },
        }
    }

    fn text(&mut self, character: char, out: &mut Vec<Styled>) {
        let after_return = std::mem::take(&mut self.after_return);
        match character {
            '\u{1b}' => self.state = State::Escape,
            // A return without a line feed writes over the line, and so hides it: here it
            // begins a new one.
            '\r' => {
                self.after_return = true;
                self.plain('\n', out);
            }
            '\n' if after_return => {}
            '\n' | '\t' | ' '..='~' => self.plain(character, out),
            _ => {
                let shown = Shown::of(character.encode_utf8(&mut [0; 4]));
                if shown.has_hidden() {
                    self.mark(&shown, out);
                } else {
                    self.plain(character, out);
                }
            }
        }
    }

    fn plain(&self, character: char, out: &mut Vec<Styled>) {
        if let Some(last) = out.last_mut()
            && !last.hidden
            && (&last.fg, &last.bg, last.look) == (&self.style.fg, &self.style.bg, self.style.look)
        {
            last.text.push(character);
            return;
        }
        out.push(self.piece(character.to_string(), false));
    }

    fn mark(&self, shown: &Shown, out: &mut Vec<Styled>) {
        out.push(self.piece(shown.to_string(), true));
    }

    fn piece(&self, text: String, hidden: bool) -> Styled {
        Styled {
            text,
            fg: self.style.fg.clone(),
            bg: self.style.bg.clone(),
            look: self.style.look,
            hidden,
        }
    }
}

impl Style {
    /// One SGR sequence. What isn't known changes nothing.
    fn apply(&mut self, parameters: &str) {
        let mut numbers = parameters.split([';', ':']).map(|n| {
            n.parse::<u16>()
                .unwrap_or(if n.is_empty() { 0 } else { 999 })
        });
        while let Some(number) = numbers.next() {
            match number {
                0 => *self = Self::default(),
                30..=37 => self.fg = Some((number - 30).to_string()),
                40..=47 => self.bg = Some((number - 40).to_string()),
                90..=97 => self.fg = Some((number - 82).to_string()),
                100..=107 => self.bg = Some((number - 92).to_string()),
                38 => self.fg = colour(&mut numbers),
                48 => self.bg = colour(&mut numbers),
                39 => self.fg = None,
                49 => self.bg = None,
                _ => {
                    for (set, end, bit) in LOOKS {
                        if number == set {
                            self.look |= bit;
                        } else if number == end {
                            self.look &= !bit;
                        }
                    }
                }
            }
        }
    }
}

/// What follows 38 and 48: `5;N` or `2;R;G;B`.
fn colour(numbers: &mut impl Iterator<Item = u16>) -> Option<String> {
    let mut byte = || numbers.next().and_then(|n| u8::try_from(n).ok());
    match byte()? {
        5 => Some(byte()?.to_string()),
        2 => {
            let (red, green, blue) = (byte()?, byte()?, byte()?);
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        _ => None,
    }
}

/// Whether bytes at the end of a chunk may be the beginning of a character.
fn may_continue(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(pieces: &[Styled]) -> String {
        pieces.iter().map(|p| p.text.as_str()).collect()
    }

    fn check(source: &[u8], expected: &str) {
        assert_eq!(
            plain(&Cleaner::default().feed(source)),
            expected,
            "{source:?}"
        );
        // Cut anywhere, it is the same.
        for at in 0..source.len() {
            let (one, two) = source.split_at(at);
            let mut cleaner = Cleaner::default();
            let mut pieces = cleaner.feed(one);
            pieces.extend(cleaner.feed(two));
            assert_eq!(plain(&pieces), expected, "{source:?} cut at {at}");
        }
    }

    #[test]
    fn what_acts_is_dropped_and_what_hides_is_shown() {
        for (source, expected) in [
            (b"hello\n".as_slice(), "hello\n"),
            (b"a\r\nb", "a\nb"),
            (b"50%\r100%", "50%\n100%"),
            (b"\x1b[31mred\x1b[0m", "red"),
            (b"\x1b[2J\x1b[1;1Hx", "x"),
            (b"\x1b]0;title\x07x", "x"),
            (b"\x1b]52;c;aGk=\x1b\\x", "x"),
            (b"\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"),
            (b"\x1bPq#0\x1b\\x", "x"),
            (b"\x1b[?2004hx", "x"),
            (b"\x1b(Bx", "x"),
            (b"a\x08b\x07", "a\u{2408}b\u{2407}"),
            ("a\u{202e}b".as_bytes(), "a⟦U+202E⟧b"),
            ("a\u{9b}31mb".as_bytes(), "a⟦U+009B⟧31mb"),
            (b"a\xffb", "a⟦FF⟧b"),
            ("ñ文".as_bytes(), "ñ文"),
            (b"<script>", "<script>"),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn colours_and_looks_stay_as_values() {
        let pieces = Cleaner::default()
            .feed(b"\x1b[1;31mA\x1b[38;5;200mB\x1b[48;2;1;2;3mC\x1b[22;39;49mD\x1b[mE\x1b[94mF");
        let rows: Vec<_> = pieces
            .iter()
            .map(|p| (p.text.as_str(), p.fg.as_deref(), p.bg.as_deref(), p.look))
            .collect();
        assert_eq!(
            rows,
            [
                ("A", Some("1"), None, 1),
                ("B", Some("200"), None, 1),
                ("C", Some("200"), Some("#010203"), 1),
                ("DE", None, None, 0),
                ("F", Some("12"), None, 0),
            ]
        );
    }

    #[test]
    fn an_unended_sequence_does_not_swallow_the_rest() {
        let text = [b"\x1b]0;".as_slice(), &[b'x'; 10_000], b"\nrm -rf"].concat();
        assert!(plain(&Cleaner::default().feed(&text)).ends_with("\nrm -rf"));
    }

    proptest! {
        #[test]
        fn no_control_character_comes_out(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = plain(&Cleaner::default().feed(&bytes));
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{text:?}");
            let unseen = text.chars().any(|c| {
                matches!(u32::from(c), 0x200b..=0x200f | 0x202a..=0x202e | 0x2066..=0x2069)
            });
            prop_assert!(!unseen, "{}", text.escape_debug());
        }
    }
}
