//! `trap`: code that runs later, at its signal. It is read now, and once more with what the
//! text leaves at its end.

use std::rc::Rc;

use cerco_model::Part;
use compact_str::CompactString;

use crate::posix::eval::Eval;
use crate::posix::eval::branches::plain_name;
use crate::posix::state::Val;
use crate::posix::tree::{Cmd, List};
use crate::{Programs, Word};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn trap(&mut self, args: &[Word], part: Part) {
        let args = match args {
            [first, rest @ ..] if first.text.known() == Some("--") => rest,
            rest => rest,
        };
        let [code, signals @ ..] = args else { return };
        match code.text.known() {
            Some("-p" | "-l" | "-P" | "" | "-") => {}
            // `trap INT` alone resets it.
            Some(_) if !code.spreads && signals.is_empty() => {}
            Some(text) if !code.spreads => {
                if self.depth > 24 {
                    return self.doubt(part, "texts in texts are nested too deeply");
                }
                let list = Rc::new(self.parse(text, code.part));
                self.trapped.push((Rc::clone(&list), code.part));
                let changed = self.run_aside(&list, code.part);
                let only_at_the_end = signals
                    .iter()
                    .all(|s| matches!(s.text.known(), Some("EXIT" | "0")));
                if !only_at_the_end && !ends_the_shell(&list) {
                    self.changed_at_any_moment(&changed);
                }
                self.store.watch();
            }
            _ => self.doubt(
                code.part,
                "the commands in this text aren't known before it runs",
            ),
        }
    }

    /// Reads what a trap runs; the variables that it sets.
    fn run_aside(&mut self, list: &List, part: Part) -> Vec<CompactString> {
        let at = self.at.replace(self.at.unwrap_or(part));
        let capture = self.capture.take();
        let mark = self.store.mark();
        self.depth += 8;
        self.branches += 1;
        let mut changed = Vec::new();
        self.nested(|e| {
            e.subshell(|e| {
                e.list(list);
                changed.extend(e.store.changes(mark).into_keys());
            });
        });
        self.branches -= 1;
        self.depth -= 8;
        self.store.keep(mark);
        self.capture = capture;
        self.at = at;
        changed
    }

    /// Variables that a trap sets before any command to come: they may hold anything, and
    /// what is assigned to them needn't stay.
    fn changed_at_any_moment(&mut self, names: &[CompactString]) {
        for name in names {
            let mut var = self.var_now(name);
            var.alts = smallvec::smallvec![Val::Unknown];
            var.fixed = true;
            self.store.set(name, var);
        }
    }
}

/// Whether no command comes behind this text.
fn ends_the_shell(list: &List) -> bool {
    list.last().is_some_and(|stmt| {
        !stmt.background
            && matches!(&stmt.command, Cmd::Simple(simple)
                if plain_name(simple.words.first()) == Some("exit"))
    })
}
