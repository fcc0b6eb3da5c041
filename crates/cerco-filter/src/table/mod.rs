//! The program table: what each argument of a program means, made from `programs/**/*.toml`
//! at build time. Looking a program up costs one binary search, the first time its row is
//! read as well; loading the table costs nothing.
//!
//! Nothing here decides what is dangerous; the rules do, with what is bound here.

mod bind;
mod bound;
mod condition;
mod feeders;
mod find;
mod inner;
mod names;
mod options;
mod stored;
mod tags;
mod windows;

use cerco_model::{Rule, TimeClass, Verdict};

pub use bind::Table;
pub use bound::{Bound, Seen, Use, Value};
pub use condition::Facts;
pub(crate) use inner::action;
pub use names::name_and_row;

/// A program or sub-command.
#[derive(Debug)]
pub struct Row {
    /// Its first name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The words a grant of it is remembered by.
    pub kind: &'static str,
    /// How its options are written, where that isn't as in the row above.
    pub style: Option<Style>,
    /// What its words mean; nothing means that the general rules judge them.
    pub args: Option<&'static [Slot]>,
    /// Its options.
    pub options: &'static [OptionRow],
    /// Options that count only in front of a sub-command.
    pub before: &'static [OptionRow],
    /// How long it may run, where that isn't as in the row above.
    pub time: Option<TimeClass>,
    /// What rules say of it.
    pub marks: &'static [Mark],
    /// What text on its standard input means.
    pub stdin: &'static [Slot],
    /// What it starts sees another file system.
    pub container: bool,
    /// It prints names of files below the folders it was given.
    pub files: bool,
    /// Its sub-commands, sorted by name.
    pub subs: &'static [(&'static str, &'static Self)],
    /// Marks for a sub-command that isn't in `subs`.
    pub other: &'static [Mark],
    /// Whole commands and their verdicts.
    pub examples: &'static [(Verdict, &'static str)],
}

impl Row {
    const EMPTY: Self = Self {
        name: "",
        about: "",
        kind: "",
        style: None,
        args: None,
        options: &[],
        before: &[],
        time: None,
        marks: &[],
        stdin: &[],
        container: false,
        files: false,
        subs: &[],
        other: &[],
        examples: &[],
    };

    /// Its sub-command of that name.
    #[must_use]
    pub fn sub(&self, name: &str) -> Option<&'static Self> {
        look_up(self.subs, name)
    }
}

/// How a program's options are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `-abc`, `-ovalue`, `--long=value`, unambiguous abbreviations.
    Gnu,
    /// The same without abbreviations.
    Strict,
    /// Single-dash words.
    Words,
    /// No options.
    Plain,
    /// Gnu, and the first word may be a cluster without its dash.
    Tar,
    /// `-Name value`, `-Name:value`, case-blind, any abbreviation.
    Powershell,
    /// `/x`, `/x value`, `/x:value`, case-blind.
    Slash,
}

/// A place in the list of words.
#[derive(Debug)]
pub struct Slot {
    /// What the word means.
    pub meaning: Meaning,
    /// Whether it takes any number of words.
    pub many: bool,
    /// When it is there at all.
    pub condition: Condition,
}

/// An option.
#[derive(Debug)]
pub struct OptionRow {
    /// Its names, dashes included.
    pub names: &'static [&'static str],
    /// Whether it takes a value.
    pub takes: Takes,
    /// What the value means.
    pub meaning: Meaning,
    /// What rules say of it.
    pub marks: &'static [Mark],
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// The next word, or what is attached.
    Value,
    /// Only what is attached, if anything is.
    Attached,
}

/// What a rule says of a program, a sub-command or an option.
#[derive(Debug)]
pub struct Mark {
    /// What it says.
    pub says: Says,
    /// The kind of a grant, where it isn't the row's.
    pub kind: Option<&'static str>,
    /// When it says so.
    pub condition: Condition,
    /// A reason of its own.
    pub reason: Option<&'static str>,
    /// A remedy of its own.
    pub remedy: Option<&'static str>,
}

/// What a mark says.
#[derive(Clone, Debug)]
pub enum Says {
    /// The rule applies.
    Rule(Rule),
    /// The program ends by itself.
    Ends,
    /// Nothing happens: the program only prints something.
    Info,
}

/// Alternatives of parts that must all hold.
pub type Clauses = &'static [&'static [Atom]];

/// `if … unless …`; an empty `when` holds always, an empty `unless` never.
#[derive(Debug)]
pub struct Condition {
    /// One of these must hold.
    pub when: Clauses,
    /// None of these may hold.
    pub unless: Clauses,
}

/// A part of a condition.
#[derive(Debug)]
pub enum Atom {
    /// The option is there.
    Option(&'static str),
    /// The option is there with this value (`*` at an end stands for anything).
    OptionIs(&'static str, &'static str),
    /// At least so many words are there.
    Args(u32),
    /// One of the words is this (`*` at an end stands for anything).
    Word(&'static str),
    /// The variable of that name is set for it.
    Variable(&'static str),
    /// Nothing is piped or redirected in.
    Terminal,
    /// The output goes to no pipe and no file.
    Screen,
    /// Something is piped or redirected in.
    Piped,
    /// The part does not hold.
    Not(&'static Self),
}

/// What an argument means (`programs/README.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "programs/README.md has a line for each")]
pub enum Meaning {
    Text,
    Pattern,
    Read,
    Write,
    Delete,
    List,
    Dir,
    Path,
    General,
    Url,
    Host,
    Proxy,
    Place,
    Remote,
    Refspec,
    Pathspec,
    Config,
    Configkey,
    Image,
    Mount,
    Package(Ecosystem),
    Data,
    Form,
    Resolve,
    Connect,
    Assign,
    Action,
    Endpoint,
    Setting,
    Entrypoint,
    Named,
    Pair,
    Chosen,
    Conninfo,
    Variable,
    Code(Language),
    Run,
    Split,
    Sources,
    Tool,
    Module,
    Program,
    Command,
    Script,
    None,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "names of package managers")]
pub enum Ecosystem {
    Npm,
    Pip,
    Cargo,
    Go,
    Gem,
    Composer,
    Other,
}

/// A language of code in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "names of languages")]
pub enum Language {
    Python,
    Javascript,
    Perl,
    Ruby,
    Php,
    Awk,
    Sed,
    Vim,
    Lua,
    R,
    Applescript,
    Julia,
    Sql,
    Psql,
    Mysql,
    Sqlite,
    Ed,
    Debugger,
    Make,
    Tcl,
    Other,
    Sh,
    Bash,
    Powershell,
    Cmd,
}

mod data {
    //! What `build.rs` made of `programs/**/*.toml`.
    #![allow(
        unused_imports,
        clippy::unreadable_literal,
        reason = "generated: what it uses follows from the files"
    )]
    use cerco_model::{Rule, TimeClass, Verdict};

    use super::{Ecosystem, Language, Meaning, Says, Style, Takes};
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
    /// The rows, one after the other.
    pub(super) static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/programs.bin"));
}

/// The row of the program of that name (the last part of a path, as it would be looked up).
#[must_use]
pub fn program(name: &str) -> Option<&'static Row> {
    stored::program(name)
}

/// Every name and its row, sorted by name.
#[must_use]
pub fn programs() -> &'static [(&'static str, &'static Row)] {
    stored::programs()
}

fn look_up(list: &'static [(&'static str, &'static Row)], name: &str) -> Option<&'static Row> {
    let at = list
        .binary_search_by(|(other, _)| (*other).cmp(name))
        .ok()?;
    list.get(at).map(|(_, row)| *row)
}
