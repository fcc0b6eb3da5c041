//! What binding a call's arguments yields.

use cerco_model::Part;
use cerco_reader::{Directory, Text, Word};
use compact_str::CompactString;
use smallvec::SmallVec;

use super::{Meaning, OptionRow, Row, Style};

/// A program start's arguments, each with its meaning.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    /// The name it is looked up by: without folders, versions and endings.
    pub name: CompactString,
    /// The program's row and those of its sub-commands; empty when it isn't in the table.
    pub levels: SmallVec<[&'static Row; 3]>,
    /// The options that are there, in order.
    pub seen: SmallVec<[Seen; 4]>,
    /// Indices of the arguments that are no options and no sub-commands.
    pub words: SmallVec<[u32; 6]>,
    /// What is judged.
    pub uses: SmallVec<[Use; 6]>,
    /// The argument that should be a sub-command and isn't in the table.
    pub unknown_sub: Option<u32>,
    /// The directory it moves to before it does anything (`git -C`).
    pub directory: Option<Directory>,
    /// Where the program begins that it starts, for wrappers.
    pub rest: Option<u32>,
}

/// An option that is there.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its row.
    pub row: &'static OptionRow,
    /// Its value, if it has one.
    pub value: Option<Value>,
    /// Where it stands.
    pub part: Part,
}

/// One argument, or a piece of one, and what it means.
#[derive(Clone, Debug)]
pub struct Use {
    /// What it means.
    pub meaning: Meaning,
    /// Its text.
    pub value: Value,
    /// Where it stands.
    pub part: Part,
    /// The option it belongs to, if any.
    pub option: Option<&'static OptionRow>,
}

impl Use {
    /// Whether it is what comes in at the standard input, not an argument.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.option.is_none() && matches!(self.value, Value::Own(_))
    }
}

/// A text that is an argument or a piece of one.
#[derive(Clone, Debug)]
pub enum Value {
    /// The whole argument of this index.
    Arg(u32),
    /// A piece of one, or something put together.
    Own(Text),
}

static EMPTY: Text = Text::Known(CompactString::const_new(""));

impl Value {
    /// The text, given the arguments it was bound from.
    #[must_use]
    pub fn text<'a>(&'a self, args: &'a [Word]) -> &'a Text {
        match self {
            Self::Arg(index) => args.get(*index as usize).map_or(&EMPTY, |word| &word.text),
            Self::Own(text) => text,
        }
    }
}

impl Bound {
    /// The program's own row.
    #[must_use]
    pub fn row(&self) -> Option<&'static Row> {
        self.levels.first().copied()
    }

    /// The row of the innermost sub-command.
    #[must_use]
    pub fn last(&self) -> Option<&'static Row> {
        self.levels.last().copied()
    }

    /// How options are written at the innermost level.
    #[must_use]
    pub fn style(&self) -> Style {
        self.levels
            .iter()
            .rev()
            .find_map(|row| row.style)
            .unwrap_or(Style::Gnu)
    }

    /// Whether the option of that name is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.seen.iter().any(|s| s.row.names.contains(&name))
    }

    /// The value of the last option of that name.
    #[must_use]
    pub fn value_of<'a>(&'a self, name: &str, args: &'a [Word]) -> Option<&'a Text> {
        self.seen
            .iter()
            .rev()
            .find(|s| s.row.names.contains(&name))
            .and_then(|s| s.value.as_ref())
            .map(|value| value.text(args))
    }
}
