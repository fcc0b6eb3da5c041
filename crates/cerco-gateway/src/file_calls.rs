//! The file tools as calls with names and arguments in JSON: what the agents' doors offer.
//!
//! A call is bound to the tools of the bubble's role before anything is looked at. What
//! the tools do is `cerco-files`' business; nothing here touches the disk.

pub use cerco_files::{Bounds, Limits, RelPath};
use cerco_files::{Depth, Edit, Existing, FileError, From, LoopFiles, Occurrences, Pattern};
use cerco_model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a file tool. Unknown arguments are errors: a misspelt `"recursive"` must
/// not be read as its default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
pub enum FileCall {
    /// List a folder.
    ListFiles(ListArguments),
    /// Read a text file, whole or in part.
    ReadFile(ReadArguments),
    /// Search the text of files.
    SearchFiles(SearchArguments),
    /// Write a whole file.
    WriteFile(WriteArguments),
    /// Replace exact text in a file.
    EditFile(EditArguments),
    /// Move or rename.
    MoveFile(MoveArguments),
    /// Delete.
    DeleteFile(DeleteArguments),
}

/// Arguments of [`FileCall::ListFiles`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListArguments {
    #[serde(default = "here")]
    path: String,
    #[serde(default = "one")]
    depth: u8,
}

/// Arguments of [`FileCall::ReadFile`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadArguments {
    path: String,
    line: Option<u64>,
    byte: Option<u64>,
    lines: Option<u64>,
}

/// Arguments of [`FileCall::SearchFiles`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchArguments {
    #[serde(default = "here")]
    path: String,
    text: Option<String>,
    regex: Option<String>,
}

/// Arguments of [`FileCall::WriteFile`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteArguments {
    path: String,
    content: String,
    #[serde(default)]
    only_new: bool,
}

/// Arguments of [`FileCall::EditFile`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditArguments {
    path: String,
    edits: Vec<EditLine>,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct EditLine {
    old: String,
    new: String,
    count: Option<usize>,
    #[serde(default)]
    all: bool,
}

/// Arguments of [`FileCall::MoveFile`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveArguments {
    from: String,
    to: String,
}

/// Arguments of [`FileCall::DeleteFile`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteArguments {
    path: String,
    #[serde(default)]
    recursive: bool,
}

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileRefusal {
    /// A stable word.
    pub code: String,
    /// Why.
    pub reason: String,
    /// What to do instead.
    pub remedy: String,
}

impl FileCall {
    /// A call by its name and arguments; nothing when there is no such tool.
    #[must_use]
    pub fn parse(name: &str, arguments: &Value) -> Option<Result<Self, FileRefusal>> {
        tool_of(name)?;
        let call = serde_json::json!({ "tool": name, "arguments": arguments });
        Some(serde_json::from_value(call).map_err(|e| FileRefusal {
            code: "arguments".into(),
            reason: format!("the arguments of {name} can't be used: {e}"),
            remedy: "look at the tool's input schema".into(),
        }))
    }

    /// Does it. The answer is plain JSON.
    pub fn serve(&self, files: &LoopFiles) -> Result<Value, FileRefusal> {
        self.carry_out(files).map_err(refusal)
    }

    fn carry_out(&self, files: &LoopFiles) -> Result<Value, FileError> {
        match self {
            Self::ListFiles(a) => json(&files.list(&RelPath::new(&a.path)?, usize::from(a.depth))?),
            Self::ReadFile(a) => {
                let from = match (a.line, a.byte) {
                    (_, Some(byte)) => From::Byte(byte),
                    (line, None) => From::Line(line.unwrap_or(1)),
                };
                json(&files.read(&RelPath::new(&a.path)?, from, a.lines)?)
            }
            Self::SearchFiles(a) => {
                let pattern = match (&a.text, &a.regex) {
                    (Some(text), None) => Pattern::Literal(text.clone()),
                    (None, Some(regex)) => Pattern::Regex(regex.clone()),
                    _ => {
                        return Err(FileError::Pattern {
                            why: "give either `text` or `regex`".into(),
                        });
                    }
                };
                json(&files.search(&RelPath::new(&a.path)?, &pattern)?)
            }
            Self::WriteFile(a) => {
                let existing = if a.only_new {
                    Existing::Keep
                } else {
                    Existing::Replace
                };
                json(&files.write(&RelPath::new(&a.path)?, a.content.as_bytes(), existing)?)
            }
            Self::EditFile(a) => {
                let edits: Vec<Edit> = a.edits.iter().map(EditLine::edit).collect();
                json(&files.edit(&RelPath::new(&a.path)?, &edits)?)
            }
            Self::MoveFile(a) => {
                json(&files.shift(&RelPath::new(&a.from)?, &RelPath::new(&a.to)?)?)
            }
            Self::DeleteFile(a) => {
                let depth = if a.recursive {
                    Depth::All
                } else {
                    Depth::Empty
                };
                json(&files.delete(&RelPath::new(&a.path)?, depth)?)
            }
        }
    }
}

impl EditLine {
    fn edit(&self) -> Edit {
        Edit {
            old: self.old.clone(),
            new: self.new.clone(),
            occurrences: if self.all {
                Occurrences::All
            } else {
                Occurrences::Exactly(self.count.unwrap_or(1))
            },
        }
    }
}

impl std::fmt::Display for FileCall {
    /// The call without its content, for the journal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ListFiles(a) => write!(f, "list_files {}", a.path),
            Self::ReadFile(a) => write!(f, "read_file {}", a.path),
            Self::SearchFiles(a) => write!(f, "search_files {}", a.path),
            Self::WriteFile(a) => write!(f, "write_file {}", a.path),
            Self::EditFile(a) => write!(f, "edit_file {}", a.path),
            Self::MoveFile(a) => write!(f, "move_file {} {}", a.from, a.to),
            Self::DeleteFile(a) => write!(f, "delete_file {}", a.path),
        }
    }
}

/// The file tools of one loop, for the agents' doors.
pub struct Files(LoopFiles);

impl Files {
    /// Opens the loop's folder.
    pub fn open(bounds: Bounds) -> Result<Self, FileError> {
        LoopFiles::open(bounds).map(Self)
    }

    /// Does a call.
    pub fn serve(&self, call: &FileCall) -> Result<Value, FileRefusal> {
        call.serve(&self.0)
    }

    /// Checks that a folder is one of the loop's: no link out, no `..`.
    pub fn folder(&self, path: &str) -> Result<(), FileRefusal> {
        let listed = RelPath::new(path).and_then(|path| self.0.list(&path, 1));
        listed.map(|_| ()).map_err(refusal)
    }
}

/// Which tool of the role a file tool belongs to; nothing when there is no such tool.
#[must_use]
pub fn tool_of(name: &str) -> Option<Tool> {
    match name {
        "list_files" | "read_file" | "search_files" => Some(Tool::ReadFiles),
        "write_file" | "edit_file" | "move_file" | "delete_file" => Some(Tool::WriteFiles),
        _ => None,
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what `map_err` hands over"
)]
fn refusal(error: FileError) -> FileRefusal {
    FileRefusal {
        code: error.code().into(),
        reason: error.to_string(),
        remedy: error.remedy(),
    }
}

fn json(value: &impl Serialize) -> Result<Value, FileError> {
    serde_json::to_value(value).map_err(|e| FileError::System {
        path: ".".into(),
        source: std::io::Error::other(e),
    })
}

fn here() -> String {
    ".".into()
}

fn one() -> u8 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_taken_exactly() {
        for (name, arguments, expected) in [
            ("list_files", json!({}), Some(true)),
            ("list_files", json!({ "path": "a", "depth": 2 }), Some(true)),
            ("read_file", json!({ "path": "a" }), Some(true)),
            ("read_file", json!({}), Some(false)),
            (
                "delete_file",
                json!({ "path": "a", "recursiv": true }),
                Some(false),
            ),
            (
                "edit_file",
                json!({ "path": "a", "edits": [{ "old": "x", "new": "y", "al": true }] }),
                Some(false),
            ),
            (
                "write_file",
                json!({ "path": "a", "content": 1 }),
                Some(false),
            ),
            ("format_disk", json!({}), None),
        ] {
            let got = FileCall::parse(name, &arguments).map(|r| r.is_ok());
            assert_eq!(got, expected, "{name} {arguments}");
        }
    }
}
