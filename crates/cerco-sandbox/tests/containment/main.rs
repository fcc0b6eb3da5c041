//! The containment suite: every attempt of `cases/escapes.jsonl` is really made, and what
//! it must not have done is looked for afterwards.
//!
//! Attempts are made as the current user, and, where that is root, also as an ordinary
//! user (`cerco-test`, made by the test set-up, or the one that `CERCO_TEST_USER` names).
//! `CERCO` names a built `cerco` to drive through its `sandbox` command; without it this
//! crate's own example is driven.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may stop at the first surprise, and says what it did"
)]

mod attempt;
mod case;
mod ground;
#[cfg(feature = "mutations")]
mod mutations;
mod person;
mod self_test;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use attempt::Outcome;
use case::Case;
use person::Person;

/// Attempts at a time: they mostly wait.
const AT_A_TIME: usize = 3;

/// Cases whose check counts processes of the whole machine, which others start and end as
/// well: made again where it went wrong. Were they not contained, each time would show it.
const COUNT_THE_MACHINE: &[&str] = &["lm-001", "lm-014"];
const TIMES: usize = 4;

/// Cases that take all the machine has for a while. Each is made when nothing else is, or
/// those beside it would miss the times that they check.
const HEAVY: &[&str] = &[
    "lm-001", "lm-002", "lm-006", "lm-014", "lm-019", "gp-03", "kn-14", "rt-09", "rt-10", "rt-22",
    "rt-23", "rt-49", "rt-50", "rt-51", "rt-52", "rt-54",
];

/// Some cases look whether somebody changed a priority, starting from the usual one; this
/// suite may have been started with another.
fn usual_priority() {
    use rustix::process::{getpriority_process, setpriority_process};
    if getpriority_process(None).unwrap() != 0 {
        setpriority_process(None, 0).expect("start the suite without `nice`");
    }
}

/// Makes every attempt of a category as everybody it can be made as.
fn check(category: &str) {
    usual_priority();
    let cases = case::all();
    let mut jobs = Vec::new();
    for person in Person::all() {
        for case in cases.iter().filter(|case| case.category == category) {
            if person.can_try(case) {
                jobs.push((case, person.clone()));
            }
        }
    }
    let chosen = std::env::var_os("CERCO_ATTEMPTS").or_else(|| std::env::var_os("CERCO_CASES"));
    assert!(
        chosen.is_some() || !jobs.is_empty(),
        "no attempt in category {category}"
    );
    let (heavy, jobs): (Vec<_>, Vec<_>) = jobs
        .into_iter()
        .partition(|(case, _)| HEAVY.contains(&case.id.as_str()));
    let wrong = Mutex::new(Vec::new());
    let note = |case: &Case, person: &Person| {
        if let Some(why) = tried(case, person) {
            let line = format!("{} as {}: {}\n  {why}", case.id, person.name, case.why);
            wrong.lock().unwrap().push(line);
        }
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((case, person)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    note(case, person);
                }
            });
        }
    });
    for (case, person) in &heavy {
        note(case, person);
    }
    let made = jobs.len() + heavy.len();
    let wrong = wrong.into_inner().unwrap();
    eprintln!("{category}: {made} attempts made");
    assert!(
        wrong.is_empty(),
        "{} of {made}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What went wrong, where something did each time.
fn tried(case: &Case, person: &Person) -> Option<String> {
    let times = if COUNT_THE_MACHINE.contains(&case.id.as_str()) {
        TIMES
    } else {
        1
    };
    let mut why = None;
    for _ in 0..times {
        let outcome = attempt::make(case, person, &attempt::launcher(), "");
        why = escaped(case, &outcome);
        if why.is_none() {
            break;
        }
    }
    why
}

/// What went wrong, where something did. An attempt that mounts can't stop must at least
/// have been told to the person.
fn escaped(case: &Case, outcome: &Outcome) -> Option<String> {
    let said = outcome.stderr.trim();
    if case.refuse && outcome.code != 125 {
        return Some(format!("it was started (exit {}): {said}", outcome.code));
    }
    let is_told = |what| said.contains(what);
    let was_left = is_told("cerco: it left ") || is_told("second name");
    // The kernel drops a cover at once, and what was under it is open until the command is
    // stopped: the loops of these cases read once in a tenth of a second.
    let was_stopped = is_told("made anew") && is_told("the command was stopped");
    let reported = case.known_limit && (was_left || was_stopped);
    if outcome.is_contained || reported {
        return None;
    }
    Some(format!("exit {}: {said}", outcome.code))
}

#[test]
fn nothing_is_written_outside_the_loops_folder() {
    check("fs-write");
}

#[test]
fn secrets_can_not_be_read() {
    check("read");
}

#[test]
fn processes_outside_are_out_of_reach() {
    check("process");
}

#[test]
fn doors_of_the_kernel_are_shut() {
    check("kernel");
}

#[test]
fn there_is_no_network() {
    check("network");
}

#[test]
fn the_terminal_is_out_of_reach() {
    check("tty");
}

#[test]
fn limits_hold_and_nothing_survives() {
    check("limits");
}

#[test]
fn git_outside_runs_nothing_from_inside() {
    check("git");
}

#[test]
fn ordinary_jobs_work() {
    check("works");
}
