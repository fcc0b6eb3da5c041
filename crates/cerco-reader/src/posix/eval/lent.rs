//! `A=b command`: a value for the time of one builtin or function.

use compact_str::CompactString;

use super::Eval;
use crate::posix::state::{Val, Var, either};
use crate::posix::tree::Assign;
use crate::{Assignment, Programs};

/// The variables in front of one command.
#[derive(Debug)]
pub(super) struct Lent {
    vars: Vec<(CompactString, Var, Var)>,
    declares: usize,
}

impl<P: Programs> Eval<'_, P> {
    /// What stands in front of a command, each with those before it in view
    /// (`x=evil y=$x f`). Nothing of it is set yet.
    pub(super) fn in_front(
        &mut self,
        assigns: &[Assign],
    ) -> (Vec<Assignment>, Vec<(CompactString, Option<Val>)>) {
        let mut assignments = Vec::with_capacity(assigns.len());
        let mut values: Vec<(CompactString, Option<Val>)> = Vec::with_capacity(assigns.len());
        let mut before = Vec::new();
        for assign in assigns {
            if let Some((name, val)) = values.last() {
                before.push((name.clone(), self.var_now(name)));
                self.set_value(name, val.clone().unwrap_or(Val::Unknown));
            }
            let (mut assignment, val) = self.assignment(assign);
            assignment.exported = true;
            values.push((assignment.name.clone(), val));
            assignments.push(assignment);
        }
        for (name, var) in before.into_iter().rev() {
            self.store.set(&name, var);
        }
        (assignments, values)
    }

    pub(super) fn lend(&mut self, values: &[(CompactString, Option<Val>)]) -> Lent {
        let before: Vec<Var> = values.iter().map(|(name, _)| self.var_now(name)).collect();
        for (name, val) in values {
            self.set_value(name, val.clone().unwrap_or(Val::Unknown));
        }
        let vars = values.iter().zip(before);
        Lent {
            vars: vars
                .map(|((name, _), before)| (name.clone(), before, self.var_now(name)))
                .collect(),
            declares: self.declares,
        }
    }

    /// What the command declared or set stays in some cases (`x=evil export x` in bash,
    /// `x=evil local y` in dash): then it is one of the two.
    pub(super) fn take_back(&mut self, lent: Lent) {
        for (name, before, given) in lent.vars.into_iter().rev() {
            let now = self.var_now(&name);
            let may_stay = self.declares != lent.declares || now != given;
            let var = if may_stay {
                either(before, now)
            } else {
                before
            };
            self.store.set(&name, var);
        }
    }
}
