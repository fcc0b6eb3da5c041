//! Where and as whom a command would run, for real: project, loop, role, environment, tree.
//!
//! Everything a [`Place`] needs, owned, found once. It must never decide; what can't be
//! found is an error with a step.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cerco_model::{Guard, Place, Role, SandboxState};
use cerco_run::{Environment, ForRun, Network, environment};
use cerco_sys::tree::RealTree;

use crate::folders::{Folders, FoldersError};
use crate::judging::{Judging, Sources};
use crate::project::{Known, Loop, Project, ProjectError, nested};
use crate::scratch::{self, Scratch};
use crate::secrets::{TooLarge, secrets};
use crate::settings::Settings;
use crate::toml_file::FileError;
use crate::wire::NetworkSetting;

/// What a caller may say about the scene; nothing means: as it follows from the rest.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The project, or any folder in it; the current directory otherwise.
    pub project: Option<PathBuf>,
    /// A loop's name or folder; the loop around the current directory otherwise.
    pub this_loop: Option<String>,
    /// A role; Coder otherwise.
    pub role: Option<String>,
    /// The sandbox; as the settings say otherwise.
    pub sandbox: Option<SandboxState>,
    /// The network of the sandbox; as the project and the settings say otherwise.
    pub network: Option<NetworkSetting>,
}

/// Where, as whom and how a command is to run.
#[derive(Debug)]
pub struct Settled {
    /// The project, with every loop that counts.
    pub project: Project,
    /// The loop.
    pub this_loop: Loop,
    /// The role.
    pub role: Role,
    /// Where the command starts, canonical, in the loop's folder.
    pub directory: PathBuf,
    /// The sandbox.
    pub sandbox: SandboxState,
}

/// The scene of one command.
#[derive(Debug)]
pub struct Scene {
    /// Where Cerco's own files are.
    pub folders: Folders,
    /// What the person set.
    pub settings: Settings,
    /// The project.
    pub project: Project,
    /// The loop.
    pub this_loop: Loop,
    /// The role.
    pub role: Role,
    /// Where the command starts.
    pub directory: PathBuf,
    /// The sandbox.
    pub sandbox: SandboxState,
    /// The network of the sandbox; without one it is off and means nothing.
    pub network: NetworkSetting,
    /// The person's home.
    pub home: PathBuf,
    /// The run's name, unique for ever.
    pub run_id: String,
    /// The environment of the run.
    pub environment: Environment,
    /// The person's and the project's own rules and hosts.
    pub judging: Judging,
    guard: OnceLock<Guard>,
    tree: RealTree,
}

/// Why there is no scene.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The project, the loop or the role.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// Settings or the list of projects.
    #[error(transparent)]
    File(#[from] FileError),
    /// Cerco's own folders.
    #[error(transparent)]
    Folders(#[from] FoldersError),
    /// The current directory is gone.
    #[error("the current directory can't be read: {0}; go to the project's folder")]
    NoDirectory(std::io::Error),
    /// A path that is no text.
    #[error("{} has a name that is not UTF-8; rename it", .0.display())]
    NotText(PathBuf),
}

impl SceneError {
    /// Whether what the caller said is wrong, rather than what is on the disk.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Project(ProjectError::File(_) | ProjectError::Changed { .. })
            | Self::File(_)
            | Self::Folders(_) => false,
            Self::Project(_) | Self::NoDirectory(_) | Self::NotText(_) => true,
        }
    }
}

impl Scene {
    /// Finds the scene.
    pub fn find(wanted: &Wanted) -> Result<Self, SceneError> {
        let folders = Folders::from_environment()?;
        let settings = Settings::load(&folders.config)?;
        let known = Known::load(&folders.config)?;
        let here = std::env::current_dir().map_err(SceneError::NoDirectory)?;
        let mut project = Project::around(wanted.project.as_deref().unwrap_or(&here), &known)?;
        if wanted.network.is_some() {
            project = project.with_network(wanted.network);
        }
        let this_loop = match &wanted.this_loop {
            Some(name) => project.loop_named(name)?,
            None => project.loop_at(&here)?,
        };
        let role = project.role(wanted.role.as_deref().unwrap_or("Coder"))?;
        let directory = start_directory(&this_loop, &project, &here);
        let sandbox = wanted.sandbox.unwrap_or(if settings.sandbox {
            SandboxState::On
        } else {
            SandboxState::Off
        });
        let settled = Settled {
            project,
            this_loop,
            role,
            directory,
            sandbox,
        };
        Self::of(folders, settings, settled, std::env::vars_os())
    }

    /// The scene of a command whose place is settled already. `caller` is the environment
    /// that the run's is made of.
    pub fn of(
        folders: Folders,
        settings: Settings,
        settled: Settled,
        caller: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, SceneError> {
        let Settled {
            project,
            this_loop,
            role,
            directory,
            sandbox,
        } = settled;
        for path in [project.root(), &directory] {
            if path.to_str().is_none() {
                return Err(SceneError::NotText(path.to_path_buf()));
            }
        }
        let home = std::env::home_dir().ok_or(FoldersError::NoHome)?;
        let network = match sandbox {
            SandboxState::On => project.network().unwrap_or(settings.network),
            SandboxState::Off => NetworkSetting::Off,
        };
        let run_id = run_id();
        let scratch = scratch::place(&folders, sandbox, &run_id);
        let caller: Vec<(OsString, OsString)> = caller.into_iter().collect();
        // Where the person's own files are. The run's folders of those names are scratch.
        let callers = caller
            .iter()
            .filter_map(|(n, v)| Some((n.to_str()?.to_owned(), v.to_str()?.to_owned())))
            .collect();
        let environment = environment(
            caller,
            ForRun {
                id: &run_id,
                directory: &directory.to_string_lossy(),
                scratch: &scratch.to_string_lossy(),
                network: of_the_run(sandbox, network),
            },
        );
        let judging = Judging::load(Sources {
            config: &folders.config,
            home: &home,
            environment: &callers,
            root: project.root(),
            accepted: project.accepted(),
        })?;
        Ok(Self {
            judging,
            guard: OnceLock::new(),
            tree: RealTree::around(project.root()),
            folders,
            settings,
            project,
            this_loop,
            role,
            directory,
            sandbox,
            network,
            home,
            run_id,
            environment,
        })
    }

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

    /// The facts to read and judge with.
    #[must_use]
    pub fn place(&self, guard: Guard) -> Place<'_> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let variable = |name: &str| self.environment.variables.get(name).cloned();
        Place {
            project: text(self.project.root()),
            loop_folder: text(&self.this_loop.folder),
            directory: text(&self.directory),
            other_loops: nested(self.project.loops(), &self.this_loop)
                .map(|other| text(&other.folder))
                .collect(),
            home: text(&self.home),
            user: variable("USER")
                .or_else(|| variable("LOGNAME"))
                .unwrap_or_default(),
            environment: self.environment.variables.clone(),
            sandbox: self.sandbox,
            guard,
            allowed_hosts: [&self.settings.allowed_hosts, self.judging.hosts()].concat(),
            tree: &self.tree,
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
        if self.settings.hide_secrets {
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

    /// Makes the run's own scratch folder; it goes when the value does. With the sandbox
    /// there is none to make here: it lies in the private `/tmp`.
    pub fn make_scratch(&self) -> Result<Scratch, FoldersError> {
        Scratch::make(&self.folders, self.sandbox, &self.run_id)
    }
}

/// What the run's programs are told of the network.
#[cfg(target_os = "linux")]
fn of_the_run(sandbox: SandboxState, network: NetworkSetting) -> Network {
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
fn of_the_run(sandbox: SandboxState, _: NetworkSetting) -> Network {
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

/// The current directory where it is the loop's own, the loop's folder otherwise.
fn start_directory(this_loop: &Loop, project: &Project, here: &Path) -> PathBuf {
    let Ok(here) = here.canonicalize() else {
        return this_loop.folder.clone();
    };
    let nested_here = nested(project.loops(), this_loop).any(|n| here.starts_with(&n.folder));
    if here.starts_with(&this_loop.folder) && !nested_here {
        here
    } else {
        this_loop.folder.clone()
    }
}

/// Never the same twice: the moment to the nanosecond, the process, and a counter.
fn run_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:x}-{:x}-{next:x}", since.as_nanos(), std::process::id())
}
