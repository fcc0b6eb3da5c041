//! Disks and files that fail: a clear error with a next step, and nothing lost.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::{Running, spawn, spawn_through, until};

/// Starts a gateway that can't start, and gives its words.
fn cannot_start(root: &Path) -> String {
    let (mut child, line) = spawn(root);
    assert!(line.starts_with("error: "), "it came up: {line}");
    child.wait().unwrap();
    line
}

#[test]
fn a_damaged_file_is_said_and_not_touched() {
    for (name, step) in [
        ("journal.sqlite", "cerco log move-aside"),
        ("gateway.sqlite", "move it away: mv "),
    ] {
        let mut gateway = Running::start();
        gateway.agent("Coder").run("allow true");
        gateway.kill();
        let state = gateway.root.join("state");
        let path = state.join(name);
        let damaged = vec![b'x'; 100 * 1024];
        std::fs::write(&path, &damaged).unwrap();
        // With its log in place, SQLite would mend the damage from there.
        let _ = std::fs::remove_file(state.join(format!("{name}-wal")));
        let said = cannot_start(&gateway.root);
        assert!(said.contains(step), "{name}: {said}");
        assert!(said.contains(&path.display().to_string()), "{said}");
        assert!(
            std::fs::read(&path).unwrap() == damaged,
            "{name} was changed"
        );
        // The step that it names helps.
        if name == "journal.sqlite" {
            cerco_gateway::journal::Journal::move_aside(&state, 1).unwrap();
        } else {
            std::fs::rename(&path, state.join("gateway.sqlite.aside")).unwrap();
        }
        let again = Running::start_in(gateway.root.clone());
        assert_eq!(again.agent("Coder").run("allow true")["exit_code"], 0);
    }
}

#[test]
fn of_two_that_start_at_once_one_comes_up() {
    let mut gateway = Running::start();
    gateway.kill();
    let root = gateway.root.clone();
    let lines = std::thread::scope(|scope| {
        let all = [0; 3].map(|_| scope.spawn(|| spawn(&root)));
        all.map(|one| one.join().unwrap())
    });
    let up = lines.iter().filter(|(_, line)| line.starts_with("http://"));
    assert_eq!(up.count(), 1, "{lines:?}");
    for (mut child, line) in lines {
        if !line.starts_with("http://") {
            assert!(line.contains("runs already"), "{line}");
            child.wait().unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// A gateway whose state folder is a file system of its own, mounted with these options.
fn on_a_disk(options: &str) -> (Running, String, std::process::Child) {
    let mut gateway = Running::start();
    gateway.kill();
    let mount = format!(
        "mount -t tmpfs -o mode=700,{options} none \"$CERCO_TEST_GATEWAY/state\" && exec \"$@\""
    );
    let mut through = Command::new("unshare");
    // As root in a mount namespace; as anybody else in a user namespace of its own, too.
    if cerco_sys::harden::user_id() != 0 {
        through.arg("--map-root-user");
    }
    through.args(["--mount", "sh", "-c", &mount, "sh"]);
    let (child, line) = spawn_through(through, &gateway.root);
    (gateway, line, child)
}

#[test]
fn a_read_only_folder_is_said() {
    let (gateway, line, mut child) = on_a_disk("ro");
    child.wait().unwrap();
    assert!(line.starts_with("error: "), "{line}");
    assert!(
        line.contains("read-only") || line.contains("Read-only"),
        "{line}"
    );
    assert!(line.contains("check who owns"), "{line}");
    // Back on its own disk everything is there.
    let again = Running::start_in(gateway.root.clone());
    assert_eq!(again.agent("Coder").run("allow true")["exit_code"], 0);
}

#[test]
fn on_a_full_disk_nothing_runs_unwritten_and_nothing_is_lost() {
    let (mut gateway, line, child) = on_a_disk("size=12m");
    gateway.adopt(child, &line);
    let page = Page::sign_in(&gateway);
    let mut agent = gateway.agent("Coder");
    let before = agent.run("allow echo kept");
    assert_eq!(before["exit_code"], 0);
    // Output fills the disk; the run itself doesn't suffer.
    assert_eq!(agent.run("allow flood 32")["exit_code"], 0);
    // Long commands use up what is left of the journal's own room.
    let long = "x".repeat(100 * 1024);
    let marker = gateway.project().join("a/ran");
    let mut refused = Value::Null;
    for number in 0..200 {
        let _ = std::fs::remove_file(&marker);
        let last = agent.run(&format!("allow touch ran # {number} {long}"));
        if last["reply"] == "failed" {
            refused = last;
            break;
        }
        assert_eq!(last["reply"], "ended");
    }
    let said = refused["text"].as_str().unwrap();
    assert!(said.contains("the disk is full"), "{said}");
    assert!(said.contains("cerco log prune"), "{said}");
    // What could not be written did not run.
    assert!(!marker.exists());
    // What was written reads back, now and after a restart of the gateway on that disk.
    let entry = before["entry"].as_str().unwrap();
    let kept = page.get(&format!("/api/entries/{entry}"));
    assert_eq!(kept["run"]["state"], "ended");
    // With space again it goes on at once.
    let pid = gateway.child.id();
    let output = format!("/proc/{pid}/root{}/state/output", gateway.root.display());
    for file in std::fs::read_dir(output).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    until("it runs again", || {
        agent.run("allow true")["reply"] == "ended"
    });
}

#[test]
fn retention_is_applied_to_entries_and_their_output() {
    let mut gateway = Running::start();
    let mut agent = gateway.agent("Coder");
    let old = agent.run("allow echo old")["entry"]
        .as_str()
        .unwrap()
        .to_owned();
    let state = gateway.root.join("state");
    let output = state.join("output").join(format!("{old}.out"));
    // The scripted engine does not wait for the last of it.
    until("its output is kept", || output.exists());
    drop(agent);
    gateway.kill();
    let month_ago = "UPDATE entries SET time = time - 31 * 86400000";
    rusqlite::Connection::open(state.join("journal.sqlite"))
        .unwrap()
        .execute(month_ago, [])
        .unwrap();
    let again = Running::start_in(gateway.root.clone());
    let page = Page::sign_in(&again);
    let new = again.agent("Coder").run("allow echo new");
    let mut settings = page.get("/api/settings");
    assert!(settings["retention_days"].as_u64().unwrap() > 31);
    settings["retention_days"] = json!(30);
    assert_eq!(page.send("PUT /api/settings", &settings).status, 200);
    until("the old output is gone", || !output.exists());
    let entry = |id: &str| {
        page.send(&format!("GET /api/entries/{id}"), &Value::Null)
            .status
    };
    assert_eq!(entry(&old), 404);
    assert_eq!(entry(new["entry"].as_str().unwrap()), 200);
}
