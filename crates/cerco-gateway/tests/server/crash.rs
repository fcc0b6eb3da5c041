//! kill -9 at random moments under load: nothing that was acknowledged is lost.

use std::collections::HashSet;
use std::time::Duration;

use cerco_gateway::journal::Journal;
use serde_json::json;

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
    let page = Page::sign_in(&gateway);
    gateway.agent("Coder");
    let on = json!({"on": true, "typed": "project", "window": "w1"});
    assert_eq!(
        page.send("PUT /api/boards/project/full-auto", &on).status,
        204
    );
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..kills() {
        let mut agents: Vec<_> = (0..3).map(|_| gateway.agent("Coder")).collect();
        let killer = {
            let pid = gateway.child.id();
            // Spread over the first 300 ms, without a source of chance.
            let after = Duration::from_millis(u64::from(round * 37 % 300));
            std::thread::spawn(move || {
                std::thread::sleep(after);
                std::process::Command::new("kill")
                    .args(["-9", &pid.to_string()])
                    .status()
                    .unwrap();
            })
        };
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
        let root = gateway.root.clone();
        let started = std::time::Instant::now();
        std::mem::forget(std::mem::replace(&mut gateway, Running::start_in(root)));
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{:?}",
            started.elapsed()
        );
        let page = Page::sign_in(&gateway);
        let state = page.get("/api/state");
        assert_eq!(state["boards"][0]["full_auto"]["on"], true, "round {round}");
        assert_eq!(state["boards"][0]["grants"], json!([]));
        for entry in &known {
            let kept = page.send(&format!("GET /api/entries/{entry}"), &json!(null));
            assert_eq!(kept.status, 200, "{entry} is lost in round {round}");
            // What was acknowledged as started is closed, or said to be interrupted.
            let run = kept.json()["run"]["state"].clone();
            assert!(run == "ended" || run == "interrupted", "{entry}: {run}");
        }
        acknowledged.extend(known);
    }
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
