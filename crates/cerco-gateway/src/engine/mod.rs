//! What the gateway needs from the crates that judge and run: two verbs and a question.
//!
//! The gateway itself knows no rule and starts no command. The real engine is put together
//! from filter, sandbox and runner; tests give a scripted one.

mod real;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cerco_decide::{Permit, Request, Who};
use cerco_model::{Outcome, SandboxState};

pub use real::Real;

use crate::journal::Held;
use crate::wire::{Readiness, Stream};

/// Where a command would run and for whom.
#[derive(Clone, Debug)]
pub struct Where {
    /// Who wants to run it.
    pub who: Who,
    /// The project's folder, canonical.
    pub project: String,
    /// The loop's folder, canonical.
    pub loop_folder: String,
    /// The directory to start in, canonical, inside the loop's folder.
    pub directory: String,
    /// Other loops' folders inside the loop's folder, canonical.
    pub other_loops: Vec<String>,
    /// Whether it runs in the sandbox.
    pub sandbox: SandboxState,
}

/// Why a text can't be judged or run: words with a next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);

/// A judged command, with what the journal wants to know before it starts.
#[derive(Debug)]
pub struct Prepared {
    /// What is decided about.
    pub request: Request,
    /// The sandbox that will hold it; nothing: none will.
    pub held: Option<Held>,
    /// Names of the variables that are kept from it.
    pub env_removed: Vec<String>,
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
    /// Runs what was permitted until it ended or was cancelled. Blocks.
    fn run(
        &self,
        permit: Permit,
        options: RunOptions,
        sink: Arc<dyn OutputSink>,
        cancel: &Cancel,
    ) -> Outcome;
    /// What each backend says. May take seconds.
    fn readiness(&self) -> Vec<Readiness>;
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
