//! The sandbox's self-test as the page and the command line both make it: with the folders
//! and the environment that a command would get.

use std::ffi::OsString;
use std::path::Path;

use crate::folders::Folders;
use crate::wire;
use crate::words::shown;

/// Makes every attempt to get out. `caller` is the environment that a command's is made of.
#[cfg(target_os = "linux")]
#[must_use]
pub fn run(folders: &Folders, caller: &[(OsString, OsString)], home: &Path) -> wire::SelfTest {
    use cerco_sandbox::self_test::{Asked, State, self_test};

    let environment = cerco_run::environment(
        caller.iter().cloned(),
        cerco_run::ForRun {
            id: &format!("self-test-{}", std::process::id()),
            directory: "/",
            scratch: "/tmp",
            network: cerco_run::Network::Off,
        },
    );
    let own = [&folders.state, &folders.runtime, &folders.config];
    let asked = Asked {
        scratch: std::env::temp_dir(),
        home: Some(home.to_path_buf()),
        hidden: own
            .into_iter()
            .filter(|folder| folder.exists())
            .cloned()
            .collect(),
        environment: environment
            .variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
    };
    match self_test(&asked) {
        Ok(outcomes) => wire::SelfTest {
            holds: !outcomes.is_empty() && outcomes.iter().all(|o| o.state == State::Holds),
            outcomes: outcomes
                .into_iter()
                .map(|o| wire::SelfTestOutcome {
                    id: o.id.to_owned(),
                    protection: o.protection().to_owned(),
                    what: o.what.to_owned(),
                    state: match o.state {
                        State::Holds => wire::SelfTestState::Holds,
                        State::Broken => wire::SelfTestState::Broken,
                        State::Unknown => wire::SelfTestState::Unknown,
                    },
                    found: shown(&o.found),
                })
                .collect(),
            not_ready: None,
        },
        Err(ready) => wire::SelfTest {
            holds: false,
            outcomes: Vec::new(),
            not_ready: Some(readiness(ready)),
        },
    }
}

/// There is nothing to try on this system yet.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn run(folders: &Folders, _: &[(OsString, OsString)], home: &Path) -> wire::SelfTest {
    let found = cerco_sandbox::readiness::check(&folders.cache, Some(home));
    wire::SelfTest {
        holds: false,
        outcomes: Vec::new(),
        not_ready: Some(readiness(found)),
    }
}

/// Readiness in the words of the doors.
#[must_use]
pub fn readiness(found: cerco_sandbox::readiness::Readiness) -> wire::Readiness {
    use cerco_sandbox::readiness::{Backend, State};
    wire::Readiness {
        backend: match found.backend {
            Backend::Bubblewrap => wire::Backend::Bubblewrap,
            Backend::SandboxExec => wire::Backend::SandboxExec,
            Backend::Wsl => wire::Backend::Wsl,
            Backend::Docker => wire::Backend::Docker,
        },
        state: match found.state {
            State::Ready => wire::ReadinessState::Ready,
            State::NotReady => wire::ReadinessState::Blocked,
        },
        found: Some(shown(&found.found)),
        step: found.step.map(|step| wire::Step {
            id: found.backend.as_str().to_owned(),
            text: shown(&step.text),
            command: step.command,
        }),
    }
}
