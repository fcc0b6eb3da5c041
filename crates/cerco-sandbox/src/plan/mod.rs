//! What a sandbox is made of: mounts in order, each with its reason, and what the first
//! process inside has to prove. Pure: made from facts, it looks at nothing itself.

mod lay;
mod paths;
mod validate;

use std::path::{Path, PathBuf};

use crate::facts::{Facts, Identity};
use crate::refusal::Refusal;
use crate::request::{Limits, Network};
use crate::step::{Mount, Step, Why};
use crate::watch::{Covered, Seen, Watched};

use paths::covered;
pub(crate) use paths::visible;
use validate::validate;

/// More covers than this are refused: each costs the launcher a millisecond, and its cost
/// grows with the square of their number.
pub const MAX_COVERS: usize = 200;
/// Where Cerco's own program is seen inside, for it may itself lie in a hidden folder. The
/// launcher's `/dev` is there on every system and shows nothing of the machine's.
pub(crate) const STAGE: &str = "/dev/cerco";

/// What must hold for one path before the command starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is the folder that was checked, and takes writes.
    Writable,
    /// It is the file or folder that was checked, and its mount takes no writes.
    ReadOnly,
    /// It is anything but the file or folder that was there.
    Hidden,
}

/// One thing the first process inside checks. A race between the survey and the mounts
/// ends here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The path.
    pub path: PathBuf,
    /// What was there when it was surveyed.
    pub identity: Identity,
    /// What must hold.
    pub expected: Expected,
}

/// A sandbox for one command, ready to be started.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) proofs: Vec<Proof>,
    pub(crate) directory: PathBuf,
    pub(crate) network: Network,
    pub(crate) limits: Limits,
    loop_folder: PathBuf,
    project: PathBuf,
    covered: Vec<Covered>,
    notes: Vec<String>,
}

impl Plan {
    /// Validates the facts and lays the mounts in order; later ones win.
    pub fn new(facts: &Facts, network: Network, limits: Limits) -> Result<Self, Refusal> {
        validate(facts)?;
        let mut plan = Self {
            steps: Vec::new(),
            proofs: Vec::new(),
            directory: facts.directory.clone(),
            network,
            limits,
            loop_folder: facts.loop_folder.path.clone(),
            project: facts.project.path.clone(),
            covered: Vec::new(),
            notes: Vec::new(),
        };
        plan.machine(facts);
        plan.home(facts);
        plan.project(facts);
        plan.own_folder(facts)?;
        plan.hidden(facts);
        plan.push(
            Mount::ReadOnly {
                from: facts.program.clone(),
                at: PathBuf::from(STAGE),
            },
            Why::Stage,
        );
        plan.covered = covered(facts, &plan.steps);
        let covers = plan.steps.iter().filter(|step| step.is_cover()).count();
        if covers > MAX_COVERS {
            return Err(Refusal::TooManyCovers {
                count: covers,
                limit: MAX_COVERS,
            });
        }
        Ok(plan)
    }

    /// Every mount that may take writes; the inner stage looks for others.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        self.steps
            .iter()
            .filter(|step| match step.mount {
                Mount::Writable { .. }
                | Mount::Empty { .. }
                | Mount::Devices
                | Mount::Processes => true,
                Mount::ReadOnly { .. } | Mount::Cover(_) | Mount::Folder(_) => false,
            })
            .map(|step| step.mount.at().to_owned())
            .collect()
    }

    /// What has to be watched while it runs.
    #[must_use]
    pub fn watched(&self) -> Watched {
        Watched {
            covered: self.covered.clone(),
            sockets: Some(Seen {
                steps: self.steps.clone(),
                project: self.project.clone(),
                loop_folder: self.loop_folder.clone(),
            }),
            memory_bytes: self.limits.memory_bytes,
        }
    }

    /// What the person should know about this run beforehand: plain sentences.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The mounts in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The one folder that takes writes.
    #[must_use]
    pub fn loop_folder(&self) -> &Path {
        &self.loop_folder
    }

    /// Where the command starts.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}
