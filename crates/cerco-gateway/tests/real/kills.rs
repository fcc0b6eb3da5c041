//! kill -9 at random moments under load: nothing acknowledged is lost, nothing is left, and
//! it comes up again at once, with Full Auto as it was.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::time::{Duration, Instant};

use cerco_gateway::hub::store::{Saved, SavedBoard, Store};
use cerco_gateway::journal::{EntryId, Journal};
use cerco_gateway::wire::{DecisionSource, Reply};

use crate::support::{Ground, connect, ending, run, run_verb, start};

/// How often; `CERCO_KILLS=200` is the full run.
fn kills() -> u64 {
    let given = std::env::var("CERCO_KILLS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(6)
}

/// The slowest of each, over all rounds.
#[derive(Debug, Default)]
struct Figures {
    up: Duration,
    empty: Duration,
    acknowledged: usize,
}

/// Full Auto is on before the first start, as an earlier gateway left it. No window is ever
/// open, so a command that is asked about runs by Full Auto or not at all.
pub(crate) fn check() {
    let ground = Ground::new("kills");
    let root = ground.root();
    std::fs::create_dir_all(root.join("state")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(root.join("state"), mode).unwrap();
    let board = SavedBoard {
        id: "project".to_owned(),
        root: root.join("project"),
        full_auto: Some((1, 0)),
        loops: Vec::new(),
        bubbles: Vec::new(),
    };
    let saved = Saved {
        boards: vec![board],
    };
    Store::open(&root.join("state"))
        .and_then(|store| store.save(&saved))
        .unwrap();
    // A name of its own for the program, so that what is left of it is told from other tests.
    let program = root.join("program");
    let own = std::env::current_exe().unwrap();
    if std::fs::hard_link(&own, &program).is_err() {
        std::fs::copy(&own, &program).unwrap();
    }
    let mut figures = Figures::default();
    let mut ups = Vec::new();
    let mut all = HashSet::new();
    for round in 0..kills() {
        let started = Instant::now();
        let mut child = start(root, &program);
        ups.push(started.elapsed());
        figures.up = figures.up.max(started.elapsed());
        assert_kept(root, &all, round);
        assert_full_auto(root, round);
        let chance = RandomState::new().build_hasher().finish();
        let moment = Duration::from_micros(chance % 300_000);
        let known: Vec<String> = std::thread::scope(|scope| {
            let agents = ["./linger.sh", "true", "seq 1 20000", "./busy.sh"];
            let agents = agents.map(|command| scope.spawn(move || until_it_dies(root, command)));
            std::thread::sleep(moment);
            child.kill().unwrap();
            child.wait().unwrap();
            let emptied = empties(root, round);
            figures.empty = figures.empty.max(emptied);
            agents.map(|a| a.join().unwrap()).concat()
        });
        all.extend(known);
    }
    figures.acknowledged = all.len();
    let mut child = start(root, &program);
    assert_kept(root, &all, kills());
    child.kill().unwrap();
    child.wait().unwrap();
    println!("{} kills: {figures:?}", kills());
    assert!(!all.is_empty(), "nothing ran: nothing was tried");
    // Under a second where the machine does nothing else; here other tests run beside it.
    ups.sort();
    let median = ups[ups.len() / 2];
    println!("up again: median {median:?}");
    assert!(median < Duration::from_secs(2), "{median:?}");
    assert!(figures.up < Duration::from_secs(20), "{figures:?}");
}

/// Runs the command again and again, and gives the entries that were acknowledged.
fn until_it_dies(root: &Path, command: &str) -> Vec<String> {
    let mut known = Vec::new();
    // The gateway may be gone before it said welcome.
    let Ok(Some(mut client)) = connect(root) else {
        return known;
    };
    let mut go_on = true;
    while go_on {
        let hear = &mut |reply: &Reply| {
            if let Reply::Started { entry } = reply {
                known.push(entry.0.clone());
            }
        };
        go_on = client.run(run_verb(command), hear, &mut |_, _| {}).is_ok();
    }
    known
}

/// What was acknowledged is there, and closed by the gateway that came up since.
fn assert_kept(root: &Path, acknowledged: &HashSet<String>, round: u64) {
    // Time 0: opened like this it closes nothing itself that has a process.
    let journal = Journal::open(&root.join("state"), 0).unwrap();
    for id in acknowledged {
        let id: EntryId = id.parse().unwrap();
        let entry = journal.entry(id).unwrap();
        let entry = entry.unwrap_or_else(|| panic!("round {round}: {id} is lost"));
        assert!(entry.closing.is_some(), "round {round}: {id} is open");
    }
}

fn assert_full_auto(root: &Path, round: u64) {
    let mut client = connect(root).unwrap().unwrap();
    let (reply, _) = run(&mut client, "git commit -m x");
    ending(&reply);
    match reply {
        Reply::Ended { facts, .. } => {
            assert_eq!(facts.source, DecisionSource::FullAuto, "round {round}");
        }
        other => panic!("round {round}: {other:?}"),
    }
}

/// Waits until nothing is left, and says how long that took. Anything left ends the test.
#[expect(
    clippy::exit,
    reason = "what is left may hold the agents' connections open, and they would be waited for"
)]
fn empties(root: &Path, round: u64) -> Duration {
    let killed = Instant::now();
    while let Some(left) = left(root) {
        if killed.elapsed() > Duration::from_secs(10) {
            eprintln!("round {round}: {left}");
            std::process::exit(1);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.elapsed()
}

/// A process of ours that is still there: a gateway, a keeper, or a command in our folders.
fn left(root: &Path) -> Option<String> {
    let me = std::process::id();
    let all = cerco_sys::peer::processes().unwrap();
    let living = all.iter().filter(|p| !p.ended && p.id.pid != me);
    living.map(|p| p.id.pid).find_map(|pid| {
        let link = |name: &str| std::fs::read_link(format!("/proc/{pid}/{name}")).ok();
        let ours = ["exe", "cwd"]
            .iter()
            .any(|name| link(name).is_some_and(|path| path.starts_with(root)));
        let started = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        ours.then(|| format!("{pid} is left: {}", String::from_utf8_lossy(&started)))
    })
}
