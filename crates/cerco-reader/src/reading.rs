//! What the reader found.

use std::borrow::Cow;

use cerco_model::{Dialect, Part};
use compact_str::CompactString;

use crate::{Text, Word};

/// A directory in which something starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Directory {
    /// This one; absolute, `.` and `..` taken out as `cd` would.
    Known(CompactString),
    /// Not known before the command runs.
    Unknown,
}

/// `NAME=value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The variable's name.
    pub name: CompactString,
    /// The value; for `NAME+=value` the joined value where known.
    pub value: Text,
    /// The part of the text that assigns.
    pub part: Part,
    /// Whether programs started later see it (exported, or in front of a program).
    pub exported: bool,
}

/// What a redirection does with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedirectionKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A redirection from or to a named file. Duplications (`2>&1`) and here-documents are
/// not in this list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Redirection {
    /// What it does.
    pub kind: RedirectionKind,
    /// The file's word.
    pub target: Word,
    /// The directory that a relative target starts from.
    pub directory: Directory,
}

/// Where a program's standard input comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stdin {
    /// From the caller; empty unless one gives some.
    Inherited,
    /// A pipe; with the text, where the left side is settled (`echo ls |`). Where only some of
    /// what it writes is, the known piece holds that, wherever in the text it may stand.
    Pipe(Option<Text>),
    /// A here-document or here-string.
    Text(Word),
    /// A file, by redirection.
    File(Word),
}

/// Where a program's standard output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// To the caller.
    Inherited,
    /// Into a pipe or a substitution.
    Pipe,
    /// To a file.
    File,
}

/// Who starts a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartedBy {
    /// The shell that runs the text starts a program file.
    Shell,
    /// The shell runs a builtin of its own under that name.
    Builtin,
    /// Another start of the reading, by its index (a wrapper, `find -exec`, code in an option).
    Start(u32),
}

/// One program start.
#[derive(Clone, Debug)]
pub struct Start<B> {
    /// The language of the text it stands in.
    pub dialect: Dialect,
    /// The program's word, as written. Its text is always known: a name that isn't known
    /// is a [`Doubt`] instead.
    pub name: Word,
    /// The arguments.
    pub args: Vec<Word>,
    /// Assignments in front of it, or made by its wrapper.
    pub assignments: Vec<Assignment>,
    /// Redirections that hold for it, those of enclosing groups included.
    pub redirections: Vec<Redirection>,
    /// Its standard input.
    pub stdin: Stdin,
    /// Its standard output.
    pub output: Output,
    /// The directory it starts in.
    pub directory: Directory,
    /// The part of the text that starts it.
    pub part: Part,
    /// Who starts it.
    pub by: StartedBy,
    /// What the program table made of the arguments.
    pub bound: B,
}

/// Something the reader can't read. Each one alone makes the command refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Where.
    pub part: Part,
    /// Why, in one sentence.
    pub reason: Cow<'static, str>,
    /// What to write instead.
    pub remedy: Option<Cow<'static, str>>,
}

/// A function that the text defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: CompactString,
    /// Where its name stands.
    pub part: Part,
}

/// Everything that was read, in the order of the text.
#[derive(Clone, Debug)]
pub struct Reading<B> {
    /// Every program start, each possible one once. Where a word can have several settled
    /// values (`for f in a b`), there is one start for each.
    pub starts: Vec<Start<B>>,
    /// Assignments that stand alone or come from `export`, `declare`, `read`, `for` …
    pub assignments: Vec<Assignment>,
    /// Redirections without a program (`> file`).
    pub redirections: Vec<Redirection>,
    /// Functions defined. Their bodies are read where they are called, and once with
    /// unknown arguments where they are not.
    pub functions: Vec<Function>,
    /// Loops that have no end in sight (`while true` without `break`, `exit`, `return`).
    pub endless_loops: Vec<Part>,
    /// What can't be read. What was read before and after it is in the other lists.
    pub doubts: Vec<Doubt>,
}

impl<B> Default for Reading<B> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            functions: Vec::new(),
            endless_loops: Vec::new(),
            doubts: Vec::new(),
        }
    }
}
