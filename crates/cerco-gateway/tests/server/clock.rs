//! A wall clock that jumps, forward and back: no time limit follows it, and nothing is lost.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Page;
use crate::support::{Running, spawn_through};

const DAY: i64 = 24 * 60 * 60;

/// The library that sets the clock wrong, compiled by what links these tests.
fn library(folder: &Path) -> PathBuf {
    let library = folder.join("clock.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/clock.c");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .status();
    assert!(made.unwrap().success());
    library
}

#[test]
fn a_clock_that_jumps_moves_no_time_limit_and_loses_nothing() {
    let mut gateway = Running::start();
    gateway.kill();
    let clock = gateway.root.join("clock");
    let set = |days: i64| std::fs::write(&clock, (days * DAY).to_string()).unwrap();
    set(0);
    let mut through = Command::new("env");
    through
        .arg(format!("LD_PRELOAD={}", library(&gateway.root).display()))
        .arg(format!("CERCO_TEST_CLOCK={}", clock.display()));
    let (child, line) = spawn_through(through, &gateway.root);
    gateway.adopt(child, &line);
    let page = Page::sign_in(&gateway);
    let mut settings = page.get("/api/settings");
    settings["ask_seconds"] = 10.into();
    assert_eq!(page.send("PUT /api/settings", &settings).status, 200);
    let mut window = page.window();
    let mut agent = gateway.agent("Coder");
    let before = page.get("/api/state")["now"].as_i64().unwrap();
    let mut entries = vec![entry(&agent.run("allow echo first"))];

    // Ten years ahead while an ask is open: it stays open, and the answer counts.
    agent.send(json!({"verb": "run", "command": "ask git-push echo ahead"}));
    set(3650);
    let card = window.read_ask();
    let state = page.get("/api/state");
    let jumped = state["now"].as_i64().unwrap() - before;
    assert!(
        jumped > 3600 * DAY * 1000,
        "the clock did not jump: {jumped}"
    );
    assert!(state["asks"][0]["left_ms"].as_u64().unwrap() > 5_000);
    let once = json!({"answer": "allow_once"});
    let answer = page.answer(&window, card["id"].as_str().unwrap(), &once);
    assert_eq!(answer.json(), json!({"result": "settled"}));
    entries.push(entry(&agent.last()));
    // The retention setting believes no such jump.
    settings["retention_days"] = 30.into();
    assert_eq!(page.send("PUT /api/settings", &settings).status, 200);

    // Twenty years back: an ask still ends when its ten seconds have passed, not later.
    window.say(&json!({"type": "beat"}));
    agent.send(json!({"verb": "run", "command": "ask git-push echo back"}));
    let asked = Instant::now();
    set(-7300);
    for _ in 0..2 {
        std::thread::sleep(Duration::from_secs(4));
        window.say(&json!({"type": "beat"}));
    }
    let last = agent.last();
    assert_eq!(last["source"], "timeout", "{last}");
    assert!((9..14).contains(&asked.elapsed().as_secs()));
    entries.push(entry(&last));
    entries.push(entry(&agent.run("allow echo last")));
    assert_eq!(page.send("PUT /api/settings", &settings).status, 200);

    // The session holds, the order is that of the events, and a start with the right clock
    // finds all of it.
    set(0);
    assert_eq!(listed(&page), entries);
    drop((window, agent));
    gateway.kill();
    let again = Running::start_in(gateway.root.clone());
    assert_eq!(listed(&Page::sign_in(&again)), entries);
}

fn entry(reply: &Value) -> String {
    let entry = reply["entry"].as_str();
    entry.unwrap_or_else(|| panic!("{reply}")).to_owned()
}

/// The entries of the journal, oldest first.
fn listed(page: &Page) -> Vec<String> {
    let journal = page.get("/api/journal");
    let all = journal["entries"].as_array().unwrap().iter().rev();
    all.map(|entry| entry["id"].as_str().unwrap().to_owned())
        .collect()
}
