//! Reads a `PowerShell` text (5.1 and 7) without starting `PowerShell`.
//!
//! `cursor` → `strings`, `expressions`, `commands`, `statements` make a `tree`; `walk` goes
//! through it with the values (`value`) and the directory that the text settles, and adds
//! every start to the reading. A construct that isn't known is a doubt, never skipped.
//!
//! It knows the names the language itself gives a meaning (`Set-Location`, `ForEach-Object`,
//! `$env:`), and not what any program does.

mod commands;
mod compounds;
mod cursor;
mod expressions;
mod functions;
mod literals;
mod members;
mod names;
mod scan;
mod statements;
mod steps;
mod strings;
mod tree;
mod value;
mod walk;

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
    let mut cursor = cursor::Cursor::new(text);
    let (block, trouble) = statements::program(&mut cursor);
    let starts = Starts::new(Dialect::PowerShell, place, programs, out);
    walk::Walker::new(starts, entry).program(&block, trouble);
}
