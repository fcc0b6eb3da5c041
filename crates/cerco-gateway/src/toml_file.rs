//! Reading a TOML file that a person wrote: what is wrong, in which line, and what was
//! probably meant. Unknown keys are errors: a misspelt setting must not be silently off.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// Nobody writes a longer one by hand.
const MAX_BYTES: u64 = 256 * 1024;

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It can't be read.
    #[error("{} can't be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A link, a folder, a device or far too long: not what a person put there.
    #[error("{} is not a plain file of at most 256 KiB", .0.display())]
    NotPlain(PathBuf),
    /// Its content is wrong.
    #[error("{}, line {line}: {what}{}", path.display(), hint.as_ref().map(|h| format!("; did you mean `{h}`?")).unwrap_or_default())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// The known key closest to the unknown one.
        hint: Option<String>,
    },
    /// Its rules are wrong.
    #[error("{}", errors.iter().map(|e| format!("{}, {e}", path.display())).collect::<Vec<_>>().join("\n"))]
    Rules {
        /// The file.
        path: PathBuf,
        /// Every fault, in the order of the file.
        errors: Vec<cerco_filter::CustomError>,
    },
    /// It can't be written.
    #[error("{} can't be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The text of the file at `path`; nothing when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileError> {
    let unreadable = |source| FileError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
        // A link could point at a file that changes under us, or at a device.
        Ok(found) if !found.is_file() || found.len() > MAX_BYTES => {
            return Err(FileError::NotPlain(path.to_path_buf()));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(FileError::Wrong {
            path: path.to_path_buf(),
            line: line_of(error.as_bytes(), error.utf8_error().valid_up_to()),
            what: "this is no text (no UTF-8); put right what stands there".to_owned(),
            hint: None,
        }),
    }
}

/// The line, from 1, that the byte `at` stands in.
fn line_of(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|b| **b == b'\n').count()
}

/// Reads `text` (of the file at `path`) into a `T`, whose types deny unknown fields.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = line_of(text.as_bytes(), at);
        let what = error.message().to_owned();
        FileError::Wrong {
            path: path.to_path_buf(),
            line,
            hint: meant(&what),
            what,
        }
    })
}

/// For "unknown field `x`, expected one of `a`, `b`": the one closest to `x`.
fn meant(message: &str) -> Option<String> {
    let mut names = message
        .strip_prefix("unknown field `")?
        .split('`')
        .step_by(2);
    let unknown = names.next()?;
    names
        .map(|known| (distance(unknown, known), known))
        .filter(|(distance, known)| *distance <= known.len().max(3) / 3)
        .min()
        .map(|(_, known)| known.to_owned())
}

/// How many letters have to be put in, taken out or changed to get from `a` to `b`.
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, cb) in row.iter_mut().skip(1).zip(&b) {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = *cell;
            left = change.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its shape matters")]
    struct Sample {
        sandbox: Option<bool>,
        ask_seconds: Option<u32>,
    }

    fn check(text: &str, expected: &str) {
        let error = parse::<Sample>(Path::new("c.toml"), text).err().unwrap();
        assert_eq!(error.to_string(), expected, "{text:?}");
    }

    #[test]
    fn errors_name_line_and_likely_key() {
        check(
            "\nsandbx = true\n",
            "c.toml, line 2: unknown field `sandbx`, expected `sandbox` or `ask_seconds`; did you mean `sandbox`?",
        );
        check(
            "wobble = 1",
            "c.toml, line 1: unknown field `wobble`, expected `sandbox` or `ask_seconds`",
        );
        check(
            "# a\nask_seconds = \"x\"",
            "c.toml, line 2: invalid type: string \"x\", expected u32",
        );
    }

    #[test]
    fn letters_apart() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("sandbx", "sandbox", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
