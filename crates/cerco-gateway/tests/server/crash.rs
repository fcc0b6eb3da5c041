//! kill -9 at random moments under load: nothing that was acknowledged is lost, everything a
//! person set is as it was, and no grant outlives the gateway.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cerco_gateway::journal::Journal;
use serde_json::{Value, json};

use crate::http::Page;
use crate::support::Running;

/// How often; `CERCO_KILLS=200` is the full run.
fn kills() -> u32 {
    std::env::var("CERCO_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6)
}

#[test]
fn nothing_acknowledged_is_lost() {
    let mut gateway = Running::start();
    let mut page = Page::sign_in(&gateway);
    let other = set_up(&gateway, &page);
    let mut acknowledged: Vec<String> = Vec::new();
    let mut slowest = Duration::ZERO;
    for round in 0..kills() {
        grant(&gateway, &page, &other);
        assert_eq!(page.get("/api/state")["boards"][1]["grants"][0]["used"], 0);
        let known = until_killed(&mut gateway);
        let root = gateway.root.clone();
        let started = Instant::now();
        // The folders stay: only the process is gone.
        std::mem::forget(std::mem::replace(&mut gateway, Running::start_in(root)));
        slowest = slowest.max(started.elapsed());
        page = Page::sign_in(&gateway);
        assert_all_as_before(&page.get("/api/state"), round);
        // What was granted is asked about again, and nobody is there to answer.
        let mut agent = agent_of(&gateway, &other);
        let reply = agent.run("ask git-commit true");
        assert_eq!(reply["source"], "no_window", "round {round}");
        for entry in &known {
            let kept = page.send(&format!("GET /api/entries/{entry}"), &json!(null));
            assert_eq!(kept.status, 200, "{entry} is lost in round {round}");
            // What was acknowledged as started is closed, or said to be interrupted.
            let run = kept.json()["run"]["state"].clone();
            assert!(run == "ended" || run == "interrupted", "{entry}: {run}");
        }
        acknowledged.extend(known);
    }
    println!(
        "{} kills: {} acknowledged, slowest start {slowest:?}",
        kills(),
        acknowledged.len()
    );
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    // And what an earlier round acknowledged is still there after all the later ones.
    let journal = Journal::open(&gateway.root.join("state"), 0).unwrap();
    let mut kept = HashSet::new();
    let all = journal.export(|entry| -> Result<(), ()> {
        kept.insert(entry.id.to_string());
        Ok(())
    });
    assert_eq!(all.unwrap(), Ok(()));
    let lost: Vec<_> = acknowledged.iter().filter(|e| !kept.contains(*e)).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert!(!acknowledged.is_empty(), "nothing ran: nothing was tried");
}

/// A board with Full Auto, a loop and a bubble made by a person, settings, and a second
/// board, where there is something to grant.
fn set_up(gateway: &Running, page: &Page) -> PathBuf {
    let other = gateway.root.join("other");
    for folder in [&other, &gateway.project().join("c")] {
        std::fs::create_dir(folder).unwrap();
    }
    let mut known = cerco_gateway::project::Known::load(&gateway.root.join("config")).unwrap();
    known.accept(other.clone(), String::new()).unwrap();
    let done = |first: &str, body: &Value| {
        let answer = page.send(first, body);
        assert!(matches!(answer.status, 200 | 204), "{first}: {answer:?}");
        answer.json()
    };
    for project in [gateway.project(), other.clone()] {
        done("POST /api/boards", &json!({ "project": project }));
    }
    let made = json!({"name": "made", "folder": "c"});
    let made = done("POST /api/boards/project/loops", &made);
    let bubble = json!({"name": "mine", "tools": {"custom": ["read_files"]}});
    let path = format!("POST /api/loops/{}/bubbles", made.as_str().unwrap());
    done(&path, &bubble);
    let mut settings = page.get("/api/settings");
    settings["ask_seconds"] = json!(77);
    done("PUT /api/settings", &settings);
    let network = json!({"network": "registries_only"});
    done("PUT /api/boards/project/network", &network);
    let hide = json!({"hide_secrets": true});
    done("PUT /api/boards/project/hide-secrets", &hide);
    let on = json!({"on": true, "typed": "project", "window": "w1"});
    done("PUT /api/boards/project/full-auto", &on);
    other
}

fn agent_of(gateway: &Running, project: &PathBuf) -> crate::support::Agent {
    gateway.agent_as(&json!({"role": "Coder", "project": project, "loop_folder": "."}))
}

fn grant(gateway: &Running, page: &Page, project: &PathBuf) {
    let mut window = page.window();
    let mut agent = agent_of(gateway, project);
    agent.send(json!({"verb": "run", "command": "ask git-commit true"}));
    let card = window.read_ask();
    let always = json!({"answer": "allow_always", "kinds": ["git-commit"]});
    let answer = page.answer(&window, card["id"].as_str().unwrap(), &always);
    assert_eq!(answer.json(), json!({"result": "settled"}));
    assert_eq!(agent.last()["exit_code"], 0);
}

/// Three agents run commands until it is killed; gives the entries that were acknowledged.
fn until_killed(gateway: &mut Running) -> Vec<String> {
    let mut agents: Vec<_> = (0..3).map(|_| gateway.agent("Coder")).collect();
    let pid = gateway.child.id().to_string();
    let chance = RandomState::new().build_hasher().finish();
    let after = Duration::from_micros(chance % 300_000);
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        let kill = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status();
        assert!(kill.unwrap().success());
    });
    let known = std::thread::scope(|scope| {
        let all: Vec<_> = agents
            .iter_mut()
            .map(|agent| {
                scope.spawn(move || {
                    let mut entries = Vec::new();
                    while let Some(entry) = agent.try_run("ask git-push true") {
                        entries.push(entry);
                    }
                    entries
                })
            })
            .collect();
        all.into_iter()
            .flat_map(|a| a.join().unwrap())
            .collect::<Vec<_>>()
    });
    killer.join().unwrap();
    gateway.child.wait().unwrap();
    known
}

fn assert_all_as_before(state: &Value, round: u32) {
    let boards = state["boards"].as_array().unwrap();
    let names: Vec<_> = boards.iter().map(|b| &b["name"]).collect();
    assert_eq!(names, ["project", "other"], "round {round}");
    let [first, second] = [&boards[0], &boards[1]];
    assert_eq!(first["full_auto"]["on"], true, "round {round}");
    assert_eq!(second["full_auto"]["on"], false, "round {round}");
    for board in boards {
        assert_eq!(board["grants"], json!([]), "round {round}");
    }
    let loops = first["loops"].as_array().unwrap();
    let loops: Vec<_> = loops.iter().map(|l| &l["name"]).collect();
    assert_eq!(loops, ["a", "b", "made"], "round {round}");
    let bubble = &first["loops"][2]["bubbles"][0];
    assert_eq!(bubble["name"], "mine", "round {round}");
    assert_eq!(
        bubble["role"]["tools"],
        json!(["read_files"]),
        "round {round}"
    );
    assert_eq!(first["network"], "registries_only", "round {round}");
    assert_eq!(first["hide_secrets"], true, "round {round}");
    assert_eq!(state["settings"]["ask_seconds"], 77, "round {round}");
    assert_eq!(state["asks"], json!([]), "round {round}");
}
