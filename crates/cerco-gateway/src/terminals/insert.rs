//! "Run in terminal": puts a command's text on a shell's input line without ever running
//! it (UX.md §8).
//!
//! [`Insert`] can only be made here, and a terminal takes nothing else from the gateway.
//! What a byte does depends on who reads it, so the answer is given for three readers:
//! a line editor with bracketed paste takes text inside the brackets literally; the
//! kernel's own line editing runs a line at LF and CR only; any other line editor may
//! have a key for every byte (readline's vi mode runs a line at `#`, and bytes above 0x7F
//! are Meta keys in a C locale), so nothing is sent there.

use crate::wire::InsertRefusal;

/// The longest text for a line editor with bracketed paste, in bytes.
const MAX_PASTE: usize = 64 * 1024;
/// The longest text for the kernel's line editing, which keeps 4096 bytes and drops more.
const MAX_KERNEL_LINE: usize = 4000;

/// Who reads what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A line editor that announced bracketed paste.
    Bracketed,
    /// The kernel's line editing (dash, and any program that reads lines).
    Kernel,
    /// A line editor without bracketed paste, or nobody knows.
    Unknown,
}

/// Who is in the foreground of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreground {
    /// The shell itself: it waits at its prompt.
    Shell,
    /// A program: its standard input would get the text.
    Program,
}

/// Bytes that put a text on the input line and run nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert(Vec<u8>);

impl Insert {
    /// The bytes to write, once.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Makes the bytes for `text`, or says why there are none.
pub fn prepare(
    text: &str,
    reader: Reader,
    foreground: Foreground,
) -> Result<Insert, InsertRefusal> {
    if foreground == Foreground::Program {
        return Err(InsertRefusal::ProgramRuns);
    }
    if text.chars().any(acts) {
        return Err(InsertRefusal::ControlCharacters);
    }
    let bracketed = reader == Reader::Bracketed;
    if text.contains('\n') && !bracketed {
        return Err(InsertRefusal::SeveralLines);
    }
    match reader {
        Reader::Unknown => Err(InsertRefusal::NoSafeWay),
        Reader::Kernel if text.len() > MAX_KERNEL_LINE => Err(InsertRefusal::TooLong),
        Reader::Kernel if !text.is_ascii() => Err(InsertRefusal::NoSafeWay),
        Reader::Kernel => Ok(Insert(text.as_bytes().to_vec())),
        Reader::Bracketed if text.len() > MAX_PASTE => Err(InsertRefusal::TooLong),
        Reader::Bracketed => Ok(Insert(
            [b"\x1b[200~", text.as_bytes(), b"\x1b[201~"].concat(),
        )),
    }
}

/// Whether a character may act as a key: every control character but the line feed, and
/// the two Unicode line separators.
fn acts(character: char) -> bool {
    (character.is_control() && character != '\n') || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Why not, in words with a next step.
#[must_use]
pub fn words(refusal: InsertRefusal) -> &'static str {
    match refusal {
        InsertRefusal::ControlCharacters => {
            "The command has control characters, which a shell takes as keys. Copy what you need by hand."
        }
        InsertRefusal::SeveralLines => {
            "The command has several lines, and this shell would run them one by one. Copy it by hand."
        }
        InsertRefusal::ProgramRuns => {
            "A program runs in this terminal and would get the text as its input. Wait for it, or open another terminal."
        }
        InsertRefusal::TooLong => {
            "The command is longer than an input line. Copy it into a script file and look at it there."
        }
        InsertRefusal::Ended => "This terminal has ended. Open another one.",
        InsertRefusal::Masked => {
            "Secrets in this command were masked in the journal, so what is kept is not the command. Copy it by hand and fill them in."
        }
        InsertRefusal::NoSafeWay => {
            "This shell offers no safe way to put text on its input line. Copy it by hand."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READERS: [Reader; 3] = [Reader::Bracketed, Reader::Kernel, Reader::Unknown];

    /// What UX.md §8 demands of the written bytes.
    fn is_harmless(bytes: &[u8]) -> bool {
        let inner = bytes
            .strip_prefix(b"\x1b[200~")
            .and_then(|b| b.strip_suffix(b"\x1b[201~"));
        let (inner, in_brackets) = match inner {
            Some(inner) => (inner, true),
            None => (bytes, false),
        };
        inner
            .iter()
            .all(|b| matches!(b, 0x20..=0x7e) || (in_brackets && (*b == b'\n' || *b >= 0x80)))
            // C1 controls and line separators as UTF-8.
            && !inner.windows(2).any(|w| w[0] == 0xc2 && w[1] < 0xa0)
            && !inner.windows(3).any(|w| w == "\u{2028}".as_bytes() || w == "\u{2029}".as_bytes())
    }

    proptest! {
        #[test]
        fn nothing_that_acts_is_ever_written(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let text = String::from_utf8_lossy(&bytes);
            for reader in READERS {
                if let Ok(insert) = prepare(&text, reader, Foreground::Shell) {
                    prop_assert!(is_harmless(insert.bytes()), "{:?}", insert);
                }
                prop_assert_eq!(
                    prepare(&text, reader, Foreground::Program),
                    Err(InsertRefusal::ProgramRuns)
                );
            }
        }

        #[test]
        fn plain_text_arrives_whole(text in "[ -~]{0,200}") {
            let insert = prepare(&text, Reader::Kernel, Foreground::Shell).unwrap();
            prop_assert_eq!(insert.bytes(), text.as_bytes());
        }
    }

    #[test]
    fn every_single_byte_and_pair_is_harmless() {
        for first in 0..=0x10ff_u32 {
            for second in ["", "\n", "x"] {
                let Some(first) = char::from_u32(first) else {
                    continue;
                };
                for text in [format!("{first}{second}"), format!("{second}{first}")] {
                    for reader in READERS {
                        if let Ok(insert) = prepare(&text, reader, Foreground::Shell) {
                            assert!(is_harmless(insert.bytes()), "{text:?} for {reader:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn each_refusal_has_its_reason() {
        use InsertRefusal as Why;
        for (text, reader, expected) in [
            ("git status", Reader::Bracketed, None),
            ("git status", Reader::Kernel, None),
            ("git status", Reader::Unknown, Some(Why::NoSafeWay)),
            ("echo ñ", Reader::Bracketed, None),
            ("echo ñ", Reader::Kernel, Some(Why::NoSafeWay)),
            ("a\nb", Reader::Bracketed, None),
            ("a\nb", Reader::Kernel, Some(Why::SeveralLines)),
            ("a\rb", Reader::Bracketed, Some(Why::ControlCharacters)),
            ("a\x0fb", Reader::Bracketed, Some(Why::ControlCharacters)),
            ("a\tb", Reader::Bracketed, Some(Why::ControlCharacters)),
            (
                "\x1b[201~\nid",
                Reader::Bracketed,
                Some(Why::ControlCharacters),
            ),
            (
                "a\u{9b}201~b",
                Reader::Bracketed,
                Some(Why::ControlCharacters),
            ),
            (
                "a\u{2028}b",
                Reader::Bracketed,
                Some(Why::ControlCharacters),
            ),
            (&"x".repeat(5000), Reader::Kernel, Some(Why::TooLong)),
            (&"x".repeat(70_000), Reader::Bracketed, Some(Why::TooLong)),
        ] {
            let got = prepare(text, reader, Foreground::Shell).err();
            assert_eq!(got, expected, "{:.20} for {reader:?}", text.escape_debug());
        }
    }
}
