//! Writes settings that a person changed on the page into `config.toml`, keeping the
//! person's own comments and order.

use std::path::Path;

use toml_edit::{DocumentMut, Item, value};

use super::HubError;
use crate::changing::{Changing, Readers};
use crate::settings::Settings;
use crate::wire::{self, SettingsChange};

/// Changes what is named, and reads the file back: what is in use is what is in the file.
pub(super) fn change(config: &Path, wanted: &SettingsChange) -> Result<Settings, HubError> {
    let seconds = wanted.ask_seconds.unwrap_or(10);
    if !(10..=3600).contains(&seconds) {
        return Err(HubError::Wrong(
            "an ask can wait 10 to 3600 seconds; choose something in between".to_owned(),
        ));
    }
    let path = Settings::path(config);
    Changing::begin(config)?.change(&path, Readers::Owner, |text| {
        let text = text.unwrap_or_default();
        // What stands there has to be right before anything is added to it.
        let now = super::wire_settings(&Settings::parse(&path, text)?);
        let text = edited(text, &now, wanted)?;
        let settings = Settings::parse(&path, &text)?;
        Ok((text, settings))
    })
}

/// Only what differs is written: the rest may be as it is without standing there.
fn edited(text: &str, now: &wire::Settings, wanted: &SettingsChange) -> Result<String, HubError> {
    let wrong = |what: &dyn std::fmt::Display| HubError::Wrong(what.to_string());
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| wrong(&e))?;
    let now = serde_json::to_value(now).map_err(|e| wrong(&e))?;
    let fields = serde_json::to_value(wanted).map_err(|e| wrong(&e))?;
    for (key, field) in fields.as_object().into_iter().flatten() {
        if now.get(key) == Some(field) {
            continue;
        }
        let item = match field {
            serde_json::Value::Bool(flag) => value(*flag),
            serde_json::Value::Number(number) => value(number.as_i64().unwrap_or_default()),
            serde_json::Value::String(text) => value(text.as_str()),
            _ => continue,
        };
        set(&mut document, key, item);
    }
    Ok(document.to_string())
}

/// Puts the value in place of the old one; a comment behind that one stays.
fn set(document: &mut DocumentMut, key: &str, item: Item) {
    let Some(old) = document.get_mut(key).and_then(Item::as_value_mut) else {
        document.insert(key, item);
        return;
    };
    if let Item::Value(mut new) = item {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        let config =
            std::env::temp_dir().join(format!("cerco-config-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&config);
        crate::folders::private_folder(&config).unwrap();
        config
    }

    #[test]
    fn only_what_is_named_is_written_and_comments_stay() {
        let config = scratch("comments");
        let path = Settings::path(&config);
        std::fs::write(&path, "# mine\nask_seconds = 60 # short\n").unwrap();
        let mut wanted = SettingsChange {
            sandbox: Some(true),
            ..SettingsChange::default()
        };
        let settings = change(&config, &wanted).unwrap();
        assert!(settings.sandbox);
        assert_eq!(settings.ask_seconds, 60);
        wanted.ask_seconds = Some(90);
        change(&config, &wanted).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# mine\nask_seconds = 90 # short\nsandbox = true\n");
        wanted.ask_seconds = Some(5);
        assert!(change(&config, &wanted).is_err());
        std::fs::remove_dir_all(&config).unwrap();
    }

    #[test]
    fn a_file_that_is_wrong_is_named_by_line_and_left() {
        let config = scratch("wrong");
        let path = Settings::path(&config);
        for (text, expected) in [
            (
                &b"sandbox = true\nask_secnds = 60\n"[..],
                "config.toml, line 2: ",
            ),
            (
                b"sandbox = true\n\nask_seconds = \n",
                "config.toml, line 3: ",
            ),
            (
                b"sandbox = true\n# \xff\n",
                "config.toml, line 2: this is no text",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let wanted = SettingsChange {
                sandbox: Some(false),
                ..SettingsChange::default()
            };
            let error = change(&config, &wanted).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), text);
        }
        std::fs::remove_dir_all(&config).unwrap();
    }
}
