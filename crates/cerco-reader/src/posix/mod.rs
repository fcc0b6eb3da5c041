//! Reads POSIX shells' text: parse, then follow it without running anything.

mod eval;
mod parse;
mod state;
mod tree;

use cerco_model::{Dialect, Part, Place};

use self::eval::Eval;
use self::parse::{Anchor, Shuck, Syntax};
use crate::{Programs, Reading};

/// Reads `text`; `at` is the part every finding gets when the text stands inside another.
pub(crate) fn read<P: Programs>(
    text: &str,
    dialect: Dialect,
    at: Option<Part>,
    place: &Place<'_>,
    programs: &P,
) -> Reading<P::Bound> {
    let anchor = at.map_or(Anchor::From(0), Anchor::Fixed);
    let parsed = Shuck.parse(text, dialect, anchor);
    Eval::new(text, dialect, at, place, programs).read(&parsed)
}
