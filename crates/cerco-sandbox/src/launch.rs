//! Starts a command by a plan. There is no other way to start one in this crate, and none
//! without the sandbox.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command};

use cerco_sys::fds;
use cerco_sys::launch::{Propagation, confine};

use crate::bubblewrap::{self, Bubblewrap, NotFound, arguments, to_bytes};
use crate::plan::{Plan, STAGE};
use crate::readiness;
use crate::refusal::Refusal;
use crate::request::Network;
use crate::stage::{self, Letter};
use crate::switches::{Protection, Switches};
use crate::syscalls;

/// The longest message the inner stage is listened to for.
const MAX_MESSAGE: u64 = 64 << 10;

/// A launcher that was found on this machine.
#[derive(Clone, Debug)]
pub struct Sandbox {
    bubblewrap: Bubblewrap,
    propagation: Propagation,
    switches: Switches,
}

/// What is started, with its whole environment.
#[derive(Debug)]
pub struct Job<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// Every variable. Nothing of this process's own environment is passed on: the
    /// launcher is the sandbox's first process, and what it has can be read inside.
    pub environment: &'a [(OsString, OsString)],
    /// The last step before the command waits until [`OPEN`](crate::stage::OPEN) can be read here,
    /// and starts nothing when it is closed instead. Nothing: it doesn't wait.
    pub gate: Option<OwnedFd>,
    /// The socket that the guard's listener is to be sent to, where there is a guard.
    pub guard: Option<OwnedFd>,
    /// The socket that the listener for the proxy is to be sent to, where the network is
    /// [`crate::Network::Registries`].
    pub proxy: Option<OwnedFd>,
}

/// A command that has everything it needs but its standard streams.
#[derive(Debug)]
pub struct Prepared {
    command: Command,
    keep: Vec<OwnedFd>,
    status: PipeReader,
    propagation: Propagation,
}

/// A started launcher.
#[derive(Debug)]
pub struct Started {
    /// The launcher. Its death by any signal ends everything in the sandbox.
    pub child: Child,
    /// Tells when the command itself starts.
    pub status: Status,
    /// Whether the mounts are private or must be watched ([`crate::watch`]).
    pub propagation: Propagation,
}

/// The line from the inner stage.
#[derive(Debug)]
pub struct Status(PipeReader);

/// How a start went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The command runs.
    Running,
    /// It does not, and this is the exit code (125 to 127) and the reason.
    NotStarted(u8, String),
    /// The launcher itself gave up; its standard error says why, and
    /// [`readiness::explain`] what to do.
    LauncherFailed,
}

impl Sandbox {
    /// Finds a launcher that a command can't have put there, and asks it what it can do.
    pub fn find(project: &Path, home: Option<&Path>) -> Result<Self, Refusal> {
        Self::found(project, home, None)
    }

    /// The same with a memory in `folder` of what the launcher can do, which saves asking.
    pub fn find_remembered(
        project: &Path,
        home: Option<&Path>,
        folder: &Path,
    ) -> Result<Self, Refusal> {
        Self::found(project, home, Some(folder))
    }

    fn found(project: &Path, home: Option<&Path>, folder: Option<&Path>) -> Result<Self, Refusal> {
        let bubblewrap = bubblewrap::find(project, home, folder).map_err(|why| not_ready(&why))?;
        Ok(Self {
            bubblewrap,
            propagation: propagation(),
            switches: Switches::all_on(),
        })
    }

    /// The launcher's file.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.bubblewrap.program
    }

    /// With single protections off.
    #[cfg(feature = "mutations")]
    #[must_use]
    pub fn with(mut self, switches: Switches) -> Self {
        if !switches.is_on(Protection::PrivateMounts) {
            self.propagation = Propagation::Shared;
        }
        self.switches = switches;
        self
    }

    /// The launcher's options for `plan`, but for the descriptors that a start adds: to show
    /// to a person, and to measure bare bubblewrap with the same mounts.
    #[must_use]
    pub fn options(&self, plan: &Plan) -> Vec<OsString> {
        arguments(plan, self.bubblewrap.features, None, &self.switches)
    }

    pub(crate) fn is_on(&self, protection: Protection) -> bool {
        self.switches.is_on(protection)
    }

    /// Everything up to the standard streams, which the caller sets: pipes or the null
    /// device only. A file there could be opened again for writing through `/proc`,
    /// whatever the mounts say.
    pub fn prepare(&self, plan: &Plan, job: Job<'_>) -> Result<Prepared, Refusal> {
        let start = |doing| move |why| Refusal::Start { doing, why };
        if (plan.network == Network::Registries) != job.proxy.is_some() {
            let why = "there is nobody to answer for it";
            return Err(start("opening the way to registries")(io::Error::other(
                why,
            )));
        }
        let letter = Letter {
            limits: self.is_on(Protection::Limits).then_some(plan.limits),
            proves: self.is_on(Protection::Proofs),
            fences: self.is_on(Protection::Fence),
            proofs: plan.proofs.clone(),
            writable: plan.writable(),
            command: job.command.to_vec(),
        };
        let letter = letter.encode().ok_or(Refusal::Nul)?;
        let letter = fds::memory_file(c"cerco-letter", &letter)
            .map_err(start("writing to the inner stage"))?;
        let filter = syscalls::filter().ok_or_else(|| {
            start("building the system call filter")(io::ErrorKind::InvalidData.into())
        })?;
        let filter =
            fds::memory_file(c"cerco-filter", &filter).map_err(start("writing the filter"))?;
        let filter = self.is_on(Protection::Filter).then_some(filter);
        let options = arguments(
            plan,
            self.bubblewrap.features,
            filter.as_ref().map(AsRawFd::as_raw_fd),
            &self.switches,
        );
        let options = to_bytes(&options).ok_or(Refusal::Nul)?;
        let options =
            fds::memory_file(c"cerco-options", &options).map_err(start("writing the options"))?;
        let (status, speaks) = io::pipe().map_err(start("making a pipe"))?;

        let mut command = Command::new(&self.bubblewrap.program);
        command
            .arg("--args")
            .arg(number(&options))
            .arg("--")
            .arg(STAGE)
            .arg(stage::WORD)
            .arg(number(&letter))
            .arg(number(&speaks))
            .arg(job.guard.as_ref().map_or(stage::NONE.into(), number))
            .arg(job.proxy.as_ref().map_or(stage::NONE.into(), number))
            .arg(job.gate.as_ref().map_or(stage::NONE.into(), number));
        command.env_clear().envs(checked(job.environment)?);
        command.current_dir("/");
        let mut keep: Vec<OwnedFd> = vec![options.into(), letter.into(), speaks.into()];
        keep.extend(filter.map(OwnedFd::from));
        keep.extend(job.guard);
        keep.extend(job.proxy);
        keep.extend(job.gate);
        Ok(Prepared {
            command,
            keep,
            status,
            propagation: self.propagation,
        })
    }
}

impl Prepared {
    /// For the standard streams.
    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// In pieces, for a process of its own that starts it and watches over it. It must
    /// call [`confine`] with the descriptors under the numbers they have now, and with
    /// this propagation; and the caller must drop them once they are handed over.
    #[must_use]
    pub fn into_parts(self) -> (Command, Vec<OwnedFd>, Status, Propagation) {
        (
            self.command,
            self.keep,
            Status(self.status),
            self.propagation,
        )
    }

    /// Starts it. The sandbox lives as long as the calling THREAD: call this from one
    /// that waits for the command.
    pub fn spawn(self) -> Result<Started, Refusal> {
        let Self {
            mut command,
            keep,
            status,
            propagation,
        } = self;
        confine(&mut command, keep, propagation);
        let child = command.spawn().map_err(|why| Refusal::Start {
            doing: "starting bubblewrap",
            why,
        })?;
        // Our ends of what the launcher inherited: the status line ends when its last
        // writer does.
        drop(command);
        Ok(Started {
            child,
            status: Status(status),
            propagation,
        })
    }
}

impl AsFd for Status {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Status {
    /// Waits until the command runs or can't.
    #[must_use]
    pub fn wait(self) -> Start {
        let mut said = Vec::new();
        if self.0.take(MAX_MESSAGE).read_to_end(&mut said).is_err() {
            return Start::LauncherFailed;
        }
        let (went, said) = match said.strip_prefix(stage::GO) {
            Some(rest) => (true, rest),
            None => (false, said.as_slice()),
        };
        if said.is_empty() {
            return if went {
                Start::Running
            } else {
                Start::LauncherFailed
            };
        }
        let said = String::from_utf8_lossy(said);
        let (code, why) = said.split_once('\n').unwrap_or(("125", &said));
        Start::NotStarted(code.parse().unwrap_or(125), why.to_owned())
    }
}

fn number(fd: &impl AsRawFd) -> OsString {
    fd.as_raw_fd().to_string().into()
}

/// The environment, none of whose parts could end early.
fn checked(
    environment: &[(OsString, OsString)],
) -> Result<impl Iterator<Item = (&OsStr, &OsStr)>, Refusal> {
    let bad = environment.iter().any(|(name, value)| {
        let name = name.as_bytes();
        name.is_empty()
            || name.contains(&b'=')
            || name.contains(&0)
            || value.as_bytes().contains(&0)
    });
    if bad {
        return Err(Refusal::Nul);
    }
    Ok(environment
        .iter()
        .map(|(name, value)| (name.as_os_str(), value.as_os_str())))
}

/// Private mounts, unless this machine keeps user namespaces from programs that aren't on
/// its list (which names bubblewrap, not us): then the mounts are watched.
fn propagation() -> Propagation {
    let says = |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|t| t.trim() == value);
    let restricted = says(
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
    ) || says("/proc/sys/kernel/unprivileged_userns_clone", "0")
        || says("/proc/sys/user/max_user_namespaces", "0");
    if restricted {
        Propagation::Shared
    } else {
        Propagation::Private
    }
}

fn not_ready(why: &NotFound) -> Refusal {
    Refusal::NotReady(readiness::not_found(why).to_string())
}
