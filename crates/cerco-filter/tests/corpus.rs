//! The stored corpus of the filter's fuzz target: what it once found stays found out.
#![allow(
    clippy::expect_used,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail by panicking"
)]

#[path = "../../../fuzz/src/judging.rs"]
mod judging;
#[path = "../../../fuzz/src/place.rs"]
mod place;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn the_stored_texts_are_judged_as_they_must_be() {
    replay::replay("filter", judging::judged);
}
