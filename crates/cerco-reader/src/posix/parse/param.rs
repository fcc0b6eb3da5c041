//! Parameter expansions: shuck's two families of forms → ours.

use compact_str::CompactString;
use shuck_ast as s;

use super::command::Lower;
use super::word::Within;
use crate::posix::tree::{Absent, Arith, Index, Param, ParamOp, Word};

impl Lower<'_> {
    pub(super) fn plain_param(&mut self, name: &str, span: s::Span) -> Param {
        self.whole(span);
        Param {
            name: CompactString::from(name),
            index: None,
            op: ParamOp::Get,
            is_open: self.is_open(span),
            part: self.part(span),
        }
    }

    pub(super) fn param(&mut self, node: &s::WordPartNode, within: Within) -> Option<Param> {
        let span = node.span;
        let (reference, op) = match &node.kind {
            s::WordPart::Variable(name) => {
                self.only_a_name(span);
                return Some(self.plain_param(name.as_str(), span));
            }
            s::WordPart::Parameter(parameter) => return self.parameter(parameter, span, within),
            s::WordPart::ParameterExpansion {
                reference,
                operator,
                operand_word_ast,
                colon_variant,
                operand,
            } => {
                let word = operand_word_ast.as_deref();
                self.operand_known(operand.as_deref(), word, span);
                (
                    &**reference,
                    self.op(operator, word, *colon_variant, within),
                )
            }
            s::WordPart::Length(reference) | s::WordPart::ArrayLength(reference) => {
                (&**reference, ParamOp::Length)
            }
            s::WordPart::ArrayAccess(reference) => (&**reference, ParamOp::Get),
            s::WordPart::ArrayIndices(reference) => (&**reference, ParamOp::Keys),
            s::WordPart::Substring {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            }
            | s::WordPart::ArraySlice {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            } => {
                let offset = self.arith_or_word(offset_ast.as_deref(), offset_word_ast);
                let length = length_word_ast
                    .as_deref()
                    .map(|word| self.arith_or_word(length_ast.as_deref(), word));
                (&**reference, ParamOp::Slice { offset, length })
            }
            s::WordPart::IndirectExpansion {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                let word = operand_word_ast.as_deref();
                (
                    &**reference,
                    self.indirect(operator.as_deref(), word, within),
                )
            }
            s::WordPart::PrefixMatch { prefix, .. } => {
                let mut param = self.plain_param(prefix.as_str(), span);
                param.op = ParamOp::NamesWith;
                return Some(param);
            }
            s::WordPart::Transformation {
                reference,
                operator,
            } => (&**reference, ParamOp::Transform(*operator)),
            s::WordPart::Literal(_)
            | s::WordPart::ZshQualifiedGlob(_)
            | s::WordPart::SingleQuoted { .. }
            | s::WordPart::DoubleQuoted { .. }
            | s::WordPart::CommandSubstitution { .. }
            | s::WordPart::ArithmeticExpansion { .. }
            | s::WordPart::ProcessSubstitution { .. } => return None,
        };
        Some(self.finish_param(reference, op, span))
    }

    pub(super) fn parameter(
        &mut self,
        parameter: &s::ParameterExpansion,
        span: s::Span,
        within: Within,
    ) -> Option<Param> {
        let Some(form) = parameter.bourne() else {
            self.unsure(span, "it is another shell's syntax");
            return None;
        };
        let (reference, op) = match form {
            s::BourneParameterExpansion::Access { reference } => (reference, ParamOp::Get),
            s::BourneParameterExpansion::Length { reference } => (reference, ParamOp::Length),
            s::BourneParameterExpansion::Indices { reference } => (reference, ParamOp::Keys),
            s::BourneParameterExpansion::Indirect {
                reference,
                operator,
                operand_word_ast,
                ..
            } => {
                let word = operand_word_ast.as_deref();
                (reference, self.indirect(operator.as_deref(), word, within))
            }
            s::BourneParameterExpansion::PrefixMatch { prefix, .. } => {
                let mut param = self.plain_param(prefix.as_str(), span);
                param.op = ParamOp::NamesWith;
                return Some(param);
            }
            s::BourneParameterExpansion::Slice {
                reference,
                offset_ast,
                offset_word_ast,
                length_ast,
                length_word_ast,
                ..
            } => {
                let offset = self.arith_or_word(offset_ast.as_deref(), offset_word_ast);
                let length = length_word_ast
                    .as_deref()
                    .map(|word| self.arith_or_word(length_ast.as_deref(), word));
                (reference, ParamOp::Slice { offset, length })
            }
            s::BourneParameterExpansion::Operation {
                reference,
                operator,
                operand,
                operand_word_ast,
                colon_variant,
            } => {
                let word = operand_word_ast.as_deref();
                self.operand_known(operand.as_ref(), word, span);
                (reference, self.op(operator, word, *colon_variant, within))
            }
            s::BourneParameterExpansion::Transformation {
                reference,
                operator,
            } => (reference, ParamOp::Transform(*operator)),
        };
        Some(self.finish_param(reference, op, span))
    }

    fn finish_param(&mut self, reference: &s::VarRef, op: ParamOp, span: s::Span) -> Param {
        self.whole(span);
        self.named(reference.name.as_str(), span);
        if matches!(op, ParamOp::Get) {
            self.only_a_name(span);
        }
        let index = reference
            .subscript
            .as_deref()
            .map(|subscript| match subscript.selector() {
                Some(s::SubscriptSelector::At) => Index::At,
                Some(s::SubscriptSelector::Star) => Index::Star,
                None => Index::Of(
                    self.subscript(subscript)
                        .unwrap_or_else(|| Arith::Number("?".into())),
                ),
            });
        Param {
            name: CompactString::from(reference.name.as_str()),
            index,
            op,
            is_open: self.is_open(span),
            part: self.part(span),
        }
    }

    /// An operand that the parser kept as text only would be lost with what it starts.
    fn operand_known(
        &mut self,
        operand: Option<&s::SourceText>,
        word: Option<&s::Word>,
        span: s::Span,
    ) {
        if operand.is_some() && word.is_none() {
            self.unsure(span, "the operand of this expansion can't be followed");
        }
    }

    fn indirect(
        &mut self,
        operator: Option<&s::ParameterOp>,
        word: Option<&s::Word>,
        within: Within,
    ) -> ParamOp {
        // What an operator on an indirect value yields isn't folded, but what its words
        // start is read.
        let mut walked = word.map(|word| self.operand(word, within));
        if let Some(operator) = operator {
            let op = self.op(operator, None, false, within);
            let words = match op {
                ParamOp::Strip { pattern, .. } => vec![pattern],
                ParamOp::Replace { pattern, with, .. } => vec![pattern, with],
                ParamOp::Get
                | ParamOp::Length
                | ParamOp::Keys
                | ParamOp::Indirect(_)
                | ParamOp::NamesWith
                | ParamOp::Slice { .. }
                | ParamOp::Default { .. }
                | ParamOp::Case { .. }
                | ParamOp::Transform(_) => Vec::new(),
            };
            for word in words {
                match &mut walked {
                    Some(all) => all.frags.extend(word.frags),
                    None => walked = Some(word),
                }
            }
            if walked.is_none() {
                walked = Some(Word {
                    frags: smallvec::smallvec![crate::posix::tree::Frag::Opaque],
                    part: self.anchor.part(0, 0),
                });
            }
        }
        ParamOp::Indirect(walked)
    }

    fn op(
        &mut self,
        operator: &s::ParameterOp,
        word: Option<&s::Word>,
        colon: bool,
        within: Within,
    ) -> ParamOp {
        let empty = || Word {
            frags: smallvec::SmallVec::new(),
            part: self.anchor.part(0, 0),
        };
        let absent = |kind| (kind, word);
        let (kind, word) = match operator {
            s::ParameterOp::UseDefault => absent(Absent::Use),
            s::ParameterOp::AssignDefault => absent(Absent::Assign),
            s::ParameterOp::UseReplacement => absent(Absent::Alternative),
            s::ParameterOp::Error => absent(Absent::Fail),
            s::ParameterOp::RemovePrefixShort { pattern } => {
                return self.strip(false, false, pattern);
            }
            s::ParameterOp::RemovePrefixLong { pattern } => {
                return self.strip(false, true, pattern);
            }
            s::ParameterOp::RemoveSuffixShort { pattern } => {
                return self.strip(true, false, pattern);
            }
            s::ParameterOp::RemoveSuffixLong { pattern } => return self.strip(true, true, pattern),
            s::ParameterOp::ReplaceFirst {
                pattern,
                replacement_word_ast,
                ..
            } => return self.replace(false, pattern, replacement_word_ast, within),
            s::ParameterOp::ReplaceAll {
                pattern,
                replacement_word_ast,
                ..
            } => return self.replace(true, pattern, replacement_word_ast, within),
            s::ParameterOp::UpperFirst => return self.case(true, false, word),
            s::ParameterOp::UpperAll => return self.case(true, true, word),
            s::ParameterOp::LowerFirst => return self.case(false, false, word),
            s::ParameterOp::LowerAll => return self.case(false, true, word),
        };
        let word = match word {
            Some(word) => self.operand(word, within),
            None => empty(),
        };
        ParamOp::Default { kind, colon, word }
    }

    fn strip(&mut self, suffix: bool, longest: bool, pattern: &s::Pattern) -> ParamOp {
        ParamOp::Strip {
            suffix,
            longest,
            pattern: self.pattern(pattern),
        }
    }

    pub(super) fn replace(
        &mut self,
        all: bool,
        pattern: &s::Pattern,
        with: &s::Word,
        within: Within,
    ) -> ParamOp {
        if pattern.parts.is_empty() {
            self.unsure(pattern.span, "it isn't clear what is replaced here");
        }
        let strict = std::mem::replace(&mut self.lenient, true);
        let pattern = self.pattern(pattern);
        let with = self.word_within(with, within);
        self.lenient = strict;
        ParamOp::Replace { all, pattern, with }
    }

    fn case(&mut self, upper: bool, all: bool, word: Option<&s::Word>) -> ParamOp {
        ParamOp::Case {
            upper,
            all,
            pattern: word.map(|word| self.word(word)),
        }
    }
}
