//! What the consoles of databases run besides SQL: `\!` and `\copy … program` of psql, `system`
//! of mysql, `.shell` of sqlite3, and the files that their own commands name.

use cerco_reader::Text;

use super::{File, unknown};

/// psql's commands begin with a backslash and stand anywhere outside of quotes; `copy … program`
/// is SQL, and runs on the server.
pub(super) fn psql(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    for command in backslashed(text) {
        let (name, rest) = command.split_at(name_end(command));
        let rest = rest.trim();
        match name {
            "!" => found.push(Text::Known(rest.into())),
            "e" | "edit" | "ef" | "ev" => found.push(Text::Known("vi".into())),
            "setenv" => {
                if let Some((_, value)) = rest.split_once(char::is_whitespace) {
                    found.push(Text::Known(value.trim().into()));
                }
            }
            "o" | "out" | "g" | "gx" | "w" | "write" => {
                if let Some((_, piped)) = rest.split_once('|') {
                    found.push(Text::Known(piped.trim().into()));
                }
            }
            _ => {}
        }
        // An argument in backticks is what a shell printed.
        found.extend(between(rest, '`').map(|inside| Text::Known(inside.into())));
    }
    found.extend(programs_of_copy(text));
    found
}

/// mysql's commands are words at the beginning of a statement, or a backslash and a letter.
pub(super) fn mysql(text: &str) -> Vec<Text> {
    let words = text
        .split([';', '\n'])
        .filter_map(|statement| {
            let statement = statement.trim_start();
            let (word, _) = statement.split_once(char::is_whitespace)?;
            let runs = ["system", "pager"]
                .iter()
                .any(|w| word.eq_ignore_ascii_case(w));
            // The command goes on behind a `;`: the shell reads that itself.
            let at = text.len() - text.get(offset(text, statement)..)?.len();
            let line = text.get(at..)?.lines().next()?;
            runs.then(|| Text::Known(line.get(word.len()..).unwrap_or_default().trim().into()))
        })
        .collect::<Vec<_>>();
    let letters = backslashed(text).filter_map(|command| {
        command
            .strip_prefix(['!', 'P'])
            .map(|rest| Text::Known(rest.trim().into()))
    });
    words.into_iter().chain(letters).collect()
}

/// sqlite3's commands stand at the beginning of a line and may be abbreviated: `.sh`, `.sy`.
pub(super) fn sqlite(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    for (name, rest) in dotted(text) {
        if is_short(name, "shell", 2) || is_short(name, "system", 2) {
            found.push(Text::Known(rest.into()));
            continue;
        }
        let piped = rest.trim_start_matches(['"', '\'', ' ']).strip_prefix('|');
        if let Some(command) = piped {
            let ends = |c| matches!(c, '"' | '\'');
            let quoted = rest.starts_with(ends);
            let end = command.find(ends).filter(|_| quoted);
            found.push(Text::Known(
                command
                    .get(..end.unwrap_or(command.len()))
                    .unwrap_or_default()
                    .into(),
            ));
        }
        if rest
            .split_ascii_whitespace()
            .any(|word| word == "-e" || word == "-x")
            && (is_short(name, "once", 2) || is_short(name, "output", 1))
            || is_short(name, "excel", 2)
        {
            found.push(Text::Known("vi".into()));
        }
        if is_short(name, "load", 2) {
            found.push(unknown());
        }
    }
    found
}

/// The files of psql's `\copy … to 'x'`, `\i x`, `\o x`.
pub(super) fn psql_files(text: &str) -> Vec<File> {
    let mut found = Vec::new();
    for command in backslashed(text) {
        let (name, rest) = command.split_at(name_end(command));
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let (path, written) = match name {
            "copy" => {
                let at = |way: &str| words.iter().position(|w| w.eq_ignore_ascii_case(way));
                match (at("to"), at("from")) {
                    (Some(at), _) => (words.get(at + 1), true),
                    (None, Some(at)) => (words.get(at + 1), false),
                    (None, None) => (None, false),
                }
            }
            "i" | "ir" | "include" | "include_relative" => (words.first(), false),
            "o" | "out" | "g" | "gx" | "w" | "write" | "s" => (words.first(), true),
            _ => (None, false),
        };
        let path = path.map(|p| p.trim_matches(['\'', '"', ';']));
        let std = |p: &&str| {
            !matches!(
                p.to_ascii_lowercase().as_str(),
                "stdin" | "stdout" | "pstdin" | "pstdout" | "program" | ""
            )
        };
        if let Some(path) = path.filter(std).filter(|p| !p.starts_with('|')) {
            found.push(File {
                path: Text::Known(path.into()),
                written,
            });
        }
    }
    found.extend(named_files(text));
    found
}

/// The files of mysql's `source x`, `\. x`, `tee x`.
pub(super) fn mysql_files(text: &str) -> Vec<File> {
    let own = text.split([';', '\n']).filter_map(|statement| {
        let (name, path) = statement.trim().split_once(char::is_whitespace)?;
        let written = name.eq_ignore_ascii_case("tee");
        let read = name.eq_ignore_ascii_case("source") || name == "\\.";
        (written || read).then(|| File {
            path: Text::Known(path.trim().into()),
            written,
        })
    });
    own.chain(named_files(text)).collect()
}

/// What stands in front of a file's name in the SQL of any of them, and whether it is written.
const FILES_OF_SQL: &[(&str, bool)] = &[
    ("readfile", false),
    ("writefile", true),
    ("attach", true),
    ("load_extension", false),
    ("load_file", false),
    ("infile", false),
    ("outfile", true),
    ("dumpfile", true),
    ("read_csv", false),
    ("read_csv_auto", false),
    ("read_parquet", false),
    ("read_json", false),
    ("read_json_auto", false),
    ("read_text", false),
    ("read_blob", false),
    ("pg_read_file", false),
    ("pg_read_binary_file", false),
    ("pg_ls_dir", false),
    ("lo_import", false),
    ("from", false),
    ("to", true),
];

/// The files that SQL names as strings: `load_file('x')`, `copy t to 'x'`, `from 'x.csv'`.
fn named_files(text: &str) -> Vec<File> {
    let mut found = Vec::new();
    let mut before = "";
    // Both sides of every quote, whichever it opens or closes: a comment may hold an odd one.
    for (at, inside) in text.split('\'').enumerate() {
        let front = std::mem::replace(&mut before, inside);
        if at == 0 {
            continue;
        }
        let front = front.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
        let front = match front.len().checked_sub("database".len()) {
            Some(at)
                if front
                    .get(at..)
                    .is_some_and(|w| w.eq_ignore_ascii_case("database")) =>
            {
                front.get(..at).unwrap_or_default().trim_end()
            }
            _ => front,
        };
        let word = front
            .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .next()
            .unwrap_or_default();
        let names = FILES_OF_SQL
            .iter()
            .find(|(name, _)| word.eq_ignore_ascii_case(name));
        if let Some((_, written)) = names {
            found.push(File {
                path: Text::Known(inside.into()),
                written: *written,
            });
        }
    }
    found
}

/// The files of sqlite3's own commands and functions.
pub(super) fn sqlite_files(text: &str) -> Vec<File> {
    let mut found = Vec::new();
    for (name, rest) in dotted(text) {
        let writes = [
            "output", "once", "backup", "save", "log", "open", "clone", "trace",
        ];
        let written = writes.iter().any(|w| is_short(name, w, 2));
        let read = ["read", "import", "restore", "load"]
            .iter()
            .any(|w| is_short(name, w, 2));
        if !written && !read {
            continue;
        }
        let words = rest
            .split_ascii_whitespace()
            .filter(|word| !word.starts_with('-'));
        let name = words.map(|word| word.trim_matches(['"', '\''])).next();
        if let Some(path) = name.filter(|p| !p.is_empty() && !p.starts_with('|')) {
            found.push(File {
                path: Text::Known(path.into()),
                written,
            });
        }
    }
    found.extend(named_files(text));
    found
}

/// `copy t from program 'command'`, in any letter case.
fn programs_of_copy(text: &str) -> Vec<Text> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("copy") {
        return Vec::new();
    }
    lower
        .match_indices("program")
        .filter_map(|(at, word)| {
            let rest = text.get(at + word.len()..)?.trim_start();
            if rest.starts_with('\'') {
                // A quote inside is written twice.
                let end = rest.get(1..)?.replace("''", "\u{1}\u{1}").find('\'')?;
                let inside = rest.get(1..=end)?;
                return Some(Text::Known(inside.replace("''", "'").into()));
            }
            rest.starts_with('$').then(unknown)
        })
        .collect()
}

/// The texts behind each backslash that stands outside of quotes, to the end of their lines.
/// Where quoting isn't plain, quotes hide nothing.
fn backslashed(text: &str) -> impl Iterator<Item = &str> {
    let plain = !["$", "--", "/*", "#", "\\'", "\\\""]
        .iter()
        .any(|sign| text.contains(sign));
    let mut quote = None;
    let mut escaped = false;
    text.char_indices().filter_map(move |(at, c)| {
        if std::mem::take(&mut escaped) {
            return None;
        }
        match (quote, c) {
            (None, '\\') => {
                escaped = true;
                return text.get(at + 1..)?.lines().next();
            }
            (None, '\'' | '"') if plain => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        None
    })
}

/// Where the name of a backslash command ends.
fn name_end(command: &str) -> usize {
    if command.starts_with('!') {
        return 1;
    }
    command
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+')))
        .unwrap_or(command.len())
}

/// The names and the rests of the lines that begin with a dot.
fn dotted(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let command = line.trim().strip_prefix('.')?;
        let (name, rest) = command
            .split_once(char::is_whitespace)
            .unwrap_or((command, ""));
        Some((name, rest.trim()))
    })
}

/// Whether `name` is `full`, or its beginning of at least so many letters.
fn is_short(name: &str, full: &str, letters: usize) -> bool {
    name.len() >= letters && full.starts_with(name)
}

/// What stands between pairs of `mark`.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

/// Where `piece`, which is a piece of `text`, begins in it.
fn offset(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}
