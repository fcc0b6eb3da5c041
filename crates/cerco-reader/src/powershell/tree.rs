//! The syntax of a `PowerShell` text, as far as program starts depend on it.
//!
//! Nothing here says what anything means; `walk` does.

use cerco_model::Part;

/// `{ … }`, or the whole text.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) statements: Vec<Statement>,
    /// Names of `param(…)` and of a function's parentheses.
    pub(super) parameters: Vec<String>,
    pub(super) part: Part,
}

/// A statement.
#[derive(Debug)]
pub(super) enum Statement {
    /// Pipelines joined by `&&` and `||`.
    Chain { pipelines: Vec<Pipeline> },
    /// `$x = …`; `operator` is `=`, `+=` …
    Assign {
        targets: Vec<Expression>,
        is_plain: bool,
        value: Box<Statement>,
        part: Part,
    },
    /// Everything with a body that may run, or not, or several times.
    Compound {
        heads: Vec<Statement>,
        bodies: Vec<Block>,
        kind: Compound,
        part: Part,
    },
    Function {
        name: String,
        part: Part,
        body: Block,
    },
    /// `return`, `exit`, `throw` with their value, or `break` to a label.
    Leave { value: Option<Box<Statement>> },
    /// `break`
    Break,
    /// A statement that changes the shell or can't be read here (`using module`, `class`).
    Unread { part: Part, why: &'static str },
}

/// What kind of compound statement it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compound {
    /// `if`, `try`, `trap`: every body at most once.
    Branch,
    /// `switch`: bodies may run several times; `break` ends it.
    Switch,
    /// `while`, `for`, `do`: ends when the first head (or none) says so.
    Loop(Ends),
    /// `foreach ($name in …)`.
    Each(String),
}

/// When a loop ends by its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// No condition at all.
    Never,
    /// When head number n is false.
    WhenFalse(usize),
    /// When head number n is true.
    WhenTrue(usize),
}

/// Commands and expressions joined by `|`.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) elements: Vec<Element>,
}

/// One element of a pipeline.
#[derive(Debug)]
pub(super) enum Element {
    Command(Command),
    Expression {
        value: Expression,
        redirections: Vec<Redirect>,
    },
}

/// How a command's name was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallBy {
    Name,
    /// `& name`
    Ampersand,
    /// `. name`: in the shell itself.
    Dot,
}

/// A command with its arguments.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) by: CallBy,
    pub(super) name: Expression,
    pub(super) arguments: Vec<Argument>,
    pub(super) redirections: Vec<Redirect>,
    pub(super) part: Part,
}

/// An argument.
#[derive(Debug)]
pub(super) enum Argument {
    Value(Expression),
    /// `-Name` or `-Name:value`.
    Parameter {
        name: String,
        value: Option<Expression>,
        part: Part,
    },
    /// A word behind `--%`; `%NAME%` in it is expanded.
    Verbatim {
        text: String,
        part: Part,
    },
}

/// A redirection to a file.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) appends: bool,
    pub(super) target: Expression,
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) part: Part,
}

/// What an expression is.
#[derive(Debug)]
pub(super) enum Kind {
    /// A bare word, a string or a number, in pieces.
    Text(Vec<Fragment>),
    Variable(String),
    /// `@name`
    Splat,
    /// `$(…)`, `@(…)`, `(…)`.
    Statements(Vec<Statement>),
    Hash(Vec<(Expression, Statement)>),
    Block(Block),
    /// `[name]` as a value.
    Type(String),
    Cast(String, Box<Expression>),
    /// Something with `.member`, `::member`, `[index]` behind it.
    Postfix(Box<Expression>, Vec<Step>),
    Unary(String, Box<Expression>),
    /// `first op next op next …` of one level of precedence.
    Binary(Box<Expression>, Vec<(String, Expression)>),
    List(Vec<Expression>),
}

/// A piece of a text.
#[derive(Debug)]
pub(super) enum Fragment {
    Known(String),
    Value(Expression),
}

/// One step behind a value.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    pub(super) part: Part,
}

/// What a step does.
#[derive(Debug)]
pub(super) enum StepKind {
    /// `.name`, `::name`, or a call of it when there are arguments.
    Member {
        is_static: bool,
        name: Expression,
        arguments: Option<Vec<Expression>>,
    },
    Index(Expression),
}
