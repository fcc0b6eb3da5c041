//! The small languages inside the table: conditions, args, option lines, marks.

use std::collections::BTreeMap;

use crate::store::{Bytes, Kind, Store, list, maybe, number};
use crate::tags;

/// Ids of the rules a mark may name, with the words of `cerco_model::Rule`.
const RULES: &[(&str, &str)] = &[
    ("shell", "Shell"),
    ("shell-state", "ShellState"),
    ("remote", "Remote"),
    ("process", "Process"),
    ("permissions", "Permissions"),
    ("git-destructive", "GitDestructive"),
    ("publish", "Publish"),
    ("path", "Path"),
    ("secret", "Secret"),
    ("address", "Address"),
    ("endless", "Endless"),
    ("unreadable", "Unreadable"),
    ("git-change", "GitChange"),
    ("delete", "Delete"),
    ("inline-code", "InlineCode"),
    ("runs-program", "RunsProgram"),
];

const LANGUAGES: &[&str] = &[
    "python",
    "javascript",
    "perl",
    "ruby",
    "php",
    "awk",
    "sed",
    "vim",
    "lua",
    "r",
    "applescript",
    "julia",
    "sql",
    "psql",
    "mysql",
    "sqlite",
    "ed",
    "debugger",
    "make",
    "tcl",
    "other",
    "sh",
    "bash",
    "powershell",
    "cmd",
];

const ECOSYSTEMS: &[&str] = &["npm", "pip", "cargo", "go", "gem", "composer", "other"];

const MEANINGS: &[&str] = &[
    "text",
    "pattern",
    "read",
    "write",
    "delete",
    "list",
    "dir",
    "path",
    "general",
    "url",
    "host",
    "proxy",
    "place",
    "remote",
    "refspec",
    "pathspec",
    "config",
    "configkey",
    "image",
    "mount",
    "data",
    "form",
    "resolve",
    "connect",
    "assign",
    "action",
    "endpoint",
    "setting",
    "entrypoint",
    "named",
    "pair",
    "chosen",
    "conninfo",
    "variable",
    "run",
    "split",
    "sources",
    "tool",
    "module",
    "program",
    "command",
    "script",
    "none",
];

/// The options that count in a row, and whether each shares its line with others that mean
/// something else: a condition on one of those would hold for the others as well.
pub(crate) type Known = BTreeMap<String, bool>;

/// Adds the options of a line. A short and a long name are one option; more of a kind are
/// several that only take their value alike. PowerShell's parameters have many names each.
pub(crate) fn learn(known: &mut Known, line: &str, powershell: bool) {
    let names = option_names(line);
    let long = names.iter().filter(|n| n.len() > 2).count();
    let mixed = !powershell && (long > 1 || names.len() - long > 1);
    known.extend(names.into_iter().map(|name| (name.to_owned(), mixed)));
}

/// `read` → `Meaning::Read`, `code:python` → `Meaning::Code(Language::Python)`.
fn meaning(word: &str, store: &Store) -> Result<Bytes, String> {
    source(word).map(|source| store.value(Kind::Meaning, &source))
}

fn source(word: &str) -> Result<String, String> {
    if let Some(language) = word.strip_prefix("code:") {
        return one_of(language, LANGUAGES, "language")
            .map(|l| format!("Meaning::Code(Language::{l})"));
    }
    if let Some(ecosystem) = word.strip_prefix("package:") {
        return one_of(ecosystem, ECOSYSTEMS, "kind of package")
            .map(|e| format!("Meaning::Package(Ecosystem::{e})"));
    }
    one_of(word, MEANINGS, "meaning").map(|m| format!("Meaning::{m}"))
}

fn one_of(word: &str, list: &[&str], what: &str) -> Result<String, String> {
    if list.contains(&word) {
        Ok(camel(word))
    } else {
        Err(format!(
            "there is no {what} `{word}`; there are: {}",
            list.join(" ")
        ))
    }
}

fn camel(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// `[if A|B&C] [unless D]` → a `Condition`.
pub(crate) fn condition(words: &[&str], known: &Known, store: &Store) -> Result<Bytes, String> {
    let (mut when, mut unless) = (list(&[]), list(&[]));
    let mut rest = words;
    while let [key, clause, tail @ ..] = rest {
        match *key {
            "if" => when = clauses(clause, known, store)?,
            "unless" => unless = clauses(clause, known, store)?,
            other => return Err(format!("`{other}`: here `if` or `unless` is expected")),
        }
        rest = tail;
    }
    if let [left] = rest {
        return Err(format!("`{left}` stands alone at the end"));
    }
    Ok([when, unless].concat())
}

fn clauses(text: &str, known: &Known, store: &Store) -> Result<Bytes, String> {
    let alternatives = text
        .split('|')
        .map(|all| {
            let parts = all
                .split('&')
                .map(|part| atom(part, known, store))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(list(&parts))
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(list(&alternatives))
}

fn atom(part: &str, known: &Known, store: &Store) -> Result<Bytes, String> {
    if let Some(rest) = part.strip_prefix('!') {
        return Ok([vec![tags::NOT], atom(rest, known, store)?].concat());
    }
    if let Some(pattern) = part.strip_prefix("word:") {
        return Ok([vec![tags::WORD], store.text(pattern)].concat());
    }
    if let Some(name) = part.strip_prefix("variable:") {
        return Ok([vec![tags::VARIABLE], store.text(name)].concat());
    }
    if let Some(count) = part.strip_prefix("args") {
        let count: usize = if count.is_empty() {
            1
        } else {
            count
                .parse()
                .map_err(|_| format!("`{part}`: `args` takes a number"))?
        };
        return Ok([vec![tags::ARGS], number(count)].concat());
    }
    match part {
        "terminal" => return Ok(vec![tags::TERMINAL]),
        "screen" => return Ok(vec![tags::SCREEN]),
        "piped" => return Ok(vec![tags::PIPED]),
        _ => {}
    }
    let (name, value) = match part.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (part, None),
    };
    if !(name.starts_with('-') || name.starts_with('+') || name.starts_with('/')) {
        return Err(format!("`{part}` is no condition"));
    }
    match known.get(name) {
        Some(false) => {}
        None if matches!(name, "--help" | "--version") => {}
        Some(true) => {
            return Err(format!(
                "option `{name}` is named in a condition: give it a line of its own, with at most one short and one long name"
            ));
        }
        None => {
            return Err(format!(
                "option `{name}` is not listed in this row or one above"
            ));
        }
    }
    Ok(match value {
        Some(value) => [vec![tags::OPTION_IS], store.text(name), store.text(value)].concat(),
        None => [vec![tags::OPTION], store.text(name)].concat(),
    })
}

/// A comma list of args → slots.
pub(crate) fn slots(line: &str, known: &Known, store: &Store) -> Result<Bytes, String> {
    let slots = line
        .split(',')
        .map(|entry| {
            let words: Vec<&str> = entry.split_whitespace().collect();
            let [first, rest @ ..] = words.as_slice() else {
                return Err("an empty entry in args".to_owned());
            };
            let (word, many) = match first.strip_suffix("...") {
                Some(word) => (word, true),
                None => (*first, matches!(*first, "run" | "tool" | "module" | "none")),
            };
            let condition = condition(rest, known, store)?;
            Ok([meaning(word, store)?, vec![u8::from(many)], condition].concat())
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(list(&slots))
}

/// The names in front of an option line.
pub(crate) fn option_names(line: &str) -> Vec<&str> {
    line.split_whitespace()
        .take_while(|word| !matches!(*word, "=" | "=?" | "!"))
        .collect()
}

/// An option line → an `OptionRow`.
pub(crate) fn option(line: &str, known: &Known, store: &Store) -> Result<Bytes, String> {
    let names = option_names(line);
    if names.is_empty() {
        return Err("an option line begins with the option's names".to_owned());
    }
    for name in &names {
        if !name.starts_with(['-', '+', '/']) && !name.ends_with('=') {
            return Err(format!("`{name}` is no option name"));
        }
    }
    let mut parts = line.split(" ! ");
    let head: Vec<&str> = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let (takes, what) = match head.get(names.len()..).unwrap_or_default() {
        [] => ("Nothing", meaning("text", store)?),
        ["=", word] => ("Value", meaning(word, store)?),
        ["=?", word] => ("Attached", meaning(word, store)?),
        other => {
            return Err(format!(
                "`{}`: expected `= MEANING` or `=? MEANING`",
                other.join(" ")
            ));
        }
    };
    let marks = parts
        .map(|line| mark(line, None, None, known, store))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<_> = names.iter().map(|name| store.text(name)).collect();
    let takes = store.value(Kind::Takes, &format!("Takes::{takes}"));
    Ok([list(&names), takes, what, list(&marks)].concat())
}

/// A mark's line → a `Mark`.
pub(crate) fn mark(
    line: &str,
    reason: Option<&str>,
    remedy: Option<&str>,
    known: &Known,
    store: &Store,
) -> Result<Bytes, String> {
    let (line, kind) = match line.split_once(" as \"") {
        None => (line.to_owned(), None),
        Some((before, after)) => {
            let (kind, rest) = after
                .split_once('"')
                .ok_or("the kind behind `as` has no closing quote")?;
            (format!("{before}{rest}"), Some(kind.to_owned()))
        }
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let [what, rest @ ..] = words.as_slice() else {
        return Err("an empty mark".to_owned());
    };
    let says = match *what {
        "ends" => "Says::Ends".to_owned(),
        "info" => "Says::Info".to_owned(),
        id => RULES
            .iter()
            .find(|(rule, _)| *rule == id)
            .map(|(_, word)| format!("Says::Rule(Rule::{word})"))
            .ok_or_else(|| {
                let ids: Vec<_> = RULES.iter().map(|(id, _)| *id).collect();
                format!(
                    "there is no rule `{id}`; there are: ends info {}",
                    ids.join(" ")
                )
            })?,
    };
    let told = |told: Option<&str>| maybe(told.map(|told| store.text(told)));
    Ok([
        store.value(Kind::Says, &says),
        told(kind.as_deref()),
        condition(rest, known, store)?,
        told(reason),
        told(remedy),
    ]
    .concat())
}
