//! Starting a permitted command: in the sandbox or bare, held by the guard. The one way for
//! `cerco run` and for the gateway.
//!
//! It must never run without the sandbox what was to be held by it.

use cerco_decide::Permit;
use cerco_model::{Bare, Guard, Outcome, SandboxState, Sandboxed};
use cerco_run::{Cancel, KeeperProgram, Options, Shell, Sink, Times};

use crate::journal::Held;
use crate::scene::Scene;
use crate::wire::NetworkSetting;

/// Why it can't be started: words with a next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CantStart(pub String);

impl CantStart {
    fn of(why: impl std::fmt::Display) -> Self {
        Self(why.to_string())
    }
}

/// Where the command will run, made ready. There is no way from one to the other.
#[derive(Debug)]
pub enum Ready {
    /// Without the sandbox, which is off.
    Bare,
    /// In the sandbox.
    Sandboxed(Box<Confined>),
}

/// A sandbox that was found, and what it is to hold.
#[derive(Debug)]
pub struct Confined {
    sandbox: cerco_sandbox::Sandbox,
    request: cerco_sandbox::Request,
    plan_hash: String,
    planned: Option<cerco_sandbox::Planned>,
}

/// How a run ended, with what the person should know of its sandbox.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// What the sandbox could not do, and what the command left for others to run.
    pub notes: Vec<String>,
}

impl Ready {
    /// Finds it, so that what can't be held is known before anybody is asked.
    pub fn find(scene: &Scene) -> Result<Self, CantStart> {
        match scene.sandbox {
            SandboxState::Off => Ok(Self::Bare),
            SandboxState::On => {
                // Another backend than the chosen one is never a stand-in for it.
                if let Some(why) = scene.settings.backend.unsupported() {
                    return Err(CantStart(format!(
                        "the backend chosen in Settings can't hold it ({why}); choose bubblewrap"
                    )));
                }
                let home = Some(scene.home.as_path());
                let (project, state) = (scene.project.root(), &scene.folders.state);
                let sandbox = cerco_sandbox::Sandbox::find_remembered(project, home, state)
                    .map_err(CantStart::of)?;
                let request = scene.sandbox_request().map_err(CantStart::of)?;
                let planned = cerco_sandbox::Planned::new(&request).map_err(CantStart::of)?;
                Ok(Self::Sandboxed(Box::new(Confined {
                    sandbox,
                    request,
                    plan_hash: planned.hash(),
                    planned: Some(planned),
                })))
            }
        }
    }

    /// What the journal keeps of it.
    #[must_use]
    pub fn held(&self) -> Option<Held> {
        match self {
            Self::Bare => None,
            Self::Sandboxed(confined) => Some(Held {
                backend: "bubblewrap".to_owned(),
                plan_hash: confined.plan_hash.clone(),
            }),
        }
    }

    /// A person was waited for: the tree may have changed meanwhile, so the run plans anew.
    pub fn after_waiting(&mut self) {
        if let Self::Sandboxed(confined) = self {
            confined.planned = None;
        }
    }

    fn run(
        self,
        permit: Permit,
        options: &Options<'_>,
        cancel: &Cancel,
        through: &mut dyn Sink,
    ) -> Result<Finished, CantStart> {
        match self {
            Self::Bare => {
                let cleared = permit.clear::<Bare>().map_err(CantStart::of)?;
                Ok(Finished {
                    outcome: cerco_run::run_bare(cleared, options, cancel, through),
                    notes: Vec::new(),
                })
            }
            Self::Sandboxed(confined) => {
                let cleared = permit.clear::<Sandboxed>().map_err(CantStart::of)?;
                let ready = cerco_run::Ready {
                    sandbox: &confined.sandbox,
                    request: &confined.request,
                    planned: confined.planned,
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

/// What a run takes besides the command.
pub struct Job<'a> {
    /// The shell of whose dialect it was read.
    pub shell: Shell,
    /// How its keeper is started; one that was started ahead is taken.
    pub keeper: KeeperProgram,
    /// Standard input; nothing: empty.
    pub input: Option<Vec<u8>>,
    /// A shorter time limit than the command's own.
    pub limit: Option<std::time::Duration>,
    /// Makes the run's entry durable, where it isn't yet.
    pub entry: Option<cerco_run::Entry<'a>>,
    /// How the hosts are found that a run with registries may reach.
    pub route: std::sync::Arc<dyn cerco_run::Route>,
}

/// Runs what was permitted at this scene until it ended or was cancelled.
pub fn carry_out(
    scene: &Scene,
    ready: Ready,
    permit: Permit,
    job: Job<'_>,
    cancel: &Cancel,
    through: &mut dyn Sink,
) -> Result<Finished, CantStart> {
    job.keeper.start_ahead();
    let scratch = scene.make_scratch().map_err(CantStart::of)?;
    // The second reading, where the command was judged with it. Where it can't be had
    // nothing is lost but that: what it would have seen was asked about.
    let place = scene.place(scene.guard());
    let rules = cerco_run::Rules::at(&place).with(scene.judging.rules());
    let holds = scene.guard() == Guard::Active;
    let usual = Times::default();
    let at_most = |time| job.limit.map_or(time, |limit| limit.min(time));
    let options = Options {
        guard: holds.then_some(&rules as &dyn cerco_run::Judge),
        egress: match scene.network {
            NetworkSetting::Off => None,
            NetworkSetting::RegistriesOnly => Some(cerco_run::Egress::by(
                place.allowed_hosts.clone(),
                job.route,
            )),
        },
        stdin: job.input,
        times: Times {
            quick: at_most(usual.quick),
            long: at_most(usual.long),
        },
        keeper: job.keeper,
        entry: job.entry,
        ..Options::new(job.shell)
    };
    let finished = ready.run(permit, &options, cancel, through);
    drop(scratch);
    finished
}
