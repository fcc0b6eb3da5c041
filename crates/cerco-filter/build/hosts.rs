//! `registries.toml` → a static tree of host labels.

use std::fmt::Write;

use toml::{Table, Value};

/// The file's tree, each level sorted by label.
pub(crate) fn emit(text: &str) -> Result<String, String> {
    let table: Table = toml::from_str(text).map_err(|e| format!("registries.toml: {e}"))?;
    let mut code = String::from(
        "/// The tree of allowed hosts, from the top-level domain down.\npub(super) static TREE: &[Label] = &",
    );
    level(&table, &mut code, "registries.toml")?;
    code.push_str(";\n");
    Ok(code)
}

fn level(table: &Table, code: &mut String, path: &str) -> Result<(), String> {
    let mut labels: Vec<_> = table.iter().collect();
    labels.sort_by_key(|(label, _)| label.as_str());
    code.push('[');
    for (label, value) in labels {
        let here = format!("{path}: {label}");
        match value {
            Value::String(name) => {
                let (name, below) = match name.strip_suffix(" and below") {
                    Some(name) => (name, true),
                    None => (name.as_str(), false),
                };
                let _ = write!(
                    code,
                    "Label {{ name: {label:?}, host: Some({name:?}), below: {below}, children: &[] }},"
                );
            }
            Value::Table(children) => {
                let mut children = children.clone();
                let own = match children.remove("@") {
                    None => None,
                    Some(Value::String(name)) => Some(name),
                    Some(_) => return Err(format!("{here}: `@` is a text")),
                };
                let below = own.as_deref().is_some_and(|o| o.ends_with(" and below"));
                let own = own.as_deref().map(|o| o.trim_end_matches(" and below"));
                let _ = write!(
                    code,
                    "Label {{ name: {label:?}, host: {own:?}, below: {below}, children: &"
                );
                level(&children, code, &here)?;
                code.push_str("},");
            }
            Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                return Err(format!("{here}: a text or a table is expected"));
            }
        }
    }
    code.push(']');
    Ok(())
}
