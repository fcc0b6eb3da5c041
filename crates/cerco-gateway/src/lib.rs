//! The long-running process that holds boards, asks, grants, journal and terminals, and
//! serves the page; and the library that the command line shares with it: journal,
//! project files, settings.
//!
//! It contains no rules, and trusts neither an address nor a missing `Origin`.
#![forbid(unsafe_code)]

pub mod blocks;
pub mod changing;
pub mod clean;
pub mod client;
pub mod docker;
pub mod doors;
pub mod engine;
pub mod file_calls;
pub mod folders;
pub mod hub;
pub mod journal;
pub mod judging;
pub mod project;
mod prose;
pub mod quoting;
pub mod scene;
pub mod scratch;
mod secrets;
pub mod self_test;
pub mod server;
pub mod settings;
pub mod start;
pub mod terminals;
pub mod toml_file;
pub mod wire;
pub mod words;
