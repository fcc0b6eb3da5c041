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
