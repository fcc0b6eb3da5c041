//! Functions: read where they are defined, called, and never called.

use std::collections::BTreeMap;
use std::rc::Rc;

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use super::call::Expanded;
use super::variables::POSITIONAL;
use super::{Definition, Eval, MAX_FUNCTIONS};
use crate::posix::state::{Val, Var, either};
use crate::posix::tree::Stmt;
use crate::{Function, Programs};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn define(&mut self, name: &CompactString, name_part: Part, body: &Rc<Stmt>) {
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

    /// Functions that are never called by name may still be (by a trap, by the shell).
    pub(super) fn uncalled(&mut self) {
        let functions = Rc::clone(&self.functions);
        for (name, definition) in functions.iter() {
            if self.called.contains(name) {
                continue;
            }
            self.branches += 1;
            for body in &definition.bodies {
                let mark = self.store.mark();
                self.set_var(POSITIONAL, Var::of(Val::Unknown));
                self.calls.push(name.clone());
                self.stmt(body);
                self.calls.pop();
                self.store.undo(mark);
            }
            self.branches -= 1;
        }
    }

    pub(super) fn function(
        &mut self,
        name: &CompactString,
        bodies: &[Rc<Stmt>],
        call: &Expanded,
        values: &[(CompactString, Option<Val>)],
    ) {
        self.called.insert(name.clone());
        self.out
            .redirections
            .extend(call.redirected.list.iter().cloned());
        if self.calls.iter().filter(|c| *c == name).count() >= 2 {
            return self.doubt(
                call.part,
                "this function calls itself without an end in sight",
            );
        }
        if self.calls.len() > 16 {
            return self.doubt(call.part, "functions call each other too deeply");
        }
        let mark = self.store.mark();
        let lent = self.lend(values);
        let given = self.given.len();
        self.given
            .extend(values.iter().map(|(name, _)| name.clone()));
        let arguments = self.var_now(POSITIONAL);
        let spread = call.args.iter().any(|w| w.spreads);
        let list = call.args.iter().map(|w| w.text.clone()).collect();
        let val = if spread {
            Val::Unknown
        } else {
            Val::Array(list)
        };
        self.set_var(POSITIONAL, Var::of(val));
        let jumped = std::mem::replace(&mut self.jumped, false);
        let stdin = call
            .redirected
            .stdin
            .clone()
            .map(|s| std::mem::replace(&mut self.stdin, s));
        let output = call
            .redirected
            .output
            .map(|o| std::mem::replace(&mut self.output, o));
        let redirs = self.redirs.len();
        if redirs <= 64 {
            self.redirs.extend(call.redirected.list.iter().cloned());
        }
        self.calls.push(name.clone());
        let branches = self.branches;
        self.locals.push(Vec::new());
        if let [body] = bodies {
            self.nested_status(|e| e.stmt(body));
        } else {
            let mut ways = Vec::new();
            for body in bodies {
                let mark = self.store.mark();
                self.branches += 1;
                self.nested_status(|e| e.stmt(body));
                self.branches -= 1;
                ways.push(self.store.take(mark));
            }
            self.join(&ways);
            self.capture_unknown();
        }
        self.calls.pop();
        self.redirs.truncate(redirs);
        if let Some(stdin) = stdin {
            self.stdin = stdin;
        }
        if let Some(output) = output {
            self.output = output;
        }
        if self.jumped {
            self.blur(mark);
            self.status = None;
        }
        self.jumped = jumped;
        for hidden in self.locals.pop().unwrap_or_default().into_iter().rev() {
            let mut var = hidden.outer;
            // Where it may not have been hidden, what the function set may have stayed.
            if hidden.branches > branches {
                var = either(var, self.var_now(&hidden.name));
            }
            self.store.set(&hidden.name, var);
        }
        self.store.set(POSITIONAL, arguments);
        self.given.truncate(given);
        self.take_back(lent);
        self.store.keep(mark);
    }

    /// Like [`Self::nested`], but the status comes out.
    fn nested_status(&mut self, run: impl FnOnce(&mut Self)) {
        let mut status = None;
        self.nested(|e| {
            run(e);
            status = e.status;
        });
        self.status = status;
    }
}

/// The functions after one of two ways.
pub(super) fn either_defined(
    one: &mut Rc<BTreeMap<CompactString, Definition>>,
    other: &Rc<BTreeMap<CompactString, Definition>>,
) {
    if Rc::ptr_eq(one, other) {
        return;
    }
    let joined = Rc::make_mut(one);
    for (name, definition) in joined.iter_mut() {
        definition.certain &= other.contains_key(name);
    }
    for (name, theirs) in other.iter() {
        let ours = joined.entry(name.clone()).or_insert_with(|| Definition {
            bodies: smallvec::SmallVec::new(),
            certain: false,
        });
        ours.certain &= theirs.certain;
        for body in &theirs.bodies {
            if !ours.bodies.iter().any(|b| Rc::ptr_eq(b, body)) {
                ours.bodies.push(Rc::clone(body));
            }
        }
    }
}
