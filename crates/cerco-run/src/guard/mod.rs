//! The guard: the second reading. The kernel holds each program start of a command until
//! its REAL arguments have been judged.
//!
//! What it is: what the text could not settle (`X=$(printf s%s sh); "$X" host`) is settled
//! here. A refused start fails with "permission denied"; a line on the command's standard
//! error says why.
//!
//! What it is not:
//! - It sees program starts only: no builtin of the shell, no redirection, and of a script
//!   only the script itself, not the interpreter that its first line names.
//! - The kernel reads path and arguments again after the answer. A shell is
//!   single-threaded and shares its memory with nobody, so its own words can't change in
//!   between; of a program that shares its memory the judge is told
//!   ([`Memory::Shared`]). Without the sandbox another process of the same user can write
//!   into the shell's memory. The sandbox is the wall; this is the second look.
//! - It decides nothing: a [`Judge`] does.

mod look;
mod memory;
mod rules;
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use cerco_sys::notify;

pub use memory::probe_remembered;
pub use rules::Rules;
pub(crate) use watch::{RunBy, Watched, watch};

/// Who starts a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starter {
    /// The shell that runs the command's text (itself, or a subshell of it).
    Shell,
    /// A program, by its file.
    Program(PathBuf),
}

/// Whether what was read can change before the kernel reads it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The starter is single-threaded.
    Own,
    /// It has several threads, any of which may change the arguments meanwhile.
    Shared,
}

/// A program start as it really is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealStart {
    /// Who starts it.
    pub by: Starter,
    /// The program's path as given to the kernel, made absolute with `directory`.
    pub path: PathBuf,
    /// The file it leads to, links resolved, as the starter sees it; nothing where that
    /// can't be told.
    pub file: Option<PathBuf>,
    /// The arguments, the program's own name for itself first.
    pub arguments: Vec<OsString>,
    /// Its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its directory.
    pub directory: PathBuf,
    /// Whether this is sure to be what the kernel will read.
    pub memory: Memory,
}

/// Why a start is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRefusal {
    /// The rule's id.
    pub rule: String,
    /// One sentence a person understands.
    pub reason: String,
}

/// Judges real program starts. Called from the guard's own thread, while the starter is
/// frozen: it must answer at once and never wait for a person.
pub trait Judge: Sync {
    /// Whether starts by this program, which the shell started, are judged too: a program
    /// that only passes on what the text gave it (`xargs`, `env`). What a build tool
    /// starts is the sandbox's business. The shell's own starts are always judged.
    fn concerns(&self, by: &Starter) -> bool {
        matches!(by, Starter::Shell)
    }
    /// The refusal, or nothing to let it go on.
    fn judge(&self, start: &RealStart) -> Option<StartRefusal>;
}

/// Why starts can't be held here.
#[derive(Debug, thiserror::Error)]
pub enum NoGuard {
    /// The kernel allows one listener for a process tree.
    #[error(
        "something around Cerco already holds program starts (a container engine or another sandbox), and the kernel allows only one; the guard is off"
    )]
    Taken,
    /// Too old a kernel, or a sandbox around Cerco that forbids it.
    #[error("this kernel does not let Cerco hold program starts ({0}); the guard is off")]
    Impossible(#[source] io::Error),
}

/// Whether the guard works here: tried for real, in a child process that ends at once.
///
/// To be asked before a command is judged: with the guard, arguments the text does not
/// settle need not be asked about.
pub fn probe() -> Result<(), NoGuard> {
    notify::probe().map_err(|error| {
        // EBUSY: there is another listener.
        if error.kind() == io::ErrorKind::ResourceBusy {
            NoGuard::Taken
        } else {
            NoGuard::Impossible(error)
        }
    })
}
