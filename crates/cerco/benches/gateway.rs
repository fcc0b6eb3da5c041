//! The gateway under load, over the real agents' door: checks a second and how long each
//! took, resident memory with 200 agents connected, a start on a journal of 100,000 entries
//! and a search in it, and a whole `cerco hook`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement prints and may stop at the first surprise"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cerco_gateway::client::AgentClient;
use cerco_gateway::folders::Folders;
use cerco_gateway::journal::{Journal, Query};
use cerco_gateway::wire::{AgentVerb, AgentVia, Reply};

const CERCO: &str = env!("CARGO_BIN_EXE_cerco");
const AGENTS: usize = 200;
const CLIENTS: usize = 4;
const CHECKS: usize = 5_000;
const HOOKS: usize = 100;

fn main() {
    let made = tempfile::tempdir().unwrap();
    let home = made.path().canonicalize().unwrap();
    let project = home.join("shop");
    std::fs::create_dir_all(project.join("loops/site")).unwrap();
    let words = ["init", "--loop", "loops/site"];
    let made = cerco(&home).args(words).current_dir(&project).status();
    assert!(made.unwrap().success());

    let mut gateway = up(&home);
    checks(&home, &project);
    memory(&home, &project, &gateway);
    hooks(&home, &project);
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    search(&home);
}

fn cerco(home: &Path) -> Command {
    let mut command = Command::new(CERCO);
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdout(Stdio::null());
    command
}

fn folders(home: &Path) -> Folders {
    let home = home.display().to_string();
    Folders::of(|name| (name == "HOME").then(|| home.clone())).unwrap()
}

/// Starts it and waits until it listens.
fn up(home: &Path) -> Child {
    let started = Instant::now();
    let mut gateway = cerco(home)
        .args(["up", "--foreground"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let said = gateway.stdout.as_mut().unwrap();
    BufReader::new(said).read_line(&mut line).unwrap();
    println!("up after {:?}", started.elapsed());
    gateway
}

fn connect(home: &Path, project: &Path) -> AgentClient {
    let hello = AgentVerb::Hello {
        via: AgentVia::Run,
        host: "bench".to_owned(),
        project: project.display().to_string(),
        loop_folder: "loops/site".to_owned(),
        role: Some("Coder".to_owned()),
        bubble: None,
        environment: None,
    };
    AgentClient::connect(&folders(home), hello)
        .unwrap()
        .unwrap()
}

fn checks(home: &Path, project: &Path) {
    let check = |client: &mut AgentClient, number: usize| {
        let started = Instant::now();
        let verb = AgentVerb::Check {
            command: format!("grep -n word{number} notes.txt | sort | head -n 5"),
            folder: None,
            sandbox: false,
        };
        let reply = client.ask(verb).unwrap();
        assert!(matches!(reply, Reply::Judged { .. }), "{reply:?}");
        started.elapsed()
    };
    let started = Instant::now();
    let all = std::thread::scope(|scope| {
        let clients: [_; CLIENTS] = std::array::from_fn(|_| {
            scope.spawn(|| {
                let mut client = connect(home, project);
                let times = (0..CHECKS).map(|number| check(&mut client, number));
                times.collect::<Vec<_>>()
            })
        });
        clients.map(|client| client.join().unwrap()).concat()
    });
    let whole = started.elapsed();
    let a_second = all.len() as u128 * 1_000_000 / whole.as_micros();
    println!(
        "{a_second} checks a second ({CLIENTS} agents): {}",
        spread(all)
    );
}

fn memory(home: &Path, project: &Path, gateway: &Child) {
    let mut agents: Vec<_> = (0..AGENTS).map(|_| connect(home, project)).collect();
    for agent in &mut agents {
        let verb = AgentVerb::Run {
            command: "true".to_owned(),
            folder: None,
            input: None,
            seconds: None,
            sandbox: false,
        };
        let ran = agent.run(verb, &mut |_| {}, &mut |_, _| {}).unwrap();
        assert!(matches!(ran, Reply::Ended { .. }), "{ran:?}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", gateway.id())).unwrap();
    let resident = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    println!("resident with {} agents: {resident}", agents.len());
}

fn hooks(home: &Path, project: &Path) {
    let call = serde_json::json!({
        "session_id": "s", "cwd": project.join("loops/site"), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "ls -la"}, "tool_use_id": "t",
    })
    .to_string();
    let hook = || {
        let started = Instant::now();
        let mut hook = cerco(home)
            .args(["hook", "claude"])
            .current_dir(project)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin
            .take()
            .unwrap()
            .write_all(call.as_bytes())
            .unwrap();
        assert!(hook.wait().unwrap().success());
        started.elapsed()
    };
    println!(
        "cerco hook: {}",
        spread((0..HOOKS).map(|_| hook()).collect())
    );
}

/// A journal of 100,000 entries: copies of those that are there.
fn search(home: &Path) {
    let state = folders(home).state;
    let file: PathBuf = state.join(cerco_gateway::journal::FILE_NAME);
    rusqlite::Connection::open(file)
        .unwrap()
        .execute_batch(
            "BEGIN;
             INSERT INTO entries (time, board, verdict, decision, owner, opening, decided, closing)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
             SELECT time, board, verdict, decision, owner, opening, decided, '{\"time\":1,\"run\":{\"state\":\"not_run\"}}'
             FROM (SELECT * FROM entries LIMIT 1), n;
             INSERT INTO texts (rowid, text)
             SELECT seq, 'git commit word' || seq || ' every' FROM entries
             WHERE seq NOT IN (SELECT rowid FROM texts);
             COMMIT",
        )
        .unwrap();
    let mut gateway = up(home);
    let journal = Journal::open(&state, 0).unwrap();
    for text in ["word77777", "every", "git commit"] {
        let query = Query {
            text: Some(text.to_owned()),
            ..Query::default()
        };
        let times = (0..20).map(|_| {
            let started = Instant::now();
            assert!(!journal.entries(&query).unwrap().is_empty());
            started.elapsed()
        });
        println!("100,000 entries, `{text}`: {}", spread(times.collect()));
    }
    gateway.kill().unwrap();
    gateway.wait().unwrap();
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("median {:?}, p99 {:?}", at(50), at(99))
}
