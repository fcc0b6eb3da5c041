//! The sandbox with single protections off, named in `MUT` by commas; for the containment
//! suite. Folders come from the environment, as in the example `sandbox`. What is proved
//! inside is off too, unless `proofs` is among the names.
#![expect(
    clippy::print_stderr,
    reason = "an example talks to the person who started it"
)]

#[path = "common/mod.rs"]
mod common;
#[path = "common/mutations.rs"]
mod mutations;

use std::process::ExitCode;
use std::time::Duration;

use cerco_sandbox::{Sandbox, foreground_in, stage};

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
    let names = std::env::var("MUT").unwrap_or_default();
    let switches = match mutations::named(&names) {
        Ok(switches) => switches,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let request = common::request();
    let sandbox = match Sandbox::find(&request.project, None) {
        Ok(sandbox) => sandbox.with(switches),
        Err(why) => return common::refused(&why),
    };
    let command = common::command();
    let limit = common::limit().map(Duration::from_secs);
    let mut say = common::say;
    common::told(foreground_in(
        &sandbox,
        &request,
        &command,
        &common::environment(),
        limit,
        &mut say,
    ))
}
