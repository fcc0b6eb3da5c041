//! `cerco hook HOST install | status | uninstall`: our entry in a host's settings file.
//!
//! Everything that isn't ours stays, in its order. What can't be read as JSON is left
//! alone: nobody's settings are worth a guess.

mod entry;
mod file;
mod json;

use std::path::{Path, PathBuf};

pub use entry::{Setup, path};
pub use file::InstallError;

use crate::hook::Host;
use json::Json;

/// How a host's settings stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Our entry isn't there.
    Absent,
    /// It is there as we would write it.
    Installed,
    /// An entry of ours is there, for another program path, mode or time.
    Outdated,
}

/// What a change did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether the file changed.
    pub changed: bool,
    /// The file as it was before, where there was one and it changed.
    pub backup: Option<PathBuf>,
}

/// Puts our entry in, in place of an older one of ours. What is there already as it
/// should be stays where it is among the others.
pub fn install(host: Host, file: &Path, setup: &Setup) -> Result<Change, InstallError> {
    file::change(file, |json| {
        if taken_apart(host, json, setup)? != State::Installed {
            entry::remove(host, json)?;
            entry::add(host, json, setup)?;
        }
        Ok(())
    })
}

/// Takes our entries out.
pub fn uninstall(host: Host, file: &Path) -> Result<Change, InstallError> {
    if !file.exists() {
        return Ok(Change {
            changed: false,
            backup: None,
        });
    }
    file::change(file, |json| entry::remove(host, json).map(|_| ()))
}

/// Looks, changes nothing.
pub fn status(host: Host, file: &Path, setup: &Setup) -> Result<State, InstallError> {
    match file::read(file)? {
        None => Ok(State::Absent),
        Some(json) => taken_apart(host, &json, setup),
    }
}

/// The entry as it would be written, for adding it by hand.
pub fn shown(host: Host, setup: &Setup) -> Result<String, InstallError> {
    let mut json = Json::Object(Vec::new());
    entry::add(host, &mut json, setup)?;
    Ok(file::pretty(&json))
}

fn taken_apart(host: Host, json: &Json, setup: &Setup) -> Result<State, InstallError> {
    let there = entry::remove(host, &mut json.clone())?;
    let mut fresh = Json::Object(Vec::new());
    entry::add(host, &mut fresh, setup)?;
    let wanted = entry::remove(host, &mut fresh)?;
    Ok(if there.is_empty() {
        State::Absent
    } else if there == wanted {
        State::Installed
    } else {
        State::Outdated
    })
}

/// What a person should know of this host's hook beyond its state.
#[must_use]
pub fn remark(host: Host, setup: &Setup) -> Vec<&'static str> {
    let mut lines = Vec::new();
    match host {
        Host::Codex => lines.push(
            "Codex runs a hook only after you trusted this very definition: open /hooks in Codex. Whether you did can't be seen from here.",
        ),
        Host::Claude => lines.push(
            "Claude Code before 2.1.295 doesn't know `onFailure`; there, a hook that can't start lets the command run.",
        ),
        Host::Cursor => lines.push(
            "`failClosed` was read in third-party documents only; try a refused command once.",
        ),
        Host::Copilot => lines.push("Copilot CLI lets a command run when the hook's time is up; ours ends earlier and blocks."),
        Host::Gemini | Host::VsCode => {}
    }
    if !setup.rewrites() {
        lines.push(
            "The host runs the commands in its own shell: tools and filter hold; time limit, environment and sandbox don't. `--rewrite` makes each command a `cerco run`.",
        );
    }
    lines
}

pub(crate) type Edit<'a> = dyn FnMut(&mut Json) -> Result<(), InstallError> + 'a;
