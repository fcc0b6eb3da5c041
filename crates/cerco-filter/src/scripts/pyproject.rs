//! Scripts that Python's project tools keep in `pyproject.toml`, `Pipfile` and `pixi.toml`.

use toml::{Table, Value};

/// Files and the tables in them that hold scripts by name.
pub(super) const PLACES: &[(&str, &[&[&str]])] = &[
    (
        "pyproject.toml",
        &[
            &["tool", "poe", "tasks"],
            &["tool", "pdm", "scripts"],
            &["tool", "rye", "scripts"],
            &["tool", "taskipy", "tasks"],
            &["tool", "pixi", "tasks"],
            &["tool", "hatch", "envs", "default", "scripts"],
        ],
    ),
    ("Pipfile", &[&["scripts"]]),
    ("pixi.toml", &[&["tasks"]]),
];

/// The command lines of the script `name`; hatch's may name an environment in front (`lint:all`).
pub(super) fn commands(text: &str, tables: &[&[&str]], name: &str) -> Option<Vec<String>> {
    let file: Table = toml::from_str(text).ok()?;
    for path in tables {
        let mut path = path.to_vec();
        let mut script = name;
        if let Some((environment, rest)) = name.split_once(':')
            && let Some(default) = path.iter_mut().find(|part| **part == "default")
        {
            *default = environment;
            script = rest;
        }
        let mut parts = path.iter();
        let Some(first) = parts.next().and_then(|key| file.get(*key)) else {
            continue;
        };
        let table = parts.try_fold(first, |value, key| value.get(*key));
        if let Some(value) = table.and_then(|table| table.get(script)) {
            return Some(texts(value));
        }
    }
    None
}

/// A text, a list of texts or of words, or a table with `cmd`, `shell`, `composite` …
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Table(table) => ["cmd", "shell", "composite", "sequence"]
            .iter()
            .filter_map(|key| table.get(*key))
            .flat_map(|value| match value {
                // pdm and pixi take a command as its words.
                Value::Array(words) if table.contains_key("cmd") => {
                    vec![
                        words
                            .iter()
                            .filter_map(Value::as_str)
                            .collect::<Vec<_>>()
                            .join(" "),
                    ]
                }
                other => texts(other),
            })
            .collect(),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Vec::new(),
    }
}
