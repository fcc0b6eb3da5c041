//! Names that mean something to the shell itself: those it gives a value, and those whose
//! value it acts on.

use cerco_model::{Dialect, Part};

use super::Eval;
use super::variables::scalar;
use crate::posix::state::Var;
use crate::{Programs, Text};

/// Names that the shell gives a value of its own.
const OWN_BASH: [&str; 38] = [
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_LINENO",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COPROC",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "LINENO",
    "MACHTYPE",
    "OPTIND",
    "OSTYPE",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "OPTERR",
];

/// Names whose text the shell expands by itself.
const PROMPTS: [&str; 4] = ["PROMPT_COMMAND", "PS0", "PS1", "PS4"];

/// Names that, once set, change what later words mean or which file a name starts.
const STEERING: [&str; 6] = [
    "BASH_ALIASES",
    "BASH_CMDS",
    "BASH_COMPAT",
    "EXECIGNORE",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
];

/// Names of the shell's own that bash works out what they are given, as `declare -i` does.
const NUMBERS: [&str; 4] = ["HISTCMD", "OPTIND", "RANDOM", "SRANDOM"];

/// Whether the shell gives `name` a value by itself.
pub(super) fn is_own(name: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Sh => matches!(name, "OPTIND" | "PPID" | "LINENO"),
        Dialect::Bash | Dialect::PowerShell | Dialect::Cmd => OWN_BASH.contains(&name),
    }
}

impl<P: Programs> Eval<'_, P> {
    /// What the shell does with the value that `name` is about to get.
    pub(super) fn told(&mut self, name: &str, var: &Var) {
        if PROMPTS.contains(&name) {
            for text in var.alts.iter().cloned().filter_map(scalar) {
                self.no_prompt(name, &text, self.at.unwrap_or_default());
            }
        }
        if self.armed && self.dialect != Dialect::Sh && NUMBERS.contains(&name) {
            for text in var.alts.iter().cloned().filter_map(scalar) {
                self.text_as_number(&text, self.at.unwrap_or_default());
            }
        }
        if self.dialect != Dialect::Sh && STEERING.contains(&name) {
            let part = self.at.unwrap_or_default();
            self.doubt(
                part,
                "this variable changes how the shell reads what follows",
            );
        }
    }

    /// A prompt's text is expanded when it is shown, `PS4` by `set -x`.
    pub(super) fn no_prompt(&mut self, name: &str, text: &Text, part: Part) {
        let why = "the shell runs what its prompt says";
        if PROMPTS.contains(&name)
            && text.known().is_none_or(|t| t.contains(['$', '`', '\\']))
            && !self.out.doubts.iter().any(|doubt| doubt.reason == why)
        {
            self.doubt(part, why);
        }
    }
}
