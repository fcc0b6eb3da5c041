//! Patterns: of `case`, `[[`, and the operators of `${x…}`.

use compact_str::CompactString;
use shuck_ast as s;

use super::command::Lower;
use super::decode;
use super::word::Frags;
use crate::posix::tree::{Frag, Word};

impl Lower<'_> {
    pub(super) fn pattern(&mut self, pattern: &s::Pattern) -> Word {
        let mut frags = Frags::new();
        let rewritten = |part: &s::PatternPart| matches!(part, s::PatternPart::Literal(text) if !text.is_source_backed());
        // Behind a text that the parser rewrote (`\\/` to `/`) its spans have slipped.
        let slips = pattern.parts.iter().any(|node| rewritten(&node.kind));
        let by_span = |part: &s::PatternPart| {
            matches!(
                part,
                s::PatternPart::CharClass(_)
                    | s::PatternPart::Word(_)
                    | s::PatternPart::Group { .. }
            )
        };
        if slips && pattern.parts.iter().any(|node| by_span(&node.kind)) {
            self.unsure(pattern.span, "it isn't clear what this pattern is made of");
        }
        self.pattern_into(pattern, &mut frags);
        Word {
            frags,
            part: self.part(pattern.span),
        }
    }

    fn pattern_into(&mut self, pattern: &s::Pattern, out: &mut Frags) {
        for node in &pattern.parts {
            match &node.kind {
                s::PatternPart::Literal(text) => {
                    let raw = if text.is_source_backed() {
                        self.raw(node.span)
                    } else {
                        text.as_str("", node.span)
                    };
                    decode::bare(raw, out);
                }
                s::PatternPart::AnyString => out.push(Frag::Bare("*".into())),
                s::PatternPart::AnyChar => out.push(Frag::Bare("?".into())),
                s::PatternPart::CharClass(_) => {
                    out.push(Frag::Bare(CompactString::from(self.raw(node.span))));
                }
                s::PatternPart::Group { kind, patterns } => {
                    let mut open = CompactString::default();
                    open.push(kind.prefix());
                    open.push('(');
                    out.push(Frag::Bare(open));
                    for (i, inner) in patterns.iter().enumerate() {
                        if i > 0 {
                            out.push(Frag::Bare("|".into()));
                        }
                        self.pattern_into(inner, out);
                    }
                    out.push(Frag::Bare(")".into()));
                }
                s::PatternPart::Word(word) => {
                    let word = self.word(word);
                    out.extend(word.frags);
                }
            }
        }
    }
}
