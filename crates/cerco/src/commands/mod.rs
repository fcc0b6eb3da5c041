//! One file a verb.

pub(crate) mod asks;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod gateway;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod self_test;
mod story;
pub(crate) mod up;
