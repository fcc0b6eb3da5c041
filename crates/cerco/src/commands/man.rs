//! `cerco man FOLDER`: a page for the program and one for each verb.

use clap::CommandFactory;

use crate::cli::{Cli, ManArgs};
use crate::failure::Failure;
use crate::out::{Out, shown};

pub(crate) fn run(args: &ManArgs, out: Out) -> Result<u8, Failure> {
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(|error| {
        Failure::own(format!(
            "no man pages can be written into {}: {error}; name a folder you can write to",
            args.folder.display()
        ))
    })?;
    out.say(format_args!(
        "man pages written into {}",
        shown(args.folder.display())
    ));
    Ok(0)
}
