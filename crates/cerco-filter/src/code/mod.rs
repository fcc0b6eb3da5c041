//! Code in an argument: what in it is run as commands, and what in it is visibly refused.
//! A scanner of strings and calls, never a parser of the language: what it finds makes a
//! verdict stricter, and code is asked about anyway.

mod awk;
mod calls;
mod consoles;
mod databases;
pub(crate) mod make;
mod sed;
mod strings;
mod tcl;
mod writes;

use cerco_reader::{Piece, Text};

use crate::table::Language;

pub(crate) use calls::refused as refused_calls;
pub(crate) use strings::{Visible, visible};

/// The command lines that `text` hands to a shell.
pub(crate) fn commands(language: Language, text: &str) -> Vec<Text> {
    match language {
        Language::Awk => awk::commands(text),
        Language::Sed => sed::commands(text),
        Language::Vim => consoles::vim(text),
        Language::Ed => consoles::ed(text),
        Language::Debugger => consoles::debugger(text),
        Language::Psql => databases::psql(text),
        Language::Mysql => databases::mysql(text),
        Language::Sqlite => databases::sqlite(text),
        Language::Tcl => tcl::commands(text),
        Language::Make => make::commands(text),
        Language::Perl | Language::Ruby | Language::Php => strings::commands(text, true),
        Language::Python
        | Language::Javascript
        | Language::Lua
        | Language::R
        | Language::Applescript
        | Language::Julia
        | Language::Sql => strings::commands(text, false),
        Language::Other => {
            let mut found = strings::commands(text, false);
            // gnuplot and others: a line that begins with `!`.
            let lines = text.split(['\n', ';']).map(str::trim_start);
            let escaped = lines.filter_map(|line| line.strip_prefix('!'));
            found.extend(escaped.map(|command| Text::Known(command.into())));
            found
        }
        // The reader reads these itself.
        Language::Sh | Language::Bash | Language::Powershell | Language::Cmd => Vec::new(),
    }
}

/// The files that `text` reads and writes, for languages that name them plainly.
pub(crate) fn files(language: Language, text: &str) -> Vec<File> {
    match language {
        Language::Awk => awk::files(text),
        Language::Sed => sed::files(text),
        Language::Ed => consoles::ed_files(text),
        Language::Vim => consoles::vim_files(text),
        Language::Sqlite => databases::sqlite_files(text),
        Language::Psql => databases::psql_files(text),
        Language::Mysql => databases::mysql_files(text),
        _ => Vec::new(),
    }
}

/// Whether code of this language is asked about even if it does nothing visible. Programs for
/// awk and sed are everyday text tools, and so are SQL and ed's commands: only those that run
/// commands are.
pub(crate) fn is_asked(language: Language, text: &Text) -> bool {
    match language {
        Language::Awk
        | Language::Sed
        | Language::Ed
        | Language::Psql
        | Language::Mysql
        | Language::Sqlite => text
            .known()
            .is_some_and(|text| !commands(language, text).is_empty()),
        Language::Sql => false,
        _ => true,
    }
}

/// A file that code names.
pub(crate) struct File {
    /// Its path.
    pub(crate) path: Text,
    /// Whether it is written.
    pub(crate) written: bool,
}

/// Whether a package's name is rather an address (`git+https://…`, `gitlab:o/r`).
pub(crate) fn is_address_like(text: &str) -> bool {
    text.contains(':') || text.starts_with(['.', '/', '~'])
}

/// A text that isn't known.
fn unknown() -> Text {
    Text::Partly(Box::new([Piece::Unknown]))
}
