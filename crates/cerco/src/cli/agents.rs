//! The verbs that agents' hosts use.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PlaceArgs;

/// Serve one bubble's tools over MCP, on standard input and output.
///
/// For an agent's host to start. The role decides which tools there are; commands go the
/// way of `cerco run`, file tools stay in the loop's folder.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Example (Claude Code):
  claude mcp add cerco -- cerco mcp --project /path/to/project --loop site --role Coder")]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Judge what a host is about to run; install the hook that asks us.
///
/// Without a verb: reads the host's JSON from standard input and answers in its form. Any
/// trouble ends with exit code 2, which every host takes for a block.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco hook claude install                 in this project, for you alone
  cerco hook codex install --user           in your home, for all projects
  cerco hook gemini --rewrite install       commands run as `cerco run`
  cerco hook claude status")]
pub(crate) struct HookArgs {
    /// claude, codex, gemini, cursor, copilot or vscode.
    pub(crate) host: String,
    /// The role of the host's bubble (default: Coder).
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Make each command that may run a `cerco run`, so that time limit, environment and
    /// sandbox hold it, too.
    #[arg(long)]
    pub(crate) rewrite: bool,
    /// Let the host ask the person, where it can (not Codex, not Gemini CLI).
    #[arg(long)]
    pub(crate) host_asks: bool,
    #[command(subcommand)]
    pub(crate) verb: Option<HookVerb>,
}

/// What to do with a host's settings.
#[derive(Debug, Subcommand)]
pub(crate) enum HookVerb {
    /// Put our entry in, in place of an older one. What isn't ours stays as it is.
    Install(InstallArgs),
    /// Say whether our entry is there.
    Status(InstallArgs),
    /// Take our entry out.
    Uninstall(InstallArgs),
}

/// In which settings.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The project's folder (default: the current directory).
    #[arg(long, value_name = "FOLDER", conflicts_with = "user")]
    pub(crate) project: Option<PathBuf>,
    /// In your home, for all projects.
    #[arg(long)]
    pub(crate) user: bool,
    /// This settings file.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Only show the entry (with `install`).
    #[arg(long)]
    pub(crate) print: bool,
}
