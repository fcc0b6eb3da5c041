//! Nobody is left behind: whatever way a command goes into the background, when it ends,
//! when its time is up, and when Cerco itself is killed.
//!
//! `CERCO_TEST_ROUNDS=n` repeats each row n times (default: few).
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cerco_model::Ending;
use cerco_run::{Cancel, NoSink, Options, Sink, Stream, Times};
use support::{WAYS, alive, id, options, run_with, wait_until};

fn rounds() -> usize {
    std::env::var("CERCO_TEST_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1)
}

/// The row's text with a sleeper in it, and the word by which the sleeper is found.
fn text(way: &str, then: &str) -> (String, String) {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let word = format!("{}.{}", 100_000 + std::process::id(), n + 1);
    let way = way.replace('@', &format!("sleep {word}"));
    (format!("{way}\nsleep 0.2\n{then}"), word)
}

#[test]
fn after_a_normal_end() {
    for _ in 0..rounds() {
        for (name, way) in WAYS {
            let (text, word) = text(way, "echo end");
            let outcome = run_with(&text, &options(), &mut NoSink);
            assert_eq!(outcome.ending, Ending::Exit(0), "{name}: {outcome:?}");
            assert_eq!(alive(&word), 0, "{name}");
            assert!(outcome.stopped >= 1, "{name}: {outcome:?}");
        }
    }
}

#[test]
fn after_its_time_is_up() {
    let with = Options {
        times: Times {
            quick: Duration::from_millis(400),
            ..Times::default()
        },
        ..options()
    };
    for _ in 0..rounds() {
        for (name, way) in WAYS {
            let (text, word) = text(way, "sleep 300");
            let outcome = run_with(&text, &with, &mut NoSink);
            assert_eq!(outcome.ending, Ending::TimedOut, "{name}: {outcome:?}");
            assert_eq!(alive(&word), 0, "{name}");
        }
    }
}

/// Says when the command has said something.
struct Said(bool);

impl Sink for Said {
    fn output(&mut self, _: Stream, _: &[u8]) {
        if !std::mem::replace(&mut self.0, true) {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), b"command runs\n");
        }
    }
}

/// Not a test: what stands for Cerco in the tests below, which start this program again
/// with a command in its environment and kill it.
#[test]
fn stand_in_for_cerco() {
    let Ok(text) = std::env::var("STAND_IN_RUNS") else {
        return;
    };
    let cleared = support::cleared_as(&id(), &text, cerco_model::TimeClass::Quick);
    cerco_run::run_bare(cleared, &options(), &Cancel::default(), &mut Said(false));
}

fn cerco_runs(text: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stand_in_for_cerco", "--nocapture"])
        .env("STAND_IN_RUNS", text)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_until_it_runs(cerco: &mut Child) {
    let stderr = BufReader::new(cerco.stderr.take().unwrap());
    assert!(
        stderr
            .lines()
            .map_while(Result::ok)
            .any(|line| line.contains("command runs"))
    );
}

#[test]
fn after_cerco_is_killed() {
    for _ in 0..rounds() {
        for (name, way) in WAYS {
            let (text, word) = text(way, "echo up; sleep 300");
            let mut cerco = cerco_runs(&text);
            wait_until_it_runs(&mut cerco);
            wait_until(&word, |n| n >= 1);
            cerco.kill().unwrap();
            let killed = Instant::now();
            cerco.wait().unwrap();
            wait_until(&word, |n| n == 0);
            assert!(
                killed.elapsed() < support::at_most(Duration::from_secs(3)),
                "{name}"
            );
        }
    }
}

#[test]
fn after_cerco_is_killed_at_any_moment_of_a_start() {
    for round in 0..50 * rounds() {
        let (text, word) = text("setsid -f @; @ &", "sleep 300");
        let mut cerco = cerco_runs(&text);
        // Around the time in which the keeper and the shell come up.
        std::thread::sleep(Duration::from_micros(500 * (round as u64 % 50)));
        cerco.kill().unwrap();
        cerco.wait().unwrap();
        std::thread::sleep(Duration::from_millis(30));
        wait_until(&word, |n| n == 0);
    }
}

#[test]
fn a_pkill_that_matches_the_command_spares_the_keeper() {
    // A command that Cerco's keeper must not show in its arguments; ended from outside.
    let (text, word) = text("setsid -f @", "echo up; sleep 300; echo");
    let mut cerco = cerco_runs(&text);
    wait_until_it_runs(&mut cerco);
    let pattern = format!("sleep {word}");
    // Everything that shows the text: the command's shell and the sleeper.
    Command::new("pkill")
        .args(["-TERM", "-f", &pattern])
        .status()
        .unwrap();
    wait_until(&word, |n| n == 0);
    cerco.wait().unwrap();
}

#[test]
fn when_the_keeper_itself_is_killed() {
    for signal in ["-KILL", "-STOP"] {
        let with = Options {
            times: Times {
                quick: Duration::from_millis(500),
                ..Times::default()
            },
            ..options()
        };
        // `$PPID` of the command's shell is the keeper.
        let (text, word) = text(
            "setsid -f @; @ &",
            &format!("kill {signal} $PPID; sleep 300"),
        );
        let start = Instant::now();
        let outcome = run_with(&text, &with, &mut NoSink);
        assert_eq!(outcome.ending, Ending::Failed, "{signal}");
        assert!(outcome.failure.unwrap().contains("was ended by somebody"));
        wait_until(&word, |n| n == 0);
        assert!(start.elapsed() < support::at_most(Duration::from_secs(20)));
    }
}

/// Processes that do nothing but start their successor and end: each look at everybody
/// finds other numbers.
#[test]
fn those_who_hop_from_process_to_process_are_caught() {
    let with = Options {
        times: Times {
            quick: Duration::from_millis(700),
            ..Times::default()
        },
        ..options()
    };
    for round in 0..3 * rounds() {
        let word = format!("hop{}x{round}", std::process::id());
        let hop = format!(
            r#"perl -e 'use POSIX; POSIX::setsid(); $SIG{{TERM}}="IGNORE"; for (;;) {{ fork and POSIX::_exit(0) }}' {word}"#
        );
        let text = format!("{hop} & {hop} & {hop} & sleep 300");
        let outcome = run_with(&text, &with, &mut NoSink);
        assert_eq!(outcome.ending, Ending::TimedOut);
        assert_eq!(outcome.failure, None);
        assert_eq!(alive(&word), 0);
    }
}
