//! What the gateway needs from the crates that judge and run: two verbs and a question.
//!
//! The gateway itself knows no rule and starts no command. The real engine is put together
//! from filter, sandbox and runner; tests give a scripted one.

mod real;

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cerco_decide::{Permit, Request, Who};
use cerco_model::{Outcome, SandboxState};

pub use real::Real;

use crate::journal::Held;
use crate::project::Loop;
use crate::wire::{Readiness, SelfTest, Stream};

/// Where a command would run and for whom.
#[derive(Clone, Debug)]
pub struct Where {
    /// Who wants to run it.
    pub who: Who,
    /// The project's folder, canonical.
    pub project: String,
    /// The loop.
    pub this_loop: Loop,
    /// The directory to start in, canonical, inside the loop's folder.
    pub directory: String,
    /// Every loop of the board.
    pub loops: Vec<Loop>,
    /// Whether it runs in the sandbox.
    pub sandbox: SandboxState,
    /// The environment that the run's is made of; nothing: the gateway's own.
    pub environment: Option<Arc<Environment>>,
}

/// Variables as a program has them.
pub type Environment = Vec<(OsString, OsString)>;

/// Why a text can't be judged or run: words with a next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);

impl EngineError {
    /// In the words of another error.
    #[must_use]
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// A judged command, with what the journal wants to know before it starts.
pub struct Prepared {
    /// What is decided about.
    pub request: Request,
    /// Names of the variables that are kept from it.
    pub env_removed: Vec<String>,
    /// The way on, once it may run or is asked about.
    pub way: Box<dyn Way>,
}

/// A judged command on its way. What was judged is what runs: the place, the environment
/// and the rules stay together from here to the end.
pub trait Way: Send {
    /// Finds what is to hold it, before anybody is asked: what can't be held doesn't run.
    fn make_ready(self: Box<Self>) -> Result<Box<dyn ReadyRun>, EngineError>;
}

/// A command that only waits for its permit.
pub trait ReadyRun: Send {
    /// The sandbox that will hold it; nothing: none will.
    fn held(&self) -> Option<Held>;
    /// A person was waited for: the tree may have changed meanwhile.
    fn after_waiting(&mut self);
    /// Runs what was permitted until it ended or was cancelled. Blocks.
    fn run(
        self: Box<Self>,
        permit: Permit,
        options: RunOptions,
        sink: Arc<dyn OutputSink>,
        cancel: &Cancel,
    ) -> Ended;
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub outcome: Outcome,
    /// What a person should know of it: what it left for others to run.
    pub notes: Vec<String>,
}

/// How a run is started.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Standard input; nothing: empty.
    pub input: Option<Vec<u8>>,
    /// A shorter time limit than the command's own.
    pub limit: Option<Duration>,
}

/// Takes output as it comes. It must never wait: whoever is slow loses output, not the run.
pub trait OutputSink: Send + Sync {
    /// The next bytes of a stream.
    fn output(&self, stream: Stream, bytes: &[u8]);
}

/// Judges and runs.
pub trait Engine: Send + Sync + 'static {
    /// Reads and judges a text. Nothing runs.
    fn judge(&self, at: &Where, text: &str) -> Result<Prepared, EngineError>;
    /// What each backend says. May take seconds.
    fn readiness(&self) -> Vec<Readiness>;
    /// Tries to get out of the sandbox. Takes seconds.
    fn self_test(&self) -> SelfTest;
}

type Hook = Box<dyn FnOnce() + Send>;

/// Stops a run, from any thread, once.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<(bool, Vec<Hook>)>>);

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cancel({})", self.is_cancelled())
    }
}

impl Cancel {
    /// Cancels; everything that waits for it is called.
    pub fn cancel(&self) {
        let hooks = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        for hook in hooks {
            hook();
        }
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Calls `hook` when it is cancelled, or now when it was.
    pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 {
            drop(state);
            hook();
        } else {
            state.1.push(Box::new(hook));
        }
    }
}
