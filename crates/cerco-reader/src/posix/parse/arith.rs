//! Arithmetic and `[[ … ]]`: shuck's expressions → ours.

use compact_str::CompactString;
use shuck_ast as s;

use super::command::Lower;
use crate::posix::tree::{Arith, BinaryOp, Cond, UnaryOp, Word};

impl Lower<'_> {
    /// `$((a); (b))` is a substitution that only looks like arithmetic: its parentheses
    /// don't pair up between the doubled ones.
    pub(super) fn really_arithmetic(&mut self, span: s::Span, open: &str, close: &str) {
        let inner = self
            .raw(span)
            .strip_prefix(open)
            .and_then(|raw| raw.strip_suffix(close));
        let mut depth = 0_i32;
        let paired = inner.is_some_and(|inner| {
            inner.bytes().all(|b| {
                depth += i32::from(b == b'(') - i32::from(b == b')');
                depth >= 0
            })
        });
        if !paired || depth != 0 {
            self.unsure(
                span,
                "it isn't clear whether this is arithmetic or commands",
            );
        }
    }

    /// The expression where the parser made one, else its text as a word.
    pub(super) fn arith_or_word(
        &mut self,
        expression: Option<&s::ArithmeticExprNode>,
        word: &s::Word,
    ) -> Arith {
        match expression {
            Some(expression) => self.arith(expression),
            None => Arith::Word(self.lenient_word(word)),
        }
    }

    fn lenient_word(&mut self, word: &s::Word) -> Word {
        self.seen
            .no_process(word.span.start.offset(), word.span.end.offset());
        let strict = std::mem::replace(&mut self.lenient, true);
        let outside = std::mem::replace(&mut self.in_arith, true);
        let word = self.word(word);
        self.in_arith = outside;
        self.lenient = strict;
        word
    }

    /// `((…))`: a span without an expression is one the parser gave up on.
    pub(super) fn arith_span(
        &mut self,
        expression: Option<&s::ArithmeticExprNode>,
        span: Option<s::Span>,
    ) -> Option<Arith> {
        if let Some(span) = span {
            self.seen.no_process(span.start.offset(), span.end.offset());
            if expression.is_none() && !self.raw(span).trim().is_empty() {
                self.unsure(span, "this arithmetic can't be followed");
            }
        }
        expression.map(|e| self.arith(e))
    }

    /// A subscript's expression; none for `@` and `*`.
    pub(super) fn subscript(&mut self, subscript: &s::Subscript) -> Option<Arith> {
        if subscript.selector().is_some() {
            return None;
        }
        let span = subscript.span();
        self.seen.no_process(span.start.offset(), span.end.offset());
        match (&subscript.arithmetic_ast, subscript.word_ast()) {
            (Some(expression), _) => Some(self.arith(expression)),
            (None, Some(word)) => Some(Arith::Word(self.lenient_word(word))),
            (None, None) => {
                if !subscript.syntax_text(self.text).trim().is_empty() {
                    self.unsure(span, "this subscript can't be followed");
                }
                None
            }
        }
    }

    fn boxed_arith(&mut self, node: &s::ArithmeticExprNode) -> Box<Arith> {
        Box::new(self.arith(node))
    }

    fn arith(&mut self, node: &s::ArithmeticExprNode) -> Arith {
        self.seen
            .no_process(node.span.start.offset(), node.span.end.offset());
        match &node.kind {
            s::ArithmeticExpr::Number(text) => {
                Arith::Number(CompactString::from(text.slice(self.text)))
            }
            s::ArithmeticExpr::Variable(name) => Arith::Variable(name.as_str().into()),
            s::ArithmeticExpr::Indexed { name, index } => {
                Arith::Element(name.as_str().into(), self.boxed_arith(index))
            }
            s::ArithmeticExpr::ShellWord(word) => Arith::Word(self.lenient_word(word)),
            s::ArithmeticExpr::Parenthesized { expression } => self.arith(expression),
            s::ArithmeticExpr::Unary { op, expr } => {
                let inner = self.boxed_arith(expr);
                let op = match op {
                    s::ArithmeticUnaryOp::PreIncrement => return step(inner, 1, true),
                    s::ArithmeticUnaryOp::PreDecrement => return step(inner, -1, true),
                    s::ArithmeticUnaryOp::Plus => UnaryOp::Plus,
                    s::ArithmeticUnaryOp::Minus => UnaryOp::Minus,
                    s::ArithmeticUnaryOp::LogicalNot => UnaryOp::Not,
                    s::ArithmeticUnaryOp::BitwiseNot => UnaryOp::Invert,
                };
                Arith::Unary(op, inner)
            }
            s::ArithmeticExpr::Postfix { expr, op } => {
                let by = match op {
                    s::ArithmeticPostfixOp::Increment => 1,
                    s::ArithmeticPostfixOp::Decrement => -1,
                };
                step(self.boxed_arith(expr), by, false)
            }
            s::ArithmeticExpr::Binary { left, op, right } => {
                Arith::Binary(binary(*op), self.boxed_arith(left), self.boxed_arith(right))
            }
            s::ArithmeticExpr::Conditional {
                condition,
                then_expr,
                else_expr,
            } => Arith::Choose(
                self.boxed_arith(condition),
                self.boxed_arith(then_expr),
                self.boxed_arith(else_expr),
            ),
            s::ArithmeticExpr::Assignment { target, op, value } => {
                let (name, index) = match target {
                    s::ArithmeticLvalue::Variable(name) => (name, None),
                    s::ArithmeticLvalue::Indexed { name, index } => {
                        (name, Some(self.boxed_arith(index)))
                    }
                };
                Arith::Assign {
                    name: name.as_str().into(),
                    index,
                    op: assigning(*op),
                    value: self.boxed_arith(value),
                }
            }
        }
    }

    pub(super) fn cond(&mut self, expr: &s::ConditionalExpr) -> Cond {
        match expr {
            s::ConditionalExpr::Binary(binary) => {
                let left = Box::new(self.cond(&binary.left));
                let right = Box::new(self.cond(&binary.right));
                match binary.op {
                    s::ConditionalBinaryOp::And => Cond::And(left, right),
                    s::ConditionalBinaryOp::Or => Cond::Or(left, right),
                    s::ConditionalBinaryOp::PatternEqShort | s::ConditionalBinaryOp::PatternEq => {
                        Cond::Match {
                            left,
                            pattern: right,
                            negated: false,
                        }
                    }
                    s::ConditionalBinaryOp::PatternNe => Cond::Match {
                        left,
                        pattern: right,
                        negated: true,
                    },
                    s::ConditionalBinaryOp::ArithmeticEq
                    | s::ConditionalBinaryOp::ArithmeticNe
                    | s::ConditionalBinaryOp::ArithmeticLe
                    | s::ConditionalBinaryOp::ArithmeticGe
                    | s::ConditionalBinaryOp::ArithmeticLt
                    | s::ConditionalBinaryOp::ArithmeticGt => Cond::Compare(left, right),
                    s::ConditionalBinaryOp::RegexMatch
                    | s::ConditionalBinaryOp::NewerThan
                    | s::ConditionalBinaryOp::OlderThan
                    | s::ConditionalBinaryOp::SameFile
                    | s::ConditionalBinaryOp::LexicalBefore
                    | s::ConditionalBinaryOp::LexicalAfter => Cond::Other(left, right),
                }
            }
            s::ConditionalExpr::Unary(unary) => {
                let inner = Box::new(self.cond(&unary.expr));
                if matches!(unary.op, s::ConditionalUnaryOp::Not) {
                    return Cond::Not(inner);
                }
                let flag = unary.op.as_str().chars().nth(1).unwrap_or('?');
                Cond::Unary(flag, inner)
            }
            s::ConditionalExpr::Parenthesized(inner) => self.cond(&inner.expr),
            s::ConditionalExpr::Word(word) => Cond::Word(self.word(word)),
            s::ConditionalExpr::Regex(word) => {
                let strict = std::mem::replace(&mut self.lenient, true);
                let word = self.word(word);
                self.lenient = strict;
                Cond::Word(word)
            }
            s::ConditionalExpr::Pattern(pattern) => {
                let strict = std::mem::replace(&mut self.lenient, true);
                let word = self.pattern(pattern);
                self.lenient = strict;
                Cond::Word(word)
            }
            s::ConditionalExpr::VarRef(reference) => {
                if let Some(subscript) = &reference.subscript {
                    self.subscript(subscript);
                }
                let mut frags = smallvec::SmallVec::new();
                super::decode::quoted(self.raw(reference.span), &mut frags);
                Cond::Word(Word {
                    frags,
                    part: self.part(reference.span),
                })
            }
        }
    }
}

fn step(target: Box<Arith>, by: i64, before: bool) -> Arith {
    Arith::Step { target, by, before }
}

fn binary(op: s::ArithmeticBinaryOp) -> BinaryOp {
    match op {
        s::ArithmeticBinaryOp::Comma => BinaryOp::Comma,
        s::ArithmeticBinaryOp::Power => BinaryOp::Power,
        s::ArithmeticBinaryOp::Multiply => BinaryOp::Multiply,
        s::ArithmeticBinaryOp::Divide => BinaryOp::Divide,
        s::ArithmeticBinaryOp::Modulo => BinaryOp::Modulo,
        s::ArithmeticBinaryOp::Add => BinaryOp::Add,
        s::ArithmeticBinaryOp::Subtract => BinaryOp::Subtract,
        s::ArithmeticBinaryOp::ShiftLeft => BinaryOp::ShiftLeft,
        s::ArithmeticBinaryOp::ShiftRight => BinaryOp::ShiftRight,
        s::ArithmeticBinaryOp::LessThan => BinaryOp::Less,
        s::ArithmeticBinaryOp::LessThanOrEqual => BinaryOp::LessEqual,
        s::ArithmeticBinaryOp::GreaterThan => BinaryOp::Greater,
        s::ArithmeticBinaryOp::GreaterThanOrEqual => BinaryOp::GreaterEqual,
        s::ArithmeticBinaryOp::Equal => BinaryOp::Equal,
        s::ArithmeticBinaryOp::NotEqual => BinaryOp::NotEqual,
        s::ArithmeticBinaryOp::BitwiseAnd => BinaryOp::BitAnd,
        s::ArithmeticBinaryOp::BitwiseXor => BinaryOp::BitXor,
        s::ArithmeticBinaryOp::BitwiseOr => BinaryOp::BitOr,
        s::ArithmeticBinaryOp::LogicalAnd => BinaryOp::And,
        s::ArithmeticBinaryOp::LogicalOr => BinaryOp::Or,
    }
}

fn assigning(op: s::ArithmeticAssignOp) -> Option<BinaryOp> {
    Some(match op {
        s::ArithmeticAssignOp::Assign => return None,
        s::ArithmeticAssignOp::AddAssign => BinaryOp::Add,
        s::ArithmeticAssignOp::SubAssign => BinaryOp::Subtract,
        s::ArithmeticAssignOp::MulAssign => BinaryOp::Multiply,
        s::ArithmeticAssignOp::DivAssign => BinaryOp::Divide,
        s::ArithmeticAssignOp::ModAssign => BinaryOp::Modulo,
        s::ArithmeticAssignOp::ShiftLeftAssign => BinaryOp::ShiftLeft,
        s::ArithmeticAssignOp::ShiftRightAssign => BinaryOp::ShiftRight,
        s::ArithmeticAssignOp::AndAssign => BinaryOp::BitAnd,
        s::ArithmeticAssignOp::XorAssign => BinaryOp::BitXor,
        s::ArithmeticAssignOp::OrAssign => BinaryOp::BitOr,
    })
}
