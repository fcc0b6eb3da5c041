//! Commands that must not be refused are never doubted: a doubt alone would refuse them.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod common;

use cerco_model::Dialect;
use common::{read_text, usual_place};

/// Where the question is open, `also` lists what else is right.
fn may_be_refused(case: &serde_json::Value) -> bool {
    let also = case["also"].as_array();
    also.is_some_and(|list| list.iter().any(|v| v == "refuse"))
}

#[test]
fn no_case_that_may_run_is_doubted() {
    let path = format!("{}/../../cases/filter.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    let mut doubted = Vec::new();
    for line in std::fs::read_to_string(path).expect("the cases").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        if case["dialect"] != "posix" || case["expect"] == "refuse" || may_be_refused(&case) {
            continue;
        }
        count += 1;
        let command = case["command"].as_str().expect("a command");
        let reading = read_text(command, Dialect::Bash, &usual_place());
        if !reading.doubts.is_empty() || !reading.endless_loops.is_empty() {
            doubted.push(format!(
                "{command:?}: {:?} {:?}",
                reading.doubts, reading.endless_loops
            ));
        }
    }
    assert!(count > 200, "only {count} cases");
    assert!(doubted.is_empty(), "{}", doubted.join("\n"));
}
