//! The gateway as a whole, over its real doors: a real process on the other end, a real
//! journal, and a scripted engine in place of filter and runner.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod agents;
mod attacks;
mod boards;
mod changes;
mod clock;
mod crash;
mod engine;
mod export;
mod http;
mod load;
mod network;
mod output;
mod page;
mod speaking;
mod storage;
mod support;
mod windows;
