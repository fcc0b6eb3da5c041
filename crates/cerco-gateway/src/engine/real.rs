//! The real engine: the scene, the filter and the runner that `cerco run` has.
//!
//! What is judged is what runs: the scene is made once, judged with, and run in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cerco_decide::{Permit, Request};
use cerco_model::{Captured, Command, Ending, Guard, Outcome, Usage};
use cerco_run::{Internet, KeeperProgram, Route, Shell, Sink};

use super::{
    Cancel, Ended, Engine, EngineError, OutputSink, Prepared, ReadyRun, RunOptions, Way, Where,
};
use crate::folders::Folders;
use crate::journal::Held;
use crate::project::{Known, Project};
use crate::scene::{Scene, Settled};
use crate::self_test;
use crate::settings::Settings;
use crate::start::{self, Job};
use crate::wire::{self, Backend, ReadinessState, Stream};

/// For so long a guard that worked needn't be tried again: trying it copies this process,
/// which is most of what a check would cost. A run that is to be held and can't be fails.
const GUARD_HOLDS: Duration = Duration::from_mins(1);

/// Filter and runner of this machine.
pub struct Real {
    folders: Folders,
    shell: Shell,
    caller: Vec<(OsString, OsString)>,
    home: PathBuf,
    route: Arc<dyn Route>,
    guard_worked: Mutex<Option<Instant>>,
}

impl Real {
    /// The engine with this process's environment as the person's own.
    pub fn new(folders: Folders) -> Result<Self, EngineError> {
        let error = |text: &str| EngineError(text.to_owned());
        Ok(Self {
            folders,
            shell: Shell::of_this_machine()
                .ok_or_else(|| error("there is neither bash nor /bin/sh here; install bash"))?,
            caller: std::env::vars_os().collect(),
            home: std::env::home_dir()
                .ok_or_else(|| error("HOME is not set; set it to your home folder"))?,
            route: Arc::new(Internet::default()),
            guard_worked: Mutex::new(None),
        })
    }

    /// The same with another way to the hosts that are let through; which ones those are is
    /// not its affair.
    #[must_use]
    pub fn by(self, route: Arc<dyn Route>) -> Self {
        Self { route, ..self }
    }

    /// The scene with what is known of the guard.
    fn guarded(&self, scene: Scene) -> Scene {
        let worked = || {
            self.guard_worked
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let is_fresh = worked().is_some_and(|at| at.elapsed() < GUARD_HOLDS);
        if is_fresh {
            return scene.with_guard(Guard::Active);
        }
        // Tried without the lock: nobody waits for another's try.
        let found = scene.guard();
        *worked() = (found == Guard::Active).then(Instant::now);
        scene
    }

    /// Read anew for each command, as `cerco run` does: settings and the project's file
    /// count as they are now, and one that was changed behind a person's back stops it.
    fn scene(&self, at: &Where) -> Result<Scene, EngineError> {
        let config = &self.folders.config;
        let settings = Settings::load(config).map_err(EngineError::of)?;
        let known = Known::load(config).map_err(EngineError::of)?;
        let project = Project::around(at.project.as_ref(), &known).map_err(EngineError::of)?;
        let settled = Settled {
            project: project.with_loops(at.loops.clone()),
            this_loop: at.this_loop.clone(),
            role: at.who.role.clone(),
            directory: PathBuf::from(&at.directory),
            sandbox: at.sandbox,
        };
        let environment = at.environment.as_deref().unwrap_or(&self.caller);
        Scene::of(
            self.folders.clone(),
            settings,
            settled,
            environment.iter().cloned(),
        )
        .map_err(EngineError::of)
    }
}

impl Engine for Real {
    fn judge(&self, at: &Where, text: &str) -> Result<Prepared, EngineError> {
        let command = Command::new(text.as_bytes().to_vec(), self.shell.dialect())
            .map_err(EngineError::of)?;
        let scene = self.guarded(self.scene(at)?);
        let place = scene.place(scene.guard());
        let judgement = scene.judging.judge(&command, &place);
        Ok(Prepared {
            request: Request::new(at.who.clone(), command, &place, judgement),
            env_removed: scene.environment.removed.clone(),
            way: Box::new(Judged {
                scene,
                shell: self.shell.clone(),
                route: Arc::clone(&self.route),
            }),
        })
    }

    fn readiness(&self) -> Vec<wire::Readiness> {
        // The check's own scratch lies there. Where it can't be made, the check says so.
        let _ = crate::folders::private_folder(&self.folders.cache);
        let found = cerco_sandbox::readiness::check(&self.folders.cache, Some(&self.home));
        let others = Backend::ALL.into_iter().filter_map(|backend| {
            Some(wire::Readiness {
                backend,
                state: ReadinessState::Unsupported,
                found: Some(backend.unsupported()?.to_owned()),
                step: None,
            })
        });
        std::iter::once(self_test::readiness(found))
            .chain(others)
            .collect()
    }

    fn self_test(&self) -> wire::SelfTest {
        self_test::run(&self.folders, &self.caller, &self.home)
    }
}

/// A command that was judged at its scene.
struct Judged {
    scene: Scene,
    shell: Shell,
    route: Arc<dyn Route>,
}

impl Way for Judged {
    fn make_ready(self: Box<Self>) -> Result<Box<dyn ReadyRun>, EngineError> {
        let ready = start::Ready::find(&self.scene).map_err(EngineError::of)?;
        Ok(Box::new(Startable {
            ready,
            judged: *self,
        }))
    }
}

/// A command whose sandbox was found, or that needs none.
struct Startable {
    judged: Judged,
    ready: start::Ready,
}

impl ReadyRun for Startable {
    fn held(&self) -> Option<Held> {
        self.ready.held()
    }

    fn after_waiting(&mut self) {
        self.ready.after_waiting();
    }

    fn run(
        self: Box<Self>,
        permit: Permit,
        options: RunOptions,
        sink: Arc<dyn OutputSink>,
        cancel: &Cancel,
    ) -> Ended {
        let theirs = cerco_run::Cancel::default();
        let stopping = theirs.clone();
        cancel.on_cancel(move || stopping.stop());
        let Judged {
            scene,
            shell,
            route,
        } = self.judged;
        let job = Job {
            shell,
            keeper: KeeperProgram::own(),
            input: options.input,
            limit: options.limit,
            entry: None,
            route,
        };
        let through = &mut Through(sink);
        match start::carry_out(&scene, self.ready, permit, job, &theirs, through) {
            Ok(finished) => Ended {
                outcome: finished.outcome,
                notes: finished.notes,
            },
            Err(error) => Ended {
                outcome: failed(error.to_string()),
                notes: Vec::new(),
            },
        }
    }
}

struct Through(Arc<dyn OutputSink>);

impl Sink for Through {
    fn output(&mut self, stream: cerco_run::Stream, bytes: &[u8]) {
        let stream = match stream {
            cerco_run::Stream::Stdout => Stream::Stdout,
            cerco_run::Stream::Stderr => Stream::Stderr,
        };
        self.0.output(stream, bytes);
    }
}

fn failed(why: String) -> Outcome {
    Outcome {
        ending: Ending::Failed,
        failure: Some(why),
        stdout: Captured::default(),
        stderr: Captured::default(),
        usage: Usage::default(),
        guard_refusals: Vec::new(),
        stopped: 0,
    }
}
