//! The words of a chat answer: what Markdown emphasises looks so, and nothing acts.
//!
//! Known are headings, list marks, bold, italic and code within a line (`CommonMark` 0.31,
//! §4.2, §5.2, §6.1, §6.2, simplified). Links, images and HTML stay as they were written: a
//! link in an agent's words could name one address and lead to another. `_` emphasises
//! nothing, because names of files and variables have it.

use crate::clean::Cleaner;
use crate::wire::Styled;

const BOLD: u8 = 1;
const ITALIC: u8 = 4;
const CODE: u8 = 64;

/// The longest that is emphasised, in bytes: marks that nothing closes cost no more.
const MAX_SPAN: usize = 300;

/// The text in pieces, cleaned.
#[must_use]
pub(crate) fn prose(text: &str) -> Vec<Styled> {
    let mut out = Out::default();
    for line in text.split_inclusive('\n') {
        let (indent, rest) = line.split_at(line.len() - line.trim_start_matches(' ').len());
        let level = rest.len() - rest.trim_start_matches('#').len();
        out.add(indent, 0);
        match (rest.get(level..), ["- ", "* ", "+ "]) {
            (Some(title), _) if (1..=6).contains(&level) && title.starts_with(' ') => {
                out.inline(title.trim_start_matches(' '), BOLD);
            }
            (_, marks) => match marks.iter().find_map(|mark| rest.strip_prefix(mark)) {
                Some(item) => {
                    out.add("• ", 0);
                    out.inline(item, 0);
                }
                None => out.inline(rest, 0),
            },
        }
    }
    out.pieces
}

#[derive(Default)]
struct Out {
    cleaner: Cleaner,
    pieces: Vec<Styled>,
}

impl Out {
    fn add(&mut self, text: &str, look: u8) {
        let pieces = self.cleaner.feed(text.as_bytes());
        self.pieces.extend(pieces.into_iter().map(|piece| Styled {
            look: piece.look | look,
            ..piece
        }));
    }

    /// A line, or what is emphasised in it. Each look is given once, so this ends.
    fn inline(&mut self, text: &str, look: u8) {
        let mut rest = text;
        while let Some(at) = rest.find(['`', '*']) {
            let (before, from) = rest.split_at(at);
            self.add(before, look);
            let Some(span) = span(from).filter(|span| look & span.look == 0) else {
                let (marks, after) = marks(from);
                self.add(marks, look);
                rest = after;
                continue;
            };
            if span.look == CODE {
                self.add(span.inside, look | CODE);
            } else {
                self.inline(span.inside, look | span.look);
            }
            rest = span.after;
        }
        self.add(rest, look);
    }
}

struct Span<'a> {
    look: u8,
    inside: &'a str,
    after: &'a str,
}

/// The marks at the beginning, all of one kind, and what follows.
fn marks(text: &str) -> (&str, &str) {
    let mark = text.chars().next();
    let inner = text.trim_start_matches(|c| Some(c) == mark);
    text.split_at(text.len() - inner.len())
}

/// What is emphasised at the beginning of this text.
fn span(text: &str) -> Option<Span<'_>> {
    let mark = text.chars().next()?;
    let (marks, inner) = marks(text);
    let look = match (mark, marks.len()) {
        ('`', _) => CODE,
        ('*', 1) => ITALIC,
        ('*', 2) => BOLD,
        _ => return None,
    };
    let near = inner.floor_char_boundary(MAX_SPAN);
    let mut from = 0;
    while let Some(at) = inner.get(from..near)?.find(marks) {
        let (inside, rest) = inner.split_at(from + at);
        let after = rest.strip_prefix(marks)?;
        let touches = |side: Option<char>| side.is_some_and(|c| !c.is_whitespace());
        let closes = !after.starts_with(mark) && !inside.ends_with(mark);
        let holds = mark == '`' || touches(inside.chars().next()) && touches(inside.chars().last());
        if closes && holds {
            return Some(Span {
                look,
                inside,
                after,
            });
        }
        from += at + marks.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[(&str, u8)]) {
        let pieces = prose(text);
        let mut joined: Vec<(String, u8)> = Vec::new();
        for piece in pieces {
            match joined.last_mut() {
                Some((text, look)) if *look == piece.look => text.push_str(&piece.text),
                _ => joined.push((piece.text, piece.look)),
            }
        }
        let joined: Vec<_> = joined.iter().map(|(t, l)| (t.as_str(), *l)).collect();
        assert_eq!(joined, expected, "{text:?}");
    }

    #[test]
    fn what_is_emphasised_looks_so_and_all_else_stays() {
        check("plain 2 * 3 * 4", &[("plain 2 * 3 * 4", 0)]);
        check(
            "a **b** *c* `d`",
            &[
                ("a ", 0),
                ("b", BOLD),
                (" ", 0),
                ("c", ITALIC),
                (" ", 0),
                ("d", CODE),
            ],
        );
        check("**a `b` *c***", &[("**a ", 0), ("b", CODE), (" *c***", 0)]);
        check(
            "**a *b* c**",
            &[("a ", BOLD), ("b", BOLD | ITALIC), (" c", BOLD)],
        );
        check("``a ` b``", &[("a ` b", CODE)]);
        check("`rm *.o` `", &[("rm *.o", CODE), (" `", 0)]);
        check(
            "## A `b`\nc",
            &[("A ", BOLD), ("b", BOLD | CODE), ("\n", BOLD), ("c", 0)],
        );
        check("#a\n- x\n  * y", &[("#a\n• x\n  • y", 0)]);
        check("**never closed", &[("**never closed", 0)]);
        check("** a **", &[("** a **", 0)]);
        check("[a](http://b) <b>", &[("[a](http://b) <b>", 0)]);
        check("snake_case_name", &[("snake_case_name", 0)]);
        check("*a\u{202e}b*", &[("a⟦U+202E⟧b", ITALIC)]);
        check("", &[]);
    }

    #[test]
    fn marks_that_nothing_closes_cost_little() {
        let text = "*a *a ".repeat(11_000);
        let started = std::time::Instant::now();
        assert!(!prose(&text).is_empty());
        assert!(started.elapsed() < std::time::Duration::from_secs(2));
    }

    proptest! {
        #[test]
        fn only_marks_are_left_out(text in "[a-c `*#\\-+\n\u{202e}ñ]{0,60}") {
            let bare = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            let shown: String = prose(&text).into_iter().filter(|p| !p.hidden).map(|p| p.text).collect();
            prop_assert_eq!(bare(&shown), bare(&text));
        }
    }
}
