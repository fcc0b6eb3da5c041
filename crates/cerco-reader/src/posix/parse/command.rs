//! Commands: shuck's statements → ours.

use std::rc::Rc;

use cerco_model::{Dialect, Part};
use compact_str::CompactString;
use shuck_ast as s;

use super::Anchor;
use super::net::Seen;
use crate::posix::tree::{
    Arith, Assign, CaseArm, Cmd, For, Link, List, Operand, Parsed, Redir, RedirKind, Simple, Stmt,
    Unsure, Value, Word,
};

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
    pub(super) seen: Seen,
    pub(super) unsure: Vec<Unsure>,
}

/// Words that mean something to the grammar; as an unquoted program name they show that
/// the parser took the text otherwise than the shell does.
const RESERVED: [&str; 22] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done",
    "case", "esac", "in", "select", "function", "[[", "]]", "coproc", "time",
];

impl<'t> Lower<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Self {
        Self {
            text,
            dialect,
            anchor,
            rereads,
            lenient: false,
            in_arith: false,
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
        let inside = |at: usize| {
            let mut at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        self.anchor
            .part(inside(span.start.offset()), inside(span.end.offset()))
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
        list
    }

    fn stmt(&mut self, stmt: &s::Stmt) -> Stmt {
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

    /// Words stand apart. Where the parser has two without a blank between them, or a word
    /// that doesn't end where the text has a separator, the shell sees other words.
    fn apart(&mut self, simple: &s::SimpleCommand, redirects: &[s::Redirect]) {
        let words = || std::iter::once(&simple.name).chain(&simple.args);
        let mut end = usize::MAX;
        for word in words() {
            let (from, to) = (word.span.start.offset(), word.span.end.offset());
            if from == to {
                continue;
            }
            if self.joined(end, from) || !self.bounded(from, to) {
                self.unsure(word.span, "it isn't clear where this word begins and ends");
            }
            end = to;
        }
        for redirect in redirects {
            let (from, to) = (redirect.span.start.offset(), redirect.span.end.offset());
            for word in words() {
                let (start, end) = (word.span.start.offset(), word.span.end.offset());
                let number = start < end && self.raw(word.span).bytes().all(|b| b.is_ascii_digit());
                if (start < end && self.joined(to, start)) || (number && self.joined(end, from)) {
                    self.unsure(redirect.span, "it isn't clear where this word begins");
                }
            }
        }
    }

    /// The same of words that stand elsewhere: in a list, behind `export`.
    fn apart_words(&mut self, words: impl Iterator<Item = s::Span>) {
        let mut end = usize::MAX;
        for span in words {
            let (from, to) = (span.start.offset(), span.end.offset());
            if self.joined(end, from) || !self.bounded(from, to) {
                self.unsure(span, "it isn't clear where this word begins and ends");
            }
            end = to;
        }
    }

    /// Nothing, or only continued lines, between two places.
    fn joined(&self, end: usize, from: usize) -> bool {
        self.text
            .get(end..from)
            .is_some_and(|gap| gap.replace("\\\n", "").is_empty())
    }

    fn bounded(&self, from: usize, to: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = from.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(to);
        let apart = |b: &u8| b.is_ascii_whitespace() || b";&|()<>`".contains(b);
        before.is_none_or(|b| apart(b) || b"{!\"".contains(b))
            && after.is_none_or(|b| apart(b) || *b == b'\\')
    }

    fn boxed(&mut self, stmt: &s::Stmt) -> Box<Stmt> {
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

    fn simple(&mut self, simple: &s::SimpleCommand) -> Cmd {
        let mut words = Vec::with_capacity(simple.args.len() + 1);
        let nameless = simple.name.span.start.offset() == simple.name.span.end.offset();
        let assigns = self.assigns(&simple.assignments);
        if !nameless {
            let raw = self.raw(simple.name.span);
            if RESERVED.contains(&raw) && !(raw == "time" && self.dialect == Dialect::Sh) {
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
        Cmd::Simple(Simple {
            assigns,
            words,
            operands: Vec::new(),
        })
    }

    /// A word that the grammar took out, put back as the word it is.
    fn plain(&self, text: &str, from: usize) -> Word {
        Word {
            frags: smallvec::smallvec![crate::posix::tree::Frag::Quoted(CompactString::from(text))],
            part: self.anchor.part(from, from + text.len()),
        }
    }

    fn builtin(&mut self, builtin: &s::BuiltinCommand) -> Cmd {
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

    fn decl(&mut self, decl: &s::DeclClause) -> Cmd {
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

    fn binary(&mut self, binary: &s::BinaryCommand) -> Cmd {
        // Chains lean to the left, a thousand deep at most: walk them without recursion.
        match binary.op {
            s::BinaryOp::Pipe | s::BinaryOp::PipeAll => {
                let mut stages = vec![&*binary.right];
                let mut left = &*binary.left;
                while let s::Command::Binary(inner) = &left.command
                    && matches!(inner.op, s::BinaryOp::Pipe | s::BinaryOp::PipeAll)
                    && left.redirects.is_empty()
                    && !left.negated
                {
                    stages.push(&inner.right);
                    left = &inner.left;
                }
                stages.push(left);
                if binary.op == s::BinaryOp::PipeAll {
                    self.only_bash(binary.span);
                }
                stages.reverse();
                let mut list = Vec::with_capacity(stages.len());
                for (i, stage) in stages.into_iter().enumerate() {
                    let mut stmt = self.stmt(stage);
                    if i > 0
                        && self.dialect != Dialect::Sh
                        && let s::Command::Compound(s::CompoundCommand::Time(time)) = &stage.command
                    {
                        // bash 5.2 starts the program there, others time the command.
                        let program = Stmt {
                            command: self.time_program(time),
                            redirs: Vec::new(),
                            negated: false,
                            background: false,
                            part: stmt.part,
                        };
                        let part = stmt.part;
                        stmt = Stmt {
                            command: Cmd::Group(vec![program, stmt]),
                            redirs: Vec::new(),
                            negated: false,
                            background: false,
                            part,
                        };
                    }
                    list.push(stmt);
                }
                Cmd::Pipe(list)
            }
            s::BinaryOp::And | s::BinaryOp::Or => {
                let link = |op| match op {
                    s::BinaryOp::And => Link::And,
                    s::BinaryOp::Or | s::BinaryOp::Pipe | s::BinaryOp::PipeAll => Link::Or,
                };
                let mut links = vec![(link(binary.op), &*binary.right)];
                let mut left = &*binary.left;
                while let s::Command::Binary(inner) = &left.command
                    && matches!(inner.op, s::BinaryOp::And | s::BinaryOp::Or)
                    && left.redirects.is_empty()
                    && !left.negated
                {
                    links.push((link(inner.op), &inner.right));
                    left = &inner.left;
                }
                let first = self.boxed(left);
                let rest = links
                    .into_iter()
                    .rev()
                    .map(|(link, stmt)| (link, self.stmt(stmt)))
                    .collect();
                Cmd::AndOr { first, rest }
            }
        }
    }

    fn function(&mut self, function: &s::FunctionDef) -> Cmd {
        if function.uses_function_keyword() {
            self.only_bash(function.span);
        }
        let mut names = function.static_name_entries();
        let (Some((name, span)), None, 1) =
            (names.next(), names.next(), function.header.entries.len())
        else {
            self.unsure(function.span, "a function's name isn't plain");
            return Cmd::Group(vec![self.stmt(&function.body)]);
        };
        Cmd::Function {
            name: CompactString::from(name.as_str()),
            name_part: self.part(span),
            body: Rc::new(self.stmt(&function.body)),
        }
    }

    /// `time` where it is a program: in a POSIX shell, and behind a pipe in bash.
    fn time_program(&mut self, time: &s::TimeCommand) -> Cmd {
        let from = time.span.start.offset();
        let mut words = vec![self.plain("time", from)];
        if time.posix_format {
            words.push(self.plain("-p", from));
        }
        let mut assigns = Vec::new();
        match time.command.as_deref() {
            None => {}
            Some(stmt) => {
                let s::Command::Simple(simple) = &stmt.command else {
                    self.unsure(
                        time.span,
                        "`time` is a program here, and takes a plain command",
                    );
                    return Cmd::Group(Vec::new());
                };
                if !simple.assignments.is_empty() || !stmt.redirects.is_empty() {
                    self.unsure(
                        time.span,
                        "`time` is a program here, and takes a plain command",
                    );
                }
                // A line or a comment between them ends the command in a POSIX shell.
                let gap = self.text.get(from + 4..stmt.span.start.offset());
                if gap.is_none_or(|gap| gap.contains(['\n', '#'])) {
                    self.unsure(time.span, "it isn't clear what `time` is given here");
                }
                if stmt.negated {
                    words.push(self.plain("!", from));
                }
                self.apart(simple, &stmt.redirects);
                if let Cmd::Simple(inner) = self.simple(simple) {
                    words.extend(inner.words);
                    assigns = inner.assigns;
                }
            }
        }
        Cmd::Simple(Simple {
            assigns,
            words,
            operands: Vec::new(),
        })
    }

    /// What a POSIX shell reads otherwise than bash does, or not at all.
    pub(super) fn only_bash(&mut self, span: s::Span) {
        if self.dialect == Dialect::Sh {
            self.unsure(span, "a plain POSIX shell reads this otherwise than bash");
        }
    }

    fn compound(&mut self, compound: &s::CompoundCommand) -> Cmd {
        match compound {
            s::CompoundCommand::ArithmeticFor(c) => self.only_bash(c.span),
            s::CompoundCommand::Select(c) => self.only_bash(c.span),
            s::CompoundCommand::Arithmetic(c) => self.only_bash(c.span),
            s::CompoundCommand::Conditional(c) => self.only_bash(c.span),
            s::CompoundCommand::Coproc(c) => self.only_bash(c.span),
            s::CompoundCommand::If(_)
            | s::CompoundCommand::For(_)
            | s::CompoundCommand::Repeat(_)
            | s::CompoundCommand::Foreach(_)
            | s::CompoundCommand::While(_)
            | s::CompoundCommand::Until(_)
            | s::CompoundCommand::Case(_)
            | s::CompoundCommand::Subshell(_)
            | s::CompoundCommand::BraceGroup(_)
            | s::CompoundCommand::Time(_)
            | s::CompoundCommand::Always(_) => {}
        }
        match compound {
            s::CompoundCommand::If(c) => {
                let mut arms = vec![(self.list(&c.condition), self.list(&c.then_branch))];
                for (condition, body) in &c.elif_branches {
                    arms.push((self.list(condition), self.list(body)));
                }
                let otherwise = c.else_branch.as_ref().map(|body| self.list(body));
                Cmd::If { arms, otherwise }
            }
            s::CompoundCommand::For(c) => {
                let [target] = c.targets.as_slice() else {
                    self.unsure(c.span, "several loop variables are another shell's");
                    return Cmd::Group(self.list(&c.body));
                };
                self.apart_words(c.words.iter().flatten().map(|word| word.span));
                let Some(name) = &target.name else {
                    self.unsure(c.span, "the loop variable isn't plain");
                    return Cmd::Group(self.list(&c.body));
                };
                Cmd::For(Box::new(For {
                    name: CompactString::from(name.as_str()),
                    name_part: self.part(target.span),
                    words: c
                        .words
                        .as_ref()
                        .map(|words| words.iter().map(|w| self.word(w)).collect()),
                    body: self.list(&c.body),
                }))
            }
            s::CompoundCommand::Select(c) => Cmd::Select(Box::new(For {
                name: CompactString::from(c.variable.as_str()),
                name_part: self.part(c.variable_span),
                words: Some(c.words.iter().map(|w| self.word(w)).collect()),
                body: self.list(&c.body),
            })),
            s::CompoundCommand::ArithmeticFor(c) => Cmd::ArithFor {
                init: self.arith_span(c.init_ast.as_ref(), c.init_span),
                condition: self.arith_span(c.condition_ast.as_ref(), c.condition_span),
                step: self.arith_span(c.step_ast.as_ref(), c.step_span),
                body: self.list(&c.body),
            },
            s::CompoundCommand::While(c) => Cmd::While {
                until: false,
                condition: self.list(&c.condition),
                body: self.list(&c.body),
            },
            s::CompoundCommand::Until(c) => Cmd::While {
                until: true,
                condition: self.list(&c.condition),
                body: self.list(&c.body),
            },
            s::CompoundCommand::Case(c) => Cmd::Case {
                word: self.word(&c.word),
                arms: c
                    .cases
                    .iter()
                    .map(|arm| CaseArm {
                        patterns: arm.patterns.iter().map(|p| self.pattern(p)).collect(),
                        body: self.list(&arm.body),
                        falls: !matches!(arm.terminator, s::CaseTerminator::Break),
                    })
                    .collect(),
            },
            s::CompoundCommand::Subshell(list) => Cmd::Subshell(self.list(list)),
            s::CompoundCommand::BraceGroup(list) => Cmd::Group(self.list(list)),
            s::CompoundCommand::Arithmetic(c) => {
                let span = c.left_paren_span.merge(c.right_paren_span);
                self.really_arithmetic(span, "((", "))");
                Cmd::Arith(self.arith_span(c.expr_ast.as_ref(), c.expr_span))
            }
            s::CompoundCommand::Conditional(c) => Cmd::Cond(self.cond(&c.expression)),
            s::CompoundCommand::Time(c) if self.dialect == Dialect::Sh => self.time_program(c),
            s::CompoundCommand::Time(c) => Cmd::Time(c.command.as_ref().map(|c| self.boxed(c))),
            s::CompoundCommand::Coproc(c) => Cmd::Coproc(self.boxed(&c.body)),
            s::CompoundCommand::Repeat(c) => self.foreign(c.span),
            s::CompoundCommand::Foreach(c) => self.foreign(c.span),
            s::CompoundCommand::Always(c) => self.foreign(c.span),
        }
    }

    fn foreign(&mut self, span: s::Span) -> Cmd {
        self.unsure(span, "it is another shell's syntax");
        Cmd::Group(Vec::new())
    }

    fn redirect(&mut self, redirect: &s::Redirect) -> Redir {
        // `cmd &>f x` is `cmd & >f x` to a POSIX shell, `{fd}>f` a word and a redirection.
        let bash_only = redirect.fd_var.is_some()
            || matches!(
                redirect.kind,
                s::RedirectKind::OutputBoth | s::RedirectKind::HereString
            )
            || self.raw(redirect.span).starts_with('&');
        if bash_only {
            self.only_bash(redirect.span);
        }
        let kind = match redirect.kind {
            s::RedirectKind::Output | s::RedirectKind::Clobber => RedirKind::Write,
            s::RedirectKind::Append => RedirKind::Append,
            s::RedirectKind::Input => RedirKind::Read,
            s::RedirectKind::ReadWrite => RedirKind::ReadWrite,
            s::RedirectKind::HereDoc | s::RedirectKind::HereDocStrip => RedirKind::HereDoc,
            s::RedirectKind::HereString => RedirKind::HereString,
            s::RedirectKind::DupOutput => RedirKind::DupOut,
            s::RedirectKind::DupInput => RedirKind::DupIn,
            s::RedirectKind::OutputBoth => RedirKind::Both,
        };
        let word = match &redirect.target {
            s::RedirectTarget::Word(word) => {
                let raw = self.raw(word.span);
                let dup = matches!(kind, RedirKind::DupIn | RedirKind::DupOut);
                if dup && raw.len() > 1 && raw.starts_with('-') {
                    // `>&-x` closes, and `x` is a word.
                    self.unsure(redirect.span, "it isn't clear where this redirection ends");
                }
                self.word(word)
            }
            s::RedirectTarget::Heredoc(heredoc) => self.heredoc(heredoc),
        };
        Redir {
            fd: redirect.fd,
            fd_named: redirect.fd_var.is_some(),
            kind,
            word,
            part: self.part(redirect.span),
        }
    }
}
