//! Assignments: `A=b`, `A+=b`, arrays.

use compact_str::CompactString;

use super::Eval;
use super::redirect::Redirected;
use super::variables::{concat, scalar};
use crate::posix::state::{Val, unknown};
use crate::posix::tree::{Assign, Value};
use crate::{Assignment, Programs, Text, Word};

impl<P: Programs> Eval<'_, P> {
    /// `A=b` and `> file` without a program.
    pub(super) fn bare_assignments(&mut self, assigns: &[Assign], redirected: Redirected) {
        self.out.redirections.extend(redirected.list);
        // The status is that of the last substitution, if there is one.
        self.status = None;
        self.perhaps(redirected.may_fail, |e| {
            for assign in assigns {
                let (assignment, val) = e.assignment(assign);
                if let Some(val) = val {
                    e.set_value(&assignment.name, val);
                }
                e.out.assignments.push(assignment);
            }
        });
    }

    /// The assignment and the value it leaves; no value where an element is set.
    pub(super) fn assignment(&mut self, assign: &Assign) -> (Assignment, Option<Val>) {
        let exported = match self.store.get(&assign.name) {
            Some(var) => var.exported,
            None => self.place.environment.contains_key(assign.name.as_str()),
        };
        if let Some(index) = &assign.index {
            let at = self.arith(index);
            let count = match self.value(&assign.name) {
                Val::Array(list) => i64::try_from(list.len()).unwrap_or(i64::MAX),
                Val::Unset | Val::Text(_) | Val::Unknown => 0,
            };
            if at.is_some_and(|at| at.saturating_add(count) < 0) {
                self.fails();
            }
        }
        let (value, val) = match &assign.value {
            Value::Scalar(word) => {
                let mut text = self.assigned(word);
                if text.known().is_none_or(|t| t.len() > 256) {
                    let length = text.known().map_or(64, str::len);
                    self.spend(length, assign.part);
                }
                if assign.append && assign.index.is_none() {
                    let old = scalar(self.value(&assign.name));
                    text = concat(old.unwrap_or_else(|| Text::Known("".into())), &text);
                }
                if self.store.get(&assign.name).is_some_and(|v| v.integer) {
                    self.text_as_number(&text, assign.part);
                    text = unknown();
                }
                self.no_prompt(&assign.name, &text, assign.part);
                (text.clone(), Val::Text(text))
            }
            Value::Array(elements) => {
                let mut words = Vec::new();
                let mut plain = !assign.append;
                for (key, word) in elements {
                    match key {
                        Some(key) => {
                            plain = false;
                            self.arith(key);
                            words.push(Word {
                                text: self.one(word),
                                part: word.part,
                                spreads: false,
                            });
                        }
                        None => self.expand(word, &mut words),
                    }
                }
                plain &= words.iter().all(|w| !w.spreads);
                let list: Vec<Text> = words.into_iter().map(|w| w.text).collect();
                let mut all = Text::Known(CompactString::default());
                for (i, text) in list.iter().enumerate() {
                    if i > 0 {
                        all = concat(all, &Text::Known(" ".into()));
                    }
                    all = concat(all, text);
                }
                (
                    all,
                    if plain {
                        Val::Array(list)
                    } else {
                        Val::Unknown
                    },
                )
            }
        };
        let val = if assign.index.is_some() {
            Val::Unknown
        } else {
            val
        };
        let assignment = Assignment {
            name: assign.name.clone(),
            value,
            part: self.at.unwrap_or(assign.part),
            exported,
        };
        (assignment, Some(val))
    }
}
