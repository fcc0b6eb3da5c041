//! The gateway from the command line: who gets it up, who gets in, who answers.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod inside;
mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;

use support::{Person, err, until};

#[test]
fn a_person_brings_it_up_and_down_and_gets_a_link() {
    let person = Person::new("link");
    let none = person.agent(&["status"]);
    assert_eq!(none.status.code(), Some(1), "{none:?}");
    for verb in [
        &["open"][..],
        &["asks"],
        &["down"],
        &["answer", "1", "once"],
    ] {
        let (screen, code) = person.person(verb);
        assert!(code == 125 && screen.contains("cerco up"), "{screen}");
    }
    let (screen, code) = person.person(&["up", "--no-browser"]);
    assert_eq!(code, 0, "{screen}");
    let status = person.status();
    let address = status["status"]["address"].as_str().unwrap().to_owned();
    assert!(screen.contains(&format!("{address}/#c=")), "{screen}");
    // It outlives its terminal; a second one is the same one, with a new link.
    let (again, code) = person.person(&["up", "--no-browser"]);
    assert!(code == 0 && again.contains("up already"), "{again}");
    assert_eq!(person.status()["status"]["pid"], status["status"]["pid"]);
    let (opened, code) = person.person(&["open", "--no-browser"]);
    assert!(code == 0 && opened.contains("/#c=") && opened.trim() != screen.trim());
    let (screen, code) = person.person(&["down"]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(person.status()["up"], false);
}

#[test]
fn without_a_terminal_there_is_no_link_and_no_answer() {
    let person = Person::new("none");
    let up = person.agent(&["up", "--no-browser"]);
    assert_eq!(up.status.code(), Some(0), "{up:?}");
    let said = String::from_utf8_lossy(&up.stdout).into_owned() + &err(&up);
    assert!(!said.contains("#c=") && said.contains("terminal"), "{said}");
    for verb in [
        &["open", "--no-browser"][..],
        &["asks"],
        &["answer", "1", "once"],
        &["down"],
    ] {
        let done = person.agent(verb);
        assert_eq!(done.status.code(), Some(126), "{verb:?} {done:?}");
        assert!(!String::from_utf8_lossy(&done.stdout).contains("#c="));
    }
    assert_eq!(person.status()["up"], true);
    let mut again = person.started(&["up", "--foreground", "--no-browser"]);
    let status = again.wait().unwrap();
    let done = again.wait_with_output().unwrap();
    assert!(
        status.code() == Some(125) && err(&done).contains("runs already"),
        "{done:?}"
    );
}

#[test]
fn in_the_foreground_it_ends_with_ctrl_c() {
    let person = Person::new("here");
    let mut here = person.terminal(&["up", "--foreground", "--no-browser"]);
    here.shows("/#c=");
    here.shows("Ctrl-C");
    assert_eq!(person.status()["up"], true);
    here.types("\u{3}");
    let (screen, code) = here.ended();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(person.status()["up"], false);
}

/// What an agent sees of a command.
fn seen(person: &Person, args: &[&str], text: &str) -> Value {
    let mut all = vec!["--json", "run", "--loop", "a"];
    all.extend(args);
    all.extend(["--", text]);
    let done = person.agent(&all);
    let mut value: Value =
        serde_json::from_slice(&done.stdout).unwrap_or_else(|e| panic!("{text}: {e}: {done:?}"));
    let object = value.as_object_mut().unwrap();
    // What is never the same twice; the rest has to be.
    for changing in [
        "entry_id",
        "duration_ms",
        "cpu_ms",
        "peak_memory",
        "edited",
        "note",
    ] {
        object.remove(changing);
    }
    object.insert("code".to_owned(), done.status.code().into());
    value
}

#[test]
fn a_command_fares_the_same_with_and_without_a_gateway() {
    let person = Person::new("same");
    fs::write(person.0.join("project/loops/a/old"), "x").unwrap();
    let commands = [
        (&[][..], "echo out; echo err >&2; exit 7"),
        (&[], "ssh host; echo x"),
        (&[], "git commit -m x"),
        (&[], "rm old"),
        (&[], "no-such-program-here"),
        (&[], "cat ../../../secret"),
        (&[], "bash -c ls"),
        (&["--role", "Researcher"], "ls"),
        (&["--sandbox"], "echo in; touch made; touch ../no"),
        (&["--sandbox"], "curl -s http://127.0.0.1:9/ | wc -c"),
    ];
    let of_all = || commands.map(|(args, text)| seen(&person, args, text));
    let without = of_all();
    let (screen, code) = person.person(&["up", "--no-browser"]);
    assert_eq!(code, 0, "{screen}");
    for (alone, through) in without.iter().zip(of_all()) {
        assert_eq!(*alone, through);
    }
    let log = person.agent(&["--json", "log", "-n", "50"]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert_eq!(log.lines().count(), 2 * commands.len(), "{log}");
}

#[test]
fn terminals_are_windows() {
    let person = Person::new("tty");
    let old = person.0.join("project/loops/a/old");
    let (screen, code) = person.person(&["up", "--no-browser"]);
    assert_eq!(code, 0, "{screen}");
    let run = ["run", "--loop", "a", "--", "rm old"];

    // The terminal that runs it.
    for (typed, expected) in [("d because\n", 126), ("a\n", 0)] {
        fs::write(&old, "x").unwrap();
        let mut terminal = person.terminal(&run);
        terminal.shows("here or on the page");
        terminal.types(typed);
        let (screen, code) = terminal.ended();
        assert_eq!(
            (code, old.exists()),
            (expected, expected != 0),
            "{typed}: {screen}"
        );
    }

    // Another one, for an agent.
    let mut waiting = person.terminal(&["asks", "--wait"]);
    waiting.shows("waiting for asks");
    until(
        || person.status()["status"]["windows"] == 1,
        || "no window".to_owned(),
    );
    fs::write(&old, "x").unwrap();
    let agent = person.started(&run);
    waiting.shows("a Allow once");
    waiting.types("o\n");
    let done = agent.wait_with_output().unwrap();
    assert_eq!(
        (done.status.code(), old.exists()),
        (Some(0), false),
        "{done:?}"
    );
    fs::write(&old, "x").unwrap();
    let agent = person.started(&run);
    until(
        || person.status()["status"]["asks"] == 1,
        || "no ask".to_owned(),
    );
    let (listed, code) = person.person(&["asks"]);
    assert!(code == 0 && listed.contains("rm old"), "{listed}");
    let number: String = listed
        .split("ask ")
        .nth(1)
        .unwrap()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let note = ["answer", number.as_str(), "deny", "--note", "not that one"];
    let (screen, code) = person.person(&note);
    assert_eq!(code, 0, "{screen}");
    let done = agent.wait_with_output().unwrap();
    assert!(
        done.status.code() == Some(126) && err(&done).contains("not that one"),
        "{done:?}"
    );
    waiting.types("\u{3}");
}

#[test]
fn a_gateway_that_dies_midway_is_said_and_nothing_runs_on() {
    let person = Person::new("dies");
    let (screen, code) = person.person(&["up", "--no-browser"]);
    assert_eq!(code, 0, "{screen}");
    let mark = format!("31.{}", std::process::id());
    let text = format!("echo begun > begun; sleep {mark}");
    let agent = person.started(&["run", "--loop", "a", "--", &text]);
    let begun = person.0.join("project/loops/a/begun");
    until(|| begun.exists(), || "it did not begin".to_owned());
    let pid = person.status()["status"]["pid"].to_string();
    assert!(
        Command::new("kill")
            .args(["-9", &pid])
            .status()
            .unwrap()
            .success()
    );
    let done = agent.wait_with_output().unwrap();
    assert!(
        done.status.code() == Some(125) && err(&done).contains("the gateway went away"),
        "{done:?}"
    );
    let running = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
            .any(|line| line == format!("sleep\0{mark}\0").as_bytes())
    };
    until(|| !running(), || "it runs on".to_owned());
    // Without a gateway it works alone.
    let alone = person.agent(&["run", "--loop", "a", "--", "echo alone"]);
    assert_eq!(alone.stdout, b"alone\n", "{alone:?}");
}
