//! Bad input: a clear error with a next step, at once.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "cases/bad_input.rs"]
mod cases;

use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn bad_input_is_a_clear_error_at_once() {
    let ground = cases::Ground::new(Path::new(env!("CARGO_BIN_EXE_cerco")));
    for case in ground.cases() {
        let began = Instant::now();
        let done = ground.cerco(&case.args, &case.input);
        let took = began.elapsed();
        let said = String::from_utf8_lossy(&done.stderr);
        let name = case.name;
        assert_eq!(done.status.code(), Some(case.code), "{name}: {said}");
        assert!(said.contains(case.says), "{name}: {said}");
        // The promise is 100 ms for the product (`make bench`); this is a debug build on a
        // busy machine.
        assert!(took < Duration::from_secs(3), "{name} took {took:?}");
    }
}
