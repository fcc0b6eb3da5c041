//! Rule `shell-state`: anything that changes the shell itself, or a variable that steers which
//! code runs. Builtins are in the program table; here are variables and functions.

use cerco_model::{Part, Rule, Verdict};
use cerco_reader::{Function, Piece, Text};

use super::{About, Findings};
use crate::table::program;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::ShellState,
    verdict: Verdict::Refused,
    sentence: "Anything that changes the shell itself, or a variable that steers which code runs.",
    reason: "`{}` changes the shell itself, so that what follows no longer means what it says",
    instead: "write the commands out; set variables that only carry values",
    matches: &[
        "eval \"npm test\"",
        "export PATH=./bin:$PATH",
        "alias npm=x",
        "LD_PRELOAD=./x.so ls",
        "git() { ls; }; git status",
    ],
    not: &[
        "export NODE_ENV=test",
        "set -e",
        "f() { npm test; }; f",
        "NODE_OPTIONS=--max-old-space-size=4096 npm test",
    ],
};

/// Variables that steer which code runs.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "FPATH",
    "ZDOTDIR",
    "CDPATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_EXTERNAL_DIFF",
    "GIT_EXEC_PATH",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "VISUAL",
    "FCEDIT",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSKEY",
    "BROWSER",
    "SHELL",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH_PREFIX",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "RUSTC",
    "RUSTDOC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_LINKER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "MAKEFILES",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "TERMINFO",
    "TERMCAP",
    "MANOPT",
    "GROFF_COMMAND_PREFIX",
    "TAR_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "R_PROFILE",
    "R_ENVIRON",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "KUBECONFIG",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "BASH_FUNC",
    "SUDO_ASKPASS",
    "INPUTRC",
    "HISTFILE",
    "AWKPATH",
    "AWKLIBPATH",
    "GVIMINIT",
    "VIMINIT",
    "EXINIT",
    "SCREENRC",
    "TMUX_TMPDIR",
    "WGETRC",
    "CURL_HOME",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_NODE_OPTIONS",
    "NPM_CONFIG_GIT",
    "NPM_CONFIG_EDITOR",
    "NPM_CONFIG_SHELL",
    "GOTOOLDIR",
    "COREPACK_NPM_REGISTRY",
];

/// Beginnings of such names.
const STEERING_START: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_CONFIG",
    "BASH_FUNC_",
    "PYTEST_PLUGINS",
    "CORECLR_",
];
/// Values that start nothing.
const HARMLESS: &[&str] = &[
    "",
    "cat",
    "true",
    ":",
    "/bin/true",
    "/bin/cat",
    "/usr/bin/true",
    "/usr/bin/cat",
];

/// An assignment, wherever it stands; `reads` says that it is in front of `read`.
pub(crate) fn judge_variable(
    name: &str,
    value: &Text,
    part: Part,
    reads: bool,
    out: &mut Findings,
) {
    if is_steering(name, value, reads) {
        out.refuse(
            Rule::ShellState,
            part,
            format!("the variable {name} steers which code runs"),
            Some(ABOUT.instead.into()),
        );
    }
}

/// A value that nobody knows.
pub(crate) fn unknown() -> Text {
    Text::Partly(Box::new([Piece::Unknown]))
}

fn is_steering(name: &str, value: &Text, reads: bool) -> bool {
    let upper = name.to_ascii_uppercase();
    let name = if upper.starts_with("NPM_CONFIG_") {
        upper.as_str()
    } else {
        name
    };
    let known = value.known();
    let harmless = known.is_some_and(|v| HARMLESS.contains(&v));
    match name {
        // `IFS=, read -r a b` splits one line and nothing else.
        "IFS" => !reads,
        "HISTFILE" | "SHELL" | "KUBECONFIG" => !harmless && known != Some("/dev/null"),
        "NODE_OPTIONS" => loads_code(
            value,
            &[
                "--require",
                "-r",
                "--import",
                "--loader",
                "--experimental-loader",
                "--inspect",
                "--eval",
                "-e",
                "--env-file",
                "--openssl-config",
            ],
        ),
        "MAKEFLAGS" | "GNUMAKEFLAGS" | "MFLAGS" => loads_code(
            value,
            &["--eval", "SHELL", "-f", "-C", "--file", "--directory", "-I"],
        ),
        "GOFLAGS" => loads_code(
            value,
            &[
                "-toolexec",
                "--toolexec",
                "-exec",
                "--exec",
                "-overlay",
                "--overlay",
            ],
        ),
        "RUSTFLAGS" | "RUSTDOCFLAGS" | "CARGO_ENCODED_RUSTFLAGS" => {
            known.is_none_or(|v| v.contains("linker=") || v.contains("link-arg"))
        }
        "PYTHONPATH" => false,
        "LD_LIBRARY_PATH" | "DYLD_LIBRARY_PATH" => true,
        _ if name.starts_with("CARGO_TARGET_")
            && (name.ends_with("_RUNNER") || name.ends_with("_LINKER")) =>
        {
            true
        }
        _ if name.ends_with("PAGER") || name.ends_with("EDITOR") => !harmless,
        _ if STEERING.contains(&name) => {
            !(harmless
                && matches!(
                    name,
                    "VISUAL"
                        | "GIT_ASKPASS"
                        | "SSH_ASKPASS"
                        | "BROWSER"
                        | "RUSTC_WRAPPER"
                        | "PROMPT_COMMAND"
                        | "LESSOPEN"
                        | "LESSCLOSE"
                        | "PYTHONBREAKPOINT"
                ))
        }
        _ => {
            STEERING_START.iter().any(|start| name.starts_with(start))
                && !matches!(name, "GIT_CONFIG_NOSYSTEM")
        }
    }
}

/// Whether an options variable holds one of the options that load code, or can't be read.
fn loads_code(value: &Text, options: &[&str]) -> bool {
    let Some(value) = value.known() else {
        return true;
    };
    value.split_ascii_whitespace().any(|word| {
        let word = word.split('=').next().unwrap_or(word);
        options.iter().any(|o| {
            word == *o
                || o.len() == 2 && word.starts_with(o) && !word.starts_with("--")
                || word.starts_with("--inspect")
        })
    })
}

/// Words that scripts name helpers of their own by, though some program somewhere has the name
/// too. A function is read wherever it is called, so nothing hides behind one.
const HELPERS: &[&str] = &[
    "log", "build", "step", "info", "help", "print", "cheat", "task", "release", "deploy", "check",
    "run", "serve", "server", "start", "setup", "clean", "bench", "trace", "section", "report",
    "fetch", "retry", "say", "usage", "die", "warn", "error",
];

/// A function that takes the name of a program.
pub(crate) fn judge_function(function: &Function, out: &mut Findings) {
    let is_cmdlet =
        |front: &str| program(&format!("{front}{}", function.name.to_ascii_lowercase())).is_some();
    if program(&function.name).is_some() && !HELPERS.contains(&function.name.as_str())
        || function.name == "command_not_found_handle"
        || function.name == "prompt"
        || is_cmdlet("ps:")
    {
        out.refuse(
            Rule::ShellState,
            function.part,
            format!(
                "the function `{}` takes the place of a program",
                function.name
            ),
            Some("give the function a name that no program has".into()),
        );
    }
}
