//! What an expanded text is made of.

use cerco_model::Part;

use super::chars::Char;
use crate::RedirectionKind;

/// Something to run.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) redirections: Vec<Redirect>,
    /// How it is joined to what came before.
    pub(super) after: After,
    pub(super) part: Part,
}

/// How a command is joined to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The first one, `&`, a new line.
    Always,
    /// `&&`, `||`
    Perhaps,
}

/// What it is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A command: its characters, carets taken out.
    Simple(Vec<Char>),
    Group(Vec<Node>),
    Pipe(Vec<Node>),
    If {
        /// The file of `if exist`.
        exists: Option<Vec<Char>>,
        bodies: Vec<Node>,
    },
    For(Box<For>),
}

/// `for … %v in (set) do body`
#[derive(Clone, Debug)]
pub(super) struct For {
    /// Letter of `/d`, `/r`, `/l`, `/f`, or nothing.
    pub(super) switch: Option<char>,
    /// What stands between the switch and the variable.
    pub(super) options: Vec<Char>,
    pub(super) variable: char,
    pub(super) set: Vec<Char>,
    pub(super) body: Node,
}

/// `> file`
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub(super) kind: RedirectionKind,
    pub(super) target: Vec<Char>,
}

/// Why reading stopped.
pub(super) struct Trouble {
    pub(super) part: Part,
    pub(super) why: &'static str,
}
