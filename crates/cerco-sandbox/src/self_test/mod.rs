//! The self-test: attempts to get out of the sandbox, really made on the person's own
//! machine, in a project of its own that goes away afterwards. Readiness says that the
//! profile starts; this says that it holds.
//!
//! One run makes every attempt (each in a process of its own, [`inside`]); what an attempt
//! must not have done is looked for from outside ([`ground`]); a second run shows that time
//! ends everything. Nothing is sent further than to this machine's own loopback, and what an
//! attempt that got through changed is changed back or was the self-test's own.

mod ground;
mod inside;
mod names;
mod runs;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::launch::Sandbox;
use crate::readiness::{self, Readiness, State as ReadyState};
use crate::refusal::Refusal;

pub(crate) use inside::{WORD, enter};

/// What the self-test is made with.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Where its project is made for the time being: a folder for temporary files.
    pub scratch: PathBuf,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// What must not be readable: Cerco's own folders.
    pub hidden: Vec<PathBuf>,
    /// The environment that a command would get.
    pub environment: Vec<(OsString, OsString)>,
}

/// How it went with one thing that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every attempt was stopped, or the job was done.
    Holds,
    /// An attempt got through, or an ordinary job could not be done.
    Broken,
    /// It could not be tried, so nobody knows.
    Unknown,
}

impl State {
    /// The word for it in data.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken => "broken",
            Self::Unknown => "unknown",
        }
    }
}

/// One thing that must hold, and whether it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its name, for programs: `files.project`.
    pub id: &'static str,
    /// What must hold, as a sentence.
    pub what: &'static str,
    /// Whether it does.
    pub state: State,
    /// What was found where it doesn't; empty where it does.
    pub found: String,
}

impl Outcome {
    /// The protection it belongs to: `files`, `secrets`, `network`, `processes`, `kernel`,
    /// `limits`, `git`, or `works` for ordinary jobs.
    #[must_use]
    pub fn protection(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }
}

/// Every sentence that an outcome may say, for who says it in another language.
#[must_use]
pub fn sentences() -> Vec<&'static str> {
    table::all().map(|(_, what)| what).collect()
}

/// Makes every attempt. Takes a few seconds at most. An error is a sandbox that can't be
/// started here, with the one step that fixes it.
pub fn self_test(asked: &Asked) -> Result<Vec<Outcome>, Readiness> {
    let ready = readiness::check(&asked.scratch, asked.home.as_deref());
    if ready.state != ReadyState::Ready {
        return Err(ready);
    }
    match Sandbox::find(&asked.scratch, asked.home.as_deref()) {
        Ok(sandbox) => Ok(self_test_in(&sandbox, asked)),
        Err(why) => Err(lost(&why)),
    }
}

/// The same with a launcher that was found before.
#[must_use]
pub fn self_test_in(sandbox: &Sandbox, asked: &Asked) -> Vec<Outcome> {
    match runs::all(sandbox, asked) {
        Ok(outcomes) => outcomes,
        Err(why) => table::all()
            .map(|(id, what)| Outcome {
                id,
                what,
                state: State::Unknown,
                found: why.clone(),
            })
            .collect(),
    }
}

/// It was ready a moment ago.
fn lost(why: &Refusal) -> Readiness {
    readiness::explain_here(&why.to_string())
}
