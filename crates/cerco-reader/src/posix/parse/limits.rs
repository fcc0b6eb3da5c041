//! What is refused before any parser sees it: nesting that could exhaust a stack.
//!
//! A stack overflow aborts the process and can't be caught, so the depth is bounded on
//! the raw text, by counting openers in a row. Counting more than there are is harmless.

/// The deepest nesting that is read (READER.md §9.3).
const DEPTH: u32 = 60;

/// Where and why `text` is too much to parse.
pub(crate) fn too_much(text: &str) -> Option<(usize, &'static str)> {
    let mut depth = 0_u32;
    let mut words = 0_u32;
    let mut start_of_word = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'\r' => {
                return Some((
                    at,
                    "it has a carriage return, which shells take as a letter",
                ));
            }
            _ => {}
        }
        if !byte.is_ascii_alphabetic() {
            match text.get(start_of_word..at) {
                Some("if" | "while" | "until" | "for" | "select" | "case") => words += 1,
                Some("fi" | "done" | "esac") => words = words.saturating_sub(1),
                _ => {}
            }
            start_of_word = at + 1;
        }
        if depth + words > DEPTH {
            return Some((at, "it is nested too deeply"));
        }
    }
    None
}

/// A text that is nothing but many parentheses around something without any: the same
/// text with only `keep` pairs, which mean the same. bash takes the outer two for
/// arithmetic, a POSIX shell takes each for a subshell.
pub(crate) fn without_idle_parens(text: &str, keep: usize) -> Option<(usize, &str)> {
    let inside = text.trim_start_matches('(');
    let opened = text.len() - inside.len();
    let inside = inside.strip_suffix(&")".repeat(opened))?;
    if opened <= 20 || inside.contains(['(', ')', '\'', '"', '`', '\\', '#', '<', '\n']) {
        return None;
    }
    let from = opened - keep;
    Some((from, text.get(from..text.len() - from)?))
}

#[cfg(test)]
mod tests {
    use super::too_much;

    #[test]
    fn nesting_is_bounded_and_length_is_not() {
        for (text, ok) in [
            ("(".repeat(20_000), false),
            ("$(".repeat(5_000), false),
            ("if ".repeat(3_000), false),
            ("echo (a) ;".repeat(3_000), true),
            ("if x; then y; fi;".repeat(3_000), true),
            ("ls\r\n".to_owned(), false),
        ] {
            assert_eq!(too_much(&text).is_none(), ok, "{text:.20}");
        }
    }
}
