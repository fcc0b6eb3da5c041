//! Which shell runs the text, and how it is started.
//!
//! Chosen before the command is read: the reader must read the dialect of the shell that
//! WILL run it.

use std::path::{Path, PathBuf};

use cerco_model::Dialect;

/// The shell that runs a command's text. Always an absolute path outside of any project:
/// never one that `PATH` finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    program: PathBuf,
    dialect: Dialect,
}

/// Where bash may stand; only system folders, which no loop can write to.
const BASH: [&str; 4] = [
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/run/current-system/sw/bin/bash",
];
const SH: &str = "/bin/sh";

impl Shell {
    /// Bash where there is one, else sh; nothing where there is neither.
    #[must_use]
    pub fn of_this_machine() -> Option<Self> {
        Self::choose(Path::exists)
    }

    /// The choice, with the machine as a question.
    #[must_use]
    pub fn choose(exists: impl Fn(&Path) -> bool) -> Option<Self> {
        BASH.iter()
            .map(|path| (*path, Dialect::Bash))
            .chain([(SH, Dialect::Sh)])
            .find(|(path, _)| exists(Path::new(path)))
            .map(|(path, dialect)| Self {
                program: PathBuf::from(path),
                dialect,
            })
    }

    /// The language it reads.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Its absolute path.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its arguments to run `text`: no start-up files. Options and functions of the
    /// caller's shell would come by the environment, which is scrubbed
    /// ([`crate::environment()`]).
    #[must_use]
    pub fn arguments(&self, text: &str) -> Vec<String> {
        // `--` so that a text that begins with a dash is still text.
        let options: &[&str] = match self.dialect {
            Dialect::Bash => &["--norc", "--noprofile", "-c", "--"],
            Dialect::Sh | Dialect::PowerShell | Dialect::Cmd => &["-c", "--"],
        };
        options
            .iter()
            .map(|option| (*option).to_owned())
            .chain([text.to_owned()])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_is_taken_where_there_is_one() {
        let shell = Shell::choose(|p| p == Path::new("/usr/bin/bash") || p == Path::new(SH));
        let shell = shell.unwrap();
        assert_eq!(shell.dialect(), Dialect::Bash);
        assert_eq!(shell.program(), Path::new("/usr/bin/bash"));
        assert_eq!(
            shell.arguments("ls"),
            ["--norc", "--noprofile", "-c", "--", "ls"]
        );
    }

    #[test]
    fn else_sh_and_else_nothing() {
        let shell = Shell::choose(|p| p == Path::new(SH)).unwrap();
        assert_eq!(shell.dialect(), Dialect::Sh);
        assert_eq!(shell.arguments("-x"), ["-c", "--", "-x"]);
        assert_eq!(Shell::choose(|_| false), None);
    }
}
