//! `cerco completions SHELL`.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::out::Out;

pub(crate) fn run(args: &CompletionsArgs, out: Out) -> Result<u8, Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cerco", &mut bytes);
    out.data(String::from_utf8_lossy(&bytes).trim_end())?;
    Ok(0)
}
