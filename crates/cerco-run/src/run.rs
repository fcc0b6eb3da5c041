//! Runs one cleared command to its end.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use cerco_model::{Bare, Cleared, Containment, Ending, Outcome, TimeClass, Usage};
use cerco_sys::clock::since_boot;
use cerco_sys::{channel, poll};

use crate::capture::Spill;
use crate::environment::MARK;
use crate::guard::{self, Judge, RunBy, Watched};
use crate::job::{Begins, Holds, Job, Leader};
use crate::keeper::net;
use crate::launch::{KeeperProgram, Kept, bell, launch};
use crate::message::{Ended, LONGEST, Order, Report};
use crate::plain::plain_program;
use crate::shell::Shell;
use crate::sink::{Cancel, Sink, Wanted};
use crate::streams::Streams;

/// How long a keeper may be silent after everything should be over. It is stopped or
/// stuck then, and Cerco ends the tree itself.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long commands may run (SPEC §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For most.
    pub quick: Duration,
    /// For package managers, compilers, build tools and test runners.
    pub long: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            quick: Duration::from_mins(2),
            long: Duration::from_mins(10),
        }
    }
}

/// What a run takes besides the cleared command.
#[derive(Clone)]
pub struct Options<'a> {
    /// How its keeper is started.
    pub keeper: KeeperProgram,
    /// The shell; that of whose dialect the command was read.
    pub shell: Shell,
    /// Standard input; empty where there is none.
    pub stdin: Option<Vec<u8>>,
    /// The clocks.
    pub times: Times,
    /// Where the whole output is kept on disk; nowhere where nothing is given.
    pub spill: Option<Spill>,
    /// The guard. Must be given where the command was judged with the guard active.
    pub guard: Option<&'a dyn Judge>,
}

impl Options<'_> {
    /// The usual ones: the running program as keeper, no input, no copy on disk, no guard.
    #[must_use]
    pub fn new(shell: Shell) -> Self {
        Self {
            keeper: KeeperProgram::own(),
            shell,
            stdin: None,
            times: Times::default(),
            spill: None,
            guard: None,
        }
    }
}

/// Runs a command that was cleared to run without the sandbox.
///
/// Never fails with an error: what went wrong is in the outcome, and nothing of the
/// command is left running when this returns (where the kernel can't end a process, the
/// outcome says so).
pub fn run_bare(
    cleared: Cleared<Bare>,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> Outcome {
    let prepared = prepare(&cleared, options).map(|what| {
        let job = Job {
            program: what.program,
            arguments: what.arguments,
            environment: what.environment,
            directory: cleared.directory().into(),
            mark: what.mark.into(),
            limit: what.limit,
            leader: Leader::Command,
            begins: Begins::AtOnce,
            holds: match options.guard {
                Some(_) => Holds::Starts,
                None => Holds::Nothing,
            },
            keep: Vec::new(),
            most_processes: None,
            most_memory: None,
        };
        Start {
            job,
            run_by: what.run_by,
            keep: Vec::new(),
        }
    });
    // One clearance, one run.
    drop(cleared);
    match prepared {
        Ok(start) => run(start, options, cancel, sink),
        Err(why) => failed(why),
    }
}

/// The command as a program to start.
struct What {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    mark: String,
    limit: Duration,
    run_by: RunBy,
}

fn prepare<C: Containment>(cleared: &Cleared<C>, options: &Options<'_>) -> Result<What, String> {
    let command = cleared.command();
    if command.dialect() != options.shell.dialect() {
        return Err(format!(
            "the command was judged as {:?}, and {} would run it; judge it again for that shell",
            command.dialect(),
            options.shell.program().display()
        ));
    }
    let mark = cleared
        .environment()
        .iter()
        .find(|(name, _)| name == MARK)
        .map(|(name, value)| format!("{name}={value}"))
        .ok_or("the command was judged without a run's environment; judge it again with one")?;
    let (program, arguments, run_by) = if let Some(words) = plain_program(command.text()) {
        let mut words = words.into_iter().map(OsString::from);
        let program = words.next().unwrap_or_default();
        (program, words.collect(), RunBy::Nobody)
    } else {
        let arguments = options.shell.arguments(command.text());
        (
            options.shell.program().into(),
            arguments.into_iter().map(OsString::from).collect(),
            RunBy::Shell,
        )
    };
    Ok(What {
        program,
        arguments,
        environment: cleared
            .environment()
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        mark,
        limit: match cleared.time() {
            TimeClass::Quick => options.times.quick,
            TimeClass::Long => options.times.long,
        },
        run_by,
    })
}

/// Everything that is to be started.
struct Start {
    job: Job,
    run_by: RunBy,
    keep: Vec<OwnedFd>,
}

fn run(start: Start, options: &Options<'_>, cancel: &Cancel, sink: &mut dyn Sink) -> Outcome {
    match try_run(start, options, cancel, sink) {
        Ok(outcome) => outcome,
        Err(error) => failed(format!("Cerco could not run it: {error}")),
    }
}

fn try_run(
    start: Start,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> io::Result<Outcome> {
    if cancel.is_cancelled() {
        return Ok(Outcome {
            ending: Ending::Cancelled,
            ..empty()
        });
    }
    let (notes, mut says) = bell()?;
    let (guard_stop, guard_stops) = bell()?;
    let guarded = match options.guard {
        Some(judge) => {
            let (ours, theirs) = channel::pair()?;
            Some((judge, ours, theirs))
        }
        None => None,
    };
    let (watching, theirs) = match guarded {
        Some((judge, ours, theirs)) => (Some((judge, ours)), Some(theirs)),
        None => (None, None),
    };
    thread::scope(|scope| {
        // Before the first start is held: its spawner waits for the answer.
        let guard = watching.map(|(judge, ours)| {
            let run_by = start.run_by;
            let stop = &guard_stop;
            let says = &mut says;
            scope.spawn(move || guard::watch(&ours, run_by, judge, says, stop))
        });
        let outcome = launch(
            &options.keeper,
            &start.job,
            options.stdin.as_deref(),
            theirs.as_ref(),
            &start.keep,
        )
        .and_then(|kept| {
            // Kept open here, the pipes of the first process would never end.
            drop(theirs);
            drop(start.keep);
            attend(kept, &start.job, notes, options, cancel, sink)
        });
        drop(guard_stops);
        let watched = guard.map(thread::ScopedJoinHandle::join);
        let mut outcome = outcome?;
        match watched {
            Some(Ok(watched)) => add_guard(&mut outcome, watched),
            Some(Err(_)) => add_failure(
                &mut outcome,
                "the guard failed; no program started after that",
            ),
            None => {}
        }
        Ok(outcome)
    })
}

/// Reads, listens and waits until the keeper says that it is over.
fn attend(
    kept: Kept,
    job: &Job,
    notes: PipeReader,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> io::Result<Outcome> {
    let Kept {
        mut keeper,
        control,
        stdout,
        stderr,
    } = kept;
    let mut streams = Streams::new(stdout, stderr, notes, options.spill.as_ref())?;
    let (bell, rings) = bell()?;
    cancel.wake_by(Some(rings));
    let over = listen(&control, &mut streams, &bell, job, cancel, sink);
    cancel.wake_by(None);
    streams.drain(sink);
    let (stdout, stderr) = streams.finish();
    let mut outcome = Outcome {
        stdout,
        stderr,
        ..empty()
    };
    if let Some(report) = over? {
        settle(&mut outcome, report, job);
        // It has only to leave; where it can't end somebody, it stays with him.
        if !matches!(report, Report::Over { left: 1.., .. }) {
            keeper.wait()?;
        }
    } else {
        // Killed or stopped by somebody: the command's first process dies with it;
        // who else is left is known by the mark only.
        keeper.kill()?;
        keeper.wait()?;
        let ended = job.mark.to_str().map_or(0, net);
        outcome.stopped = u32::try_from(ended).unwrap_or(u32::MAX);
        outcome.failure = Some(
            "the process that watches over the command was ended by somebody; the command was stopped"
                .to_owned(),
        );
    }
    Ok(outcome)
}

/// The keeper's last report; nothing when it is gone without one.
fn listen(
    control: &OwnedFd,
    streams: &mut Streams,
    bell: &PipeReader,
    job: &Job,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> io::Result<Option<Report>> {
    let mut told = Wanted::Nothing;
    let mut latest = since_boot() + job.limit + PATIENCE;
    loop {
        let wanted = cancel.wanted();
        if wanted > told {
            told = wanted;
            latest = latest.min(since_boot() + PATIENCE);
            let order = match wanted {
                Wanted::Kill => Order::Kill,
                Wanted::Stop | Wanted::Nothing => Order::Stop,
            };
            // A keeper that is gone is heard of below.
            let _ = channel::send(control.as_fd(), order.encode(), &[]);
        }
        let Some(patience) = latest.checked_sub(since_boot()) else {
            return Ok(None);
        };
        let mut list = vec![control.as_fd(), bell.as_fd()];
        list.extend(streams.open());
        let ready = poll::wait(&list, Some(patience))?;
        streams.take(sink);
        if ready.get(1).is_some_and(|ready| ready.is_ready()) {
            io::Read::read(&mut &*bell, &mut [0; 64])?;
        }
        if ready.first().is_some_and(|ready| ready.is_ready()) {
            let mut buffer = [0; LONGEST];
            let length = match channel::receive(control.as_fd(), &mut buffer) {
                Ok(got) => got.length,
                // A keeper that was killed with an order unread.
                Err(_) => 0,
            };
            match Report::decode(buffer.get(..length).unwrap_or_default()) {
                Some(Report::Started) => {
                    if job.begins == Begins::AtOnce {
                        latest = since_boot() + job.limit + PATIENCE;
                        sink.began();
                    }
                }
                over => return Ok(over),
            }
        }
    }
}

fn settle(outcome: &mut Outcome, report: Report, job: &Job) {
    match report {
        Report::Started => {}
        Report::NotStarted(errno) => not_started(outcome, errno, job),
        Report::Over {
            ended,
            stopped,
            left,
            wall,
            cpu,
            peak_memory,
        } => {
            outcome.ending = match ended {
                Ended::Exit(code) => Ending::Exit(code),
                Ended::Signal(signal) => Ending::Signal(signal),
                Ended::TimedOut => Ending::TimedOut,
                Ended::Stopped => Ending::Cancelled,
            };
            outcome.stopped = stopped;
            outcome.usage = Usage {
                wall,
                cpu,
                peak_memory,
            };
            if left > 0 {
                add_failure(
                    outcome,
                    &format!(
                        "{left} of its processes can't be ended (they wait for a disk, or belong to another user); Cerco goes on trying"
                    ),
                );
            }
        }
    }
}

fn not_started(outcome: &mut Outcome, errno: i32, job: &Job) {
    let error = io::Error::from_raw_os_error(errno);
    let name = job.program.to_string_lossy();
    let (ending, why) = match error.kind() {
        io::ErrorKind::NotFound if std::path::Path::new(&job.directory).is_dir() => (
            Ending::NotStarted(127),
            format!("{name}: command not found"),
        ),
        io::ErrorKind::NotFound => (
            Ending::Failed,
            "the directory it was to start in is gone".to_owned(),
        ),
        io::ErrorKind::ArgumentListTooLong => (
            Ending::Failed,
            "the command or its environment is too long for this system; put it in a script file and run that"
                .to_owned(),
        ),
        io::ErrorKind::ResourceBusy if job.holds == Holds::Starts => (
            Ending::Failed,
            guard::NoGuard::Taken.to_string(),
        ),
        io::ErrorKind::PermissionDenied => (
            Ending::NotStarted(126),
            format!("{name}: permission denied"),
        ),
        _ => (Ending::NotStarted(126), format!("{name}: {error}")),
    };
    outcome.ending = ending;
    outcome.failure = Some(why);
}

fn add_guard(outcome: &mut Outcome, watched: Watched) {
    outcome.guard_refusals = watched.refusals;
    if let Some(error) = watched.broke {
        add_failure(
            outcome,
            &format!("the guard stopped answering ({error}); no program started after that"),
        );
    }
}

fn add_failure(outcome: &mut Outcome, why: &str) {
    match &mut outcome.failure {
        Some(text) => {
            text.push_str("; ");
            text.push_str(why);
        }
        None => outcome.failure = Some(why.to_owned()),
    }
}

fn failed(why: String) -> Outcome {
    Outcome {
        failure: Some(why),
        ..empty()
    }
}

/// An outcome that says that nothing ran.
fn empty() -> Outcome {
    Outcome {
        ending: Ending::Failed,
        failure: None,
        stdout: cerco_model::Captured::default(),
        stderr: cerco_model::Captured::default(),
        usage: Usage::default(),
        guard_refusals: Vec::new(),
        stopped: 0,
    }
}
