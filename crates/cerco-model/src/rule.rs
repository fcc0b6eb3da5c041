//! The names of the rules a finding can come from.

use std::borrow::Cow;
use std::fmt;

use compact_str::CompactString;
use serde::{Serialize, Serializer};

/// The rule that made a finding: one of SPEC §3.2, or a custom rule of `cerco.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Starts a shell.
    Shell,
    /// Changes the shell itself, or a variable that steers which code runs.
    ShellState,
    /// Reaches another machine.
    Remote,
    /// Ends processes or the machine.
    Process,
    /// Changes or gains permissions.
    Permissions,
    /// Throws git work away, or waits for a person.
    GitDestructive,
    /// Publishes a package, or undoes that.
    Publish,
    /// A path outside of what the loop may touch.
    Path,
    /// A file that looks like a secret.
    Secret,
    /// A web address that is none of the known ones.
    Address,
    /// Never ends by itself.
    Endless,
    /// Can't be read, so can't be judged.
    Unreadable,
    /// Changes the repository or its remote.
    GitChange,
    /// Deletes inside the loop's folder.
    Delete,
    /// Code on the command line.
    InlineCode,
    /// An option that names a program to run.
    RunsProgram,
    /// A rule of a `cerco.toml`, by its id there.
    Custom(CompactString),
}

impl Rule {
    /// Every built-in rule, in the order of SPEC §3.2.
    pub const BUILT_IN: [Self; 16] = [
        Self::Shell,
        Self::ShellState,
        Self::Remote,
        Self::Process,
        Self::Permissions,
        Self::GitDestructive,
        Self::Publish,
        Self::Path,
        Self::Secret,
        Self::Address,
        Self::Endless,
        Self::Unreadable,
        Self::GitChange,
        Self::Delete,
        Self::InlineCode,
        Self::RunsProgram,
    ];

    /// The id shown to people and written to JSON: `git-destructive`, `custom:no-terraform`.
    #[must_use]
    pub fn id(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Shell => "shell",
            Self::ShellState => "shell-state",
            Self::Remote => "remote",
            Self::Process => "process",
            Self::Permissions => "permissions",
            Self::GitDestructive => "git-destructive",
            Self::Publish => "publish",
            Self::Path => "path",
            Self::Secret => "secret",
            Self::Address => "address",
            Self::Endless => "endless",
            Self::Unreadable => "unreadable",
            Self::GitChange => "git-change",
            Self::Delete => "delete",
            Self::InlineCode => "inline-code",
            Self::RunsProgram => "runs-program",
            Self::Custom(id) => return Cow::Owned(format!("custom:{id}")),
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id())
    }
}
