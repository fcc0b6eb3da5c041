//! The sandbox's side of a run: when the command inside begins, why it doesn't, and the
//! watch over mounts where they could not be made private.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use cerco_model::{Ending, Outcome};
use cerco_sandbox::watch::{Watch, Watched, watch};
use cerco_sandbox::{StandIn, Start, Status, readiness};
use cerco_sys::exit::Handle;
use cerco_sys::launch::Propagation;
use cerco_sys::processes::Pid;

use crate::message::Order;
use crate::sink::Sink;

/// How far a start in the sandbox has come.
pub(crate) struct Inside {
    propagation: Propagation,
    watched: Option<Watched>,
    stand_in: Option<StandIn>,
    status: Option<Status>,
    launcher: Option<(Pid, Handle)>,
    state: State,
}

enum State {
    /// The launcher prepares.
    Preparing,
    /// The command runs.
    Running(Option<Watch>),
    /// It never will.
    NotStarted(u8, String),
    LauncherFailed,
    /// Its mounts can't be watched.
    Unwatched(io::Error),
}

impl Inside {
    pub(crate) fn new(
        status: Status,
        propagation: Propagation,
        watched: Watched,
        stand_in: Option<StandIn>,
    ) -> Self {
        Self {
            stand_in,
            watched: Some(watched),
            propagation,
            status: Some(status),
            launcher: None,
            state: State::Preparing,
        }
    }

    /// The line from the inner stage, while something is to be heard of it. Not before
    /// the launcher's handle is here: without it nothing may begin.
    pub(crate) fn status(&self) -> Option<BorrowedFd<'_>> {
        self.launcher.as_ref()?;
        self.status.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn launcher_runs(&mut self, pid: Pid, handle: Handle) {
        self.launcher = Some((pid, handle));
    }

    /// The inner stage has said something. Answers what the keeper is to do.
    pub(crate) fn hear(&mut self, sink: &mut dyn Sink) -> Order {
        let (Some(status), Some((pid, handle)), Some(watched)) = (
            self.status.take(),
            self.launcher.take(),
            self.watched.take(),
        ) else {
            return Order::Kill;
        };
        // It said "go" and is about to become the command, or to say why not: this waits
        // no longer than that takes.
        self.state = match status.wait() {
            Start::NotStarted(code, why) => State::NotStarted(code, why),
            Start::LauncherFailed => State::LauncherFailed,
            Start::Running => match u32::try_from(pid)
                .map_err(io::Error::other)
                .and_then(|pid| watch(self.propagation, pid, handle, watched))
            {
                Ok(watch) => State::Running(Some(watch)),
                Err(error) => State::Unwatched(error),
            },
        };
        if matches!(self.state, State::Running(_)) {
            if let Some((stand_in, launcher)) = self.stand_in.take().zip(u32::try_from(pid).ok()) {
                stand_in.begin(launcher);
            }
            sink.began();
            return Order::Begin;
        }
        Order::Kill
    }

    /// Puts into `outcome` what only the sandbox's side knows.
    pub(crate) fn settle(self, outcome: &mut Outcome) {
        let cancelled = outcome.ending == Ending::Cancelled;
        let (ending, why) = match self.state {
            State::Running(watch) => {
                let Some(why) = watch.and_then(Watch::finish) else {
                    return;
                };
                (Ending::Failed, why)
            }
            State::NotStarted(125, why) => (Ending::Failed, why),
            State::NotStarted(code, why) => (Ending::NotStarted(code), why),
            State::Unwatched(error) => (
                Ending::Failed,
                format!("its mounts can't be watched ({error}), so it was not let run"),
            ),
            // Not the sandbox's doing; the failure that led here is already told.
            State::Preparing if cancelled || outcome.failure.is_some() => return,
            State::Preparing if outcome.ending == Ending::TimedOut => (
                Ending::Failed,
                "the sandbox was not ready within 30 seconds; look for a file system that does not answer"
                    .to_owned(),
            ),
            State::Preparing | State::LauncherFailed => {
                let said = String::from_utf8_lossy(&outcome.stderr.head).into_owned();
                (Ending::Failed, readiness::explain_here(&said).to_string())
            }
        };
        outcome.ending = ending;
        outcome.failure = Some(why);
    }
}
