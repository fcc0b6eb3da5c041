//! Lists, pipelines, branches and loops.

use cerco_model::Part;

use super::loops::constant;
use super::{Eval, MAX_DEPTH};
use crate::posix::state::Val;
use crate::posix::tree::{Cmd, List, Stmt};
use crate::{Output, Programs, Stdin};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn list(&mut self, list: &List) {
        if self.calls.is_empty() && self.loops.is_empty() {
            for stmt in list {
                self.stmt(stmt);
            }
            return;
        }
        // Where a function or loop may be left in the middle, every value on the way is
        // one that it may be left with.
        let mark = self.store.mark();
        for stmt in list {
            self.stmt(stmt);
        }
        if self.jumped {
            self.blur(mark);
        }
        self.store.keep(mark);
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        if !self.spend(1, stmt.part) {
            return;
        }
        if self.depth >= MAX_DEPTH {
            return self.doubt(stmt.part, "it is nested too deeply");
        }
        self.depth += 1;
        if stmt.background {
            // It runs beside what follows, in a shell of its own, and may write before it or
            // behind it.
            self.capture_unknown();
            self.subshell(|e| e.command(stmt));
            self.status = Some(true);
        } else {
            self.command(stmt);
        }
        if stmt.negated {
            self.status = self.status.map(|ok| !ok);
        }
        self.depth -= 1;
    }

    fn command(&mut self, stmt: &Stmt) {
        if let Cmd::Simple(simple) = &stmt.command {
            return self.simple(simple, &stmt.redirs);
        }
        if stmt.redirs.is_empty() {
            return self.compound(&stmt.command, stmt.part);
        }
        self.each_choice(|e| {
            let redirected = match stmt.command {
                Cmd::Subshell(_) | Cmd::Coproc(..) => e.redirections_apart(&stmt.redirs),
                _ => e.redirections(&stmt.redirs),
            };
            let count = e.redirs.len();
            if matches!(stmt.command, Cmd::Function { .. }) || count > 64 {
                e.out.redirections.extend(redirected.list.iter().cloned());
            }
            if count > 64 {
                e.doubt(stmt.part, "too many redirections hold at once");
            } else {
                e.redirs.extend(redirected.list);
            }
            let stdin = redirected.stdin.map(|s| std::mem::replace(&mut e.stdin, s));
            let output = redirected
                .output
                .map(|o| std::mem::replace(&mut e.output, o));
            let starts = e.out.starts.len();
            e.perhaps(redirected.may_fail, |e| {
                e.compound(&stmt.command, stmt.part);
            });
            if let Some(stdin) = stdin {
                e.stdin = stdin;
            }
            if let Some(output) = output {
                e.output = output;
            }
            // A group without a program still opens its files.
            if e.out.starts.len() == starts {
                let own = e.redirs.get(count..).unwrap_or_default().to_vec();
                e.out.redirections.extend(own);
            }
            e.redirs.truncate(count);
        });
    }

    fn compound(&mut self, command: &Cmd, part: Part) {
        match command {
            Cmd::Simple(simple) => self.simple(simple, &[]),
            Cmd::Pipe(stages) => self.pipeline(stages),
            Cmd::AndOr { first, rest } => self.and_or(first, rest),
            Cmd::If { arms, otherwise } => self.branch(arms, otherwise.as_ref()),
            Cmd::For(each) => self.each(each, part),
            Cmd::Select(each) => {
                self.consume();
                self.select(each);
            }
            Cmd::ArithFor {
                init,
                condition,
                step,
                body,
            } => {
                if let Some(init) = init {
                    self.each_choice(|e| {
                        e.arith(init);
                    });
                }
                let forever = match condition {
                    None => true,
                    Some(crate::posix::tree::Arith::Number(n)) => n != "0",
                    Some(_) => false,
                };
                self.looped(part, forever, |e| {
                    if let Some(condition) = condition {
                        e.each_choice(|e| {
                            e.arith(condition);
                        });
                    }
                    e.list(body);
                    if let Some(step) = step {
                        e.each_choice(|e| {
                            e.arith(step);
                        });
                    }
                });
            }
            Cmd::While {
                until,
                condition,
                body,
            } => {
                let forever = constant(condition).is_some_and(|ok| ok != *until);
                self.looped(part, forever, |e| {
                    e.list(condition);
                    e.list(body);
                });
            }
            Cmd::Case { word, arms } => self.case(word, arms),
            Cmd::Subshell(list) => self.subshell(|e| e.list(list)),
            Cmd::Group(list) => self.list(list),
            Cmd::Arith(expr) => {
                if let Some(expr) = expr {
                    self.each_choice(|e| {
                        e.status = e.arith(expr).map(|v| v != 0);
                    });
                }
            }
            Cmd::Cond(cond) => {
                // With several values the status of each round is its own.
                self.each_choice(|e| e.status = e.cond(cond));
            }
            Cmd::Time(stmt) => {
                if let Some(stmt) = stmt {
                    self.stmt(stmt);
                }
            }
            Cmd::Function {
                name,
                name_part,
                body,
            } => self.define(name, *name_part, body),
            Cmd::Coproc(name, body) => {
                let stdin = std::mem::replace(&mut self.stdin, Stdin::Pipe(None));
                let output = std::mem::replace(&mut self.output, Output::Pipe);
                let capture = self.capture.take();
                self.subshell(|e| e.stmt(body));
                self.capture = capture;
                self.output = output;
                self.stdin = stdin;
                let number = compact_str::format_compact!("{name}_PID");
                self.set_value(&number, Val::any_text());
                self.set_value(name, Val::Unknown);
                self.status = Some(true);
            }
        }
    }

    fn pipeline(&mut self, stages: &[Stmt]) {
        let stdin = std::mem::replace(&mut self.stdin, Stdin::Inherited);
        let first_stdin = stdin.clone();
        let output = self.output;
        let last = stages.len().saturating_sub(1);
        let mut piped = first_stdin;
        for (i, stage) in stages.iter().enumerate() {
            self.stdin = piped;
            if i == last {
                self.output = output;
                self.subshell(|e| e.stmt(stage));
                break;
            }
            piped = Stdin::Pipe(self.piped(|e| e.subshell(|e| e.stmt(stage))));
            self.status = None;
        }
        // With `pipefail` it may be another stage's.
        self.status = self.status.filter(|ok| !ok);
        self.stdin = stdin;
        self.consume();
        self.output = output;
    }
}
