//! The commands of a task in a Taskfile (<https://taskfile.dev/reference/schema>), as far as the
//! file is plain: its `cmds`, and those of the tasks that it needs or calls.

use std::collections::BTreeSet;

/// Most tasks that are followed from one.
const MOST: usize = 200;

/// Names of the file, in the order they are looked for.
pub(super) const FILES: &[&str] = &[
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "Taskfile.dist.yaml",
];

/// The command lines of `name` (`default` if empty) and of everything it needs.
pub(super) fn commands(text: &str, name: &str) -> Option<Vec<String>> {
    let first = if name.is_empty() { "default" } else { name };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut left = vec![first.to_owned()];
    let mut any = false;
    while let Some(task) = left.pop() {
        if !seen.insert(task.clone()) || seen.len() > MOST {
            continue;
        }
        let Some(body) = body(text, &task) else {
            continue;
        };
        any = true;
        read(&body, &mut found, &mut left);
    }
    any.then_some(found)
}

/// The lines of a task, below `tasks:`.
fn body<'a>(text: &'a str, task: &str) -> Option<Vec<&'a str>> {
    let lines = text
        .lines()
        .skip_while(|line| line.trim_end() != "tasks:")
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with([' ', '#']));
    let mut lines = lines.skip_while(|line| !is_key(line, task));
    let head = lines.next()?;
    let depth = indent(head);
    let rest = lines.take_while(|line| line.trim().is_empty() || indent(line) > depth);
    Some(std::iter::once(head).chain(rest).collect())
}

fn is_key(line: &str, task: &str) -> bool {
    let line = line.trim_start();
    ["", "\"", "'"].iter().any(|quote| {
        line.strip_prefix(quote)
            .and_then(|l| l.strip_prefix(task))
            .and_then(|l| l.strip_prefix(quote))
            .is_some_and(|l| l.starts_with(':'))
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `name: cmd`, `cmds: […]`, list items, `cmd: x`, `task: other`, `deps: [a, b]`.
fn read(body: &[&str], found: &mut Vec<String>, left: &mut Vec<String>) {
    let mut key = "";
    for (at, line) in body.iter().enumerate() {
        let line = line.trim();
        let (item, plain) = match line.strip_prefix("- ") {
            Some(item) => (true, item.trim()),
            None => (false, line),
        };
        let pair = plain.split_once(':').filter(|(name, rest)| {
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c))
                && (rest.is_empty() || rest.starts_with(' '))
        });
        match pair {
            Some((_, value)) if at == 0 => push(value, found),
            Some(("cmd" | "defer", value)) => push(value, found),
            Some(("task", value)) => left.push(plain_text(value).to_owned()),
            Some((name, value)) if !item => {
                key = name;
                list(key, value, found, left);
            }
            None if item && matches!(key, "cmds" | "cmd") => push(plain, found),
            None if item && key == "deps" => left.push(plain_text(plain).to_owned()),
            // A command over several lines.
            None if key == "cmds" => push(plain, found),
            Some(_) | None => {}
        }
    }
}

/// A list on one line.
fn list(key: &str, value: &str, found: &mut Vec<String>, left: &mut Vec<String>) {
    let inside = value
        .trim()
        .strip_prefix('[')
        .and_then(|v| v.strip_suffix(']'));
    for one in inside.into_iter().flat_map(|inside| inside.split(',')) {
        match key {
            "deps" => left.push(plain_text(one).to_owned()),
            "cmds" => push(one, found),
            _ => {}
        }
    }
}

fn push(value: &str, found: &mut Vec<String>) {
    let value = plain_text(value);
    if !value.is_empty() && !matches!(value, "|" | ">" | "|-" | ">-") {
        found.push(value.to_owned());
    }
}

fn plain_text(value: &str) -> &str {
    let value = value.trim();
    let quoted = |quote| {
        value
            .strip_prefix(quote)
            .and_then(|v: &str| v.strip_suffix(quote))
    };
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}
