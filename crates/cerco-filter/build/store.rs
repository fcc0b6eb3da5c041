//! The table as bytes without an address in them.
//!
//! An address in static data is written anew whenever a position-independent program
//! starts, and its page copied. Rows as static data had tens of thousands of them, and a
//! command in the sandbox starts Cerco three times. As bytes the rows cost nothing until
//! one is looked up (`src/table/stored.rs` reads what is written here).

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

/// Something in the form of bytes.
pub(crate) type Bytes = Vec<u8>;

/// What is named by its place in a list of values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Style,
    TimeClass,
    Verdict,
    Takes,
    Meaning,
    Says,
}

const KINDS: [(Kind, &str, &str); 6] = [
    (Kind::Style, "Style", "STYLES"),
    (Kind::TimeClass, "TimeClass", "TIMES"),
    (Kind::Verdict, "Verdict", "VERDICTS"),
    (Kind::Takes, "Takes", "TAKES"),
    (Kind::Meaning, "Meaning", "MEANINGS"),
    (Kind::Says, "Says", "SAYS"),
];

/// All texts, each once, and the values that occur.
#[derive(Debug, Default)]
pub(crate) struct Store {
    texts: RefCell<(String, HashMap<String, usize>)>,
    values: RefCell<HashMap<Kind, Vec<String>>>,
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
pub(crate) fn number(mut number: usize) -> Bytes {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// So many items, one after the other.
pub(crate) fn list(items: &[Bytes]) -> Bytes {
    [number(items.len()), items.concat()].concat()
}

/// Something that may be absent.
pub(crate) fn maybe(item: Option<Bytes>) -> Bytes {
    item.map_or_else(|| vec![0], |item| [vec![1], item].concat())
}

impl Store {
    /// Where a text begins among all, and its length in bytes.
    pub(crate) fn place(&self, text: &str) -> (usize, usize) {
        let mut texts = self.texts.borrow_mut();
        let (all, known) = &mut *texts;
        let at = *known.entry(text.to_owned()).or_insert_with(|| {
            let at = all.len();
            all.push_str(text);
            at
        });
        (at, text.len())
    }

    /// A text.
    pub(crate) fn text(&self, text: &str) -> Bytes {
        let (at, length) = self.place(text);
        [number(at), number(length)].concat()
    }

    /// A value, given as its source.
    pub(crate) fn value(&self, kind: Kind, source: &str) -> Bytes {
        let mut values = self.values.borrow_mut();
        let known = values.entry(kind).or_default();
        let at = known.iter().position(|other| other == source);
        number(at.unwrap_or_else(|| {
            known.push(source.to_owned());
            known.len() - 1
        }))
    }

    /// The statics that hold texts and values.
    pub(crate) fn emit(&self) -> String {
        let mut code = String::new();
        let texts = self.texts.borrow();
        let _ = writeln!(code, "pub(super) static TEXT: &str = {:?};", texts.0);
        let values = self.values.borrow();
        for (kind, of, name) in KINDS {
            let items = values.get(&kind).map(|items| items.join(", "));
            let items = items.unwrap_or_default();
            let _ = writeln!(code, "pub(super) static {name}: &[{of}] = &[{items}];");
        }
        code
    }
}
