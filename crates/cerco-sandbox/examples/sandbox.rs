//! `cerco sandbox` without the command line around it: folders from the environment, as
//! the containment cases name them. For tests and measurements of this crate alone.
#![expect(
    clippy::print_stderr,
    reason = "an example talks to the person who started it"
)]

#[path = "common/mod.rs"]
mod common;

use std::process::ExitCode;
use std::time::Duration;

use cerco_sandbox::{foreground, stage};

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
    let request = common::request();
    let command = common::command();
    let limit = common::limit().map(Duration::from_secs);
    let mut say = common::say;
    common::told(foreground(
        &request,
        &command,
        &common::environment(),
        limit,
        &mut say,
    ))
}
