//! How a command runs and ends.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Person, err, out};

#[test]
fn run_has_the_exit_codes_of_the_specification() {
    let person = Person::new("codes");
    for (text, code, says) in [
        ("echo hi", 0, ""),
        ("exit 7", 7, ""),
        ("no-such-program-here", 127, "not found"),
        ("ssh host", 126, "remote:"),
        ("git push", 126, "no window is open"),
        ("echo 'unclosed", 126, "unreadable:"),
    ] {
        let done = person.run(text);
        assert_eq!(done.status.code(), Some(code), "{text}: {}", err(&done));
        assert!(err(&done).contains(says), "{text}: {}", err(&done));
    }
    // Nothing of a refused command runs.
    assert_eq!(person.run("touch made; ssh host").status.code(), Some(126));
    assert!(!person.project().join("loops/a/made").exists());
    let usage = person.cerco(&["run", "--loop", "a"]);
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn several_words_mean_exactly_those_words() {
    let person = Person::new("words");
    let done = person.cerco(&[
        "run",
        "--loop",
        "a",
        "--",
        "echo",
        "a  b",
        "$HOME; ssh h",
        "*",
    ]);
    assert_eq!(out(&done), "a  b $HOME; ssh h *\n");
}

/// Whoever started a run for an agent is killed: `cerco mcp`, say.
#[test]
fn a_run_ends_with_who_started_it() {
    let person = Person::new("orphan");
    let word = format!("100.{}", std::process::id());
    let line = format!(
        "{} run --loop a --ends-with $$ -- 'echo up; sleep {word}' & wait",
        env!("CARGO_BIN_EXE_cerco")
    );
    let mut parent = Command::new("bash")
        .args(["-c", &line])
        .env("HOME", person.0.join("home"))
        .current_dir(person.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 3];
    parent
        .stdout
        .take()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    let began = Instant::now();
    let alive = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| line.split(|b| *b == 0).any(|arg| arg == word.as_bytes()))
        })
    };
    // At once on a quiet machine; its own time is two minutes.
    while alive() {
        assert!(began.elapsed() < Duration::from_secs(30), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Whose starter is gone already does not start.
    let done = person.cerco(&["run", "--loop", "a", "--ends-with", "1", "--", "ls"]);
    assert_eq!(done.status.code(), Some(125), "{done:?}");
}

#[test]
fn the_run_has_a_temporary_folder_of_its_own() {
    let person = Person::new("temporary");
    let home = person.0.to_string_lossy().into_owned();
    for (sandbox, folder) in [
        ("--sandbox", "/tmp/cerco-"),
        ("--no-sandbox", home.as_str()),
    ] {
        for (text, code) in [
            ("echo hi > $TMPDIR/x && cat $TMPDIR/x", 0),
            ("mktemp", 0),
            ("echo x > /tmp/y", 126),
        ] {
            let done = person.cerco(&["run", "--loop", "a", sandbox, "--", text]);
            assert_eq!(done.status.code(), Some(code), "{sandbox} {text}: {done:?}");
            if text == "mktemp" {
                let made = out(&done);
                assert!(made.starts_with(folder), "{sandbox}: {made}");
                assert!(!PathBuf::from(made.trim()).exists(), "{made} is left");
            }
        }
    }
}

#[test]
fn ctrl_c_stops_the_command() {
    let person = Person::new("cancel");
    let mut child = person
        .command(&["run", "--loop", "a", "--", "echo ready; sleep 20"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 6];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // `setsid` has become Cerco, or stands in front of it where it had to fork.
    let me = child.id();
    let name = fs::read_to_string(format!("/proc/{me}/comm")).unwrap();
    let cerco = if name.trim() == "setsid" {
        fs::read_to_string(format!("/proc/{me}/task/{me}/children")).unwrap()
    } else {
        me.to_string()
    };
    let began = Instant::now();
    let done = Command::new("kill")
        .args(["-INT", cerco.trim()])
        .status()
        .unwrap();
    assert!(done.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(10));
}
