//! The third layer: the kernel holds a command to its loop's folder, without network.
//!
//! A [`Request`] names the folders; [`survey()`] finds out what they really are (the only
//! part that looks at the machine before a run); [`Plan::new`] turns the facts into mounts
//! in order, each with its reason; [`Sandbox::prepare`] makes a bubblewrap of it, and
//! [`stage::enter`] is what runs first inside and proves that all of it holds.
//!
//! What this crate must never do: start a command without the sandbox, install anything,
//! or decide whether a command may run.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod facts;
#[cfg(target_os = "linux")]
mod fifos;
#[cfg(target_os = "linux")]
mod foreground;
#[cfg(target_os = "linux")]
mod git_config;
#[cfg(target_os = "linux")]
pub mod group;
#[cfg(target_os = "linux")]
mod home;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod left_behind;
#[cfg(target_os = "linux")]
mod look;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod planned;
pub mod readiness;
mod refusal;
#[cfg(target_os = "linux")]
mod repository;
mod request;
#[cfg(target_os = "linux")]
mod second_names;
#[cfg(target_os = "linux")]
pub mod self_test;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
pub mod stage;
#[cfg(target_os = "linux")]
mod startable;
#[cfg(target_os = "linux")]
mod step;
#[cfg(target_os = "linux")]
mod survey;
#[cfg(target_os = "linux")]
mod switches;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod walk;
#[cfg(target_os = "linux")]
pub mod watch;
#[cfg(target_os = "linux")]
mod ways;

#[cfg(target_os = "linux")]
pub use bubblewrap::{Bubblewrap, Features, Flag, NotFound, Unusable};
#[cfg(target_os = "linux")]
pub use facts::{Facts, Found, Identity, Kind, Opened};
#[cfg(target_os = "linux")]
pub use foreground::{Finished, foreground, foreground_in};
#[cfg(target_os = "linux")]
pub use launch::{Job, Prepared, Sandbox, Start, Started, Status};
#[cfg(target_os = "linux")]
pub use look::stand_in::StandIn;
#[cfg(target_os = "linux")]
pub use plan::{Expected, MAX_COVERS, Plan, Proof};
#[cfg(target_os = "linux")]
pub use planned::Planned;
pub use refusal::Refusal;
pub use request::{Limits, Network, PROXY_PORT, Request};
#[cfg(target_os = "linux")]
pub use startable::Planted;
#[cfg(target_os = "linux")]
pub use step::{Mount, Step, Why};
#[cfg(target_os = "linux")]
pub use survey::{Survey, survey};
#[cfg(target_os = "linux")]
pub use switches::Protection;
#[cfg(all(target_os = "linux", feature = "mutations"))]
pub use switches::Switches;
