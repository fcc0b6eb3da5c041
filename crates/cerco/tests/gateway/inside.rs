//! What an agent's command tries at the gateway's doors, in the sandbox and without it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use cerco_gateway::folders::Folders;
use cerco_gateway::server::PERSON_SOCKET;

use crate::support::{Person, until};

/// Each line that is printed is a door that was reached.
fn attempt(port: &str, socket: &str, state: &str, cerco: &str, ask: &str) -> String {
    format!(
        "#!/bin/bash
exec 2>/dev/null
(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo reached-port
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{socket}\")' && echo reached-socket
head -c 1 {state}/journal.sqlite >/dev/null && echo reached-journal
{cerco} answer {ask} once && echo answered
(setsid {cerco} answer {ask} once && echo answered) & wait
{cerco} open --no-browser | grep -q '#c=' && echo opened
echo tried
"
    )
}

#[test]
fn a_command_answers_nothing_and_reaches_no_door_in_the_sandbox() {
    let person = Person::new("inside");
    let (screen, code) = person.person(&["up", "--no-browser"]);
    assert_eq!(code, 0, "{screen}");
    let mut window = person.terminal(&["asks", "--wait"]);
    until(
        || person.status()["status"]["windows"] == 1,
        || "no window".to_owned(),
    );
    let old = person.0.join("project/loops/a/old");
    fs::write(&old, "x").unwrap();
    let asking = person.started(&["run", "--loop", "a", "--", "rm old"]);
    until(
        || person.status()["status"]["asks"] == 1,
        || "no ask".to_owned(),
    );
    let (listed, _) = person.person(&["asks"]);
    let number = listed.split("ask ").nth(1).unwrap();
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();

    let home = person.0.join("home").display().to_string();
    let folders = Folders::of(|name| (name == "HOME").then(|| home.clone())).unwrap();
    let address = person.status()["status"]["address"].to_string();
    let port = address.trim_matches('"').rsplit(':').next().unwrap();
    let script = person.0.join("project/loops/a/attempt.sh");
    let socket = folders.runtime.join(PERSON_SOCKET);
    assert!(socket.exists(), "{}", socket.display());
    let text = attempt(
        port,
        &socket.display().to_string(),
        &folders.state.display().to_string(),
        env!("CARGO_BIN_EXE_cerco"),
        &number,
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let tried = |sandbox: &[&str]| {
        let words = [&["run", "--loop", "a"], sandbox, &["--", "./attempt.sh"]].concat();
        let done = person.agent(&words);
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert_eq!(tried(&["--sandbox"]), "tried\n");
    // Without the sandbox the doors are there, and whoever comes from a command stays out.
    let bare = tried(&[]);
    assert!(
        bare.contains("reached-port\n") && bare.ends_with("tried\n"),
        "{bare}"
    );
    assert!(
        !bare.contains("answered") && !bare.contains("opened"),
        "{bare}"
    );
    assert!(old.exists());
    assert_eq!(person.status()["status"]["asks"], 1);

    // A person's own terminal answers the same ask with the same words.
    let (screen, code) = person.person(&["answer", &number, "once"]);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(asking.wait_with_output().unwrap().status.code(), Some(0));
    assert!(!old.exists());
    window.types("\u{3}");
}
