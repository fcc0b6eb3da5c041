//! Where the table's texts and lists are put, each once: a row names them by number.
//!
//! An address in static data is written anew whenever a position-independent program
//! starts, and its page copied. The table would have tens of thousands of them, and a
//! command in the sandbox starts Cerco three times.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

/// What lists are made of: the type, and the static that holds all of that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Text,
    Slot,
    Option,
    Mark,
    Clause,
    Atom,
    Row,
    Named,
    Example,
}

const KINDS: [(Kind, &str, &str); 9] = [
    (Kind::Text, "Text", "ALL_TEXTS"),
    (Kind::Slot, "Slot", "ALL_SLOTS"),
    (Kind::Option, "OptionRow", "ALL_OPTIONS"),
    (Kind::Mark, "Mark", "ALL_MARKS"),
    (Kind::Clause, "List<Atom>", "ALL_CLAUSES"),
    (Kind::Atom, "Atom", "ALL_ATOMS"),
    (Kind::Row, "Row", "ALL_ROWS"),
    (Kind::Named, "Named", "ALL_NAMED"),
    (Kind::Example, "(Verdict, Text)", "ALL_EXAMPLES"),
];

/// All texts and lists.
#[derive(Debug, Default)]
pub(crate) struct Store {
    texts: RefCell<(String, HashMap<String, usize>)>,
    lists: RefCell<HashMap<Kind, Vec<String>>>,
    known: RefCell<HashMap<(Kind, Vec<String>), String>>,
}

impl Store {
    /// The source of a text.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut texts = self.texts.borrow_mut();
        let (all, known) = &mut *texts;
        let at = *known.entry(text.to_owned()).or_insert_with(|| {
            let at = all.len();
            all.push_str(text);
            at
        });
        format!("text({at}, {})", text.len())
    }

    /// The source of a text that may be absent.
    pub(crate) fn maybe(&self, text: Option<&str>) -> String {
        text.map_or_else(
            || "None".to_owned(),
            |text| format!("Some({})", self.text(text)),
        )
    }

    /// The source of a list.
    pub(crate) fn list(&self, kind: Kind, items: Vec<String>) -> String {
        if items.is_empty() {
            return "List::EMPTY".to_owned();
        }
        let mut lists = self.lists.borrow_mut();
        let all = lists.entry(kind).or_default();
        let mut known = self.known.borrow_mut();
        let list = known.entry((kind, items.clone())).or_insert_with(|| {
            let at = all.len();
            format!("list({at}, {})", items.len())
        });
        if *list == format!("list({}, {})", all.len(), items.len()) {
            all.extend(items);
        }
        list.clone()
    }

    /// The number of a row.
    pub(crate) fn row(&self, row: String) -> usize {
        let mut lists = self.lists.borrow_mut();
        let rows = lists.entry(Kind::Row).or_default();
        rows.push(row);
        rows.len() - 1
    }

    /// The statics that hold them all.
    pub(crate) fn emit(&self) -> String {
        let mut code = String::new();
        let _ = writeln!(
            code,
            "pub(super) static TEXT: &str = {:?};",
            self.texts.borrow().0
        );
        let lists = self.lists.borrow();
        for (kind, of, name) in KINDS {
            let items = lists.get(&kind).map(|items| items.join(",\n"));
            let _ = writeln!(
                code,
                "pub(super) static {name}: &[{of}] = &[\n{}];",
                items.unwrap_or_default()
            );
        }
        code
    }
}
