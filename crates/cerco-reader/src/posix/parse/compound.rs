//! Commands made of commands: chains, loops, branches, functions, `time`.

use std::rc::Rc;

use cerco_model::Dialect;
use compact_str::CompactString;
use shuck_ast as s;

use super::command::Lower;
use crate::posix::tree::{CaseArm, Cmd, For, Link, Redir, RedirKind, Simple, Stmt};

impl Lower<'_> {
    pub(super) fn binary(&mut self, binary: &s::BinaryCommand) -> Cmd {
        // Chains lean to the left, a thousand deep at most: walk them without recursion.
        match binary.op {
            s::BinaryOp::Pipe | s::BinaryOp::PipeAll => {
                let mut stages = vec![(&*binary.right, None)];
                let mut left = (&*binary.left, Some(binary));
                while let s::Command::Binary(inner) = &left.0.command
                    && matches!(inner.op, s::BinaryOp::Pipe | s::BinaryOp::PipeAll)
                    && left.0.redirects.is_empty()
                    && !left.0.negated
                {
                    stages.push((&inner.right, left.1));
                    left = (&inner.left, Some(inner));
                }
                stages.push(left);
                stages.reverse();
                let mut list = Vec::with_capacity(stages.len());
                for (i, (stage, pipe)) in stages.into_iter().enumerate() {
                    let mut stmt = self.stmt(stage);
                    if let Some(pipe) = pipe.filter(|pipe| pipe.op == s::BinaryOp::PipeAll) {
                        self.only_bash(pipe.span);
                        // `|&` is `2>&1 |`.
                        let part = self.part(pipe.span);
                        stmt.redirs.push(Redir {
                            fd: Some(2),
                            kind: RedirKind::DupOut,
                            word: self.plain("1", pipe.span.start.offset()),
                            part,
                        });
                    }
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

    pub(super) fn function(&mut self, function: &s::FunctionDef) -> Cmd {
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

    pub(super) fn compound(&mut self, compound: &s::CompoundCommand) -> Cmd {
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
            s::CompoundCommand::Time(c) => self.timed(c),
            s::CompoundCommand::Coproc(c) => self.coproc(c),
            s::CompoundCommand::Repeat(c) => self.foreign(c.span),
            s::CompoundCommand::Foreach(c) => self.foreign(c.span),
            s::CompoundCommand::Always(c) => self.foreign(c.span),
        }
    }

    /// The shell's own `time`. bash takes a `--` in front of the command for the end of its options.
    fn timed(&mut self, time: &s::TimeCommand) -> Cmd {
        let mut timed = time.command.as_ref().map(|c| self.boxed(c));
        if let Some(Stmt {
            command: Cmd::Simple(simple),
            ..
        }) = timed.as_deref_mut()
            && simple.assigns.is_empty()
            && simple
                .words
                .first()
                .is_some_and(|word| word.part.of(self.text) == Some("--"))
        {
            simple.words.remove(0);
        }
        Cmd::Time(timed)
    }

    fn coproc(&mut self, coproc: &s::CoprocCommand) -> Cmd {
        let body = self.boxed(&coproc.body);
        if matches!(body.command, Cmd::Time(_)) {
            self.unsure(
                coproc.span,
                "`time` is a program here, not a word of the grammar",
            );
        }
        Cmd::Coproc(CompactString::from(coproc.name.as_str()), body)
    }

    fn foreign(&mut self, span: s::Span) -> Cmd {
        self.unsure(span, "it is another shell's syntax");
        Cmd::Group(Vec::new())
    }
}
