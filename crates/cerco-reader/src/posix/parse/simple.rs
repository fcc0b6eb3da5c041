//! Plain commands, declarations and assignments.

use cerco_model::Dialect;
use compact_str::CompactString;
use shuck_ast as s;

use super::command::Lower;
use crate::posix::tree::{Arith, Assign, Cmd, Operand, Simple, Value, Word};

/// Words that mean something to the grammar; as an unquoted program name they show that
/// the parser took the text otherwise than the shell does.
const RESERVED: [&str; 22] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done",
    "case", "esac", "in", "select", "function", "[[", "]]", "coproc", "time",
];

impl Lower<'_> {
    pub(super) fn simple(&mut self, simple: &s::SimpleCommand) -> Cmd {
        let mut words = Vec::with_capacity(simple.args.len() + 1);
        let nameless = simple.name.span.start.offset() == simple.name.span.end.offset();
        let assigns = self.assigns(&simple.assignments);
        if !nameless {
            // `[\` and `[` on the next line are `[[`.
            let raw = self.raw(simple.name.span).replace("\\\n", "");
            if RESERVED.contains(&&*raw) && !(raw == "time" && self.dialect == Dialect::Sh) {
                self.unsure(
                    simple.name.span,
                    "a word of the grammar stands as a program",
                );
            }
            words.push(self.word(&simple.name));
        }
        if !nameless
            && simple
                .assignments
                .iter()
                .any(|a| a.span.end.offset() == simple.name.span.start.offset())
        {
            self.unsure(simple.name.span, "it isn't clear where this word begins");
        }
        for arg in &simple.args {
            words.push(self.word(arg));
        }
        self.no_comments(simple);
        Cmd::Simple(Simple {
            assigns,
            words,
            operands: Vec::new(),
        })
    }

    /// A word never begins with an unquoted `#`: the shell takes that for a comment, and its
    /// next line for commands (`(# x` is a group with a comment).
    fn no_comments(&mut self, simple: &s::SimpleCommand) {
        for word in std::iter::once(&simple.name).chain(&simple.args) {
            if self.raw(word.span).starts_with('#') {
                self.unsure(word.span, "what the shell takes for a comment stands here");
            }
        }
    }

    /// A word that the grammar took out, put back as the word it is.
    pub(super) fn plain(&self, text: &str, from: usize) -> Word {
        Word {
            frags: smallvec::smallvec![crate::posix::tree::Frag::Quoted(CompactString::from(text))],
            part: self.anchor.part(from, from + text.len()),
        }
    }

    pub(super) fn builtin(&mut self, builtin: &s::BuiltinCommand) -> Cmd {
        let (name, first, extra, assignments, span) = match builtin {
            s::BuiltinCommand::Break(c) => {
                ("break", &c.depth, &c.extra_args, &c.assignments, c.span)
            }
            s::BuiltinCommand::Continue(c) => {
                ("continue", &c.depth, &c.extra_args, &c.assignments, c.span)
            }
            s::BuiltinCommand::Return(c) => {
                ("return", &c.code, &c.extra_args, &c.assignments, c.span)
            }
            s::BuiltinCommand::Exit(c) => ("exit", &c.code, &c.extra_args, &c.assignments, c.span),
        };
        let assigns = self.assigns(assignments);
        self.apart_words(first.iter().chain(extra).map(|word| word.span));
        let mut words = vec![self.plain(name, span.start.offset())];
        for word in first.iter().chain(extra) {
            words.push(self.word(word));
        }
        Cmd::Simple(Simple {
            assigns,
            words,
            operands: Vec::new(),
        })
    }

    pub(super) fn decl(&mut self, decl: &s::DeclClause) -> Cmd {
        let assigns = self.assigns(&decl.assignments);
        let name = Word {
            frags: smallvec::smallvec![crate::posix::tree::Frag::Quoted(CompactString::from(
                decl.variant.as_str()
            ))],
            part: self.part(decl.variant_span),
        };
        let spans = decl.operands.iter().map(|operand| match operand {
            s::DeclOperand::Flag(word) | s::DeclOperand::Dynamic(word) => word.span,
            s::DeclOperand::Name(reference) => reference.span,
            s::DeclOperand::Assignment(assignment) => assignment.span,
        });
        self.apart_words([decl.variant_span].into_iter().chain(spans));
        let mut operands = Vec::with_capacity(decl.operands.len());
        for operand in &decl.operands {
            operands.push(match operand {
                s::DeclOperand::Flag(word) | s::DeclOperand::Dynamic(word) => {
                    Operand::Word(self.word(word))
                }
                s::DeclOperand::Name(reference) => {
                    if let Some(subscript) = &reference.subscript {
                        self.subscript(subscript);
                    }
                    Operand::Word(
                        self.plain(self.raw(reference.span), reference.span.start.offset()),
                    )
                }
                s::DeclOperand::Assignment(assignment) => Operand::Assign(self.assign(assignment)),
            });
        }
        Cmd::Simple(Simple {
            assigns,
            words: vec![name],
            operands,
        })
    }

    fn assigns(&mut self, list: &[s::Assignment]) -> Vec<Assign> {
        list.iter().map(|a| self.assign(a)).collect()
    }

    fn assign(&mut self, assignment: &s::Assignment) -> Assign {
        // A POSIX shell takes `x+=y`, `x[1]=y` for a program's name.
        if assignment.append
            || assignment.target.subscript.is_some()
            || matches!(assignment.value, s::AssignmentValue::Compound(_))
        {
            self.only_bash(assignment.span);
        }
        let index = assignment
            .target
            .subscript
            .as_deref()
            .and_then(|subscript| self.subscript(subscript));
        let value = match &assignment.value {
            s::AssignmentValue::Scalar(word) => Value::Scalar(self.word(word)),
            s::AssignmentValue::Compound(array) => Value::Array(
                array
                    .elements
                    .iter()
                    .map(|element| match element {
                        s::ArrayElem::Sequential(value) => (None, self.word(&value.word)),
                        s::ArrayElem::Keyed { key, value }
                        | s::ArrayElem::KeyedAppend { key, value } => {
                            let index = self.subscript(key);
                            let index = index.unwrap_or_else(|| Arith::Number("?".into()));
                            (Some(index), self.word(&value.word))
                        }
                    })
                    .collect(),
            ),
        };
        Assign {
            name: CompactString::from(assignment.target.name.as_str()),
            index,
            append: assignment.append,
            value,
            part: self.part(assignment.span),
        }
    }
}
