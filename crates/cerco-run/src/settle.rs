//! Putting an outcome together, in words with a next step.

use std::io;

use cerco_egress::Refused;
use cerco_model::{Ending, GuardRefusal, Outcome, Usage};

use crate::guard::{self, Watched};
use crate::job::{Holds, Job};
use crate::message::{Ended, Report};

pub(crate) fn settle(outcome: &mut Outcome, report: Report, job: &Job) {
    match report {
        Report::Started(_) => {}
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

pub(crate) fn add_guard(outcome: &mut Outcome, watched: Watched) {
    outcome.guard_refusals.extend(watched.refusals);
    if let Some(error) = watched.broke {
        add_failure(
            outcome,
            &format!("the guard stopped answering ({error}); no program started after that"),
        );
    }
}

/// What the proxy did not let through stands beside what the guard refused.
pub(crate) fn add_egress(outcome: &mut Outcome, proxied: io::Result<Vec<Refused>>) {
    match proxied {
        Ok(refused) => outcome
            .guard_refusals
            .extend(refused.into_iter().map(|refused| GuardRefusal {
                argv: vec!["connect".to_owned(), refused.target],
                rule: "address".to_owned(),
                reason: refused.reason,
            })),
        Err(error) => add_failure(
            outcome,
            &format!(
                "the proxy to package registries stopped ({error}); nothing was reached after that"
            ),
        ),
    }
}

pub(crate) fn add_failure(outcome: &mut Outcome, why: &str) {
    match &mut outcome.failure {
        Some(text) => {
            text.push_str("; ");
            text.push_str(why);
        }
        None => outcome.failure = Some(why.to_owned()),
    }
}

pub(crate) fn could_not(error: &io::Error) -> Outcome {
    failed(format!("Cerco could not run it: {error}"))
}

pub(crate) fn failed(why: String) -> Outcome {
    Outcome {
        failure: Some(why),
        ..empty()
    }
}

/// An outcome that says that nothing ran.
pub(crate) fn empty() -> Outcome {
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
