//! The names that a shell runs itself.

use cerco_model::Dialect;

/// Builtins of bash 5.2, sorted.
const BASH: [&str; 61] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Builtins that every POSIX shell has, sorted. dash's own further ones are left out:
/// busybox and others start a program there.
const SH: [&str; 38] = [
    ".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "false", "fg", "getopts", "hash", "jobs", "kill", "local", "printf", "pwd",
    "read", "readonly", "return", "set", "shift", "test", "times", "trap", "true", "type",
    "ulimit", "umask", "unalias", "unset", "wait",
];

/// Builtins whose assignments in front stay, in a POSIX shell.
const SPECIAL: [&str; 15] = [
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "times", "trap", "unset",
];

/// Whether the shell runs `name` itself.
pub(super) fn is_builtin(name: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Sh => SH.binary_search(&name).is_ok(),
        Dialect::Bash | Dialect::PowerShell | Dialect::Cmd => BASH.binary_search(&name).is_ok(),
    }
}

pub(super) fn is_special(name: &str) -> bool {
    SPECIAL.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(BASH.is_sorted() && SH.is_sorted());
    }
}
