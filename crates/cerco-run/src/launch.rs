//! Starting the keeper and handing it a job.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use cerco_sys::{channel, fds};

use crate::job::Job;

/// How the keeper is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeeperProgram {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl KeeperProgram {
    /// The word that makes the `cerco` binary a keeper.
    pub const WORD: &str = "__keeper";

    /// The running program itself, which must call [`keeper_main`](crate::keeper_main)
    /// when its first argument is [`Self::WORD`]. Stays right while the file is replaced
    /// by another version.
    #[must_use]
    pub fn own() -> Self {
        Self {
            program: PathBuf::from("/proc/self/exe"),
            arguments: vec![Self::WORD.into()],
        }
    }

    /// A program that does nothing but call [`keeper_main`](crate::keeper_main).
    #[must_use]
    pub fn at(program: PathBuf) -> Self {
        Self {
            program,
            arguments: Vec::new(),
        }
    }
}

/// A keeper at work.
pub(crate) struct Kept {
    pub(crate) keeper: Child,
    pub(crate) control: OwnedFd,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

/// Starts a keeper and hands it `job`. `guard` is the socket the first process sends its
/// listener to; `keep` goes with `job.keep`, number by number.
pub(crate) fn launch(
    program: &KeeperProgram,
    job: &Job,
    stdin: Option<&[u8]>,
    guard: Option<&OwnedFd>,
    keep: &[OwnedFd],
) -> io::Result<Kept> {
    let bytes = job.encode().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "an argument or a variable holds a NUL byte",
        )
    })?;
    let bytes = fds::memory_file(c"cerco-job", &bytes)?;
    let stdin: OwnedFd = match stdin {
        // Sealed: the command can read it from the start as often as it likes, and
        // change nothing.
        Some(given) => fds::memory_file(c"cerco-stdin", given)?.into(),
        None => File::open("/dev/null")?.into(),
    };
    let (stdout, stdout_end) = io::pipe()?;
    let (stderr, stderr_end) = io::pipe()?;
    let (control, other) = channel::pair()?;
    let keeper = start(program, other)?;
    let sent = send(
        &control,
        &[
            &bytes.as_fd(),
            &stdin.as_fd(),
            &stdout_end.as_fd(),
            &stderr_end.as_fd(),
        ],
        guard,
        keep,
    );
    let kept = Kept {
        keeper,
        control,
        stdout,
        stderr,
    };
    match sent {
        Ok(()) => Ok(kept),
        Err(error) => {
            // Closing the control socket ends the keeper.
            let Kept {
                mut keeper,
                control,
                ..
            } = kept;
            drop(control);
            let _ = keeper.wait();
            Err(error)
        }
    }
}

fn start(program: &KeeperProgram, control: OwnedFd) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    Command::new(&program.program)
        .arg0("cerco-keeper")
        .args(&program.arguments)
        .env_clear()
        .stdin(Stdio::from(control))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn send(
    control: &OwnedFd,
    fixed: &[&dyn AsRawFd],
    guard: Option<&OwnedFd>,
    keep: &[OwnedFd],
) -> io::Result<()> {
    let mut all: Vec<_> = fixed.iter().map(|fd| fd.as_raw_fd()).collect();
    all.extend(guard.map(AsRawFd::as_raw_fd));
    all.extend(keep.iter().map(AsRawFd::as_raw_fd));
    channel::send(control.as_fd(), b"job", &all)
}
