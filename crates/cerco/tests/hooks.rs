//! The hook as its host starts it: the built program, a project, a home of its own.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct World {
    top: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            top: tempfile::tempdir().unwrap(),
        };
        for folder in [
            "home",
            "project/loops/a/other",
            "project/loops/b",
            "elsewhere",
        ] {
            fs::create_dir_all(world.at(folder)).unwrap();
        }
        fs::write(world.at("project/loops/a/.env"), "KEY=1").unwrap();
        std::os::unix::fs::symlink("../../../elsewhere", world.at("project/loops/a/way")).unwrap();
        let made = world
            .cerco(&["init", "--loop", "loops/a", "--loop", "loops/a/other"])
            .current_dir(world.at("project"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(path)
    }

    fn cerco(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cerco"));
        command.args(args).env("HOME", self.at("home"));
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "XDG_RUNTIME_DIR",
            "XDG_CACHE_HOME",
            "CERCO_RUN",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn hook(&self, args: &[&str], stdin: &str) -> Output {
        let mut child = self
            .cerco(&[&["hook"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A hook that stops before it reads is fine; what it says counts.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn claude(&self, args: &[&str], cwd: &Path, tool: &str, input: &Value) -> Value {
        let stdin = json!({
            "session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input,
        });
        let output = self.hook(&[&["claude"], args].concat(), &stdin.to_string());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        if output.stdout.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn log(&self) -> String {
        let mut log = self.cerco(&["log", "--json", "-n", "200"]);
        let output = log
            .current_dir(self.at("project/loops/a"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// What the answer says: nothing, or the decision with its reason.
fn said(answer: &Value) -> String {
    let inner = &answer["hookSpecificOutput"];
    match inner["permissionDecision"].as_str() {
        None => String::new(),
        Some(decision) => {
            let reason = inner["permissionDecisionReason"].as_str();
            format!("{decision}: {}", reason.unwrap_or_default())
        }
    }
}

#[test]
fn commands_and_files_are_judged_where_the_host_is() {
    let world = World::new();
    let here = world.at("project/loops/a");
    let command = |text: &str| json!({ "command": text });
    let file = |path: &str| json!({ "file_path": path });
    let outside = world.at("elsewhere/x").display().to_string();
    let inside = here.join("src/new.rs").display().to_string();
    let rows: &[(&[&str], &str, Value, &str)] = &[
        (&[], "Bash", command("git status && ls -l"), ""),
        (&[], "Bash", command("bash -c ls"), "deny: "),
        (&[], "Bash", command("git commit -m x"), "no window is open"),
        (
            &["--host-asks"],
            "Bash",
            command("git commit -m x"),
            "ask: ",
        ),
        // In the host's own shell no sandbox holds it, so its paths are judged without one.
        (&[], "Bash", command("cat ../b/x"), "deny: "),
        (
            &["--role", "Researcher"],
            "Bash",
            command("ls"),
            "lacks the tool run_commands",
        ),
        (
            &["--role", "Reviewer"],
            "Edit",
            file("a.rs"),
            "lacks the tool write_files",
        ),
        (&[], "Read", file("src/main.rs"), ""),
        (&[], "Write", file(&inside), ""),
        (&[], "Read", file(".env"), "looks like a secret"),
        (&[], "Write", file(&outside), "outside of the loop"),
        (&[], "Write", file("way/x"), "outside of the loop"),
        (&[], "Write", file("src/../../b/x"), "deny: "),
        (&[], "Write", file("../b/x"), "outside of the loop"),
        (&[], "Write", file("other/x"), "belongs to another loop"),
        (&[], "Read", file("other/x"), ""),
        (
            &[],
            "Write",
            file(".git/hooks/pre-commit"),
            "belongs to git",
        ),
        (&[], "WebSearch", json!({ "query": "x" }), ""),
    ];
    for (args, tool, input, expected) in rows {
        let got = said(&world.claude(args, &here, tool, input));
        assert_eq!(got.is_empty(), expected.is_empty(), "{tool} {input}: {got}");
        assert!(got.contains(expected), "{tool} {input}: {got}");
    }
    let stranger = world.claude(&[], &world.at("elsewhere"), "Bash", &command("ls"));
    assert!(said(&stranger).contains("cerco init"), "{stranger}");
    let log = world.log();
    for text in [
        "bash -c ls",
        "git status && ls -l",
        "read .env",
        "no_window",
    ] {
        assert!(log.contains(text), "{text} is not in the journal: {log}");
    }
}

/// A project's only loop is meant wherever the host is. A command that the host's own shell
/// starts elsewhere would be judged for one folder and run in another.
#[test]
fn a_host_outside_of_the_only_loop_runs_nothing_that_was_judged_for_the_loop() {
    let world = World::new();
    let project = world.at("single");
    fs::create_dir(&project).unwrap();
    let made = world
        .cerco(&["init", "--loop", "src"])
        .current_dir(&project)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let input = json!({ "command": "echo x > Makefile" });
    let answer = world.claude(&[], &project, "Bash", &input);
    assert!(
        said(&answer).contains("not in the loop's folder `src`"),
        "{answer}"
    );
    assert!(world.log().contains("echo x > Makefile"));
    let answer = world.claude(&[], &project.join("src"), "Bash", &input);
    assert_eq!(answer, Value::Null);
    let answer = world.claude(&["--rewrite"], &project, "Bash", &input);
    assert!(said(&answer).starts_with("allow"), "{answer}");
}

#[test]
fn a_rewritten_command_runs_under_cerco() {
    let world = World::new();
    let here = world.at("project/loops/a");
    let text = "printf '%s\\n' \"it's $((1 + 1))\"";
    let input = json!({ "command": text, "timeout": 5 });
    let answer = world.claude(&["--rewrite"], &here, "Bash", &input);
    let updated = &answer["hookSpecificOutput"]["updatedInput"];
    assert_eq!(updated["timeout"], 5);
    let output = Command::new("bash")
        .args(["-c", updated["command"].as_str().unwrap()])
        .current_dir(&here)
        .env("HOME", world.at("home"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "it's 2\n");
    let log = world.log();
    assert!(log.contains("printf"), "{log}");
}

#[test]
fn trouble_is_exit_2_with_a_text() {
    let world = World::new();
    for (host, stdin) in [
        ("claude", "{"),
        ("codex", ""),
        ("gemini", "[]"),
        ("cursor", "{}"),
        ("copilot", "1"),
        ("vscode", "{}"),
    ] {
        let output = world.hook(&[host], stdin);
        assert_eq!(output.status.code(), Some(2), "{host}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{host} {output:?}"
        );
    }
    // Broken settings, no home: still 2, never "go on".
    fs::create_dir_all(world.at("home/.config/cerco")).unwrap();
    fs::write(world.at("home/.config/cerco/config.toml"), "sandbox = 7").unwrap();
    let output = world.hook(&["claude"], "{}");
    assert_eq!(
        (output.status.code(), output.stderr.is_empty()),
        (Some(2), false),
        "{output:?}"
    );
    let mut homeless = world.cerco(&["hook", "claude"]);
    let output = homeless
        .env_remove("HOME")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.is_empty()),
        (Some(2), false),
        "{output:?}"
    );
}

#[test]
fn the_installed_entry_starts_the_hook() {
    let world = World::new();
    let here = world.at("project");
    let run = |args: &[&str]| {
        let output = world.cerco(args).current_dir(&here).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    assert!(run(&["hook", "claude", "status"]).1.contains("absent"));
    assert_eq!(run(&["hook", "claude", "install"]).0, Some(0));
    assert!(run(&["hook", "claude", "status"]).1.contains("installed"));
    let text = fs::read_to_string(here.join(".claude/settings.local.json")).unwrap();
    let entry: Value = serde_json::from_str(&text).unwrap();
    let hook = &entry["hooks"]["PreToolUse"][0]["hooks"][0];
    let args = hook["args"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str);
    let started = Command::new(hook["command"].as_str().unwrap())
        .args(args)
        .env("HOME", world.at("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(started.status.code(), Some(2), "{started:?}");
    assert_eq!(run(&["hook", "claude", "uninstall"]).0, Some(0));
    assert!(run(&["hook", "claude", "status"]).1.contains("absent"));
    // An agent's command may not take the hook out.
    let mut agent = world.cerco(&["hook", "claude", "uninstall"]);
    let output = agent
        .env("CERCO_RUN", "x")
        .current_dir(&here)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(126));
}
