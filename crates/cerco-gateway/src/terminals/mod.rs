//! The person's own terminals. The filter and the sandbox don't apply here; agents have no
//! word for it.

mod comfort;
pub mod insert;
pub mod marks;
mod pty;
mod replay;
mod shells;
mod size;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use pty::{Pty, Shown, Viewer};
pub use shells::Shell;
pub use size::Size;

use crate::wire::{Terminal, TerminalId};

/// At most so many at once.
const MAX_TERMINALS: usize = 32;

/// Why a terminal can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// No such shell is offered.
    #[error("there is no shell {0:?} here; take one of the list")]
    NoShell(String),
    /// Too many are open.
    #[error("{MAX_TERMINALS} terminals are open; close one first")]
    TooMany,
    /// The system gave none.
    #[error("the system gave no terminal: {0}")]
    System(String),
}

/// All terminals of this gateway.
#[derive(Debug)]
pub struct Terminals {
    shells: Vec<Shell>,
    open: Mutex<(u64, BTreeMap<u64, Arc<Pty>>)>,
}

impl Terminals {
    /// None open yet; `shells` are the ones a person can choose from.
    #[must_use]
    pub fn new(shells: Vec<Shell>) -> Self {
        Self {
            shells,
            open: Mutex::default(),
        }
    }

    /// The names of the shells there are.
    #[must_use]
    pub fn shell_names(&self) -> Vec<String> {
        self.shells.iter().map(|s| s.name.clone()).collect()
    }

    /// Opens one.
    pub fn open(
        &self,
        shell: &str,
        folder: Option<PathBuf>,
        size: Size,
    ) -> Result<TerminalId, TerminalError> {
        let shell = self
            .shells
            .iter()
            .find(|s| s.name == shell)
            .ok_or_else(|| TerminalError::NoShell(shell.to_owned()))?;
        let mut open = self.lock();
        if open.1.len() >= MAX_TERMINALS {
            return Err(TerminalError::TooMany);
        }
        let pty = Pty::start(shell, folder, size)?;
        open.0 += 1;
        let number = open.0;
        open.1.insert(number, pty);
        Ok(TerminalId(number.to_string()))
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: &TerminalId) -> Option<Arc<Pty>> {
        self.lock().1.get(&id.0.parse().ok()?).cloned()
    }

    /// Closes one: its shell gets a hang-up, as from a closed window.
    pub fn close(&self, id: &TerminalId) -> bool {
        let Ok(number) = id.0.parse() else {
            return false;
        };
        let gone = self.lock().1.remove(&number);
        gone.is_some_and(|pty| {
            pty.hang_up();
            true
        })
    }

    /// All of them, as the page shows them.
    #[must_use]
    pub fn list(&self) -> Vec<Terminal> {
        let open = self.lock();
        open.1
            .iter()
            .map(|(number, pty)| Terminal {
                id: TerminalId(number.to_string()),
                shell: pty.shell().to_owned(),
                columns: pty.size().columns,
                rows: pty.size().rows,
                ended: pty.ended(),
            })
            .collect()
    }

    /// The processes of the shells: what descends from them is the person's own doing.
    #[must_use]
    pub fn shell_processes(&self) -> Vec<u32> {
        self.lock().1.values().map(|p| p.process()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (u64, BTreeMap<u64, Arc<Pty>>)> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
