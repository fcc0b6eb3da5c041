//! Binds a call's arguments to their meanings, once per program start.

mod clusters;
mod words;

use cerco_model::Place;
use cerco_reader::{Call, Inner, Programs, Text, Word};

use super::bound::{Bound, Seen, Use, Value};
use super::condition::Facts;
use super::names::name_and_row;
use super::options::{self, Found};
use super::{Meaning, OptionRow, Row, Slot, Style, Takes, inner, windows};
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
        self.packed_from();
        self.move_directory(place);
        self.bound
    }

    /// `tar -c -C folder`: only unpacking writes to the folder.
    fn packed_from(&mut self) {
        let packs = self.bound.style() == Style::Tar
            && ["-c", "-r", "-u", "-t"].iter().any(|o| self.bound.has(o));
        for used in self.bound.uses.iter_mut().filter(|_| packs) {
            if used
                .option
                .is_some_and(|option| option.names.contains(&"-C"))
            {
                used.meaning = Meaning::List;
            }
        }
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
            // `mise exec node@20 -- program`: the program stands behind it.
            if let Some(row) = options::exact(&self.bound.levels, "--") {
                return self.take(at, word, row, None);
            }
            // `find -- x` and the like have no such end; harmless there.
            self.only_words = true;
            return at + 1;
        }
        // `env -` is `env -i`; elsewhere it is a name of the standard input.
        if start == "-"
            && word.text.known().is_some()
            && let Some(row) = options::exact(&self.bound.levels, "-")
        {
            return self.take(at, word, row, None);
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
                if row.meaning == Meaning::Split || starts_rest(row.meaning) {
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
                // `jq --arg name value`: the second word is what counts.
                let words = match row.meaning {
                    Meaning::Named | Meaning::Pair => 2,
                    _ => 1,
                };
                match self.call.args.get(at + words) {
                    Some(value) => {
                        self.see(row, Some((value, Value::Arg(index(at + words)))), word);
                    }
                    None => self.see(row, None, word),
                }
                at + words + 1
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

fn starts_rest(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Run | Meaning::Tool | Meaning::Module)
}

fn unknown() -> Text {
    Text::Partly(Box::new([cerco_reader::Piece::Unknown]))
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
