//! The built binary, from outside: exit codes, what goes to which stream, bad input.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod person;
mod run;
mod sandbox;
mod says;
mod support;
