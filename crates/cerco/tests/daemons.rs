//! Commands that go into the background in every known way, half of them with Cerco killed
//! in the middle: nobody is left three seconds later. With the sandbox and without it, as
//! the current user and, where that is root, as the ordinary user `CERCO_TEST_USER`
//! (`cerco-test`) too.
//!
//! `CERCO_DAEMONS=1000` starts so many for each user and each of the two; without it each
//! way is gone once with an end of its own and once with Cerco killed.
#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

#[path = "cases/daemons.rs"]
mod cases;

use std::os::unix::fs::MetadataExt;
use std::process::Command;

use cases::{Ground, Person, WAYS};

fn count() -> usize {
    let given = std::env::var("CERCO_DAEMONS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(2 * WAYS.len())
}

fn people() -> Vec<Person> {
    let uid = std::fs::metadata("/proc/self").unwrap().uid();
    let mut all = vec![Person {
        uid,
        is_other: false,
    }];
    if uid == 0 {
        let name = std::env::var("CERCO_TEST_USER").unwrap_or_else(|_| "cerco-test".to_owned());
        let id = Command::new("id").args(["-u", &name]).output().unwrap();
        let uid = String::from_utf8_lossy(&id.stdout).trim().parse();
        let uid = uid.expect("no ordinary user: run scripts/test-setup.sh first");
        all.push(Person {
            uid,
            is_other: true,
        });
    }
    all
}

fn nobody_is_left(sandbox: &str) {
    for person in people() {
        let ground = Ground::new(&person);
        let seen = ground.bring_up(sandbox, count());
        println!("{sandbox} as user {}: {seen}", person.uid);
        assert!(
            seen.survived.is_empty(),
            "{seen}\n{}",
            seen.survived.join("\n")
        );
        // Else nothing was tried.
        assert!(seen.begun * 10 > seen.started * 8, "{seen}");
    }
}

#[test]
fn in_the_sandbox() {
    nobody_is_left("--sandbox");
}

#[test]
fn without_it() {
    nobody_is_left("--no-sandbox");
}
