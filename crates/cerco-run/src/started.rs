//! What is started, and who attends it beside: the guard that judges its starts, the proxy
//! that answers for its network. All end with it.

use std::io::{self, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::thread;

use cerco_egress::Egress;
use cerco_model::{Ending, Outcome};
use cerco_sys::channel;

use crate::attend::attend;
use crate::egress;
use crate::guard::{self, Judge, RunBy};
use crate::inside::Inside;
use crate::job::Job;
use crate::launch::launch;
use crate::options::Options;
use crate::settle::{add_egress, add_failure, add_guard, could_not, empty};
use crate::sink::{Cancel, Sink};

/// Everything that is to be started.
pub(crate) struct Start {
    pub(crate) job: Job,
    pub(crate) run_by: RunBy,
    pub(crate) keep: Vec<OwnedFd>,
    pub(crate) inside: Option<Inside>,
    /// What the last step before the command waits for; closed, it never comes.
    pub(crate) gate: Option<PipeWriter>,
}

/// A guard and the two ends of the way its listener comes.
pub(crate) struct Guarded<'a> {
    judge: &'a dyn Judge,
    ours: OwnedFd,
    /// Taken by whoever hands it to the command's first process.
    pub(crate) theirs: Option<OwnedFd>,
}

pub(crate) fn guarded(judge: &dyn Judge) -> io::Result<Guarded<'_>> {
    let (ours, theirs) = channel::pair()?;
    Ok(Guarded {
        judge,
        ours,
        theirs: Some(theirs),
    })
}

/// A proxy and the two ends of the way its listener comes.
pub(crate) struct WayOut<'a> {
    pub(crate) egress: &'a Egress,
    pub(crate) ours: OwnedFd,
    /// Taken by whoever hands it to the command's first process.
    pub(crate) theirs: Option<OwnedFd>,
}

pub(crate) fn run(
    start: Start,
    guard: Option<Guarded<'_>>,
    egress: Option<WayOut<'_>>,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> Outcome {
    if cancel.is_cancelled() {
        return Outcome {
            ending: Ending::Cancelled,
            ..empty()
        };
    }
    try_run(start, guard, egress, options, cancel, sink).unwrap_or_else(|error| could_not(&error))
}

fn try_run(
    mut start: Start,
    guard: Option<Guarded<'_>>,
    egress: Option<WayOut<'_>>,
    options: &Options<'_>,
    cancel: &Cancel,
    sink: &mut dyn Sink,
) -> io::Result<Outcome> {
    let (notes, mut says) = io::pipe()?;
    let (guard_stop, guard_stops) = io::pipe()?;
    let proxy_says = egress.is_some().then(|| says.try_clone()).transpose()?;
    let (watching, theirs) = match guard {
        Some(guard) => (Some((guard.judge, guard.ours)), guard.theirs),
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
        let proxy = egress.zip(proxy_says).map(|(way, says)| {
            let stop = &guard_stop;
            scope.spawn(move || egress::answer(way.egress, &way.ours, says, stop))
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
            drop(std::mem::take(&mut start.keep));
            let entered = open_gate(start.gate.take(), options);
            let outcome = attend(kept, start, notes, options, cancel, sink)?;
            Ok(match entered {
                Ok(()) => outcome,
                Err(why) => Outcome {
                    ending: Ending::Failed,
                    failure: Some(why),
                    ..outcome
                },
            })
        });
        drop(guard_stops);
        let watched = guard.map(thread::ScopedJoinHandle::join);
        let proxied = proxy.map(thread::ScopedJoinHandle::join);
        let mut outcome = outcome?;
        match proxied {
            Some(Ok(proxied)) => add_egress(&mut outcome, proxied),
            Some(Err(_)) => add_failure(&mut outcome, "the proxy to package registries failed"),
            None => {}
        }
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

/// Lets the command start once its entry is durable. Where that fails the gate closes, and
/// with it the sandbox.
fn open_gate(gate: Option<PipeWriter>, options: &Options<'_>) -> Result<(), String> {
    let Some(mut gate) = gate else {
        return Ok(());
    };
    if let Some(entry) = options.entry {
        entry()?;
    }
    // Nobody may be there any more to hear it; the run's report says why.
    let _ = gate.write_all(cerco_sandbox::stage::OPEN);
    Ok(())
}
