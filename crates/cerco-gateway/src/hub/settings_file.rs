//! Writes settings that a person changed on the page into `config.toml`, keeping the
//! person's own comments and order.

use std::path::Path;

use toml_edit::{DocumentMut, value};

use super::HubError;
use crate::settings::Settings;
use crate::toml_file::{self, Readers};
use crate::wire;

/// Changes what differs, and reads the file back: what is in use is what is in the file.
pub(super) fn change(config: &Path, wanted: &wire::Settings) -> Result<Settings, HubError> {
    if !(10..=3600).contains(&wanted.ask_seconds) {
        return Err(HubError::Wrong(
            "an ask can wait 10 to 3600 seconds; choose something in between".to_owned(),
        ));
    }
    let path = Settings::path(config);
    crate::folders::private_folder(config)?;
    let now = super::wire_settings(&Settings::load(config)?);
    let text = toml_file::read(&path)?.unwrap_or_default();
    let mut document: DocumentMut = text
        .parse()
        .map_err(|e: toml_edit::TomlError| HubError::Wrong(e.to_string()))?;
    let fields = |settings: &wire::Settings| {
        serde_json::to_value(settings).map_err(|e| HubError::Wrong(e.to_string()))
    };
    let (old, new) = (fields(&now)?, fields(wanted)?);
    for (key, field) in new.as_object().into_iter().flatten() {
        if old.get(key) == Some(field) {
            continue;
        }
        let item = match field {
            serde_json::Value::Bool(flag) => value(*flag),
            serde_json::Value::Number(number) => value(number.as_i64().unwrap_or_default()),
            serde_json::Value::String(text) => value(text.as_str()),
            _ => continue,
        };
        document.insert(key, item);
    }
    toml_file::write(&path, &document.to_string(), Readers::Owner)?;
    Ok(Settings::load(config)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_written_and_comments_stay() {
        let config = std::env::temp_dir().join(format!("cerco-config-{}", std::process::id()));
        crate::folders::private_folder(&config).unwrap();
        let path = Settings::path(&config);
        std::fs::write(&path, "# mine\nask_seconds = 60 # short\n").unwrap();
        let mut wanted = super::super::wire_settings(&Settings::load(&config).unwrap());
        wanted.sandbox = true;
        let settings = change(&config, &wanted).unwrap();
        assert!(settings.sandbox);
        assert_eq!(settings.ask_seconds, 60);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# mine\nask_seconds = 60 # short\nsandbox = true\n");
        wanted.ask_seconds = 5;
        assert!(change(&config, &wanted).is_err());
        std::fs::remove_dir_all(&config).unwrap();
    }
}
