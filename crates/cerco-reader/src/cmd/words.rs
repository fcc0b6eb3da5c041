//! Cuts a command into its name and the arguments that a program will see.

use super::chars::{self, Char};
use crate::{Text, Word};

/// The commands that cmd runs itself.
const BUILTINS: [&str; 45] = [
    "assoc", "break", "call", "cd", "chdir", "cls", "color", "copy", "date", "del", "dir", "dpath",
    "echo", "endlocal", "erase", "exit", "for", "ftype", "goto", "if", "keys", "md", "mkdir",
    "mklink", "move", "path", "pause", "popd", "prompt", "pushd", "rd", "rem", "ren", "rename",
    "rmdir", "set", "setlocal", "shift", "start", "time", "title", "type", "ver", "verify", "vol",
];

/// Whether cmd runs `name` itself.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.iter().any(|b| name.eq_ignore_ascii_case(b))
}

/// A command's name and what stands behind it.
pub(super) struct Cut<'a> {
    /// Its characters, quotes taken out.
    pub(super) name: Vec<Char>,
    pub(super) rest: &'a [Char],
}

/// Splits the name off. Nothing for an empty command.
pub(super) fn cut(command: &[Char]) -> Option<Cut<'_>> {
    let start = command
        .iter()
        .position(|c| !c.is_delimiter() && !c.is('@'))?;
    let mut name: Vec<Char> = Vec::new();
    let mut quoted = false;
    let mut end = command.len();
    for (index, char) in command.iter().enumerate().skip(start) {
        if char.is('"') {
            quoted = !quoted;
            continue;
        }
        // `taskkill/f`: a slash ends the name.
        if !quoted
            && (char.is_delimiter() || char.is('(') || (char.c == Some('/') && index > start))
        {
            end = index;
            break;
        }
        name.push(*char);
    }
    let mut length = name.len();
    if let Some(text) = chars::known(&name) {
        let letters: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        let rest = text.get(letters.len()..).unwrap_or("");
        // `cd..`, `echo.`, `type\x`: a builtin ends at the first sign, unless that makes
        // the name of a file (`time.exe`).
        let is_file = [".exe", ".cmd", ".bat", ".com"]
            .iter()
            .any(|e| rest.get(..4).is_some_and(|r| r.eq_ignore_ascii_case(e)));
        if is_builtin(&letters)
            && rest.starts_with(['.', '\\', ':', '+', '[', ']', '"'])
            && !is_file
            && !command.get(start).is_some_and(|c| c.is('"'))
        {
            length = letters.len();
        }
    }
    if length < name.len() {
        name.truncate(length);
        end = start + length;
    }
    Some(Cut {
        name,
        rest: command.get(end..).unwrap_or(&[]),
    })
}

/// The arguments of a program, cut as the C run-time does.
pub(super) fn of_program(rest: &[Char]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        while rest.get(at).is_some_and(|c| c.is_blank()) {
            at += 1;
        }
        if at >= rest.len() {
            return words;
        }
        let start = at;
        let mut word: Vec<Char> = Vec::new();
        let (mut quoted, mut spreads) = (false, false);
        while let Some(&char) = rest.get(at) {
            if !quoted && char.is_blank() {
                break;
            }
            at += 1;
            match char.c {
                Some('\\') if rest.get(at).is_some_and(|c| c.c == Some('"')) => {
                    if let Some(quote) = rest.get(at) {
                        // `\"` is a quote of the text; `C:\dir\"` at the end closes it.
                        let closes = quoted && rest.get(at + 1).is_none_or(|c| c.is_blank());
                        if closes {
                            word.push(char);
                            quoted = false;
                        } else {
                            word.push(*quote);
                        }
                        at += 1;
                    }
                }
                Some('"') => quoted = !quoted,
                Some(_) => word.push(char),
                None => {
                    spreads |= !quoted;
                    word.push(char);
                }
            }
        }
        words.push(of_chars(&word, rest.get(start..at).unwrap_or(&[]), spreads));
    }
}

/// The arguments of a builtin: `,`, `;` and `=` separate too, switches may stick together.
pub(super) fn of_builtin(rest: &[Char]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        while rest.get(at).is_some_and(|c| c.is_delimiter()) {
            at += 1;
        }
        if at >= rest.len() {
            return words;
        }
        let start = at;
        let mut word: Vec<Char> = Vec::new();
        let (mut quoted, mut spreads) = (false, false);
        while let Some(&char) = rest.get(at) {
            if char.c == Some('"') {
                quoted = !quoted;
                at += 1;
                continue;
            }
            let starts_switch = char.c == Some('/') && at > start;
            let is_switch = word.first().is_some_and(|c| c.c == Some('/'));
            if !quoted && (char.is_delimiter() || (starts_switch && is_switch)) {
                break;
            }
            spreads |= char.c.is_none() && !quoted;
            word.push(char);
            at += 1;
        }
        words.push(of_chars(&word, rest.get(start..at).unwrap_or(&[]), spreads));
    }
}

/// One word of these characters.
pub(super) fn of_chars(chars: &[Char], written: &[Char], spreads: bool) -> Word {
    Word {
        text: chars::text_of(chars),
        part: chars::part_of(written),
        spreads,
    }
}

/// A word that is known.
pub(super) fn known(text: &str, part: cerco_model::Part) -> Word {
    Word {
        text: Text::Known(text.into()),
        part,
        spreads: false,
    }
}
