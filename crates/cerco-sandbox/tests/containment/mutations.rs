//! Every attempt is seen to succeed where its protection is off: a check that can't fail
//! would prove nothing. Built with feature `mutations` only.

use crate::attempt::{self, make, make_with};
use crate::case::{self, Case};
use crate::person::Person;

/// Protections that can't be switched off in this crate: the launcher's descriptors and
/// links are looked after where nothing chooses, the environment is the caller's. What
/// they stop is tried without any sandbox instead.
const NOT_A_SWITCH: &[&str] = &["no-closefds", "no-linkcheck", "no-envscrub"];

/// What went wrong: attempts that did NOT succeed with a protection off.
fn check(is_wanted: impl Fn(&Case) -> bool) {
    let person = Person::all().into_iter().find(|person| person.uid != 0);
    let person = person.unwrap_or_else(|| panic!("no ordinary user to try as"));
    let mutant = attempt::example("mutant");
    let (mut tried, mut held) = (0, Vec::new());
    for case in case::all()
        .iter()
        .filter(|c| is_wanted(c) && person.can_try(c))
    {
        for mutation in case.needs.iter().filter(|m| is_switch(m)) {
            tried += 1;
            let outcome = make(case, &person, &mutant, mutation);
            if outcome.is_contained {
                let line = format!("{} with {mutation}: {}", case.id, outcome.stderr.trim());
                held.push(line);
            }
        }
    }
    eprintln!("{tried} attempts made with a protection off");
    assert!(tried > 0);
    assert!(held.is_empty(), "{} held:\n{}", held.len(), held.join("\n"));
}

fn is_switch(mutation: &str) -> bool {
    mutation
        .split(',')
        .all(|name| !NOT_A_SWITCH.contains(&name))
}

#[test]
fn kernel_attempts_succeed_without_the_filter() {
    check(|case| case.category == "kernel");
}

#[test]
fn network_attempts_succeed_without_its_namespace() {
    check(|case| case.category == "network");
}

#[test]
fn the_other_attempts_succeed_without_their_protection() {
    check(|case| !matches!(case.category.as_str(), "kernel" | "network"));
}

/// Attempts whose success without a sandbox was seen when they were written, and is again.
#[test]
fn attempts_succeed_without_a_sandbox() {
    let person = Person::all()
        .into_iter()
        .find(|person| person.uid != 0)
        .unwrap();
    let (mut tried, mut held) = (0, Vec::new());
    for case in case::all() {
        let unswitchable = case.needs.iter().any(|m| !is_switch(m));
        let meant = unswitchable || matches!(case.category.as_str(), "fs-write" | "read" | "git");
        let skipped = case.bare.starts_with("skip") || case.refuse || case.known_limit;
        if !meant || skipped || !case.proved || !person.can_try(&case) {
            continue;
        }
        tried += 1;
        let text = if case.bare.is_empty() {
            &case.attempt
        } else {
            &case.bare
        };
        let outcome = make_with(&case, &person, &attempt::bare(), "", text);
        if outcome.is_contained {
            held.push(format!("{}: {}", case.id, outcome.stderr.trim()));
        }
    }
    eprintln!("{tried} attempts made without a sandbox");
    assert!(tried > 20);
    assert!(held.is_empty(), "{} held:\n{}", held.len(), held.join("\n"));
}

/// The second belt: with a mount, a flag or the filter missing, the inner stage itself
/// refuses to start the command.
#[test]
fn what_is_missing_is_noticed_inside() {
    let person = Person::all().remove(0);
    let works = case::all()
        .into_iter()
        .find(|case| case.id == "wk-001")
        .unwrap();
    for mutation in [
        "no-net",
        "no-seccomp",
        "no-secrets",
        "no-project",
        "no-protected",
        "no-git",
    ] {
        let case = Case {
            setup: "git init -q $LOOP".to_owned(),
            ..works.clone()
        };
        let name = format!("{mutation},proofs");
        let outcome = make(&case, &person, &attempt::example("mutant"), &name);
        assert_eq!(outcome.code, 125, "{mutation}: {}", outcome.stderr);
    }
}

/// Where mounts can't be made private (a system that lets only bubblewrap make namespaces)
/// they are watched: a disk that arrives while a command runs ends it.
#[test]
fn a_late_mount_ends_what_could_write_to_it() {
    let root = Person::all().into_iter().find(|person| person.uid == 0);
    let root = root.unwrap_or_else(|| panic!("only root can mount: run this as root"));
    let case = case::all().into_iter().find(|case| case.id == "fs-051");
    let outcome = make(
        &case.unwrap(),
        &root,
        &attempt::example("mutant"),
        "no-private",
    );
    assert!(outcome.is_contained, "{}", outcome.stderr);
    assert!(
        outcome
            .stderr
            .contains("something was mounted on this computer"),
        "exit {}: {}",
        outcome.code,
        outcome.stderr
    );
}
