//! Real shells as the oracle: every program that bash and dash started for 833 commands
//! is in the reading, or the reading says that it can't read the command.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::panic,
    clippy::too_many_lines,
    reason = "helpers of tests fail by panicking and say what they measured"
)]

mod common;

use cerco_model::Dialect;
use cerco_reader::{StartedBy, Text};
use common::{NoPrograms, place, read_text};
use serde_json::Value;

const WRAPPERS: [&str; 9] = [
    "time", "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "xargs", "find",
];

/// Everyday commands that no reader can see through: `source` of a file that isn't there,
/// and what only the other shell takes.
const OPAQUE: usize = 1;

/// Runs every case of a file through the reader.
fn check(file: &str, dialect: Dialect, accepted: &str) {
    let path = format!("{}/../../cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the case file");
    let _ = NoPrograms;
    let mut shells = 0;
    let (mut starts, mut doubted, mut everyday, mut opaque) = (0, 0, 0, 0);
    let (mut missed, mut argv) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        if case[accepted] != 0 {
            continue;
        }
        everyday += usize::from(case["tag"] == "everyday");
        let command = case["cmd"].as_str().expect("a command");
        let place = place(
            &[
                ("HOME", "/w"),
                ("PATH", "/stubs:/usr/bin:/bin"),
                ("PWD", "/w"),
            ],
            "/w",
        );
        let reading = read_text(command, dialect, &place);
        if !reading.doubts.is_empty() {
            doubted += 1;
            if case["tag"] == "everyday" {
                opaque += 1;
                println!(
                    "everyday doubt {}: {command:?} {:?}",
                    case["id"], reading.doubts
                );
            }
            continue;
        }
        // What a started shell reads from its own arguments or input is not in the text's
        // reading; the filter refuses every such start.
        if reading.starts.iter().any(|s| {
            let name = s.name.text.known().unwrap_or_default();
            matches!(name.rsplit('/').next(), Some("bash" | "sh" | "dash"))
                || s.args
                    .iter()
                    .any(|a| matches!(a.text.known(), Some("bash" | "sh" | "dash")))
        }) {
            shells += 1;
            continue;
        }
        let by_shell = case["by_shell"].as_array().expect("by_shell");
        for (exec, shell) in case["execs"]
            .as_array()
            .expect("execs")
            .iter()
            .zip(by_shell)
        {
            if shell != true {
                continue;
            }
            starts += 1;
            let exec: Vec<&str> = exec
                .as_array()
                .unwrap()
                .iter()
                .map(|a| a.as_str().unwrap())
                .collect();
            let named: Vec<_> = reading
                .starts
                .iter()
                .filter(|s| {
                    s.by != StartedBy::Builtin && s.name.text.known() == exec.first().copied()
                })
                .collect();
            // dash doesn't say who started a program: those that a wrapper starts are the
            // table's business, not the reader's.
            let wrapped = dialect == Dialect::Sh
                && reading.starts.iter().any(|s| {
                    let name = s.name.text.known().unwrap_or_default();
                    WRAPPERS.contains(&name)
                        && s.args.iter().any(|a| {
                            a.text
                                .known()
                                .is_some_and(|t| exec.first().is_some_and(|e| t.contains(e)))
                        })
                });
            if wrapped {
                continue;
            }
            if named.is_empty() {
                missed.push(format!("{}: {command:?} started {exec:?}", case["id"]));
            } else if !named.iter().any(|start| {
                start
                    .args
                    .iter()
                    .any(|a| a.spreads || !matches!(a.text, Text::Known(_)))
                    || start
                        .args
                        .iter()
                        .map(|a| a.text.known().unwrap_or("?"))
                        .eq(exec[1..].iter().copied())
            }) {
                argv.push(format!(
                    "{}: {command:?} started {exec:?} read {:?}",
                    case["id"],
                    named
                        .iter()
                        .map(|s| s
                            .args
                            .iter()
                            .map(|a| common::show(&a.text))
                            .collect::<Vec<_>>())
                        .collect::<Vec<_>>()
                ));
            }
        }
    }
    println!(
        "{file}: {starts} starts, {} missed, {} with other arguments, {doubted} doubted, \
         {opaque} of {everyday} everyday ones; {shells} start a shell",
        missed.len(),
        argv.len()
    );
    assert!(starts > 500, "only {starts} starts");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(argv.is_empty(), "{}", argv.join("\n"));
    assert!(opaque <= OPAQUE, "{opaque} everyday commands can't be read");
}

#[test]
fn bash_starts_nothing_that_was_not_read() {
    check("reader-bash.jsonl", Dialect::Bash, "bash_n");
}

#[test]
fn dash_starts_nothing_that_was_not_read() {
    check("reader-dash.jsonl", Dialect::Sh, "dash_n");
}
