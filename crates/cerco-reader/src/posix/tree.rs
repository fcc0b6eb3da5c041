//! The syntax of a POSIX text as the reader needs it: what a parser must hand over.
//!
//! No parser's own types come past this file, so that the parser can be replaced.
//! Quoting is decided here (a fragment is bare or quoted); nothing is expanded yet.

use std::rc::Rc;

use cerco_model::Part;
use compact_str::CompactString;
use smallvec::SmallVec;

/// Commands one after the other.
pub(crate) type List = Vec<Stmt>;

/// A command with what hangs on it.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) command: Cmd,
    pub(crate) redirs: Vec<Redir>,
    pub(crate) negated: bool,
    pub(crate) background: bool,
    pub(crate) part: Part,
}

/// What joins two commands of an and-or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

#[derive(Debug)]
pub(crate) enum Cmd {
    Simple(Simple),
    Pipe(Vec<Stmt>),
    AndOr {
        first: Box<Stmt>,
        rest: Vec<(Link, Stmt)>,
    },
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    For(Box<For>),
    Select(Box<For>),
    ArithFor {
        init: Option<Arith>,
        condition: Option<Arith>,
        step: Option<Arith>,
        body: List,
    },
    While {
        until: bool,
        condition: List,
        body: List,
    },
    Case {
        word: Word,
        arms: Vec<CaseArm>,
    },
    Subshell(List),
    Group(List),
    Arith(Option<Arith>),
    Cond(Cond),
    Time(Option<Box<Stmt>>),
    Function {
        name: CompactString,
        name_part: Part,
        body: Rc<Stmt>,
    },
    /// Its name is a variable that gets the descriptors.
    Coproc(CompactString, Box<Stmt>),
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) name: CompactString,
    pub(crate) name_part: Part,
    /// `None`: over `"$@"`.
    pub(crate) words: Option<Vec<Word>>,
    pub(crate) body: List,
}

#[derive(Debug)]
pub(crate) struct CaseArm {
    pub(crate) patterns: Vec<Word>,
    pub(crate) body: List,
    /// `;&` or `;;&`: the next arm may run as well.
    pub(crate) falls: bool,
}

#[derive(Debug)]
pub(crate) struct Simple {
    pub(crate) assigns: Vec<Assign>,
    pub(crate) words: Vec<Word>,
    /// What follows the name of `export`, `declare` …, where `A=b` isn't split into words.
    pub(crate) operands: Vec<Operand>,
}

#[derive(Debug)]
pub(crate) enum Operand {
    Word(Word),
    Assign(Assign),
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) name: CompactString,
    pub(crate) index: Option<Arith>,
    pub(crate) append: bool,
    pub(crate) value: Value,
    pub(crate) part: Part,
}

#[derive(Debug)]
pub(crate) enum Value {
    Scalar(Word),
    /// Elements with their written keys.
    Array(Vec<(Option<Arith>, Word)>),
}

/// How a redirection works on its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirKind {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `&>`
    Both,
    DupIn,
    DupOut,
    HereString,
    HereDoc,
}

#[derive(Debug)]
pub(crate) struct Redir {
    pub(crate) fd: Option<i32>,
    pub(crate) kind: RedirKind,
    /// The target, or the here-document's body.
    pub(crate) word: Word,
    pub(crate) part: Part,
}

/// A word before expansion.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) frags: SmallVec<[Frag; 1]>,
    pub(crate) part: Part,
}

/// Whether an expansion stands in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Bare,
    Double,
}

#[derive(Debug)]
pub(crate) enum Frag {
    /// Unquoted characters: globs, braces and a leading tilde are live.
    Bare(CompactString),
    /// These very characters.
    Quoted(CompactString),
    /// Quoted bytes that are no text (`$'\xff'`).
    Opaque,
    Param(Box<Param>, Quote),
    Command(Box<Subst>, Quote),
    Arith(Box<Arith>, Quote),
    Process(Box<Subst>),
}

#[derive(Debug)]
pub(crate) struct Subst {
    pub(crate) body: List,
}

#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: CompactString,
    pub(crate) index: Option<Index>,
    pub(crate) op: ParamOp,
    /// A name without braces around it: a letter that came to stand behind it (braces
    /// are expanded first) would lengthen the name.
    pub(crate) is_open: bool,
    pub(crate) part: Part,
}

#[derive(Debug)]
pub(crate) enum Index {
    At,
    Star,
    Of(Arith),
}

/// What `${x…}` does where `x` is unset (or empty, with the colon).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    Use,
    Assign,
    Alternative,
    Fail,
}

#[derive(Debug)]
pub(crate) enum ParamOp {
    Get,
    Length,
    Keys,
    /// `${!x}` and `${!x…}`: with whatever operand, walked for what it starts.
    Indirect(Option<Word>),
    NamesWith,
    Slice {
        offset: Arith,
        length: Option<Arith>,
    },
    Default {
        kind: Absent,
        colon: bool,
        word: Word,
    },
    Strip {
        suffix: bool,
        longest: bool,
        pattern: Word,
    },
    Replace {
        all: bool,
        pattern: Word,
        with: Word,
    },
    Case {
        upper: bool,
        all: bool,
        pattern: Option<Word>,
    },
    Transform(char),
}

/// An arithmetic expression.
#[derive(Debug)]
pub(crate) enum Arith {
    Number(CompactString),
    Variable(CompactString),
    /// An element of an array, and its subscript.
    Element(CompactString, Box<Arith>),
    Word(Word),
    Unary(UnaryOp, Box<Arith>),
    /// `++`/`--` in front or behind.
    Step {
        target: Box<Arith>,
        by: i64,
        before: bool,
    },
    Binary(BinaryOp, Box<Arith>, Box<Arith>),
    Choose(Box<Arith>, Box<Arith>, Box<Arith>),
    Assign {
        name: CompactString,
        index: Option<Box<Arith>>,
        op: Option<BinaryOp>,
        value: Box<Arith>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    Not,
    Invert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Comma,
    Power,
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// `[[ … ]]`.
#[derive(Debug)]
pub(crate) enum Cond {
    Word(Word),
    /// A unary test; the flag is its letter (`-n` is `n`).
    Unary(char, Box<Cond>),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    /// `==`, `!=` with a pattern at the right.
    Match {
        left: Box<Cond>,
        pattern: Box<Cond>,
        negated: bool,
    },
    /// `-eq` and the like: both sides are arithmetic.
    Compare(Box<Cond>, Box<Cond>),
    /// Everything else with two sides (`=~`, `<`, `-nt`).
    Other(Box<Cond>, Box<Cond>),
}

/// Something the parser can't vouch for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsure {
    pub(crate) part: Part,
    pub(crate) why: &'static str,
}

/// What a parser hands over.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) list: List,
    pub(crate) unsure: Vec<Unsure>,
    /// Whether the text may make a quoted `$(` or `` ` `` a value.
    pub(crate) quotes_opener: bool,
}
