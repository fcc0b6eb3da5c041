//! sed scripts: the `e` command and flag run commands, `r` `R` `w` `W` name files.

use cerco_reader::Text;

use super::{File, unknown};

enum Does<'a> {
    Runs(Option<&'a str>),
    Reads(&'a str),
    Writes(&'a str),
}

/// The commands of `e` and of the flag `s///e`.
pub(super) fn commands(text: &str) -> Vec<Text> {
    scan(text)
        .into_iter()
        .filter_map(|does| match does {
            Does::Runs(Some(command)) => Some(Text::Known(command.into())),
            Does::Runs(None) => Some(unknown()),
            Does::Reads(_) | Does::Writes(_) => None,
        })
        .collect()
}

/// The files of `r`, `w` and `s///w`.
pub(super) fn files(text: &str) -> Vec<File> {
    scan(text)
        .into_iter()
        .filter_map(|does| match does {
            Does::Reads(path) => Some(File {
                path: Text::Known(path.into()),
                written: false,
            }),
            Does::Writes(path) => Some(File {
                path: Text::Known(path.into()),
                written: true,
            }),
            Does::Runs(_) => None,
        })
        .collect()
}

fn scan(text: &str) -> Vec<Does<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest
            .trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '{' || c == '}');
        rest = address(rest);
        let Some(command) = rest.chars().next() else {
            return found;
        };
        rest = rest.get(command.len_utf8()..).unwrap_or_default();
        match command {
            's' | 'y' => rest = substitution(rest, command == 's', &mut found),
            'e' => {
                let (line, after) = line(rest);
                found.push(Does::Runs(if line.is_empty() { None } else { Some(line) }));
                rest = after;
            }
            'r' | 'R' | 'w' | 'W' => {
                let (path, after) = line(rest);
                found.push(if matches!(command, 'r' | 'R') {
                    Does::Reads(path)
                } else {
                    Does::Writes(path)
                });
                rest = after;
            }
            // Text, labels and comments run to the end of the line.
            'a' | 'i' | 'c' | '#' => rest = line(rest).1,
            ':' | 'b' | 't' | 'T' => {
                rest = rest.split_once([';', '\n']).map_or("", |(_, after)| after);
            }
            _ => {}
        }
    }
}

/// Passes over `1`, `$`, `/x/`, `\,x,`, `1,5`, `!`.
fn address(text: &str) -> &str {
    let mut rest = text;
    loop {
        let Some(first) = rest.chars().next() else {
            return rest;
        };
        rest = match first {
            '/' => delimited(rest.get(1..).unwrap_or_default(), '/').1,
            '\\' => {
                let after = rest.get(1..).unwrap_or_default();
                let Some(mark) = after.chars().next() else {
                    return "";
                };
                delimited(after.get(mark.len_utf8()..).unwrap_or_default(), mark).1
            }
            c if c.is_ascii_digit()
                || matches!(c, '$' | ',' | '!' | '~' | '+' | ' ' | 'I' | 'M') =>
            {
                rest.get(1..).unwrap_or_default()
            }
            _ => return rest,
        };
    }
}

fn substitution<'a>(text: &'a str, flags: bool, found: &mut Vec<Does<'a>>) -> &'a str {
    let Some(mark) = text.chars().next() else {
        return "";
    };
    let after = delimited(text.get(mark.len_utf8()..).unwrap_or_default(), mark).1;
    let mut rest = delimited(after, mark).1;
    if !flags {
        return rest;
    }
    loop {
        let Some(flag) = rest.chars().next() else {
            return "";
        };
        match flag {
            'e' => found.push(Does::Runs(None)),
            'w' => {
                let (path, after) = line(rest.get(1..).unwrap_or_default());
                found.push(Does::Writes(path));
                return after;
            }
            c if c.is_ascii_alphanumeric() => {}
            _ => return rest,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
}

/// The rest of the line without blanks around it, and what comes after.
fn line(text: &str) -> (&str, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim(), after)
}

fn delimited(text: &str, mark: char) -> (&str, &str) {
    let mut escaped = false;
    let mut class = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if class {
            class = c != ']';
        } else if c == '[' && text.get(at..).is_some_and(|t| t.contains(']')) {
            class = true;
        } else if c == mark {
            return (
                text.get(..at).unwrap_or_default(),
                text.get(at + c.len_utf8()..).unwrap_or_default(),
            );
        }
    }
    (text, "")
}
