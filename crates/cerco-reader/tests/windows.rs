//! The two Windows readers against `cases/reader-powershell` and `cases/reader-cmd`.
//!
//! A file holds cases: the command's lines, then what was read, each line behind `=> `.
//! `UPDATE=1` rewrites the answers; the diff is the review.

#![expect(
    clippy::expect_used,
    clippy::format_collect,
    reason = "helpers of tests: a failing one is a failing test"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cerco_model::{Command, Dialect, Guard, NoTree, Part, Place, SandboxState};
use cerco_reader::{Call, Directory, Inner, Piece, Programs, Reading, Text, Word, read};

/// Knows no program: every argument stays an argument.
struct NoPrograms;

impl Programs for NoPrograms {
    type Bound = ();
    fn bind(&self, _: Call<'_>, _: &Place<'_>, _: &mut Vec<Inner>) {}
}

fn place() -> Place<'static> {
    Place {
        project: "C:\\work\\project".to_owned(),
        loop_folder: "C:\\work\\project\\loops\\a".to_owned(),
        directory: "C:\\work\\project\\loops\\a".to_owned(),
        other_loops: Vec::new(),
        home: "C:\\Users\\u".to_owned(),
        user: "u".to_owned(),
        environment: BTreeMap::from([("TOOL".to_owned(), "tool.exe".to_owned())]),
        sandbox: SandboxState::On,
        guard: Guard::Off,
        allowed_hosts: Vec::new(),
        tree: &NoTree,
    }
}

fn reading(text: &str, dialect: Dialect) -> Reading<()> {
    let command = Command::new(text.as_bytes().to_vec(), dialect).expect("a case is a command");
    read(&command, &place(), &NoPrograms)
}

fn shown(text: &Text) -> String {
    match text {
        Text::Known(text) => text.to_string(),
        Text::Partly(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Known(text) => text.to_string(),
                Piece::Glob(text) => format!("*{text}*"),
                Piece::Unknown => "⟨?⟩".to_owned(),
            })
            .collect(),
    }
}

fn words(words: &[Word]) -> String {
    words
        .iter()
        .map(|word| format!(" ‹{}›", shown(&word.text).replace('\n', "⏎")))
        .collect()
}

fn answer(text: &str, dialect: Dialect) -> String {
    let reading = reading(text, dialect);
    let mut lines = String::new();
    let mut line = |text: String| {
        let _ = writeln!(lines, "=> {text}");
    };
    for start in &reading.starts {
        let place = match &start.directory {
            Directory::Known(path) if *path == place().directory => String::new(),
            Directory::Known(path) => format!("  in {path}"),
            Directory::Unknown => "  in ?".to_owned(),
        };
        let to: String = start
            .redirections
            .iter()
            .map(|to| format!("  {:?} {}", to.kind, shown(&to.target.text)))
            .collect();
        line(format!(
            "{}{}{place}{to}",
            shown(&start.name.text),
            words(&start.args)
        ));
    }
    for set in &reading.assignments {
        line(format!("set {}={}", set.name, shown(&set.value)));
    }
    for to in &reading.redirections {
        line(format!("{:?} {}", to.kind, shown(&to.target.text)));
    }
    for function in &reading.functions {
        line(format!("function {}", function.name));
    }
    for part in &reading.endless_loops {
        line(format!(
            "endless {}",
            part.of(text).unwrap_or("?").replace('\n', "⏎")
        ));
    }
    for doubt in &reading.doubts {
        line(format!("doubt: {}", doubt.reason));
    }
    lines
}

/// Splits a file into (heading lines, command, answer).
fn cases(file: &str) -> Vec<(String, String, String)> {
    let mut cases = Vec::new();
    let (mut head, mut command, mut wanted) = (String::new(), String::new(), String::new());
    let mut answering = false;
    for line in file.lines().chain([""]) {
        if line.starts_with("=> ") || line == "=>" {
            answering = true;
            if line != "=>" {
                wanted.push_str(line);
                wanted.push('\n');
            }
            continue;
        }
        if answering {
            let command = std::mem::take(&mut command);
            cases.push((
                std::mem::take(&mut head),
                command.trim_end_matches('\n').to_owned(),
                std::mem::take(&mut wanted),
            ));
            answering = false;
        }
        if command.is_empty() && (line.is_empty() || line.starts_with("## ")) {
            head.push_str(line);
            head.push('\n');
        } else {
            command.push_str(line);
            command.push('\n');
        }
    }
    assert!(command.is_empty(), "a case has no answer: {command}");
    cases
}

fn check(folder: &str, dialect: Dialect) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../cases")
        .join(folder);
    let update = std::env::var_os("UPDATE").is_some();
    let (mut count, mut wrong) = (0, String::new());
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a case file").path())
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case file");
        let mut rewritten = String::new();
        for (head, command, wanted) in cases(&text) {
            count += 1;
            let got = answer(&command, dialect);
            if got != wanted {
                let _ = write!(wrong, "\n{command}\nwanted\n{wanted}got\n{got}");
            }
            let got = if got.is_empty() {
                "=>\n".to_owned()
            } else {
                got
            };
            let _ = write!(rewritten, "{head}{command}\n{got}");
        }
        if update {
            std::fs::write(&file, rewritten).expect("the case file can be written");
        }
    }
    assert!(count > 0, "no cases in {}", folder.display());
    assert!(update || wrong.is_empty(), "{wrong}");
}

#[test]
fn powershell_is_read_as_the_cases_say() {
    check("reader-powershell", Dialect::PowerShell);
}

#[test]
fn cmd_is_read_as_the_cases_say() {
    check("reader-cmd", Dialect::Cmd);
}

/// Parts lie inside the text and on character borders.
fn parts_fit(text: &str, reading: &Reading<()>) {
    let mut parts: Vec<Part> = reading.doubts.iter().map(|d| d.part).collect();
    for start in &reading.starts {
        parts.push(start.part);
        parts.push(start.name.part);
        parts.extend(start.args.iter().map(|word| word.part));
    }
    parts.extend(reading.assignments.iter().map(|a| a.part));
    for part in parts {
        assert!(part.of(text).is_some(), "{part:?} doesn't fit {text:?}");
    }
}

/// Pieces that the languages give a meaning, so that random texts reach deep.
fn text_strategy() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let token = prop_oneof![
        4 => prop::sample::select(vec![
            "git", "ri", "cd", "..", "\\", "$x", "$env:Y", "$(", ")", "@(", "@{", "{", "}", "(",
            "[a.b]::", ".Kill", "'", "\"", "`", "^", "%X%", "%", "!Y!", "&", "&&", "||", "|",
            ";", "\n", " ", " ", "-Path", ":", ",", "=", "+=", "if ", "for ", "foreach ", "while ",
            "in ", "do ", "else ", "set ", "call ", "start ", "rem ", "@'\n", "\n'@", "--%", ">",
            "2>&1", "<#", "#>", "#", "..", "-f", "%i", "%%i", "é", "\u{201c}", "1", "0x1f",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..Default::default()
    })]
    #[test]
    fn any_text_is_read_without_panic(text in text_strategy()) {
        for dialect in [Dialect::PowerShell, Dialect::Cmd] {
            parts_fit(&text, &reading(&text, dialect));
        }
    }

    #[test]
    fn what_is_appended_never_removes_a_start(text in text_strategy()) {
        for (dialect, tail) in [(Dialect::PowerShell, "; git status"), (Dialect::Cmd, " & git status")] {
            // An open quote, a caret, a `%`, a last backtick reach into what is appended.
            let reaches = match dialect {
                Dialect::Cmd => text.contains(['"', '^', '%', '!']),
                _ => text.ends_with('`'),
            };
            if reaches {
                continue;
            }
            let (before, after) = (reading(&text, dialect), reading(&format!("{text}{tail}"), dialect));
            let still = after.starts.len() >= before.starts.len();
            proptest::prop_assert!(still || !after.doubts.is_empty(), "{text:?}");
            proptest::prop_assert!(before.doubts.is_empty() || !after.doubts.is_empty(), "{text:?}");
        }
    }
}

#[test]
fn loops_in_loops_are_not_multiplied() {
    for (dialect, head, unit, tail) in [
        (
            Dialect::PowerShell,
            "1..16|%{1..16|%{1..16|%{",
            "a $_;",
            "}}}",
        ),
        (
            Dialect::PowerShell,
            "[x]::([x]::([x]::([x]::(",
            "a;",
            ")=1)=1)=1)=1",
        ),
        (
            Dialect::Cmd,
            "for %i in (a b c d e f g h) do for %j in (a b c d e f g h) do for %k in (a b c d e f g h) do (",
            "x %i & ",
            "y)",
        ),
    ] {
        let text = format!("{head}{}{tail}", unit.repeat((1 << 17) / unit.len()));
        let started = std::time::Instant::now();
        reading(&text, dialect);
        assert!(
            started.elapsed().as_secs() < 20,
            "{head} took {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn a_megabyte_is_read_in_linear_time() {
    for (dialect, unit) in [
        (Dialect::PowerShell, "git status; "),
        (Dialect::PowerShell, "'a'+"),
        (Dialect::PowerShell, "\"$x "),
        (Dialect::PowerShell, "if (1) { a } "),
        (Dialect::PowerShell, "a | "),
        (Dialect::PowerShell, "$x='aa'; $x=\"$x$x\"; a; "),
        (Dialect::PowerShell, "--"),
        (Dialect::PowerShell, "[ref]"),
        (Dialect::PowerShell, "1..16|%{a;"),
        (Dialect::PowerShell, "[x]::("),
        (Dialect::PowerShell, "("),
        (Dialect::PowerShell, "[a]"),
        (Dialect::PowerShell, "<#"),
        (Dialect::Cmd, "git status & "),
        (Dialect::Cmd, "%a"),
        (Dialect::Cmd, "for %i in (a b c d) do "),
        (Dialect::Cmd, "("),
        (Dialect::Cmd, "if a==b "),
        (Dialect::Cmd, "!x!"),
    ] {
        let text = unit.repeat((1 << 19) / unit.len());
        let started = std::time::Instant::now();
        let read = reading(&text, dialect);
        let took = started.elapsed();
        // A debug build on a shared machine: generous, yet far below anything quadratic.
        assert!(took.as_secs() < 10, "{unit:?} took {took:?}");
        assert!(
            read.starts.len() > 15_000 || !read.doubts.is_empty(),
            "{unit:?} was neither read nor doubted"
        );
    }
}
