//! The ways in for agents: hooks that a host program calls before it runs something
//! ([`hook`]), their installer ([`install`]), and the MCP server ([`mcp`]).
//!
//! This crate turns a host's JSON into a question and the answer back into JSON. What is
//! decided comes from outside, through [`hook::Judge`] and [`mcp::Backend`]. It must never
//! answer an ask, and never say "allow" when something failed: hosts fail open, so every
//! trouble ends in the form that the host is known to treat as a block.
#![forbid(unsafe_code)]

pub mod hook;
pub mod install;
pub mod mcp;
pub mod own;
pub mod presence;
pub mod trace;
