//! What the reader's tests share: a place, a table that binds nothing, and text for starts.
#![allow(
    clippy::expect_used,
    unreachable_pub,
    missing_docs,
    reason = "helpers of tests"
)]
#![allow(dead_code, reason = "each test binary uses its own part of it")]

use std::collections::BTreeMap;

use cerco_model::{Command, Dialect, Guard, NoTree, Place, SandboxState};
use cerco_reader::{Call, Inner, Piece, Programs, Reading, Text, read};

/// A table without a program in it: what the shell itself starts, and nothing else.
pub(crate) struct NoPrograms;

impl Programs for NoPrograms {
    type Bound = ();
    fn bind(&self, _: Call<'_>, _: &Place<'_>, _: &mut Vec<Inner>) {}
}

pub(crate) fn place(environment: &[(&str, &str)], directory: &str) -> Place<'static> {
    Place {
        project: "/srv/project".into(),
        loop_folder: directory.into(),
        directory: directory.into(),
        other_loops: Vec::new(),
        home: "/home/u".into(),
        user: "u".into(),
        environment: environment
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect::<BTreeMap<_, _>>(),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    }
}

pub(crate) fn usual_place() -> Place<'static> {
    place(
        &[
            ("HOME", "/home/u"),
            ("USER", "u"),
            ("PATH", "/usr/bin:/bin"),
            ("PWD", "/srv/project/loops/a"),
            ("TMPDIR", "/srv/project/loops/a/.tmp"),
        ],
        "/srv/project/loops/a",
    )
}

pub(crate) fn read_text(text: &str, dialect: Dialect, place: &Place<'_>) -> Reading<()> {
    let command = Command::new(text.as_bytes().to_vec(), dialect).expect("a command");
    read(&command, place, &NoPrograms)
}

/// A text with its open pieces: `*` patterns as `«*»`, the unknown as `…`.
pub(crate) fn show(text: &Text) -> String {
    match text {
        Text::Known(text) => text.to_string(),
        Text::Partly(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Known(text) => text.to_string(),
                Piece::Glob(text) => format!("«{text}»"),
                Piece::Unknown => "…".to_owned(),
            })
            .collect(),
    }
}
