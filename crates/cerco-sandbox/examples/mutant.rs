//! The sandbox with single protections off, named in `MUT` by commas; for the containment
//! suite. Folders come from the environment, as in the example `sandbox`. What is proved
//! inside is off too, unless `proofs` is among the names.
#![expect(
    clippy::print_stderr,
    reason = "an example talks to the person who started it"
)]

#[path = "common/mod.rs"]
mod common;

use std::process::ExitCode;
use std::time::Duration;

use cerco_sandbox::{Flag, Protection, Sandbox, Switches, Why, foreground_in, stage};

/// Names of mutations and what each switches off.
const MUTATIONS: &[(&str, &[Protection])] = &[
    ("no-holdback", &[Protection::HoldBack]),
    ("no-net", &[Protection::Flag(Flag::Network)]),
    ("no-pid", &[Protection::Flag(Flag::Processes)]),
    ("no-ipc", &[Protection::Flag(Flag::Ipc)]),
    ("no-newsession", &[Protection::Flag(Flag::NewSession)]),
    ("no-diewithparent", &[Protection::Flag(Flag::DieWithParent)]),
    ("no-disableuserns", &[Protection::Flag(Flag::NoMoreUsers)]),
    ("no-seccomp", &[Protection::Filter]),
    ("no-limits", &[Protection::Limits]),
    ("no-stdin", &[Protection::EmptyInput]),
    ("no-private", &[Protection::PrivateMounts]),
    ("no-pins", &[Protection::Mounts(Why::Pin)]),
    (
        "no-git",
        &[Protection::Mounts(Why::Git), Protection::Mounts(Why::Pin)],
    ),
    (
        "no-project",
        &[
            Protection::Mounts(Why::Project),
            Protection::Mounts(Why::Root),
        ],
    ),
    ("no-protected", &[Protection::Mounts(Why::Protected)]),
    ("no-secrets", &[Protection::Mounts(Why::Hidden)]),
    ("no-sockmask", &[Protection::Mounts(Why::Socket)]),
    (
        "no-hide",
        &[
            Protection::Mounts(Why::Shared),
            Protection::Mounts(Why::Home),
            Protection::Mounts(Why::Credentials),
            Protection::Mounts(Why::RootOnly),
        ],
    ),
    ("no-proc", &[Protection::Mounts(Why::Processes)]),
];

fn main() -> ExitCode {
    if let Some(code) = stage::enter(|_| Err(std::io::ErrorKind::Unsupported.into())) {
        return code;
    }
    let names = std::env::var("MUT").unwrap_or_default();
    let mut off = vec![Protection::Proofs];
    for name in names.split(',') {
        if name == "proofs" {
            off.retain(|protection| *protection != Protection::Proofs);
            continue;
        }
        let Some((_, protections)) = MUTATIONS.iter().find(|(known, _)| *known == name) else {
            eprintln!("no mutation {name}");
            return ExitCode::from(2);
        };
        off.extend(*protections);
    }
    let request = common::request();
    let sandbox = match Sandbox::find(&request.project, None) {
        Ok(sandbox) => sandbox.with(Switches { off }),
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
