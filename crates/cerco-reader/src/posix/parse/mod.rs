//! Text → syntax, behind one trait.
//!
//! The parser behind it is `shuck-parser`; its types must not leave this folder. It is
//! never trusted to be complete: [`net`] checks what it returns against the raw text, and
//! only a clean parse counts.

mod ansi;
mod apart;
mod arith;
mod chains;
mod command;
mod compound;
mod decode;
mod gaps;
mod guard;
mod heredoc;
mod limits;
mod net;
mod param;
mod pattern;
mod redirect;
mod requote;
mod simple;
mod whole;
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
            quotes_opener: true,
            unsure: vec![Unsure {
                part: anchor.part(at, text.len()),
                why,
            }],
        };
    }
    let why = match clean(text, dialect, anchor, rereads) {
        Ok(parsed) => return parsed,
        Err(why) => why,
    };
    let in_pieces = match why {
        Turned::Down => chains::parse(text, dialect, anchor, rereads),
        Turned::Over => None,
    };
    in_pieces.unwrap_or_else(|| Parsed {
        list: Vec::new(),
        quotes_opener: true,
        unsure: vec![Unsure {
            part: anchor.part(0, text.len()),
            why: why.in_words(),
        }],
    })
}

/// Why there is no parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turned {
    /// The parser turned the text down.
    Down,
    /// The parser itself broke on the text.
    Over,
}

impl Turned {
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Down => "it doesn't parse as shell text",
            Self::Over => "the parser broke on it, so nothing in it can be trusted",
        }
    }
}

/// One clean parse with its net.
fn clean(text: &str, dialect: Dialect, anchor: Anchor, rereads: u8) -> Result<Parsed, Turned> {
    whole(|| {
        let language = match dialect {
            Dialect::Sh => ShellDialect::Posix,
            Dialect::Bash | Dialect::PowerShell | Dialect::Cmd => ShellDialect::Bash,
        };
        let result = Parser::with_dialect(text, language).parse();
        if result.status != ParseStatus::Clean {
            return None;
        }
        let mut lower = Lower::new(text, dialect, anchor, rereads);
        let list = lower.list_within(&result.file.body, 0, text.len());
        Some(lower.finish(list))
    })
}

/// What a parser hands over, when it ends at all. Its tree is walked under the same
/// guard: asking it for the text at a broken span panics as well.
fn whole(parser: impl FnOnce() -> Option<Parsed>) -> Result<Parsed, Turned> {
    match guard::guarded(parser) {
        Some(Some(parsed)) => Ok(parsed),
        Some(None) => Err(Turned::Down),
        None => Err(Turned::Over),
    }
}
