//! Runs one command in the sandbox for a person at a terminal: `cerco sandbox`. Its output
//! streams through untouched, its exit code is passed on, its time is limited.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use cerco_sys::exit::{Ended, Handle};
use cerco_sys::launch::Propagation;
use cerco_sys::{child, harden};

use crate::group::Group;
use crate::launch::{Job, Sandbox, Start, Status};
use crate::look::stand_in::StandIn;
use crate::plan::Plan;
use crate::readiness::{self, Backend};
use crate::refusal::Refusal;
use crate::request::Request;
use crate::startable::Planted;
use crate::step::Why;
use crate::survey::{Survey, survey};
use crate::switches::Protection;
use crate::watch::{self, Watched};

/// The command's time was up.
const TIMED_OUT: u8 = 124;
/// Cerco failed or the sandbox isn't ready.
const FAILED: u8 = 125;
/// How long output that is still in the pipes may take once the command has ended.
const DRAIN: Duration = Duration::from_secs(2);
/// Without a limit from the caller: ten minutes, the longest that any command gets.
const LONGEST: Duration = Duration::from_mins(10);
/// How much of the launcher's own message is kept for an explanation.
const MESSAGE: usize = 4096;

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The exit code to end with.
    pub code: u8,
    /// What the person should know, in words; one sentence each.
    pub notes: Vec<String>,
    /// Files it left that programs outside would run or obey.
    pub planted: Vec<Planted>,
}

/// Runs `command` by `request`, its output going to this process's own. Notes that are
/// known before the start are handed to `say`. Blocks until everything in the sandbox has
/// ended; the sandbox ends with the calling thread.
pub fn foreground(
    request: &Request,
    command: &[OsString],
    environment: &[(OsString, OsString)],
    limit: Option<Duration>,
    say: &mut dyn FnMut(&str),
) -> Result<Finished, Refusal> {
    let sandbox = Sandbox::find(&request.project, request.home.as_deref())?;
    foreground_in(&sandbox, request, command, environment, limit, say)
}

/// The same with a launcher that was found before.
pub fn foreground_in(
    sandbox: &Sandbox,
    request: &Request,
    command: &[OsString],
    environment: &[(OsString, OsString)],
    limit: Option<Duration>,
    say: &mut dyn FnMut(&str),
) -> Result<Finished, Refusal> {
    let streams = Streams {
        stdout: io::stdout().as_fd().try_clone_to_owned(),
        stderr: io::stderr().as_fd().try_clone_to_owned(),
    };
    attended(sandbox, request, command, environment, limit, streams, say)
}

/// Where the output goes. The command itself only ever sees a pipe.
pub(crate) struct Streams {
    pub(crate) stdout: io::Result<OwnedFd>,
    pub(crate) stderr: io::Result<OwnedFd>,
}

/// The same with its output going to `streams`.
pub(crate) fn attended(
    sandbox: &Sandbox,
    request: &Request,
    command: &[OsString],
    environment: &[(OsString, OsString)],
    limit: Option<Duration>,
    streams: Streams,
    say: &mut dyn FnMut(&str),
) -> Result<Finished, Refusal> {
    let survey = survey(request)?;
    let plan = Plan::new(&survey.facts, request.network, request.limits)?;
    let notes = survey.notes().iter().chain(plan.notes());
    notes.for_each(|note| say(note));
    let mut prepared = sandbox.prepare(
        &plan,
        Job {
            command,
            environment,
            gate: None,
            guard: None,
            proxy: None,
        },
    )?;
    // Pipes in between: were our own output a file, the command could open it again for
    // writing and cut it off or read what stood in it.
    prepared
        .command()
        .stdin(if sandbox.is_on(Protection::EmptyInput) {
            Stdio::null()
        } else {
            Stdio::inherit()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // As for an agent's command: limits of single processes don't bind root, and don't
    // count together.
    let limits = request.limits;
    let (group, members) = if sandbox.is_on(Protection::Limits) {
        // The launcher and its first process inside count too.
        Group::make(limits.processes.checked_add(2), Some(limits.memory_bytes))
    } else {
        Group::make(None, None)
    };
    let may_fork_for_ever = harden::user_id() == 0 && !group.limits_processes();
    if may_fork_for_ever {
        say(
            "you are root, and no control group can be made here: nothing limits how many processes it starts. Run it as an ordinary user",
        );
    }
    let files = members.files().inspect_err(|_| group.remove());
    let files = files.map_err(|why| Refusal::Start {
        doing: "opening its control group",
        why,
    })?;
    child::join(prepared.command(), files);
    let started = prepared.spawn();
    if started.is_err() {
        group.remove();
    }
    let mut started = started?;
    let stdout = started.child.stdout.take().map(OwnedFd::from);
    let stderr = started.child.stderr.take().map(OwnedFd::from);
    let stdout = pump(stdout, streams.stdout);
    let stderr = pump(stderr, streams.stderr);
    let mut notes = Vec::new();
    let (start, in_time) = supervise(
        &mut started.child,
        started.status,
        started.propagation,
        limit,
        stand_in(sandbox, &survey),
        watched(sandbox, &plan),
        &mut notes,
    );
    if !matches!(in_time, Ok(Ended::InTime)) {
        let _ = started.child.kill();
    }
    let status = started.child.wait();
    // Everybody inside ended with the launcher; the kernel may still be at it.
    group.kill();
    group.remove_when_empty(DRAIN);
    let status = status.map_err(|why| Refusal::Start {
        doing: "waiting for bubblewrap",
        why,
    })?;
    let first = stderr.recv_timeout(DRAIN).unwrap_or_default();
    let _ = stdout.recv_timeout(DRAIN);
    let code = match (in_time, start) {
        (Ok(Ended::Late), _) => {
            notes.push("its time was up; everything it started was stopped".to_owned());
            TIMED_OUT
        }
        (Err(e), _) => {
            notes.push(format!("it could not be waited for and was stopped: {e}"));
            FAILED
        }
        (_, Start::NotStarted(code, why)) => {
            notes.push(why);
            code
        }
        (_, Start::LauncherFailed) => {
            let message = String::from_utf8_lossy(&first).into_owned();
            let why = readiness::explain(Backend::Bubblewrap, &message, &readiness::system());
            notes.push(why.to_string());
            FAILED
        }
        (_, Start::Running) => code_of(status),
    };
    let planted = sandbox.left_behind(&survey, &mut notes);
    Ok(Finished {
        code,
        notes,
        planted,
    })
}

fn stand_in(sandbox: &Sandbox, survey: &Survey) -> Option<StandIn> {
    let is_on = sandbox.is_on(Protection::HoldBack);
    is_on.then(|| survey.stand_in()).flatten()
}

fn watched(sandbox: &Sandbox, plan: &Plan) -> Watched {
    let mut watched = plan.watched();
    if !sandbox.is_on(Protection::CoverWatch) {
        watched.covered = Vec::new();
    }
    if !sandbox.is_on(Protection::Mounts(Why::Socket)) {
        watched.sockets = None;
    }
    if !sandbox.is_on(Protection::Limits) {
        watched.memory_bytes = u64::MAX;
    }
    watched
}

/// Waits for the start, then for the end, and watches the mounts between where needed.
fn supervise(
    launcher: &mut Child,
    status: Status,
    propagation: Propagation,
    limit: Option<Duration>,
    stand_in: Option<StandIn>,
    watched: Watched,
    notes: &mut Vec<String>,
) -> (Start, io::Result<Ended>) {
    let limit = limit.unwrap_or(LONGEST);
    let handle = match Handle::of(launcher) {
        Ok(handle) => handle,
        Err(e) => return (Start::LauncherFailed, Err(e)),
    };
    // The start has a clock too: a file system that hangs would hold the launcher for ever.
    let (teller, listener) = channel();
    thread::spawn(move || teller.send(status.wait()));
    let Ok(start) = listener.recv_timeout(limit) else {
        return (Start::LauncherFailed, Ok(Ended::Late));
    };
    if start != Start::Running {
        return (start, handle.ended_within(limit));
    }
    if let Some(stand_in) = stand_in {
        stand_in.begin(launcher.id());
    }
    let watch = Handle::of(launcher)
        .and_then(|handle| watch::watch(propagation, launcher.id(), handle, watched));
    let watch = match watch {
        Ok(watch) => watch,
        // A command that ended at once has no mounts left to watch.
        Err(_) if matches!(handle.ended_within(Duration::ZERO), Ok(Ended::InTime)) => {
            return (start, Ok(Ended::InTime));
        }
        Err(e) => return (start, Err(e)),
    };
    let ended = handle.ended_within(limit);
    notes.extend(watch.finish());
    (start, ended)
}

/// The launcher reports a signal's death as 128 and its number already; its own death by
/// one is treated alike.
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(FAILED)
}

/// Passes bytes on as they come, on a thread of its own; hands over the first of them at
/// the end. Where nobody takes them any more the command meets a closed pipe, as it would
/// without a sandbox.
fn pump(from: Option<OwnedFd>, to: io::Result<OwnedFd>) -> Receiver<Vec<u8>> {
    let (done, receiver) = channel();
    let (Some(from), Ok(to)) = (from, to) else {
        return receiver;
    };
    thread::spawn(move || {
        let (mut from, mut to) = (File::from(from), File::from(to));
        let mut first = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default();
            let room = MESSAGE.saturating_sub(first.len()).min(count);
            first.extend(bytes.iter().take(room));
            if to.write_all(bytes).is_err() {
                break;
            }
        }
        drop(from);
        let _ = done.send(first);
    });
    receiver
}
