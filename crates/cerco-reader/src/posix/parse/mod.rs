//! Text → syntax, behind one trait.
//!
//! The parser behind it is `shuck-parser`; its types must not leave this folder. It is
//! never trusted to be complete: [`net`] checks what it returns against the raw text, and
//! only a clean parse counts.

mod arith;
mod chains;
mod command;
mod decode;
mod limits;
mod net;
mod param;
mod word;

use cerco_model::{Dialect, Part};
use shuck_parser::ShellDialect;
use shuck_parser::parser::{ParseStatus, Parser};

use self::command::Lower;
use crate::posix::tree::{Parsed, Unsure};

/// How spans of a text become parts of the command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    /// The text is (a piece of) the command itself, from this byte on.
    From(usize),
    /// The text stands inside a word of the command: everything is that word's part.
    Fixed(Part),
}

impl Anchor {
    pub(crate) fn part(self, start: usize, end: usize) -> Part {
        match self {
            Self::From(base) => Part::new(base.saturating_add(start), base.saturating_add(end)),
            Self::Fixed(part) => part,
        }
    }
}

/// A parser of POSIX shells' text.
pub(crate) trait Syntax {
    /// Parses `text` as `dialect` does. What it can't read is in `unsure`, and nothing of
    /// what it couldn't read is in the list.
    fn parse(&self, text: &str, dialect: Dialect, anchor: Anchor) -> Parsed;
}

/// [`Syntax`] on shuck-parser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuck;

impl Syntax for Shuck {
    fn parse(&self, text: &str, dialect: Dialect, anchor: Anchor) -> Parsed {
        parse(text, dialect, anchor, 0)
    }
}

pub(crate) fn parse(text: &str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Parsed {
    let shell_keeps = if dialect == Dialect::Sh { 1 } else { 2 };
    if let Some((from, inside)) = limits::without_idle_parens(text, shell_keeps) {
        let anchor = match anchor {
            Anchor::From(base) => Anchor::From(base + from),
            Anchor::Fixed(part) => Anchor::Fixed(part),
        };
        return parse(inside, dialect, anchor, rereads);
    }
    if let Some((at, why)) = limits::too_much(text) {
        return Parsed {
            list: Vec::new(),
            unsure: vec![Unsure {
                part: anchor.part(at, text.len()),
                why,
            }],
        };
    }
    match clean(text, dialect, anchor, rereads) {
        Some(parsed) => parsed,
        None => chains::parse(text, dialect, anchor, rereads).unwrap_or_else(|| Parsed {
            list: Vec::new(),
            unsure: vec![Unsure {
                part: anchor.part(0, text.len()),
                why: "it doesn't parse as shell text",
            }],
        }),
    }
}

/// One clean parse with its net, or nothing.
fn clean(text: &str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Option<Parsed> {
    let language = match dialect {
        Dialect::Sh => ShellDialect::Posix,
        Dialect::Bash | Dialect::PowerShell | Dialect::Cmd => ShellDialect::Bash,
    };
    let result = Parser::with_dialect(text, language).parse();
    if result.status != ParseStatus::Clean {
        return None;
    }
    let mut lower = Lower::new(text, dialect, anchor, rereads);
    let list = lower.list(&result.file.body);
    Some(lower.finish(list))
}
