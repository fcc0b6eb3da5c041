//! Declarations: `export`, `readonly`, `declare`, `local`.

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use crate::posix::eval::variables::{concat, is_name, pieces_of, scalar};
use crate::posix::eval::{Eval, Hidden};
use crate::posix::state::Val;
use crate::{Assignment, Piece, Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    pub(super) fn declare(
        &mut self,
        name: &str,
        args: &[Word],
        declared: &[(Assignment, Option<Val>)],
    ) {
        self.declares += 1;
        if name == "local" && self.calls.is_empty() {
            // Outside of a function it fails and sets nothing.
            self.status = Some(false);
            return;
        }
        let mut said = Flags {
            exported: name == "export",
            integer: false,
            odd: false,
            list: false,
            global: false,
            fixed: name == "readonly",
        };
        // Inside a function `declare` makes a local, too, but with `-g`.
        let global = args.iter().any(|w| {
            w.text
                .known()
                .is_some_and(|t| t.starts_with('-') && t.contains('g'))
        });
        let scope = match name {
            "local" => Scope::Function,
            "declare" | "typeset" if !global => Scope::Function,
            _ => Scope::Outer,
        };
        let is_declare = matches!(name, "declare" | "typeset" | "local");
        let mut succeeds = true;
        for word in args {
            let Some(text) = word.text.known() else {
                self.half_known(word, declared, said, scope);
                continue;
            };
            if let Some(letters) = text.strip_prefix('-').filter(|f| !f.is_empty()) {
                // Some ask for names that needn't be there.
                succeeds &= letters.bytes().all(|b| b"-agirxlu".contains(&b));
                said.list |= letters.contains(['a', 'A']);
                if is_declare {
                    self.attributes(letters, word.part, &mut said);
                }
                if letters.contains('f') && said.fixed {
                    self.doubt(
                        word.part,
                        "a function that can't be replaced isn't followed",
                    );
                }
                continue;
            }
            if text.starts_with('+') {
                continue;
            }
            let (target, value) = match text.split_once('=') {
                Some((target, value)) => (target, Some(value)),
                None => (text, None),
            };
            let append = target.ends_with('+');
            let target = target.trim_end_matches('+');
            if target.contains('[') {
                self.no_subscript(&word.text, word.part);
                let base = target.split('[').next().unwrap_or_default();
                if is_name(base) {
                    let base = CompactString::from(base);
                    self.set_value(&base, Val::Unknown);
                }
                continue;
            }
            let value = value.map(CompactString::from);
            let target = CompactString::from(target);
            succeeds &= is_name(&target);
            if !is_name(&target) || declared.iter().any(|(a, _)| a.name == target) {
                continue;
            }
            let val = match value {
                Some(value) => {
                    let mut text = Text::Known(value);
                    if append {
                        let old = scalar(self.value(&target));
                        text = concat(old.unwrap_or_else(|| Text::Known("".into())), &text);
                    }
                    if said.integer {
                        self.text_as_number(&text, word.part);
                    }
                    Some(self.as_list(&target, Val::Text(text), said, word.part))
                }
                None => None,
            };
            self.declared(&target, val, said, scope, word.part);
        }
        for (assignment, val) in declared {
            if said.integer {
                self.text_as_number(&assignment.value, assignment.part);
            }
            let val = val.clone().unwrap_or(Val::Unknown);
            let target = assignment.name.clone();
            let val = self.as_list(&target, val, said, assignment.part);
            self.declared(&target, Some(val), said, scope, assignment.part);
        }
        self.status = succeeds.then_some(true);
    }

    /// `export "x=ssh$y"`: the name is there, the value only in part.
    fn half_known(
        &mut self,
        word: &Word,
        declared: &[(Assignment, Option<Val>)],
        said: Flags,
        scope: Scope,
    ) {
        self.no_subscript(&word.text, word.part);
        let Some((target, _)) = word.text.known_prefix().split_once('=') else {
            // `export $x`: any name may be set to anything.
            return self.doubt(word.part, "what this sets isn't known before it runs");
        };
        let base = target.split(['[', '+']).next().unwrap_or_default();
        let base = CompactString::from(base);
        if !is_name(&base) || declared.iter().any(|(a, _)| a.name == base) {
            return;
        }
        let val = if base == target {
            let text = behind(target.len() + 1, &word.text);
            self.as_list(&base, Val::Text(text), said, word.part)
        } else {
            Val::Unknown
        };
        if said.integer {
            self.text_as_number(&word.text, word.part);
        }
        self.declared(&base, Some(val), said, scope, word.part);
    }

    /// The letters of an option of `declare`.
    fn attributes(&mut self, letters: &str, part: Part, said: &mut Flags) {
        said.exported |= letters.contains('x');
        said.integer |= letters.contains('i');
        said.fixed |= letters.contains('r');
        said.odd |= letters.contains(['n', 'A']);
        said.global |= letters.contains('g');
        if letters.contains(['u', 'l', 'c']) {
            self.doubt(part, "what is assigned from here on is changed first");
        }
        // Whatever it is given is worked out: by `read`, by a loop, by arithmetic.
        if letters.contains('i') && self.armed {
            self.doubt(part, "a value may run what its subscript says");
        }
        if letters.contains('I') {
            self.doubt(part, "what a caller's variable holds is taken over here");
        }
        if letters.contains('n') {
            self.doubt(part, "a name that stands for another can't be followed");
        }
    }

    /// `declare -a 'a=($(evil))'`: a text that is to be a list is expanded once more.
    fn as_list(&mut self, name: &str, val: Val, said: Flags, part: Part) -> Val {
        let Val::Text(text) = &val else { return val };
        let is_list = |val: &Val| matches!(val, Val::Array(_) | Val::Unknown);
        let to_list = said.list || self.var_now(name).alts.iter().any(is_list);
        let prefix = text.known_prefix();
        let opens = prefix.starts_with('(') || (prefix.is_empty() && text.known().is_none());
        if self.dialect == Dialect::Sh || !to_list || !opens {
            return val;
        }
        let pieces = pieces_of(text.clone());
        let is_live = |piece: &Piece| match piece {
            Piece::Known(text) | Piece::Glob(text) => text.contains(['$', '`', '<', '>']),
            Piece::Unknown => false,
        };
        if pieces.iter().any(is_live) {
            self.doubt(part, "what this list says is expanded once more");
        }
        Val::Unknown
    }

    fn declared(
        &mut self,
        name: &CompactString,
        val: Option<Val>,
        flags: Flags,
        scope: Scope,
        part: Part,
    ) {
        if scope != Scope::Outer && !self.calls.is_empty() {
            self.hide(name);
        }
        if flags.global && self.locals.iter().flatten().any(|h| h.name == *name) {
            self.doubt(
                part,
                "it sets a variable that another of the same name hides",
            );
        }
        let mut var = self.var_now(name);
        var.exported |= flags.exported;
        var.integer |= flags.integer;
        let fixed = var.fixed || flags.fixed;
        match val {
            Some(val) => {
                var.alts = smallvec::smallvec![if flags.odd || flags.integer {
                    Val::Unknown
                } else {
                    val
                }];
            }
            // A bare `local x` hides the outer one.
            // dash takes the outer value over.
            None if scope == Scope::Function
                && !self.calls.is_empty()
                && self.dialect != Dialect::Sh =>
            {
                var.alts = smallvec::smallvec![Val::Unset];
            }
            None => {}
        }
        if var.exported {
            for val in var.alts.clone() {
                self.out.assignments.push(Assignment {
                    name: name.clone(),
                    value: scalar(val).unwrap_or_else(|| Text::Known("".into())),
                    part: self.at.unwrap_or(part),
                    exported: true,
                });
            }
        } else {
            let value = var.alts.first().cloned().and_then(scalar);
            self.out.assignments.push(Assignment {
                name: name.clone(),
                value: value.unwrap_or_else(|| Text::Known("".into())),
                part: self.at.unwrap_or(part),
                exported: false,
            });
        }
        self.set_var(name, var);
        if fixed {
            let mut var = self.var_now(name);
            var.fixed = true;
            self.store.set(name, var);
        }
    }

    /// `local`: the function has the name for itself.
    fn hide(&mut self, name: &CompactString) {
        let outer = self.var_now(name);
        let branches = self.branches;
        if let Some(hidden) = self.locals.last_mut()
            && !hidden
                .iter()
                .any(|h| h.name == *name && h.branches <= branches)
        {
            hidden.push(Hidden {
                name: name.clone(),
                outer,
                branches,
            });
        }
    }
}

/// A text from a place in its first known piece on.
fn behind(from: usize, text: &Text) -> Text {
    let mut pieces = pieces_of(text.clone());
    if let Some(Piece::Known(first)) = pieces.first_mut() {
        *first = first.get(from..).unwrap_or_default().into();
    }
    Text::Partly(pieces.into_boxed_slice())
}

/// Whose variable a declaration makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The function's own, which starts unset.
    Function,
    /// The one that is there.
    Outer,
}

/// What a declaration says of its names.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options of `declare`, independent of each other"
)]
struct Flags {
    exported: bool,
    integer: bool,
    /// Letter case, associative arrays: the value isn't followed.
    odd: bool,
    /// `-a`, `-A`.
    list: bool,
    /// `-g`.
    global: bool,
    fixed: bool,
}
