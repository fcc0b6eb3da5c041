//! The keeper: a small process between Cerco and a command.
//!
//! It starts the command, adopts whoever loses its parent in it, holds the clock, and
//! leaves nobody behind: when the command has ended, when its time is up, when Cerco says
//! so, and when Cerco itself is gone (then the control socket reads end-of-file). It runs
//! as a program of its own so that it has none of Cerco's memory, descriptors, threads or
//! arguments. It decides nothing.

mod sweep;

pub(crate) use sweep::net;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use cerco_sandbox::group::{Group, Places};
use cerco_sys::birth::spawn_in;
use cerco_sys::clock::{Alarm, since_boot};
use cerco_sys::exit::Handle;
use cerco_sys::launch::confine;
use cerco_sys::processes::Pid;
use cerco_sys::signals::{self, How, Signal, Waited};
use cerco_sys::{channel, child, harden, keeper, poll};

use crate::job::{Begins, Holds, Job, Leader};
use crate::message::{Ended, LONGEST, Order, Report};

/// How long a tree that is asked to end has before it is ended (SPEC §4).
const GRACE: Duration = Duration::from_secs(2);
/// How long a launcher may take until the command begins.
const LONGEST_PREPARATION: Duration = Duration::from_secs(30);

/// The keeper's whole life. Standard input is the control socket.
///
/// A program that embeds this crate must come here, before it does anything else, when
/// it is started with the arguments of its [`KeeperProgram`](crate::KeeperProgram).
#[must_use]
pub fn keeper_main() -> ExitCode {
    match keep() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is there to read words: Cerco sees the socket close without a report.
        Err(_) => ExitCode::from(125),
    }
}

fn keep() -> io::Result<()> {
    keeper::close_inherited()?;
    signals::ignore_polite_signals();
    keeper::leave_session()?;
    harden::adopt_orphans()?;
    keeper::close_to_others()?;
    keeper::name(c"cerco-keeper")?;
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    let events = signals::child_events()?;
    // Found while the job is still being made.
    let places = Places::find();
    let mut first = [0; LONGEST];
    let got = channel::receive(control.as_fd(), &mut first)?;
    if got.length == 0 {
        return Ok(());
    }
    let started = job(got.descriptors).and_then(|(job, descriptors)| {
        // What is handed on gets the numbers it had in Cerco. All that the keeper owns
        // moves above them first, so that none of it is closed by that.
        let floor = job.keep.iter().copied().max().unwrap_or(2) + 1;
        let descriptors: io::Result<_> = descriptors
            .into_iter()
            .map(|fd| child::above(fd, floor))
            .collect();
        let owned = (child::above(control, floor)?, child::above(events, floor)?);
        Ok((Tree::start(job, descriptors?, &places), owned))
    });
    // Without a control socket of its own there is nobody to tell: Cerco sees it close.
    let (tree, (control, events)) = started?;
    let mut tree = match tree {
        Ok(tree) => tree,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_default();
            return tell(&control, Report::NotStarted(errno));
        }
    };
    // From here on there is a tree: whatever fails, it is cleared before this returns.
    // Cerco may be gone already.
    let _ = tree.tell_started(&control);
    let ended = tree.watch(&control, &events).unwrap_or(Ended::Stopped);
    let wall = since_boot().saturating_sub(tree.began);
    let left = tree.clear(&events);
    let used = signals::children_used();
    let told = tell(
        &control,
        Report::Over {
            ended,
            stopped: tree.stopped,
            left,
            wall,
            cpu: used.cpu,
            peak_memory: used.peak_memory,
        },
    );
    drop(control);
    // A process that waits for a broken disk ends when the disk answers.
    while left > 0 && tree.clear(&events) > 0 {}
    tree.group.remove();
    told
}

fn tell(control: &OwnedFd, report: Report) -> io::Result<()> {
    channel::send(control.as_fd(), &report.encode(), &[])
}

/// The job, from the first of what was handed over, and the rest.
fn job(descriptors: Vec<OwnedFd>) -> io::Result<(Job, Vec<OwnedFd>)> {
    let mut descriptors = descriptors.into_iter();
    let first = descriptors.next().ok_or(io::ErrorKind::InvalidData)?;
    let mut bytes = Vec::new();
    File::from(first).read_to_end(&mut bytes)?;
    let job = Job::decode(&bytes).ok_or(io::ErrorKind::InvalidData)?;
    Ok((job, descriptors.collect()))
}

/// The command's process tree.
struct Tree {
    job: Job,
    leader: Pid,
    /// How the leader ended, once it has.
    leader_ended: Option<How>,
    group: Group,
    /// When the command began: until it is told so, when its launcher did.
    began: Duration,
    alarm: Alarm,
    stopped: u32,
}

impl Tree {
    /// Starts the job. Its descriptors in order: standard input, output and error, the
    /// guard's socket where starts are held, then what is handed on.
    fn start(job: Job, descriptors: Vec<OwnedFd>, places: &Places) -> io::Result<Self> {
        let mut descriptors = descriptors.into_iter();
        let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidData);
        let (stdin, stdout, stderr) = (next()?, next()?, next()?);
        let guard = match job.holds {
            Holds::Starts => Some(next()?),
            Holds::Nothing => None,
        };
        let keep = child::place(job.keep.iter().copied().zip(descriptors).collect())?;
        if keep.len() != job.keep.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let alarm = Alarm::new()?;
        let (group, members) = places.make(job.most_processes, job.most_memory);

        let mut command = Command::new(&job.program);
        command
            .args(&job.arguments)
            .env_clear()
            .envs(job.environment.iter().map(|(n, v)| (n, v)))
            .current_dir(&job.directory)
            .stdin(Stdio::from(stdin))
            .stdout(Stdio::from(stdout))
            .stderr(Stdio::from(stderr));
        // What a shell is called by itself; its messages begin with it.
        if let Some(name) = std::path::Path::new(&job.program).file_name()
            && job.leader == Leader::Command
        {
            command.arg0(name);
        }
        child::join(&mut command, members.tasks);
        child::new_session(&mut command);
        confine(&mut command, keep, job.propagation);
        if let Some(socket) = guard {
            child::hold_starts(&mut command, socket);
        }
        let leader = spawn_in(command, members.unified).inspect_err(|_| group.remove())?;
        let began = since_boot();
        alarm.set(match job.begins {
            Begins::AtOnce => job.limit,
            Begins::WhenTold => LONGEST_PREPARATION,
        })?;
        Ok(Self {
            job,
            leader,
            leader_ended: None,
            group,
            began,
            alarm,
            stopped: 0,
        })
    }

    /// Waits for the first reason to end it all.
    fn watch(&mut self, control: &OwnedFd, events: &OwnedFd) -> io::Result<Ended> {
        loop {
            let list = [control.as_fd(), events.as_fd(), self.alarm.as_fd()];
            let ready = poll::wait(&list, None)?;
            let heard = |at: usize| ready.get(at).is_some_and(|ready| ready.is_ready());
            if heard(1) {
                signals::drain_child_events(events);
            }
            self.reap()?;
            if let Some(how) = self.leader_ended {
                return Ok(match how {
                    How::Exit(code) => Ended::Exit(code),
                    How::Signal(signal) => Ended::Signal(signal),
                });
            }
            if heard(0) {
                match order(control)? {
                    Some(Order::Begin) => {
                        self.began = since_boot();
                        self.alarm.set(self.job.limit)?;
                    }
                    Some(Order::Stop) => {
                        self.ask(control, events)?;
                        return Ok(Ended::Stopped);
                    }
                    Some(Order::Kill) | None => {
                        self.count();
                        return Ok(Ended::Stopped);
                    }
                }
            } else if heard(2) {
                self.ask(control, events)?;
                return Ok(Ended::TimedOut);
            }
        }
    }

    /// With a descriptor of the launcher, which stays right whatever becomes of its number.
    fn tell_started(&self, control: &OwnedFd) -> io::Result<()> {
        let handle = Handle::open(self.leader)?;
        let report = Report::Started(self.leader).encode();
        channel::send(control.as_fd(), &report, &[handle.as_fd().as_raw_fd()])
    }

    fn reap(&mut self) -> io::Result<Waited> {
        loop {
            match signals::wait_any()? {
                Waited::Ended(ended) if ended.pid == self.leader => {
                    self.leader_ended = Some(ended.how);
                }
                Waited::Ended(_) => {}
                other => return Ok(other),
            }
        }
    }

    /// The command's own living processes: not a launcher, nor the one it put in front
    /// of the command inside.
    fn members(&self) -> Vec<Pid> {
        sweep::members(self.job.leader, self.leader)
    }

    fn count(&mut self) {
        self.stopped = u32::try_from(self.members().len()).unwrap_or(u32::MAX);
    }

    /// TERM to everybody, then up to [`GRACE`] for them to end; shorter when Cerco says
    /// so or is gone.
    fn ask(&mut self, control: &OwnedFd, events: &OwnedFd) -> io::Result<()> {
        self.count();
        for pid in self.members() {
            // A failure means that it ended meanwhile, or is another user's: the sweep
            // that follows sees to both.
            let _ = signals::send(pid, Signal::Terminate);
            let _ = signals::send(pid, Signal::Continue);
        }
        let until = since_boot() + GRACE;
        loop {
            if matches!(self.reap()?, Waited::NoChild) || self.members().is_empty() {
                return Ok(());
            }
            let left = until.saturating_sub(since_boot());
            if left.is_zero() {
                return Ok(());
            }
            // Grandchildren end without an event: look again soon.
            let list = [control.as_fd(), events.as_fd()];
            let ready = poll::wait(&list, Some(left.min(Duration::from_millis(20))))?;
            signals::drain_child_events(events);
            if ready.first().is_some_and(|ready| ready.is_ready())
                && !matches!(order(control)?, Some(Order::Stop | Order::Begin))
            {
                return Ok(());
            }
        }
    }

    /// Ends whoever is left. Answers how many could not be ended.
    fn clear(&mut self, events: &OwnedFd) -> u32 {
        // Mostly nobody is left: then there is nothing to count among all processes of the
        // machine.
        let alone = matches!(self.reap(), Ok(Waited::NoChild));
        if self.stopped == 0 && !alone {
            self.count();
        }
        self.group.kill();
        if self.leader_ended.is_none() {
            let _ = signals::send(self.leader, Signal::Kill);
        }
        let left = sweep::clear(events, mark(&self.job.mark, self.job.leader));
        u32::try_from(left).unwrap_or(u32::MAX)
    }
}

/// Inside the sandbox the kernel itself ends everybody, so nothing is left to be found by
/// its mark.
fn mark(mark: &OsStr, leader: Leader) -> Option<&str> {
    match leader {
        Leader::Command => mark.to_str(),
        Leader::Launcher => None,
    }
}

/// The next order; nothing when Cerco is gone or can't be understood, which both mean
/// "end it".
fn order(control: &OwnedFd) -> io::Result<Option<Order>> {
    let mut buffer = [0; LONGEST];
    match channel::receive(control.as_fd(), &mut buffer) {
        Ok(got) => Ok(Order::decode(buffer.get(..got.length).unwrap_or_default())),
        Err(error) if error.raw_os_error().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}
