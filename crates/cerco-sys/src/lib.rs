//! The only home of `unsafe` and raw system calls.
//!
//! Every function is a safe wrapper that does one thing the kernel offers and says what
//! the kernel guarantees. Policy (what is allowed, what is hidden, how long it may run)
//! stands elsewhere: nothing here decides.
#![expect(
    unsafe_code,
    reason = "this crate exists so that no other one needs it"
)]

#[cfg(target_os = "linux")]
pub mod birth;
#[cfg(target_os = "linux")]
pub mod bpf;
#[cfg(target_os = "linux")]
pub mod channel;
#[cfg(target_os = "linux")]
pub mod child;
#[cfg(target_os = "linux")]
pub mod clock;
#[cfg(target_os = "linux")]
pub mod doors;
#[cfg(target_os = "linux")]
pub mod exit;
#[cfg(target_os = "linux")]
pub mod fds;
#[cfg(target_os = "linux")]
pub mod harden;
#[cfg(target_os = "linux")]
pub mod heap;
#[cfg(target_os = "linux")]
pub mod keeper;
#[cfg(target_os = "linux")]
pub mod landlock;
#[cfg(target_os = "linux")]
pub mod launch;
#[cfg(target_os = "linux")]
pub mod limits;
#[cfg(target_os = "linux")]
pub mod memory;
#[cfg(target_os = "linux")]
pub mod mounts;
#[cfg(target_os = "linux")]
pub mod notify;
#[cfg(target_os = "linux")]
pub mod peer;
#[cfg(target_os = "linux")]
pub mod poll;
#[cfg(target_os = "linux")]
pub mod processes;
#[cfg(target_os = "linux")]
pub mod remote;
#[cfg(target_os = "linux")]
pub mod signals;
pub mod tree;
