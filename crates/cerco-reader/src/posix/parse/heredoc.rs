//! Here-documents: the end mark, and what is expanded in the body.

use shuck_ast as s;

use super::command::Lower;
use super::decode;
use super::word::{Frags, Within};
use crate::posix::tree::{Frag, Quote, Subst, Word};

impl Lower<'_> {
    pub(super) fn heredoc(&mut self, heredoc: &s::Heredoc) -> Word {
        let delimiter = &heredoc.delimiter;
        let raw = self.raw(delimiter.span);
        let quoted = raw.contains(['\'', '"', '\\']);
        // The delimiter is never expanded, whatever stands in it.
        self.seen
            .inert(delimiter.span.start.offset(), delimiter.span.end.offset());
        let span = heredoc.body.span;
        self.bodies.insert(span.start.offset(), span.end.offset());
        let line = self
            .text
            .get(delimiter.span.end.offset()..)
            .unwrap_or_default();
        if line.lines().next().is_some_and(|line| line.ends_with('\\')) {
            self.unsure(
                delimiter.span,
                "the line goes on where the here-document should begin",
            );
        }
        if raw.contains("\\\n") {
            self.unsure(delimiter.span, "the end mark goes on in the next line");
        } else if raw.contains('\n') || unquoted(raw).contains(is_separator) {
            self.unsure(delimiter.span, "it isn't clear where the end mark ends");
        }
        let behind = self.text.get(span.end.offset()..).unwrap_or_default();
        let last = behind.lines().next().unwrap_or_default();
        let last = last.trim_start_matches(if delimiter.strip_tabs { "\t" } else { "" });
        if !behind.is_empty() && last != delimiter.cooked.as_str() {
            self.unsure(span, "it isn't clear where this here-document ends");
        }
        if quoted == delimiter.expands_body {
            self.unsure(
                span,
                "it isn't clear whether this here-document is expanded",
            );
        }
        let mut frags = Frags::new();
        // A continued last line takes the end mark into the body.
        let body = self.raw(span).strip_suffix('\n').unwrap_or_default();
        let slashes = body.bytes().rev().take_while(|b| *b == b'\\').count();
        if delimiter.expands_body && slashes % 2 == 1 {
            self.unsure(span, "it isn't clear where this here-document ends");
        }
        if delimiter.expands_body {
            let within = Within::Here {
                strip: delimiter.strip_tabs,
            };
            for node in &heredoc.body.parts {
                self.here_piece(node, within, &mut frags);
            }
            if frags.is_empty() {
                decode::quoted("", &mut frags);
            }
        } else {
            self.seen.inert(span.start.offset(), span.end.offset());
            let raw = self.raw(span);
            let stripped = delimiter.strip_tabs.then(|| without_tabs(raw, true));
            decode::quoted(stripped.as_deref().unwrap_or(raw), &mut frags);
        }
        Word {
            frags,
            part: self.part(span),
        }
    }

    fn here_piece(&mut self, node: &s::HeredocBodyPartNode, within: Within, out: &mut Frags) {
        match &node.kind {
            s::HeredocBodyPart::Literal(text) => self.text(text, node.span, within, out),
            s::HeredocBodyPart::Variable(name) => {
                let param = self.plain_param(name.as_str(), node.span);
                out.push(Frag::Param(Box::new(param), Quote::Double));
            }
            s::HeredocBodyPart::CommandSubstitution { body, syntax } => {
                let body = self.substitution(body, *syntax, node.span, within);
                out.push(Frag::Command(Box::new(Subst { body }), Quote::Double));
            }
            s::HeredocBodyPart::ArithmeticExpansion {
                expression_ast,
                expression_word_ast,
                syntax,
                ..
            } => {
                self.seen.node(node.span.start.offset());
                match syntax {
                    s::ArithmeticExpansionSyntax::DollarParenParen => {
                        self.really_arithmetic(node.span, "$((", "))");
                    }
                    s::ArithmeticExpansionSyntax::LegacyBracket => self.only_bash(node.span),
                }
                let arith = self.arith_or_word(expression_ast.as_deref(), expression_word_ast);
                out.push(Frag::Arith(Box::new(arith), Quote::Double));
            }
            s::HeredocBodyPart::Parameter(parameter) => {
                if let Some(param) = self.parameter(parameter, node.span, within) {
                    out.push(Frag::Param(Box::new(param), Quote::Double));
                }
            }
        }
    }
}

fn is_separator(c: char) -> bool {
    c.is_ascii_whitespace() || ";&|<>()".contains(c)
}

/// A word without what stands in its quotes.
fn unquoted(raw: &str) -> String {
    let mut mark = None;
    raw.chars()
        .filter(|c| match mark {
            None if matches!(c, '\'' | '"') => {
                mark = Some(*c);
                false
            }
            None => true,
            Some(quote) => {
                if quote == *c {
                    mark = None;
                }
                false
            }
        })
        .collect()
}

pub(super) fn without_tabs(raw: &str, line_start: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    for (i, line) in raw.split_inclusive('\n').enumerate() {
        if i > 0 || line_start {
            out.push_str(line.trim_start_matches('\t'));
        } else {
            out.push_str(line);
        }
    }
    out
}
