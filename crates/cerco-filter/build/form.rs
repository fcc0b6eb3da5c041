//! The form of `programs/**/*.toml` (see `programs/README.md`): what serde reads.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// One program or sub-command as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    pub(crate) about: Option<String>,
    pub(crate) also: Option<String>,
    pub(crate) args: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) options: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) before: Vec<Spanned<String>>,
    pub(crate) style: Option<Spanned<String>>,
    pub(crate) time: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) marks: Vec<Spanned<MarkForm>>,
    pub(crate) stdin: Option<Spanned<String>>,
    pub(crate) kind: Option<String>,
    pub(crate) inside: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) files: Option<bool>,
    pub(crate) subs: Option<String>,
    pub(crate) subargs: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) other: Vec<Spanned<MarkForm>>,
    #[serde(default)]
    pub(crate) sub: BTreeMap<Spanned<String>, Form>,
    pub(crate) examples: Option<Examples>,
}

/// A mark: its line alone, or with words of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum MarkForm {
    Line(String),
    Told(Told),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    pub(crate) mark: String,
    pub(crate) reason: Option<String>,
    pub(crate) remedy: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Examples {
    #[serde(default)]
    pub(crate) allowed: Vec<String>,
    #[serde(default)]
    pub(crate) asked: Vec<String>,
    #[serde(default)]
    pub(crate) refused: Vec<String>,
}

/// A program's row with where it stands.
pub(crate) struct Row {
    pub(crate) file: File,
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) form: Form,
}

/// A file's name and text, to turn a span into a line.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl File {
    /// `name:line: what`.
    pub(crate) fn error(&self, at: usize, what: &str) -> String {
        format!("{}:{}: {what}", self.name, self.line(at))
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
    }
}

/// Every program of one file.
pub(crate) fn rows(name: &str, text: &str) -> Result<Vec<Row>, String> {
    let file = File {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let table: BTreeMap<Spanned<String>, Form> = toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |span| span.start);
        file.error(at, e.message())
    })?;
    Ok(table
        .into_iter()
        .map(|(name, form)| Row {
            line: file.line(name.span().start),
            file: file.clone(),
            name: name.into_inner(),
            form,
        })
        .collect())
}
