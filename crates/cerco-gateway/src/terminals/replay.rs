//! Scrollback for a window that comes back, without anything that would be answered.
//!
//! A terminal answers questions (`ESC[6n`, `ESC[c`, a DCS or OSC query) by typing the
//! answer. Played back, an old question would type into whatever runs now, so questions
//! and string sequences don't go into a replay.

/// Final bytes of CSI sequences that ask, or that change more than what is drawn.
const DROPPED_FINALS: &[u8] = b"cnpqtux";

/// `bytes` without what a terminal would answer, from the first whole line on.
#[must_use]
pub(super) fn replay(bytes: &[u8], cut: Cut) -> Vec<u8> {
    let bytes = match cut {
        Cut::Whole => bytes,
        Cut::Middle => {
            let line = bytes
                .iter()
                .position(|b| *b == b'\n')
                .map_or(0, |at| at + 1);
            bytes.get(line..).unwrap_or_default()
        }
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = match (*first, after.first()) {
            (0x1b, Some(b'[')) => csi(rest, &mut out),
            (0x1b, Some(b']' | b'P' | b'X' | b'^' | b'_')) => string(rest, &mut out),
            // ENQ asks too; ESC Z is an old "who are you".
            (0x05, _) => after,
            (0x1b, Some(b'Z')) => after.get(1..).unwrap_or_default(),
            _ => {
                out.push(*first);
                after
            }
        };
    }
    out
}

/// Whether the beginning of the bytes was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// They are all there.
    Whole,
    /// They begin somewhere in a line or a sequence.
    Middle,
}

fn csi<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let end = bytes
        .iter()
        .skip(2)
        .position(|b| !(0x20..=0x3f).contains(b))
        .map_or(bytes.len(), |at| at + 3);
    let (sequence, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
    let asks = sequence.last().is_some_and(|b| DROPPED_FINALS.contains(b));
    if !asks && end <= bytes.len() {
        out.extend_from_slice(sequence);
    }
    rest
}

fn string<'a>(bytes: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let mut at = 2;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let ends = *byte == 0x07 || (*byte == b'\\' && bytes.get(at - 2) == Some(&0x1b));
        if ends {
            let (sequence, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
            if is_prompt_mark(sequence) {
                out.extend_from_slice(sequence);
            }
            return rest;
        }
    }
    &[]
}

/// A mark of where a prompt or a command begins or ends (OSC 133). Nothing answers it.
fn is_prompt_mark(sequence: &[u8]) -> bool {
    let end = |s: &&[u8]| s.len() <= 6 && s.iter().all(|b| b"ABCD;0123456789".contains(b));
    sequence
        .strip_prefix(b"\x1b]133;")
        .and_then(|s| s.strip_suffix(b"\x07").or(s.strip_suffix(b"\x1b\\")))
        .is_some_and(|s| end(&s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_left_out_and_drawing_stays() {
        for (source, expected) in [
            (b"plain\r\n".as_slice(), b"plain\r\n".as_slice()),
            (b"\x1b[31mred\x1b[0m", b"\x1b[31mred\x1b[0m"),
            (b"a\x1b[6nb\x1b[cb\x1b[>0qc", b"abbc"),
            (b"a\x1b]0;t\x07b\x1bP$qm\x1b\\c", b"abc"),
            (b"a\x05b\x1bZc", b"abc"),
            (b"a\x1b]unended", b"a"),
            (
                b"\x1b]133;A\x07$\x1b]133;D;12\x1b\\",
                b"\x1b]133;A\x07$\x1b]133;D;12\x1b\\",
            ),
            (b"a\x1b]133;A;cl=m\x07b\x1b]52;c;?\x07c", b"abc"),
            (b"a\x1b[12", b"a\x1b[12"),
        ] {
            assert_eq!(replay(source, Cut::Whole), expected, "{source:?}");
        }
        assert_eq!(replay(b"[31m half\nwhole", Cut::Middle), b"whole");
    }
}
