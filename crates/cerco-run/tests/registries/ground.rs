//! A project with a loop, and what stands in for the registries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cerco_model::{Authority, Cleared, Judgement, SandboxState, TimeClass};
use cerco_run::{Cancel, Confined, Egress, ForRun, KeeperProgram, NoSink, Options, Ready, Shell};
use cerco_sandbox::{Network, PROXY_PORT, Request, Sandbox};

use crate::stand_in::StandIn;
use crate::support::{self, id};

/// The registries, and which hosts are theirs.
pub(crate) struct Registries(StandIn);

impl Registries {
    pub(crate) fn start() -> Self {
        Self(StandIn::start(std::env::temp_dir().join(id())))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0.folder
    }

    pub(crate) fn hosts() -> Vec<String> {
        vec!["*.registry.example".to_owned()]
    }

    pub(crate) fn egress(&self) -> Egress {
        Egress::by(Self::hosts(), Arc::new(self.0.table))
    }
}

/// A project with a loop in it, which goes away with the value.
pub(crate) struct Ground {
    project: PathBuf,
    pub(crate) network: Network,
}

impl Ground {
    /// With what the package managers need: the certificate, and a manifest.
    pub(crate) fn new(registries: &Path) -> Self {
        let project = std::env::temp_dir().join(id());
        let folder = project.join("loop");
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::create_dir_all(folder.join(".cargo")).unwrap();
        std::fs::copy(registries.join("ca.pem"), folder.join("ca.pem")).unwrap();
        for (file, content) in [
            ("package.json", r#"{"name": "app", "version": "1.0.0"}"#),
            ("src/lib.rs", ""),
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nstandin = { version = \"1\", registry = \"standin\" }\n[workspace]\n",
            ),
            (
                ".cargo/config.toml",
                "[registries.standin]\nindex = \"sparse+https://crates.registry.example/index/\"\n",
            ),
        ] {
            std::fs::write(folder.join(file), content).unwrap();
        }
        Self {
            project: project.canonicalize().unwrap(),
            network: Network::Registries,
        }
    }

    pub(crate) fn run(&self, text: &str, egress: Option<Egress>) -> Confined {
        let folder = self.project.join("loop");
        let directory = folder.to_str().unwrap();
        let id = id();
        let mut place = support::place(&id, directory, SandboxState::On);
        let run = ForRun {
            id: &id,
            directory,
            scratch: "/tmp",
            network: cerco_run::Network::Registries { port: PROXY_PORT },
        };
        place.environment = cerco_run::environment(caller(), run).variables;
        let home = std::env::home_dir();
        let request = Request {
            project: self.project.clone(),
            loop_folder: folder.clone(),
            network: self.network,
            home: home.clone(),
            ..Request::default()
        };
        let shell = Shell::of_this_machine().unwrap();
        let command = cerco_model::Command::new(text.as_bytes().to_vec(), shell.dialect()).unwrap();
        let judgement = Judgement::new(Vec::new(), Vec::new(), TimeClass::Quick);
        let cleared = Cleared::issue(command, &place, &judgement, Authority::Rule).unwrap();
        let sandbox = Sandbox::find(&self.project, home.as_deref()).unwrap();
        let ready = Ready {
            planned: None,
            sandbox: &sandbox,
            request: &request,
        };
        let options = Options {
            keeper: KeeperProgram::own(),
            egress,
            ..Options::new(shell)
        };
        cerco_run::run_sandboxed(cleared, ready, &options, &Cancel::default(), &mut NoSink)
    }
}

/// This process's environment, without certificates that tools would prefer to the given one.
fn caller() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        !["CA_BUNDLE", "CERT", "CA_CERTS", "CERT_FILE", "CAINFO"]
            .iter()
            .any(|end| name.to_uppercase().ends_with(end))
    })
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.project);
    }
}
