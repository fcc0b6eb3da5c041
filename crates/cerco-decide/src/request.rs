//! What is decided about, and what comes out when it may run.

use std::collections::BTreeMap;

use cerco_model::{
    Authority, Cleared, Command, Containment, Guard, Judgement, NoTree, NotCleared, Place, Role,
    SandboxState,
};
use compact_str::CompactString;

use crate::BoardId;

/// Who wants to run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The board.
    pub board: BoardId,
    /// The loop, as the person names it.
    pub loop_name: CompactString,
    /// The bubble, as the person names it.
    pub bubble: CompactString,
    /// Its role.
    pub role: Role,
}

/// A judged command that somebody wants to run.
///
/// It keeps what it was judged with, so that a [`Permit`] can't be used for the same text
/// in another folder, environment or sandbox state.
#[derive(Clone, Debug)]
pub struct Request {
    who: Who,
    command: Command,
    judgement: Judgement,
    facts: Facts,
}

#[derive(Clone, Debug)]
struct Facts {
    project: String,
    loop_folder: String,
    directory: String,
    environment: BTreeMap<String, String>,
    sandbox: SandboxState,
    guard: Guard,
}

impl Request {
    /// The command, judged in `place`.
    #[must_use]
    pub fn new(who: Who, command: Command, place: &Place<'_>, judgement: Judgement) -> Self {
        let facts = Facts {
            project: place.project.clone(),
            loop_folder: place.loop_folder.clone(),
            directory: place.directory.clone(),
            environment: place.environment.clone(),
            sandbox: place.sandbox,
            guard: place.guard,
        };
        Self {
            who,
            command,
            judgement,
            facts,
        }
    }

    /// Who wants to run it.
    #[must_use]
    pub fn who(&self) -> &Who {
        &self.who
    }
    /// The command.
    #[must_use]
    pub fn command(&self) -> &Command {
        &self.command
    }
    /// What the filter said.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }
    /// The directory it would start in.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.facts.directory
    }
    /// The loop's folder.
    #[must_use]
    pub fn loop_folder(&self) -> &str {
        &self.facts.loop_folder
    }
    /// The sandbox state it was judged for.
    #[must_use]
    pub fn sandbox(&self) -> SandboxState {
        self.facts.sandbox
    }

    pub(crate) fn permit(self, authority: Authority) -> Permit {
        Permit {
            request: self,
            authority,
        }
    }
}

/// A request that may run, on somebody's word. Only the [`Desk`](crate::Desk) makes one.
#[derive(Debug)]
pub struct Permit {
    request: Request,
    authority: Authority,
}

impl Permit {
    /// On whose word.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The request.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Turns it into the one thing the runner takes. Fails where it was judged for another
    /// sandbox state than `C`, and (whatever happened before) for a refused judgement.
    pub fn clear<C: Containment>(self) -> Result<Cleared<C>, NotCleared> {
        let Request {
            command,
            judgement,
            facts,
            ..
        } = self.request;
        let place = Place {
            project: facts.project,
            loop_folder: facts.loop_folder,
            directory: facts.directory,
            other_loops: Vec::new(),
            home: String::new(),
            user: String::new(),
            environment: facts.environment,
            sandbox: facts.sandbox,
            guard: facts.guard,
            allowed_hosts: Vec::new(),
            tree: &NoTree,
        };
        Cleared::issue(command, &place, &judgement, self.authority)
    }
}
