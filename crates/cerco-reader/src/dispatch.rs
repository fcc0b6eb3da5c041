//! The two doors of the crate: a whole command, and a text that a command runs.
//!
//! Which language a text is in is said by whoever will run it; it is never guessed here.

use cerco_model::{Command, Dialect, Part, Place};

use crate::{Programs, Reading, cmd, posix, powershell};

/// Reads `command` as the shell of its dialect would, standing at `place`.
///
/// What can't be read comes back as a [`Doubt`](crate::Doubt); there is no error.
pub fn read<P: Programs>(command: &Command, place: &Place<'_>, programs: &P) -> Reading<P::Bound> {
    match command.dialect() {
        Dialect::Bash | Dialect::Sh => {
            posix::read(command.text(), command.dialect(), None, place, programs)
        }
        Dialect::PowerShell => powershell::read(command.text(), None, place, programs),
        Dialect::Cmd => cmd::read(command.text(), None, place, programs),
    }
}

/// Reads a text that is run by something in a command (a project script, code in an
/// option). Every part of the result is `part`: where the command the person sees names it.
pub fn read_nested<P: Programs>(
    text: &str,
    dialect: Dialect,
    part: Part,
    place: &Place<'_>,
    programs: &P,
) -> Reading<P::Bound> {
    match dialect {
        Dialect::Bash | Dialect::Sh => posix::read(text, dialect, Some(part), place, programs),
        Dialect::PowerShell => powershell::read(text, Some(part), place, programs),
        Dialect::Cmd => cmd::read(text, Some(part), place, programs),
    }
}
