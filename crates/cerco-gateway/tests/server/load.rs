//! Many at once, within bounds. Figures are printed; the bounds here leave room for a slow
//! machine that does other things too.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::Page;
use crate::support::Running;

#[test]
fn two_hundred_bubbles_ask_at_once() {
    let gateway = Running::start();
    let page = Page::sign_in(&gateway);
    let window = page.window();
    let mut agents: Vec<_> = (0..200).map(|_| gateway.agent("Coder")).collect();
    for agent in &mut agents {
        agent.send(json!({"verb": "run", "command": "ask git-push true"}));
    }
    crate::support::until("200 asks are open", || {
        page.get("/api/state")["asks"].as_array().unwrap().len() == 200
    });
    let status = std::fs::read_to_string(format!("/proc/{}/status", gateway.child.id())).unwrap();
    let resident: u64 = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .and_then(|l| l.split_whitespace().next()?.parse().ok())
        .unwrap();
    println!("resident memory with 200 open asks: {resident} kB");
    assert!(resident < 80 * 1024, "{resident} kB");
    let asks = page.get("/api/state")["asks"].clone();
    let loop_id = asks[0]["loop_id"].as_str().unwrap();
    let deny = page.send(
        &format!("POST /api/loops/{loop_id}/deny-all"),
        &json!({"window": window.id}),
    );
    assert_eq!(deny.json(), 200);
    for agent in &mut agents {
        assert_eq!(agent.last()["source"], "user_reject");
    }
}

#[test]
fn checks_come_back_quickly() {
    let gateway = Running::start();
    let count = 2000;
    let times = std::thread::scope(|scope| {
        let all: Vec<_> = (0..2)
            .map(|_| {
                let mut agent = gateway.agent("Coder");
                scope.spawn(move || {
                    let mut times = Vec::with_capacity(count);
                    for number in 0..count {
                        let started = Instant::now();
                        let command = format!("ask git-push {number}");
                        let judged = agent.ask(json!({"verb": "check", "command": command}));
                        assert_eq!(judged["reply"], "judged");
                        times.push(started.elapsed());
                    }
                    times
                })
            })
            .collect();
        all.into_iter()
            .flat_map(|a| a.join().unwrap())
            .collect::<Vec<_>>()
    });
    let mut times = times;
    times.sort();
    let total: Duration = times.iter().sum();
    let p99 = times[times.len() * 99 / 100];
    println!(
        "{} checks, mean {:?}, p99 {p99:?}",
        times.len(),
        total / u32::try_from(times.len()).unwrap()
    );
    assert!(p99 < Duration::from_millis(50), "{p99:?}");
}
