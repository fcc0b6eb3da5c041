//! Binds a call's arguments to their meanings, once per program start.

use cerco_model::Place;
use cerco_reader::{Call, Directory, Inner, Programs, Stdin, Text, Word};
use compact_str::CompactString;
use smallvec::{SmallVec, smallvec};

use super::bound::{Bound, Seen, Use, Value};
use super::condition::Facts;
use super::names::name_and_row;
use super::options::{self, Found};
use super::{Meaning, OptionRow, Row, Slot, Style, Takes, inner, windows};
use crate::paths;
use crate::text::tail;

/// The program table, as the reader uses it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Table;

impl Programs for Table {
    type Bound = Bound;

    fn bind(&self, call: Call<'_>, place: &Place<'_>, inner: &mut Vec<Inner>) -> Bound {
        if call.dialect.is_windows()
            && let Some((name, row)) = windows::row(&call)
        {
            return windows::bind(&call, name, row, place, inner);
        }
        let bound = Binder::new(&call, inner).bind(place);
        if bound.levels.is_empty() {
            inner::unlisted(&call, inner);
        }
        inner::push(&call, &bound, place, inner);
        bound
    }
}

struct Binder<'a, 'i> {
    call: &'a Call<'a>,
    inner: &'i mut Vec<Inner>,
    bound: Bound,
    only_words: bool,
}

impl<'a, 'i> Binder<'a, 'i> {
    fn new(call: &'a Call<'a>, inner: &'i mut Vec<Inner>) -> Self {
        let (name, row) = name_and_row(call.name.text.known_prefix());
        let bound = Bound {
            name,
            levels: row.into_iter().collect(),
            ..Bound::default()
        };
        Self {
            call,
            inner,
            bound,
            only_words: false,
        }
    }

    fn bind(mut self, place: &Place<'_>) -> Bound {
        let args = self.call.args;
        if self.bound.levels.is_empty() {
            self.bound.words = (0..args.len()).map(index).collect();
            self.bound.uses = (0..args.len())
                .map(|i| self.whole(i, Meaning::General))
                .collect();
            return self.bound;
        }
        let mut at = 0;
        if self.bound.style() == Style::Tar
            && let Some(word) = args.first()
        {
            at = self.bare_cluster(word);
        }
        while let Some(word) = args.get(at) {
            at = self.word(at, word);
            if self.bound.rest.is_some() {
                break;
            }
        }
        self.assign_words();
        self.move_directory(place);
        self.bound
    }

    /// Takes the argument at `at`; returns the index of the next one.
    fn word(&mut self, at: usize, word: &'a Word) -> usize {
        let start = word.text.known_prefix();
        let style = self.bound.style();
        if style == Style::Plain || self.only_words {
            self.positional(at, word);
            return at + 1;
        }
        if start == "--" && word.text.known().is_some() {
            // `find -- x` and the like have no such end; harmless there.
            self.only_words = true;
            return at + 1;
        }
        if start.len() > 1 && start.starts_with("--")
            || style == Style::Words && start.len() > 1 && start.starts_with('-')
        {
            return self.long(at, word, start, style);
        }
        if start.len() > 1 && start.starts_with('-') {
            return self.cluster(at, word, start, 1);
        }
        if let Some(plus) = start.strip_prefix('+')
            && let Some(row) = options::exact(&self.bound.levels, "+")
            && !(plus.is_empty() && word.text.known().is_some())
        {
            self.see(row, Some((word, Value::Own(tail(&word.text, 1)))), word);
            return at + 1;
        }
        if let Some((key, _)) = start.split_once('=')
            && let Some(row) = start
                .get(..=key.len())
                .and_then(|k| options::exact(&self.bound.levels, k))
        {
            self.see(
                row,
                Some((word, Value::Own(tail(&word.text, key.len() + 1)))),
                word,
            );
            return at + 1;
        }
        self.positional(at, word);
        at + 1
    }

    fn long(&mut self, at: usize, word: &'a Word, start: &str, style: Style) -> usize {
        let (name, attached) = match start.split_once('=') {
            Some((name, _)) => (name, Some(Value::Own(tail(&word.text, name.len() + 1)))),
            None if word.text.known().is_none() => {
                return self.unlisted(at, word);
            }
            None => (start, None),
        };
        match options::long(&self.bound.levels, name, style) {
            Found::Nothing => self.unlisted(at, word),
            Found::Several(rows) => {
                for row in rows {
                    self.see(row, attached.clone().map(|v| (word, v)), word);
                }
                at + 1
            }
            Found::One(row) => self.take(at, word, row, attached),
        }
    }

    /// A cluster of short options from byte `from` on.
    fn cluster(&mut self, at: usize, word: &'a Word, start: &str, from: usize) -> usize {
        if let Some(row) = options::exact(&self.bound.levels, start)
            .filter(|_| start.len() > 2 && word.text.known().is_some())
        {
            return self.take(at, word, row, None);
        }
        if let Some((name, _)) = start.split_once('=').filter(|(name, _)| name.len() > 2)
            && let Some(row) = options::exact(&self.bound.levels, name)
        {
            let value = Value::Own(tail(&word.text, name.len() + 1));
            return self.take(at, word, row, Some(value));
        }
        let style = self.bound.style();
        let mut offset = from;
        let letters = start.get(from..).unwrap_or_default();
        for letter in letters.chars() {
            let next = offset + letter.len_utf8();
            if letter.is_ascii_digit() {
                // `head -20`, `git log -3`: a number, not options.
                return at + 1;
            }
            let Some(row) = options::short(&self.bound.levels, letter) else {
                let cut = self.unlisted_letter(word, offset, start);
                if cut {
                    return at + 1;
                }
                offset = next;
                continue;
            };
            let attached =
                start.len() > next || (start.len() == next && word.text.known().is_none());
            if row.takes == Takes::Nothing {
                self.see(row, None, word);
                offset = next;
                continue;
            }
            let mut from = next;
            let sign = start.get(next..).and_then(|s| s.chars().next());
            if sign == Some('=') || sign == Some(':') && style != Style::Gnu {
                from += 1;
            }
            let value = attached.then(|| Value::Own(tail(&word.text, from)));
            return self.take(at, word, row, value);
        }
        at + 1
    }

    /// `tar czf a.tgz dist`: the first word without its dash. Its values are the next words.
    fn bare_cluster(&mut self, word: &'a Word) -> usize {
        let Some(letters) = word.text.known().filter(|t| !t.starts_with('-')) else {
            return 0;
        };
        let mut next = 1;
        for letter in letters.chars() {
            if let Some(row) = options::short(&self.bound.levels, letter) {
                if row.takes == Takes::Value {
                    if let Some(value) = self.call.args.get(next) {
                        self.see(row, Some((value, Value::Arg(index(next)))), word);
                    }
                    next += 1;
                } else {
                    self.see(row, None, word);
                }
            }
        }
        next
    }

    /// An option that is listed: takes its value.
    fn take(
        &mut self,
        at: usize,
        word: &'a Word,
        row: &'static OptionRow,
        attached: Option<Value>,
    ) -> usize {
        match (row.takes, attached) {
            (Takes::Nothing | Takes::Attached, None) => {
                self.see(row, None, word);
                at + 1
            }
            (_, Some(value)) => {
                let off = value
                    .text(self.call.args)
                    .known()
                    .is_some_and(|v| matches!(v, "false" | "no" | "off" | "0"));
                if row.meaning == Meaning::Split {
                    self.bound.rest = Some(index(at + 1));
                }
                if !(off && row.takes != Takes::Value) {
                    self.see(row, Some((word, value)), word);
                }
                at + 1
            }
            (Takes::Value, None) => {
                if matches!(row.meaning, Meaning::Run | Meaning::Module | Meaning::Tool) {
                    self.see(row, None, word);
                    self.rest(at + 1, row.meaning);
                    return at + 1;
                }
                if row.meaning == Meaning::Split {
                    self.bound.rest = Some(index(at + 2));
                }
                match self.call.args.get(at + 1) {
                    Some(value) => self.see(row, Some((value, Value::Arg(index(at + 1)))), word),
                    None => self.see(row, None, word),
                }
                at + 2
            }
        }
    }

    fn see(&mut self, row: &'static OptionRow, value: Option<(&Word, Value)>, word: &Word) {
        if let Some((at, value)) = &value {
            self.bound.uses.push(Use {
                meaning: row.meaning,
                value: value.clone(),
                part: at.part,
                option: Some(row),
            });
        }
        self.bound.seen.push(Seen {
            row,
            value: value.map(|(_, value)| value),
            part: word.part,
        });
    }

    /// An option that the table doesn't list: its value is judged generally, and behind a
    /// wrapper nobody knows where the program begins.
    fn unlisted(&mut self, at: usize, word: &Word) -> usize {
        if let Some("--help" | "--version") = word.text.known() {
            self.bound.seen.push(Seen {
                row: &INFO,
                value: None,
                part: word.part,
            });
            return at + 1;
        }
        self.doubt(word);
        let general = self.whole(at, Meaning::General);
        self.bound.uses.push(general);
        at + 1
    }

    /// Returns whether the rest of the word is its value.
    fn unlisted_letter(&mut self, word: &Word, offset: usize, start: &str) -> bool {
        self.doubt(word);
        let rest = start.get(offset + 1..).unwrap_or_default();
        let path =
            rest.starts_with(['/', '~', '.', '=']) || rest.contains("://") || rest.contains('/');
        if path {
            let skip = usize::from(rest.starts_with('='));
            self.bound.uses.push(Use {
                meaning: Meaning::General,
                value: Value::Own(tail(&word.text, offset + 1 + skip)),
                part: word.part,
                option: None,
            });
        }
        path
    }

    fn doubt(&mut self, word: &Word) {
        if self.wraps() {
            self.inner.push(Inner::Unreadable {
                part: word.part,
                why: "an option of a program that starts another one isn't known, so it isn't clear what is started",
            });
        }
    }

    /// Whether the innermost level's words hold a program.
    fn wraps(&self) -> bool {
        self.bound
            .last()
            .is_some_and(|row| slots(row).iter().any(|slot| starts_rest(slot.meaning)))
    }

    fn positional(&mut self, at: usize, word: &'a Word) {
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

    /// Whether `word` is where the program of a wrapper begins.
    fn rest_begins(&self, word: &Word) -> Option<Meaning> {
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

    fn rest(&mut self, at: usize, meaning: Meaning) {
        self.bound.rest = Some(index(at));
        if at < self.call.args.len() {
            let rest = self.whole(at, meaning);
            self.bound.uses.push(rest);
        }
    }

    /// Gives each word the meaning of its slot.
    fn assign_words(&mut self) {
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
    fn move_directory(&mut self, place: &Place<'_>) {
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

    fn whole(&self, at: usize, meaning: Meaning) -> Use {
        Use {
            meaning,
            value: Value::Arg(index(at)),
            part: self
                .call
                .args
                .get(at)
                .map_or(self.call.name.part, |w| w.part),
            option: None,
        }
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            bound: &self.bound,
            args: self.call.args,
            assignments: self.call.assignments,
            stdin: self.call.stdin,
            output: None,
        }
    }
}

/// `--help` and `--version` of a program that doesn't list them.
static INFO: OptionRow = OptionRow {
    names: &["--help", "--version"],
    takes: Takes::Nothing,
    meaning: Meaning::Text,
    marks: &[super::Mark {
        says: super::Says::Info,
        kind: None,
        condition: super::Condition {
            when: &[],
            unless: &[],
        },
        reason: None,
        remedy: None,
    }],
};

fn slots(row: &Row) -> &'static [Slot] {
    row.args.unwrap_or(&[])
}

/// Names of the standard input.
fn is_stdin(text: &str) -> bool {
    matches!(text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn starts_rest(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Run | Meaning::Tool | Meaning::Module)
}

fn is_assignment(word: &Word) -> bool {
    word.text
        .known_prefix()
        .split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'))
}

fn unknown() -> Text {
    Text::Partly(Box::new([cerco_reader::Piece::Unknown]))
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
