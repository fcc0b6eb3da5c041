//! Arithmetic: numbers where they are settled, and everything it starts or sets.

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use super::Eval;
use super::variables::{is_name, may_inject, scalar};
use crate::posix::state::Val;
use crate::posix::tree::{Arith, BinaryOp, Cmd, Stmt, UnaryOp};
use crate::{Piece, Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    /// The value; nothing where it isn't settled. Substitutions in it are read either way.
    pub(super) fn arith(&mut self, expr: &Arith) -> Option<i64> {
        match expr {
            Arith::Number(text) => {
                let number = number(text);
                if number.is_none() {
                    self.fails();
                }
                number
            }
            Arith::Variable(name) => self.number_of(name),
            Arith::Element(name, index) => {
                self.arith(index);
                self.elements_as_numbers(name);
                None
            }
            Arith::Word(word) => {
                let text = self.one(word);
                let mark = self.store.mark();
                let value = self.text_as_number(&text, word.part);
                // What is written beside it belongs to its expression: `$(($x*2))` with `1+1`.
                let is_whole = text
                    .known()
                    .is_none_or(|t| number(t).is_some() || is_name(t));
                if !is_whole {
                    self.store.forget(mark);
                }
                self.store.keep(mark);
                value.filter(|_| is_whole)
            }
            Arith::Unary(op, inner) => {
                let value = self.arith(inner)?;
                Some(match op {
                    UnaryOp::Plus => value,
                    UnaryOp::Minus => value.wrapping_neg(),
                    UnaryOp::Not => i64::from(value == 0),
                    UnaryOp::Invert => !value,
                })
            }
            Arith::Step { target, by, before } => {
                let old = self.arith(target);
                let new = old.map(|v| v.wrapping_add(*by));
                match &**target {
                    Arith::Variable(name) => self.set_number(name, new),
                    Arith::Element(name, _) => self.set_value(name, Val::Unknown),
                    _ => {}
                }
                if *before { new } else { old }
            }
            Arith::Binary(op, left, right) => self.binary(*op, left, right),
            Arith::Choose(condition, yes, no) => {
                let condition = self.arith(condition);
                // Both sides are walked; what the one not taken sets is then not settled.
                let yes = self.if_reached(|e| e.arith(yes));
                let no = self.if_reached(|e| e.arith(no));
                match condition? {
                    0 => no,
                    _ => yes,
                }
            }
            Arith::Assign {
                name,
                index,
                op,
                value,
            } => {
                if let Some(index) = index {
                    self.arith(index);
                }
                let value = self.arith(value);
                let value = match op {
                    None => value,
                    Some(op) => {
                        let old = self.number_of(name);
                        old.zip(value).and_then(|(a, b)| compute(*op, a, b))
                    }
                };
                if index.is_some() {
                    self.set_value(name, Val::Unknown);
                } else {
                    self.set_number(name, value);
                }
                value
            }
        }
    }

    /// `let`: each word is an expression. One with a pattern in it (`x=3*4`) is as written,
    /// unless a file has such a name.
    pub(super) fn expressions(&mut self, args: &[Word]) {
        for word in args {
            let Some(text) = written(&word.text) else {
                self.doubt(word.part, "what this sets isn't known before it runs");
                continue;
            };
            let mark = self.store.mark();
            let list = self.parse(&format!("(({text}))"), word.part);
            self.list(&list);
            if word.text.known().is_none() {
                self.store.forget(mark);
            }
            self.store.keep(mark);
        }
    }

    /// Whichever element it is, its text is read as an expression.
    fn elements_as_numbers(&mut self, name: &str) {
        let list = match self.value(name) {
            Val::Array(list) => list,
            val => scalar(val).into_iter().collect(),
        };
        for text in list {
            self.text_as_number(&text, self.at.unwrap_or_default());
        }
    }

    fn set_number(&mut self, name: &str, value: Option<i64>) {
        let text = value.map(|v| compact_str::format_compact!("{v}"));
        let text = Self::text_of(text);
        self.set_value(name, Val::Text(text));
    }

    fn binary(&mut self, op: BinaryOp, left: &Arith, right: &Arith) -> Option<i64> {
        let a = self.arith(left);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let b = self.if_reached(|e| e.arith(right));
            return match (op, a, b) {
                (BinaryOp::And, Some(0), _) => Some(0),
                (BinaryOp::Or, Some(a), _) if a != 0 => Some(1),
                (_, Some(_), Some(b)) => Some(i64::from(b != 0)),
                _ => None,
            };
        }
        let b = self.arith(right);
        if op == BinaryOp::Comma {
            return b;
        }
        let fails = match op {
            BinaryOp::Divide | BinaryOp::Modulo => b == Some(0),
            BinaryOp::Power => b.is_some_and(|b| b < 0),
            _ => false,
        };
        if fails {
            self.fails();
        }
        compute(op, a?, b?)
    }

    fn number_of(&mut self, name: &str) -> Option<i64> {
        match self.value(name) {
            Val::Unset => Some(0),
            val => {
                let text = scalar(val).unwrap_or_else(|| Text::Known("".into()));
                self.text_as_number(&text, self.at.unwrap_or_default())
            }
        }
    }

    /// The shell reads the text as an expression again, subscripts with their
    /// substitutions included.
    pub(super) fn text_as_number(&mut self, text: &Text, part: Part) -> Option<i64> {
        if self.dialect != Dialect::Sh && may_inject(text, self.armed) {
            self.doubt(part, "arithmetic may run what the value says");
            return None;
        }
        let text = text.known()?.trim();
        if text.is_empty() {
            return Some(0);
        }
        if let Some(number) = number(text) {
            return Some(number);
        }
        if self.dialect == Dialect::Sh {
            // There it must be a number, or the shell ends.
            return None;
        }
        // Names in it are variables, whose text is read in the same way.
        if self.numbers_deep >= 8 {
            self.fails();
            return None;
        }
        self.numbers_deep += 1;
        let value = if is_name(text) {
            self.number_of(text)
        } else {
            self.expression(text, part)
        };
        self.numbers_deep -= 1;
        value
    }

    fn expression(&mut self, text: &str, part: Part) -> Option<i64> {
        let list = self.parse(&format!("(({text}))"), part);
        if let [Stmt { command, .. }] = list.as_slice()
            && let Cmd::Arith(Some(expr)) = command
            && !matches!(expr, Arith::Word(_))
        {
            return self.arith(expr);
        }
        self.fails();
        None
    }
}

/// A text with its patterns as they are written.
fn written(text: &Text) -> Option<CompactString> {
    match text {
        Text::Known(text) => Some(text.clone()),
        Text::Partly(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Known(text) | Piece::Glob(text) => Some(text.as_str()),
                Piece::Unknown => None,
            })
            .collect(),
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = text.split_once('#') {
        // Beyond 36 the letters' case counts.
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return i64::from_str_radix(text, 8).ok();
    }
    if text.starts_with('+') {
        return None;
    }
    text.parse().ok()
}

fn compute(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Comma => b,
        BinaryOp::Power => a.checked_pow(u32::try_from(b).ok()?)?,
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => a.checked_div(b)?,
        BinaryOp::Modulo => a.checked_rem(b)?,
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::ShiftLeft => a.checked_shl(u32::try_from(b).ok()?)?,
        BinaryOp::ShiftRight => a.checked_shr(u32::try_from(b).ok()?)?,
        BinaryOp::Less => i64::from(a < b),
        BinaryOp::LessEqual => i64::from(a <= b),
        BinaryOp::Greater => i64::from(a > b),
        BinaryOp::GreaterEqual => i64::from(a >= b),
        BinaryOp::Equal => i64::from(a == b),
        BinaryOp::NotEqual => i64::from(a != b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::And => i64::from(a != 0 && b != 0),
        BinaryOp::Or => i64::from(a != 0 || b != 0),
    })
}
