//! Pipelines and redirections: what each element gets from the one before.

use super::{Goes, Walker};
use crate::powershell::tree::{Element, Pipeline, Redirect};
use crate::powershell::value::Value;
use crate::{Output, Programs, Redirection, RedirectionKind, Stdin, Word};

impl<P: Programs> Walker<'_, '_, P> {
    pub(super) fn pipeline(&mut self, pipeline: &Pipeline, goes: Goes) -> Value {
        let last = pipeline.elements.len().saturating_sub(1);
        let mut piped: Option<Value> = None;
        let mut items = Value::Unknown;
        let mut value = Value::Null;
        for (index, element) in pipeline.elements.iter().enumerate() {
            let output = if index < last || goes == Goes::Caught {
                Output::Pipe
            } else {
                Output::Inherited
            };
            value = match element {
                Element::Expression {
                    value,
                    redirections,
                } => {
                    let value = self.expression(value);
                    let redirections = self.redirections(redirections);
                    self.starts.out.redirections.extend(redirections);
                    items = value.clone();
                    value
                }
                Element::Command(command) => {
                    let stdin = match &piped {
                        None => Stdin::Inherited,
                        // What a listing yields stands for its items.
                        Some(Value::Unknown) => Stdin::Pipe(match &items {
                            Value::Text(text) if !text.has_unknown() => Some(text.clone()),
                            _ => None,
                        }),
                        Some(value) => Stdin::Pipe(match value.lines() {
                            text if text.has_unknown() => None,
                            text => Some(text),
                        }),
                    };
                    let (value, next) = self.command(command, stdin, output, &items);
                    items = next;
                    value
                }
            };
            piped = Some(value.clone());
        }
        if pipeline.elements.len() > 1 {
            return match (pipeline.elements.len(), items) {
                // What a list yields stands for its items: `foreach ($f in gci *.ts)`.
                (2, items @ Value::Text(_)) if matches!(value, Value::Unknown) => items,
                _ => Value::Unknown,
            };
        }
        match (&value, items) {
            (Value::Unknown, items @ Value::Text(_)) => items,
            _ => value,
        }
    }

    pub(super) fn redirections(&mut self, redirects: &[Redirect]) -> Vec<Redirection> {
        let mut read = Vec::new();
        for redirect in redirects {
            let value = self.expression(&redirect.target);
            if value == Value::Null {
                continue;
            }
            let target = self.word(&value, redirect.target.part);
            read.push(Redirection {
                kind: if redirect.appends {
                    RedirectionKind::Append
                } else {
                    RedirectionKind::Write
                },
                target,
                directory: self.directory.clone(),
            });
        }
        read
    }
}

/// What the items of a listing are: a pattern that covers them, where one was given.
pub(super) fn listed(words: &[Word]) -> Value {
    let mut folder: Option<&str> = None;
    let mut filter: Option<&str> = None;
    let mut expects_filter = false;
    for word in words {
        let Some(text) = word.text.known() else {
            return Value::Unknown;
        };
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("-fi") || lower.starts_with("-inc") {
            expects_filter = true;
        } else if std::mem::take(&mut expects_filter) {
            if filter.replace(text).is_some() {
                return Value::Unknown;
            }
        } else if matches!(lower.as_str(), "-path" | "-p") || !lower.starts_with('-') {
            if !lower.starts_with('-') && folder.replace(text).is_some() {
                return Value::Unknown;
            }
        } else if !matches!(
            lower.as_str(),
            "-recurse" | "-r" | "-file" | "-directory" | "-force" | "-name" | "-s"
        ) {
            return Value::Unknown;
        }
    }
    match (folder, filter) {
        (Some(folder), Some(filter)) => Value::known(format!("{folder}\\{filter}")),
        (None, Some(pattern)) => Value::known(pattern),
        (Some(pattern), None) if pattern.contains('*') => Value::known(pattern),
        (Some(folder), None) => Value::known(format!("{folder}\\*")),
        (None, None) => Value::known("*"),
    }
}

/// Commands that hand on what they were given.
pub(super) fn passed_on(name: &str, items: &Value) -> Value {
    match name.to_ascii_lowercase().as_str() {
        "where-object" | "where" | "?" | "sort-object" | "sort" | "select-object" | "select" => {
            items.clone()
        }
        _ => Value::Unknown,
    }
}
