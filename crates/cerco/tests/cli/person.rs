//! Who counts as a person, and how one answers.

use std::fs;
use std::io::Read;
use std::io::Write;
use std::process::Command;
use std::time::Duration;

use crate::support::{Person, err, out};

#[test]
fn an_agents_command_is_no_person() {
    let person = Person::new("inside");
    for args in [
        &["init"] as &[&str],
        &["run", "--loop", "a", "--no-sandbox", "--", "ls"],
        &[
            "run",
            "--loop",
            "a",
            "--sandbox",
            "--network",
            "registries",
            "--",
            "ls",
        ],
        &["log", "prune", "--days", "0"],
    ] {
        let done = person.command(args).env("CERCO_RUN", "x").output().unwrap();
        assert_eq!(done.status.code(), Some(126), "{args:?}");
        assert!(err(&done).contains("for a person"), "{}", err(&done));
    }
    // With its own environment emptied, its ancestors still carry the mark.
    let line = format!(
        "env -i HOME={} {} init; echo $?",
        person.0.join("home").display(),
        env!("CARGO_BIN_EXE_cerco")
    );
    let done = Command::new("bash")
        .args(["-c", &line])
        .env("CERCO_RUN", "x")
        .current_dir(person.project())
        .output()
        .unwrap();
    assert_eq!(out(&done), "126\n", "{}", err(&done));
}

/// Types into a terminal of its own once Cerco asks, and gives what it showed and its code.
fn answered(person: &Person, text: &str, answer: &str) -> (String, u32) {
    let pty = portable_pty::native_pty_system()
        .openpty(portable_pty::PtySize::default())
        .unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cerco"));
    command.args(["run", "--loop", "a", "--", text]);
    command.cwd(person.project());
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", person.0.join("home"));
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut writer = pty.master.take_writer().unwrap();
    let mut screen = Vec::new();
    let mut buffer = [0; 1024];
    let mut typed = false;
    while let Ok(got @ 1..) = reader.read(&mut buffer) {
        screen.extend_from_slice(&buffer[..got]);
        if !typed && String::from_utf8_lossy(&screen).contains("to answer >") {
            typed = true;
            // Nobody reads faster; an answer before that is not taken.
            std::thread::sleep(Duration::from_millis(600));
            writer.write_all(answer.as_bytes()).unwrap();
        }
    }
    let code = child.wait().unwrap().exit_code();
    (String::from_utf8_lossy(&screen).into_owned(), code)
}

#[test]
fn a_person_at_the_terminal_answers() {
    let person = Person::new("tty");
    let file = person.project().join("loops/a/old");
    for (answer, code, stays) in [
        ("d because\n", 126, true),
        ("\n", 126, true),
        ("o\n", 0, false),
    ] {
        fs::write(&file, "x").unwrap();
        let (screen, got) = answered(&person, "rm old", answer);
        assert_eq!((got, file.exists()), (code, stays), "{answer:?}: {screen}");
        assert!(
            screen.contains("Allow always this session: delete files"),
            "{screen}"
        );
    }
    let entries = out(&person.cerco(&["--json", "log"]));
    let sources: Vec<String> = entries
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap())
        .map(|e| e["decision_source"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sources, ["user_temporary", "user_reject", "user_reject"]);
}
