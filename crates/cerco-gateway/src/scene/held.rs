//! What holds the commands of a scene: the guard, and the request to the sandbox.

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cerco_model::{Guard, SandboxState};
use cerco_run::Network;

use super::Scene;
#[cfg(target_os = "linux")]
use crate::scratch;
#[cfg(target_os = "linux")]
use crate::secrets::{TooLarge, secrets};
use crate::wire::NetworkSetting;

impl Scene {
    /// Whether program starts will be held and judged: tried once for each scene. Judged
    /// with it, the command must run with it.
    pub fn guard(&self) -> Guard {
        *self
            .guard
            .get_or_init(|| can_be_guarded(&self.folders.state))
    }

    /// The same scene with what trying the guard said before.
    #[must_use]
    pub fn with_guard(self, guard: Guard) -> Self {
        Self {
            guard: OnceLock::from(guard),
            ..self
        }
    }

    /// Where the sandbox has to hold the command. Cerco's own files are not readable in it.
    #[cfg(target_os = "linux")]
    pub fn sandbox_request(&self) -> Result<cerco_sandbox::Request, TooLarge> {
        let all = self.project.loops().iter();
        let own = [
            &self.folders.state,
            &self.folders.runtime,
            &self.folders.config,
        ];
        let mut hidden: Vec<PathBuf> = own.into_iter().filter(|f| f.exists()).cloned().collect();
        if self.hide_secrets {
            hidden.extend(secrets(self.project.root())?);
        }
        Ok(cerco_sandbox::Request {
            project: self.project.root().to_path_buf(),
            loop_folder: self.this_loop.folder.clone(),
            directory: self.directory.clone(),
            other_loops: all
                .filter(|other| other.folder != self.this_loop.folder)
                .map(|other| other.folder.clone())
                .collect(),
            hidden,
            home: Some(self.home.clone()),
            records: Some(self.folders.runs()),
            network: match self.network {
                NetworkSetting::Off => cerco_sandbox::Network::Off,
                NetworkSetting::RegistriesOnly => cerco_sandbox::Network::Registries,
            },
            scratch: Some(scratch::place(
                &self.folders,
                SandboxState::On,
                &self.run_id,
            )),
            ..cerco_sandbox::Request::default()
        })
    }
}

/// What the run's programs are told of the network.
#[cfg(target_os = "linux")]
pub(super) fn of_the_run(sandbox: SandboxState, network: NetworkSetting) -> Network {
    match (sandbox, network) {
        (SandboxState::Off, _) => Network::Open,
        (SandboxState::On, NetworkSetting::Off) => Network::Off,
        (SandboxState::On, NetworkSetting::RegistriesOnly) => Network::Registries {
            port: cerco_sandbox::PROXY_PORT,
        },
    }
}

/// There is no proxy on this system yet, so nothing is reached from a sandbox.
#[cfg(not(target_os = "linux"))]
pub(super) fn of_the_run(sandbox: SandboxState, _: NetworkSetting) -> Network {
    match sandbox {
        SandboxState::Off => Network::Open,
        SandboxState::On => Network::Off,
    }
}

#[cfg(target_os = "linux")]
fn can_be_guarded(state: &Path) -> Guard {
    match cerco_run::probe_guard_remembered(state) {
        Ok(()) => Guard::Active,
        Err(_) => Guard::Off,
    }
}

#[cfg(not(target_os = "linux"))]
fn can_be_guarded(_: &Path) -> Guard {
    Guard::Off
}
