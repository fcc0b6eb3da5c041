//! Branches: `&&` and `||`, `if`, `case`. Each way is read from the same state, then joined.

use super::Eval;
use crate::posix::state::Mark;
use crate::posix::tree::{CaseArm, Cmd, Frag, Link, List, Stmt, Word};
use crate::{Programs, Text};

impl<P: Programs> Eval<'_, P> {
    /// `a && b || c`: each part runs from the states in which those before it let it.
    pub(super) fn and_or(&mut self, first: &Stmt, rest: &[(Link, Stmt)]) {
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

    pub(super) fn branch(&mut self, arms: &[(List, List)], otherwise: Option<&List>) {
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

    pub(super) fn case(&mut self, word: &Word, arms: &[CaseArm]) {
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
                // Only up to the one that fits are they expanded.
                self.if_reached(|e| e.each_choice(|e| chars = e.pattern_of(pattern)));
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

pub(super) fn plain_name(word: Option<&Word>) -> Option<&str> {
    match word?.frags.as_slice() {
        [Frag::Bare(text) | Frag::Quoted(text)] => Some(text),
        _ => None,
    }
}
