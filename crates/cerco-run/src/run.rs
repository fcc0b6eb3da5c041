//! Runs one cleared command to its end: the two entries of this crate.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use cerco_model::{Bare, Cleared, Outcome, Sandboxed};
use cerco_sandbox::{Network, Plan, Planned, Planted, Refusal, Request, Sandbox, StandIn};
use cerco_sys::channel;
use cerco_sys::launch::Propagation;

use crate::inside::Inside;
use crate::job::{Begins, Holds, Job, Leader};
use crate::options::Options;
use crate::settle::{could_not, empty, failed};
use crate::sink::{Cancel, Sink};
use crate::started::{Start, WayOut, guarded, run};
use crate::what::{What, prepare};

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
    let what = match prepare(&cleared, options) {
        Ok(what) => what,
        Err(why) => return failed(why),
    };
    let guard = match options.guard.map(guarded).transpose() {
        Ok(guard) => guard,
        Err(error) => return could_not(&error),
    };
    if let Some(Err(why)) = options.entry.map(|entry| entry()) {
        return failed(why);
    }
    let start = Start {
        job: Job {
            program: what.program,
            arguments: what.arguments,
            environment: what.environment,
            directory: cleared.directory().into(),
            mark: what.mark.into(),
            limit: what.limit,
            leader: Leader::Command,
            begins: Begins::AtOnce,
            holds: match guard {
                Some(_) => Holds::Starts,
                None => Holds::Nothing,
            },
            propagation: Propagation::Shared,
            keep: Vec::new(),
            most_processes: None,
            most_memory: None,
        },
        run_by: what.run_by,
        keep: Vec::new(),
        inside: None,
        gate: None,
    };
    // One clearance, one run.
    drop(cleared);
    run(start, guard, None, options, cancel, sink)
}

/// A sandbox that was found ready, and what it is to hold.
#[derive(Debug)]
pub struct Ready<'a> {
    /// The launcher.
    pub sandbox: &'a Sandbox,
    /// The folders and limits. Its directory is not looked at: the command starts where
    /// it was judged.
    pub request: &'a Request,
    /// A plan that was made for the request a moment ago. Without one, or where the command
    /// starts somewhere else, it is made anew: to be left out when a person was waited for.
    pub planned: Option<Planned>,
}

/// How a run in the sandbox ended.
#[derive(Debug)]
pub struct Confined {
    /// As of any run.
    pub outcome: Outcome,
    /// What the person should know about the sandbox of this run.
    pub notes: Vec<String>,
    /// Files that the command left in the loop's folder and that programs outside of the
    /// sandbox would run (git hooks, editor tasks …).
    pub planted: Vec<Planted>,
}

/// Runs a command that was cleared to run in the sandbox. There is no way from here to a
/// run without it: where the sandbox can't be made, nothing runs.
///
/// Otherwise as [`run_bare`].
pub fn run_sandboxed(
    cleared: Cleared<Sandboxed>,
    ready: Ready<'_>,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> Confined {
    let mut confined = Confined {
        outcome: empty(),
        notes: Vec::new(),
        planted: Vec::new(),
    };
    let request = Request {
        directory: cleared.directory().into(),
        ..ready.request.clone()
    };
    let what = prepare(&cleared, options);
    // One clearance, one run.
    drop(cleared);
    let result = what.and_then(|what| {
        let fresh = ready
            .planned
            .filter(|planned| planned.plan.directory() == request.directory);
        let planned = fresh.map_or_else(|| Planned::new(&request), Ok);
        let Planned { survey, plan } = planned.map_err(words)?;
        let before = survey.notes().iter().chain(plan.notes());
        confined.notes.extend(before.cloned());
        let guard = options.guard.map(guarded).transpose();
        let mut guard = guard.map_err(|error| error.to_string())?;
        let mut egress = way_out(&request, options)?;
        let (gate, opens) = io::pipe().map_err(|error| error.to_string())?;
        let theirs = Theirs {
            gate: gate.into(),
            guard: guard.as_mut().and_then(|guard| guard.theirs.take()),
            proxy: egress.as_mut().and_then(|egress| egress.theirs.take()),
        };
        let mut start = confine(
            what,
            &plan,
            &request,
            ready.sandbox,
            theirs,
            survey.stand_in(),
        )?;
        start.gate = Some(opens);
        let outcome = run(start, guard, egress, options, cancel, sink);
        confined.planted = ready.sandbox.left_behind(&survey, &mut confined.notes);
        Ok(outcome)
    });
    confined.outcome = result.unwrap_or_else(failed);
    confined
}

/// The way to registries, where the request asks for one. Without somebody to answer on it
/// the command does not run.
fn way_out<'a>(request: &Request, options: &'a Options<'_>) -> Result<Option<WayOut<'a>>, String> {
    match (request.network, &options.egress) {
        (Network::Off, _) => Ok(None),
        (Network::Registries, Some(egress)) => {
            let (ours, theirs) = channel::pair().map_err(|e| e.to_string())?;
            Ok(Some(WayOut {
                egress,
                ours,
                theirs: Some(theirs),
            }))
        }
        (Network::Registries, None) => {
            Err("the sandbox was to reach package registries, and no proxy was given".to_owned())
        }
    }
}

/// The ends of sockets that go to the command's first process inside.
struct Theirs {
    gate: OwnedFd,
    guard: Option<OwnedFd>,
    proxy: Option<OwnedFd>,
}

/// The launcher that puts `what` into the sandbox, as a program to start.
fn confine(
    what: What,
    plan: &Plan,
    request: &Request,
    sandbox: &Sandbox,
    theirs: Theirs,
    stand_in: Option<StandIn>,
) -> Result<Start, String> {
    let command: Vec<OsString> = [what.program].into_iter().chain(what.arguments).collect();
    let inner = cerco_sandbox::Job {
        command: &command,
        environment: &what.environment,
        gate: Some(theirs.gate),
        guard: theirs.guard,
        proxy: theirs.proxy,
    };
    let prepared = sandbox.prepare(plan, inner).map_err(words)?;
    let (launcher, keep, status, propagation) = prepared.into_parts();
    Ok(Start {
        job: Job {
            program: launcher.get_program().to_owned(),
            arguments: launcher.get_args().map(OsString::from).collect(),
            environment: what.environment,
            directory: "/".into(),
            mark: what.mark.into(),
            limit: what.limit,
            leader: Leader::Launcher,
            begins: Begins::WhenTold,
            holds: Holds::Nothing,
            propagation,
            keep: keep.iter().map(AsRawFd::as_raw_fd).collect(),
            // The launcher and its first process inside count too.
            most_processes: request.limits.processes.checked_add(2),
            most_memory: Some(request.limits.memory_bytes),
        },
        run_by: what.run_by,
        keep,
        inside: Some(Inside::new(status, propagation, plan.watched(), stand_in)),
        gate: None,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err wants")]
fn words(refusal: Refusal) -> String {
    refusal.to_string()
}
