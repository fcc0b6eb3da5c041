//! Starting the keeper and handing it a job.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use cerco_sys::{channel, fds};

use crate::job::Job;

/// How the keeper is started.
#[derive(Clone, Debug)]
pub struct KeeperProgram {
    program: PathBuf,
    arguments: Vec<OsString>,
    ahead: Arc<Ahead>,
}

/// A keeper that was started ahead.
#[derive(Debug, Default)]
struct Ahead(Mutex<Option<Waiting>>);

/// A keeper without a job yet.
#[derive(Debug)]
struct Waiting {
    keeper: Child,
    control: OwnedFd,
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
            ahead: Arc::default(),
        }
    }

    /// A program that does nothing but call [`keeper_main`](crate::keeper_main).
    #[must_use]
    pub fn at(program: PathBuf) -> Self {
        Self {
            program,
            arguments: Vec::new(),
            ahead: Arc::default(),
        }
    }

    /// Starts the keeper of the next run now, so that it is there by the time its job is.
    ///
    /// Where that fails the run starts one, and says why it can't. A keeper that gets no job
    /// ends with the last copy of this value.
    pub fn start_ahead(&self) {
        let mut ahead = self.ahead.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.is_none() {
            *ahead = self.start().ok();
        }
    }

    fn take(&self) -> io::Result<Waiting> {
        let mut ahead = self.ahead.0.lock().unwrap_or_else(PoisonError::into_inner);
        ahead.take().map_or_else(|| self.start(), Ok)
    }

    fn start(&self) -> io::Result<Waiting> {
        use std::os::unix::process::CommandExt;
        let (control, theirs) = channel::pair()?;
        let keeper = Command::new(&self.program)
            .arg0("cerco-keeper")
            .args(&self.arguments)
            .env_clear()
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Waiting { keeper, control })
    }
}

impl Waiting {
    /// Closing the control socket ends a keeper.
    fn end(self) {
        let Self {
            mut keeper,
            control,
        } = self;
        drop(control);
        let _ = keeper.wait();
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let Some(waiting) = self
            .0
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            waiting.end();
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
    let waiting = program.take()?;
    let sent = send(
        &waiting.control,
        &[
            &bytes.as_fd(),
            &stdin.as_fd(),
            &stdout_end.as_fd(),
            &stderr_end.as_fd(),
        ],
        guard,
        keep,
    );
    match sent {
        Ok(()) => Ok(Kept {
            keeper: waiting.keeper,
            control: waiting.control,
            stdout,
            stderr,
        }),
        Err(error) => {
            waiting.end();
            Err(error)
        }
    }
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
