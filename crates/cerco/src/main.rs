//! `cerco`: the command line. It parses, calls the crates that do the work, prints, and
//! chooses the exit code; it never holds logic that deserves a unit test.
#![forbid(unsafe_code)]

use clap::Parser;

/// Decides which commands an AI agent may run in a project, and runs the ones it may.
#[derive(Parser)]
#[command(name = "cerco", version)]
struct Cli {}

fn main() {
    let Cli {} = Cli::parse();
}
