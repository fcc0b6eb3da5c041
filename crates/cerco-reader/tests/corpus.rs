//! The stored corpus of the readers' fuzz targets: what they once found stays found out.
#![allow(
    clippy::expect_used,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests fail by panicking"
)]

#[path = "../../../fuzz/src/place.rs"]
mod place;
#[path = "../../../fuzz/src/reading.rs"]
mod reading;
#[path = "../../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn the_stored_texts_are_read_as_they_must_be() {
    replay::replay("reader", reading::posix);
    replay::replay("powershell", reading::powershell);
    replay::replay("cmd", reading::cmd);
}
