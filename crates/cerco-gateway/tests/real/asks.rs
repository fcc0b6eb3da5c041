//! Two hundred bubbles ask at once, with the real filter and runner: each gets its own
//! answer, within bounds of time and memory.
//!
//! A window may allow one ask in 300 ms (a faster one is taken for a script), so several
//! windows share the work. That is the limit: 200 allowed in one window take a minute.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use cerco_gateway::client::AgentClient;
use cerco_gateway::wire::{AgentVerb, DecisionSource, Reply};
use serde_json::{Value, json};

use crate::http::{Page, Window};
use crate::support::{Ground, Running, connect, run_verb};

const BUBBLES: usize = 200;
const WINDOWS: usize = 8;
/// A little more than the reading time and the gap between two answers.
const READ: Duration = Duration::from_millis(500);
const GAP: Duration = Duration::from_millis(320);

/// What an agent saw of its one command.
struct Seen {
    shown_after: Duration,
    ended: Instant,
    reply: Reply,
}

pub(crate) fn check() {
    let ground = Ground::new("asks");
    let folder = ground.project().join("a");
    for number in 0..BUBBLES {
        std::fs::write(folder.join(format!("f{number}")), "x").unwrap();
    }
    let gateway = Running::start(ground.root(), None);
    let page = Page::with_code(gateway.port, &gateway.code).unwrap();
    let mut windows: Vec<Window> = (0..WINDOWS).map(|_| page.window()).collect();
    let start = Arc::new(Barrier::new(BUBBLES));
    let agents: Vec<_> = (0..BUBBLES)
        .map(|number| {
            let mut client = connect(ground.root()).unwrap().unwrap();
            let start = Arc::clone(&start);
            std::thread::spawn(move || {
                start.wait();
                asks(&mut client, number)
            })
        })
        .collect();
    let cards = all_asked(&page, &mut windows);
    let at_once = gateway.memory_kb("VmRSS:");
    let mut checks = std::thread::scope(|scope| {
        let checking = scope.spawn(|| check_times(ground.root()));
        while !checking.is_finished() {
            live_on(&mut windows);
        }
        checking.join().unwrap()
    });

    let answered = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for (turn, window) in windows.iter_mut().enumerate() {
            let mine: Vec<&Value> = cards.iter().skip(turn).step_by(WINDOWS).collect();
            let (page, answered) = (&page, &answered);
            scope.spawn(move || answers(page, window, &mine, answered));
        }
    });
    let seen: Vec<Seen> = agents.into_iter().map(|a| a.join().unwrap()).collect();
    let answered = answered.into_inner().unwrap();
    for (number, seen) in seen.iter().enumerate() {
        assert_own_answer(
            number,
            &seen.reply,
            folder.join(format!("f{number}")).exists(),
        );
    }
    let mut shown: Vec<Duration> = seen.iter().map(|s| s.shown_after).collect();
    let mut after: Vec<Duration> = seen
        .iter()
        .enumerate()
        .map(|(number, s)| s.ended.saturating_duration_since(answered[&number]))
        .collect();
    let peak = gateway.memory_kb("VmHWM:");
    println!(
        "{BUBBLES} bubbles: asked {}; answered to ended {}; checks meanwhile {}; resident {at_once} kB with all open, {peak} kB at most",
        spread(&mut shown),
        spread(&mut after),
        spread(&mut checks),
    );
    assert!(peak < 80 * 1024, "{peak} kB");
    // A debug build on a machine that does other things too.
    assert!(shown[BUBBLES - 1] < Duration::from_secs(30), "{shown:?}");
}

/// Asks to delete a file of its own.
fn asks(client: &mut AgentClient, number: usize) -> Seen {
    let started = Instant::now();
    let mut shown_after = None;
    let hear = &mut |reply: &Reply| {
        if matches!(reply, Reply::Waiting { .. }) {
            shown_after = Some(started.elapsed());
        }
    };
    let verb = run_verb(&format!("rm f{number}"));
    let reply = client.run(verb, hear, &mut |_, _| {}).unwrap();
    Seen {
        shown_after: shown_after.unwrap_or_else(|| panic!("{number} was not asked: {reply:?}")),
        ended: Instant::now(),
        reply,
    }
}

/// Waits until every bubble's ask is open, as its windows live on.
fn all_asked(page: &Page, windows: &mut [Window]) -> Vec<Value> {
    let started = Instant::now();
    loop {
        live_on(windows);
        let asks = page.get("/api/state")["asks"].as_array().unwrap().clone();
        if asks.len() == BUBBLES {
            return asks;
        }
        assert!(
            started.elapsed() < Duration::from_mins(1),
            "{} of {BUBBLES} ask",
            asks.len()
        );
    }
}

/// A window that is silent for 15 s counts as closed.
fn live_on(windows: &mut [Window]) {
    for window in windows {
        window.say(&json!({"type": "beat"}));
        drain(window, Duration::from_millis(20));
    }
}

/// Takes in what a window is told for so long.
fn drain(window: &mut Window, time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        let left = left.max(Duration::from_millis(1));
        window
            .socket
            .get_mut()
            .set_read_timeout(Some(left))
            .unwrap();
        // Nothing came, or something did: either is passed over.
        let _ = window.socket.read();
    }
}

/// The number that stands in the command.
fn number(card: &Value) -> usize {
    let text = card["text"].as_str().unwrap();
    text.strip_prefix("rm f").unwrap().parse().unwrap()
}

/// Every second one is allowed; the others are denied with a note of their own.
fn answers(
    page: &Page,
    window: &mut Window,
    cards: &[&Value],
    answered: &Mutex<HashMap<usize, Instant>>,
) {
    let ids: Vec<&Value> = cards.iter().map(|card| &card["id"]).collect();
    window.say(&json!({"type": "shown", "asks": ids}));
    drain(window, READ);
    for card in cards {
        let number = number(card);
        let body = if number.is_multiple_of(2) {
            drain(window, GAP);
            window.say(&json!({"type": "beat"}));
            json!({"answer": "allow_once"})
        } else {
            json!({"answer": "deny", "note": format!("not f{number}")})
        };
        answered.lock().unwrap().insert(number, Instant::now());
        let answer = page.answer(window, card["id"].as_str().unwrap(), &body);
        assert_eq!(
            answer.json(),
            json!({"result": "settled"}),
            "{number}: {answer:?}"
        );
    }
}

fn assert_own_answer(number: usize, reply: &Reply, is_there: bool) {
    match reply {
        Reply::Ended {
            exit_code, facts, ..
        } if number.is_multiple_of(2) => {
            assert_eq!(*exit_code, 0, "{number}");
            assert_eq!(facts.source, DecisionSource::UserTemporary, "{number}");
            assert!(!is_there, "{number}: allowed, and not done");
        }
        Reply::Refused { source, note, .. } if !number.is_multiple_of(2) => {
            assert_eq!(*source, DecisionSource::UserReject, "{number}");
            assert_eq!(note.as_deref(), Some(format!("not f{number}").as_str()));
            assert!(is_there, "{number}: denied, and done");
        }
        other => panic!("{number}: {other:?}"),
    }
}

/// Other agents' checks while all of them wait.
fn check_times(root: &Path) -> Vec<Duration> {
    let mut client = connect(root).unwrap().unwrap();
    let check = |number| {
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
    (0..300).map(check).collect()
}

fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("median {:?}, p99 {:?}", at(50), at(99))
}
