//! Loops: read until another round changes nothing, and what ends them.

use cerco_model::Part;

use super::branches::plain_name;
use super::variables::{POSITIONAL, scalar};
use super::{Eval, LoopFrame};
use crate::Programs;
use crate::posix::state::{Alts, MAX_ALTS, Val, Var};
use crate::posix::tree::{Cmd, Cond, For, List};

/// How much the reading held at a point, to go back to before a loop is read again.
#[derive(Clone, Copy, Debug)]
struct Written {
    starts: usize,
    assignments: usize,
    redirections: usize,
    functions: usize,
    endless: usize,
    doubts: usize,
}

impl<P: Programs> Eval<'_, P> {
    pub(super) fn each(&mut self, each: &For, part: Part) {
        let mut alts = Alts::new();
        let mut spread = false;
        match &each.words {
            None => match self.var_now(POSITIONAL).alts.as_slice() {
                [Val::Array(list)] => alts.extend(list.iter().cloned().map(Val::Text)),
                _ => spread = true,
            },
            Some(words) => self.each_choice(|e| {
                let mut out = Vec::new();
                for word in words {
                    e.expand(word, &mut out);
                }
                for word in out {
                    spread |= word.spreads;
                    let val = Val::Text(word.text);
                    if !alts.contains(&val) && alts.len() <= MAX_ALTS {
                        alts.push(val);
                    }
                }
            }),
        }
        if spread || alts.is_empty() || alts.len() > MAX_ALTS {
            alts = smallvec::smallvec![Val::any_text()];
        }
        let now = self.var_now(&each.name);
        let (exported, integer) = (now.exported, now.integer);
        if integer {
            alts = smallvec::smallvec![Val::any_text()];
        }
        let name_part = self.at.unwrap_or(each.name_part);
        for val in &alts {
            if let Some(value) = scalar(val.clone()) {
                self.out.assignments.push(crate::Assignment {
                    name: each.name.clone(),
                    value,
                    part: name_part,
                    exported,
                });
            }
        }
        let var = Var {
            alts,
            exported,
            integer,
            fixed: false,
            listed: false,
        };
        self.looped(part, false, |e| {
            e.set_var(&each.name, var.clone());
            e.list(&each.body);
        });
    }

    pub(super) fn select(&mut self, each: &For) {
        self.each_choice(|e| {
            let mut out = Vec::new();
            for word in each.words.iter().flatten() {
                e.expand(word, &mut out);
            }
        });
        self.looped(Part::default(), false, |e| {
            // The choice is read from the input.
            e.set_value(&each.name, Val::any_text());
            e.set_value("REPLY", Val::any_text());
            e.list(&each.body);
        });
    }

    /// Reads a loop's body until reading it again shows nothing new.
    pub(super) fn looped(&mut self, part: Part, forever: bool, body: impl Fn(&mut Self)) {
        let base = self.store.mark();
        let jumped = std::mem::replace(&mut self.jumped, false);
        self.branches += 1;
        self.capture_unknown();
        let written = self.written();
        let mut left = false;
        for pass in 0..3 {
            let defined = self.defined();
            let mark = self.store.mark();
            self.loops.push(LoopFrame::default());
            body(self);
            left |= self.loops.pop().is_some_and(|frame| frame.left);
            self.blur(mark);
            let changed = self.store.changed_since(mark) || self.defined() != defined;
            if !changed || pass == 2 || self.spent_out {
                self.store.keep(mark);
                break;
            }
            if pass == 1 {
                // It goes on changing: whatever the body touches may hold anything.
                self.store.forget(mark);
            }
            self.store.keep(mark);
            self.go_back(written);
        }
        self.store.keep(base);
        self.branches -= 1;
        self.jumped = jumped;
        self.status = None;
        if forever && !left {
            let part = self.at.unwrap_or(part);
            self.out.endless_loops.push(part);
        }
    }

    /// Grows whenever a function gets another body, or stops being certain.
    fn defined(&self) -> usize {
        self.functions
            .values()
            .map(|f| 2 * f.bodies.len() + usize::from(!f.certain))
            .sum()
    }

    fn written(&self) -> Written {
        Written {
            starts: self.out.starts.len(),
            assignments: self.out.assignments.len(),
            redirections: self.out.redirections.len(),
            functions: self.out.functions.len(),
            endless: self.out.endless_loops.len(),
            doubts: self.out.doubts.len(),
        }
    }

    fn go_back(&mut self, to: Written) {
        self.out.starts.truncate(to.starts);
        self.out.assignments.truncate(to.assignments);
        self.out.redirections.truncate(to.redirections);
        self.out.functions.truncate(to.functions);
        self.out.endless_loops.truncate(to.endless);
        self.out.doubts.truncate(to.doubts);
    }

    /// The shell ends here, so no later command sees what this path left.
    pub(super) fn leave_shell(&mut self) {
        self.capture_unknown();
        let floor = self.loop_floor;
        for frame in self.loops.iter_mut().skip(floor) {
            frame.left = true;
        }
    }

    /// A function or loops are left here: what follows in them may not run.
    pub(super) fn leave_loops(&mut self, count: usize) {
        self.jumped = true;
        self.capture_unknown();
        let floor = self.loop_floor.max(self.loops.len().saturating_sub(count));
        for frame in self.loops.iter_mut().skip(floor) {
            frame.left = true;
        }
    }
}

/// A condition that is always the same: `true`, `:`, `[ 1 ]`, `((1))`, `sleep 1`.
pub(super) fn constant(condition: &List) -> Option<bool> {
    let stmt = condition.last()?;
    let holds = match &stmt.command {
        Cmd::Simple(simple) => {
            let words: Option<Vec<&str>> =
                simple.words.iter().map(|w| plain_name(Some(w))).collect();
            match words?.as_slice() {
                ["true" | ":" | "echo" | "printf" | "sleep", ..] => true,
                ["false", ..] => false,
                ["[", inside @ .., "]"] | ["test", inside @ ..] => constant_test(inside)?,
                _ => return None,
            }
        }
        Cmd::Arith(Some(crate::posix::tree::Arith::Number(n))) => n != "0",
        Cmd::Cond(cond) => match cond {
            Cond::Word(word) => !plain_name(Some(word))?.is_empty(),
            Cond::Not(_)
            | Cond::And(..)
            | Cond::Or(..)
            | Cond::Unary(..)
            | Cond::Match { .. }
            | Cond::Compare(..)
            | Cond::Other(..) => return None,
        },
        Cmd::Arith(_)
        | Cmd::Pipe(_)
        | Cmd::AndOr { .. }
        | Cmd::If { .. }
        | Cmd::For(_)
        | Cmd::Select(_)
        | Cmd::ArithFor { .. }
        | Cmd::While { .. }
        | Cmd::Case { .. }
        | Cmd::Subshell(_)
        | Cmd::Group(_)
        | Cmd::Time(_)
        | Cmd::Function { .. }
        | Cmd::Coproc(..) => return None,
    };
    Some(holds != stmt.negated)
}

fn constant_test(words: &[&str]) -> Option<bool> {
    match words {
        [] => Some(false),
        [one] | ["-n", one] => Some(!one.is_empty()),
        ["-z", one] => Some(one.is_empty()),
        ["!", rest @ ..] => constant_test(rest).map(|ok| !ok),
        [a, "=" | "==", b] => Some(a == b),
        [a, "!=", b] => Some(a != b),
        [a, op, b] => {
            let (a, b): (i64, i64) = (a.parse().ok()?, b.parse().ok()?);
            match *op {
                "-eq" => Some(a == b),
                "-ne" => Some(a != b),
                "-lt" => Some(a < b),
                "-le" => Some(a <= b),
                "-gt" => Some(a > b),
                "-ge" => Some(a >= b),
                _ => None,
            }
        }
        _ => None,
    }
}
