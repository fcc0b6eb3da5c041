//! Whether a command's text is one plain program, which needs no shell to start it.
//!
//! Narrow on purpose: whatever a shell could read differently from "words between
//! spaces" is left to the shell.

/// Names the shell would not look up as programs: words of its grammar, and builtins.
const SHELL_WORDS: [&str; 84] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "newgrp",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "chdir",
    "login",
    "stop",
    "whence",
    "autoload",
];

/// The program and its arguments, where `text` is that and nothing else.
///
/// A program written as a path is left to the shell, which also runs script files that
/// have no `#!` line.
pub(crate) fn plain_program(text: &str) -> Option<Vec<&str>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,= ".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let name = words.first()?;
    let is_name = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    (is_name && !name.starts_with('-') && !SHELL_WORDS.contains(name)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_programs() {
        for (text, want) in [
            ("git status", &["git", "status"] as &[&str]),
            (
                " cargo  test --workspace ",
                &["cargo", "test", "--workspace"],
            ),
            ("make CC=gcc-12 -j4", &["make", "CC=gcc-12", "-j4"]),
            ("node --version", &["node", "--version"]),
        ] {
            assert_eq!(plain_program(text).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn everything_else_is_the_shells() {
        for text in [
            "",
            " ",
            "cd src",
            "echo hi",
            "A=b make",
            "./build.sh",
            "/usr/bin/git status",
            "ls *",
            "ls ~",
            "git log | head",
            "ls; ls",
            "ls\nls",
            "ls &",
            "(ls)",
            "a{b,c}",
            "git commit -m 'a b'",
            "echo $HOME",
            "%1",
            "-x",
            "if",
            "ls >x",
            "a\\ b",
            "true",
            "git\tstatus",
            "ls #c",
            "!ls",
            "é",
        ] {
            assert_eq!(plain_program(text), None, "{text}");
        }
    }
}
