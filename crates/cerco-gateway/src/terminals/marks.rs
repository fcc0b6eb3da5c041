//! Reads a terminal's output for one thing: whether the shell's line editor said that it
//! takes bracketed paste.
//!
//! Any program can print that announcement (`cat evil.txt`), and a shell that can't take
//! it would run every pasted line. So it counts only where the shell itself was seen to
//! say it before anything was typed, and each withdrawal counts whoever printed it.

const ON: &[u8] = b"\x1b[?2004h";
const OFF: &[u8] = b"\x1b[?2004l";

/// What was announced so far.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The end of the last chunk, as far as it may be the beginning of an announcement.
    rest: Vec<u8>,
    on: bool,
    typed: bool,
    trusted: bool,
}

impl Marks {
    /// Output of the terminal, in chunks as they come.
    pub fn output(&mut self, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        for window in all.windows(ON.len()) {
            if window == ON {
                self.on = true;
                self.trusted |= !self.typed;
            } else if window == OFF {
                self.on = false;
            }
        }
        let keep = all.len().saturating_sub(ON.len() - 1);
        self.rest = all.split_off(keep);
    }

    /// Something was typed: from now on a program may run and print what it likes.
    pub fn typed(&mut self) {
        self.typed = true;
    }

    /// Whether text between paste brackets is taken literally now.
    #[must_use]
    pub fn bracketed(&self) -> bool {
        self.on && self.trusted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script: `h` and `l` are announcements in the output, `t` is typing.
    fn check(script: &str, expected: bool) {
        let mut marks = Marks::default();
        for step in script.chars() {
            match step {
                'h' => marks.output(ON),
                'l' => marks.output(OFF),
                't' => marks.typed(),
                other => marks.output(other.to_string().as_bytes()),
            }
        }
        assert_eq!(marks.bracketed(), expected, "{script}");
    }

    #[test]
    fn only_the_shells_own_first_word_counts() {
        for (script, expected) in [
            ("", false),
            ("h$", true),
            ("h$tl", false),
            ("h$tlxh$", true),
            ("$th", false),
            ("$tlh", false),
        ] {
            check(script, expected);
        }
    }

    #[test]
    fn an_announcement_may_come_in_pieces() {
        let text = [b"motd".as_slice(), ON, b"$ "].concat();
        for at in 0..text.len() {
            let (one, two) = text.split_at(at);
            let mut marks = Marks::default();
            marks.output(one);
            marks.output(two);
            assert!(marks.bracketed(), "cut at {at}");
        }
    }
}
