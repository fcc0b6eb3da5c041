//! Rows out of the bytes that `build.rs` made of them (`build/store.rs`), each once, when it
//! is first looked up. They stay as long as the process: the rules hold on to their texts.

use std::sync::OnceLock;

use cerco_model::Rule;

use super::{Atom, Condition, Mark, Meaning, OptionRow, Row, Says, Slot, data, tags};

/// Programs whose row was looked up.
static ROWS: [OnceLock<Box<Row>>; data::ROWS] = [const { OnceLock::new() }; data::ROWS];

/// What stands in the place of a row that can't be read: whatever it is used for is refused.
const DAMAGED: Row = Row {
    marks: &[Mark {
        says: Says::Rule(Rule::Unreadable),
        kind: None,
        condition: Condition {
            when: &[],
            unless: &[],
        },
        reason: Some("Cerco's own table of programs is damaged"),
        remedy: None,
    }],
    ..Row::EMPTY
};

/// The row of that name.
pub(super) fn program(name: &str) -> Option<&'static Row> {
    let known = |[at, length, _]: &[u32; 3]| text_at(*at, *length).cmp(name);
    let found = data::NAMES.binary_search_by(known);
    let [_, _, row] = data::NAMES.get(found.ok()?)?;
    Some(row_of(*row))
}

/// Every name and its row.
pub(super) fn programs() -> &'static [(&'static str, &'static Row)] {
    static ALL: OnceLock<Vec<(&str, &Row)>> = OnceLock::new();
    let named = |[at, length, row]: &[u32; 3]| (text_at(*at, *length), row_of(*row));
    ALL.get_or_init(|| data::NAMES.iter().map(named).collect())
}

fn row_of(number: u32) -> &'static Row {
    let number = number as usize;
    let Some((place, at)) = ROWS.get(number).zip(data::OFFSETS.get(number)) else {
        return &DAMAGED;
    };
    place.get_or_init(|| {
        let bytes = data::BYTES.get(*at as usize..).unwrap_or_default();
        Box::new(Reader(bytes).row().unwrap_or(DAMAGED))
    })
}

fn text_at(at: u32, length: u32) -> &'static str {
    let (at, length) = (at as usize, length as usize);
    data::TEXT.get(at..at + length).unwrap_or_default()
}

/// What is still to be read. Nothing is made of bytes that aren't as they should be.
struct Reader(&'static [u8]);

impl Reader {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'static str> {
        let (at, length) = (self.number()? as usize, self.number()? as usize);
        data::TEXT.get(at..at.checked_add(length)?)
    }

    fn is(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one says that it can be read, the inner one that it is there"
    )]
    fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        Some(if self.is()? { Some(read(self)?) } else { None })
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<&'static [T]> {
        let count = self.number()?;
        let items = (0..count).map(|_| read(self)).collect::<Option<Vec<T>>>()?;
        Some(items.leak())
    }

    fn value<T>(&mut self, values: &'static [T]) -> Option<&'static T> {
        values.get(self.number()? as usize)
    }

    fn meaning(&mut self) -> Option<Meaning> {
        self.value(data::MEANINGS).copied()
    }

    fn atom(&mut self) -> Option<Atom> {
        Some(match self.byte()? {
            tags::OPTION => Atom::Option(self.text()?),
            tags::OPTION_IS => Atom::OptionIs(self.text()?, self.text()?),
            tags::ARGS => Atom::Args(self.number()?),
            tags::WORD => Atom::Word(self.text()?),
            tags::VARIABLE => Atom::Variable(self.text()?),
            tags::TERMINAL => Atom::Terminal,
            tags::SCREEN => Atom::Screen,
            tags::PIPED => Atom::Piped,
            tags::NOT => Atom::Not(Box::leak(Box::new(self.atom()?))),
            _ => return None,
        })
    }

    fn condition(&mut self) -> Option<Condition> {
        let mut clauses = || self.list(|clause| clause.list(Self::atom));
        Some(Condition {
            when: clauses()?,
            unless: clauses()?,
        })
    }

    fn slot(&mut self) -> Option<Slot> {
        Some(Slot {
            meaning: self.meaning()?,
            many: self.is()?,
            condition: self.condition()?,
        })
    }

    fn mark(&mut self) -> Option<Mark> {
        Some(Mark {
            says: self.value(data::SAYS)?.clone(),
            kind: self.maybe(Self::text)?,
            condition: self.condition()?,
            reason: self.maybe(Self::text)?,
            remedy: self.maybe(Self::text)?,
        })
    }

    fn option(&mut self) -> Option<OptionRow> {
        Some(OptionRow {
            names: self.list(Self::text)?,
            takes: *self.value(data::TAKES)?,
            meaning: self.meaning()?,
            marks: self.list(Self::mark)?,
        })
    }

    fn sub(&mut self) -> Option<(&'static str, &'static Row)> {
        Some((self.text()?, Box::leak(Box::new(self.row()?))))
    }

    fn row(&mut self) -> Option<Row> {
        Some(Row {
            name: self.text()?,
            about: self.text()?,
            kind: self.text()?,
            style: self.maybe(|style| style.value(data::STYLES).copied())?,
            args: self.maybe(|args| args.list(Self::slot))?,
            options: self.list(Self::option)?,
            before: self.list(Self::option)?,
            time: self.maybe(|time| time.value(data::TIMES).copied())?,
            marks: self.list(Self::mark)?,
            stdin: self.list(Self::slot)?,
            container: self.is()?,
            files: self.is()?,
            subs: self.list(Self::sub)?,
            other: self.list(Self::mark)?,
            examples: self
                .list(|example| Some((*example.value(data::VERDICTS)?, example.text()?)))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_to_its_last_byte() {
        let ends = data::OFFSETS.iter().skip(1).map(|at| *at as usize);
        let ends = ends.chain([data::BYTES.len()]);
        for (at, end) in data::OFFSETS.iter().zip(ends) {
            let mut reader = Reader(&data::BYTES[*at as usize..end]);
            let row = reader.row();
            assert!(row.is_some_and(|row| !row.name.is_empty()), "at {at}");
            assert!(
                reader.0.is_empty(),
                "at {at}: {} bytes too many",
                reader.0.len()
            );
        }
    }

    #[test]
    fn names_are_sorted_and_lead_to_their_rows() {
        let all = programs();
        assert!(all.is_sorted_by(|(a, _), (b, _)| a < b));
        for (name, row) in all {
            assert!(std::ptr::eq(program(name).unwrap(), *row), "{name}");
        }
        assert!(program("no such program").is_none());
    }

    #[test]
    fn half_a_row_is_none() {
        let whole = &data::BYTES[..data::OFFSETS[1] as usize];
        for end in 0..whole.len() {
            assert!(Reader(&whole[..end]).row().is_none(), "cut at {end}");
        }
    }
}
