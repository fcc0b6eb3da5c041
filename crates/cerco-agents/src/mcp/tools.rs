//! The tools as data: name, which tool of the role it needs, what it says of itself.

use std::sync::Arc;

use cerco_model::Tool as RoleTool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// One tool of the server.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// What the role must have; nothing: it goes with running commands or not at all.
    pub(super) needs: RoleTool,
    about: &'static str,
    /// Reads only, may destroy, may be repeated, reaches the outside.
    hints: [bool; 4],
    /// Arguments, each with its type and words; those with `!` are needed.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    /// What is always in the structured result.
    result: &'static [&'static str],
}

const READS: [bool; 4] = [true, false, true, false];
const COMMAND: (&str, &str, &str) = (
    "command!",
    "string",
    "The command's text, as for a shell (bash)",
);
const FOLDER: (&str, &str, &str) = (
    "folder",
    "string",
    "Where to run it, relative to the loop's folder",
);
const PATH: (&str, &str, &str) = ("path!", "string", "Relative to the loop's folder");
const WHERE: (&str, &str, &str) = (
    "path",
    "string",
    "Relative to the loop's folder; default: the folder itself",
);

/// Every tool, in the order in which they are listed.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "check_command",
        needs: RoleTool::RunCommands,
        about: "Say whether a command would be allowed, asked about or refused, and why. Nothing runs.",
        hints: READS,
        arguments: &[COMMAND, FOLDER],
        result: &["verdict", "findings"],
    },
    Row {
        name: "run_command",
        needs: RoleTool::RunCommands,
        about: "Run a command in the loop's folder, under Cerco: it is read first; some commands are refused, some wait for a person. Commands must end by themselves. A refusal says what to do instead.",
        hints: [false, true, false, true],
        arguments: &[COMMAND, FOLDER],
        result: &[
            "decision",
            "exit_code",
            "stdout",
            "stderr",
            "truncated",
            "sandboxed",
            "entry_id",
        ],
    },
    Row {
        name: "read_output",
        needs: RoleTool::RunCommands,
        about: "More of the output of a command that ran in this session.",
        hints: READS,
        arguments: &[
            ("entry_id!", "string", "As run_command returned it"),
            ("stream", "string", "stdout (default) or stderr"),
            ("offset", "integer", "First byte, from 0"),
        ],
        result: &["text", "offset", "total"],
    },
    Row {
        name: "list_asks_mine",
        needs: RoleTool::RunCommands,
        about: "The questions to a person that commands of this session led to, and how they stand.",
        hints: READS,
        arguments: &[],
        result: &["asks"],
    },
    Row {
        name: "say",
        needs: RoleTool::ReadFiles,
        about: "Show the person what you answered in chat, on the board's log (Markdown; at most 64 KiB). Code blocks get a button that puts them on the person's own input line. Nothing runs and nobody answers here.",
        hints: [false, false, false, false],
        arguments: &[("text!", "string", "The answer, as Markdown")],
        result: &["shown"],
    },
    Row {
        name: "list_files",
        needs: RoleTool::ReadFiles,
        about: "List a folder.",
        hints: READS,
        arguments: &[
            WHERE,
            ("depth", "integer", "How many levels of folders; default 1"),
        ],
        result: &["entries", "truncated"],
    },
    Row {
        name: "read_file",
        needs: RoleTool::ReadFiles,
        about: "Read a text file, whole or from a line or byte on. `next_line` or `next_byte` say where to read on.",
        hints: READS,
        arguments: &[
            PATH,
            ("line", "integer", "First line, from 1"),
            ("byte", "integer", "First byte, from 0, instead of a line"),
            ("lines", "integer", "How many lines at most"),
        ],
        result: &["text", "size"],
    },
    Row {
        name: "search_files",
        needs: RoleTool::ReadFiles,
        about: "Search the text of files, line by line: give `text` or `regex`.",
        hints: READS,
        arguments: &[
            WHERE,
            ("text", "string", "This very text"),
            (
                "regex",
                "string",
                "A regular expression (no look-around, no back-references)",
            ),
        ],
        result: &["hits", "truncated"],
    },
    Row {
        name: "write_file",
        needs: RoleTool::WriteFiles,
        about: "Write a whole file, making the folders on the way.",
        hints: [false, true, true, false],
        arguments: &[
            PATH,
            ("content!", "string", "The whole content"),
            (
                "only_new",
                "boolean",
                "Refuse when the file is there already",
            ),
        ],
        result: &["created", "size"],
    },
    Row {
        name: "edit_file",
        needs: RoleTool::WriteFiles,
        about: "Replace exact text in a file. Each edit is {old, new, count} or {old, new, all: true}; count is how often `old` must occur (default 1). All edits happen or none.",
        hints: [false, true, false, false],
        arguments: &[PATH, ("edits!", "array", "The edits, in order")],
        result: &["replaced", "size"],
    },
    Row {
        name: "move_file",
        needs: RoleTool::WriteFiles,
        about: "Move or rename a file or folder inside the loop. Never replaces anything.",
        hints: [false, true, false, false],
        arguments: &[
            ("from!", "string", "Relative to the loop's folder"),
            ("to!", "string", "Relative to the loop's folder"),
        ],
        result: &["from", "to"],
    },
    Row {
        name: "delete_file",
        needs: RoleTool::WriteFiles,
        about: "Delete a file, or a folder if it is empty.",
        hints: [false, true, true, false],
        arguments: &[
            PATH,
            ("recursive", "boolean", "Delete a folder with all it holds"),
        ],
        result: &["entries"],
    },
];

impl Row {
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.name == name)
    }

    pub(super) fn tool(&self) -> Tool {
        let [reads, destroys, repeatable, outside] = self.hints;
        Tool::new(self.name, self.about, Arc::new(self.input()))
            .with_raw_output_schema(Arc::new(self.output()))
            .with_annotations(
                ToolAnnotations::new()
                    .read_only(reads)
                    .destructive(destroys)
                    .idempotent(repeatable)
                    .open_world(outside),
            )
    }

    fn input(&self) -> JsonObject {
        let mut properties = JsonObject::new();
        let mut required: Vec<Value> = Vec::new();
        for (name, kind, about) in self.arguments {
            let plain = name.trim_end_matches('!');
            if plain != *name {
                required.push(plain.into());
            }
            properties.insert(plain.into(), json!({ "type": kind, "description": about }));
        }
        object(properties, required, false)
    }

    /// What is there when it went well. A refusal has `error` instead, which is why nothing
    /// is required but the shape.
    fn output(&self) -> JsonObject {
        let fields = self
            .result
            .iter()
            .map(|name| ((*name).to_owned(), json!({})));
        let mut properties: JsonObject = fields.collect();
        properties.insert(
            "error".into(),
            json!({ "type": "object", "description": "Why nothing was done: reason and remedy" }),
        );
        object(properties, Vec::new(), true)
    }
}

fn object(properties: JsonObject, required: Vec<Value>, is_open: bool) -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    schema.insert("additionalProperties".into(), is_open.into());
    schema
}
