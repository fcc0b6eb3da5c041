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
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|word| word == cerco_run::KeeperProgram::WORD) {
        return cerco_run::keeper_main();
    }
    if let Some(root) = std::env::var_os("CERCO_REAL_GATEWAY") {
        linux::gateway(std::path::Path::new(&root));
        return ExitCode::SUCCESS;
    }
    let words: Vec<String> = std::env::args().collect();
    // What the test runner asks for.
    if words.iter().any(|word| word == "--list") {
        if !words.iter().any(|word| word == "--ignored") {
            println!("the_real_gateway: test");
        }
        return ExitCode::SUCCESS;
    }
    linux::check();
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod kills;

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use cerco_gateway::client::{AgentClient, ClientError};
    use cerco_gateway::engine::Real;
    use cerco_gateway::folders::Folders;
    use cerco_gateway::server;
    use cerco_gateway::wire::{
        AgentVerb, AgentVia, DecisionSource, Reply, RunEnding, Stream, Verdict,
    };

    fn folders(root: &Path) -> Folders {
        Folders {
            config: root.join("config"),
            state: root.join("state"),
            runtime: root.join("run"),
            cache: root.join("cache"),
        }
    }

    pub(crate) fn gateway(root: &Path) {
        let folders = folders(root);
        let engine = Arc::new(Real::new(folders.clone()).unwrap());
        server::run(&folders, engine, 0, |bound| {
            println!("{}", bound.first_address().unwrap());
        })
        .unwrap();
    }

    pub(crate) fn start(root: &Path) -> Child {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env("CERCO_REAL_GATEWAY", root)
            .env("A_TOKEN", "hidden-from-commands")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert!(line.starts_with("http://127.0.0.1:"), "{line}");
        child
    }

    pub(crate) fn connect(root: &Path) -> Result<Option<AgentClient>, ClientError> {
        let hello = AgentVerb::Hello {
            via: AgentVia::Run,
            host: "test".to_owned(),
            project: root.join("project").display().to_string(),
            loop_folder: "a".to_owned(),
            role: Some("Coder".to_owned()),
            bubble: None,
            environment: None,
        };
        AgentClient::connect(&folders(root), hello)
    }

    pub(crate) fn run_verb(command: &str) -> AgentVerb {
        AgentVerb::Run {
            command: command.to_owned(),
            folder: None,
            input: None,
            seconds: None,
            sandbox: false,
        }
    }

    /// Runs a command: the last word and what came on standard output.
    pub(crate) fn run(client: &mut AgentClient, command: &str) -> (Reply, Vec<u8>) {
        let mut stdout = Vec::new();
        let reply = client
            .run(run_verb(command), &mut |_| {}, &mut |stream, bytes| {
                if stream == Stream::Stdout {
                    stdout.extend_from_slice(bytes);
                }
            })
            .unwrap();
        (reply, stdout)
    }

    pub(crate) fn ending(reply: &Reply) -> RunEnding {
        match reply {
            Reply::Ended { ending, .. } => *ending,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn check() {
        let root = std::env::temp_dir().join(format!("cerco-real-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for folder in ["project/a", "project/b", "config"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(root.join("config"), mode).unwrap();
        let root = root.canonicalize().unwrap();
        let accepted = "[[loop]]\nname = \"a\"\nfolder = \"a\"\n";
        std::fs::write(root.join("project/cerco.toml"), accepted).unwrap();
        let mut known = cerco_gateway::project::Known::load(&root.join("config")).unwrap();
        known
            .accept(root.join("project"), accepted.to_owned())
            .unwrap();
        let script = root.join("project/a/busy.sh");
        std::fs::write(
            &script,
            "#!/bin/sh\nfor n in 1 2 3; do setsid sleep 300 & done\nsleep 0.02\n",
        )
        .unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();
        let script = root.join("project/a/linger.sh");
        std::fs::write(&script, "#!/bin/sh\nsetsid sh -c 'trap \"\" TERM; echo $$ > pid; exec sleep 300' &\nsleep 300\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).unwrap();

        let mut child = start(&root);
        let mut client = connect(&root).unwrap().unwrap();
        runs_and_refuses(&mut client);
        long_output_arrives_whole(&mut client);
        cancels(&mut client);
        nothing_is_left_after_kill_9(&root, &mut child, &mut client);

        let mut child = start(&root);
        let (reply, _) = run(&mut connect(&root).unwrap().unwrap(), "true");
        assert_eq!(ending(&reply), RunEnding::Exit(0));
        child.kill().unwrap();
        child.wait().unwrap();
        crate::kills::check(&root);
        std::fs::remove_dir_all(&root).unwrap();
        println!("the_real_gateway: ok");
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
