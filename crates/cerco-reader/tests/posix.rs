//! The POSIX reader against `cases/reader-posix`.
//!
//! A file holds cases of one idea: the command's lines, then what was read, each line
//! behind `=> `; those of `sh.txt` are a plain POSIX shell's. `UPDATE=1` rewrites the answers; the diff is the review.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use cerco_model::Dialect;
use cerco_reader::{Directory, Reading, StartedBy, Stdin};
use common::{read_text, show, usual_place};

fn answer(reading: &Reading<()>) -> String {
    let mut out = String::new();
    for start in &reading.starts {
        let by = match start.by {
            StartedBy::Shell => "start",
            StartedBy::Builtin => "builtin",
            StartedBy::Start(_) => "inner",
        };
        write!(out, "=> {by} {:?}", show(&start.name.text)).expect("text");
        for arg in &start.args {
            let spreads = if arg.spreads { "+" } else { "" };
            write!(out, " {:?}{spreads}", show(&arg.text)).expect("text");
        }
        match &start.directory {
            Directory::Known(path) if path == "/srv/project/loops/a" => {}
            Directory::Known(path) => write!(out, " in {path}").expect("text"),
            Directory::Unknown => out.push_str(" in …"),
        }
        match &start.stdin {
            Stdin::Text(word) => write!(out, " <<< {:?}", show(&word.text)).expect("text"),
            Stdin::File(word) => write!(out, " < {:?}", show(&word.text)).expect("text"),
            Stdin::Pipe(Some(text)) => write!(out, " | {:?}", show(text)).expect("text"),
            Stdin::Pipe(None) | Stdin::Inherited => {}
        }
        for redirection in &start.redirections {
            let target = show(&redirection.target.text);
            write!(out, " {:?} {target:?}", redirection.kind).expect("text");
        }
        out.push('\n');
    }
    for assignment in &reading.assignments {
        let value = show(&assignment.value);
        writeln!(out, "=> set {} {value:?}", assignment.name).expect("text");
    }
    for redirection in &reading.redirections {
        let target = show(&redirection.target.text);
        writeln!(out, "=> file {:?} {target:?}", redirection.kind).expect("text");
    }
    for function in &reading.functions {
        writeln!(out, "=> function {}", function.name).expect("text");
    }
    for _ in &reading.endless_loops {
        out.push_str("=> endless\n");
    }
    for doubt in &reading.doubts {
        writeln!(out, "=> doubt {}", doubt.reason).expect("text");
    }
    out
}

fn check(file: &Path) {
    let text = std::fs::read_to_string(file).expect("a case file");
    let dialect = if file.file_stem().is_some_and(|name| name == "sh") {
        Dialect::Sh
    } else {
        Dialect::Bash
    };
    let mut fresh = String::new();
    for case in text.split("\n\n").filter(|c| !c.trim().is_empty()) {
        let lines = case.lines().filter(|l| !l.starts_with("=> "));
        let command = lines.collect::<Vec<_>>().join("\n");
        let command = command.trim_matches('\n');
        let reading = read_text(command, dialect, &usual_place());
        write!(fresh, "{command}\n{}\n", answer(&reading)).expect("text");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &fresh).expect("the answers are written");
        return;
    }
    assert_eq!(fresh, text, "{}: UPDATE=1 rewrites", file.display());
}

#[test]
fn posix_is_read_as_the_cases_say() {
    let folder = format!("{}/../../cases/reader-posix", env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the cases") {
        check(&entry.expect("an entry").path());
        count += 1;
    }
    assert!(count >= 5, "{count} case files");
}
