//! What a command yields, and where one that moves leads, where the language settles it.

use super::Walker;
use crate::powershell::names;
use crate::powershell::value::{Joined, Value};
use crate::windows::path;
use crate::{Directory, Programs, Stdin, Word};

impl<P: Programs> Walker<'_, '_, P> {
    /// What a command yields, where the language itself settles it.
    pub(super) fn yields(&self, name: &str, words: &[Word], stdin: &Stdin) -> Value {
        let lower = name.to_ascii_lowercase();
        if names::is_echo(name) && *stdin == Stdin::Inherited {
            let is_plain = words
                .iter()
                .all(|w| !w.spreads && !w.text.known_prefix().starts_with('-'));
            return match words {
                [word] if is_plain => Value::Text(word.text.clone()),
                _ if is_plain => {
                    Value::List(words.iter().map(|w| Value::Text(w.text.clone())).collect())
                }
                _ => Value::Unknown,
            };
        }
        match (lower.as_str(), words) {
            ("get-location" | "gl" | "pwd", []) => self.here(),
            ("join-path", words) => {
                let plain: Vec<&Word> = words
                    .iter()
                    .filter(|w| {
                        !matches!(
                            w.text.known().map(str::to_ascii_lowercase).as_deref(),
                            Some("-path" | "-childpath" | "-p" | "-c")
                        )
                    })
                    .collect();
                let [first, second] = plain.as_slice() else {
                    return Value::Unknown;
                };
                let mut joined = Joined::default();
                joined.text(&first.text);
                joined.known("\\");
                joined.text(&second.text);
                Value::Text(joined.finish())
            }
            _ => Value::Unknown,
        }
    }

    pub(super) fn here(&self) -> Value {
        match &self.directory {
            Directory::Known(path) => Value::known(path.as_str()),
            Directory::Unknown => Value::Unknown,
        }
    }

    /// Where a command that moves leads.
    pub(super) fn moved(&mut self, name: &str, words: &[Word]) -> Directory {
        let lower = name.to_ascii_lowercase();
        if matches!(lower.as_str(), "pop-location" | "popd") {
            return self.pushed.pop().unwrap_or(Directory::Unknown);
        }
        if matches!(lower.as_str(), "push-location" | "pushd") {
            self.pushed.push(self.directory.clone());
            if words.is_empty() {
                return self.directory.clone();
            }
        }
        let mut paths = words.iter().filter_map(|word| match word.text.known() {
            Some(text) => match text.strip_prefix('-') {
                Some(parameter) if !parameter.is_empty() => {
                    parameter.split_once(':').map(|(_, value)| Some(value))
                }
                _ => Some(Some(text)),
            },
            None => Some(None),
        });
        match (paths.next(), paths.next()) {
            // PowerShell 7 goes home without a path, 5.1 stays; home reaches further.
            (None, _) => Directory::Known(self.starts.place.home.as_str().into()),
            (Some(Some("-")), None) => self.before.clone(),
            (Some(Some(to)), None) => match &self.directory {
                Directory::Known(from) => path::change(from, &self.starts.place.home, to)
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
                Directory::Unknown => path::change("", &self.starts.place.home, to)
                    .filter(|_| path::is_absolute(to))
                    .map_or(Directory::Unknown, |to| Directory::Known(to.into())),
            },
            _ => Directory::Unknown,
        }
    }
}
