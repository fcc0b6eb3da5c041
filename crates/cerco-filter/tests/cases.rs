//! The worked cases of `cases/`: each command is judged as it says.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise, and says what it saw"
)]

mod common;

use common::{Case, cases, check};

/// Runs every case of `file` for which `wanted` holds; all must be right.
fn all_right(file: &str, wanted: impl Fn(&Case) -> bool) {
    let cases: Vec<Case> = cases(file).into_iter().filter(wanted).collect();
    assert!(
        !cases.is_empty(),
        "{file} has no such case: the check would pass on nothing"
    );
    let wrong: Vec<String> = cases.iter().filter_map(check).collect();
    println!(
        "{file}: {} of {} right",
        cases.len() - wrong.len(),
        cases.len()
    );
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn posix() {
    all_right("filter.jsonl", |case| case.dialect == "posix");
}

#[test]
fn how_agents_really_work() {
    all_right("filter-more.jsonl", |case| case.dialect == "posix");
}

#[test]
fn ways_around_and_their_harmless_twins() {
    all_right("filter-probes.jsonl", |case| case.dialect == "posix");
}

#[test]
fn many_ecosystems_and_ways_around() {
    all_right("filter-wide.jsonl", |case| case.dialect == "posix");
}

#[test]
fn what_a_blind_judge_found() {
    all_right("filter-blind.jsonl", |case| case.dialect == "posix");
}

#[test]
fn what_was_written_afresh() {
    all_right("filter-fresh.jsonl", |case| case.dialect == "posix");
}

#[test]
fn what_nobody_had_seen() {
    all_right("filter-unseen.jsonl", |case| case.dialect == "posix");
}

#[test]
fn what_nobody_had_seen_the_second_time() {
    all_right("filter-second.jsonl", |case| case.dialect == "posix");
}
