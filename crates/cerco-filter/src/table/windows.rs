//! Binds the arguments of cmdlets, .NET calls and Windows' own tools.
//!
//! Names are case-blind. Rows for them have names of their own in the table: `ps:` counts in
//! `PowerShell`, `cmd:` in cmd, `win:` in both, in front of the plain rows that every system
//! shares. A parameter may be abbreviated as far as it likes: what it could stand for is all
//! taken to be there.

mod names;

use cerco_model::Place;
use cerco_reader::{Appended, Call, Inner, Stdin, Text, Word};
use compact_str::CompactString;
use smallvec::SmallVec;

use names::COMMON;
pub(super) use names::row;

use super::bound::{Bound, Seen, Use, Value};
use super::condition::Facts;
use super::{Meaning, OptionRow, Row, Slot, Style, Takes};
use crate::text::tail;

/// Binds `call` by `row`.
pub(super) fn bind(
    call: &Call<'_>,
    name: CompactString,
    row: &'static Row,
    place: &Place<'_>,
    inner: &mut Vec<Inner>,
) -> Bound {
    let mut binder = Binder {
        call,
        bound: Bound {
            name,
            levels: std::iter::once(row).collect(),
            ..Bound::default()
        },
        groups: Vec::new(),
        only_words: false,
    };
    let mut at = 0;
    while at < call.args.len() {
        at = binder.argument(at);
    }
    binder.assign();
    binder.starts(inner);
    let _ = place;
    binder.bound
}

struct Binder<'a> {
    call: &'a Call<'a>,
    bound: Bound,
    /// Words that are no parameters; elements of one list together.
    groups: Vec<SmallVec<[u32; 2]>>,
    only_words: bool,
}

impl Binder<'_> {
    /// Takes the argument at `at`; returns the index of the next one.
    fn argument(&mut self, at: usize) -> usize {
        let Some(word) = self.call.args.get(at) else {
            return at + 1;
        };
        let start = word.text.known_prefix();
        let style = self.bound.style();
        if start == "--" && style == Style::Powershell {
            self.only_words = true;
            return at + 1;
        }
        let sign = match style {
            Style::Powershell if start.starts_with('-') => Some(1),
            Style::Slash if start.starts_with(['/', '-']) => Some(1),
            _ => None,
        };
        let is_name = sign
            .and_then(|skip| start.get(skip..))
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '?'));
        if is_name && !self.only_words {
            return self.parameter(at, word, start, style);
        }
        if self.groups.is_empty()
            && let Some(sub) = word
                .text
                .known()
                .and_then(|text| self.bound.last()?.sub(&text.to_ascii_lowercase()))
        {
            self.bound.levels.push(sub);
            return at + 1;
        }
        if self.groups.is_empty() && self.bound.last().is_some_and(|row| !row.subs.is_empty()) {
            self.bound.unknown_sub = Some(index(at));
        }
        let end = self.list_end(at);
        self.groups.push((at..end).map(index).collect());
        self.bound.words.extend((at..end).map(index));
        end
    }

    /// Where the list ends whose first element is at `at`.
    fn list_end(&self, at: usize) -> usize {
        let args = self.call.args;
        let Some(first) = args.get(at) else {
            return at + 1;
        };
        // In text inside a word everything has one part: no lists are seen there.
        if self.bound.style() != Style::Powershell || first.part == self.call.name.part {
            return at + 1;
        }
        let more = args
            .iter()
            .skip(at + 1)
            .take_while(|word| word.part == first.part)
            .count();
        at + 1 + more
    }

    fn parameter(&mut self, at: usize, word: &Word, start: &str, style: Style) -> usize {
        let (name, attached) = match start.find([':', '=']) {
            Some(end) if style == Style::Slash || start.get(end..=end) == Some(":") => {
                (start.get(..end).unwrap_or(start), Some(end + 1))
            }
            _ => (start, None),
        };
        let name = name.to_ascii_lowercase();
        let found = self.options(&name, style);
        let takes = found.iter().any(|o| o.takes == Takes::Value);
        let (values, next): (SmallVec<[Value; 2]>, usize) = match attached {
            Some(skip) => {
                let end = self.list_end(at);
                let mut values: SmallVec<[Value; 2]> =
                    std::iter::once(Value::Own(tail(&word.text, skip))).collect();
                values.extend((at + 1..end).map(|i| Value::Arg(index(i))));
                (values, end)
            }
            None if takes && at + 1 < self.call.args.len() => {
                let end = self.list_end(at + 1);
                ((at + 1..end).map(|i| Value::Arg(index(i))).collect(), end)
            }
            None => (SmallVec::new(), at + 1),
        };
        // `-Recurse:$false` takes it back.
        let is_off = found.iter().all(|o| o.takes == Takes::Nothing)
            && matches!(values.as_slice(), [Value::Own(text)] if text.known() == Some("False"));
        if is_off {
            return next;
        }
        if found.is_empty() {
            for value in values {
                self.use_of(Meaning::General, value, word, None);
            }
            return next;
        }
        for option in found {
            self.bound.seen.push(Seen {
                row: option,
                value: values.first().cloned(),
                part: word.part,
            });
            for value in &values {
                self.use_of(option.meaning, value.clone(), word, Some(option));
            }
        }
        next
    }

    fn use_of(
        &mut self,
        meaning: Meaning,
        value: Value,
        word: &Word,
        option: Option<&'static OptionRow>,
    ) {
        let part = match &value {
            Value::Arg(index) => self
                .call
                .args
                .get(*index as usize)
                .map_or(word.part, |w| w.part),
            Value::Own(_) => word.part,
        };
        self.bound.uses.push(Use {
            meaning,
            value,
            part,
            option,
        });
    }

    /// Every option that `name` could stand for.
    fn options(&self, name: &str, style: Style) -> SmallVec<[&'static OptionRow; 4]> {
        let all = || self.bound.levels.iter().rev().flat_map(|row| row.options);
        let dashed;
        let name = if style == Style::Slash {
            dashed = format!("/{}", name.trim_start_matches(['-', '/']));
            dashed.as_str()
        } else {
            name
        };
        if let Some(exact) = all().find(|o| o.names.contains(&name)) {
            return std::iter::once(exact).collect();
        }
        if style == Style::Slash {
            return SmallVec::new();
        }
        if COMMON.names.contains(&name) {
            return std::iter::once(&COMMON).collect();
        }
        let mut found: SmallVec<[&'static OptionRow; 4]> = all()
            .filter(|o| o.names.iter().any(|n| n.starts_with(name)))
            .collect();
        if found.is_empty() && COMMON.names.iter().any(|n| n.starts_with(name)) {
            found.push(&COMMON);
        }
        found
    }

    /// Gives each word the meaning of its slot.
    fn assign(&mut self) {
        let Some(row) = self.bound.last() else { return };
        let groups = std::mem::take(&mut self.groups);
        let slots: SmallVec<[&Slot; 6]> = {
            let facts = self.facts();
            row.args
                .unwrap_or(&[])
                .iter()
                .filter(|slot| slot.condition.holds(facts))
                .collect()
        };
        let many = slots.iter().position(|slot| slot.many);
        for (place, group) in groups.iter().enumerate() {
            let from_end = groups.len() - place;
            let slot = match many {
                None => slots.get(place).or(slots.last()),
                Some(many) => {
                    let behind = slots.len() - many - 1;
                    if place < many && from_end > behind {
                        slots.get(place)
                    } else if from_end <= behind {
                        slots.get(slots.len() - from_end)
                    } else {
                        slots.get(many)
                    }
                }
            };
            let meaning = slot.map_or(Meaning::General, |slot| slot.meaning);
            for at in group {
                if let Some(word) = self.call.args.get(*at as usize) {
                    let word = word.clone();
                    self.use_of(meaning, Value::Arg(*at), &word, None);
                }
            }
        }
        self.piped(groups.is_empty(), slots.first().map(|slot| slot.meaning));
        self.groups = groups;
    }

    /// `'.env' | Get-Content`: what is piped in takes the place of the first word.
    fn piped(&mut self, has_no_words: bool, first: Option<Meaning>) {
        let (Some(meaning), Stdin::Pipe(Some(text))) = (first, self.call.stdin) else {
            return;
        };
        let is_path = matches!(
            meaning,
            Meaning::Read | Meaning::Write | Meaning::Delete | Meaning::List | Meaning::Path
        );
        let is_writer = meaning == Meaning::Write && self.bound.name.contains("content");
        if self.bound.style() != Style::Powershell || !has_no_words || !is_path || is_writer {
            return;
        }
        let given = self.bound.uses.iter().any(|used| used.meaning == meaning);
        let Some(known) = text.known().filter(|_| !given) else {
            return;
        };
        for item in known.lines() {
            self.bound.uses.push(Use {
                meaning,
                value: Value::Own(Text::Known(item.into())),
                part: self.call.name.part,
                option: None,
            });
        }
    }

    /// What it starts: the word that means a program, and what `-ArgumentList` gives it.
    fn starts(&mut self, inner: &mut Vec<Inner>) {
        let args = self.call.args;
        let Some(at) = self
            .bound
            .uses
            .iter()
            .position(|used| used.meaning == Meaning::Program)
        else {
            return;
        };
        let Some(used) = self.bound.uses.get_mut(at) else {
            return;
        };
        let text = used.value.text(args).clone();
        if text.known_prefix().contains("://") {
            used.meaning = Meaning::Url;
            return;
        }
        // What is started is judged itself; naming it isn't asked about.
        used.meaning = Meaning::Text;
        let part = used.part;
        let mut words = vec![Word {
            text,
            part,
            spreads: false,
        }];
        let mut appended = Appended::Nothing;
        for used in &self.bound.uses {
            if used.meaning != Meaning::Run {
                continue;
            }
            let text = used.value.text(args);
            match text.known() {
                Some(known) => {
                    words.extend(known.split_ascii_whitespace().map(|word| Word {
                        text: Text::Known(word.trim_matches('"').into()),
                        part: used.part,
                        spreads: false,
                    }));
                }
                None => appended = Appended::Unknown,
            }
        }
        for used in &mut self.bound.uses {
            if used.meaning == Meaning::Run {
                used.meaning = Meaning::Text;
            }
        }
        inner.push(Inner::Program {
            words,
            assignments: Vec::new(),
            directory: None,
            appended,
        });
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

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
