//! Words, quotes, here-documents and patterns: shuck's parts → ours.

use shuck_ast as s;
use smallvec::SmallVec;

use super::command::Lower;
use super::requote::filled;
use super::{Anchor, decode, parse};
use crate::posix::tree::{Cmd, Frag, List, Quote, Stmt, Subst, Word};

/// Where a part stands, which decides what its characters mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// Unquoted.
    Bare,
    /// In double quotes.
    Double,
    /// In a here-document's body; tabs at the start of lines go where it says so.
    Here { strip: bool },
}

impl Within {
    fn quote(self) -> Quote {
        match self {
            Self::Bare => Quote::Bare,
            Self::Double | Self::Here { .. } => Quote::Double,
        }
    }
}

pub(super) type Frags = SmallVec<[Frag; 1]>;

/// Texts are unescaped and parsed again at most this deep.
const REREADS: u8 = 6;

impl Lower<'_> {
    pub(super) fn word(&mut self, word: &s::Word) -> Word {
        self.word_within(word, Within::Bare)
    }

    pub(super) fn word_within(&mut self, word: &s::Word, within: Within) -> Word {
        let part = self.part(word.span);
        if within == Within::Bare
            && let Some(frags) = self.requoted(word)
        {
            return Word { frags, part };
        }
        let mut frags = Frags::new();
        self.contiguous(&word.parts, word.span);
        for node in &word.parts {
            self.piece(node, within, &mut frags);
        }
        Word { frags, part }
    }

    /// The parts of a word lie side by side; where they don't, spans have slipped and the
    /// text at them is not what was parsed.
    fn contiguous(&mut self, parts: &[s::WordPartNode], span: s::Span) {
        self.fills(parts, span, span.start.offset(), span.end.offset());
    }

    fn fills(&mut self, parts: &[s::WordPartNode], span: s::Span, from: usize, end: usize) {
        if !filled(parts, from, end) {
            self.unsure(span, "it isn't clear what this word is made of");
        }
    }

    /// The operand of `${x:-…}`: in double quotes, single quotes in it are characters, and
    /// what `$'…'` gives is expanded once more.
    pub(super) fn operand(&mut self, word: &s::Word, within: Within) -> Word {
        let strict = std::mem::replace(&mut self.lenient, true);
        let mut frags = Frags::new();
        for node in &word.parts {
            if within != Within::Bare
                && let s::WordPart::SingleQuoted { dollar, .. } = &node.kind
            {
                let raw = self.raw(node.span);
                let inner = if *dollar { raw.get(1..) } else { Some(raw) };
                if inner.is_none_or(|raw| raw.contains(['$', '`', '\\', '"', '}'])) {
                    self.unsure(node.span, "quotes inside quotes hide what is expanded here");
                }
                if *dollar {
                    self.piece(node, within, &mut frags);
                } else {
                    decode::quoted(raw, &mut frags);
                }
            } else {
                self.piece(node, within, &mut frags);
            }
        }
        self.lenient = strict;
        Word {
            frags,
            part: self.part(word.span),
        }
    }

    fn piece(&mut self, node: &s::WordPartNode, within: Within, out: &mut Frags) {
        match &node.kind {
            s::WordPart::Literal(text) => self.text(text, node.span, within, out),
            s::WordPart::SingleQuoted { dollar, .. } => {
                let raw = self.raw(node.span);
                if *dollar {
                    self.only_bash(node.span);
                }
                if !self.in_arith {
                    self.seen
                        .inert(node.span.start.offset(), node.span.end.offset());
                }
                let inner = if *dollar {
                    raw.strip_prefix('$')
                } else {
                    Some(raw)
                }
                .and_then(|raw| raw.strip_prefix('\''))
                .and_then(|raw| raw.strip_suffix('\''));
                match inner {
                    Some(inner) if *dollar => match super::ansi::ansi_c(inner) {
                        Some(text) => decode::quoted(&text, out),
                        None => out.push(Frag::Opaque),
                    },
                    Some(inner) => decode::quoted(inner, out),
                    None => self.unsure(node.span, "the quotes here don't match"),
                }
            }
            s::WordPart::DoubleQuoted { parts, dollar } => {
                if *dollar {
                    self.only_bash(node.span);
                }
                let raw = self.raw(node.span);
                self.closed(raw, '"', node.span);
                // bash takes the backslash out, and expands `"${x:-"$\\(evil)"}"` once more.
                if within != Within::Bare && raw.contains('\\') {
                    self.unsure(node.span, "quotes inside quotes hide what is expanded here");
                }
                let before = out.len();
                let from = node.span.start.offset() + 1 + usize::from(*dollar);
                self.fills(
                    parts,
                    node.span,
                    from,
                    node.span.end.offset().saturating_sub(1),
                );
                for part in parts {
                    self.piece(part, Within::Double, out);
                }
                // `""` is a word; so is `""$x`.
                if out.len() == before {
                    decode::quoted("", out);
                }
            }
            s::WordPart::CommandSubstitution { body, syntax } => {
                let body = self.substitution(body, *syntax, node.span, within);
                out.push(Frag::Command(Box::new(Subst { body }), within.quote()));
            }
            s::WordPart::ProcessSubstitution { body, .. } => {
                self.only_bash(node.span);
                self.seen.node(node.span.start.offset());
                let (from, to) = (node.span.start.offset(), node.span.end.offset());
                self.closed(self.raw(node.span), ')', node.span);
                let list = self.list_within(body, from + 2, to.saturating_sub(1));
                out.push(Frag::Process(Box::new(Subst { body: list })));
            }
            s::WordPart::ArithmeticExpansion {
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
                out.push(Frag::Arith(Box::new(arith), within.quote()));
            }
            s::WordPart::ZshQualifiedGlob(_) => {
                self.unsure(node.span, "it is another shell's syntax");
            }
            s::WordPart::Variable(_)
            | s::WordPart::Parameter(_)
            | s::WordPart::ParameterExpansion { .. }
            | s::WordPart::Length(_)
            | s::WordPart::ArrayAccess(_)
            | s::WordPart::ArrayLength(_)
            | s::WordPart::ArrayIndices(_)
            | s::WordPart::Substring { .. }
            | s::WordPart::ArraySlice { .. }
            | s::WordPart::IndirectExpansion { .. }
            | s::WordPart::PrefixMatch { .. }
            | s::WordPart::Transformation { .. } => {
                if let Some(param) = self.param(node, within) {
                    out.push(Frag::Param(Box::new(param), within.quote()));
                }
            }
        }
    }

    pub(super) fn text(
        &mut self,
        text: &s::LiteralText,
        span: s::Span,
        within: Within,
        out: &mut Frags,
    ) {
        let (from, to) = (span.start.offset(), span.end.offset());
        let raw = if from == to {
            text.as_str("", span)
        } else {
            self.raw(span)
        };
        // A backslash at the end would quote what the parser put into the next part.
        let slashes = raw.bytes().rev().take_while(|b| *b == b'\\').count();
        if slashes % 2 == 1 && to < self.text.len() {
            self.unsure(span, "the word goes on behind this backslash");
        }
        match within {
            Within::Bare => {
                let before = out.len();
                if self.in_arith || !raw.contains(['\'', '"']) {
                    decode::bare(raw, out);
                } else if !decode::with_quotes(raw, out) {
                    self.unsure(span, "it isn't clear what is quoted here");
                }
                if !self.lenient && out.iter().skip(before.saturating_sub(1)).any(is_suspect) {
                    self.unsure(span, "an operator stands where only text was read");
                }
            }
            Within::Double => {
                self.seen.no_process(from, to);
                decode::quoted(&decode::double(raw, false), out);
            }
            Within::Here { strip } => {
                self.seen.no_process(from, to);
                let line_start = from == 0 || self.text.as_bytes().get(from - 1) == Some(&b'\n');
                let stripped = strip.then(|| super::heredoc::without_tabs(raw, line_start));
                let raw = stripped.as_deref().unwrap_or(raw);
                decode::quoted(&decode::double(raw, true), out);
            }
        }
    }

    pub(super) fn substitution(
        &mut self,
        body: &s::StmtSeq,
        syntax: s::CommandSubstitutionSyntax,
        span: s::Span,
        within: Within,
    ) -> List {
        let (from, to) = (span.start.offset(), span.end.offset());
        self.seen.node(from);
        match syntax {
            s::CommandSubstitutionSyntax::DollarParen => {
                let list = self.list_within(body, from + 2, to.saturating_sub(1));
                let raw = self.raw(span);
                self.closed(raw, ')', span);
                // `${ cmd; }` and `${| cmd; }` are newer than the shells that are known.
                if raw.starts_with("${") {
                    self.unsure(span, "this form of substitution can't be read");
                }
                // bash 5.2 prints the body and parses it again, and loses separators
                // behind a here-document: commands become arguments.
                if !is_plain(&list) && self.bodies.range(from..to).next().is_some() {
                    self.unsure(
                        span,
                        "commands follow a here-document inside a substitution",
                    );
                }
                list
            }
            s::CommandSubstitutionSyntax::Backtick => {
                self.seen.node(to.saturating_sub(1));
                let raw = self.raw(span);
                self.closed(raw, '`', span);
                let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
                if inner.contains('\\') {
                    return self.reread(inner, span, within);
                }
                self.list_within(body, from + 1, to.saturating_sub(1))
            }
        }
    }

    /// What the parser ended early has no end of its own: `"${x:=$(ssh }host)}"`.
    fn closed(&mut self, raw: &str, end: char, span: s::Span) {
        if raw.len() < 2 || !raw.ends_with(end) {
            self.unsure(span, "a substitution here can't be followed");
        }
    }

    /// Backticks with backslashes in them are unescaped once and read as a text of their
    /// own, as the shell does; the parser reads them without that step.
    fn reread(&mut self, inner: &str, span: s::Span, within: Within) -> List {
        self.seen.inert(span.start.offset(), span.end.offset());
        if self.rereads >= REREADS {
            self.unsure(span, "backticks are nested too deeply");
            return Vec::new();
        }
        let text = decode::backtick(inner, within == Within::Double);
        let anchor = Anchor::Fixed(self.part(span));
        let parsed = parse(&text, self.dialect, anchor, self.rereads + 1);
        self.unsure.extend(parsed.unsure);
        parsed.list
    }
}

/// One plain command, or one row of them.
fn is_plain(list: &List) -> bool {
    let simple = |stmt: &Stmt| matches!(stmt.command, Cmd::Simple(_));
    match list.as_slice() {
        [] => true,
        [one] => match &one.command {
            Cmd::Pipe(stages) => stages.iter().all(simple),
            _ => simple(one),
        },
        _ => false,
    }
}

/// Unquoted text that still holds an operator was read otherwise by the shell.
fn is_suspect(frag: &Frag) -> bool {
    match frag {
        Frag::Bare(text) => {
            text.contains(['(', ')', '<', '>', '|', '&', ';', '`', ' ', '\t', '\n'])
        }
        Frag::Quoted(_)
        | Frag::Opaque
        | Frag::Param(..)
        | Frag::Command(..)
        | Frag::Arith(..)
        | Frag::Process(_) => false,
    }
}
