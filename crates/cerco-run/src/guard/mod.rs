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

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use cerco_model::GuardRefusal;
use cerco_sys::notify::{self, Errno, Heard, Held, Listener};
use cerco_sys::processes::{self, Image};
use cerco_sys::{channel, poll};

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
    /// Whether starts by `by` are to be judged at all. Those of other programs than the
    /// shell mostly are not: what a build tool starts is the sandbox's business. Programs
    /// that only pass on what the text gave them (`xargs`, `env`) are.
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

/// How the guard's work ended.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    pub(crate) refusals: Vec<GuardRefusal>,
    /// Why it stopped answering, where it did before the last process was gone. From
    /// then on the kernel lets no program start.
    pub(crate) broke: Option<io::Error>,
}

/// What runs the text, so that the guard knows its starts from others'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunBy {
    Shell,
    Nobody,
}

/// Receives the listener from `socket` and answers every held start, until the last
/// process that is held is gone or `stop` closes.
pub(crate) fn watch(
    socket: &OwnedFd,
    run_by: RunBy,
    judge: &dyn Judge,
    notes: &mut PipeWriter,
    stop: &PipeReader,
) -> Watched {
    let mut watched = Watched::default();
    match answer_all(socket, run_by, judge, notes, stop, &mut watched.refusals) {
        Ok(()) => {}
        Err(error) => watched.broke = Some(error),
    }
    watched
}

fn answer_all(
    socket: &OwnedFd,
    run_by: RunBy,
    judge: &dyn Judge,
    notes: &mut PipeWriter,
    stop: &PipeReader,
    refusals: &mut Vec<GuardRefusal>,
) -> io::Result<()> {
    let ready = poll::wait(&[socket.as_fd(), stop.as_fd()], None)?;
    if !ready.first().is_some_and(|ready| ready.is_ready()) {
        return Ok(());
    }
    let mut got = channel::receive(socket.as_fd(), &mut [0; 16])?;
    let Some(listener) = got.descriptors.pop() else {
        // The first process ended before it could send one: it was not started.
        return Ok(());
    };
    let listener = Listener::new(listener);
    let mut shell = KnowsShell::new(run_by);
    loop {
        match listener.hear(stop.as_fd())? {
            Heard::Held(held) => {
                if let Some(refusal) = answer(&listener, &held, &mut shell, judge, notes)? {
                    refusals.push(refusal);
                }
            }
            Heard::Nothing => {
                if poll::wait(&[stop.as_fd()], Some(std::time::Duration::ZERO))?
                    .first()
                    .is_some_and(|ready| ready.is_ready())
                {
                    return Ok(());
                }
            }
            Heard::AllGone => return Ok(()),
        }
    }
}

/// Tells the shell's starts from those of the programs it started.
enum KnowsShell {
    /// The next held start is that of the command itself.
    Starting(RunBy),
    /// The next held start is the first one after it: whoever makes it still runs the
    /// image that was started, for nobody has started another.
    Started,
    /// The shell runs this image; nothing where no shell runs.
    Known(Option<Image>),
}

impl KnowsShell {
    fn new(run_by: RunBy) -> Self {
        Self::Starting(run_by)
    }

    /// Who makes the held start; nothing for the start of the command itself.
    fn starter(&mut self, held: &Held) -> Option<Starter> {
        let image = match self {
            Self::Starting(RunBy::Shell) => {
                *self = Self::Started;
                return None;
            }
            Self::Starting(RunBy::Nobody) => {
                *self = Self::Known(None);
                return None;
            }
            Self::Started => {
                let image = processes::image(held.pid);
                *self = Self::Known(image);
                image
            }
            Self::Known(None) => return Some(look::starter(held.pid)),
            Self::Known(Some(shell)) => processes::image(held.pid).filter(|i| i == shell),
        };
        // An image that can't be read counts as the shell's: the stricter reading.
        if image.is_some() || processes::image(held.pid).is_none() {
            return Some(Starter::Shell);
        }
        Some(look::starter(held.pid))
    }
}

fn answer(
    listener: &Listener,
    held: &Held,
    shell: &mut KnowsShell,
    judge: &dyn Judge,
    notes: &mut PipeWriter,
) -> io::Result<Option<GuardRefusal>> {
    let Some(by) = shell.starter(held) else {
        listener.go_on(held)?;
        return Ok(None);
    };
    if !judge.concerns(&by) {
        listener.go_on(held)?;
        return Ok(None);
    }
    let seen = look::at(held, by);
    // Only now is it sure that what was read was this process's.
    if !listener.still_held(held) {
        return Ok(None);
    }
    let refusal = match &seen {
        Ok(look::Seen::Start(start)) => judge.judge(start),
        // A shell tries each folder of PATH. Answered here rather than let go on: the
        // kernel would look again, and find what was put there meanwhile.
        Ok(look::Seen::NoSuchFile) => {
            listener.fail(held, Errno::NotFound)?;
            return Ok(None);
        }
        Err(error) => Some(StartRefusal {
            rule: "unreadable".to_owned(),
            reason: format!("the arguments of this program start can't be read ({error})"),
        }),
    };
    let Some(refusal) = refusal else {
        listener.go_on(held)?;
        return Ok(None);
    };
    let argv: Vec<String> = match &seen {
        Ok(look::Seen::Start(start)) => start
            .arguments
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        Ok(look::Seen::NoSuchFile) | Err(_) => Vec::new(),
    };
    let name = argv.first().map_or("a program", String::as_str);
    // The line goes into what Cerco reads as the command's standard error, not through
    // the process's own: that may be a file, or closed.
    let line = format!(
        "cerco: {name} was not started ({}): {}\n",
        refusal.rule, refusal.reason
    );
    let _ = notes.write_all(line.as_bytes());
    listener.fail(held, Errno::Denied)?;
    Ok(Some(GuardRefusal {
        argv,
        rule: refusal.rule,
        reason: refusal.reason,
    }))
}
