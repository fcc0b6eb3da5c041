//! The words that are no options: sub-commands, the program that a wrapper starts, and what each
//! of the others means.

use cerco_model::Place;
use cerco_reader::{Directory, Stdin, Word};
use compact_str::CompactString;
use smallvec::{SmallVec, smallvec};

use super::{Binder, index, slots, starts_rest, unknown};
use crate::paths;
use crate::table::bound::{Use, Value};
use crate::table::{Meaning, Slot};

impl<'a> Binder<'a, '_> {
    pub(super) fn positional(&mut self, at: usize, word: &'a Word) {
        if self.only_groups(at, word) {
            return;
        }
        if self.bound.words.is_empty()
            && let Some(row) = self.bound.last()
            && !row.subs.is_empty()
            && self.bound.unknown_sub.is_none()
        {
            match word.text.known().and_then(|name| row.sub(name)) {
                Some(sub) => {
                    self.bound.levels.push(sub);
                    return;
                }
                None => self.bound.unknown_sub = Some(index(at)),
            }
        }
        if self.wraps()
            && let Some(meaning) = self.rest_begins(word)
        {
            self.rest(at, meaning);
            return;
        }
        if self.wraps() && word.spreads && word.text.has_unknown() {
            self.doubt(word);
        }
        // `python3 -` reads its program from the standard input: no file is named.
        let from_stdin = word.text.known().is_some_and(is_stdin)
            && self.bound.last().is_some_and(|row| !row.stdin.is_empty());
        if !from_stdin {
            self.bound.words.push(index(at));
        }
    }

    /// `docker container exec` is `docker exec`, and `docker image build` is `docker build`: the
    /// word in front only groups what stands behind it.
    fn only_groups(&self, at: usize, word: &Word) -> bool {
        let [row] = self.bound.levels.as_slice() else {
            return false;
        };
        if row.name != "docker" || !self.bound.words.is_empty() {
            return false;
        }
        match word.text.known() {
            Some("container") => true,
            Some("image") => {
                let next = self.call.args.get(at + 1).and_then(|w| w.text.known());
                matches!(
                    next,
                    Some("build" | "pull" | "push" | "save" | "load" | "import")
                )
            }
            _ => false,
        }
    }

    /// Whether `word` is where the program of a wrapper begins.
    pub(super) fn rest_begins(&self, word: &Word) -> Option<Meaning> {
        let facts = self.facts();
        let mut before = self.bound.words.len();
        for slot in slots(self.bound.last()?) {
            if !slot.condition.holds(facts) {
                continue;
            }
            if starts_rest(slot.meaning) {
                return (before == 0).then_some(slot.meaning);
            }
            if slot.meaning == Meaning::Assign && slot.many {
                if is_assignment(word) {
                    return None;
                }
                before = 0;
                continue;
            }
            if before == 0 {
                return None;
            }
            before -= 1;
        }
        None
    }

    pub(super) fn rest(&mut self, at: usize, meaning: Meaning) {
        self.bound.rest = Some(index(at));
        if at < self.call.args.len() {
            let rest = self.whole(at, meaning);
            self.bound.uses.push(rest);
        }
    }

    /// Gives each word the meaning of its slot.
    pub(super) fn assign_words(&mut self) {
        let facts = self.facts();
        let Some(row) = self.bound.last() else { return };
        let plain = Meaning::General;
        let words = self.bound.words.clone();
        let mut uses: SmallVec<[Use; 6]> = smallvec![];
        match row.args {
            None => uses.extend(words.iter().map(|w| self.whole(*w as usize, plain))),
            Some(all) => {
                let active: SmallVec<[&Slot; 6]> = all
                    .iter()
                    .filter(|slot| !starts_rest(slot.meaning) && slot.condition.holds(facts))
                    .collect();
                let many = active.iter().position(|slot| slot.many);
                for (place, word) in words.iter().enumerate() {
                    let slot = match many {
                        None => active.get(place).or(active.last()),
                        Some(many) => {
                            let behind = active.len() - many - 1;
                            let from_end = words.len() - place;
                            if place < many && from_end > behind {
                                active.get(place)
                            } else if from_end <= behind {
                                active.get(active.len() - from_end)
                            } else {
                                active.get(many)
                            }
                        }
                    };
                    uses.push(self.whole(*word as usize, slot.map_or(plain, |s| s.meaning)));
                }
            }
        }
        for slot in row.stdin.iter().filter(|slot| slot.condition.holds(facts)) {
            let text = match self.call.stdin {
                Stdin::Inherited => continue,
                Stdin::Pipe(Some(text)) => text.clone(),
                Stdin::Text(word) => word.text.clone(),
                Stdin::Pipe(None) | Stdin::File(_) => unknown(),
            };
            uses.push(Use {
                meaning: slot.meaning,
                value: Value::Own(text),
                part: self.call.name.part,
                option: None,
            });
        }
        self.bound.uses.extend(uses);
    }

    /// `-C dir`: where relative paths begin.
    pub(super) fn move_directory(&mut self, place: &Place<'_>) {
        let args = self.call.args;
        let mut directory: Option<Directory> = None;
        for to in self.bound.uses.iter().filter(|u| u.meaning == Meaning::Dir) {
            let from = directory.as_ref().unwrap_or(self.call.directory);
            let next = match (from, to.value.text(args).known()) {
                (_, Some("")) => continue,
                (Directory::Known(from), Some(to)) => {
                    Directory::Known(CompactString::from(paths::join(from, to, &place.home)))
                }
                _ => Directory::Unknown,
            };
            directory = Some(next);
        }
        self.bound.directory = directory;
    }
}

/// Names of the standard input.
fn is_stdin(text: &str) -> bool {
    matches!(text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn is_assignment(word: &Word) -> bool {
    word.text
        .known_prefix()
        .split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'))
}
