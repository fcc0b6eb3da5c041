//! The variables of the shell that would run the text, with a way back.
//!
//! Branches, subshells and loops run one after the other on the same store; an undo log
//! takes back what one of them did, so that nothing is ever copied as a whole.

use std::collections::BTreeMap;

use compact_str::CompactString;
use smallvec::SmallVec;

use crate::{Piece, Text};

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Val {
    Unset,
    Text(Text),
    /// The elements of an indexed array, from 0 on without gaps.
    Array(Vec<Text>),
    /// Anything: unset, a text, an array.
    Unknown,
}

impl Val {
    pub(crate) fn known(text: &str) -> Self {
        Self::Text(Text::Known(CompactString::from(text)))
    }

    pub(crate) fn any_text() -> Self {
        Self::Text(unknown())
    }
}

/// Any text.
pub(crate) fn unknown() -> Text {
    Text::Partly(Box::new([Piece::Unknown]))
}

/// The values a variable may have at a point; never empty.
pub(crate) type Alts = SmallVec<[Val; 1]>;

/// More values than this and a variable may hold anything.
pub(crate) const MAX_ALTS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts about the name, independent of each other"
)]
pub(crate) struct Var {
    pub(crate) alts: Alts,
    pub(crate) exported: bool,
    /// `declare -i`: what is assigned is arithmetic.
    pub(crate) integer: bool,
    /// `readonly`: a later assignment may fail and leave the old value.
    pub(crate) fixed: bool,
    /// It was an array, or may have been: what a text sets is its first element.
    pub(crate) listed: bool,
}

impl Var {
    pub(crate) fn of(val: Val) -> Self {
        Self {
            alts: smallvec::smallvec![val],
            exported: false,
            integer: false,
            fixed: false,
            listed: false,
        }
    }
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

/// What a stretch of commands left changed.
pub(crate) type Changes = BTreeMap<CompactString, Option<Var>>;

#[derive(Debug, Default)]
pub(crate) struct Store {
    vars: BTreeMap<CompactString, Var>,
    log: Vec<(CompactString, Option<Var>)>,
    /// Whether anything can want to go back; without it nothing is logged.
    marks: usize,
    /// Every value that a variable had since [`Store::watch`], those taken back included.
    history: Option<BTreeMap<CompactString, Vec<Option<Var>>>>,
}

impl Store {
    pub(crate) fn get(&self, name: &str) -> Option<&Var> {
        self.vars.get(name)
    }

    pub(crate) fn set(&mut self, name: &str, var: Var) {
        self.put(CompactString::from(name), Some(var));
    }

    fn put(&mut self, name: CompactString, var: Option<Var>) {
        if let Some(history) = &mut self.history {
            let had = history
                .entry(name.clone())
                .or_insert_with(|| vec![self.vars.get(&name).cloned()]);
            // One more than may be told apart is enough to know that it may be anything.
            if had.len() <= MAX_ALTS && !had.contains(&var) {
                had.push(var.clone());
            }
        }
        let old = match var {
            Some(var) => self.vars.insert(name.clone(), var),
            None => self.vars.remove(&name),
        };
        if self.marks > 0 {
            self.log.push((name, old));
        }
    }

    /// From here on every value is remembered: code may run at any moment.
    pub(crate) fn watch(&mut self) {
        self.history.get_or_insert_default();
    }

    /// Each variable changed since [`Store::watch`] becomes one of the values it had.
    pub(crate) fn any_moment(&mut self, unset: impl Fn(&str) -> Var) {
        for (name, had) in self.history.take().unwrap_or_default() {
            let now = self.vars.get(&name).cloned();
            let joined = had
                .into_iter()
                .map(|var| var.unwrap_or_else(|| unset(&name)))
                .fold(now.unwrap_or_else(|| unset(&name)), either);
            self.put(name, Some(joined));
        }
    }

    pub(crate) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark(self.log.len())
    }

    /// Keeps what was done since `mark`.
    pub(crate) fn keep(&mut self, _: Mark) {
        self.marks = self.marks.saturating_sub(1);
        if self.marks == 0 {
            self.log.clear();
        }
    }

    /// Takes back what was done since `mark`.
    pub(crate) fn undo(&mut self, mark: Mark) {
        self.back(mark);
        self.keep(mark);
    }

    /// Goes back to `mark`, which stays a point to go back to.
    pub(crate) fn back(&mut self, mark: Mark) {
        while self.log.len() > mark.0 {
            let Some((name, old)) = self.log.pop() else {
                break;
            };
            match old {
                Some(var) => self.vars.insert(name, var),
                None => self.vars.remove(&name),
            };
        }
    }

    /// What is changed since `mark`, by its present value.
    pub(crate) fn changes(&self, mark: Mark) -> Changes {
        self.log
            .iter()
            .skip(mark.0)
            .map(|(name, _)| (name.clone(), self.vars.get(name).cloned()))
            .collect()
    }

    pub(crate) fn changed_since(&self, mark: Mark) -> bool {
        // Only the first entry of a name is its value at the mark.
        let mut seen = std::collections::BTreeSet::new();
        self.log
            .iter()
            .skip(mark.0)
            .any(|(name, old)| seen.insert(name) && self.vars.get(name) != old.as_ref())
    }

    /// Takes back what was done since `mark` and hands it over.
    pub(crate) fn take(&mut self, mark: Mark) -> Changes {
        let changes = self.changes(mark);
        self.undo(mark);
        changes
    }

    /// Goes on as if one of several stretches had run, it isn't known which.
    /// `unset` gives the value of a name that the store doesn't have.
    pub(crate) fn join(&mut self, ways: &[Changes], unset: impl Fn(&str) -> Var) {
        let names: std::collections::BTreeSet<CompactString> =
            ways.iter().flat_map(|way| way.keys().cloned()).collect();
        for name in names {
            let before = self.vars.get(&name).cloned();
            let mut joined: Option<Var> = None;
            for way in ways {
                let var = match way.get(&name) {
                    Some(var) => var.clone(),
                    None => before.clone(),
                };
                let var = var.unwrap_or_else(|| unset(&name));
                joined = Some(match joined {
                    Some(joined) => either(joined, var),
                    None => var,
                });
            }
            if joined != before {
                self.put(name, joined);
            }
        }
    }

    /// As if the commands since `mark` might have stopped anywhere: every value that a
    /// variable had on the way is possible.
    pub(crate) fn blur(&mut self, mark: Mark, unset: impl Fn(&str) -> Var) {
        let mut seen: BTreeMap<CompactString, Var> = BTreeMap::new();
        for (name, old) in self.log.iter().skip(mark.0) {
            let old = old.clone().unwrap_or_else(|| unset(name));
            let joined = match seen.remove(name) {
                Some(var) => either(var, old),
                None => old,
            };
            seen.insert(name.clone(), joined);
        }
        for (name, var) in seen {
            let now = self
                .vars
                .get(&name)
                .cloned()
                .unwrap_or_else(|| unset(&name));
            self.put(name, Some(either(now, var)));
        }
    }

    /// Forgets the values of everything changed since `mark`.
    pub(crate) fn forget(&mut self, mark: Mark) {
        let names: std::collections::BTreeSet<CompactString> = self
            .log
            .iter()
            .skip(mark.0)
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let mut var = self
                .vars
                .get(&name)
                .cloned()
                .unwrap_or_else(|| Var::of(Val::Unknown));
            var.alts = smallvec::smallvec![Val::Unknown];
            self.put(name, Some(var));
        }
    }

    /// How much was written since `mark`.
    pub(crate) fn written_since(&self, mark: Mark) -> usize {
        self.log.len().saturating_sub(mark.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&CompactString, &Var)> {
        self.vars.iter()
    }
}

/// A variable that is one of two.
pub(crate) fn either(mut a: Var, b: Var) -> Var {
    for val in b.alts {
        if !a.alts.contains(&val) {
            a.alts.push(val);
        }
    }
    if a.alts.len() > MAX_ALTS || a.alts.contains(&Val::Unknown) {
        a.alts = smallvec::smallvec![Val::Unknown];
    }
    a.exported |= b.exported;
    a.integer |= b.integer;
    a.fixed |= b.fixed;
    a.listed |= b.listed;
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unset(_: &str) -> Var {
        Var::of(Val::Unset)
    }

    #[test]
    fn what_a_branch_did_is_taken_back_and_joined() {
        let mut store = Store::default();
        store.set("x", Var::of(Val::known("a")));
        let mark = store.mark();
        store.set("x", Var::of(Val::known("b")));
        store.set("y", Var::of(Val::known("c")));
        let way = store.take(mark);
        assert_eq!(store.get("x"), Some(&Var::of(Val::known("a"))));
        assert_eq!(store.get("y"), None);
        store.join(&[way, Changes::new()], unset);
        assert_eq!(store.get("x").map(|v| v.alts.len()), Some(2));
        assert!(store.get("y").is_some_and(|v| v.alts.contains(&Val::Unset)));
    }
}
