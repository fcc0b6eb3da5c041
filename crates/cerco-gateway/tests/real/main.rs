//! The gateway with the real filter and runner, spoken to as `cerco run` does.
//!
//! This program is three: the checks, the gateway that they speak to, and the keeper of
//! each command (which is the running program again, as with the `cerco` binary).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may stop at the first surprise"
)]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;
    if let Some(code) = cerco_sandbox::stage::enter(cerco_run::hold_own_starts) {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let first = words.first();
    if first.is_some_and(|word| word == cerco_run::KeeperProgram::WORD) {
        return cerco_run::keeper_main();
    }
    if let Some(root) = std::env::var_os("CERCO_REAL_GATEWAY") {
        support::gateway(std::path::Path::new(&root));
        return ExitCode::SUCCESS;
    }
    // What the test runner asks for.
    if words.iter().any(|word| word == "--list") {
        if !words.iter().any(|word| word == "--ignored") {
            for (name, _) in CHECKS {
                println!("{name}: test");
            }
        }
        return ExitCode::SUCCESS;
    }
    let chosen = words.iter().find(|word| !word.starts_with('-'));
    for (name, check) in CHECKS {
        if chosen.is_none_or(|chosen| name.contains(chosen.as_str())) {
            check();
            println!("{name}: ok");
        }
    }
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
const CHECKS: &[(&str, fn())] = &[
    ("the_real_gateway", linux::check),
    ("kill_9_at_random_moments", kills::check),
    ("two_hundred_bubbles_ask_at_once", asks::check),
    ("a_boards_sandbox_is_as_it_was_chosen", board::check),
];

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod asks;
#[cfg(target_os = "linux")]
mod board;
#[cfg(target_os = "linux")]
#[path = "../server/http.rs"]
#[expect(dead_code, reason = "the tests that it belongs to use more of it")]
mod http;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
#[path = "../../../cerco-run/tests/registries/stand_in.rs"]
mod stand_in;
#[cfg(target_os = "linux")]
mod support;

#[cfg(target_os = "linux")]
mod linux {
    use std::path::Path;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use cerco_gateway::client::AgentClient;
    use cerco_gateway::wire::{AgentVerb, DecisionSource, Reply, RunEnding, Verdict};

    use crate::support::{Ground, connect, ending, run, run_verb, start};

    pub(crate) fn check() {
        let ground = Ground::new("plain");
        let root = ground.root();
        let program = std::env::current_exe().unwrap();
        let mut child = start(root, &program);
        let mut client = connect(root).unwrap().unwrap();
        runs_and_refuses(&mut client);
        long_output_arrives_whole(&mut client);
        cancels(&mut client);
        nothing_is_left_after_kill_9(root, &mut child, &mut client);

        let mut child = start(root, &program);
        let (reply, _) = run(&mut connect(root).unwrap().unwrap(), "true");
        assert_eq!(ending(&reply), RunEnding::Exit(0));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn runs_and_refuses(client: &mut AgentClient) {
        let (reply, stdout) = run(client, "echo \"$A_TOKEN\"; pwd | sed 's:.*/::'");
        assert_eq!(ending(&reply), RunEnding::Exit(0));
        assert_eq!(stdout, b"\na\n");
        let (reply, _) = run(client, "exit 7");
        assert_eq!(ending(&reply), RunEnding::Exit(7));
        for (command, expected) in [
            ("git push --force", DecisionSource::Rule),
            ("cat ../b/x", DecisionSource::Rule),
            ("git commit -m x", DecisionSource::NoWindow),
        ] {
            match run(client, command).0 {
                Reply::Refused { source, text, .. } => {
                    assert_eq!(source, expected, "{command}");
                    assert!(!text.is_empty(), "{command}");
                }
                other => panic!("{command}: {other:?}"),
            }
        }
        let check = AgentVerb::Check {
            command: "ls && git push".to_owned(),
            folder: None,
            sandbox: false,
        };
        match client.ask(check).unwrap() {
            Reply::Judged { judged } => {
                assert_eq!(judged.verdict, Verdict::Asked);
                let verdicts: Vec<Verdict> = judged.programs.iter().map(|p| p.verdict).collect();
                assert_eq!(verdicts, [Verdict::Allowed, Verdict::Asked]);
            }
            other => panic!("{other:?}"),
        }
    }

    fn long_output_arrives_whole(client: &mut AgentClient) {
        let (reply, stdout) = run(client, "seq 1 500000");
        assert_eq!(ending(&reply), RunEnding::Exit(0));
        let numbers: Vec<String> = (1..=500_000).map(|n| n.to_string()).collect();
        let expected = numbers.join("\n") + "\n";
        assert_eq!(stdout.len(), expected.len());
        assert!(
            stdout == expected.as_bytes(),
            "the output is not what was written"
        );
    }

    fn cancels(client: &mut AgentClient) {
        let mut canceller = client.canceller().unwrap();
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            canceller.cancel().unwrap();
        });
        let started = Instant::now();
        let (reply, _) = run(client, "./linger.sh");
        stopping.join().unwrap();
        assert_eq!(ending(&reply), RunEnding::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    fn nothing_is_left_after_kill_9(root: &Path, child: &mut Child, client: &mut AgentClient) {
        let file = root.join("project/a/pid");
        let _ = std::fs::remove_file(&file);
        let killing = child.id();
        let pid_file = file.clone();
        let killer = std::thread::spawn(move || {
            let pid = loop {
                let text = std::fs::read_to_string(&pid_file).unwrap_or_default();
                if let Ok(pid) = text.trim().parse::<u32>() {
                    break pid;
                }
                std::thread::sleep(Duration::from_millis(10));
            };
            let killed = Command::new("kill")
                .args(["-9", &killing.to_string()])
                .status();
            assert!(killed.unwrap().success());
            pid
        });
        assert!(
            client
                .run(run_verb("./linger.sh"), &mut |_| {}, &mut |_, _| {})
                .is_err()
        );
        let pid = killer.join().unwrap();
        child.wait().unwrap();
        let started = Instant::now();
        while cerco_sys::peer::process(pid).is_some_and(|p| !p.ended) {
            assert!(
                started.elapsed() < Duration::from_secs(10),
                "process {pid} is left"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
