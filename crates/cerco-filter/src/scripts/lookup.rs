//! Finds a script's text in the project's own file.

use cerco_model::Place;
use cerco_reader::Start;
use serde_json::Value;

use super::{Runner, makefile, pyproject, taskfile};
use crate::paths;
use crate::table::Bound;

/// Longer files aren't read; their scripts are judged by name.
const LONGEST: usize = 1 << 18;
/// How far up the file is looked for.
const HIGHEST: usize = 16;

/// The texts that `name` runs, in order; nothing where the file or the script isn't found.
pub(super) fn script(
    runner: Runner,
    name: &str,
    folder: &str,
    start: &Start<Bound>,
    place: &Place<'_>,
) -> Option<Vec<String>> {
    match runner {
        Runner::Package => package_script(name, folder, place),
        Runner::Deno => json(
            &["deno.json", "deno.jsonc", "package.json"],
            "tasks",
            name,
            folder,
            place,
            false,
        ),
        Runner::Composer => json(&["composer.json"], "scripts", name, folder, place, false),
        Runner::Make => {
            let named = ["-f", "--file", "--makefile"]
                .iter()
                .find_map(|o| start.bound.value_of(o, &start.args))
                .and_then(|text| text.known());
            let files = ["GNUmakefile", "makefile", "Makefile"];
            let text = match named {
                Some(file) => read(&paths::join(folder, file, &place.home), place),
                None => files
                    .iter()
                    .find_map(|f| read(&format!("{folder}/{f}"), place)),
            }?;
            makefile::recipe(&text, name)
        }
        Runner::Just => {
            let text = upwards(&["justfile", "Justfile", ".justfile"], folder, place)?;
            makefile::recipe(&text, name)
        }
        Runner::Task => {
            let text = upwards(taskfile::FILES, folder, place)?;
            taskfile::commands(&text, name)
        }
        Runner::Python => pyproject::PLACES.iter().find_map(|(file, tables)| {
            let text = upwards(&[file], folder, place)?;
            pyproject::commands(&text, tables, name)
        }),
        Runner::Other => None,
    }
}

/// The texts of a script of `package.json`.
pub(super) fn package_script(name: &str, folder: &str, place: &Place<'_>) -> Option<Vec<String>> {
    json(&["package.json"], "scripts", name, folder, place, true)
}

/// Reads a file of the project; nothing outside of it is ever looked at.
fn read(path: &str, place: &Place<'_>) -> Option<String> {
    match paths::scope(path, place) {
        paths::Scope::Outside | paths::Scope::Device | paths::Scope::Scratch => None,
        paths::Scope::Loop | paths::Scope::OtherLoop | paths::Scope::Project => {
            place.tree.text(path, LONGEST)
        }
    }
}

fn upwards(files: &[&str], folder: &str, place: &Place<'_>) -> Option<String> {
    let mut folder = folder;
    for _ in 0..HIGHEST {
        if let Some(text) = files
            .iter()
            .find_map(|file| read(&format!("{folder}/{file}"), place))
        {
            return Some(text);
        }
        folder = folder.rsplit_once('/')?.0;
    }
    None
}

fn json(
    files: &[&str],
    key: &str,
    name: &str,
    folder: &str,
    place: &Place<'_>,
    hooks: bool,
) -> Option<Vec<String>> {
    let text = upwards(files, folder, place)?;
    let value: Value = serde_json::from_str(&text).ok()?;
    let scripts = value.get(key)?;
    let own = texts(scripts.get(name)?)?;
    if !hooks {
        return Some(own);
    }
    let hook = |front: &str| {
        scripts
            .get(format!("{front}{name}"))
            .and_then(texts)
            .unwrap_or_default()
    };
    Some([hook("pre"), own, hook("post")].concat())
}

/// A script is a text, a list of texts, or a table with a command.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(list) => Some(
            list.iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        ),
        Value::Object(table) => table
            .get("command")
            .and_then(Value::as_str)
            .map(|t| vec![t.to_owned()]),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
