//! `cerco`: the command line. It parses, calls the crates that do the work, prints, and
//! chooses the exit code; it never holds logic that deserves a unit test.
#![forbid(unsafe_code)]

mod ask;
mod cli;
mod commands;
mod failure;
mod inside;
mod judged;
mod kept;
mod out;
mod remote;
mod report;
mod text;
mod through;
mod window;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Verb};
use failure::Failure;
use out::{Out, shown};

fn main() -> ExitCode {
    if let Some(code) = own_stages() {
        return code;
    }
    let cli = Cli::parse();
    let out = Out::new(cli.output);
    match carry_out(cli.verb, out) {
        Ok(code) => ExitCode::from(code),
        Err(Failure { code, what }) => {
            if let Some(what) = what {
                tell(out, code, &what);
            }
            ExitCode::from(code)
        }
    }
}

/// This binary is also the first process inside the sandbox and the keeper of a run.
#[cfg(target_os = "linux")]
fn own_stages() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    if first == cerco_run::KeeperProgram::WORD {
        return Some(cerco_run::keeper_main());
    }
    cerco_sandbox::stage::enter(cerco_run::hold_own_starts)
}

#[cfg(not(target_os = "linux"))]
fn own_stages() -> Option<ExitCode> {
    None
}

fn carry_out(verb: Verb, out: Out) -> Result<u8, Failure> {
    match verb {
        Verb::Init(args) => commands::init::run(&args, out),
        Verb::Run(args) => commands::run::run(&args, out),
        Verb::Check(args) => commands::check::run(&args, out),
        Verb::Explain(args) => commands::explain::run(&args, out),
        Verb::Doctor(args) if args.self_test => commands::self_test::run(out),
        Verb::Doctor(_) => commands::doctor::run(out),
        Verb::Sandbox(args) => commands::sandbox::run(&args, out),
        Verb::Up(args) => commands::up::run(&args, out),
        Verb::Down(_) => commands::gateway::down(out),
        Verb::Status(_) => commands::gateway::status(out),
        Verb::Open(args) => commands::gateway::open(&args, out),
        Verb::Asks(args) => commands::asks::list(&args, out),
        Verb::Answer(args) => commands::asks::answer(&args, out),
        Verb::Mcp(args) => commands::mcp::run(&args.place),
        Verb::Hook(args) => commands::hook::run(&args, out),
        Verb::Log(args) => commands::log::run(&args, out),
        Verb::Rules(args) => commands::rules::run(&args, out),
        Verb::Completions(args) => commands::completions::run(&args, out),
        Verb::Man(args) => commands::man::run(&args, out),
    }
}

/// An error is for someone: the words, and with --json an object in the data's place.
fn tell(out: Out, code: u8, what: &str) {
    if out.json {
        let value = serde_json::json!({
            "schema_version": report::SCHEMA_VERSION,
            "error": { "exit_code": code, "message": what },
        });
        // Standard output may be what failed; the words below still come.
        let _ = out.json(&value);
    }
    for line in what.lines() {
        out.say(format_args!("cerco: {}", shown(line)));
    }
}
