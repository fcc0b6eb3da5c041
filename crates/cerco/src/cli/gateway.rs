//! The verbs about the gateway.

use clap::{Args, ValueEnum};

/// Start the gateway: the page, and one place where all agents' asks come together.
///
/// It stays until `cerco down`, also when the terminal is closed. Its page listens on
/// 127.0.0.1 only. The link that it prints signs one browser in, once, within a minute.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco up                    in the background; opens the page
  cerco up --foreground       stay here until Ctrl-C
  cerco up --port 4000 --no-browser")]
pub(crate) struct UpArgs {
    /// The page's port (default: a free one).
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    /// Stay in this terminal until Ctrl-C.
    #[arg(long)]
    pub(crate) foreground: bool,
    /// Only print the link.
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// What `cerco up` starts.
    #[arg(long, hide = true, requires = "foreground")]
    pub(crate) detached: bool,
}

/// End the gateway: every run is stopped, every ask is closed.
#[derive(Debug, Args)]
pub(crate) struct DownArgs {}

/// Say whether a gateway is up, and what it has to do. Exit code 1 where none is.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

/// Open the gateway's page, with a new link that signs one browser in.
///
/// The link is for a person at a terminal: not for a command that Cerco runs, nor for a
/// host's shell.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Only print the link.
    #[arg(long)]
    pub(crate) no_browser: bool,
}

/// List what waits for an answer, oldest first.
///
/// With --wait this terminal is a window: it stays, shows each ask as it comes, and takes
/// the answer.
#[derive(Debug, Args)]
pub(crate) struct AsksArgs {
    /// Stay and answer each ask as it comes, until Ctrl-C.
    #[arg(long, conflicts_with = "json")]
    pub(crate) wait: bool,
}

/// Answer an ask. "Allow always this session" is given on the page only.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco answer 12 once
  cerco answer 12 deny --note 'push to a branch instead'")]
pub(crate) struct AnswerArgs {
    /// The ask's number, as `cerco asks` shows it.
    #[arg(value_name = "ASK")]
    pub(crate) ask: String,
    /// The answer.
    #[arg(value_name = "ANSWER")]
    pub(crate) answer: AnswerWord,
    /// Words for the agent, with `deny`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// An answer on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerWord {
    Once,
    Deny,
}
