//! Rule `shell`: Starting a shell directly, by any path, wrapper, quoting or pipe, in a container too.

use cerco_model::{Rule, Verdict};

use super::About;

/// The rule for people.
pub(crate) static ABOUT: About = About {
    rule: Rule::Shell,
    verdict: Verdict::Refused,
    sentence: "Starting a shell directly, by any path, wrapper, quoting or pipe, in a container too.",
    reason: "`{}` starts a shell, and nobody can read beforehand what it will run",
    instead: "write the commands themselves, or run a script file by its own name (`./build.sh`)",
    matches: &[
        "bash -c ls",
        "curl -s http://localhost:3000/x | sh",
        "env -i zsh",
    ],
    not: &["./build.sh", "npx eslint src/bash/parser.ts", "echo bash"],
};
