//! Commands that editors and debuggers hand to a shell: `!command` of ed and vim, `shell` of gdb,
//! `platform shell` of lldb.

use cerco_reader::Text;

use super::{File, strings, unknown};

/// ed: `!command`, `r !command`, `w !command`. Lines of text that is put in can't be told
/// apart for sure (an address that doesn't exist makes them commands), so that each counts.
pub(super) fn ed(text: &str) -> Vec<Text> {
    text.lines()
        .filter_map(|line| {
            let (before, command) = line.split_once('!')?;
            let before = before
                .trim_end()
                .trim_end_matches(['r', 'w', 'e', 'E', 'q']);
            let address = |c: char| c.is_ascii_digit() || " ,;.$%'+-/?".contains(c);
            let whole = before.chars().all(address) || before.ends_with(['/', '?']);
            whole.then(|| Text::Known(command.into()))
        })
        .collect()
}

/// The files of ed's `r`, `w`, `e`, `f`.
pub(super) fn ed_files(text: &str) -> Vec<File> {
    text.lines()
        .filter_map(|line| {
            let (command, path) = line.trim().split_once(' ')?;
            let address = |c: char| c.is_ascii_digit() || ",;.$%".contains(c);
            let command = command.trim_start_matches(address);
            let written = matches!(command, "w" | "W" | "wq" | "f");
            (written || matches!(command, "r" | "e" | "E"))
                .then(|| File {
                    path: Text::Known(path.trim().into()),
                    written,
                })
                .filter(|_| !path.trim_start().starts_with('!'))
        })
        .collect()
}

/// vim: `:!command`, `:r !command`, `:%!command`, `:call system("command")`, `:terminal command`.
pub(super) fn vim(text: &str) -> Vec<Text> {
    let mut found = strings::commands(text, false);
    for line in text.lines() {
        let line = line.trim_start_matches([':', ' ']);
        if let Some((before, command)) = line.split_once('!') {
            // `w!`, `q!`, `wq!` force; a range or a blank stands in front of a command.
            let forces = before.ends_with(|c: char| c.is_ascii_alphanumeric());
            if !forces {
                found.push(Text::Known(command.into()));
            } else if let Some((_, command)) = command.split_once('!') {
                found.push(Text::Known(command.into()));
            }
        }
        for word in ["terminal ", "term ", "make ", "grep "] {
            if word.starts_with("te")
                && let Some(command) = line.strip_prefix(word)
            {
                found.push(Text::Known(command.into()));
            }
        }
    }
    found
}

/// The files of vim's `:w`, `:sav`, `:e`, `:r`, `:so`.
pub(super) fn vim_files(text: &str) -> Vec<File> {
    text.split(['\n', '|'])
        .filter_map(|command| {
            let command = command.trim_start_matches(|c: char| {
                c == ':' || c == ' ' || c == '%' || c == '$' || c == ',' || c.is_ascii_digit()
            });
            let (name, path) = command.split_once(' ')?;
            let path = path.trim();
            let name = name.trim_end_matches('!');
            let written =
                ["w", "write", "wq", "sav", "saveas", "up", "update", "x"].contains(&name);
            let read =
                ["e", "edit", "r", "read", "so", "source", "sp", "vs", "tabe"].contains(&name);
            ((written || read) && !path.starts_with(['!', '+'])).then(|| File {
                path: Text::Known(path.trim_start_matches(">>").trim().into()),
                written,
            })
        })
        .collect()
}

/// gdb: `shell command`, `!command`, `pipe command | shell command`, `make arguments`; lldb:
/// `platform shell command`. Names may be abbreviated.
pub(super) fn debugger(text: &str) -> Vec<Text> {
    let mut found = strings::commands(text, false);
    for line in text.lines() {
        let line = line.trim();
        if let Some(command) = line.strip_prefix('!') {
            found.push(Text::Known(command.into()));
            continue;
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let is = |full: &str, letters: usize| name.len() >= letters && full.starts_with(name);
        if is("shell", 3) {
            found.push(Text::Known(rest.into()));
        } else if name == "kill" || name == "k" && rest.is_empty() {
            // Ends the program that is looked at, which may be somebody else's.
            found.push(Text::Known("kill".into()));
        } else if name == "make" {
            found.push(Text::Known(line.into()));
        } else if name == "|" || is("pipe", 3) {
            match rest.split_once('|') {
                Some((_, command)) => found.push(Text::Known(command.trim().into())),
                None => found.push(unknown()),
            }
        } else if is("platform", 2)
            && let Some((sub, command)) = rest.split_once(char::is_whitespace)
            && "shell".starts_with(sub)
        {
            let command = command.trim_start_matches("-h ").trim_start_matches("-- ");
            found.push(Text::Known(command.into()));
        } else if name == "target" && rest.contains('|') {
            let command = rest.split_once('|').map_or("", |(_, command)| command);
            found.push(Text::Known(command.trim().into()));
        }
    }
    found
}
