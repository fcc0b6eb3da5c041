//! Runs one cleared command: environment, shell, clock, output, guard, and nobody left
//! behind.
//!
//! What runs is what was judged: the text, the directory and the whole environment come
//! out of the [`Cleared`](cerco_model::Cleared), and nothing is added. Between Cerco and
//! the command stands a small process, the [keeper](keeper_main), which holds the clock
//! and the process tree; when Cerco is killed, it ends the tree.
//!
//! What this crate must never do: decide, or take a text that nobody cleared.
//!
//! Commands run on Linux only so far. [`environment()`] and [`Shell`] are the same
//! everywhere; `run_bare` and `run_sandboxed` do not exist on other systems, so that a
//! caller learns it from the compiler.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod attend;
mod capture;
mod credentials;
#[cfg(target_os = "linux")]
mod egress;
mod environment;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod job;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod options;
mod plain;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod settle;
mod shell;
mod sink;
#[cfg(target_os = "linux")]
mod started;
mod streams;
#[cfg(target_os = "linux")]
mod what;

pub use capture::Spill;
#[cfg(target_os = "linux")]
pub use cerco_egress::{Egress, Internet, NoRoute, Route};
#[cfg(target_os = "linux")]
pub use cerco_sys::notify::hold_own_starts;
pub use environment::{Environment, ForRun, MARK, Network, environment};
#[cfg(target_os = "linux")]
pub use guard::{
    Judge, Memory, NoGuard, RealStart, Rules, StartRefusal, Starter, probe as probe_guard,
    probe_remembered as probe_guard_remembered,
};
#[cfg(target_os = "linux")]
pub use keeper::keeper_main;
#[cfg(target_os = "linux")]
pub use launch::KeeperProgram;
#[cfg(target_os = "linux")]
pub use options::{Entry, Options, Times};
#[cfg(target_os = "linux")]
pub use run::{Confined, Ready, run_bare, run_sandboxed};
pub use shell::Shell;
pub use sink::{Cancel, NoSink, Sink, Stream};
