//! Starting a permitted command: in the sandbox or bare, its output passed through, Ctrl-C
//! turned into a stop.

use std::io::{self, Write};
use std::thread;

use cerco_decide::Permit;
use cerco_gateway::journal::Held;
use cerco_gateway::scene::Scene;
use cerco_model::{Bare, Outcome, SandboxState, Sandboxed};
use cerco_run::{Cancel, Options, Sink, Stream};

use crate::failure::Failure;

/// Where the command will run, made ready. There is no way from one to the other.
#[derive(Debug)]
pub(crate) enum Ready {
    Bare,
    Sandboxed(Box<Confined>),
}

/// A sandbox that was found, and what it is to hold.
#[derive(Debug)]
pub(crate) struct Confined {
    sandbox: cerco_sandbox::Sandbox,
    request: cerco_sandbox::Request,
    plan_hash: String,
}

/// How a run ended, with what the person should know of its sandbox.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) notes: Vec<String>,
}

impl Ready {
    pub(crate) fn find(scene: &Scene) -> Result<Self, Failure> {
        match scene.sandbox {
            SandboxState::Off => Ok(Self::Bare),
            SandboxState::On => {
                let home = Some(scene.home.as_path());
                let sandbox = cerco_sandbox::Sandbox::find(scene.project.root(), home)
                    .map_err(Failure::own)?;
                let request = scene.sandbox_request();
                // Planned once before anybody is asked, so that what can't be held is
                // said first; the run plans anew, because the tree may change meanwhile.
                let survey = cerco_sandbox::survey(&request).map_err(Failure::own)?;
                let plan = cerco_sandbox::Plan::new(&survey.facts, request.network, request.limits)
                    .map_err(Failure::own)?;
                Ok(Self::Sandboxed(Box::new(Confined {
                    sandbox,
                    request,
                    plan_hash: hash(&plan),
                })))
            }
        }
    }

    /// What the journal keeps of it.
    pub(crate) fn held(&self) -> Option<Held> {
        match self {
            Self::Bare => None,
            Self::Sandboxed(confined) => Some(Held {
                backend: "bubblewrap".to_owned(),
                plan_hash: confined.plan_hash.clone(),
            }),
        }
    }

    pub(crate) fn run(
        self,
        permit: Permit,
        options: &Options<'_>,
        cancel: &Cancel,
        through: &mut Through,
    ) -> Result<Finished, Failure> {
        match self {
            Self::Bare => {
                let cleared = permit.clear::<Bare>().map_err(Failure::own)?;
                Ok(Finished {
                    outcome: cerco_run::run_bare(cleared, options, cancel, through),
                    notes: Vec::new(),
                })
            }
            Self::Sandboxed(confined) => {
                let cleared = permit.clear::<Sandboxed>().map_err(Failure::own)?;
                let ready = cerco_run::Ready {
                    sandbox: &confined.sandbox,
                    request: &confined.request,
                };
                let ran = cerco_run::run_sandboxed(cleared, ready, options, cancel, through);
                let planted = ran.planted.iter();
                let left = planted.map(|p| format!("it left {}: {}", p.path.display(), p.why));
                Ok(Finished {
                    notes: ran.notes.iter().cloned().chain(left).collect(),
                    outcome: ran.outcome,
                })
            }
        }
    }
}

/// Equal for equal plans, on any machine and in any process.
fn hash(plan: &cerco_sandbox::Plan) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    format!("{:?}", plan.steps()).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Passes output on as it comes; with --json it goes into the one object instead.
pub(crate) struct Through {
    is_silent: bool,
    cancel: Cancel,
}

impl Through {
    pub(crate) fn new(is_silent: bool, cancel: Cancel) -> Self {
        Self { is_silent, cancel }
    }
}

impl Sink for Through {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.is_silent {
            return;
        }
        let written = match stream {
            Stream::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Stream::Stderr => io::stderr().lock().write_all(bytes),
        };
        if written.is_err() {
            // Nobody reads any more (`| head`): it ends as it would without Cerco.
            self.is_silent = true;
            self.cancel.stop();
        }
    }
}

/// Ctrl-C (or a polite request to end) stops the command, a second one at once.
#[cfg(unix)]
pub(crate) fn cancel_by_signals(cancel: &Cancel) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|e| Failure::own(format!("signals can't be handled: {e}")))?;
    let cancel = cancel.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                cancel.kill();
            } else {
                cancel.stop();
            }
        }
    });
    Ok(())
}
