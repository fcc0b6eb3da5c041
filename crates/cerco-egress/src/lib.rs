//! The way out of the sandbox for package managers ("package registries only", SPEC §6).
//!
//! The sandbox has no interface but its own loopback, and no names are looked up in it.
//! Its first process opens a listening socket on that loopback and hands it out; this
//! proxy, outside, accepts on it. So nothing of the outside is visible inside: no socket
//! file, no relay process, nothing to kill or to replace.
//!
//! What it lets through: `CONNECT` to port 443 and plain `GET`/`HEAD` to port 80 of the
//! hosts that rule `address` allows ([`cerco_filter::is_known_host`], the one table of both),
//! after the name's address was looked up here, once, and found to be a public one. In a
//! tunnel the first bytes must be a TLS greeting for that very host: no ssh, no other
//! protocol, no other name.
//!
//! What it must never do: reach an address that is this computer's or its network's;
//! carry a request body or a second request in plain HTTP (there is nothing to smuggle
//! with then); read inside a tunnel. So it can't see a `Host` inside TLS that differs from
//! the greeting: who shares a content network with a registry could be reached by that
//! where the network allows it. SECURITY.md says so.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod answer;
#[cfg(target_os = "linux")]
mod authority;
#[cfg(target_os = "linux")]
mod connection;
#[cfg(target_os = "linux")]
mod greeting;
#[cfg(target_os = "linux")]
mod head;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod route;

#[cfg(target_os = "linux")]
pub use proxy::{Egress, Refused};
#[cfg(target_os = "linux")]
pub use route::{Internet, NoRoute, Route, is_public};
