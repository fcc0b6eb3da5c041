//! The real engine: filter and runner, with the environment that both see.
//!
//! What is judged is what runs: the environment is made once, judged with, and comes back
//! out of the clearance. Commands that are to be held by the sandbox are refused here as
//! long as the runner has no entry for them: they are never run without it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cerco_decide::{Permit, Request};
use cerco_model::{Bare, Captured, Command, Ending, Guard, Outcome, Place, SandboxState, Usage};
use cerco_run::{ForRun, Network, Options, Shell, Sink, Times};
use cerco_sys::tree::RealTree;

use super::{Cancel, Engine, EngineError, OutputSink, Prepared, RunOptions, Where};
use crate::folders::{Folders, private_folder};
use crate::settings::Settings;
use crate::wire::{self, Backend, ReadinessState, Stream};

/// Filter and runner of this machine.
#[derive(Debug)]
pub struct Real {
    folders: Folders,
    shell: Shell,
    caller: Vec<(OsString, OsString)>,
    home: PathBuf,
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
        })
    }
}

impl Engine for Real {
    fn judge(&self, at: &Where, text: &str) -> Result<Prepared, EngineError> {
        if at.sandbox == SandboxState::On {
            return Err(EngineError(
                "the gateway can't run commands in the sandbox yet, and never runs them without it; end it (cerco down) and use: cerco run --sandbox"
                    .to_owned(),
            ));
        }
        let command = Command::new(text.as_bytes().to_vec(), self.shell.dialect())
            .map_err(|e| EngineError(e.to_string()))?;
        let settings =
            Settings::load(&self.folders.config).map_err(|e| EngineError(e.to_string()))?;
        let id = run_id();
        let scratch = self.folders.cache.join("runs").join(&id);
        let environment = cerco_run::environment(
            self.caller.iter().cloned(),
            ForRun {
                id: &id,
                directory: &at.directory,
                scratch: &scratch.to_string_lossy(),
                network: Network::Open,
            },
        );
        let tree = RealTree::around(std::path::Path::new(&at.project));
        let variable = |name: &str| environment.variables.get(name).cloned();
        let place = Place {
            project: at.project.clone(),
            loop_folder: at.loop_folder.clone(),
            directory: at.directory.clone(),
            other_loops: at.other_loops.clone(),
            home: self.home.to_string_lossy().into_owned(),
            user: variable("USER")
                .or_else(|| variable("LOGNAME"))
                .unwrap_or_default(),
            environment: environment.variables.clone(),
            sandbox: at.sandbox,
            guard: Guard::Off,
            allowed_hosts: settings.allowed_hosts,
            tree: &tree,
        };
        let (_, judgement) = cerco_filter::read_and_judge(&command, &place);
        Ok(Prepared {
            request: Request::new(at.who.clone(), command, &place, judgement),
            held: None,
            env_removed: environment.removed,
        })
    }

    fn run(
        &self,
        permit: Permit,
        options: RunOptions,
        sink: Arc<dyn OutputSink>,
        cancel: &Cancel,
    ) -> Outcome {
        let cleared = match permit.clear::<Bare>() {
            Ok(cleared) => cleared,
            Err(error) => return failed(error.to_string()),
        };
        let scratch = cleared
            .environment()
            .iter()
            .find(|(name, _)| name == "TMPDIR")
            .map(|(_, folder)| PathBuf::from(folder));
        let Some(scratch) = scratch else {
            return failed("the run has no scratch folder".to_owned());
        };
        if let Err(error) = private_folder(&scratch) {
            return failed(error.to_string());
        }
        let theirs = cerco_run::Cancel::default();
        let stopping = theirs.clone();
        cancel.on_cancel(move || stopping.stop());
        let usual = Times::default();
        let at_most = |time| options.limit.map_or(time, |limit| limit.min(time));
        let run = Options {
            stdin: options.input,
            times: Times {
                quick: at_most(usual.quick),
                long: at_most(usual.long),
            },
            ..Options::new(self.shell.clone())
        };
        let outcome = cerco_run::run_bare(cleared, &run, &theirs, &mut Through(sink));
        // `remove_dir_all` follows no links. What can't be removed stays in the cache.
        let _ = std::fs::remove_dir_all(&scratch);
        outcome
    }

    fn readiness(&self) -> Vec<wire::Readiness> {
        use cerco_sandbox::readiness::{Backend as Theirs, State, check};
        let found = check(&self.folders.cache, Some(&self.home));
        vec![wire::Readiness {
            backend: match found.backend {
                Theirs::Bubblewrap => Backend::Bubblewrap,
                Theirs::SandboxExec => Backend::SandboxExec,
                Theirs::Wsl => Backend::Wsl,
                Theirs::Docker => Backend::Docker,
            },
            state: match found.state {
                State::Ready => ReadinessState::Ready,
                State::NotReady => ReadinessState::Blocked,
            },
            found: Some(crate::words::shown(&found.found)),
            step: found.step.map(|step| wire::Step {
                id: found.backend.as_str().to_owned(),
                text: crate::words::shown(&step.text),
                command: step.command,
            }),
        }]
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

/// Never the same twice: the moment to the nanosecond, the process, and a counter.
fn run_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:x}-{:x}-{next:x}", since.as_nanos(), std::process::id())
}
