//! Commands: shuck's statements → ours.

use std::collections::BTreeMap;

use cerco_model::{Dialect, Part};
use shuck_ast as s;

use super::Anchor;
use super::net::Seen;
use crate::posix::tree::{Cmd, List, Parsed, Stmt, Unsure};

/// The walk over one parse.
pub(super) struct Lower<'t> {
    pub(super) text: &'t str,
    pub(super) dialect: Dialect,
    pub(super) anchor: Anchor,
    /// How often a text was unescaped and parsed again to get here.
    pub(super) rereads: u8,
    /// Operators are text here: in operands, arithmetic and regular expressions.
    pub(super) lenient: bool,
    /// Inside arithmetic, where single quotes don't keep anything from being expanded.
    pub(super) in_arith: bool,
    /// The bodies of here-documents: where each begins and ends.
    pub(super) bodies: BTreeMap<usize, usize>,
    pub(super) seen: Seen,
    pub(super) unsure: Vec<Unsure>,
}

impl<'t> Lower<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Self {
        Self {
            text,
            dialect,
            anchor,
            rereads,
            lenient: false,
            in_arith: false,
            bodies: BTreeMap::new(),
            seen: Seen::default(),
            unsure: Vec::new(),
        }
    }

    pub(super) fn finish(mut self, list: List) -> Parsed {
        let mut unsure = self.unsure;
        let quotes_opener = self.seen.quotes_opener(self.text);
        self.seen.unaccounted(self.text, self.anchor, &mut unsure);
        Parsed {
            list,
            unsure,
            quotes_opener,
        }
    }

    pub(super) fn part(&self, span: s::Span) -> Part {
        // A slipped span may end behind the text; the word it belongs to is then a doubt.
        self.part_at(span.start.offset(), span.end.offset())
    }

    pub(super) fn part_at(&self, from: usize, to: usize) -> Part {
        let inside = |at| self.text.floor_char_boundary(at);
        self.anchor.part(inside(from), inside(to))
    }

    pub(super) fn raw(&self, span: s::Span) -> &'t str {
        self.text
            .get(span.start.offset()..span.end.offset())
            .unwrap_or_default()
    }

    pub(super) fn unsure(&mut self, span: s::Span, why: &'static str) {
        let part = self.part(span);
        self.unsure.push(Unsure { part, why });
    }

    fn comments(&mut self, comments: &[s::Comment]) {
        for c in comments {
            self.seen.inert(
                c.range.start().to_u32() as usize,
                c.range.end().to_u32() as usize,
            );
        }
    }

    pub(super) fn list(&mut self, seq: &s::StmtSeq) -> List {
        self.comments(&seq.leading_comments);
        self.comments(&seq.trailing_comments);
        let lenient = std::mem::replace(&mut self.lenient, false);
        let in_arith = std::mem::replace(&mut self.in_arith, false);
        let mut list = Vec::with_capacity(seq.stmts.len());
        for stmt in &seq.stmts {
            list.push(self.stmt(stmt));
        }
        self.lenient = lenient;
        self.in_arith = in_arith;
        self.gaps(seq);
        list
    }

    pub(super) fn stmt(&mut self, stmt: &s::Stmt) -> Stmt {
        self.comments(&stmt.leading_comments);
        if let Some(comment) = stmt.inline_comment {
            self.comments(&[comment]);
        }
        let background = match stmt.terminator {
            Some(s::StmtTerminator::Background(s::BackgroundOperator::Plain)) => true,
            Some(s::StmtTerminator::Background(
                s::BackgroundOperator::Pipe | s::BackgroundOperator::Bang,
            )) => {
                self.unsure(stmt.span, "`&|` and `&!` are another shell's");
                true
            }
            Some(s::StmtTerminator::Semicolon) | None => false,
        };
        let command = self.command(&stmt.command);
        self.no_keyword_behind(stmt);
        if let s::Command::Simple(simple) = &stmt.command {
            self.apart(simple, &stmt.redirects);
        }
        let redirs = stmt.redirects.iter().map(|r| self.redirect(r)).collect();
        Stmt {
            command,
            redirs,
            negated: stmt.negated,
            background,
            part: self.part(stmt.span),
        }
    }

    /// Behind a redirection no word belongs to the grammar: `2>&1 time x` starts a program
    /// called `time`.
    fn no_keyword_behind(&mut self, stmt: &s::Stmt) {
        let from = match &stmt.command {
            s::Command::Compound(s::CompoundCommand::Time(time)) => time.span.start.offset(),
            s::Command::Compound(_) | s::Command::Function(_) => stmt.span.start.offset(),
            _ => return,
        };
        let first = stmt.redirects.iter().map(|r| r.span.start.offset()).min();
        if first.is_some_and(|first| first <= from) {
            self.unsure(
                stmt.span,
                "a word of the grammar stands behind a redirection",
            );
        }
    }

    pub(super) fn boxed(&mut self, stmt: &s::Stmt) -> Box<Stmt> {
        Box::new(self.stmt(stmt))
    }

    fn command(&mut self, command: &s::Command) -> Cmd {
        match command {
            s::Command::Simple(simple) => self.simple(simple),
            s::Command::Builtin(builtin) => self.builtin(builtin),
            s::Command::Decl(decl) => self.decl(decl),
            s::Command::Binary(binary) => self.binary(binary),
            s::Command::Compound(compound) => self.compound(compound),
            s::Command::Function(function) => self.function(function),
            s::Command::AnonymousFunction(f) => {
                self.unsure(f.span, "functions without a name are another shell's");
                Cmd::Group(Vec::new())
            }
        }
    }

    /// What a POSIX shell reads otherwise than bash does, or not at all.
    pub(super) fn only_bash(&mut self, span: s::Span) {
        if self.dialect == Dialect::Sh {
            self.unsure(span, "a plain POSIX shell reads this otherwise than bash");
        }
    }
}
