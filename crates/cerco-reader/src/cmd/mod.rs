//! Reads a `cmd.exe` text without starting cmd.
//!
//! cmd replaces `%NAME%` before it parses, so no grammar over the text itself is sound:
//! `expand` does that first, line group by line group; `parse` finds commands, groups,
//! `if` and `for`; `walk` follows the directory and the variables; `words` cuts a command
//! into arguments as the program will see them. A jump, and a name that isn't settled, is
//! a doubt.

mod chars;
mod compound;
mod expand;
mod parse;
mod redirect;
mod tree;
mod values;
mod walk;
mod words;

use cerco_model::{Dialect, Part, Place};

use crate::windows::starts::{Entry, Starts};
use crate::{Programs, Reading};

/// Reads `text`; `at` is the part every finding gets when the text stands inside another.
pub(crate) fn read<P: Programs>(
    text: &str,
    at: Option<Part>,
    place: &Place<'_>,
    programs: &P,
) -> Reading<P::Bound> {
    let mut out = Reading::default();
    read_in(text, Entry::new(at, place), place, programs, &mut out);
    out
}

/// Reads `text` into `out`, from a given beginning.
pub(crate) fn read_in<P: Programs>(
    text: &str,
    entry: Entry,
    place: &Place<'_>,
    programs: &P,
    out: &mut Reading<P::Bound>,
) {
    let starts = Starts::new(Dialect::Cmd, place, programs, out);
    walk::Walker::new(starts, entry).text(text);
}
