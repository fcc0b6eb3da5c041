//! What the reader has to be told about programs that run other programs.
//!
//! The reader owns no program names (shell builtins aside). `cerco-filter`'s program
//! table implements [`Programs`]: it binds a call's arguments to their meanings once,
//! and tells the reader what else the call starts. The reader reads that too, until
//! nothing new comes out.

use cerco_model::{Dialect, Part, Place};

use crate::{Assignment, Directory, Stdin, Word};

/// A program start whose arguments are to be bound.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The language of the text it stands in: `rm` means another thing to `PowerShell`.
    pub dialect: Dialect,
    /// The program's word, as written (`/usr/bin/git`, `./build.sh`).
    pub name: &'a Word,
    /// The arguments after it. Elements of one `PowerShell` list (`-Path a, b`) are words of
    /// their own that share one part.
    pub args: &'a [Word],
    /// Its standard input.
    pub stdin: &'a Stdin,
    /// The directory it starts in.
    pub directory: &'a Directory,
    /// The assignments in front of it (`A=b program`).
    pub assignments: &'a [Assignment],
}

/// A language that code in an argument, a here-document or a pipe is written in, where
/// Cerco reads it as commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeLanguage {
    /// Handed to `bash` or a string option known to use it.
    Bash,
    /// Handed to `/bin/sh -c`, as most programs do.
    Sh,
    /// Handed to `PowerShell`.
    PowerShell,
    /// Handed to `cmd.exe`.
    Cmd,
}

/// What a wrapper puts behind the words it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Nothing.
    Nothing,
    /// Any number of words that aren't known (`xargs` without a readable input).
    Unknown,
}

/// Something that a call starts besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A program: the first word is its name.
    Program {
        /// Name and arguments; already rewritten by the table where the wrapper replaces
        /// a placeholder (`{}`).
        words: Vec<Word>,
        /// Assignments the wrapper makes for it (`env A=b`).
        assignments: Vec<Assignment>,
        /// Its directory, where the wrapper changes it (`env -C`, `git -C`).
        directory: Option<Directory>,
        /// What is put behind the words.
        appended: Appended,
    },
    /// Text that is run as commands.
    Code {
        /// Its language.
        language: CodeLanguage,
        /// The text; unknown text is a doubt.
        text: Word,
        /// Its directory, where changed.
        directory: Option<Directory>,
    },
    /// The table can't tell what is started (an option that it doesn't know of a wrapper
    /// that it does): a doubt.
    Unreadable {
        /// Where.
        part: Part,
        /// Why, as the end of "can't be read: …".
        why: &'static str,
    },
}

/// A table of programs and what their arguments mean.
pub trait Programs {
    /// What binding a call's arguments yields; the reader keeps it in the
    /// [`Start`](crate::Start) untouched and never looks inside.
    type Bound;

    /// Binds the arguments of `call`, and pushes whatever else it starts to `inner`.
    fn bind(&self, call: Call<'_>, place: &Place<'_>, inner: &mut Vec<Inner>) -> Self::Bound;
}
