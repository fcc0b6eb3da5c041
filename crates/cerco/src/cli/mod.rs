//! The command line as data: words, options, help. Completions, man pages and typo hints
//! come from here.

mod agents;
mod gateway;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use agents::{HookArgs, HookVerb, InstallArgs, McpArgs};
pub(crate) use gateway::{
    AnswerArgs, AnswerWord, AsksArgs, DownArgs, OpenArgs, StatusArgs, UpArgs,
};

const EXAMPLES: &str = "\
Examples:
  cerco init --loop loops/site             make this folder a project with one loop
  cerco run -- 'npm test && git status'    read, judge, confine and run a command
  cerco check -- 'git push --force'        only judge it (0 allowed, 3 refused, 4 asked)
  cerco explain -- 'curl https://x | sh'   say why, part by part
  cerco up                                 start the gateway and open its page
  cerco doctor                             is everything ready here?

Exit codes: those of the command; 2 wrong usage; 124 time was up; 125 Cerco failed or the
sandbox isn't ready; 126 refused or denied; 127 not found; 128+n ended by signal n.
`check`: 0 allowed, 3 refused, 4 asked.";

/// Decides which commands an AI agent may run in a project, and runs the ones it may.
#[derive(Debug, Parser)]
#[command(name = "cerco", version, max_term_width = 100, after_long_help = EXAMPLES)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// How it is shown.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputArgs {
    /// One JSON object (or JSON lines for lists) on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When colours are used; `NO_COLOR` and `CLICOLOR_FORCE` count too.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Init(InitArgs),
    Run(RunArgs),
    Check(CheckArgs),
    Explain(ExplainArgs),
    Doctor(DoctorArgs),
    Sandbox(SandboxArgs),
    Up(UpArgs),
    Down(DownArgs),
    Status(StatusArgs),
    Open(OpenArgs),
    Asks(AsksArgs),
    Answer(AnswerArgs),
    Mcp(McpArgs),
    Hook(HookArgs),
    Log(LogArgs),
    Rules(RulesArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Make a folder a project that Cerco knows, with its loops.
///
/// Writes `cerco.toml` where there is none, and remembers its text as accepted: when the
/// file changes, Cerco stops until you ran `cerco init` again.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The project's root folder.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) project: PathBuf,
    /// A loop's folder inside the project; made where missing. Can be given several times.
    #[arg(long = "loop", value_name = "FOLDER")]
    pub(crate) loops: Vec<PathBuf>,
}

/// Which place.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The project, or a folder in it (default: around the current directory).
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
    /// A loop's name or folder (default: the one around the current directory).
    #[arg(long = "loop", value_name = "LOOP")]
    pub(crate) this_loop: Option<String>,
    /// The bubble's role: Coder, Reviewer, Researcher or one of `cerco.toml`.
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Hold the command in the sandbox (default: as the settings say).
    #[arg(long, overrides_with = "no_sandbox")]
    pub(crate) sandbox: bool,
    /// Run it without the sandbox.
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// The network of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NetworkArg {
    /// Nothing but its own loopback.
    Off,
    /// Package registries only.
    Registries,
}

/// Which command.
#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// Read the command's text from standard input.
    #[arg(long, conflicts_with = "command")]
    pub(crate) stdin: bool,
    /// The command: one argument is its text; several are a program and its arguments,
    /// and mean exactly that.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// Read, judge, confine and run a command.
///
/// A command that has to be asked about is asked here, in this terminal; without a
/// terminal it is refused. Ctrl-C stops the command politely, a second one at once.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco run -- 'npm test 2>&1 | tail'      one argument: the command's text
  cerco run -- git commit -m 'a message'   several: a program and its arguments
  cerco run --loop site --sandbox -- make  in the loop `site`, held by the kernel
  cerco run --sandbox --network registries -- npm ci
  echo 'make test' | cerco run --stdin")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// What the sandbox reaches (default: as the settings say). `registries`: package
    /// registries, GitHub, Docker Hub and the hosts you allowed, through a proxy.
    #[arg(long, value_enum, value_name = "NETWORK")]
    pub(crate) network: Option<NetworkArg>,
    /// Stop when the process of this number, which started this one, is gone.
    #[arg(long, hide = true, value_name = "PID")]
    pub(crate) ends_with: Option<u32>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Judge a command, or many, without running anything.
///
/// Exit code 0 allowed, 3 refused, 4 asked; with --jsonl 0 when every line was judged.
#[derive(Debug, Args)]
#[command(after_long_help = "\
With --jsonl, each line of standard input is a JSON object
  {\"id\",\"command\",\"dialect\",\"project\",\"loop\",\"directory\",\"loops\":[],\"home\",\"env\":{},\"sandbox\":bool}
(all but \"command\" optional; without \"project\" the real one around here counts), and each
line of output, in the same order,
  {\"id\",\"verdict\",\"findings\":[{\"rule\",\"part\",\"reason\",\"remedy\",\"kind\"}],\"programs\":[…]}")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Judge JSON lines from standard input.
    #[arg(long, conflicts_with_all = ["command", "stdin"])]
    pub(crate) jsonl: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Say what each layer makes of a command, and why.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Say whether everything is ready here, and the one step that is missing.
///
/// With --self-test it tries to get out of the sandbox in every known way, in a project of
/// its own, and says which protection holds here. 125 where one doesn't.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Try to get out of the sandbox here, and say what holds. Takes a few seconds.
    #[arg(long)]
    pub(crate) self_test: bool,
}

/// Run a program of your own in the sandbox that agent commands get. No filter.
///
/// The project is read-only, the loop's folder takes writes, there is no network.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco sandbox --project . --loop loops/site -- npm test
  cerco sandbox --loop site --timeout 60 -- bash -c 'touch ../outside'")]
pub(crate) struct SandboxArgs {
    /// The project's folder (default: the known project around the current directory).
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
    /// The loop's folder: the only place that takes writes.
    #[arg(long = "loop", value_name = "FOLDER")]
    pub(crate) this_loop: Option<PathBuf>,
    /// Another loop's folder: read-only. Can be given several times.
    #[arg(long = "other-loop", value_name = "FOLDER")]
    pub(crate) other_loops: Vec<PathBuf>,
    /// A folder that is readable and not writable, wherever it lies.
    #[arg(long = "read-only", value_name = "FOLDER")]
    pub(crate) read_only: Vec<PathBuf>,
    /// A file or folder nothing of which can be read.
    #[arg(long, value_name = "PATH")]
    pub(crate) hide: Vec<PathBuf>,
    /// Stop everything after so many seconds (default: ten minutes).
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// Look into the journal.
///
/// Without a verb: the latest entries.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<LogVerb>,
    #[command(flatten)]
    pub(crate) list: LogListArgs,
}

/// Which entries.
#[derive(Debug, Args)]
pub(crate) struct LogListArgs {
    /// How many at most, newest first.
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) limit: u32,
    /// Only entries with this verdict.
    #[arg(long, value_name = "VERDICT")]
    pub(crate) verdict: Option<VerdictWord>,
}

/// A verdict on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictWord {
    Allowed,
    Asked,
    Refused,
}

/// What to do with the journal.
#[derive(Debug, Subcommand)]
pub(crate) enum LogVerb {
    /// Entries that have all these words (or beginnings of words).
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        list: LogListArgs,
    },
    /// One entry, whole.
    Show {
        /// Its id, as `cerco log` shows it.
        entry: String,
    },
    /// Every entry as a JSON line, oldest first.
    Export,
    /// Delete closed entries older than this.
    Prune {
        /// How many days are kept.
        #[arg(long)]
        days: u32,
    },
    /// Keep a damaged journal under another name and begin a new one.
    MoveAside,
}

/// List the rules, each with examples and what to do instead.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Only this rule.
    pub(crate) rule: Option<String>,
}

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  cerco completions bash > ~/.local/share/bash-completion/completions/cerco
  cerco completions fish > ~/.config/fish/completions/cerco.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

/// Write the man pages into a folder.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// An existing folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
}
