//! Reading the case files, and the one `check` for all of them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    dead_code,
    reason = "a test may stop at the first surprise; not every test uses everything"
)]

use std::path::PathBuf;

use cerco_filter::read_and_judge;
use cerco_model::{Command, Dialect, Guard, NoTree, Place, SandboxState, Verdict};
use serde::Deserialize;

/// One line of a case file (`cases/README.md`).
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) dialect: String,
    pub(crate) command: String,
    pub(crate) expect: String,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    #[serde(default)]
    pub(crate) category: String,
    #[serde(default)]
    pub(crate) sandbox: Option<bool>,
}

/// The hosts behind the placeholders, in pieces: their dotted names stand nowhere.
const HOSTS: [(&str, &[&str]); 5] = [
    ("{registry:npm}", &["registry", "npmjs", "org"]),
    ("{registry:pypi}", &["pypi", "org"]),
    ("{registry:pypi-files}", &["files", "pythonhosted", "org"]),
    ("{registry:crates}", &["crates", "io"]),
    ("{registry:crates-files}", &["static", "crates", "io"]),
];

pub(crate) fn expand(text: &str) -> String {
    HOSTS.iter().fold(text.to_owned(), |text, (mark, labels)| {
        text.replace(mark, &labels.join("."))
    })
}

pub(crate) fn cases(file: &str) -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../cases")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}")))
        .collect()
}

pub(crate) fn dialect(name: &str) -> Dialect {
    match name {
        "posix" => Dialect::Bash,
        "sh" => Dialect::Sh,
        "powershell" => Dialect::PowerShell,
        "cmd" => Dialect::Cmd,
        other => panic!("no such dialect: {other}"),
    }
}

/// The place of `cases/README.md`.
pub(crate) fn place(dialect: Dialect, sandbox: bool) -> Place<'static> {
    let sandbox = if sandbox {
        SandboxState::On
    } else {
        SandboxState::Off
    };
    if dialect.is_windows() {
        let folder = "C:\\work\\project\\loops\\a";
        return Place {
            project: "C:\\work\\project".into(),
            loop_folder: folder.into(),
            directory: folder.into(),
            other_loops: vec![],
            home: "C:\\Users\\u".into(),
            user: "u".into(),
            environment: [].into(),
            sandbox,
            guard: Guard::Off,
            allowed_hosts: vec![],
            tree: &NoTree,
        };
    }
    let folder = "/srv/project/loops/a";
    let environment = [
        ("HOME", "/home/u"),
        ("USER", "u"),
        ("LOGNAME", "u"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("PWD", folder),
        ("SHELL", "/bin/bash"),
        ("TERM", "dumb"),
        ("TMPDIR", "/srv/project/loops/a/.tmp"),
    ];
    Place {
        project: "/srv/project".into(),
        loop_folder: folder.into(),
        directory: folder.into(),
        other_loops: vec![],
        home: "/home/u".into(),
        user: "u".into(),
        environment: environment
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into(),
        sandbox,
        guard: Guard::Off,
        allowed_hosts: vec![],
        tree: &NoTree,
    }
}

/// A tree whose files are given.
pub(crate) struct Files(pub(crate) &'static [(&'static str, &'static str)]);

impl cerco_model::Tree for Files {
    fn entry(&self, path: &str) -> Option<cerco_model::EntryKind> {
        self.0
            .iter()
            .any(|(file, _)| *file == path)
            .then_some(cerco_model::EntryKind::File)
    }
    fn resolve(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn names(&self, _: &str, _: usize) -> Option<Vec<String>> {
        None
    }
    fn text(&self, path: &str, limit: usize) -> Option<String> {
        let (_, text) = self.0.iter().find(|(file, _)| *file == path)?;
        (text.len() <= limit).then(|| (*text).to_owned())
    }
    fn is_case_blind(&self) -> bool {
        false
    }
}

/// The word of the case files for a verdict.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allow",
        Verdict::Asked => "ask",
        Verdict::Refused => "refuse",
    }
}

/// Judges a command; what can't be a command at all is refused.
pub(crate) fn judge(command: &str, dialect: Dialect, sandbox: bool) -> (Verdict, String) {
    let command = match Command::new(expand(command).into_bytes(), dialect) {
        Ok(command) => command,
        Err(error) => return (Verdict::Refused, error.to_string()),
    };
    let place = place(dialect, sandbox);
    let (_, judgement) = read_and_judge(&command, &place);
    let findings: Vec<String> = judgement
        .findings()
        .iter()
        .map(|f| format!("{}@{}..{}: {}", f.rule, f.part.start, f.part.end, f.reason))
        .collect();
    (judgement.verdict(), findings.join(" | "))
}

/// What is wrong with a case's judgement, if anything.
pub(crate) fn check(case: &Case) -> Option<String> {
    let (verdict, why) = judge(
        &case.command,
        dialect(&case.dialect),
        case.sandbox.unwrap_or(true),
    );
    let got = word(verdict);
    (got != case.expect && !case.also.iter().any(|a| a == got)).then(|| {
        format!(
            "{} {} wants {}, got {got}: {:.150} | {:.300}",
            case.id, case.category, case.expect, case.command, why
        )
    })
}
