//! Lists, pipelines, branches and loops.

use std::rc::Rc;

use cerco_model::{Dialect, Part};

use super::variables::{POSITIONAL, scalar};
use super::{Definition, Eval, LoopFrame, MAX_DEPTH, MAX_FUNCTIONS};
use crate::posix::state::{Alts, MAX_ALTS, Mark, Val, Var};
use crate::posix::tree::{CaseArm, Cmd, Cond, For, Frag, Link, List, Stmt, Word};
use crate::{Function, Output, Programs, Stdin, Text};

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
            // It runs beside what follows, in a shell of its own.
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
            let redirected = e.redirections(&stmt.redirs);
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
            e.compound(&stmt.command, stmt.part);
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
            Cmd::Select(each) => self.select(each),
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
            Cmd::Coproc(body) => {
                let stdin = std::mem::replace(&mut self.stdin, Stdin::Pipe(None));
                let output = std::mem::replace(&mut self.output, Output::Pipe);
                let capture = self.capture.take();
                self.subshell(|e| e.stmt(body));
                self.capture = capture;
                self.output = output;
                self.stdin = stdin;
                self.status = Some(true);
            }
        }
    }

    fn define(&mut self, name: &compact_str::CompactString, name_part: Part, body: &Rc<Stmt>) {
        let part = self.at.unwrap_or(name_part);
        self.out.functions.push(Function {
            name: name.clone(),
            part,
        });
        if name == "command_not_found_handle" && self.dialect != Dialect::Sh {
            self.doubt(
                part,
                "the shell runs it by itself when it doesn't find a program",
            );
        }
        // Code that runs at any moment may still find what it replaces.
        let certain = self.branches == 0 && !self.jumped && self.trapped.is_empty();
        let functions = Rc::make_mut(&mut self.functions);
        if functions.len() >= MAX_FUNCTIONS {
            return self.doubt(part, "it defines too many functions");
        }
        let definition = functions.entry(name.clone()).or_insert_with(|| Definition {
            bodies: smallvec::SmallVec::new(),
            certain: false,
        });
        if certain {
            definition.bodies.clear();
            definition.certain = true;
        }
        if !definition.bodies.iter().any(|b| Rc::ptr_eq(b, body)) {
            definition.bodies.push(Rc::clone(body));
        }
        self.called.remove(name);
        self.status = Some(true);
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
            let text = self.captured(|e| e.subshell(|e| e.stmt(stage)));
            piped = Stdin::Pipe(text.map(Text::Known));
            self.status = None;
        }
        self.stdin = stdin;
        self.output = output;
    }

    /// `a && b || c`: each part runs from the states in which those before it let it.
    fn and_or(&mut self, first: &Stmt, rest: &[(Link, Stmt)]) {
        let base = self.store.mark();
        let before = self.store.changes(base);
        self.stmt(first);
        let now = self.store.changes(base);
        let stays = |stmt: &Stmt, now: &crate::posix::state::Changes, before| {
            // A `cd` that fails leaves the directory as it was.
            if moves(stmt) { before } else { now.clone() }
        };
        let mut ok = Vec::new();
        let mut bad = Vec::new();
        if self.status != Some(true) {
            bad.push(stays(first, &now, before));
        }
        if self.status != Some(false) {
            ok.push(now);
        }
        let branches = self.branches;
        for (link, stmt) in rest {
            let certain = match link {
                Link::And => bad.is_empty(),
                Link::Or => ok.is_empty(),
            };
            let from = match link {
                Link::And => std::mem::take(&mut ok),
                Link::Or => std::mem::take(&mut bad),
            };
            // What surely isn't run is still read: it costs little and hides nothing.
            let dead = from.is_empty();
            let undone = self.store.mark();
            if !dead {
                self.rewind(base, &from);
            }
            let before = self.store.changes(base);
            let work = self.store.written_since(base);
            if !self.spend(work, stmt.part) {
                break;
            }
            if !certain || dead {
                self.capture_unknown();
                self.branches = branches + 1;
            }
            self.stmt(stmt);
            let now = self.store.changes(base);
            if dead {
                self.store.undo(undone);
                continue;
            }
            self.store.keep(undone);
            let status = self.status;
            let failed = stays(stmt, &now, before);
            match link {
                Link::And => {
                    if status != Some(true) {
                        add(&mut bad, failed);
                    }
                    if status != Some(false) {
                        ok.push(now);
                    }
                }
                Link::Or => {
                    if status != Some(true) {
                        add(&mut bad, failed);
                    }
                    if status != Some(false) {
                        add(&mut ok, now);
                    }
                }
            }
        }
        self.branches = branches;
        self.status = match (ok.is_empty(), bad.is_empty()) {
            (false, true) => Some(true),
            (true, false) => Some(false),
            _ => None,
        };
        ok.extend(bad);
        self.rewind(base, &ok);
        self.store.keep(base);
    }

    /// Puts the store where it was at `base`, then to one of `ways`.
    fn rewind(&mut self, base: Mark, ways: &[crate::posix::state::Changes]) {
        if let [way] = ways
            && *way == self.store.changes(base)
        {
            return;
        }
        if self.store.written_since(base) == 0
            && ways.iter().all(std::collections::BTreeMap::is_empty)
        {
            return;
        }
        self.store.back(base);
        self.join(ways);
    }

    fn branch(&mut self, arms: &[(List, List)], otherwise: Option<&List>) {
        let base = self.store.mark();
        let mut ways = Vec::new();
        let functions_branch = self.branches;
        for (i, (condition, body)) in arms.iter().enumerate() {
            if i == 1 {
                self.branches = functions_branch + 1;
            }
            self.list(condition);
            self.branches = functions_branch + 1;
            self.capture_unknown();
            let mark = self.store.mark();
            self.list(body);
            ways.push(self.store.changes(base));
            self.store.undo(mark);
        }
        if let Some(body) = otherwise {
            self.list(body);
        }
        ways.push(self.store.changes(base));
        self.branches = functions_branch;
        self.store.back(base);
        self.join(&ways);
        self.store.keep(base);
        self.status = None;
    }

    fn case(&mut self, word: &Word, arms: &[CaseArm]) {
        let mut text = Text::Known("".into());
        let mut several = 0;
        self.each_choice(|e| {
            text = e.one(word);
            several += 1;
        });
        let known = if several == 1 {
            text.known().map(str::to_owned)
        } else {
            None
        };
        let base = self.store.mark();
        let mut ways = Vec::new();
        let mut settled = false;
        self.branches += 1;
        for arm in arms {
            let mut matched = Some(false);
            for pattern in &arm.patterns {
                let mut chars = None;
                self.each_choice(|e| chars = e.pattern_of(pattern));
                let hit = match (&known, chars) {
                    (_, Some(pattern)) if pattern == [('*', false)] => Some(true),
                    (Some(text), Some(pattern)) => {
                        let text: Vec<char> = text.chars().collect();
                        super::pattern::matches(&pattern, &text)
                    }
                    _ => None,
                };
                matched = match (matched, hit) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
            self.capture_unknown();
            let mark = self.store.mark();
            self.list(&arm.body);
            let way = self.store.changes(base);
            if arm.falls {
                // The next arm may run on what this one left.
                self.blur(mark);
                self.store.keep(mark);
            } else {
                self.store.undo(mark);
            }
            if matched != Some(false) && !settled {
                ways.push(way);
            }
            settled |= matched == Some(true) && !arm.falls;
        }
        self.branches -= 1;
        if !settled {
            ways.push(self.store.changes(base));
        }
        self.store.back(base);
        self.join(&ways);
        self.store.keep(base);
        self.status = None;
    }

    fn each(&mut self, each: &For, part: Part) {
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
        };
        self.looped(part, false, |e| {
            e.set_var(&each.name, var.clone());
            e.list(&each.body);
        });
    }

    fn select(&mut self, each: &For) {
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
    fn looped(&mut self, part: Part, forever: bool, body: impl Fn(&mut Self)) {
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

    fn cond(&mut self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Word(word) => self.one(word).known().map(|text| !text.is_empty()),
            Cond::Not(inner) => self.cond(inner).map(|ok| !ok),
            Cond::And(a, b) => {
                let a = self.cond(a);
                let b = self.cond(b);
                match (a, b) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Cond::Or(a, b) => {
                let a = self.cond(a);
                let b = self.cond(b);
                match (a, b) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Cond::Unary(flag, inner) => {
                let Cond::Word(word) = &**inner else {
                    self.cond(inner);
                    return None;
                };
                let text = self.one(word);
                match flag {
                    'n' => text.known().map(|t| !t.is_empty()),
                    'z' => text.known().map(str::is_empty),
                    'v' | 'R' => {
                        self.no_subscript(&text, word.part);
                        None
                    }
                    _ => None,
                }
            }
            Cond::Match {
                left,
                pattern,
                negated,
            } => {
                let Cond::Word(left) = &**left else {
                    return None;
                };
                let left = self.one(left);
                let Cond::Word(pattern) = &**pattern else {
                    return None;
                };
                let pattern = self.pattern_of(pattern)?;
                let text: Vec<char> = left.known()?.chars().collect();
                super::pattern::matches(&pattern, &text).map(|hit| hit != *negated)
            }
            Cond::Compare(a, b) => {
                for side in [a, b] {
                    if let Cond::Word(word) = &**side {
                        let text = self.one(word);
                        self.operand_as_number(&text, word.part);
                    } else {
                        self.cond(side);
                    }
                }
                None
            }
            Cond::Other(a, b) => {
                self.cond(a);
                self.cond(b);
                None
            }
        }
    }

    /// `[[ x -eq 1 ]]`: a name in it is a variable, whose text is read as well.
    fn operand_as_number(&mut self, text: &Text, part: Part) {
        self.text_as_number(text, part);
        if let Some(name) = text.known()
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && let Some(value) = scalar(self.value(name))
        {
            self.text_as_number(&value, part);
        }
    }

    /// A variable's name in an argument: a subscript in it is arithmetic.
    pub(super) fn no_subscript(&mut self, text: &Text, part: Part) {
        if super::variables::may_inject(text, self.armed) {
            self.doubt(part, "a subscript in this name may run what it says");
        }
    }
}

/// Adds a state that isn't there yet.
fn add(ways: &mut Vec<crate::posix::state::Changes>, way: crate::posix::state::Changes) {
    if !ways.contains(&way) {
        ways.push(way);
    }
}

/// Whether a command changes the directory, which it only does when it succeeds.
fn moves(stmt: &Stmt) -> bool {
    matches!(&stmt.command, Cmd::Simple(simple) if plain_name(simple.words.first())
        .is_some_and(|name| matches!(name, "cd" | "pushd" | "popd")))
}

fn plain_name(word: Option<&Word>) -> Option<&str> {
    match word?.frags.as_slice() {
        [Frag::Bare(text) | Frag::Quoted(text)] => Some(text),
        _ => None,
    }
}

/// A condition that is always the same: `true`, `:`, `[ 1 ]`, `((1))`, `sleep 1`.
fn constant(condition: &List) -> Option<bool> {
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
        | Cmd::Coproc(_) => return None,
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
