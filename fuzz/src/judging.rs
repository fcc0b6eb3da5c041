//! What must hold of a judgement of any bytes: it comes to an end, without a panic, and a
//! command put behind the text never softens it.
//!
//! A command behind another is put there by its separator, `;` (`&` in cmd.exe): none of
//! the texts that this leaves open (a quote, a loop, a pipe without a right side) become
//! whole by it, so the verdict of the longer text must be at least as strict for *every*
//! text, the unreadable included. Only an escape at the very end would take the separator
//! for itself: such texts are passed over.

use cerco_filter::read_and_judge;
use cerco_model::{Command, Dialect, Verdict};

use crate::place::place;

/// The first byte chooses the dialect, the rest is the text.
pub fn judged(data: &[u8]) {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let (dialect, escape, behind) = match first % 4 {
        0 => (Dialect::Bash, '\\', "; true"),
        1 => (Dialect::Sh, '\\', "; true"),
        2 => (Dialect::PowerShell, '`', "; Get-Date"),
        _ => (Dialect::Cmd, '^', "& ver"),
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let Some(alone) = verdict(text, dialect) else {
        return;
    };
    if text.ends_with(escape) {
        return;
    }
    let longer = format!("{text}{behind}");
    if let Some(longer_verdict) = verdict(&longer, dialect) {
        assert!(
            longer_verdict >= alone,
            "{alone:?} became {longer_verdict:?} ({dialect:?}): {longer:?}"
        );
    }
}

/// Nothing where the bytes are no command's text.
fn verdict(text: &str, dialect: Dialect) -> Option<Verdict> {
    let command = Command::new(text.as_bytes().to_vec(), dialect).ok()?;
    let (_, judgement) = read_and_judge(&command, &place(dialect));
    Some(judgement.verdict())
}
